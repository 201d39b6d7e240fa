# SPDX-License-Identifier: Apache-2.0
"""Claude Code's user frames: results of tools, and what was said to the agent.

The role is the transport's: a user frame is a human's word only where nothing says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import calls
from agentframes.engines.claude.frames import Frame, Message
from agentframes.engines.claude.kinds import USER_BLOCKS
from agentframes.engines.support import UNTYPED
from agentframes.lazy import Lazy
from agentframes.signals import Input, Withdrawn

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place

Origin = Literal["human", "synthetic", "replay", "agent_prompt", "compaction"]


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one user frame: every block of it, known or not."""
    message = frame.message
    if not isinstance(message, Message):
        return
    if frame.refused_message_id:
        ids = [frame.refused_message_id]
        reader.emit(Withdrawn(at=reader.at, kind="user", ids=ids, reason="refusal"))
    if isinstance(message.content, str):
        _input(reader, frame, Lazy.of(message.content))
        return
    novel = None
    for index, block in enumerate(message.content or ()):
        if block.type == "tool_result":
            calls.end(reader, frame, block, index)
        elif block.type == "text":
            _input(reader, frame, Lazy(block.text))
        elif block.type not in USER_BLOCKS:
            novel = novel or block.type or UNTYPED
        elif reader.full:
            calls.attachment(reader, frame, block, index)
    if novel is not None:
        reader.unknown(place, f"user/{novel}", frame.parent_tool_use_id)


def _input(reader: ClaudeInterpreter, frame: Frame, text: Lazy) -> None:
    reader.emit(
        Input(
            at=reader.at,
            kind="user/text",
            agent=frame.parent_tool_use_id,
            time_ms=reader.time(frame),
            id=frame.uuid,
            text=text,
            origin=_origin(reader, frame),
        )
    )


def _origin(reader: ClaudeInterpreter, frame: Frame) -> Origin:
    if frame.parent_tool_use_id is not None:
        return "agent_prompt"
    if reader.compacted:
        # What follows a compaction is its summary (s29 of 2.1.332).
        reader.compacted = False
        return "compaction"
    if frame.isReplay:
        return "replay"
    return "synthetic" if frame.isSynthetic or frame.refused_message_id else "human"
