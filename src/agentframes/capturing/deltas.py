# SPDX-License-Identifier: Apache-2.0
"""Text that is printed in pieces, a line each: what is cut in two is found in the joined text.

No engine is known here. A line that speaks of a delta, of a part or of a chunk carries pieces; its
fields are pieces of one stream with those of other such lines if they stand at the same place and
all that names a stream (ids, indexes, types) is the same, whatever comes between.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

from agentframes.capturing.disguises import Finding, View, unescaped

REACH = 16 * 1024  # characters of a stream that are looked at again with what follows
NEAR = 300  # characters on either side of where one text ends and perhaps goes on

Scan: TypeAlias = Callable[[str], list[Finding]]
Owner: TypeAlias = tuple[str, ...]
"""What names the stream of a piece, as it stands in the line: `"session_id":"…"`."""

_SPEAKS = re.compile(r"(?i)delta|partial|progress|_output\"|\"chunk\"")
_TOKEN = re.compile(r"\"((?:[^\"\\]++|\\.)*+)\"?|[{}\[\],:]|[^\s{}\[\],:\"]++", re.DOTALL)
_NAMES_STREAM = re.compile(r"(?i)(?:^|_)(?:ids?|uuid|index)$|(?:Id|ID)s?$")
_NAMES_SORT = re.compile(r"(?i)(?:^|_)(?:type|subtype|role|kind|stream)$|Type$")
_NO_PIECE = re.compile(r"(?i)time|date|model|name|status|signature|encrypted")
# A frame's own: another one of the same stream has another.
_FRAMES_OWN = ("id", "parentId")
_BYTES = re.compile(r"\"chunk\"\s*:\s*(?:\[([\d,\s]*)\]|\"([A-Za-z0-9+/=]*)\")")
_HAS_ID = re.compile(r"(?:_id|Id|ID)\"\s*:\s*\"")
_ENCODED = re.compile(r"(?<=\")[A-Za-z0-9+/]{22,}+={0,2}(?=\")")
_UNREADABLE = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


class Edit(NamedTuple):
    """What is done to a part of a line or piece; the tail of a finding is taken away."""

    start: int
    end: int
    finding: Finding
    head: bool = True
    joined: bool = True


class Piece:
    """A part of a line, decoded, and the edits to it, by places in the decoded text.

    `view` tells where in the line they are; without one, `encode` writes the whole piece anew,
    or the piece is as it stands in the line.
    """

    def __init__(
        self,
        span: tuple[int, int],
        text: str,
        view: View | None = None,
        encode: Callable[[str], str] | None = None,
    ) -> None:
        self.start, self.end = span
        self.text = text
        self.encode = encode
        self.edits: list[Edit] = []
        self.begins = False
        """Whether what came before in the stream has ended."""
        self._view = view

    def in_line(self) -> Iterator[Edit]:
        """Yield the edits by their places in the line."""
        for edit in self.edits:
            start, end = self._view.span(edit.start, edit.end) if self._view else edit[:2]
            yield edit._replace(start=start, end=end)


def encoded_pieces(line: str) -> Iterator[Piece]:
    """Yield the pieces of a line that hold bytes which are text in UTF-8."""
    chunk = (-1, -1)
    if '"chunk"' in line and (found := _BYTES.search(line)):
        numbers = found[1] is not None
        piece = _numbers(found) if numbers else _base64(line, found.span(2), "surrogateescape")
        if piece:
            chunk = piece.start, piece.end
            yield piece
    for match in _ENCODED.finditer(line):
        if len(match.group()) % 4 == 0 and match.span() != chunk:
            piece = _base64(line, match.span(), "strict")
            if piece and not _UNREADABLE.search(piece.text):
                yield piece


def _base64(line: str, span: tuple[int, int], errors: str) -> Piece | None:
    try:
        text = base64.b64decode(line[slice(*span)], validate=True).decode("utf-8", errors)
    except (binascii.Error, UnicodeDecodeError):
        return None
    return Piece(span, text, encode=lambda text: base64.b64encode(_bytes(text)).decode())


def _numbers(found: re.Match[str]) -> Piece | None:
    """Read an array of bytes: codex up to 0.25 prints them so."""
    try:
        data = bytes(int(number) for number in found[1].split(",") if found[1].strip())
    except ValueError:  # more than a byte, or less than a number
        return None
    separator = ", " if ", " in found[1] else ","
    return Piece(
        found.span(1),
        data.decode("utf-8", "surrogateescape"),
        encode=lambda text: separator.join(map(str, _bytes(text))),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class _Field(NamedTuple):
    path: tuple[str, ...]
    start: int
    end: int
    token: str


def _fields(line: str) -> Iterator[_Field]:
    """Yield the texts, numbers and words of a line of JSON, or of what is left of one."""
    path: list[str] = []
    held: re.Match[str] | None = None
    for token in _TOKEN.finditer(line):
        sign = token.group()
        if sign == ":":
            if path and held:
                path[-1] = held[1] or ""
            held = None
        elif sign not in ("{", "[", "}", "]", ","):
            held = token
        else:
            if held:
                yield _Field(tuple(path), *_inside(held), held.group())
                held = None
            _step(path, sign)
    if held:
        yield _Field(tuple(path), *_inside(held), held.group())


def _inside(token: re.Match[str]) -> tuple[int, int]:
    return token.span(1) if token[1] is not None else token.span()


def _step(path: list[str], sign: str) -> None:
    if sign in "{[":
        path.append("" if sign == "{" else "0")
    elif path and sign != ",":
        path.pop()
    elif path and path[-1].isdigit():
        path[-1] = str(int(path[-1]) + 1)


def may_have_pieces(line: str) -> bool:
    """Tell whether a line speaks of a delta, or the like."""
    return _SPEAKS.search(line) is not None


def pieces_of(line: str) -> Iterator[tuple[Piece, tuple[str, ...], Owner]]:
    """Yield the pieces of a line with what is the same in all lines of a stream, and its owner."""
    encoded = list(encoded_pieces(line))
    if not may_have_pieces(line):
        yield from ((piece, (), ()) for piece in encoded)
        return
    fields = [one for one in _fields(line) if one.path]
    owner = tuple(_as_written(one) for one in fields if _names_stream(one.path))
    sorts = tuple(_as_written(one) for one in fields if _NAMES_SORT.search(one.path[-1]))
    for piece in encoded:
        yield piece, ("(bytes)", *owner, *sorts), owner
    taken = {piece.start for piece in encoded}
    for one in fields:
        if one.token[:1] == '"' and one.start not in taken and _may_be_piece(one.path[-1]):
            view = unescaped(line, one.start, one.end)
            piece = Piece((one.start, one.end), view.text, view)
            yield piece, (*one.path, *owner, *sorts), owner


def _names_stream(path: tuple[str, ...]) -> bool:
    if path[-1] == "uuid" or (len(path) == 1 and path[0] in _FRAMES_OWN):
        return False
    return _NAMES_STREAM.search(path[-1]) is not None


def _as_written(field: _Field) -> str:
    return f'"{field.path[-1]}":{field.token}'


def _may_be_piece(name: str) -> bool:
    return not any(pattern.search(name) for pattern in (_NAMES_STREAM, _NAMES_SORT, _NO_PIECE))


class _Text:
    """Pieces that are one text."""

    def __init__(self, pieces: Sequence[Piece], separator: str) -> None:
        self._pieces = pieces
        sizes = (len(piece.text) + len(separator) for piece in pieces)
        self._starts = list(accumulate(sizes, initial=0))
        self.text = "".join(piece.text + separator for piece in pieces)

    def edit(self, finding: Finding, shift: int = 0) -> None:
        """Put the placeholder where a finding begins, and take away the rest of it.

        The finding's places are those in the text from `shift` on.
        """
        begin, end = finding.start + shift, finding.end + shift
        first = bisect_right(self._starts, max(begin, 0)) - 1
        for at in range(first, len(self._pieces)):
            place, piece = self._starts[at], self._pieces[at]
            if place >= end:
                break
            start, stop = max(begin - place, 0), min(end - place, len(piece.text))
            if start < stop:
                piece.edits.append(Edit(start, stop, finding, head=begin >= place))


class Stream:
    """Pieces of which each goes on where the one before ended, or holds it."""

    def __init__(self, owner: Owner = (), separator: str = "") -> None:
        self._owner = owner
        self._separator = separator
        self._pieces: list[Piece] = []
        self._before = ""  # the end of what was let go
        self._ended = False
        self._last: str | None = None
        self._grows = not separator
        self._grew = False

    def add(self, piece: Piece) -> None:
        """Take the next piece up."""
        piece.begins, self._ended = self._ended, False
        self._pieces.append(piece)
        if self._grows:
            if self._last:
                self._grows = piece.text.startswith(self._last)
                self._grew = self._grows
            self._last = piece.text if self._grows else None

    def is_ended_by(self, line: str) -> bool:
        """Tell whether a line without a piece of this stream has all that names it: it ends it.

        Where nothing names it, so does any other line that names something.
        """
        self._ended = all(part in line for part in self._owner) and (
            bool(self._owner) or _HAS_ID.search(line) is not None
        )
        return self._ended

    def settle(self, scan: Scan) -> None:
        """Find what is to be done to the pieces."""
        for piece in self._pieces:
            piece.edits = []
        if not self._pieces:
            return
        if self._grows and self._grew:  # each piece is the begin of the last one
            for finding in scan(self._pieces[-1].text):
                for piece in self._pieces:
                    _Text([piece], "").edit(finding)
            return
        texts = list(self._texts())
        found = [scan(text.text) for text in texts]
        for text, findings in zip(texts, found, strict=True):
            for finding in findings:
                text.edit(finding)
        for (left, right), findings in zip(pairwise(texts), found, strict=False):
            # What seems to have ended may go on, but not behind a whole secret.
            if not findings or findings[-1].end < len(left.text):
                _settle_border(left, right, scan)

    def _texts(self) -> Iterator[_Text]:
        """Part the pieces where a text ended; what was let go stands before the first."""
        text = [Piece((0, 0), self._before)]
        for piece in self._pieces:
            if piece.begins:
                yield _Text(text, self._separator)
                text = []
            text.append(piece)
        yield _Text(text, self._separator)

    def first_needed(self) -> Piece | None:
        """Return the first piece that what comes may still change."""
        size = 0
        first = None
        for piece in reversed(self._pieces):
            if size >= REACH:
                break
            first = piece
            size += len(piece.text)
        return first

    def let_go(self, gone: set[Piece]) -> None:
        """Forget the first pieces, all but their end."""
        for piece in self._pieces:
            if piece not in gone:
                break
            before = "" if piece.begins else self._before + self._separator
            self._before = (before + piece.text)[-REACH:]
        self._pieces = [piece for piece in self._pieces if piece not in gone]

    @property
    def waits(self) -> bool:
        """Whether there are pieces that were not let go."""
        return bool(self._pieces)


def _settle_border(left: _Text, right: _Text, scan: Scan) -> None:
    border = min(NEAR, len(left.text))
    if not border:
        return
    for finding in scan(left.text[-border:] + right.text[:NEAR]):
        if finding.start < border < finding.end:
            left.edit(finding, len(left.text) - border)
            right.edit(finding, -border)
