# SPDX-License-Identifier: Apache-2.0
"""Copilot's session and the end of its run.

The terminal line tells an exit code, and 0 also for a run that was aborted: whoever sent the
signal "initiated" that (s25 and s26 of 1.0.83). No line tells tokens or money; `premiumRequests`
counts requests. Up to 1.0.30 each message told its output tokens.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from agentframes.engines.copilot.frames import (
    CodeChanges,
    Envelope,
    Frame,
    Result,
    RunUsage,
    Told,
    data_of,
)
from agentframes.engines.copilot.signature import certainty
from agentframes.engines.support import bounded, epoch_ms
from agentframes.signals import Begin, Buckets, End, Native, Notice, Usage

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place

_BY_STATUS = {401: "auth", 403: "auth", 429: "rate_limit"}
# Captured: authentication and query. The others are in the typings.
_BY_TYPE = {"authentication": "auth", "authorization": "auth", "rate_limit": "rate_limit"}
# 1.0.12 and 1.0.30 tell the status in the message alone (s08).
_LAST_ERROR = r"Last error: (?:\w+: )?(\d{3})\b"


class Failure(NamedTuple):
    """An error of the session."""

    reason: str
    message: str | None


def tools_updated(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the first frame that names the model; it comes again when the tools change."""
    if not announce(reader, frame, place, data_of(frame).model) and reader.full:
        reader.emit(
            Notice(**reader.told(frame, place), category="session", label="Session tools updated")
        )


def announce(
    reader: CopilotInterpreter, frame: Frame, place: Place, model: str | None, *, anew: bool = False
) -> bool:
    """Tell the begin of the run, or the main agent's model where it was not known yet."""
    if reader.agent(frame) is not None:
        return False
    if reader.begun and not anew and (model is None or reader.model is not None):
        return False
    reader.emit(
        Begin(
            **reader.told(frame, place),
            model=model,
            why="reinit" if reader.begun and not anew else "start",
        )
    )
    reader.begun = True
    reader.model = model
    return True


def another_run(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Begin the run of another process, whose output stands behind the one before."""
    reader.begin_run()
    model = data_of(frame).model if frame.type == "session.tools_updated" else None
    announce(reader, frame, place, model, anew=True)


def error(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read an error: of the last one the terminal line tells that it was fatal."""
    told = reader.reread(place, Envelope).data or Told()
    if reader.agent(frame) is None:
        reader.error = Failure(_reason(told), told.message)
    if reader.full:
        reader.emit(
            Notice(
                **reader.told(frame, place),
                category="error",
                severity="error",
                label="Error",
                text=told.message,
            )
        )


def _reason(told: Told) -> str:
    status = told.statusCode
    if status is None and (said := re.search(_LAST_ERROR, told.message or "")):
        status = int(said[1])
    return _BY_STATUS.get(status or 0) or _BY_TYPE.get(told.errorType or "") or "api_error"


def abort(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that an agent was stopped; it may come twice, and the last reason counts."""
    reason = data_of(frame).reason
    told = reader.told(frame, place)
    if told["agent"] is None:
        reader.aborted = reason or ""
    if reader.full:
        reader.emit(
            Notice(**told, category="interruption", severity="warn", label="Aborted", text=reason)
        )


def result(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the terminal line; other engines have a frame of that type, too."""
    told = reader.reread(place, Result)
    if told.sessionId is None or not (told.usage or certainty(place.raw())):
        reader.unknown(place, frame.type)
        return
    announce(reader, frame, place, None)
    usage = bounded(told.usage or RunUsage())
    common = reader.told(frame, place)
    wall = usage.sessionDurationMs
    if told.usage is not None:
        _account(reader, common, usage)
    reader.emit(
        Native(
            **common,
            terminal=True,
            wall_seconds=None if wall is None else wall / 1000,
            session_id=told.sessionId,
            final_text=reader.said,
            answer=reader.closing or reader.said,
            final_text_source="last_message",
        )
    )
    if told.exitCode is not None:
        common["time_ms"] = epoch_ms(frame.timestamp)  # facts ask when the run ended
        reader.emit(_end(reader, common, told.exitCode, usage))
    reader.over = True


def _account(reader: CopilotInterpreter, common: dict[str, Any], usage: RunUsage) -> None:
    account = Usage(
        **common,
        account="running",
        scope="run",
        buckets=Buckets(),
        premium_requests=usage.premiumRequests,
        native_path="result.usage",
        caveats=[] if usage.sessionDurationMs is None else ["wall_may_span_session"],
    )
    reader.emit(account)
    if reader.output_tokens is not None:
        reader.emit(
            Usage(
                **common,
                account="running",
                scope="run",
                buckets=Buckets(output=reader.output_tokens),
                premium_requests=usage.premiumRequests,
                subagents="excluded",
                native_path="assistant.message.outputTokens",
            )
        )


def _end(
    reader: CopilotInterpreter, common: dict[str, Any], exit_code: int, usage: RunUsage
) -> End:
    end = End(
        **common,
        status="success",
        reason="completed",
        exit_code=exit_code,
        denials=reader.denials,
        wall_ms=usage.sessionDurationMs,
        api_ms=usage.totalApiDurationMs,
        code_changes=_changes(usage.codeChanges),
    )
    if reader.aborted is not None:
        end.status, end.reason, end.message = "failed", "interrupted", reader.aborted or None
    elif exit_code:
        failure = reader.error or Failure("failed", None)
        end.status, end.reason, end.message = "failed", failure.reason, failure.message
    return end


def _changes(changes: CodeChanges | None) -> dict[str, int] | None:
    if changes is None:
        return None
    bounded(changes)
    counts = {
        "lines_added": changes.linesAdded,
        "lines_removed": changes.linesRemoved,
        "files_modified": None if changes.filesModified is None else len(changes.filesModified),
    }
    return {name: count for name, count in counts.items() if count is not None}
