# SPDX-License-Identifier: Apache-2.0
"""Claude Code's frames that are worth a status row and nothing more, in plain words.

Of these, captures show `status`, `thinking_tokens`, `informational`, `model_refusal_no_fallback`
and none of the top-level ones; the others are read as the typings of 2.1.332 have them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude.frames import (
    ControlRequest,
    ControlRequestBody,
    Frame,
    Hook,
    RateLimit,
    RateLimitInfo,
    Reset,
    Status,
    SystemText,
    ThinkingTokens,
    ToolProgress,
)
from agentframes.engines.support import decode
from agentframes.signals import Begin, Limit, Notice, Permission

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place

Severity = Literal["info", "warn", "error"]

_SEVERITIES: dict[str, Severity] = {"warning": "warn", "error": "error"}
_LABELS = {
    "informational": "Notice",
    "model_refusal_fallback": "The model refused, another one goes on",
    "model_refusal_no_fallback": "The model refused",
    "mirror_error": "The transcript could not be mirrored",
    "session_writes_lost": "Part of the session could not be saved",
    "keep_alive": "Still alive",
    "auth_status": "Authentication",
}
_WARNINGS = frozenset({
    "model_refusal_fallback", "model_refusal_no_fallback", "instruction_size_warning",
    "session_writes_lost", "mirror_error",
})  # fmt: skip
_CATEGORIES = {"ui": "interface", "model": "refusal", "informational": "notice"}


def plain(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read a known frame that is neither message nor system frame nor result."""
    if frame.type == "conversation_reset":
        _reset(reader, frame, place)
    elif reader.full:
        _PLAIN.get(frame.type, notice)(reader, frame, place)


def system(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read a known system frame that only tells something."""
    if reader.full:
        _SYSTEM.get(frame.subtype or "", notice)(reader, frame, place)


def notice(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Tell a frame by its name, with the first of its words."""
    name = frame.subtype if frame.type == "system" and frame.subtype else frame.type
    told = reader.glance(place, SystemText)
    error = decode(told.error, str)
    texts = (told.content, told.text, told.message, error, told.summary, told.description,
             told.status, told.state)  # fmt: skip
    severity: Severity = "warn" if name in _WARNINGS else "error" if error else "info"
    _emit(
        reader,
        frame,
        category=_CATEGORIES.get(name.split("_", 1)[0], "status"),
        severity=_SEVERITIES.get(told.level or "", severity),
        label=_LABELS.get(name) or name.replace("_", " ").capitalize(),
        text=next((text for text in texts if text), None),
        call_id=told.tool_use_id,
    )


def _emit(
    reader: ClaudeInterpreter,
    frame: Frame,
    *,
    category: str,
    label: str,
    text: str | None = None,
    severity: Severity = "info",
    call_id: str | None = None,
) -> None:
    kind = f"system/{frame.subtype}" if frame.type == "system" else frame.type
    reader.emit(
        Notice(
            **reader.of(frame, kind),
            category=category,
            severity=severity,
            label=label,
            text=text,
            call_id=call_id,
        )
    )


# --- system frames -------------------------------------------------------------------------------

_STATUSES = {"compacting": "Compacting the conversation", "requesting": "Asking the model"}


def _status(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    told = reader.glance(place, Status)
    if told.compact_result is not None:  # the status itself is null then (s29)
        well = told.compact_result == "success"
        _emit(
            reader,
            frame,
            category="compaction",
            severity="info" if well else "warn",
            label="Conversation compacted" if well else "The conversation could not be compacted",
            text=told.compact_error,
        )
        return
    status = told.status or ""
    category = "compaction" if status == "compacting" else "status"
    label = _STATUSES.get(status, "Status")
    _emit(reader, frame, category=category, label=label, text=told.status)


_HOOKS = {"hook_started": "Hook started", "hook_progress": "Hook is running"}


def _hook(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    hook = reader.glance(place, Hook)
    failed = bool(hook.exit_code) or hook.outcome == "error"
    over = "Hook failed" if failed else "Hook finished"
    words = (hook.stderr or hook.output) if failed else None
    texts = (hook.hook_name or hook.hook_event, words)
    _emit(
        reader,
        frame,
        category="hook",
        severity="warn" if failed else "info",
        label=_HOOKS.get(frame.subtype or "", over),
        text="\n".join(text for text in texts if text) or None,
    )


def _thinking(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    tokens = reader.glance(place, ThinkingTokens).estimated_tokens
    reader.thinking_tokens = tokens
    text = None if tokens is None else f"about {tokens} tokens"
    _emit(reader, frame, category="thinking", label="Thinking", text=text)


# --- top-level frames ----------------------------------------------------------------------------


def _progress(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    told = reader.glance(place, ToolProgress)
    elapsed = told.elapsed_time_seconds
    texts = (told.tool_name, None if elapsed is None else f"{elapsed:.0f} s")
    text = ", ".join(text for text in texts if text) or None
    label, call_id = "Tool is running", told.tool_use_id
    _emit(reader, frame, category="tool", label=label, text=text, call_id=call_id)


def _reset(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    reset = reader.reread(place, Reset)
    session_id = reset.new_conversation_id or reset.session_id
    reader.reset_announced = True
    reader.session_id = reset.new_conversation_id or reader.session_id
    reader.emit(Begin(**reader.of(frame, frame.type), session_id=session_id, why="reset"))


def _control(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    request = reader.glance(place, ControlRequest)
    body = request.request or ControlRequestBody()
    if body.subtype != "can_use_tool":
        _emit(reader, frame, category="control", label="Request to the host", text=body.subtype)
        return
    reader.emit(
        Permission(
            **reader.of(frame, frame.type),
            phase="asked",
            call_id=body.tool_use_id,
            tool=body.tool_name,
            request_id=request.request_id,
        )
    )


def _limit(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    info = reader.glance(place, RateLimit).rate_limit_info or RateLimitInfo()
    reader.emit(
        Limit(
            **reader.of(frame, frame.type),
            what=info.rateLimitType,
            status=info.status,
            resets_ms=None if info.resetsAt is None else round(info.resetsAt * 1000),
        )
    )


Handler = Callable[["ClaudeInterpreter", Frame, "Place"], None]

_SYSTEM: dict[str, Handler] = {
    "status": _status,
    "hook_started": _hook,
    "hook_progress": _hook,
    "hook_response": _hook,
    "thinking_tokens": _thinking,
}
_PLAIN: dict[str, Handler] = {
    "tool_progress": _progress,
    "control_request": _control,
    "rate_limit_event": _limit,
}
