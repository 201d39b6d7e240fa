# SPDX-License-Identifier: Apache-2.0
"""Claude Code's assistant frames.

One API message comes as several frames, a block each, all with the same `message.id` and the same
usage; a part's place in its message is counted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.claude import calls, tools
from agentframes.engines.claude.frames import Block, Frame, Message, MessageUsage
from agentframes.engines.claude.kinds import ASSISTANT_BLOCKS
from agentframes.engines.support import UNTYPED, remember
from agentframes.lazy import Lazy, present
from agentframes.signals import Buckets, ModelCall, Reasoning, Text, Withdrawn

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place

FINAL_AT_START = (2, 1, 50)  # from this version on, a message's output count is not final
SYNTHETIC = "<synthetic>"  # the model of messages that the CLI wrote itself


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one assistant frame: every block of it, known or not."""
    message = frame.message
    if not isinstance(message, Message):
        return
    message_id = message.id or frame.uuid or f"line {reader.at.first}"
    if message.model != SYNTHETIC:
        _model_call(reader, frame, message, message_id)
    if present(frame.error):
        reader.api_error = tools.decode(frame.error, str) or reader.api_error
    if frame.uuid and frame.parent_tool_use_id is None:
        # `supersedes` and retractions name frames, not messages.
        remember(reader.message_ids, frame.uuid, message_id)
    if frame.aborted or present(frame.supersedes):
        _withdraw(reader, frame, message_id)
    novel = None
    for block in message.content if isinstance(message.content, list) else ():
        part = _part(reader, frame.parent_tool_use_id, message_id)
        if block.type in ASSISTANT_BLOCKS:
            _block(reader, frame, block, (message_id, part))
        else:
            novel = novel or block.type or UNTYPED
    if isinstance(message.content, str):
        _text(reader, frame, Lazy.of(message.content), (message_id, 0))
    if novel is not None:
        reader.unknown(place, f"assistant/{novel}", frame.parent_tool_use_id)


def _model_call(reader: ClaudeInterpreter, frame: Frame, message: Message, message_id: str) -> None:
    told = (message_id, message.usage)
    if told == reader.last_call:
        return
    reader.last_call = told
    reader.answered = True
    version = reader.version()
    final = version is not None and version < FINAL_AT_START
    reader.emit(
        ModelCall(
            at=reader.at,
            kind="assistant",
            agent=frame.parent_tool_use_id,
            id=message_id,
            phase="start",
            model=message.model,
            stop_reason=message.stop_reason,
            usage=buckets(message.usage, final=final),
            native_path="assistant.message.usage",
        )
    )


def buckets(usage: MessageUsage | None, *, final: bool) -> Buckets | None:
    """Turn a message's usage into buckets; an output count that may still grow is left out."""
    if usage is None:
        return None
    return Buckets(
        input=usage.input_tokens,
        cache_read=usage.cache_read_input_tokens,
        cache_write=usage.cache_creation_input_tokens,
        output=usage.output_tokens if final else None,
    )


def _part(reader: ClaudeInterpreter, agent: str | None, message_id: str) -> int:
    last, part = reader.parts.get(agent, (None, -1))
    part = part + 1 if last == message_id else 0
    reader.parts[agent] = (message_id, part)
    return part


def _block(reader: ClaudeInterpreter, frame: Frame, block: Block, name: tuple[str, int]) -> None:
    kind = block.type
    if kind == "text":
        _text(reader, frame, Lazy(block.text), name)
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        calls.begin(reader, frame, block)
    elif not reader.full:
        return
    elif kind in ("thinking", "redacted_thinking"):
        reader.emit(
            Reasoning(
                at=reader.at,
                kind=f"assistant/{kind}",
                agent=frame.parent_tool_use_id,
                time_ms=reader.time(frame),
                message_id=name[0],
                part=name[1],
                text=Lazy(block.thinking) if kind == "thinking" else Lazy.of(""),
                redacted=kind != "thinking",
            )
        )
    elif block.tool_use_id:
        calls.end(reader, frame, block)  # a server tool's result stands in the answer


def _text(reader: ClaudeInterpreter, frame: Frame, text: Lazy, name: tuple[str, int]) -> None:
    agent = frame.parent_tool_use_id
    if agent is None or reader.full:
        reader.emit(
            Text(
                at=reader.at,
                kind="assistant/text",
                agent=agent,
                time_ms=reader.time(frame),
                message_id=name[0],
                part=name[1],
                text=text,
            )
        )


def _withdraw(reader: ClaudeInterpreter, frame: Frame, message_id: str) -> None:
    """An aborted message takes itself back; `supersedes` is in the typings, in no capture."""
    ids = [message_id] if frame.aborted else []
    superseded = tools.decode(frame.supersedes, list[str]) or []
    ids += [reader.message_ids.get(uuid, uuid) for uuid in superseded]
    reason = "aborted" if frame.aborted else "superseded"
    reader.emit(Withdrawn(at=reader.at, kind="assistant", ids=ids, reason=reason))
