# SPDX-License-Identifier: Apache-2.0
"""Claude Code's assistant frames.

One API message comes as several frames, a block each, all with the same `message.id` and the same
usage; a part's place in its message is counted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.claude import calls
from agentframes.engines.claude.frames import Block, Frame, Message, MessageUsage
from agentframes.engines.claude.kinds import ASSISTANT_BLOCKS, CALL_BLOCKS, kinds
from agentframes.engines.support import UNTYPED, decode, remember, told
from agentframes.lazy import Lazy
from agentframes.signals import Buckets, Counts, ModelCall, Reasoning, Text, Withdrawn

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place

FINAL_AT_START = (2, 1, 50)  # from this version on, a message's output count is not final
USAGE = "assistant.message.usage"
THINKING = frozenset({"thinking", "redacted_thinking"})
SYNTHETIC = "<synthetic>"  # the model of messages that the CLI wrote itself


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one assistant frame: every block of it, known or not."""
    message = frame.message
    if not isinstance(message, Message):
        return
    message_id = message.id or frame.uuid or f"line {reader.at.first}"
    if message.model != SYNTHETIC:
        _model_call(reader, frame, message, message_id)
    reader.api_error = decode(frame.error, str) or reader.api_error
    if frame.uuid and frame.parent_tool_use_id is None:
        # `supersedes` and retractions name frames, not messages.
        reader.message_ids.append((frame.uuid, message_id))
    novel = None
    for block in message.blocks():
        part = _part(reader, frame.parent_tool_use_id, message_id)
        if block.type in ASSISTANT_BLOCKS:
            _block(reader, frame, block, (message_id, part))
        else:
            novel = novel or block.type or UNTYPED
    if frame.aborted or told(frame.supersedes):
        _withdraw(reader, frame, message_id)
    if novel is not None:
        reader.unknown(place, f"assistant/{novel}")


def _model_call(reader: ClaudeInterpreter, frame: Frame, message: Message, message_id: str) -> None:
    # The stop reason stands on the message's last frame only, with the same usage (1.0.128).
    call = (message_id, message.usage, message.stop_reason)
    if call == reader.last_call:
        return
    reader.last_call = call
    reader.answered = True
    final = output_is_final(reader)
    reader.emit(
        ModelCall(
            **reader.of(frame, kinds(frame)[0][0]),
            id=message_id,
            phase="start",
            model=message.model,
            stop_reason=message.stop_reason,
            usage=buckets(message.usage, final=final),
            native_path=USAGE,
        )
    )


def output_is_final(reader: ClaudeInterpreter) -> bool:
    """Tell whether the version at hand gives a message's output count only when it is whole."""
    version = reader.version()
    return version is not None and version < FINAL_AT_START


def buckets(usage: MessageUsage | None, *, final: bool) -> Buckets | None:
    """Turn a message's usage into buckets; an output count that may still grow is left out."""
    return None if usage is None else Buckets(*counts(usage, final=final))


def counts(usage: MessageUsage, *, final: bool) -> Counts:
    """The same, bare."""
    return (
        usage.input_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
        usage.output_tokens if final else None,
        None,
    )


def _part(reader: ClaudeInterpreter, agent: str | None, message_id: str) -> int:
    part = reader.parts.get((agent, message_id), -1) + 1
    remember(reader.parts, (agent, message_id), part)
    return part


def _block(reader: ClaudeInterpreter, frame: Frame, block: Block, name: tuple[str, int]) -> None:
    kind = block.type
    if kind == "text":
        _text(reader, frame, block, name)
    elif kind in CALL_BLOCKS:
        calls.begin(reader, frame, block, name[0])
    elif kind in THINKING:
        if reader.full:
            _reasoning(reader, frame, block, name)
    elif block.tool_use_id:
        calls.end(reader, frame, block)  # a server tool's result stands in the answer
    if frame.parent_tool_use_id is None:
        reader.thinking_tokens = None  # the estimate was of this block or of none that is shown


def _text(reader: ClaudeInterpreter, frame: Frame, block: Block, name: tuple[str, int]) -> None:
    text = told(block.text)
    if text is None or (frame.parent_tool_use_id is not None and not reader.full):
        return
    message_id, part = name
    model = frame.message.model if isinstance(frame.message, Message) else None
    reader.emit(
        Text(
            **reader.of(frame, "assistant/text"),
            message_id=message_id,
            part=part,
            text=text,
            synthetic=model == SYNTHETIC,
        )
    )


def _reasoning(
    reader: ClaudeInterpreter, frame: Frame, block: Block, name: tuple[str, int]
) -> None:
    message_id, part = name
    redacted = block.type == "redacted_thinking"  # the API's own, no capture shows it
    reader.emit(
        Reasoning(
            **reader.of(frame, f"assistant/{block.type}"),
            message_id=message_id,
            part=part,
            text=told(block.thinking) or Lazy.of(""),
            # The estimates name no agent, and only the main one was seen to have them.
            tokens=reader.thinking_tokens if frame.parent_tool_use_id is None else None,
            duration_ms=frame.thinking_duration_ms,
            redacted=redacted,
        )
    )


def _withdraw(reader: ClaudeInterpreter, frame: Frame, message_id: str) -> None:
    """An aborted message takes itself back; `supersedes` is in the typings, in no capture."""
    ids = [message_id] if frame.aborted else []
    ids += reader.messages_of(decode(frame.supersedes, list[str]) or [])
    reason = "aborted" if frame.aborted else "superseded"
    reader.emit(Withdrawn(**reader.of(frame, kinds(frame)[0][0]), ids=ids, reason=reason))
