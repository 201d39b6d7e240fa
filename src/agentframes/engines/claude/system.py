# SPDX-License-Identifier: Apache-2.0
"""Claude Code's system frames, and the small top-level ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import tools
from agentframes.engines.claude.frames import (
    ApiRetry,
    Compaction,
    CompactMetadata,
    ControlRequest,
    ControlRequestBody,
    Frame,
    Init,
    PermissionDenied,
    RateLimit,
    RateLimitInfo,
    Reset,
    SystemText,
    Task,
    TaskUsage,
    Withdrawal,
)
from agentframes.engines.claude.kinds import SYSTEM
from agentframes.engines.support import remember
from agentframes.signals import (
    Agent,
    Begin,
    Limit,
    Notice,
    Permission,
    Retry,
    Truncated,
    Withdrawn,
)

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one system frame."""
    subtype = frame.subtype or "(untyped)"
    handler = _HANDLERS.get(subtype)
    if handler is not None:
        handler(reader, place, f"system/{subtype}")
    elif subtype not in SYSTEM:
        reader.unknown(place, f"system/{subtype}")
    elif reader.full:
        _notice(reader, place, f"system/{subtype}", subtype)


def plain(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read a known frame that is neither message nor system frame nor result."""
    handler = _PLAIN.get(frame.type)
    if handler is not None:
        handler(reader, place, frame.type)
    elif reader.full:
        _notice(reader, place, frame.type, frame.type)


def _init(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    init = reader.reread(place, Init)
    why: Literal["start", "reinit", "reset"] = "start"
    if reader.reset_announced:
        why = "reset"
    elif reader.inits and init.session_id == reader.session_id:
        why = "reinit"  # a further turn of the same process, or after compaction
    if why == "start":
        reader.begin_run()
    reader.inits += 1
    reader.reset_announced = False
    reader.session_id = init.session_id
    reader.cli_version = init.claude_code_version or reader.cli_version
    reader.list_price = init.apiKeySource == "none"
    reader.emit(
        Begin(
            at=place.span(),
            kind=kind,
            session_id=init.session_id,
            model=init.model,
            cli_version=init.claude_code_version,
            cwd=init.cwd,
            tools=init.tools,
            permission_mode=init.permissionMode,
            why=why,
            cost_is_list_price=reader.list_price,
        )
    )


def _reset(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    reset = reader.reread(place, Reset)
    reader.reset_announced = True
    reader.session_id = reset.new_conversation_id or reader.session_id
    reader.emit(
        Begin(
            at=place.span(),
            kind=kind,
            session_id=reset.new_conversation_id or reset.session_id,
            why="reset",
        )
    )


def _retry(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    if not reader.full:
        return
    retry = reader.reread(place, ApiRetry)
    reader.emit(
        Retry(
            at=place.span(),
            kind=kind,
            attempt=retry.attempt,
            max=retry.max_retries,
            delay_ms=retry.retry_delay_ms,
            status=retry.error_status,
            reason=retry.error,
        )
    )


_PHASES: dict[str, Literal["start", "progress", "end"]] = {
    "system/task_started": "start",
    "system/task_notification": "end",
}


def _task(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    phase = _PHASES.get(kind, "progress")
    if not reader.full and phase != "start":
        return
    task = reader.reread(place, Task)
    # task_updated names only the task; the others name the call that spawned it too.
    call_id = task.tool_use_id or reader.tasks.get(task.task_id or "") or task.task_id or ""
    if task.task_id:
        remember(reader.tasks, task.task_id, call_id)
    usage = task.usage or TaskUsage()
    reader.emit(
        Agent(
            at=place.span(),
            kind=kind,
            call_id=call_id,
            agent_id=task.task_id,
            phase=phase,
            name=task.subagent_type,
            background=task.is_backgrounded,
            status=task.status,
            prompt=task.prompt,
            summary=task.summary or task.description,
            context_tokens=usage.total_tokens,
            tool_calls=usage.tool_uses,
            duration_ms=usage.duration_ms,
        )
    )


def _denied(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    if not reader.full:
        return
    denied = reader.reread(place, PermissionDenied)
    if denied.tool_use_id:
        remember(reader.denied, denied.tool_use_id, None)
    reader.emit(
        Permission(
            at=place.span(),
            kind=kind,
            phase="denied",
            call_id=denied.tool_use_id,
            tool=denied.tool_name,
            reason=denied.message,
        )
    )


def _compaction(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    reader.compacted = True
    if not reader.full:
        return
    metadata = reader.reread(place, Compaction).compact_metadata or CompactMetadata()
    reader.emit(
        Truncated(
            at=place.span(),
            kind=kind,
            what="context",
            before=metadata.pre_tokens,
            after=metadata.post_tokens,
        )
    )


def _refusal(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    withdrawal = reader.reread(place, Withdrawal)
    ids = [reader.message_ids.get(uuid, uuid) for uuid in withdrawal.retracted_message_uuids or ()]
    if ids:
        reader.emit(Withdrawn(at=place.span(), kind=kind, ids=ids, reason="refusal"))
    if reader.full:
        _notice(reader, place, kind, "refusal")


def _control(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    if not reader.full:
        return
    request = reader.reread(place, ControlRequest)
    body = request.request or ControlRequestBody()
    if body.subtype == "can_use_tool":
        reader.emit(
            Permission(
                at=place.span(),
                kind=kind,
                phase="asked",
                call_id=body.tool_use_id,
                tool=body.tool_name,
                request_id=request.request_id,
            )
        )
    else:
        _notice(reader, place, kind, body.subtype or kind)


def _limit(reader: ClaudeInterpreter, place: Place, kind: str) -> None:
    if not reader.full:
        return
    info = reader.reread(place, RateLimit).rate_limit_info or RateLimitInfo()
    reader.emit(
        Limit(
            at=place.span(),
            kind=kind,
            what=info.rateLimitType,
            status=info.status,
            resets_ms=None if info.resetsAt is None else round(info.resetsAt * 1000),
        )
    )


_CATEGORIES = {"hook": "hook", "ui": "interface", "informational": "notice", "refusal": "refusal"}
_LEVELS: dict[str, Literal["info", "warn", "error"]] = {"warning": "warn", "error": "error"}


def _notice(reader: ClaudeInterpreter, place: Place, kind: str, label: str) -> None:
    told = reader.reread(place, SystemText)
    error = tools.decode(told.error, str)
    texts = (told.content, told.text, told.message, error, told.description, told.hook_name,
             told.status)  # fmt: skip
    severity = _LEVELS.get(told.level or "", "error" if error else "info")
    reader.emit(
        Notice(
            at=place.span(),
            kind=kind,
            category=_CATEGORIES.get(label.split("_", 1)[0], "status"),
            severity="warn" if label == "refusal" else severity,
            label=label,
            text=next((text for text in texts if text), None),
        )
    )


Handler = Callable[["ClaudeInterpreter", "Place", str], None]

_HANDLERS: dict[str, Handler] = {
    "init": _init,
    "api_retry": _retry,
    "task_started": _task,
    "task_progress": _task,
    "task_updated": _task,
    "task_notification": _task,
    "permission_denied": _denied,
    "compact_boundary": _compaction,
    "model_refusal_fallback": _refusal,
    "model_refusal_no_fallback": _refusal,
}
_PLAIN: dict[str, Handler] = {
    "conversation_reset": _reset,
    "control_request": _control,
    "rate_limit_event": _limit,
}
