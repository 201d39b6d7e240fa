# SPDX-License-Identifier: Apache-2.0
"""Lines that wait until it is known how what they print in pieces goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from agentframes.capturing.deltas import Edit, Piece, Scan, Stream, may_have_pieces, pieces_of
from agentframes.capturing.disguises import Finding
from agentframes.capturing.secret_names import PLACEHOLDER

HELD = 1024 * 1024  # characters of lines that wait
MOST_STREAMS = 1000  # whose ends are remembered
MOST_OPEN = 16  # the youngest streams, which a line may end

# Reasoning that only its provider can read, and how it is signed: random, and no credentials but
# by chance. A text with a blank or the like is readable, and looked into.
_OPAQUE = re.compile(
    r"\"(?:thought_?[sS]ignature|signature|encrypted_?[cC]ontent)\"\s*:\s*"
    r"\"([A-Za-z0-9+/_-]{40,}+={0,3})\""
)

_Key: TypeAlias = tuple[str, ...]


class Whole(NamedTuple):
    """A part of a line that is written anew: what it holds is encoded."""

    start: int
    end: int
    piece: Piece


class Line:
    """A line, what was found in it, and the parts of it that are pieces of something."""

    def __init__(self, raw: bytes) -> None:
        content = raw.rstrip(b"\r\n")
        self.raw = raw
        self.text = content.decode("utf-8", "surrogateescape")
        self.end = raw[len(content) :]
        begin = self.text.lstrip("\ufeff \t")
        self.is_json = begin[:1] in ("{", "[") and not PLACEHOLDER.match(begin)
        self.found: list[Finding] = []
        self.pieces: list[Piece] = []

    def edits(self) -> list[Edit | Whole]:
        """Return what is to be done, by places in the line; some of it may overlap."""
        edits = [*self._found_outside(), *self._in_pieces()]
        opaque = [match.span(1) for match in _OPAQUE.finditer(self.text)] if edits else []
        return [
            edit
            for edit in edits
            # What begins as a key does is one.
            if not any(start < edit.start and edit.end <= end for start, end in opaque)
        ]

    def _found_outside(self) -> Iterator[Edit]:
        """What looks like a key in base64 is none; a text that is a secret as a whole is one."""
        encoded = [piece for piece in self.pieces if piece.encode]
        for one in self.found:
            around = [it for it in encoded if it.start < one.end and one.start < it.end]
            if all(one.start <= it.start and it.end <= one.end for it in around):
                yield Edit(one.start, one.end, one, joined=False)

    def _in_pieces(self) -> Iterator[Edit | Whole]:
        for piece in self.pieces:
            if piece.encode is None:
                yield from piece.in_line()
            elif piece.edits:
                yield Whole(piece.start, piece.end, piece)


class Held:
    """The lines that wait, in order, and the streams that they carry pieces of."""

    def __init__(self) -> None:
        self.size = 0
        self._lines: list[Line] = []
        self._streams: dict[_Key, Stream] = {}
        self._open: dict[_Key, Stream] = {}
        self._alone: list[Stream] = []
        # Lines that are no JSON are one text: a private key has many.
        self._text = Stream(separator="\n")

    def add(self, line: Line) -> None:
        """Take a line up."""
        self._lines.append(line)
        self.size += len(line.text)
        if not line.is_json:
            piece = Piece((0, len(line.text)), line.text)
            line.pieces.append(piece)
            self._text.add(piece)
            return
        for piece, key, owner in pieces_of(line.text):
            line.pieces.append(piece)
            self._stream(key, owner).add(piece)
        if self._open and not may_have_pieces(line.text):
            ended = [key for key, stream in self._open.items() if stream.is_ended_by(line.text)]
            for key in ended:
                del self._open[key]

    def _stream(self, key: _Key, owner: _Key) -> Stream:
        if not key:
            self._alone.append(Stream())
            return self._alone[-1]
        stream = self._streams.pop(key, None) or Stream(owner)
        self._streams[key] = stream  # now the youngest
        self._open.pop(key, None)
        self._open[key] = stream
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
        return stream

    def taken(self, scan: Scan, *, final: bool = False) -> list[Line]:
        """Let go of the lines that nothing can change any more, or that waited long enough."""
        streams = [self._text, *self._streams.values(), *self._alone]
        for stream in streams:
            stream.settle(scan)
        count = len(self._lines) if final else self._ready(streams)
        ready, self._lines = self._lines[:count], self._lines[count:]
        gone = {piece for line in ready for piece in line.pieces}
        for stream in streams:
            stream.let_go(gone)
        self.size = sum(len(line.text) for line in self._lines)
        self._alone = [stream for stream in self._alone if stream.waits]
        idle = [key for key, stream in self._streams.items() if not stream.waits]
        for key in idle[: max(0, len(self._streams) - MOST_STREAMS)]:
            del self._streams[key]
            self._open.pop(key, None)
        return ready

    def _ready(self, streams: list[Stream]) -> int:
        """Count the first lines without a piece that is needed, and more if too many waited."""
        needed = {stream.first_needed() for stream in streams}
        size, wanted = self.size, False
        for count, line in enumerate(self._lines):
            wanted = wanted or not needed.isdisjoint(line.pieces)
            if wanted and size <= HELD // 2:
                return count
            size -= len(line.text)
        return len(self._lines)
