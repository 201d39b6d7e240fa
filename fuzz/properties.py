# SPDX-License-Identifier: Apache-2.0
"""What must hold of any bytes, whatever they are: the properties that the fuzzer tries to break.

Every input is read at once, and those facts are judged; then they are held against what one other
door makes of the same bytes. The input's checksum picks the door, so that an input is a file as a
CLI might have printed it and nothing else, and a single execution stays short.
"""

from __future__ import annotations

import io
import re
import traceback
import zlib
from collections.abc import Callable, Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

import agentframes as af
from agentframes.errors import SourceError
from agentframes.lines import BOM, chunks
from agentframes.streams import Stream
from fuzz.successes import ENGINES, may_end_well

SCHEMA = {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}}
_DEEP = re.compile(rb"(?:[\[{][^\[\]{}]*+){400}")
PACKAGE = str(Path(af.__file__).parent)

Told = list[af.RunFacts] | str
"""The facts of each run, or the one documented error that bytes may bring about."""


class BrokenError(Exception):
    """A property that does not hold: its name, then what differs."""

    def __init__(self, name: str, detail: str = "") -> None:
        self.name = name
        super().__init__(f"{name}: {detail}" if detail else name)


def check(printed: bytes) -> None:
    """Hold one input against the readers: the facts, and one door of many.

    Raises:
        BrokenError: a property does not hold. Any other exception is one that a reader raised.
    """
    number = zlib.crc32(printed)
    told = judged(lambda: af.read_all(printed), printed)
    if _DEEP.search(printed):  # how deep is read depends on the caller's stack, so on the door
        return
    DOORS[number % len(DOORS)](printed, told, number // len(DOORS))


def check_all(printed: bytes) -> None:
    """Hold one input against every door, with every engine."""
    told = judged(lambda: af.read_all(printed), printed)
    for door in DOORS:
        for number in range(2 * len(ENGINES)):  # each engine, with everything told and without
            door(printed, told, number)


def signature(error: Exception) -> str:
    """Name a find, so that it is told once however often it comes: what broke, and where."""
    if isinstance(error, BrokenError):
        return error.name
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    where = f"{Path(own[-1].filename).stem}.{own[-1].name}" if own else "outside"
    return f"raised {type(error).__name__} in {where}"


# --- the facts themselves ------------------------------------------------------------------------


def judged(reading: Callable[[], list[af.RunFacts]], printed: bytes) -> Told:
    """Read, and check what must hold of any facts."""
    try:
        runs = reading()
    except SourceError as error:
        return f"{type(error).__name__}: {error}"
    if not runs:
        raise BrokenError("no run")
    for facts in runs:
        _own_word(facts, printed)
        _counts(facts)
    if msgspec.json.decode(msgspec.json.encode(runs), type=list[af.RunFacts]) != runs:
        raise BrokenError("facts are not what their JSON says")
    return runs


def _own_word(facts: af.RunFacts, printed: bytes) -> None:
    """Refuse a success of which no frame speaks, or none on the line that is named."""
    if facts.outcome.status != "success":
        return
    engine, line = facts.engine, facts.outcome.line
    if engine is None or line is None or not may_end_well(printed, engine, line):
        raise BrokenError(f"success without a terminal frame: {engine}", f"told on line {line}")


def _counts(facts: af.RunFacts) -> None:
    frames = facts.frames
    if frames.known + frames.unknown != frames.total or min(msgspec.structs.astuple(frames)) < 0:
        raise BrokenError("frames do not add up", repr(frames))
    if facts.final_text == "" or (facts.final_text is None) != (facts.final_text_source is None):
        raise BrokenError("final text and source", repr(facts.final_text_source))


def _same(name: str, one: Told, other: Told) -> None:
    if one == other:
        return
    if isinstance(one, str) or isinstance(other, str):
        raise BrokenError(name, f"{one!s:.80} against {other!s:.80}")
    if len(one) != len(other):
        raise BrokenError(name, f"{len(one)} runs against {len(other)}")
    for left, right in zip(one, other, strict=True):
        for field in left.__struct_fields__:
            told, otherwise = getattr(left, field), getattr(right, field)
            if told != otherwise:  # another field is another find
                raise BrokenError(f"{name}: {field}", f"{told!r:.300} against {otherwise!r:.300}")


# --- the doors: the same bytes, taken another way ------------------------------------------------


def _by_lines(printed: bytes, told: Told, _: int) -> None:
    lines = printed.split(b"\n")
    _same("lines without ends", told, judged(lambda: af.read_all(lines), printed))
    kept = [*(line + b"\n" for line in lines[:-1]), lines[-1]]
    _same("lines with ends", told, judged(lambda: af.read_all(kept), printed))


class _Trickle(io.BytesIO):
    """A file that gives a few bytes at a time, as a pipe may."""

    size = 1

    def read(self, _: int | None = None, /) -> bytes:
        return super().read(self.size)


def _by_pieces(printed: bytes, told: Told, number: int) -> None:
    file = _Trickle(printed)
    file.size = 1 + number % 97
    _same("small pieces", told, judged(lambda: af.read_all(file), printed))


def _as_text(printed: bytes, told: Told, _: int) -> None:
    if b"\n" in printed:  # else it may be taken for a path
        text = printed.decode("utf-8", "surrogateescape")
        _same("text", told, judged(lambda: af.read_all(text), printed))


def _last_run(printed: bytes, told: Told, _: int) -> None:
    last = judged(lambda: [af.read(printed)], printed)
    _same("the last run alone", told if isinstance(told, str) else told[-1:], last)


def _with_drift(printed: bytes, told: Told, _: int) -> None:
    watched = judged(lambda: af.read_all(printed, drift=True), printed)
    if isinstance(told, list) and isinstance(watched, list):
        for plain, facts in zip(told, watched, strict=False):
            facts.drift = plain.drift
    _same("drift=True", told, watched)


def _streamed(pieces: Iterable[bytes], printed: bytes, engine: str | None, *, full: bool) -> Told:
    def read() -> list[af.RunFacts]:
        stream = Stream(engine=engine, full=full)
        for piece in pieces:
            stream.feed(piece)
        return stream.close(exit_code=None, stderr=None)

    return judged(read, printed)


def _full(printed: bytes, _: Told, number: int) -> None:
    whole = list(chunks(printed))
    for engine in (None, ENGINES[number % len(ENGINES)]):
        plain = _streamed(whole, printed, engine, full=False)
        _same("full=True", plain, _streamed(whole, printed, engine, full=True))


def _line_by_line(printed: bytes, _: Told, number: int) -> None:
    """Feed single lines. The engine is given: how much is seen at once may tell another one."""
    engine, full = ENGINES[number % len(ENGINES)], bool(number % 2)
    whole = b"".join(chunks(printed))
    at_once = _streamed([whole], printed, engine, full=full)
    _same("line by line", at_once, _streamed(_lines(whole), printed, engine, full=full))


def _lines(whole: bytes) -> list[bytes]:
    ended = [line + b"\n" for line in whole.split(b"\n")]
    ended[-1] = ended[-1][:-1]
    return [line for line in ended if line]


def _forced(printed: bytes, told: Told, number: int) -> None:
    engine = ENGINES[number % len(ENGINES)]
    forced = judged(lambda: af.read_all(printed, engine=engine), printed)
    if isinstance(told, list) and {facts.engine for facts in told} == {engine}:
        _same("its own engine given", told, forced)


def _native(printed: bytes, _: Told, number: int) -> None:
    engine = ENGINES[number % len(ENGINES)]
    resources = af.parse_engine_resources(engine, printed)
    text = af.parse_engine_final_text(engine, printed)
    session = af.parse_engine_session_id(engine, printed)
    msgspec.json.encode([resources, text, session, af.parse_session_id(printed)])
    if text == "":
        raise BrokenError("an empty final text")
    facts = judged(lambda: af.read_all(printed, engine=engine), printed)
    if resources is None or isinstance(facts, str):
        return
    own, last = resources, facts[-1]
    if (own.cost_usd, own.wall_seconds) != (last.resources.cost_usd, last.resources.wall_seconds):
        raise BrokenError("native resources", f"{own} against {last.resources}")
    if session != last.session_id:
        raise BrokenError("native session", f"{session!r} against {last.session_id!r}")


def _summary(printed: bytes, _: Told, number: int) -> None:
    engine = [None, *ENGINES][number % (len(ENGINES) + 1)]
    free = af.extract_summary(printed, engine=engine)
    held = af.extract_summary(printed, engine=engine, schema=SCHEMA)
    if (free.status == "missing") != (held.status == "missing") or free.source != held.source:
        raise BrokenError("a schema changes what is found", f"{free} against {held}")


def _inspected(printed: bytes, _: Told, number: int) -> None:
    source = af.FrameSource(ENGINES[number % len(ENGINES)])
    for line in printed.split(b"\n"):
        seen = [af.inspect_frame(line), af.inspect_frame(line, source)]
        for inspection in seen:
            if inspection is not None and not inspection.known and inspection.family is not None:
                raise BrokenError("an unknown frame with a family", inspection.kind)


def _detected(printed: bytes, told: Told, _: int) -> None:
    found = af.detect(printed)
    if isinstance(told, list) and (found.engine if found else None) != told[0].engine:
        raise BrokenError("detect", f"{found} against {told[0].engine}")


def _conversation(printed: bytes, _: Told, number: int) -> None:
    """Events change no facts, have ids of their own, and are the same line by line."""
    engine = [None, *ENGINES][number % (len(ENGINES) + 1)]
    plain = judged(lambda: af.read_all(printed, engine=engine), printed)
    runs = judged(lambda: af.read_all(printed, engine=engine, events=True), printed)
    _same("events=True", plain, runs)
    if isinstance(runs, str):
        return
    at_once = [event for facts in runs for event in facts.events]
    if len({event.id for event in at_once}) < len(at_once):
        raise BrokenError("an event's id is given twice")
    if any(event.open for event in at_once):
        raise BrokenError("an event is open at the end")
    reader = af.Reader(None if engine is None else af.FrameSource(engine))
    rows: dict[str, af.ConversationEvent] = {}
    whole = b"".join(chunks(printed))
    if whole.startswith(BOM):
        return  # a second byte order mark: a Reader would take it for the first
    for line in whole.split(b"\n"):
        rows.update((event.id, event) for event in reader.feed(line))
    reader.close()
    rows.update((event.id, event) for event in reader.rest)
    for one, other in zip_longest(at_once, rows.values()):
        if one is None or other is None or one.to_json() != other.to_json():
            raise BrokenError("events line by line", f"{one!r:.300} against {other!r:.300}")


DOORS: tuple[Callable[[bytes, Any, int], None], ...] = (
    _by_lines, _by_pieces, _as_text, _last_run, _with_drift, _full, _line_by_line, _forced,
    _native, _summary, _inspected, _detected, _conversation, _conversation,
)  # fmt: skip
