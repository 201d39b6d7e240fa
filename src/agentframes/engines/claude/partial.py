# SPDX-License-Identifier: Apache-2.0
"""Partial messages: the API's own stream events (``--include-partial-messages``).

Whole frames repeat every delta, so facts take only the final usage from here: `message_delta` is
the one place where a message's output count is final (captures of 2.1.220 and 2.1.332).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.claude import tools
from agentframes.engines.claude.assistant import buckets
from agentframes.engines.claude.frames import Delta, Frame, StreamEvent
from agentframes.engines.claude.kinds import stream_kind
from agentframes.lazy import Lazy
from agentframes.signals import ModelCall, Reasoning, Text, ToolCall

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one stream event."""
    event = frame.event or StreamEvent()
    kind, known = stream_kind(event)
    agent = frame.parent_tool_use_id
    if not known:
        reader.unknown(place, kind, agent)
    elif event.type == "message_start":
        _start(reader, frame, event, place)
    elif event.type == "message_delta":
        _end(reader, frame, event, place)
    elif reader.full and event.type == "content_block_start":
        _block(reader, frame, event, place)
    elif reader.full and event.delta is not None:
        _delta(reader, frame, event, event.delta, place)


def _start(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, place: Place) -> None:
    message = event.message
    if message is None or message.id is None:
        return
    agent = frame.parent_tool_use_id
    reader.streaming[agent] = message.id
    reader.answered = True
    reader.emit(
        ModelCall(
            at=place.span(),
            kind="stream_event/message_start",
            agent=agent,
            id=message.id,
            phase="start",
            model=message.model,
            usage=buckets(message.usage, final=False),
            native_path="stream_event.message_start.usage",
            ttft_ms=frame.ttft_ms,
        )
    )


def _end(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, place: Place) -> None:
    agent = frame.parent_tool_use_id
    message_id = reader.streaming.get(agent)
    if message_id is None:
        return
    reader.emit(
        ModelCall(
            at=place.span(),
            kind="stream_event/message_delta",
            agent=agent,
            id=message_id,
            phase="end",
            stop_reason=event.delta.stop_reason if event.delta else None,
            usage=buckets(event.usage, final=True),
            native_path="stream_event.message_delta.usage",
        )
    )


def _block(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, place: Place) -> None:
    block = event.content_block
    if block is None or block.type != "tool_use" or block.id is None:
        return
    server, tool = tools.server_and_tool(block.name or "")
    reader.block_calls[frame.parent_tool_use_id, event.index] = block.id
    reader.emit(
        ToolCall(
            at=place.span(),
            kind="stream_event/content_block_start/tool_use",
            agent=frame.parent_tool_use_id,
            call_id=block.id,
            name=block.name or "",
            family=tools.family(block.name or ""),
            mode="delta",
            server=server,
            tool=tool,
        )
    )


def _delta(
    reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, delta: Delta, place: Place
) -> None:
    agent = frame.parent_tool_use_id
    message_id = reader.streaming.get(agent, "")
    kind = f"stream_event/content_block_delta/{delta.type}"
    if delta.type in ("text_delta", "thinking_delta"):
        signal = Text if delta.type == "text_delta" else Reasoning
        reader.emit(
            signal(
                at=place.span(),
                kind=kind,
                agent=agent,
                message_id=message_id,
                part=event.index or 0,
                text=Lazy(delta.text if signal is Text else delta.thinking),
                mode="delta",
            )
        )
    elif delta.type == "input_json_delta":
        call_id = reader.block_calls.get((agent, event.index))
        if call_id is not None:
            reader.emit(
                ToolCall(
                    at=place.span(),
                    kind=kind,
                    agent=agent,
                    call_id=call_id,
                    name="",
                    family="",
                    input=Lazy(delta.partial_json),
                    mode="delta",
                )
            )
