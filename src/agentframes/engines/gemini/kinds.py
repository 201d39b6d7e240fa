# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Gemini CLI is known to print, at each boundary where it can drift.

They are those of `kinds.toml`. The statuses and severities, which name a frame only where they are
new, are the complete sets of the typings of 0.61.0. What is not known is told as an unknown frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentframes.engines.gemini._kinds import KINDS
from agentframes.engines.gemini.frames import Frame
from agentframes.engines.gemini.signature import certainty
from agentframes.engines.support import UNTYPED, below

DOCUMENT = "(document)"

_NAMES = below(KINDS)
TYPES = _NAMES[""] - {DOCUMENT}
ROLES = _NAMES["message"]
STATUSES = frozenset({"success", "error"})
SEVERITIES = frozenset({"warning", "error"})


def kind(frame: Frame, raw: Callable[[], Any], *, begun: bool) -> tuple[str, bool]:
    """Name a frame, and tell whether it is known.

    A role is part of the name. A status or severity is, only where it is none of the known ones:
    nothing can be said of a frame that ended in a way nobody has seen. What begins or ends a run
    has to look like gemini's own. With `begun` the frame stands in a stream: there a result need
    not be certain, and no document can stand.
    """
    name = frame.type
    if name == "message":
        return f"{name}/{frame.role or UNTYPED}", frame.role in ROLES
    if name in ("tool_result", "result"):
        if frame.status not in STATUSES:
            return f"{name}/{frame.status or UNTYPED}", False
        return name, name == "tool_result" or certainty(raw()) > (not begun)
    if KINDS.get(name) == "tool-call":
        known = frame.tool_name is not None  # opencode has a `tool_use`, too
        return name if known else f"{name}/{UNTYPED}", known
    if name == "error":
        known = frame.severity in SEVERITIES
        return name if known else f"{name}/{frame.severity or UNTYPED}", known
    if name == "init":
        return name, frame.session_id is not None and frame.timestamp is not None
    if not name:
        document = not begun and certainty(raw()) > 0
        return (DOCUMENT, True) if document else (UNTYPED, False)
    return name, name in TYPES
