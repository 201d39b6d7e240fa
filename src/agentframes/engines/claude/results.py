# SPDX-License-Identifier: Apache-2.0
"""Claude Code's terminal frame: how it ended, what it cost, the answer.

`result.usage` covers the main agent's calls of this run; `modelUsage` covers sub-agents and
helper calls too, and both it and `total_cost_usd` grow over the process, since 2.1.277 over
resumed sessions (s13b of 2.1.220 against s13b of 2.1.332). `model_usage_since_last_result`
(2.1.332, stream only) is the increment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentframes.engines.claude.frames import (
    Frame,
    MessageUsage,
    ModelUse,
    Result,
    ResultUsage,
)
from agentframes.engines.claude.kinds import RESULTS
from agentframes.engines.support import UNTYPED, told
from agentframes.signals import (
    Begin,
    Buckets,
    End,
    ModelUsage,
    Native,
    Permission,
    Turn,
    Usage,
)

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place
    from agentframes.types import Span

SPANS_SESSION = (2, 1, 277)  # from this version on, totals go on over resumed sessions

_API_ERROR = r"API Error: (\d{3})\b"
_POLICY = "appears to violate our Usage Policy"  # a refusal, up to 2.1.50 told by the text alone
_BY_STATUS = {401: "auth", 403: "auth", 429: "rate_limit"}
# `assistant.error` (2.0.77 on), where no status is told.
_BY_ERROR = {
    "authentication_failed": "auth",
    "rate_limit": "rate_limit",
    "billing_error": "auth",
    "server_error": "api_error",
    "invalid_request": "api_error",
    "max_output_tokens": "max_tokens",
}
_BY_SUBTYPE = {"error_max_turns": "max_turns", "error_max_budget_usd": "budget"}
_BY_TERMINAL = {
    "api_error": "api_error",
    "max_turns": "max_turns",
    "aborted_streaming": "interrupted",
    "aborted_tools": "interrupted",
}


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read the terminal frame of a run, or of one of its turns."""
    kind = f"result/{frame.subtype or UNTYPED}"
    if frame.subtype not in RESULTS:
        reader.unknown(place, kind)
        return
    result = reader.reread(place, Result)
    at = reader.at
    if result.session_id is None and not _accounts(result):
        reader.unknown(place, kind)  # a result in name only ends nothing
        return
    if frame.uuid is not None and frame.uuid == reader.last_result:
        return  # printed twice
    reader.last_result = frame.uuid
    _begin(reader, result, at, kind)
    _usage(reader, result, at, kind)
    reader.emit(
        Native(
            at=at,
            kind=kind,
            terminal=True,
            tokens=_added(result.usage),
            cost_usd=result.total_cost_usd,
            wall_seconds=None if result.duration_ms is None else result.duration_ms / 1000,
            session_id=result.session_id,
            final_text=told(result.result),
            final_text_source="result",
        )
    )
    if reader.full:
        _denials(reader, result, at, kind)
    unreadable = any(change.field == "is_error" for change in place.changes)
    ok = result.subtype == "success" and not (
        result.is_error or (result.is_error is None and unreadable)
    )
    reader.emit(Turn(at=at, kind=kind, phase="end" if ok else "failed"))
    _end(reader, result, at, kind, ok=ok)
    reader.results += 1
    reader.answered = False
    reader.api_error = None


def _accounts(result: Result) -> bool:
    told = (result.usage, result.total_cost_usd, result.duration_ms, result.modelUsage)
    return result.is_error is not None and any(part is not None for part in told)


def _begin(reader: ClaudeInterpreter, result: Result, at: Span, kind: str) -> None:
    """Tell the session of an envelope that came without a stream before it."""
    alone = not reader.inits and not reader.streamed
    session_id = result.session_id
    if alone or (session_id and session_id != reader.session_id):
        reader.emit(Begin(at=at, kind=kind, session_id=session_id, why="start"))
        reader.begin_run()
        reader.session_id = session_id or reader.session_id
    if not reader.streamed and reader.transport == "jsonl":
        reader.transport = "json"
        reader.tells_tool_calls = reader.tells_model_calls = False
    if reader.reinits and _resumed(reader, result):
        reader.emit(Begin(at=at, kind=kind, session_id=session_id, why="resumed"))
    reader.reinits = 0
    reader.totals = _sum(result.modelUsage) if result.modelUsage else None


def _resumed(reader: ClaudeInterpreter, result: Result) -> bool:
    """Tell whether the last init was another process's: its results and totals begin anew.

    Totals of one process hold what came before beside the turn's own `usage`; results are
    numbered since 2.1.275.
    """
    if result.result_index is not None:
        return result.result_index == 0
    before, own = reader.totals, result.usage
    now = _sum(result.modelUsage or {})
    if before is None or own is None:
        return False
    pairs = ((before.input, now.input, own.input_tokens),
             (before.output, now.output, own.output_tokens))  # fmt: skip
    return any(
        old is not None and new is not None and turn is not None and new - old < turn
        for old, new, turn in pairs
    )


def _added(usage: MessageUsage | None) -> int | None:
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def _usage(reader: ClaudeInterpreter, result: Result, at: Span, kind: str) -> None:
    if not result.modelUsage and result.usage is None and result.total_cost_usd is None:
        return  # 1.0.0 has no account here: what the messages told counts
    version = reader.version()
    per_run = version is not None and version < SPANS_SESSION
    list_price = reader.list_price or any(
        use.costBasis == "list" for use in (result.modelUsage or {}).values()
    )
    total = Usage(
        at=at,
        kind=kind,
        account="running",
        scope="run" if per_run else "session",
        buckets=_sum(result.modelUsage or {}),
        cost_usd=result.total_cost_usd,
        models=_models(result.modelUsage),
        subagents="included",
        native_path="result.modelUsage",
        cost_may_span_session=result.total_cost_usd is not None and not per_run,
        cost_is_list_price=list_price and result.total_cost_usd is not None,
    )
    if not result.modelUsage and result.usage is not None:
        # Nothing was answered (s08, s09), or a gateway leaves the table out.
        total.buckets = _own(result.usage)
        total.subagents = "excluded"
        total.native_path = "result.usage"
        if reader.answered and not _own_total(result.usage):
            return  # a killed run (s25 of 2.1.220): the frames tell more than these zeros
    reader.emit(total)
    since = result.model_usage_since_last_result
    if since is not None:
        reader.emit(_increment(result, since, total))


def _increment(result: Result, since: dict[str, ModelUse], total: Usage) -> Usage:
    """Account for what this result adds; an empty table says that no model answered (s08)."""
    costs = [use.costUSD for use in since.values() if use.costUSD is not None]
    step = Usage(
        at=total.at,
        kind=total.kind,
        account="step",
        scope="run",
        buckets=_sum(since),
        cost_usd=sum(costs, 0.0) if costs or not since else None,
        models=_models(since),
        subagents="included",
        native_path="result.model_usage_since_last_result",
        of_total=True,
    )
    if not since and result.usage is not None:
        step.buckets = _own(result.usage)
        step.subagents = "excluded"
        step.native_path = "result.usage"
    return step


def _own_total(usage: MessageUsage) -> int:
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _own(usage: ResultUsage) -> Buckets:
    details = usage.output_tokens_details
    return Buckets(
        input=usage.input_tokens,
        cache_read=usage.cache_read_input_tokens,
        cache_write=usage.cache_creation_input_tokens,
        output=usage.output_tokens,
        reasoning=details.thinking_tokens if details else None,
    )


def _sum(uses: dict[str, ModelUse]) -> Buckets:
    every = list(uses.values())
    return Buckets(
        input=_total([use.inputTokens for use in every]),
        cache_read=_total([use.cacheReadInputTokens for use in every]),
        cache_write=_total([use.cacheCreationInputTokens for use in every]),
        output=_total([use.outputTokens for use in every]),
        reasoning=_total([use.thinkingTokens for use in every]),
    )


def _total(values: list[int | None]) -> int | None:
    """Add what every model reports; one that is silent makes the sum unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _models(uses: dict[str, ModelUse] | None) -> dict[str, ModelUsage] | None:
    if not uses:
        return None
    return {
        name: ModelUsage(buckets=_sum({name: use}), cost_usd=use.costUSD)
        for name, use in uses.items()
    }


def _denials(reader: ClaudeInterpreter, result: Result, at: Span, kind: str) -> None:
    """Tell the denials that no frame of their own told before (2.1.220 has none)."""
    for denial in result.permission_denials or ():
        if denial.tool_use_id in reader.denied:
            continue
        reader.emit(
            Permission(
                at=at,
                kind=kind,
                phase="denied",
                call_id=denial.tool_use_id,
                tool=denial.tool_name,
            )
        )


def _end(reader: ClaudeInterpreter, result: Result, at: Span, kind: str, *, ok: bool) -> None:
    text = told(result.result)
    words = text.text() if text and not ok else None
    message = None if ok else words or next(iter(result.errors or ()), None)
    denials = result.permission_denials
    reader.emit(
        End(
            at=at,
            kind=kind,
            last_ms=reader.last_time(),
            status="success" if ok else "failed",
            reason="completed" if ok else _reason(reader, result, words or ""),
            message=message,
            denials=None if denials is None else len(denials),
            turns=result.num_turns,
            wall_ms=result.duration_ms,
            api_ms=result.duration_api_ms,
            structured=told(result.structured_output),
        )
    )


def _reason(reader: ClaudeInterpreter, result: Result, words: str) -> str:
    """Name why it failed, by the most precise of the engine's own words."""
    by_subtype = _BY_SUBTYPE.get(result.subtype or "")
    if by_subtype:
        return by_subtype
    status = result.api_error_status
    if status is None and (match := re.search(_API_ERROR, words)):
        status = int(match[1])
    if status is not None:
        return _BY_STATUS.get(status, "api_error")
    if result.stop_reason == "refusal" or _POLICY in words:
        return "refusal"
    if reader.api_error in _BY_ERROR:
        return _BY_ERROR[reader.api_error]
    terminal = result.terminal_reason or ""
    return _BY_TERMINAL.get(terminal, "interrupted" if terminal.startswith("aborted") else "failed")
