# SPDX-License-Identifier: Apache-2.0
"""Codex's legacy transport: settings, the prompt, then ``{"id":…,"msg":{"type":…}}`` lines.

``codex exec --json`` printed it up to 0.42 (captures of 0.20.0, 0.25.0, 0.36.0 and 0.42.0). No
line tells the session, and none tells the end: a run that is over looks like one that was killed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from agentframes.engines.codex import legacy_calls
from agentframes.engines.codex.frames import Frame
from agentframes.engines.codex.kinds import MESSAGES
from agentframes.engines.codex.legacy_frames import Envelope, Message, Named, Settings
from agentframes.engines.support import UNTYPED, decode, one_level, told
from agentframes.lazy import present
from agentframes.signals import Begin, End, Input, Native, Plan, PlanItem, Reasoning, Text, Turn

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter
    from agentframes.frames import Place

SUMMARY = "legacy/(summary)"
PROMPT = "legacy/(prompt)"


def kind(frame: Frame, raw: Any) -> tuple[str, bool]:
    """Name a frame without a type, and tell whether the name is known."""
    if not present(frame.msg):
        settings = _settings_kind(raw)
        return settings or UNTYPED, settings is not None
    named = decode(frame.msg, Named)
    name = named.type if named and named.type else UNTYPED
    return f"legacy/{name}", name in MESSAGES


def _settings_kind(raw: Any) -> str | None:
    keys = one_level(raw).keys()
    if {"workdir", "sandbox", "model"} <= keys:
        return SUMMARY
    return PROMPT if keys == {"prompt"} else None


def read(reader: CodexInterpreter, frame: Frame, place: Place) -> None:
    """Read a frame without a type."""
    name, known = kind(frame, place.raw())
    if not known:
        reader.unknown(place, name)
    elif name == SUMMARY:
        _settings(reader, place, name)
    elif name == PROMPT:
        _prompt(reader, place, name)
    else:
        message = reader.reread(place, Envelope).msg or Message()
        handler = _HANDLERS.get(message.type)
        if handler is not None:
            handler(reader, message, place, name)
        elif legacy_calls.is_call(message.type):
            legacy_calls.read(reader, message, place, name)
    if present(frame.msg) or known:
        reader.transport = "legacy"


def _settings(reader: CodexInterpreter, place: Place, kind: str) -> None:
    settings = reader.reread(place, Settings)
    reader.emit(
        Begin(
            at=place.span(),
            kind=kind,
            model=settings.model,
            cwd=settings.workdir,
            permission_mode=settings.sandbox,
        )
    )
    reader.begin_run()


def _prompt(reader: CodexInterpreter, place: Place, kind: str) -> None:
    prompt = told(reader.reread(place, Settings).prompt)
    if prompt is not None:
        reader.emit(Input(at=place.span(), kind=kind, text=prompt, origin="human"))


def _configured(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    """`session_configured` is in the sources, in no capture."""
    at = place.span()
    reader.emit(
        Begin(at=at, kind=kind, session_id=message.session_id, model=message.model, why="reinit")
    )
    reader.emit(Native(at=at, kind=kind, session_id=message.session_id))


def _started(reader: CodexInterpreter, _: Message, place: Place, kind: str) -> None:
    reader.last_error = None
    reader.emit(Turn(at=place.span(), kind=kind, phase="start"))


def _complete(reader: CodexInterpreter, _: Message, place: Place, kind: str) -> None:
    """Take the end, which 0.8.0 printed and no later `exec` does."""
    at = place.span()
    reader.emit(Turn(at=at, kind=kind, phase="end"))
    reader.emit(End(at=at, kind=kind, status="success", reason="completed"))


def _answer(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    at, text = place.span(), told(message.message)
    if text is None:
        return
    reader.emit(Text(at=at, kind=kind, message_id=f"line {at.first}", part=0, text=text))
    reader.emit(Native(at=at, kind=kind, final_text=text, final_text_source="last_message"))


def _reasoning(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    at, text = place.span(), told(message.text)
    if reader.full and text is not None:
        name = f"line {at.first}"
        reader.emit(Reasoning(at=at, kind=kind, message_id=name, part=0, text=text))


def _tokens(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    """Totals of the process, told again unchanged before each call; per call up to 0.25."""
    if message.input_tokens is not None:
        reader.usage(message, place, kind, "msg.token_count", account="step", scope="run")
    elif message.info and message.info.total_token_usage:
        path = "msg.token_count.info.total_token_usage"
        usage = message.info.total_token_usage
        reader.usage(usage, place, kind, path, account="running", scope="run")


def _trouble(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    """Retries came as background events in 0.20.0; nothing else was seen among those."""
    words = _words(message) or ""
    reader.last_error = words
    if reader.full:
        background = message.type == "background_event"
        reader.trouble(place, kind, words, severity="info" if background else "error")


def _failed(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    reader.failed(place, kind, _words(message))


def _words(message: Message) -> str | None:
    words = told(message.message)
    return words.text() if words else None


_STATUSES: dict[str, Literal["pending", "in_progress", "completed"]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}


def _plan(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    if not reader.full:
        return
    steps = [
        PlanItem(key=str(position), title=step.step, status=_STATUSES.get(step.status or ""))
        for position, step in enumerate(message.plan or (), 1)
    ]
    reader.emit(Plan(at=place.span(), kind=kind, items=steps))


# Nothing is told by the other known ones: section breaks, the diff of the turn and, in no capture,
# deltas, whose text comes again as a whole, the prompt and the shutdown.
_HANDLERS: dict[str, Callable[[CodexInterpreter, Message, Place, str], None]] = {
    "session_configured": _configured,
    "task_started": _started,
    "task_complete": _complete,
    "agent_message": _answer,
    "agent_reasoning": _reasoning,
    "agent_reasoning_raw_content": _reasoning,  # in the sources, in no capture
    "token_count": _tokens,
    "stream_error": _trouble,
    "background_event": _trouble,
    "error": _failed,
    "plan_update": _plan,
    "exec_command_output_delta": legacy_calls.output,
}
