# SPDX-License-Identifier: Apache-2.0
"""Which engine printed this? Told from the frames themselves, or not at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw, Struct

from agentframes import engines
from agentframes.engines.support import RawFrame
from agentframes.frames import FrameReader, FrameSink, Place
from agentframes.lines import chunks
from agentframes.types import Detection, Span, Transport

CERTAIN = 2
SHORT = 64  # bytes
MAX_FRAMES = 5000
"""Frames looked at in one chunk before it is given up as nobody's."""

_ONE_LEVEL = msgspec.json.Decoder(dict[str, Raw])


def raw_frame(raw: object) -> RawFrame:
    """Decode a frame one level deep; nothing where it cannot be."""
    try:
        return _ONE_LEVEL.decode(raw)  # type: ignore[arg-type]
    except (msgspec.DecodeError, RecursionError):
        return {}


def is_frame(raw: bytes) -> bool:
    """Tell whether an object can only be a frame of some built-in engine."""
    frame = raw_frame(raw)
    return any(engine.signature.recognize(frame) == CERTAIN for engine in engines.built_in())


def recognize(chunk: bytes) -> engines.Engine | None:
    """Return the engine that the first certain frame of a chunk names, else the only possible one.

    Engines of other distributions are asked only where no built-in one answers.
    """
    seen: list[RawFrame] = []
    frames = itertools.islice((frame for frame, _ in first_frames(chunk)), MAX_FRAMES)
    engine, doubt = _certain(_kept(frames, seen), list(engines.built_in()))
    if engine is None and not doubt and seen:
        engine, _ = _certain(seen, list(engines.registered()))
    return engine


def certain(printed: bytes, last: int) -> bool:
    """Tell whether the last bytes of what was printed hold a frame that can only be one engine's.

    A document that they close is looked at whole.
    """
    begin = len(printed) - last
    if printed.startswith((b"}", b"]"), begin):
        begin = 0
    return any(
        engine.signature.recognize(frame) == CERTAIN
        for frame, _ in first_frames(printed[begin:])
        for engine in engines.built_in()
    )


def _kept(frames: Iterable[RawFrame], seen: list[RawFrame]) -> Iterator[RawFrame]:
    for frame in frames:
        seen.append(frame)
        yield frame


def _certain(
    frames: Iterable[RawFrame], known: list[engines.Engine]
) -> tuple[engines.Engine | None, bool]:
    """Return the engine, and whether several were possible and none certain."""
    possible: dict[str, engines.Engine] = {}
    for frame in frames:
        for engine in known:
            certainty = engine.signature.recognize(frame)
            if certainty == CERTAIN:
                return engine, False
            if certainty:
                possible[engine.name] = engine
    if len(possible) == 1:
        return next(iter(possible.values())), False
    return None, bool(possible)


def detect(raw: object) -> Detection | None:
    """Tell the engine, version and transport of printed output; None rather than a guess."""
    for chunk in chunks(b"" if raw is None else raw):
        engine = recognize(chunk)
        if engine is not None:
            return _describe(engine, chunk)
    return None


def _describe(engine: engines.Engine, chunk: bytes) -> Detection:
    signature = engine.signature
    version: str | None = None
    transport: Transport | None = None
    for frame, in_array in itertools.islice(first_frames(chunk), MAX_FRAMES):
        if not signature.recognize(frame):
            continue
        if transport is None:
            transport = "json-array" if in_array else signature.transport(frame)
        version = signature.cli_version(frame)
        if version:
            break
    return Detection(engine=engine.name, cli_version=version, transport=transport or "jsonl")


def first_frames(chunk: bytes) -> Iterator[tuple[RawFrame, bool]]:
    """Yield a chunk's frames, one level deep, and whether each is an element of an array."""
    collector = _Collector()
    reader = FrameReader(_Nothing, collector, is_frame)
    begin = step = 0
    while begin < len(chunk):  # a line at first, and more and more: mostly the first tells
        end = chunk.find(b"\n", min(begin + step, len(chunk) - 1)) + 1 or len(chunk)
        reader.feed(chunk[begin:end])
        begin, step = end, 2 * step + SHORT
        yield from collector.taken()
    reader.close()
    yield from collector.taken()


class _Nothing(Struct):
    """Decodes no field: the bytes are what is wanted."""


class _Collector(FrameSink[_Nothing]):
    """A sink that keeps frames as they stand."""

    def __init__(self) -> None:
        self._frames: list[tuple[RawFrame, bool]] = []

    def taken(self) -> list[tuple[RawFrame, bool]]:
        frames, self._frames = self._frames, []
        return frames

    def frame(self, _: _Nothing, place: Place) -> None:
        self._frames.append((raw_frame(place.raw()), place.in_array))

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None: ...

    def noise(self, span: Span, text: str, /) -> None: ...
