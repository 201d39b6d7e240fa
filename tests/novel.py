# SPDX-License-Identifier: Apache-2.0
"""Frames that no manifest names, with a secret in all they hold: one at each boundary."""

from __future__ import annotations

from typing import Any

from tests.engines.test_kinds import PAYLOAD, PROBES, SECRET
from tests.frames import Frame, capture, having

COPILOT = "copilot/1.0.102/s03-shell"
GEMINI = "gemini/0.61.0/s03-shell"
OPENCODE = "opencode/1.18.33/s03-shell"

Probe = tuple[str, str, Frame]
"""The engine, the kind at its novel boundary, the frame."""


def first(name: str, kind: str) -> Frame:
    """Return a capture's first frame of a type."""
    return next(frame for frame in capture(name) if frame["type"] == kind)


def _planted(frame: Frame, **fields: Any) -> Frame:
    """Plant the secret beside a frame's own fields."""
    return having(frame, zzz=dict(PAYLOAD), **fields)


PLANTED: list[Probe] = [
    *PROBES,
    ("copilot", "session.brand_new", _planted(capture(COPILOT)[5], type="session.brand_new")),
    ("copilot", "brand_new", _planted(capture(COPILOT)[5], type="brand_new", data=PAYLOAD)),
    ("gemini", "brand_new", _planted(first(GEMINI, "message"), type="brand_new")),
    ("gemini", "message/brand_new", _planted(first(GEMINI, "message"), role="brand_new")),
    ("gemini", "tool_result/odd", _planted(first(GEMINI, "tool_result"), status="odd")),
    ("gemini", "result/odd", _planted(first(GEMINI, "result"), status="odd")),
    ("opencode", "brand_new", _planted(first(OPENCODE, "text"), type="brand_new")),
    ("opencode", "text/brand_new", _planted(first(OPENCODE, "text"), part__type="brand_new")),
    ("opencode", "tool_use/odd", _planted(first(OPENCODE, "tool_use"), part__state__status="odd")),
    ("opencode", "step_finish/odd", _planted(first(OPENCODE, "step_finish"), part__reason="odd")),
]
IDS = [f"{engine}-{kind}" for engine, kind, _ in PLANTED]

__all__ = ["IDS", "PLANTED", "SECRET", "Probe", "first"]
