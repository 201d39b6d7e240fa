# SPDX-License-Identifier: Apache-2.0
"""The one pipeline: a source's bytes, to frames, to signals, to the facts of each run."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from agentframes import detection, engines
from agentframes.captures import open_folder
from agentframes.engines.support import clean_kind
from agentframes.errors import SessionFileError
from agentframes.facts.fold import Fold
from agentframes.facts.model import RunFacts
from agentframes.facts.runs import Runs
from agentframes.frames import FrameReader, Place
from agentframes.lazy import Lazy
from agentframes.lines import chunks, looks_like_content, open_path, read_text
from agentframes.signals import Damaged, Noise, Retyped, Signal, Unknown
from agentframes.types import Span, Transport

if TYPE_CHECKING:
    from agentframes.manifests import Manifest
    from agentframes.walk import Walk

ALIASES: dict[str, Transport] = {"stream-json": "jsonl"}
FRAMES_ASKED = 20  # frames of an unrecognized chunk that are held against session files


def read(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    drift: bool = False,
) -> RunFacts:
    """Read what a coding-agent CLI printed; the facts of the last run in it.

    Args:
        source: a path, a capture folder, bytes, text, a text or binary file, or lines. A string
            is a path unless it has several lines or begins as JSON.
        engine: the engine's name, where it need not be told from the frames.
        cli_version: the CLI's version, where the frames do not tell it.
        transport: how the engine printed, where it need not be told from the frames.
        stderr: what went to stderr (path, text, bytes or file); its last line becomes the
            message of a run that is incomplete.
        exit_code: the process's exit status, kept in `outcome`; it never makes a success.
        drift: hold every field against those of the captured versions, too; else only kinds and
            the fields that facts are made of.

    Raises:
        SourceError: the source cannot be read.
        SessionFileError: the source is a CLI's own session file.
        UnknownEngineError: `engine` names no reader.
    """
    options = (engine, cli_version, transport, stderr, exit_code)
    return _read(source, *options, WatchedStream if drift else Stream)[-1]


def read_all(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    drift: bool = False,
) -> list[RunFacts]:
    """Read every run in one source, in its order; arguments and errors as for `read`."""
    options = (engine, cli_version, transport, stderr, exit_code)
    return _read(source, *options, WatchedStream if drift else Stream)


def read_against(source: Any, manifest: Manifest) -> list[RunFacts]:
    """Read every run in one source, and hold its fields against a manifest of one's own."""
    stream_type = functools.partial(WatchedStream, manifest=manifest)
    return _read(source, None, None, None, None, None, stream_type)


def observe(source: Any) -> list[RunFacts]:
    """Read every run of a capture, and write down all that its frames hold in `seen`."""
    return _read(source, None, None, None, None, None, LearningStream)


def _read(  # noqa: PLR0917 - the options of `read`, passed on
    source: Any,
    engine: str | None,
    cli_version: str | None,
    transport: str | None,
    stderr: Any,
    exit_code: int | None,
    stream_type: Callable[..., Stream],
) -> list[RunFacts]:
    with ExitStack() as stack:
        label, written_ms, recorded = None, None, None
        if _is_path(source):
            label = os.fspath(source)
            path = label
            if os.path.isdir(path):
                folder = open_folder(path)
                path = folder.stdout
                engine = engine or folder.engine
                cli_version = cli_version or folder.version
                exit_code = folder.exit_code if exit_code is None else exit_code
                stderr = folder.stderr if stderr is None else stderr
                recorded = folder.transport
            source = stack.enter_context(open_path(path))
            written_ms = os.fstat(source.fileno()).st_mtime * 1000
        stream = stream_type(engine=engine, cli_version=cli_version, label=label)
        for chunk in chunks(source):
            stream.feed(chunk)
        words = None if stderr is None else read_text(stderr)
        runs = stream.close(exit_code=exit_code, stderr=words)
    for facts in runs:
        facts.source = label
        facts.runs = len(runs)
        told = transport or facts.transport or recorded
        facts.transport = ALIASES.get(told or "", told)
        if not hasattr(facts, "ended_ms") and written_ms is not None:
            facts.ended_ms = written_ms  # type: ignore[attr-defined]
    return runs


def _is_path(source: Any) -> bool:
    if isinstance(source, str):
        return not looks_like_content(source)
    return isinstance(source, os.PathLike)


class Stream:
    """Folds the chunks of one source; the sink of its frames.

    Until an engine is recognized, frames are only counted.
    """

    def __init__(
        self, *, engine: str | None = None, cli_version: str | None = None, label: str | None = None
    ) -> None:
        self._cli_version = cli_version
        self._label = label
        self._engine: engines.Engine | None = None
        self._interpreter: engines.Interpreter[Any] | None = None
        self._frames: FrameReader[Any] = FrameReader(_Nothing, self, detection.is_frame)
        self._told: list[_Told] = []
        self.runs = Runs()
        if engine is not None:
            self._enter(engines.get(engine))

    def _enter(self, engine: engines.Engine) -> None:
        self._engine = engine
        interpreter = engine.interpreter()(self.emit, full=False, cli_version=self._cli_version)
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
        self._frames.feed(chunk)

    def close(self, *, exit_code: int | None, stderr: str | None) -> list[RunFacts]:
        """End the source and return the facts of its runs; there is always one."""
        self._frames.close()
        if self._interpreter is not None:
            self._interpreter.close()
            stderr = stderr and self._interpreter.last_words(stderr)
        self._told.append(_Told.of(self._interpreter))
        results = []
        for fold, told in zip(self.runs.folds, self._told, strict=True):
            last = fold is self.runs.current
            facts = fold.facts(
                cut=last and self._frames.cut,
                exit_code=exit_code if last else None,
                stderr=stderr if last else None,
            )
            if self._engine is not None:
                facts.engine = self._engine.name
                facts.cli_version = fold.cli_version or self._cli_version
            told.complete(facts, fold)
            results.append(facts)
        return results

    def _refuse_session_file(self, chunk: bytes, asked: int) -> None:
        for frame, _ in itertools.islice(detection.first_frames(chunk), asked):
            for engine in engines.built_in():
                named = engine.signature.session_file(frame)
                if named is not None:
                    where = f"{self._label}: " if self._label else ""
                    raise SessionFileError(f"{where}{named}, not print-mode output")

    # --- the sink of the frames ------------------------------------------------------------------

    def frame(self, frame: Any, place: Place) -> None:
        """Count a frame and have it read."""
        interpreter = self._interpreter
        if interpreter is None:
            self.runs.unread()
            return
        self.runs.frame()
        interpreter.frame(frame, place)
        if place.changes:
            self._retyped(interpreter, frame, place)

    def _retyped(self, interpreter: engines.Interpreter[Any], frame: Any, place: Place) -> None:
        kind = clean_kind(interpreter.kinds(frame, place.raw())[0])
        for change in place.changes:
            self.emit(Retyped(at=place.span(), kind=kind, **change._asdict()))
        place.changes = []

    def damaged(self, span: Span, reason: str, /, *, lost: bool) -> None:
        """Take note of a damaged line."""
        self.emit(Damaged(at=span, kind="(damaged)", reason=reason, lost=lost))

    def noise(self, span: Span, text: str, /) -> None:
        """Take note of a line that is no frame."""
        self.emit(Noise(at=span, kind="(text)", text=text))

    def emit(self, signal: Signal) -> None:
        """Fold a signal in. An interpreter forgets a run only after it told another's begin."""
        if self.runs.take(signal):
            self._told.append(_Told.of(self._interpreter))


class WatchedStream(Stream):
    """Holds the fields of the frames against the manifest, too.

    What they hold is left beside the facts as `seen`, which is not on the wire.
    """

    learn = False

    def __init__(self, *, manifest: Manifest | None = None, **options: Any) -> None:
        self._manifest = manifest
        self._walk: Walk | None = None
        self._novel = False
        super().__init__(**options)

    def _enter(self, engine: engines.Engine) -> None:
        from agentframes import manifests
        from agentframes.walk import Walk

        super()._enter(engine)
        if self._manifest is None:
            self._manifest = manifests.of(engine)
        if self._manifest is not None:
            self._walk = Walk(self._manifest, learn=self.learn)

    def frame(self, frame: Any, place: Place) -> None:
        """Have a frame read, then write down what it holds."""
        self._novel = False
        super().frame(frame, place)
        if self._walk is None or self._interpreter is None:
            return
        raw = place.raw()
        kinds = [clean_kind(kind) for kind in self._interpreter.kinds(frame, raw)]
        value = Lazy(raw).decode()
        for fold in self.runs.open():
            self._walk.frame(fold.seen, kinds, value, place.line, novel=self._novel)

    def emit(self, signal: Signal) -> None:
        """Fold a signal in, and mind whether the frame at hand is known."""
        self._novel = self._novel or type(signal) is Unknown
        super().emit(signal)

    def close(self, *, exit_code: int | None, stderr: str | None) -> list[RunFacts]:
        """End the source and return the facts of its runs, the drift of their fields included."""
        from agentframes.drift import compare, merged

        runs = super().close(exit_code=exit_code, stderr=stderr)
        for facts, fold in zip(runs, self.runs.folds, strict=True):
            facts.seen = fold.seen  # type: ignore[attr-defined]
            if self._manifest is not None and not self.learn:
                found = compare(fold.seen, self._manifest, facts.cli_version)
                facts.drift = merged(facts.drift, found)
        return runs


class LearningStream(WatchedStream):
    """Writes down every field, known or not."""

    learn = True


class _Told(Struct):
    """What an interpreter knows of a run when it is over."""

    transport: str | None = None
    tool_calls: bool = False
    model_calls: bool = False
    subagents_model_calls: bool = False

    @classmethod
    def of(cls, interpreter: engines.Interpreter[Any] | None) -> _Told:
        if interpreter is None:
            return cls()
        return cls(
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
