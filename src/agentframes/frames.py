# SPDX-License-Identifier: Apache-2.0
"""Chunks of lines to frames: one JSON object each, with its place.

Accepts JSON lines, one JSON document, an array of frames, documents printed over several lines,
and damaged lines. Lines that are one well-formed object each, as nearly all are, go to the sink
many at a time; a line that does not decode gets a second and a third try (`salvage`). Nothing
here knows an engine, and nothing here raises on input.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.lenient import Change
    from agentframes.salvage import Found

F = TypeVar("F", bound=Struct)
F_contra = TypeVar("F_contra", bound=Struct, contravariant=True)

PART_BYTES = 256 * 1024  # decoded at once: bounds what the frames of a large chunk take

_RAW_ITEMS = msgspec.json.Decoder(list[Raw])
_NOWHERE = Span(0, 0)


@functools.cache
def _third_try() -> Any:
    """Return the module `salvage`: sound output never needs it, and its patterns cost a start."""
    from agentframes import salvage

    return salvage


class Place:
    """Where the frame at hand stands, and its bytes. One object serves a whole read.

    `changes` holds the fields whose type was not the declared one (second try); it is empty for
    almost every frame. `in_array` tells that the frame is an element of a JSON array.
    """

    __slots__ = (
        "_first", "_lines", "_part", "_raw", "changes", "in_array", "last", "line", "ordinal",
    )  # fmt: skip

    def __init__(self) -> None:
        self.line = self.last = 0
        self.ordinal = 0
        self.in_array = False
        self.changes: list[Change] = []
        self._raw: Any = None
        self._part = b""
        self._first = 0
        self._lines: list[bytes] | None = None

    def span(self) -> Span:
        """Return the frame's lines and ordinal."""
        return Span(self.line, self.last or self.line, self.ordinal)

    def raw(self) -> Any:
        """Return the frame's JSON, as bytes or a view into its chunk."""
        if self._raw is not None:
            return self._raw
        if self._lines is None:
            self._lines = self._part.split(b"\n")
        return self._lines[self.line - self._first].strip()

    def enter_part(self, part: bytes, first: int) -> None:
        """Begin with lines of which those that are told by their number alone are a frame each."""
        self._part, self._first, self._lines = part, first, None

    def enter_line(self, line: int) -> None:
        """Step onto the first of several frames that stand on a line each."""
        self.line = line
        self.last = self.ordinal = 0
        self._raw = None

    def enter(self, raw: Any, span: Span, changes: list[Change]) -> None:
        """Step onto a frame that was read on its own."""
        self._raw, self.changes = raw, changes
        self.line, self.last, self.ordinal = span.first, span.last, span.frame

    def leave(self) -> None:
        """Let go of the bytes, so that a long line is not kept beside the next one."""
        self._part, self._lines, self._raw = b"", None, None


class FrameSink(Generic[F_contra]):
    """Who is told what the lines held, in their order."""

    def several(self, frames: Iterator[F_contra], place: Place, /) -> None:
        """Take frames of consecutive lines, one on each, and count `place.line` up with each.

        A frame is decoded when it is asked for; what that raises is for the caller.
        """
        for frame in frames:
            self.frame(frame, place)
            place.line += 1

    def frame(self, frame: F_contra, place: Place, /) -> None:
        """Take one frame; `place` is only valid during the call."""
        raise NotImplementedError

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None:
        """Take note of a line that could not be read as it stands.

        `lost` tells that not even a part was, `whole` that no frame broke off in it.
        """
        raise NotImplementedError

    def noise(self, span: Span, text: str, /) -> None:
        """Take a non-blank line that is no frame."""
        raise NotImplementedError


class FrameReader(Generic[F]):
    """Feeds a sink with the frames of consecutive chunks, decoded as `frame_type`.

    `frame_type` has a default for each field. `is_frame` tells a frame's JSON from other objects
    where a line holds more than a frame. After `close()`, `lines` is the number of lines, and
    `cut` tells that the input broke off inside a frame.
    """

    def __init__(
        self, frame_type: type[F], sink: FrameSink[F], is_frame: Callable[[bytes], bool]
    ) -> None:
        self._type = frame_type
        self._decoder = msgspec.json.Decoder(frame_type)
        self._sink = sink
        self._is_frame = is_frame
        self._place = Place()
        self._latest = _NOWHERE
        self._document: list[bytes] = []
        self.lines = 0
        self.cut = False

    def feed(self, chunk: bytes) -> None:
        """Read the next chunk: whole lines, but for the last chunk of a source."""
        begin = 0
        while begin < len(chunk):
            end = chunk.find(b"\n", begin + PART_BYTES) + 1 or len(chunk)
            self._feed(chunk[begin:end])
            begin = end
        self._place.leave()

    def held(self) -> list[bytes]:
        """Return the lines of a document that is open, the last ones that were read.

        Further lines are added to that list, until the document is closed.
        """
        return self._document

    def close(self) -> None:
        """End the input: a document that was never closed is read as far as it goes."""
        if self._document:
            held, self._document = self._document, []
            self._read_document(held, self.lines, ended=False)
        self._place.leave()

    def _feed(self, part: bytes) -> None:
        alone = part.find(b"\n") in {-1, len(part) - 1}
        lines = iter((part,) if alone else io.BytesIO(part))  # a long line is not copied
        self._place.enter_part(part, self.lines + 1)
        begin = 0  # of the next line, if it is not one well-formed frame
        while True:
            # What begins in another way is no frame, or needs the slow way to be one.
            if not self._document and part.startswith(b"{", begin):
                before = self.lines
                if self._feed_whole(lines):
                    return
                for _ in range(before, self.lines):
                    begin = part.index(b"\n", begin) + 1
            elif next(lines, None) is None:
                return
            if not self._document and part.startswith(b"\n", begin):
                self.lines, begin = self.lines + 1, begin + 1
                continue
            end = part.find(b"\n", begin)
            line = part[begin:] if end < 0 else part[begin:end]
            begin = end + 1
            self._feed_line(line, ended=end >= 0)

    def _feed_whole(self, lines: Iterator[bytes]) -> bool:
        """Read lines up to the first that is not one well-formed frame, which is used up, too.

        Return whether there was none. A frame is let go of before the next one is decoded.
        """
        place = self._place
        place.enter_line(self.lines + 1)
        try:
            self._sink.several(map(self._decoder.decode, lines), place)
        except (msgspec.DecodeError, RecursionError):
            return False
        finally:
            self.lines = place.line - 1
        return True

    def _feed_line(self, line: bytes, *, ended: bool) -> None:
        self.lines += 1
        if self._document and self._in_document(line):
            return
        body = line.strip()
        if body in (b"{", b"["):
            self._document = [line]
        elif body:
            self._read(body, self.lines, self.lines, ended=ended)

    def _read(self, body: bytes, first: int, last: int, *, ended: bool) -> None:
        """Read a line, or a document over several."""
        if body.startswith(b"{"):
            if self._object(body, first, last):
                return
        elif body.startswith(b"[") and self._array(body, first):
            return
        self._other(body, first, last, ended=ended)

    # --- one object, or an array of them ---------------------------------------------------------

    def _object(self, body: bytes, first: int, last: int) -> bool:
        """Read one object that is well formed; False where it is not."""
        changes: list[Change] = []
        try:
            frame = self._decoder.decode(body)
        except msgspec.ValidationError:
            try:
                body.decode()  # bad bytes are for the third try, which keeps the text around them
            except UnicodeDecodeError:
                return False
            told, changes = self._lenient(body)
            if told is None:  # it breaks off, or is too deep, behind the odd field
                return False
            frame = told
        except (msgspec.DecodeError, RecursionError):
            return False
        self._take(frame, body, first, last, changes)
        return True

    def _take(self, frame: F, raw: bytes, first: int, last: int, changes: list[Change]) -> None:
        ordinal = self._latest.frame + 1 if self._latest.first == first else 0
        self._latest = Span(first, last, ordinal)
        self._place.enter(raw, self._latest, changes)
        self._sink.frame(frame, self._place)
        self._place.changes = []

    def _array(self, body: bytes, first: int) -> bool:
        """Read an array of frames, each with the lines it stands on; False where it is none."""
        try:
            items = _RAW_ITEMS.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return False
        if not items or not bytes(items[0]).startswith(b"{"):
            self._text(body, first)
            return True
        position, line = 0, first
        self._place.in_array = True
        for item in items:
            raw = bytes(item)
            start = body.index(raw, position)
            line += body.count(b"\n", position, start)
            last = line + raw.count(b"\n")
            if not raw.startswith(b"{"):
                self._sink.damaged(Span(line, last), "not_an_object", lost=False, whole=True)
            elif not self._object(raw, line, last):
                self._other(raw, line, last, ended=True)
            position, line = start + len(raw), last
        self._place.in_array = False
        return True

    # --- text and damage -------------------------------------------------------------------------

    def _other(self, body: bytes, first: int, last: int, *, ended: bool) -> None:
        """Read what is not simply a frame: text, damage, or a frame among either."""
        if body in (b"{", b"["):
            self._sink.damaged(Span(first, first), "unfinished", lost=True, whole=False)
            self.cut = self.cut or not ended
            return
        json_like = last > first or _third_try().starts_as_json(body)
        if not json_like and b'{"' not in body:
            self._text(body, first)
            return
        salvaged = _third_try().salvage(body, self._is_frame)
        taken = 0
        within = self._place.in_array
        self._place.in_array = within or (json_like and body.startswith(b"["))
        for found in salvaged.frames:
            taken += self._take_again(found, first)
        self._place.in_array = within
        if not taken and not json_like:
            self._text(body, first)
            return
        self._sink.damaged(Span(first, last), salvaged.reason, lost=not taken, whole=salvaged.whole)
        self.cut = self.cut or not (ended or salvaged.whole)

    def _take_again(self, found: Found, first: int) -> bool:
        frame, changes = self._lenient(found.raw)
        if frame is not None:
            self._take(frame, found.raw, first + found.first, first + found.last, changes)
        return frame is not None

    def _lenient(self, raw: bytes) -> tuple[F | None, list[Change]]:
        from agentframes.lenient import lenient  # sound output never needs it

        return lenient(raw, self._type)

    def _text(self, body: bytes, first: int) -> None:
        for number, line in enumerate(body.split(b"\n"), first):
            text = _third_try().plain_text(line)
            if text:
                self._sink.noise(Span(number, number), text)

    # --- documents -------------------------------------------------------------------------------

    # A document printed over several lines opens with a lone bracket and ends at the next line
    # that closes it in the first column; the lines between are indented. Anything else in the
    # first column tells that it was no document, or that it broke off.
    def _in_document(self, line: bytes) -> bool:
        """Take a line as part of the open document; False where it has to be read on its own."""
        held = self._document
        if line[:1] in (b" ", b"\t", b"\r", b""):
            held.append(line)
            return True
        self._document = []
        if line.rstrip() in (b"}", b"]", b"},", b"],"):
            self._read_document([*held, line], self.lines, ended=True)
            return True
        self._read_document(held, self.lines - 1, ended=True)
        return False

    def _read_document(self, held: list[bytes], last: int, *, ended: bool) -> None:
        first = last - len(held) + 1
        body = b"\n".join(held).strip()
        self._read(body, first, first + body.count(b"\n"), ended=ended)
