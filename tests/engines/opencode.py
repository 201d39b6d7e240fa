# SPDX-License-Identifier: Apache-2.0
"""What the tests of opencode's reader share: its captures, and signals of frames made of them."""

from __future__ import annotations

from typing import TypeVar

import agentframes as af
from agentframes.signals import Signal
from tests import captured
from tests.engines import support
from tests.frames import Frame, capture

S = TypeVar("S", bound=Signal)

VERSIONS = ("1.0.185", "1.2.27", "1.14.41", "1.18.33")
NEW = "opencode/1.18.33"
NAMES = [name for name in support.captures() if name.startswith("opencode/")]


def raw(name: str) -> bytes:
    """Return what a capture printed."""
    return captured.capture(name)


def frames(name: str) -> list[Frame]:
    """Return the frames of a capture of the newest version."""
    return capture(f"{NEW}/{name}")


def signals(*told: Frame | list[Frame], full: bool = True) -> list[Signal]:
    """Return the signals of frames."""
    flat = [frame for item in told for frame in (item if isinstance(item, list) else [item])]
    return support.drive_frames("opencode", *flat, full=full).signals


def among(found: list[Signal], wanted: type[S]) -> list[S]:
    """Return the signals of one type."""
    return [signal for signal in found if isinstance(signal, wanted)]


def only(name: str, wanted: type[S], version: str = "1.18.33") -> list[S]:
    """Return a capture's signals of one type."""
    return support.only(f"opencode/{version}/{name}", wanted)


def ended(run: af.RunFacts) -> tuple[str, str]:
    """Return status and reason."""
    return run.outcome.status, run.outcome.reason


def read(name: str, version: str = "1.18.33") -> af.RunFacts:
    """Read a capture's output without its description."""
    return af.read(raw(f"opencode/{version}/{name}"))
