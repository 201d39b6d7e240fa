# SPDX-License-Identifier: Apache-2.0
"""opencode's tool calls: told once, when they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Raw

from agentframes.engines.opencode import tools
from agentframes.engines.opencode.frames import (
    Attachment,
    Frame,
    Input,
    Metadata,
    Part,
    State,
    Time,
)
from agentframes.engines.support import bounded, decoded_size, told
from agentframes.lazy import Lazy
from agentframes.signals import Agent, Media, Permission, Plan, ToolCall, ToolEnd, Truncated

if TYPE_CHECKING:
    from agentframes.engines.opencode.signals import OpencodeInterpreter

_DATA_URL = b'"data:'


def read(reader: OpencodeInterpreter, frame: Frame) -> None:
    """Read one call, its end and all that it brought."""
    part = frame.part or Part()
    state = part.state or State()
    call_id = part.callID or part.id or f"line {reader.at.first}"
    if part.tool == tools.INVALID:
        if reader.full:
            _invalid(reader, frame, call_id, state)
        return
    call = ToolCall(
        **reader.of(frame),
        call_id=call_id,
        name=part.tool or "",
        family=tools.family(part.tool or ""),
    )
    if reader.full:
        call.message_id = part.messageID
        call.input = told(state.input)
        call.title = state.title or None
        call.server, call.tool = tools.server_and_tool(call.name)
    reader.emit(call)
    if reader.full and state.status in {"completed", "error"}:
        _over(reader, frame, call, state)


def _invalid(reader: OpencodeInterpreter, frame: Frame, call_id: str, state: State) -> None:
    """Tell a call that came to nothing: there is no tool, so there was no call (s22, s32)."""
    reader.emit(
        ToolEnd(
            **reader.of(frame),
            call_id=call_id,
            status="invalid",
            output=told(state.output),
            error=tools.read_part(state.input, Input).error,
        )
    )


def _over(reader: OpencodeInterpreter, frame: Frame, call: ToolCall, state: State) -> None:
    given = tools.read_part(state.input, Input)
    metadata = tools.read_part(state.metadata, Metadata)
    time = bounded(state.time or Time())
    end = ToolEnd(
        **reader.of(frame),
        call_id=call.call_id,
        status=tools.status(state, metadata),
        exit_code=None if metadata.exit is UNSET else metadata.exit,
        output=told(state.output),
        error=state.error,
        started_ms=time.start,
        ended_ms=time.end,
        duration_ms=tools.duration(time),
        truncated=metadata.truncated,
        saved_to=metadata.outputPath,
    )
    if end.status == "ok":
        end.files = tools.files(call.name, given, metadata)
    reader.emit(end)
    if end.status == "denied":
        reader.emit(
            Permission(
                **reader.of(frame),
                phase="denied",
                call_id=call.call_id,
                tool=call.name,
                reason=state.error,
            )
        )
    if metadata.truncated:
        reader.emit(Truncated(**reader.of(frame), what="tool_output", call_id=call.call_id))
    if call.family == "plan" and metadata.todos is not None:
        reader.emit(Plan(**reader.of(frame), items=tools.plan(metadata.todos)))
    if call.family == "agent":
        _agent(reader, frame, end, given, metadata)
    _media(reader, frame, call, state, given)


def _agent(
    reader: OpencodeInterpreter, frame: Frame, end: ToolEnd, given: Input, metadata: Metadata
) -> None:
    """Tell a sub-agent's begin and end; nothing that it does in between is printed."""
    common: dict[str, Any] = {
        **reader.of(frame),
        "call_id": end.call_id,
        "agent_id": metadata.sessionId,
        "name": given.subagent_type,
        "model": metadata.model.modelID if metadata.model else None,
        "prompt": given.prompt,
    }
    started = common | {"time_ms": end.started_ms or frame.timestamp}
    reader.emit(Agent(**started, phase="start"))
    reader.emit(
        Agent(
            **common,
            phase="end",
            status=end.status,
            summary=tools.task_summary(end.output),
            tool_calls=None if metadata.summary is None else len(metadata.summary),
            duration_ms=end.duration_ms,
        )
    )


def _media(
    reader: OpencodeInterpreter, frame: Frame, call: ToolCall, state: State, given: Input
) -> None:
    for position, raw in enumerate(tools.attachments(state.attachments)):
        attachment = tools.read_part(raw, Attachment)
        inline = bytes(memoryview(attachment.url)[: len(_DATA_URL)]) == _DATA_URL
        media = Media(
            **reader.of(frame),
            owner=call.call_id,
            media_type=attachment.mime,
            path=given.filePath if call.family == "read" else None,
        )
        if inline:
            media.pointer = f"/part/state/attachments/{position}/url"
            media.bytes = _size(attachment.url)
        elif told(attachment.url):
            media.url = Lazy(attachment.url).text()
        reader.emit(media)


def _size(url: Raw) -> int | None:
    """Count the bytes that a data URL stands for."""
    _, comma, data = bytes(url).partition(b";base64,")
    return decoded_size(Raw(data)) if comma else None
