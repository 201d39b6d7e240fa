# SPDX-License-Identifier: Apache-2.0
r"""Recorded output at its own pace: how long to wait before each of its lines.

Accepts the output in pieces, each of them a line or a part of one, and the lines of its
`timing.jsonl`. Gives every piece back as it came, whatever the times are worth: a line without a
usable time follows the one before it at once. Never sleeps, and holds one line of either at a
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec


class Moment(msgspec.Struct):
    """When a line had arrived, in milliseconds since the start of the run."""

    line: Annotated[int, msgspec.Meta(ge=1)]
    ms: Annotated[float, msgspec.Meta(ge=0)]


class Lacks(msgspec.Struct):
    """What a recording's times lack; complete when all was played."""

    untimed: int = 0
    backwards: int = 0
    garbled: int = 0
    stray: int = 0

    def __str__(self) -> str:
        parts = (
            (self.untimed, "without a time"),
            (self.backwards, "with a time before that of an earlier line"),
            (self.garbled, "of timing.jsonl that cannot be read"),
            (self.stray, "of timing.jsonl out of order or past the end of the output"),
        )
        return ", ".join(f"{_lines(count)} {what}" for count, what in parts if count)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def paced(
    pieces: Iterable[bytes],
    times: Iterable[bytes],
    lacks: Lacks,
    *,
    speed: float = 1,
    max_gap: float | None = None,
) -> Iterator[tuple[float, bytes]]:
    r"""Yield each piece with the seconds to wait before it, counted from the piece before.

    Args:
        pieces: the output; a piece ends at a ``\n`` or somewhere in its line.
        times: the lines of `timing.jsonl`, in the order of the lines that they name.
        lacks: where it is told what the times lack.
        speed: how many seconds of the run pass in one; above 0.
        max_gap: the longest wait in seconds; a longer one is shortened to it.
    """
    moments = _Moments(times, lacks)
    number, clock, begins = 0, 0.0, True
    for piece in pieces:
        gap = 0.0
        if begins:
            number += 1
            time = moments.of(number)
            if time is not None and time < clock:
                lacks.backwards += 1
            elif time is not None:
                gap, clock = (time - clock) / 1000 / speed, time
        begins = piece.endswith(b"\n")
        yield (gap if max_gap is None else min(gap, max_gap)), piece
    moments.end()


class _Moments:
    """The times, read along with the lines that they name."""

    def __init__(self, times: Iterable[bytes], lacks: Lacks) -> None:
        self._lacks = lacks
        self._decoded = self._decode(times)
        self._next = next(self._decoded, None)

    def _decode(self, times: Iterable[bytes]) -> Iterator[Moment]:
        for line in times:
            try:
                yield msgspec.json.decode(line, type=Moment)
            except (msgspec.DecodeError, RecursionError):
                self._lacks.garbled += bool(line.strip())

    def of(self, number: int) -> float | None:
        """Return the time of a line; its number is above that of the line asked for before."""
        while self._next is not None and self._next.line < number:
            self._lacks.stray += 1
            self._next = next(self._decoded, None)
        if self._next is None or self._next.line > number:
            self._lacks.untimed += 1
            return None
        time = self._next.ms
        self._next = next(self._decoded, None)
        return time

    def end(self) -> None:
        """Count what names no line that there was."""
        if self._next is not None:
            self._lacks.stray += 1 + sum(1 for _ in self._decoded)
