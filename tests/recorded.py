# SPDX-License-Identifier: Apache-2.0
"""A sink that writes down what a frame reader tells, for tests of the ground floor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from agentframes.frames import FrameReader, FrameSink, Place
from agentframes.types import Span


class Numbered(Struct):
    """A frame of these tests: `n` names it."""

    n: int | None = None
    text: str | None = None
    heavy: Raw = Raw()


class Row(NamedTuple):
    """One thing told: what it is, where it stands, and what it holds."""

    what: str
    at: tuple[int, int, int]
    told: Any


def frame(told: int | None, first: int, last: int | None = None, ordinal: int = 0) -> Row:
    """Write the row of a frame."""
    return Row("frame", (first, last or first, ordinal), told)


def text(told: str, line: int) -> Row:
    """Write the row of a line of text."""
    return Row("text", (line, line, 0), told)


def partly(reason: str, first: int, last: int | None = None) -> Row:
    """Write the row of a damaged line that yielded its frames."""
    return Row("partly", (first, last or first, 0), reason)


def lost(reason: str, first: int, last: int | None = None) -> Row:
    """Write the row of a damaged line that yielded nothing."""
    return Row("lost", (first, last or first, 0), reason)


def has_number(raw: bytes) -> bool:
    """Tell a frame by its `n`."""
    try:
        return "n" in msgspec.json.decode(raw, type=dict[str, Raw])
    except (msgspec.DecodeError, RecursionError):
        return False


class Recorder(FrameSink[Numbered]):
    """Writes down everything, and the bytes of each frame."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.frames: list[Numbered] = []
        self.raws: list[bytes] = []
        self.changes: list[tuple[str, ...]] = []
        self.in_array: list[bool] = []
        self.whole: list[bool] = []
        self.lines = 0
        self.cut = False

    def frame(self, told: Numbered, place: Place) -> None:
        """Write down a frame."""
        span = place.span()
        self.rows.append(Row("frame", (span.first, span.last, span.frame), told.n))
        self.frames.append(told)
        self.raws.append(bytes(place.raw()))
        self.changes += place.changes
        self.in_array.append(place.in_array)

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None:
        """Write down damage."""
        self.whole.append(whole)
        what = "lost" if lost else "partly"
        self.rows.append(Row(what, (span.first, span.last, span.frame), reason))

    def noise(self, span: Span, told: str, /) -> None:
        """Write down text."""
        self.rows.append(Row("text", (span.first, span.last, span.frame), told))


class LineByLine(FrameReader[Numbered]):
    """A reader that never takes the short way."""

    def _feed_whole(self, lines: Iterator[bytes]) -> bool:
        return next(lines, None) is None


def record(*chunks: bytes, line_by_line: bool = False) -> Recorder:
    """Read chunks of whole lines."""
    told = Recorder()
    kind = LineByLine if line_by_line else FrameReader
    reader = kind(Numbered, told, has_number)
    for chunk in chunks:
        reader.feed(chunk)
    reader.close()
    told.lines, told.cut = reader.lines, reader.cut
    return told


def rows(*chunks: bytes) -> list[Row]:
    """Read chunks by both ways, which must agree, and return what was told."""
    short, long = record(*chunks), record(*chunks, line_by_line=True)
    assert short.rows == long.rows
    assert short.raws == long.raws
    assert (short.lines, short.cut) == (long.lines, long.cut)
    return short.rows
