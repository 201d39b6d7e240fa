# SPDX-License-Identifier: Apache-2.0
"""Claude Code's user frames: results of tools, and what was said to the agent.

The role is the transport's: a user frame is a human's word only where nothing says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import calls, media
from agentframes.engines.claude.frames import Block, Frame, Message
from agentframes.engines.claude.kinds import USER_BLOCKS, kinds
from agentframes.engines.support import UNTYPED, told
from agentframes.signals import Input, Truncated, Withdrawn

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place

Origin = Literal["human", "synthetic", "replay", "agent_prompt", "compaction"]

# What the CLI says in the user's place: when it is stopped (s25 and s26 of 2.1.220), and what a
# command of its own printed (s29 of 2.1.332).
_CUT = b'"Output token limit hit'  # s23: the answer goes on in another message
_THE_CLIS = (b'"[Request interrupted by user', b'"<local-command-')


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one user frame: every block of it, known or not."""
    message = frame.message
    if not isinstance(message, Message):
        return
    if frame.refused_message_id:
        ids = [frame.refused_message_id]
        reader.emit(Withdrawn(**reader.of(frame, kinds(frame)[0][0]), ids=ids, reason="refusal"))
    novel = None
    for index, block in enumerate(message.blocks()):
        if block.type == "tool_result":
            calls.end(reader, frame, block, index)
        elif block.type == "text":
            _input(reader, frame, block)
        elif block.type not in USER_BLOCKS:
            novel = novel or block.type or UNTYPED
        elif reader.full:
            media.attachment(reader, frame, block, index)
    if novel is not None:
        reader.unknown(place, f"user/{novel}")


def _input(reader: ClaudeInterpreter, frame: Frame, block: Block) -> None:
    origin = _origin(reader, frame, block)
    text = told(block.text)
    if text is None:
        return
    if reader.full and bytes(block.text).startswith(_CUT):
        reader.emit(Truncated(**reader.of(frame, "user/text"), what="answer"))
    if reader.full or origin == "human":  # to facts, only a human's word means something
        common = reader.of(frame, "user/text")
        reader.emit(Input(**common, id=frame.uuid, text=text, origin=origin))


def _origin(reader: ClaudeInterpreter, frame: Frame, block: Block) -> Origin:
    if frame.parent_tool_use_id is not None:
        return "agent_prompt"
    if reader.compacted:
        # What follows a compaction is its summary (s29).
        reader.compacted = False
        return "compaction"
    if frame.isSynthetic or frame.refused_message_id or bytes(block.text).startswith(_THE_CLIS):
        return "synthetic"
    return "replay" if frame.isReplay else "human"
