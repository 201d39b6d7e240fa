# SPDX-License-Identifier: Apache-2.0
"""Drives an engine's interpreter over a capture, or over frames, and keeps its signals."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from agentframes import detection, engines
from agentframes.captures import open_folder
from agentframes.engines import Interpreter
from agentframes.facts.fold import Fold
from agentframes.frames import FrameReader, FrameSink, Place
from agentframes.lazy import Lazy
from agentframes.lines import chunks, open_path
from agentframes.signals import Begin, Retyped, Signal
from agentframes.types import Span
from tests.frames import CORPUS

S = TypeVar("S", bound=Signal)


class Sink(FrameSink[Any]):
    """Keeps every signal, each frame's kinds, and how many signals each frame gave."""

    def __init__(self, engine: str, *, full: bool, cli_version: str | None = None) -> None:
        self.signals: list[Signal] = []
        self.kinds: list[list[str]] = []
        self.frames = 0
        self.interpreter: Interpreter[Any] = engines.get(engine).interpreter()(
            self.signals.append, full=full, cli_version=cli_version
        )
        self.interpreter.whole_text = True

    def frame(self, frame: Any, place: Place, /) -> None:
        """Have a frame read, and fields of another type told as the pipeline tells them."""
        self.frames += 1
        self.interpreter.frame(frame, place)
        kinds = self.interpreter.kinds(frame, place.raw())
        self.kinds.append(kinds)
        self.signals.extend(
            Retyped(at=place.span(), kind=kinds[0], **change._asdict()) for change in place.changes
        )

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None:
        """Drop damage; the engines never see it."""

    def noise(self, span: Span, text: str, /) -> None:
        """Drop text between frames; the engines never see it."""


def drive(capture: Path | str, *, full: bool = True) -> Sink:
    """Read a capture folder; a relative one lies in the corpus."""
    folder = open_folder(str(CORPUS / capture))
    assert folder.engine is not None
    sink = Sink(folder.engine, full=full, cli_version=folder.version)
    with open_path(folder.stdout) as source:
        _feed(sink, chunks(source))
    return sink


def drive_frames(
    engine: str, *frames: dict[str, Any], full: bool = True, cli_version: str | None = None
) -> Sink:
    """Read frames, one a line."""
    sink = Sink(engine, full=full, cli_version=cli_version)
    _feed(sink, [b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)])
    return sink


def _feed(sink: Sink, pieces: Iterable[bytes]) -> None:
    reader = FrameReader(sink.interpreter.frame_type, sink, detection.is_frame)
    for piece in pieces:
        reader.feed(piece)
    reader.close()
    sink.interpreter.close()


def signals(capture: Path | str) -> list[Signal]:
    """Return the signals of a capture in full mode."""
    return drive(capture).signals


def only(capture: Path | str, wanted: type[S]) -> list[S]:
    """Return the signals of one type, in full mode."""
    return [signal for signal in signals(capture) if isinstance(signal, wanted)]


def told(signal: Signal, *names: str) -> tuple[Any, ...]:
    """Return some fields of a signal, lazy values decoded."""
    values = (getattr(signal, name) for name in names)
    return tuple(value.decode() if isinstance(value, Lazy) else value for value in values)


def every(capture: Path | str, wanted: type[S], *names: str) -> list[tuple[Any, ...]]:
    """Return some fields of each signal of one type."""
    return [told(signal, *names) for signal in only(capture, wanted)]


def captures() -> list[str]:
    """List the corpus's captures that hold a frame."""
    return sorted(
        str(path.parent.relative_to(CORPUS))
        for path in CORPUS.glob("*/*/*/capture.toml")
        if tomllib.loads(path.read_text())["expected_kinds"]
    )


def folded(sink: Sink) -> list[dict[str, Any]]:
    """Fold signals into the facts of each run, as the pipeline does."""
    folds = [Fold()]
    for signal in sink.signals:
        if isinstance(signal, Begin) and signal.why == "start" and folds[-1].begun:
            folds.append(Fold())
        folds[-1].take(signal)
    return [fold.facts(cut=False, exit_code=None, stderr=None).to_dict() for fold in folds]


def everything(sink: Sink) -> str:
    """Write out all that came of a stream: signals, their values, facts."""
    values = [
        told(signal, *(field.name for field in msgspec.structs.fields(type(signal))))
        for signal in sink.signals
    ]
    return f"{sink.signals!r} {values!r} {sink.kinds!r} {json.dumps(folded(sink))}"
