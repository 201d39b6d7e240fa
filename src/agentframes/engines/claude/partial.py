# SPDX-License-Identifier: Apache-2.0
"""Partial messages: the API's own stream events (``--include-partial-messages``).

Whole frames repeat every delta, so facts take only the begin of a call from here, should its whole
be missing, and the final usage: `message_delta` is the one place where a message's output count
is final (captures of 2.1.220 and 2.1.332).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from agentframes.engines.claude import tools
from agentframes.engines.claude.assistant import buckets
from agentframes.engines.claude.frames import Delta, Frame, StreamEvent
from agentframes.engines.claude.kinds import CALL_BLOCKS, stream_kind
from agentframes.engines.support import decode, remember, told
from agentframes.lazy import Lazy
from agentframes.signals import ModelCall, Notice, Reasoning, Text, ToolCall

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place


class Streaming(Struct):
    """An agent's message that is being streamed: its id, and its calls by their index."""

    message_id: str = ""
    ended: bool = False
    """Whether the model said all of it."""
    calls: dict[int | None, tuple[str, str]] = msgspec.field(default_factory=dict)


class _Error(Struct):
    message: str | None = None


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one stream event."""
    event = frame.event or StreamEvent()
    kind, known = stream_kind(event)
    if not known:
        reader.unknown(place, kind)
    elif event.type == "message_start":
        _start(reader, frame, event, kind)
    elif event.type == "message_delta":
        _end(reader, frame, event, kind)
    elif event.type == "content_block_start":
        _block(reader, frame, event, kind)
    elif not reader.full and not reader.results:
        return  # behind a result, whatever is told tells that the run goes on
    elif event.type == "content_block_delta" and event.delta is not None:
        _delta(reader, frame, event, event.delta, kind)
    elif event.type == "error":
        _error(reader, frame, event, kind)


def _start(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, kind: str) -> None:
    message = event.message
    if message is None or message.id is None:
        return
    remember(reader.streaming, frame.parent_tool_use_id, Streaming(message.id))
    reader.answered = True
    reader.emit(
        ModelCall(
            **reader.of(frame, kind),
            id=message.id,
            phase="start",
            model=message.model,
            usage=buckets(message.usage, final=False),
            native_path="stream_event.message_start.usage",
            ttft_ms=frame.ttft_ms,
        )
    )


def _end(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, kind: str) -> None:
    streaming = reader.streaming.get(frame.parent_tool_use_id)
    if streaming is None:
        return
    streaming.ended = True
    reader.emit(
        ModelCall(
            **reader.of(frame, kind),
            id=streaming.message_id,
            phase="end",
            stop_reason=event.delta.stop_reason if event.delta else None,
            usage=buckets(event.usage, final=True),
            native_path="stream_event.message_delta.usage",
        )
    )


def _block(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, kind: str) -> None:
    block = event.content_block
    streaming = reader.streaming.get(frame.parent_tool_use_id)
    if streaming and block and block.id and block.type in CALL_BLOCKS:
        streaming.calls[event.index] = (block.id, block.name or "")
        _call(reader, frame, event, kind, None)


def _delta(
    reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, delta: Delta, kind: str
) -> None:
    streaming = reader.streaming.get(frame.parent_tool_use_id)
    if streaming is None:
        return  # its beginning is missing, and the whole frame tells it again
    if delta.type == "input_json_delta":
        _call(reader, frame, event, kind, told(delta.partial_json))
    elif delta.type in ("text_delta", "thinking_delta"):
        signal = Text if delta.type == "text_delta" else Reasoning
        text = told(delta.text if signal is Text else delta.thinking)
        reader.emit(
            signal(
                **reader.of(frame, kind),
                message_id=streaming.message_id,
                part=event.index or 0,
                text=text or Lazy.of(""),
                mode="delta",
            )
        )


def _call(
    reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, kind: str, piece: Lazy | None
) -> None:
    """Tell a call that is being written, or a piece of its input."""
    streaming = reader.streaming[frame.parent_tool_use_id]
    call_id, name = streaming.calls.get(event.index, (None, ""))
    if call_id is None:
        return
    server, tool = tools.server_and_tool(name)
    reader.emit(
        ToolCall(
            **reader.of(frame, kind),
            call_id=call_id,
            message_id=streaming.message_id,
            name=name,
            family=tools.family(name),
            input=piece,
            mode="delta",
            server=server,
            tool=tool,
        )
    )


def _error(reader: ClaudeInterpreter, frame: Frame, event: StreamEvent, kind: str) -> None:
    """Tell that the stream broke off; the API's own event, no capture shows it."""
    error = decode(event.error, _Error)
    reader.emit(
        Notice(
            **reader.of(frame, kind),
            category="error",
            severity="error",
            label="Error in the stream",
            text=error.message if error else None,
        )
    )
