# SPDX-License-Identifier: Apache-2.0
"""The ways to read the same bytes, of which none may show in the facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec

import agentframes as af
from agentframes import detection, engines
from agentframes import frames as frames_module
from agentframes import lines as lines_module
from agentframes.conversation import EventStream
from agentframes.events.model import Content, ConversationEvent
from agentframes.facts.model import RunFacts
from agentframes.lazy import Lazy
from agentframes.lines import chunks
from agentframes.reading import _Options, _read
from agentframes.signals import Signal
from agentframes.streams import Stream
from agentframes.watching import WatchedStream
from tests.mutations import frame_spans, may_succeed, success_ends

Runs = list[dict[str, Any]]


class Find(NamedTuple):
    """Something that must not be: what, and in which words it shows."""

    what: str
    words: str


class Pipe:
    """A file of which each read returns as much as it happens to have."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes
        self._turn = self._at = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them."""
        self._turn += 1
        begin = self._at
        self._at += min(size, self._sizes[self._turn % len(self._sizes)])
        return self._data[begin : self._at]


def plain(runs: list[RunFacts]) -> Runs:
    """Return all of the facts as plain values, and when the run ended, which is beside them."""
    return [
        msgspec.to_builtins(facts) | {"ended_ms": getattr(facts, "ended_ms", None)}
        for facts in runs
    ]


def at_once(source: Any, engine: str | None = None) -> Runs:
    """Read a source as everybody does."""
    return plain(af.read_all(source, engine=engine))


def with_all_signals(data: bytes) -> Runs:
    """Read with the signals told that facts are not made of, and events made of them."""
    return _by(EventStream, data)


def watched(data: bytes) -> Runs:
    """Read with every field held against the manifest."""
    return _by(WatchedStream, data)


def _by(stream_type: Callable[..., Stream], data: bytes) -> Runs:
    return plain(_read(data, _Options(), stream_type))


def in_parts(data: bytes, size: int) -> Runs:
    """Read in parts of frames of `size` bytes; with 1 every line is decoded on its own."""
    with patch.object(frames_module, "PART_BYTES", size):
        return at_once(data)


def in_chunks(source: Any, size: int, engine: str | None = None) -> Runs:
    """Read in chunks of whole lines, and parts of frames, of `size` bytes."""
    with (
        patch.object(lines_module, "CHUNK_BYTES", size),
        patch.object(frames_module, "PART_BYTES", size),
    ):
        return at_once(source, engine)


def head(data: bytes) -> int:
    """Return how many bytes tell the engine for certain.

    In a shorter chunk the engine is told by less, so that frames before go unread.
    """
    if data.startswith((b"{\n", b"{\r\n", b"[\n", b"[\r\n")):
        return len(data)
    end = 0
    while end < len(data):
        end = data.find(b"\n", end) + 1 or len(data)
        frames = [frame for frame, _ in detection.first_frames(data[:end])]
        known = [engine.signature.recognize(frame) for frame in frames for engine in _ENGINES]
        if detection.CERTAIN in known:
            return end
    return len(data)


_ENGINES = tuple(engines.built_in())


def other_doors(data: bytes, engine: str) -> None:
    """Go through the functions that take what was printed; none may raise."""
    af.detect(data)
    af.parse_session_id(data)
    af.parse_engine_session_id(engine, data)
    af.parse_engine_resources(engine, data)
    af.parse_engine_final_text(engine, data)
    af.extract_summary(data, engine=engine, schema={"type": "object"})
    for line in data.split(b"\n")[:3]:
        af.inspect_frame(line)


# --- signals -------------------------------------------------------------------------------------


class _Told(Stream):
    """Writes down every signal as plain values."""

    def __init__(self, **options: Any) -> None:
        self.rows: list[Any] = []
        super().__init__(**options)

    def emit(self, signal: Signal) -> None:
        self.rows.append((type(signal).__name__, msgspec.to_builtins(signal, enc_hook=_verbatim)))
        super().emit(signal)


def _verbatim(value: Any) -> Any:
    if isinstance(value, Lazy):
        return bytes(value.raw)
    raise NotImplementedError(type(value))


def signals(data: bytes, size: int) -> list[Any]:
    """Return every signal that is told of some bytes, read in parts of `size` bytes."""
    stream = _Told(full=True)
    with patch.object(frames_module, "PART_BYTES", size):
        for chunk in chunks(data):
            stream.feed(chunk)
    stream.close(exit_code=None, stderr=None)
    return stream.rows


# --- events --------------------------------------------------------------------------------------

Rows = list[dict[str, Any]]


def events(data: bytes) -> Rows:
    """Return the events of all runs, made at once."""
    return _rows(event for run in af.read_all(data, events=True) for event in run.events)


def events_by_lines(data: bytes, engine: str | None = None) -> Rows:
    """Return the events of lines that are fed one by one, each replaced by its last telling."""
    reader = af.Reader(None if engine is None else af.FrameSource(engine))
    rows: dict[str, ConversationEvent] = {}
    for line in b"".join(chunks(data)).split(b"\n"):  # a Reader's lines are decoded
        for event in reader.feed(line):
            assert event.id not in rows or event.revision > rows[event.id].revision
            rows[event.id] = event
    reader.close()
    rows.update((event.id, event) for event in reader.rest)
    return _rows(rows.values())


def events_in_pieces(data: bytes, size: int) -> Rows:
    """Return the events of a stream that is read in chunks of `size` bytes and a line end."""
    with patch.object(lines_module, "CHUNK_BYTES", size):
        rows = {event.id: event for event in af.stream(data)}
    return _rows(rows.values())


def _rows(told: Iterable[ConversationEvent]) -> Rows:
    return [msgspec.to_builtins(event, enc_hook=_nothing) for event in told]


def _nothing(value: Any) -> None:
    assert isinstance(value, Content)  # the body tells it


# --- what must hold ------------------------------------------------------------------------------


def false_successes(runs: Runs, data: bytes) -> Iterator[Find]:
    """Yield each success that no terminal frame on its line bears out."""
    for run in runs:
        outcome = run["outcome"]
        if outcome["status"] == "success":
            engine, line = run["engine"], outcome["line"]
            if engine is None or not may_succeed(engine, data, line):
                yield Find("false success", f"{engine} says so on line {line}")


class Cuts:
    """What must hold for a capture that is cut off anywhere; what it needs to know is kept."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._spans = frame_spans(data)
        self._ends: dict[str, dict[int, int]] = {}

    def false_successes(self, runs: list[RunFacts], at: int) -> Iterator[Find]:
        """Yield each success whose frame is not there, or behind which a frame is cut off."""
        for run in runs:
            engine, line = run.engine, run.outcome.line
            if run.outcome.status != "success":
                continue
            if engine is None or line is None or self._end(engine, line) > at:
                yield Find("false success", f"{engine} says so on line {line}")
            elif run is runs[-1] and any(begin < at < end for begin, end in self._spans):
                yield Find("false success", f"line {line} says so, and the last frame is cut")

    def _end(self, engine: str, line: int) -> int:
        if engine not in self._ends:
            self._ends[engine] = success_ends(engine, self._data)
        return self._ends[engine].get(line, len(self._data) + 1)


def disagreements(runs: Runs, data: bytes, sizes: list[int], engine: str) -> Iterator[Find]:
    """Yield each way of reading that tells other facts than `runs`, what `at_once` told."""
    yield from _differing("full", runs, with_all_signals(data))
    yield from _differing("watched", _no_drift(runs), _no_drift(watched(data)))
    for size in (1, *sizes):
        yield from _differing("lines", runs, in_parts(data, size))
    yield from _differing("signals", signals(data, len(data) + 1), signals(data, 1))
    rows = events(data)
    yield from _ids(rows)
    yield from _differing("events", rows, events_by_lines(data))
    beyond = head(data)
    yield from _differing("events", rows, events_in_pieces(data, beyond + sizes[0]))
    for size in sizes:
        pipe = Pipe(data, [size, 1, size])
        yield from _differing("chunks", runs, in_chunks(pipe, beyond + size))
    forced = at_once(data, engine)
    yield from _differing("chunks", forced, in_chunks(data.split(b"\n"), max(sizes[0], 4), engine))


def _ids(rows: Rows) -> Iterator[Find]:
    """Yield what is wrong with events in themselves: an id given twice, one that stays open."""
    ids = [row["id"] for row in rows]
    if len(set(ids)) < len(ids):
        yield Find("events", f"an id is given twice: {[one for one in ids if ids.count(one) > 1]}")
    if any(row.get("open") for row in rows):
        yield Find("events", "an event is open at the end")


def _no_drift(runs: Runs) -> Runs:
    return [run | {"drift": None} for run in runs]


def _differing(what: str, one: Any, other: Any) -> Iterator[Find]:
    if one == other:
        return
    if len(one) != len(other):
        yield Find(what, f"{len(one)} against {len(other)}")
        return
    for number, (left, right) in enumerate(zip(one, other, strict=True)):
        if isinstance(left, dict) and left != right:
            names = [name for name in left if left[name] != right[name]]
            told = "; ".join(f"{name} {left[name]!r} against {right[name]!r}" for name in names)
            yield Find(what, f"run {number}: {told}"[:600])
        elif left != right:
            yield Find(what, f"row {number}: {left!r} against {right!r}"[:600])
