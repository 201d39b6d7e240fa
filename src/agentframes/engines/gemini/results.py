# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI's last word: the stream's `result`, or the one document of json mode.

Both count every call of every model in this run, those of sub-agents, of the router and of web
searches too. The stream's `input_tokens` includes the cached ones and its `output_tokens` leaves
thoughts out: they are what is missing from the total. What tools added to the prompt would be in
that difference, too; documents tell it apart, and no capture has any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from agentframes.engines.gemini.frames import (
    Api,
    Counts,
    Document,
    Error,
    Frame,
    Metrics,
    Model,
    Result,
    StreamStats,
    Tokens,
)
from agentframes.engines.gemini.messages import message_id
from agentframes.engines.support import bounded, epoch_ms, told
from agentframes.signals import (
    Begin,
    Buckets,
    End,
    ModelUsage,
    Native,
    Notice,
    Text,
    Usage,
)

if TYPE_CHECKING:
    from agentframes.engines.gemini.signals import GeminiInterpreter
    from agentframes.frames import Place

# The error's type, by the classes of the sources; captures show the first and INVALID_STREAM.
_BY_TYPE = {
    "FatalTurnLimitedError": "max_turns",
    "FatalAuthenticationError": "auth",
    "UnauthorizedError": "auth",
    "ForbiddenError": "auth",
    "FatalCancellationError": "interrupted",
    "TerminalQuotaError": "rate_limit",
    "RetryableQuotaError": "rate_limit",
}
_CODE = r'"code":\s*(\d{3})\b'
_BY_CODE = {401: "auth", 403: "auth", 429: "rate_limit"}
# Words of the message where it holds no code; the last two stand in the source of 0.61.0.
_WORDS = (
    (r"\b40[13]\b|UNAUTHENTICATED|PERMISSION_DENIED|Authentication", "auth"),
    (r"\b429\b|RESOURCE_EXHAUSTED", "rate_limit"),
    (r"API Error|\b[45]\d\d\b", "api_error"),
    (r"exceeded the token limit", "max_tokens"),
    (r"response was blocked due to", "content_filter"),
)


def failure(error: Error) -> str:
    """Name why a run failed: by the error's type, its code, or its words."""
    by_type = _BY_TYPE.get(error.type or "")
    if by_type:
        return by_type
    message = error.message or ""
    match = re.search(_CODE, message)
    code = int(match[1]) if match else error.code
    if isinstance(code, int) and code in range(400, 600):
        return _BY_CODE.get(code, "api_error")
    return next((reason for words, reason in _WORDS if re.search(words, message)), "failed")


# --- the stream's result ------------------------------------------------------------------------


def read(reader: GeminiInterpreter, frame: Frame, place: Place, kind: str) -> None:
    """Read the frame that ends a stream."""
    stats = reader.reread(place, Result).stats
    if stats is not None:
        bounded(stats)
    ok = frame.status == "success"
    wall_ms = None if stats is None else _wall_ms(stats, ok=ok)
    if stats is not None:
        _usage(
            reader,
            kind,
            _stream_buckets(stats),
            {name: _stream_buckets(counts) for name, counts in (stats.models or {}).items()},
            "result.stats",
        )
    text = reader.said.text()
    reader.emit(
        Native(
            at=reader.at,
            kind=kind,
            terminal=True,
            tokens=stats.total_tokens if stats else None,
            wall_seconds=None if wall_ms is None else wall_ms / 1000,
            final_text=text,
            final_text_source="joined_deltas" if text else None,
        )
    )
    reader.ended, reader.begun = True, False
    # A result without an error of its own has the `error` frame before it for one (s27).
    error = frame.error or Error(message=reader.last_error)
    reader.emit(
        End(
            at=reader.at,
            kind=kind,
            time_ms=epoch_ms(frame.timestamp),
            status="success" if ok else "failed",
            reason="completed" if ok else failure(error),
            message=None if ok else error.message,
            wall_ms=wall_ms,
        )
    )


def _wall_ms(stats: StreamStats, *, ok: bool) -> float | None:
    """A run that an exception ended says 0, however long it took: that is no time."""
    return stats.duration_ms if ok or stats.duration_ms else None


def _stream_buckets(counts: Counts) -> Buckets:
    """Part the counts; without `cached` nothing tells how much of the input was read again."""
    bounded(counts)
    prompt, output = counts.input_tokens, counts.output_tokens
    thoughts = None
    if counts.total_tokens is not None and prompt is not None and output is not None:
        thoughts = counts.total_tokens - prompt - output
    if thoughts is not None and thoughts < 0:  # the provider's total is another one
        thoughts = None
    return Buckets(
        input=None if counts.cached is None else _fresh(counts.input, prompt, counts.cached),
        cache_read=counts.cached,
        output=None if output is None else output + (thoughts or 0),
        reasoning=thoughts,
    )


# --- the document -------------------------------------------------------------------------------


def read_document(reader: GeminiInterpreter, frame: Frame, place: Place, kind: str) -> None:
    """Read the one object of json mode: a run from its begin to its end."""
    document = reader.reread(place, Document)
    error = frame.error or _odd_error(document)
    reader.begin_run(Begin(at=reader.at, kind=kind, session_id=document.session_id))
    reader.transport = "json"
    reader.tells_tool_calls = False
    models = (document.stats.models if document.stats else None) or {}
    for model in models.values():
        bounded(model.tokens or Tokens())
        bounded(model.api or Api())
    if document.stats is not None:
        rows = {name: _buckets(model.tokens or Tokens()) for name, model in models.items()}
        _usage(reader, kind, _added(rows.values()), rows, "stats.models")
    if reader.full:
        _rows(reader, document, kind)
    response = told(document.response)
    if response is not None:
        name = message_id(reader.at)
        reader.emit(Text(at=reader.at, kind=kind, message_id=name, part=0, text=response))
    reader.emit(
        Native(
            at=reader.at,
            kind=kind,
            terminal=True,
            tokens=_sum(model.tokens.total if model.tokens else None for model in models.values())
            if document.stats
            else None,
            session_id=document.session_id,
            final_text=response,
            final_text_source="result" if response else None,
        )
    )
    if error is not None or response is not None:
        _document_end(reader, document.stats, models, kind, error)
        reader.ended = True


def _odd_error(document: Document) -> Error | None:
    """Take what is no object for an error all the same; that it is none was told."""
    raw = told(document.error)
    if raw is None:
        return None
    value = raw.decode()
    return Error(message=value if isinstance(value, str) else None)


def _document_end(
    reader: GeminiInterpreter,
    told_stats: Metrics | None,
    models: dict[str, Model],
    kind: str,
    error: Error | None,
) -> None:
    stats = told_stats or Metrics()
    calls = [model.api.totalRequests if model.api else None for model in models.values()]
    latencies = [model.api.totalLatencyMs if model.api else None for model in models.values()]
    files = stats.files
    lines = {
        "lines_added": files.totalLinesAdded if files else None,
        "lines_removed": files.totalLinesRemoved if files else None,
    }
    reader.emit(
        End(
            at=reader.at,
            kind=kind,
            status="success" if error is None else "failed",
            reason="completed" if error is None else failure(error),
            message=error.message if error else None,
            api_ms=_sum(latencies) if models else None,
            code_changes={name: count for name, count in lines.items() if count is not None}
            or None,
            model_calls=_sum(calls) if told_stats else None,
            tool_calls=stats.tools.totalCalls if stats.tools else None,
        )
    )


def _rows(reader: GeminiInterpreter, document: Document, kind: str) -> None:
    """Tell what a reader of the conversation sees beside the answer: warnings, and tools used.

    No call stands in a document by itself, so none is told; how many there were is.
    """
    for warning in document.warnings or ():
        reader.notice(kind, "warn", warning)
    tools = document.stats.tools if document.stats else None
    used = [
        f"{name}: {tool.count}" + (f" ({tool.fail} failed)" if tool.fail else "")
        for name, tool in ((tools.byName if tools else None) or {}).items()
    ]
    if used:
        label, text = "Tools used", "\n".join(used)
        reader.emit(Notice(at=reader.at, kind=kind, category="tools", label=label, text=text))


def _buckets(tokens: Tokens) -> Buckets:
    fresh = _fresh(tokens.input, tokens.prompt, tokens.cached)
    return Buckets(
        input=None if fresh is None else fresh + (tokens.tool or 0),
        cache_read=tokens.cached,
        output=None if tokens.candidates is None else tokens.candidates + (tokens.thoughts or 0),
        reasoning=tokens.thoughts,
    )


def _fresh(fresh: int | None, prompt: int | None, cached: int | None) -> int | None:
    """Take the cached tokens out of the prompt; None where its count does not hold them."""
    if fresh is None and prompt is not None and cached is not None:
        fresh = prompt - cached
    return None if fresh is None or fresh < 0 else fresh


# --- both ---------------------------------------------------------------------------------------


def _usage(
    reader: GeminiInterpreter, kind: str, buckets: Buckets, models: dict[str, Buckets], path: str
) -> None:
    reader.emit(
        Usage(
            at=reader.at,
            kind=kind,
            account="final",
            scope="run",
            buckets=buckets,
            models={name: ModelUsage(buckets=row) for name, row in models.items()} or None,
            subagents="included",
            native_path=path,
            cache_in_input=True,
        )
    )


def _added(rows: Iterable[Buckets]) -> Buckets:
    """Add the models' buckets; `cache_write` stays unknown, since nothing tells it."""
    tables = [msgspec.structs.asdict(row) for row in rows]
    names = ("input", "cache_read", "output", "reasoning")
    return Buckets(**{name: _sum(table[name] for table in tables) for name in names})


def _sum(parts: Iterable[Any]) -> Any:
    """A sum with an unknown part is unknown."""
    values = list(parts)
    return None if any(value is None for value in values) else sum(values)
