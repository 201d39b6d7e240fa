# SPDX-License-Identifier: Apache-2.0
"""Claude Code's frames in long rows, for facts alone: the ones that only go on, in one loop.

What a row of steps means to facts is little: which calls of the model and of tools there were,
and what was said last. A frame that means more is left to the reader of single frames; it says
the same of all these, and a test holds the two against each other on every capture and damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Raw

from agentframes.engines.claude import assistant, system
from agentframes.engines.claude.assistant import SYNTHETIC
from agentframes.engines.claude.frames import NOTHING, Frame, Message
from agentframes.engines.claude.kinds import CALL_BLOCKS, STREAM_BLOCKS, STREAM_DELTAS
from agentframes.engines.claude.tools import FAMILIES
from agentframes.engines.support import NULL

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.signals import Stretch

_WRITING = STREAM_BLOCKS - CALL_BLOCKS
_STREAM_MARKS = frozenset({"content_block_stop", "message_stop", "ping"})
_AGENTS = frozenset(name for name, family in FAMILIES.items() if family == "agent")
_NULL = Raw(NULL)


# One loop, in which a frame costs less than its decoding does: a call for each would double it.
def read(  # noqa: C901, PLR0912, PLR0915
    reader: ClaudeInterpreter, frames: Iterator[Frame], stretch: Stretch
) -> Frame | None:
    """Read frames up to the first that does not only go on, and return that one."""
    if reader.session_id is None:
        return next(frames, None)
    calls, tools, said = stretch.calls, stretch.tools, stretch.said
    final = assistant.output_is_final(reader)
    last_id, last_usage, last_stop = reader.last_call
    remember = reader.message_ids.append
    timestamp = reader.timestamp
    main = others = answered = False
    count = 0
    try:
        for frame in frames:
            message, agent = frame.message, frame.parent_tool_use_id
            if type(message) is not Message:
                if not _means_nothing(reader, frame):
                    break
                timestamp = frame.timestamp or timestamp
                count += 1
                continue
            content = message.content
            if type(content) is not list or len(content) != 1:
                break
            block = content[0]
            does = block.type
            if frame.type == "assistant":
                message_id, usage = message.id, message.usage
                if not message_id or message.model == SYNTHETIC or frame.aborted is not None:
                    break
                if frame.error is not NOTHING or frame.supersedes is not NOTHING:
                    break
                if does == "tool_use":
                    if not block.id:
                        break
                elif does == "text":
                    if block.text is NOTHING or block.text == _NULL:
                        break
                elif does not in assistant.THINKING:
                    break
                if message_id != last_id or usage != last_usage or message.stop_reason != last_stop:
                    told = None if usage is None else assistant.counts(usage, final=final)
                    if agent is not None:
                        stretch.others_calls.append(message_id)
                        others = True
                    else:
                        if message_id in calls:  # again, and others between
                            break
                        calls[message_id] = told
                        main = True
                    last_id, last_usage, last_stop = message_id, usage, message.stop_reason
                    answered = True
                if does == "tool_use" and block.id:
                    tools.append(block.id)
                    main = main or agent is None
                    others = others or agent is not None or block.name in _AGENTS
                elif does == "text" and agent is None:
                    said.append((message_id, block.text))
                    main = True
                if agent is None and frame.uuid:
                    remember((frame.uuid, message_id))
            elif frame.type != "user" or frame.refused_message_id:
                break
            elif does == "tool_result":
                if agent is None:
                    said.append(None)
                if reader.streaming:
                    reader.streaming.pop(block.tool_use_id or "", None)
            elif does != "text" or agent is None:
                break
            timestamp = frame.timestamp or timestamp
            count += 1
        else:
            return None
        return frame
    finally:  # a line may not decode
        reader.last_call = (last_id, last_usage, last_stop)
        reader.answered = reader.answered or answered
        reader.streamed = reader.streamed or count > 0
        reader.agents_told = reader.agents_told or others
        reader.timestamp = timestamp
        stretch.frames, stretch.calls_path = count, assistant.USAGE
        stretch.active, stretch.subagents = main, others


def _means_nothing(reader: ClaudeInterpreter, frame: Frame) -> bool:
    """Tell a frame that facts want nothing of: it repeats, or only tells something."""
    if frame.type == "system":
        return frame.subtype in system.SILENT or (
            frame.subtype in system.TASKS and reader.agents_told
        )
    if frame.type != "stream_event" or frame.event is None or reader.results:
        return False
    event = frame.event
    if event.type == "content_block_delta":
        return event.delta is not None and event.delta.type in STREAM_DELTAS
    if event.type == "content_block_start":
        return event.content_block is not None and event.content_block.type in _WRITING
    return event.type in _STREAM_MARKS
