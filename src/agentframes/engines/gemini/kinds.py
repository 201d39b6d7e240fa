# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Gemini CLI is known to print, at each boundary where it can drift.

They are those of `kinds.toml`. The statuses and severities, which name a frame only where they are
new, are the complete sets of the typings of 0.61.0. What is not known is told as an unknown frame.
"""

from __future__ import annotations

from agentframes.engines.gemini._kinds import KINDS
from agentframes.engines.gemini.frames import Frame
from agentframes.engines.support import UNTYPED, below
from agentframes.lazy import present

DOCUMENT = "(document)"

_NAMES = below(KINDS)
TYPES = _NAMES[""] - {DOCUMENT}
ROLES = _NAMES["message"]
STATUSES = frozenset({"success", "error"})
SEVERITIES = frozenset({"warning", "error"})


def kind(frame: Frame) -> tuple[str, bool]:
    """Name a frame, and tell whether the name is known.

    A role is part of the name. A status or severity is, only where it is none of the known ones:
    nothing can be said of a frame that ended in a way nobody has seen.
    """
    name = frame.type
    if name == "message":
        return f"{name}/{frame.role or UNTYPED}", frame.role in ROLES
    if name in ("tool_result", "result"):
        known = frame.status in STATUSES
        return name if known else f"{name}/{frame.status or UNTYPED}", known
    if KINDS.get(name) == "tool-call":
        known = frame.tool_name is not None  # opencode has a `tool_use`, too
        return name if known else f"{name}/{UNTYPED}", known
    if name == "error":
        known = frame.severity in SEVERITIES
        return name if known else f"{name}/{frame.severity or UNTYPED}", known
    if not name:
        document = present(frame.response) or present(frame.stats) or frame.error is not None
        return (DOCUMENT, True) if document else (UNTYPED, False)
    return name, name in TYPES
