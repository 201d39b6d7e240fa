# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Claude Code is known to print, at each boundary where it can drift.

They are those of `kinds.toml`. What is not there is told as an unknown frame.
"""

from __future__ import annotations

from agentframes.engines.claude._kinds import KINDS
from agentframes.engines.claude.frames import Block, Frame, Message, StreamEvent
from agentframes.engines.support import UNTYPED, below

_NAMES = below(KINDS)
ASSISTANT_BLOCKS = _NAMES["assistant"]
USER_BLOCKS = _NAMES["user"]
RESULTS = _NAMES["result"]
SYSTEM = _NAMES["system"]
PLAIN = _NAMES[""] - {"assistant", "user"}
STREAM_EVENTS = _NAMES["stream_event"]
STREAM_BLOCKS = _NAMES["stream_event/content_block_start"]
STREAM_DELTAS = _NAMES["stream_event/content_block_delta"]
# Of the blocks, those by which a tool is called.
CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def kinds(frame: Frame) -> list[tuple[str, bool]]:
    """Name a frame at each of its boundaries, and whether each name is known.

    A frame of several blocks has a name for each; the name of one without any is its type.
    """
    kind = frame.type or UNTYPED
    if kind == "assistant":
        return _blocks(frame, ASSISTANT_BLOCKS) or [(kind, True)]
    if kind == "user":
        return _blocks(frame, USER_BLOCKS) or [(kind, True)]
    if kind == "system":
        return [(f"system/{frame.subtype or UNTYPED}", frame.subtype in SYSTEM)]
    if kind == "result":
        return [(f"result/{frame.subtype or UNTYPED}", frame.subtype in RESULTS)]
    if kind == "stream_event":
        return [stream_kind(frame.event or StreamEvent())]
    return [(kind, kind in PLAIN)]


def _blocks(frame: Frame, known: frozenset[str]) -> list[tuple[str, bool]]:
    blocks = frame.message.blocks() if isinstance(frame.message, Message) else []
    return [(f"{frame.type}/{block.type or UNTYPED}", block.type in known) for block in blocks]


def stream_kind(event: StreamEvent) -> tuple[str, bool]:
    """Name a stream event down to its block or delta."""
    kind = f"stream_event/{event.type or UNTYPED}"
    if event.type == "content_block_start":
        block = (event.content_block or Block()).type
        return f"{kind}/{block or UNTYPED}", block in STREAM_BLOCKS
    if event.type == "content_block_delta":
        delta = event.delta.type if event.delta else None
        return f"{kind}/{delta or UNTYPED}", delta in STREAM_DELTAS
    return kind, event.type in STREAM_EVENTS
