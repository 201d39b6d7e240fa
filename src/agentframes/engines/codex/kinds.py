# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Codex is known to print, at each boundary where it can drift.

They are those of `kinds.toml`. What is not there is told as an unknown frame.
"""

from __future__ import annotations

from agentframes.engines.codex._kinds import KINDS
from agentframes.engines.codex.frames import Frame
from agentframes.engines.support import UNTYPED, below

_NAMES = below(KINDS)
PLAIN = _NAMES[""]
# The items of each frame that has one.
ITEMS = {head: names for head, names in _NAMES.items() if head.startswith("item.")}
# The types of the legacy transport's messages; names in parentheses are ours, for lines without.
MESSAGES = frozenset(name for name in _NAMES["legacy"] if not name.startswith("("))


def kind(frame: Frame) -> tuple[str, bool]:
    """Name a frame down to its item, and tell whether the name is known."""
    items = ITEMS.get(frame.type)
    if items is not None:
        item = (frame.item.item_type or frame.item.type) if frame.item else ""
        return f"{frame.type}/{item or UNTYPED}", item in items
    return frame.type or UNTYPED, frame.type in PLAIN
