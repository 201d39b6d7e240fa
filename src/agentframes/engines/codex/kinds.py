# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Codex is known to print, at each boundary where it can drift.

The top-level types are the complete set of literals in 0.171.0; the items are those of
`exec_events.rs` and of the captures. What is not here is told as an unknown frame.
"""

from __future__ import annotations

from agentframes.engines.codex.frames import Frame
from agentframes.engines.support import UNTYPED

PLAIN = frozenset({
    "thread.started", "session.created", "turn.started", "turn.completed", "turn.failed", "error",
    # Told when output is cut; from the frame contract, no capture shows them.
    "output.truncated", "response.output_text.truncated",
})  # fmt: skip
ITEM_FRAMES = frozenset({"item.started", "item.updated", "item.completed"})
ITEMS = frozenset({
    "agent_message", "reasoning", "command_execution", "file_change", "mcp_tool_call",
    "collab_tool_call", "web_search", "todo_list", "error",
    "assistant_message",  # the preview's agent_message (0.42.0)
})  # fmt: skip


def kind(frame: Frame) -> tuple[str, bool]:
    """Name a frame down to its item, and tell whether the name is known."""
    if frame.type in ITEM_FRAMES:
        item = (frame.item.item_type or frame.item.type) if frame.item else ""
        return f"{frame.type}/{item or UNTYPED}", item in ITEMS
    return frame.type or UNTYPED, frame.type in PLAIN
