# SPDX-License-Identifier: Apache-2.0
"""Chunks of lines to frames: one JSON object each, with its place.

Accepts JSON lines, one JSON document, an array of frames, documents printed over several lines,
and damaged lines. The common case, a chunk in which every line is exactly one object, is decoded
in one call; every other chunk goes line by line, and a line that does not decode gets a second
and a third try (`salvage`). Nothing here knows an engine, and nothing here raises on input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Raw, Struct

from agentframes.salvage import Change, lenient, plain_text, salvage, starts_as_json
from agentframes.types import Span

F = TypeVar("F", bound=Struct)
F_contra = TypeVar("F_contra", bound=Struct, contravariant=True)

_RAW_FRAMES = msgspec.json.Decoder(list[Raw])


class Place:
    """Where the frame at hand stands, and its bytes. One object serves a whole read.

    `changes` holds the fields whose type was not the declared one (second try); it is empty for
    almost every frame. `in_array` tells that the frame is an element of a JSON array.
    """

    __slots__ = (
        "_chunk", "_first", "_lines", "_raw", "changes", "in_array", "last", "line", "ordinal",
    )  # fmt: skip

    def __init__(self) -> None:
        self.line = self.last = 0
        self.ordinal = 0
        self.in_array = False
        self.changes: list[Change] = []
        self._raw: Any = None
        self._chunk = b""
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
            self._lines = self._chunk.split(b"\n")
        return self._lines[self.line - self._first]

    def enter_chunk(self, chunk: bytes, first: int) -> None:
        """Begin a chunk of which every line is one frame."""
        self._chunk, self._first = chunk, first
        self._lines = self._raw = None
        self.last = self.ordinal = 0

    def enter(self, raw: Any, span: Span, changes: list[Change]) -> None:
        """Step onto a frame that was read on its own."""
        self._raw, self.changes = raw, changes
        self.line, self.last, self.ordinal = span.first, span.last, span.frame


class FrameSink(Protocol[F_contra]):
    """Who is told what the lines held, in their order."""

    def frame(self, frame: F_contra, place: Place, /) -> None:
        """Take one frame; `place` is only valid during the call."""

    def damaged(self, span: Span, reason: str, /, *, lost: bool) -> None:
        """Take note of a line that could not be read as it stands; `lost`: not even in part."""

    def noise(self, span: Span, text: str, /) -> None:
        """Take a non-blank line that is no frame."""


class FrameReader(Generic[F]):
    """Feeds a sink with the frames of consecutive chunks, decoded as `frame_type`.

    `is_frame` tells a frame's JSON from other objects where a line holds more than a frame.
    After `close()`, `lines` is the number of lines, and `cut` tells that the input broke off
    inside a frame.
    """

    def __init__(
        self, frame_type: type[F], sink: FrameSink[F], is_frame: Callable[[bytes], bool]
    ) -> None:
        self._type = frame_type
        self._decoder = msgspec.json.Decoder(frame_type)
        self._sink = sink
        self._is_frame = is_frame
        self._place = Place()
        self._document: list[bytes] = []
        self.lines = 0
        self.cut = False

    def feed(self, chunk: bytes) -> None:
        """Read the next chunk: whole lines, but for the last chunk of a source."""
        if not self._document and self._feed_exact(chunk):
            return
        lines = chunk.split(b"\n")
        rest = lines.pop()
        for line in lines:
            self._feed_line(line, ended=True)
        if rest:
            self._feed_line(rest, ended=False)

    def close(self) -> None:
        """End the input: a document that was never closed is told as damage."""
        if self._document:
            held, self._document = self._document, []
            if not self._read_document(held):
                self._lose(held, self.lines)
                self.cut = True

    # A `}` and a `{` with only a line end between them cannot stand inside one JSON value, so
    # where there is one such pair less than lines, every line is exactly one object. The check
    # is needed because `decode_lines` does not mind where the lines are cut.
    def _feed_exact(self, chunk: bytes) -> bool:
        if not (chunk.startswith(b"{") and chunk.endswith(b"}\n")):
            return False
        count = chunk.count(b"\n")
        if chunk.count(b"}\n{") != count - 1:
            return False
        try:
            frames = self._decoder.decode_lines(chunk)
        except (msgspec.DecodeError, RecursionError):
            return False
        if len(frames) != count:
            return False
        place, take = self._place, self._sink.frame
        place.enter_chunk(chunk, self.lines + 1)
        for line, frame in enumerate(frames, self.lines + 1):
            place.line = line
            take(frame, place)
        self.lines += count
        return True

    def _feed_line(self, line: bytes, *, ended: bool) -> None:
        self.lines += 1
        if self._document and self._in_document(line):
            return
        body = line.strip()
        if not body:
            return
        span = Span(self.lines, self.lines)
        if body in (b"{", b"["):
            if ended:
                self._document = [line]
            else:
                self._lose([line], self.lines)
                self.cut = True
        elif body.startswith(b"{"):
            self._object(body, span, ended=ended)
        elif not (body.startswith(b"[{") and self._array(body, span)):
            self._other(body, span, ended=ended)

    def _object(self, body: bytes, span: Span, *, ended: bool = True) -> None:
        try:
            frame = self._decoder.decode(body)
        except msgspec.ValidationError:
            frame, changes = lenient(body, self._type)
            self._take(frame, body, span, changes)
        except (msgspec.DecodeError, RecursionError):
            self._other(body, span, ended=ended)
        else:
            self._take(frame, body, span, [])

    def _take(self, frame: F, raw: bytes, span: Span, changes: list[Change]) -> None:
        self._place.enter(raw, span, changes)
        self._sink.frame(frame, self._place)
        self._place.changes = []

    def _other(self, body: bytes, span: Span, *, ended: bool) -> None:
        """Read a line that is not simply a frame: text, damage, or a frame among either."""
        json_like = starts_as_json(body)
        if not json_like and b'{"' not in body:
            self._sink.noise(span, plain_text(body))
            return
        salvaged = salvage(body, self._is_frame)
        for ordinal, raw in enumerate(salvaged.frames):
            self._object_again(raw, Span(span.first, span.last, ordinal))
        if not salvaged.frames and not json_like:
            self._sink.noise(span, plain_text(body))
            return
        self._sink.damaged(span, salvaged.reason, lost=not salvaged.frames)
        if not ended and not salvaged.whole:
            self.cut = True

    def _object_again(self, raw: bytes, span: Span) -> None:
        frame, changes = lenient(raw, self._type)
        self._take(frame, raw, span, changes)

    def _array(self, body: bytes, span: Span) -> bool:
        """Read an array of frames, each with the lines it stands on."""
        try:
            items = [bytes(item) for item in _RAW_FRAMES.decode(body)]
        except (msgspec.DecodeError, RecursionError):
            return False
        if not items or not all(item.startswith(b"{") for item in items):
            return False
        position, line, ordinal = 0, span.first, -1
        self._place.in_array = True
        for raw in items:
            start = body.index(raw, position)
            begun = line + body.count(b"\n", position, start)
            ordinal = ordinal + 1 if begun == line else 0
            line = begun + raw.count(b"\n")
            position = start + len(raw)
            self._object(raw, Span(begun, line, ordinal))
        self._place.in_array = False
        return True

    # A document printed over several lines opens with a lone bracket and ends at the next line
    # that closes it in the first column; the lines between are indented. Anything else in the
    # first column tells that it was no document.
    def _in_document(self, line: bytes) -> bool:
        """Take a line as part of the open document; False where it has to be read on its own."""
        held = self._document
        if line[:1] in (b" ", b"\t", b"\r", b""):
            held.append(line)
            return True
        self._document = []
        if line.rstrip() in (b"}", b"]") and self._read_document([*held, line]):
            return True
        self._lose(held, self.lines - 1)
        return False

    def _read_document(self, held: list[bytes]) -> bool:
        body = b"\n".join(held).strip()
        span = Span(self.lines - len(held) + 1, self.lines)
        if body.startswith(b"["):
            return self._array(body, span)
        try:
            msgspec.json.decode(body, type=dict[str, Raw])
        except (msgspec.DecodeError, RecursionError):
            return False
        self._object(body, span)
        return True

    def _lose(self, held: list[bytes], last: int) -> None:
        self._sink.damaged(Span(last - len(held) + 1, last), "unfinished_document", lost=True)
