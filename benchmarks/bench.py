# SPDX-License-Identifier: Apache-2.0
"""What to measure, and what the sections share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import streams
from benchmarks.measure import MB, Process
from benchmarks.streams import Stream

NONE = "-"
ROOM = 6  # files of its size that must fit on the disk beside a large one, or it is deleted


@dataclass
class Bench:
    """What to measure, and what several sections need of what was measured."""

    engines: Sequence[str]
    size: int
    large: int | None
    rounds: int
    say: Callable[[str], None]
    verified: set[Path] = field(default_factory=set)
    decoded: dict[str, dict[str, float]] = field(default_factory=dict)
    whole: dict[tuple[str, int], dict[str, Process]] = field(default_factory=dict)

    @property
    def few(self) -> int:
        """Rounds for what takes many seconds."""
        return min(self.rounds, 3)

    @property
    def small_and_big(self) -> tuple[int, int]:
        """The sizes between which memory must not grow."""
        if self.large is None:
            return self.size // 10, self.size
        return self.size, self.large

    def stream(self, engine: str, size: int) -> Stream:
        """Make a stream, hold what agentframes reads in it against what was put into it."""
        made = streams.make(engine, size)
        if made.path not in self.verified:
            self.say(made.verify())
            self.verified.add(made.path)
        return made

    def let_go(self, stream: Stream) -> None:
        """Delete a large stream where the disk has no room for several."""
        if shutil.disk_usage(stream.path.parent).free < ROOM * stream.size:
            stream.path.unlink()


def named(size: int) -> str:
    """Write a size in words."""
    return f"{size / 1000 / MB:g} GB" if size >= 1000 * MB else f"{size / MB:g} MB"


def times(ratio: float) -> str:
    """Write a ratio."""
    return f"{ratio:.2f}"
