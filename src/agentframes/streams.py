# SPDX-License-Identifier: Apache-2.0
"""One source's chunks, to frames, to signals, to the facts of each run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from agentframes import detection, engines
from agentframes.detection import CERTAIN
from agentframes.engines.support import clean_kind
from agentframes.errors import SessionFileError
from agentframes.facts.fold import Fold
from agentframes.facts.model import RunFacts, Stopped
from agentframes.facts.runs import Runs
from agentframes.frames import FrameReader, FrameSink, Place
from agentframes.signals import Damaged, Noise, Retyped, Signal, Stretch, Unknown
from agentframes.types import Span

_NOWHERE = Span(0, 0)
FRAMES_ASKED = 20  # frames of an unrecognized chunk that are held against session files


class Stream(FrameSink[Any]):
    """Folds the chunks of one source; the sink of its frames.

    Until an engine is recognized, frames are only counted. With `full`, every signal is told, not
    only those that facts are made of; the facts are the same. With `whole_text`, the final text by
    the native contract is kept where it is more than the answer.
    """

    def __init__(
        self,
        *,
        engine: str | None = None,
        cli_version: str | None = None,
        label: str | None = None,
        full: bool = False,
        whole_text: bool = False,
    ) -> None:
        self._full = full
        self._whole_text = whole_text
        self._cli_version = cli_version
        self._label = label
        self._engine: engines.Engine | None = None
        self._interpreter: engines.Interpreter[Any] | None = None
        self._frames: FrameReader[Any] = FrameReader(_Nothing, self, detection.is_frame)
        self._told: list[_Told] = []
        self._place: Place | None = None
        self._changed_at = 0
        self._forced = engine is not None
        self.runs = Runs()
        if engine is not None:
            self._enter(engines.get(engine))

    def _enter(self, engine: engines.Engine) -> None:
        self._engine = engine
        interpreter = engine.interpreter()(
            self.emit, full=self._full, cli_version=self._cli_version
        )
        interpreter.whole_text = self._whole_text
        self._interpreter = interpreter
        lines = self._frames.lines
        self._frames.close()
        self._frames = FrameReader(interpreter.frame_type, self, detection.is_frame)
        self._frames.lines = lines

    def feed(self, chunk: bytes) -> None:
        """Read the next chunk of whole lines."""
        if self._interpreter is None:
            engine = detection.recognize(chunk)
            # A session file may begin with a record of its own and go on like output (copilot).
            self._refuse_session_file(chunk, FRAMES_ASKED if engine is None else 1)
            if engine is not None:
                self._enter(engine)
        while chunk:
            held = self._frames.held()
            before, first = len(held), self._frames.lines + 1
            try:
                self._frames.feed(chunk)
            except _AnotherEngine as other:
                if other.line < first:  # in a document that was open
                    chunk, first = b"\n".join((*held[:before], chunk)), first - before
                chunk = chunk.split(b"\n", other.line - first)[-1]
                self._change(other.engine, other.line - 1)
            else:
                break

    def _finish(self) -> None:
        """Read what is held back at the end: it may be another engine's, too."""
        while True:
            held = self._frames.held()
            first = self._frames.lines - len(held) + 1
            try:
                self._frames.close()
            except _AnotherEngine as other:
                self._change(other.engine, other.line - 1)
                self.feed(b"\n".join(held[other.line - first :]))
            else:
                return

    def _change(self, engine: engines.Engine, lines: int) -> None:
        """Go on with another engine's run, which begins behind `lines`."""
        if self._interpreter is not None:
            self._interpreter.close()
        self.runs.frame_of_another()
        self._told.append(self._told_now())
        self._frames = FrameReader(_Nothing, self, detection.is_frame)
        self._frames.lines = lines
        self._changed_at = lines + 1
        self._enter(engine)

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None = None
    ) -> list[RunFacts]:
        """End the source and return the facts of its runs; there is always one."""
        self._finish()
        if self._interpreter is not None:
            self._interpreter.close()
        stderr = stderr and self._last_words(stderr)
        self._told.append(self._told_now())
        results = []
        for fold, told in zip(self.runs.folds, self._told, strict=True):
            last = fold is self.runs.current
            facts = fold.facts(
                cut=last and self._frames.cut,
                exit_code=exit_code if last else None,
                stderr=stderr if last else None,
                stopped=stopped if last else None,
            )
            if told.engine is not None:
                facts.engine = told.engine
                facts.cli_version = fold.cli_version or self._cli_version
            told.complete(facts, fold)
            results.append(facts)
        return results

    def _last_words(self, stderr: str) -> str:
        """Have the engine pick its words; with no frame to tell it, any engine's form will do."""
        if self._interpreter is not None:
            return self._interpreter.last_words(stderr)
        for engine in engines.built_in():
            words = engine.interpreter()(self.emit, full=False).last_words(stderr)
            if words != stderr:
                return words
        return stderr

    def _refuse_session_file(self, chunk: bytes, asked: int) -> None:
        for frame, _ in itertools.islice(detection.first_frames(chunk), asked):
            for engine in engines.built_in():
                named = engine.signature.session_file(frame)
                if named is not None:
                    where = f"{self._label}: " if self._label else ""
                    raise SessionFileError(f"{where}{named}, not print-mode output")

    # --- the sink of the frames ------------------------------------------------------------------

    def several(self, frames: Iterator[Any], place: Place) -> None:
        """Have frames read, those that only go on in one."""
        interpreter = self._interpreter
        if interpreter is None or interpreter.full:
            super().several(frames, place)
            return
        stretch = Stretch(at=_NOWHERE, kind="(several)")
        while True:
            try:
                frame = interpreter.routine(frames, stretch)
            finally:  # a line may not decode
                if stretch.frames:
                    place.line += stretch.frames
                    self.runs.frame(stretch.frames)
                    self.emit(stretch)
                    stretch = Stretch(at=_NOWHERE, kind="(several)")
            if frame is None:
                return
            self.frame(frame, place)
            place.line += 1

    def frame(self, frame: Any, place: Place) -> None:
        """Count a frame and have it read."""
        interpreter = self._interpreter
        if interpreter is None:
            self.runs.unread()
            return
        self.runs.frame()
        self._place = place
        interpreter.frame(frame, place)
        if place.changes:
            self._retyped(interpreter, frame, place)

    def _retyped(self, interpreter: engines.Interpreter[Any], frame: Any, place: Place) -> None:
        kind = clean_kind(interpreter.kinds(frame, place.raw())[0])
        for change in place.changes:
            self.emit(Retyped(at=place.span(), kind=kind, **change._asdict()))
        place.changes = []

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None:
        """Take note of a damaged line."""
        self.emit(
            Damaged(at=span, kind="(line)", reason=reason, lost=lost, broken_off=lost and not whole)
        )

    def noise(self, span: Span, text: str, /) -> None:
        """Take note of a line that is no frame."""
        self.emit(Noise(at=span, kind="(text)", text=text))

    def emit(self, signal: Signal) -> None:
        """Fold a signal in. An interpreter forgets a run only after it told another's begin."""
        if type(signal) is Unknown and not self._forced:
            self._look_elsewhere(signal)
        if self.runs.take(signal):
            self._told.append(self._told_now())

    def _look_elsewhere(self, signal: Unknown) -> None:
        """Where an unknown frame opens another engine's run, leave this one's reading for it."""
        at, place = signal.at, self._place
        if place is None or place.in_array or at.first != at.last or at.frame:
            return
        if at.first == self._changed_at:
            return  # two engines take it for theirs, and neither can read it
        frame = detection.raw_frame(place.raw())
        for engine in engines.built_in():
            if engine is not self._engine and engine.signature.recognize(frame) == CERTAIN:
                raise _AnotherEngine(engine, at.first)

    def _told_now(self) -> _Told:
        return _Told.of(self._interpreter, self._engine.name if self._engine else None)


class _AnotherEngine(Exception):  # noqa: N818 - a turn in the reading, no error
    """Frames of another engine begin."""

    def __init__(self, engine: engines.Engine, line: int) -> None:
        super().__init__()
        self.engine, self.line = engine, line


class _Told(Struct):
    """What an interpreter knows of a run when it is over."""

    engine: str | None = None
    transport: str | None = None
    tool_calls: bool = False
    model_calls: bool = False
    subagents_model_calls: bool = False

    @classmethod
    def of(cls, interpreter: engines.Interpreter[Any] | None, engine: str | None) -> _Told:
        if interpreter is None:
            return cls()
        return cls(
            engine=engine,
            transport=interpreter.transport,
            tool_calls=interpreter.tells_tool_calls,
            model_calls=interpreter.tells_model_calls,
            subagents_model_calls=interpreter.tells_subagents_model_calls,
        )

    def complete(self, facts: RunFacts, fold: Fold) -> None:
        """Add the transport, and where it shows no calls take what the engine itself counted."""
        read = facts.frames.known > 0
        if read:
            facts.transport = self.transport
        if not (read and self.tool_calls):
            facts.tool_calls = fold.told_tool_calls
        if not (read and self.model_calls and (self.subagents_model_calls or not fold.subagents)):
            facts.model_calls = fold.told_model_calls


class _Nothing(Struct):
    """Decodes no field."""
