# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that opencode is known to print, at each boundary where it can drift.

The type at the top names a frame; the known types are those of `kinds.toml`. It can drift further
down in the type of its part, in the status of a call and in the reason for which a step ended;
what is new there is told as an unknown frame, and the rest of the frame is read. Tools and the
names of errors are open.
"""

from __future__ import annotations

from agentframes.engines.opencode._kinds import KINDS
from agentframes.engines.opencode.frames import Frame, Part, State
from agentframes.engines.support import UNTYPED

# A frame's type, and its part's: the first has underscores, the second dashes. An error has none.
PARTS = {kind: kind.replace("_", "-") for kind in KINDS if kind != "error"} | {"tool_use": "tool"}
STATUSES = frozenset({"completed", "error"})
# The reasons of the library that calls the models; captures show the first four.
REASONS = frozenset({
    "stop", "length", "tool-calls", "content-filter", "error", "other", "unknown",
})  # fmt: skip


def strange_type(frame: Frame, *, own: bool) -> str | None:
    """Name a frame of a type, or with a part of a type, that is not known; else None.

    Without the envelope (`own` is false) it is not opencode's, whatever its type.
    """
    if frame.type != "error" and frame.type not in PARTS:
        return frame.type or UNTYPED
    if not own:
        return _below(frame, UNTYPED)
    if frame.type == "error":
        return None
    part = frame.part or Part()
    return None if part.type == PARTS[frame.type] else _below(frame, part.type)


def strange_value(frame: Frame) -> str | None:
    """Name a frame whose part says something that is not known; else None."""
    part = frame.part or Part()
    if frame.type == "tool_use":
        status = (part.state or State()).status
        return None if status in STATUSES else _below(frame, status)
    if frame.type == "step_finish":
        return None if part.reason in REASONS else _below(frame, part.reason)
    return None


def _below(frame: Frame, name: str | None) -> str:
    return f"{frame.type}/{name or UNTYPED}"


def kinds(frame: Frame, *, own: bool) -> list[str]:
    """Name a frame by its type, and by what is new below."""
    novel = strange_type(frame, own=own) or strange_value(frame)
    kind = frame.type or UNTYPED
    return [kind] if novel in {None, kind} else [kind, str(novel)]
