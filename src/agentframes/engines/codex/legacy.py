# SPDX-License-Identifier: Apache-2.0
"""Codex's legacy transport: settings, the prompt, then ``{"id":…,"msg":{"type":…}}`` lines.

``codex exec --json`` printed it up to 0.42 (captures of 0.20.0, 0.25.0, 0.36.0 and 0.42.0). No
line tells the session, and none tells the end: a run that is over looks like one that was killed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Raw, Struct

from agentframes.engines.codex.frames import NOTHING, Frame, McpContent, Usage
from agentframes.lazy import Lazy, present
from agentframes.signals import (
    Begin,
    End,
    FileChange,
    Input,
    Native,
    Plan,
    PlanItem,
    Reasoning,
    Text,
    ToolCall,
    ToolEnd,
    ToolOutput,
    Turn,
)

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter
    from agentframes.frames import Place

_CALLS = {
    "exec_command": "execute",
    "patch_apply": "edit",
    "mcp_tool_call": "mcp",
    "web_search": "web_search",
}
_QUIET = frozenset({
    "agent_reasoning_section_break", "turn_diff", "shutdown_complete", "user_message",
    "agent_message_delta", "agent_reasoning_delta", "agent_reasoning_raw_content",
})  # fmt: skip


class Settings(Struct):
    """The first line; its keys come in any order."""

    model: str | None = None
    workdir: str | None = None
    sandbox: str | None = None
    prompt: Raw = NOTHING


class Info(Struct):
    """Of `token_count`, since some version between 0.25 and 0.36."""

    total_token_usage: Usage | None = None


class Invocation(Struct):
    """Of an MCP call."""

    server: str | None = None
    tool: str | None = None
    arguments: Raw = NOTHING


class McpAnswer(Struct):
    """A tool that reports failure answers ``Ok`` too."""

    content: list[McpContent] | None = None
    isError: bool | None = None
    structuredContent: Raw = NOTHING


class McpResult(Struct):
    """Of `mcp_tool_call_end`."""

    Ok: McpAnswer | None = None
    Err: str | None = None


class Duration(Struct):
    """How long a call took."""

    secs: int = 0
    nanos: int = 0


class Step(Struct):
    """Of `plan_update`."""

    step: str | None = None
    status: str | None = None


class Message(Usage):
    """A `msg` of any type; `token_count` held the counts itself up to 0.25."""

    type: str = ""
    message: Raw = NOTHING
    text: Raw = NOTHING
    info: Info | None = None
    call_id: str | None = None
    command: Raw = NOTHING
    changes: dict[str, dict[str, Raw]] | None = None
    invocation: Invocation | None = None
    query: Raw = NOTHING
    chunk: Raw = NOTHING
    stream: str | None = None
    stdout: Raw = NOTHING
    stderr: Raw = NOTHING
    aggregated_output: Raw = NOTHING
    exit_code: int | None = None
    success: bool | None = None
    duration: Duration | None = None
    result: McpResult | None = None
    plan: list[Step] | None = None
    session_id: str | None = None
    model: str | None = None
    last_agent_message: str | None = None


class Envelope(Struct):
    """A line of the legacy transport."""

    id: str | None = None
    msg: Message | None = None


def is_legacy(frame: Frame, raw: Any) -> bool:
    """Tell a legacy line: it has no type, and a message, settings or a prompt."""
    if present(frame.msg):
        return True
    return not frame.type and _settings_kind(raw) is not None


def kind(raw: Any) -> tuple[str, bool]:
    """Name a legacy line by its message, and tell whether the name is known."""
    settings = _settings_kind(raw)
    if settings is not None:
        return settings, True
    try:
        envelope = msgspec.json.decode(raw, type=_Typed)
    except (msgspec.DecodeError, RecursionError):
        return "legacy/(untyped)", False
    name = envelope.msg.type or "(untyped)"
    known = name in _HANDLERS or name in _QUIET or name.rpartition("_")[0] in _CALLS
    return f"legacy/{name}", known


class _Type(Struct):
    type: str = ""


class _Typed(Struct):
    msg: _Type


def _settings_kind(raw: Any) -> str | None:
    try:
        keys = msgspec.json.decode(raw, type=dict[str, Raw]).keys()
    except (msgspec.DecodeError, RecursionError):
        return None
    if {"workdir", "sandbox", "model"} <= keys:
        return "legacy/(summary)"
    return "legacy/(prompt)" if keys == {"prompt"} else None


def read(reader: CodexInterpreter, place: Place) -> None:
    """Read one legacy line."""
    reader.transport = "legacy"
    name, known = kind(place.raw())
    if not known:
        reader.unknown(place, name)
        return
    if name == "legacy/(summary)":
        _settings(reader, place, name)
    elif name == "legacy/(prompt)":
        _prompt(reader, place, name)
    else:
        message = reader.reread(place, Envelope).msg or Message()
        handler = _HANDLERS.get(message.type)
        if handler is not None:
            handler(reader, message, place, name)
        elif message.type not in _QUIET:
            _call(reader, message, place, name)


def _settings(reader: CodexInterpreter, place: Place, kind: str) -> None:
    reader.begin_run()
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


def _prompt(reader: CodexInterpreter, place: Place, kind: str) -> None:
    prompt = reader.reread(place, Settings).prompt
    if reader.full and present(prompt):
        reader.emit(Input(at=place.span(), kind=kind, text=Lazy(prompt), origin="human"))


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
    """`task_complete` is in the sources; `exec` never printed it."""
    at = place.span()
    reader.emit(Turn(at=at, kind=kind, phase="end"))
    reader.emit(End(at=at, kind=kind, status="success", reason="completed"))


def _answer(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    at, text = place.span(), Lazy(message.message)
    reader.emit(Text(at=at, kind=kind, message_id=f"line {at.first}", part=0, text=text))
    reader.emit(Native(at=at, kind=kind, final_text=text, final_text_source="last_message"))


def _reasoning(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    at = place.span()
    if reader.full:
        name = f"line {at.first}"
        text = Lazy(message.text)
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
    words = Lazy(message.message).text()
    reader.last_error = words
    if reader.full:
        reader.trouble(place, kind, words)


def _failed(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    reader.failed(place, kind, Lazy(message.message).text() if present(message.message) else None)


_STATUSES: dict[str, Literal["pending", "in_progress", "completed"]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}


def _plan(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    steps = [
        PlanItem(key=str(position), title=step.step, status=_STATUSES.get(step.status or ""))
        for position, step in enumerate(message.plan or (), 1)
    ]
    if reader.full:
        reader.emit(Plan(at=place.span(), kind=kind, items=steps))


def _output(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    if reader.full and message.call_id:
        reader.emit(
            ToolOutput(
                at=place.span(),
                kind=kind,
                call_id=message.call_id,
                text=Lazy.of(_chunk(message.chunk)),
                stream="stderr" if message.stream == "stderr" else "stdout",
            )
        )


def _chunk(raw: Raw) -> str:
    """Output comes as base64 (0.42.0), and came as an array of bytes (0.20.0)."""
    value = Lazy(raw).decode()
    try:
        data = base64.b64decode(value) if isinstance(value, str) else bytes(value)
    except (ValueError, TypeError):
        return ""
    return data.decode("utf-8", "replace")


_HANDLERS: dict[str, Callable[[CodexInterpreter, Message, Place, str], None]] = {
    "session_configured": _configured,
    "task_started": _started,
    "task_complete": _complete,
    "agent_message": _answer,
    "agent_reasoning": _reasoning,
    "token_count": _tokens,
    "stream_error": _trouble,
    "background_event": _trouble,
    "error": _failed,
    "plan_update": _plan,
    "exec_command_output_delta": _output,
}


# --- calls -----------------------------------------------------------------------------------


def _call(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    name, _, phase = message.type.rpartition("_")
    call_id = message.call_id or f"line {place.line}"
    if call_id not in reader.open_calls:
        invocation = message.invocation or Invocation()
        reader.open_calls.add(call_id)
        reader.emit(
            ToolCall(
                at=place.span(),
                kind=kind,
                call_id=call_id,
                name=invocation.tool or name,
                family=_CALLS[name],
                input=_input(message) if reader.full else None,
                server=invocation.server,
                tool=invocation.tool,
            )
        )
    if phase == "end":
        reader.open_calls.discard(call_id)
        if reader.full:
            reader.emit(_end(message, call_id, place, kind))


def _input(message: Message) -> Lazy | None:
    if message.invocation is not None:
        given = message.invocation.arguments
        return Lazy(given) if present(given) else None
    if message.changes is not None:
        changes = [{"path": path, "kind": next(iter(how), None)} for path, how in _files(message)]
        return Lazy.of({"changes": changes})
    for key, raw in (("command", message.command), ("query", message.query)):
        if present(raw):
            return Lazy(b'{"%s":%s}' % (key.encode(), bytes(raw)))
    return None


def _files(message: Message) -> list[tuple[str, dict[str, Raw]]]:
    return list((message.changes or {}).items())


_CHANGES: dict[str, Literal["add", "update", "delete"]] = {
    "add": "add", "update": "update", "delete": "delete",
}  # fmt: skip


def _end(message: Message, call_id: str, place: Place, kind: str) -> ToolEnd:
    answer = message.result.Ok if message.result else None
    failed = bool(message.exit_code) or message.success is False
    error = message.result.Err if message.result else None
    output = next(
        (Lazy(raw) for raw in (message.aggregated_output, message.stdout) if present(raw)),
        None,
    )
    if answer is not None:
        output = Lazy.of("\n".join(part.text for part in answer.content or () if part.text))
        failed = answer.isError is True
    duration = message.duration
    return ToolEnd(
        at=place.span(),
        kind=kind,
        call_id=call_id,
        status="failed" if failed or error else "ok",
        exit_code=message.exit_code,
        output=output,
        error=error or (output.text() if failed and output else None),
        duration_ms=duration.secs * 1000 + duration.nanos / 1e6 if duration else None,
        files=[
            FileChange(path=path, change=_CHANGES.get(next(iter(how), ""), "update"))
            for path, how in _files(message)
        ],
    )
