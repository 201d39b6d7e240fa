# SPDX-License-Identifier: Apache-2.0
"""One source's chunks to the events of its conversation, and to the facts of its runs.

The facts are those that reading without events yields; line by line, in pieces and at once the
same events come in the end.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec

from agentframes import detection, engines
from agentframes.engines.support import UNTYPED, clean_kind, string
from agentframes.errors import UnknownEngineError
from agentframes.events.normalized import Normalizer, Transcripts
from agentframes.events.project import Projector
from agentframes.facts.model import RunFacts, RunUsage, Stopped
from agentframes.lines import BOM, CHUNK_BYTES, encode, ends_inside
from agentframes.signals import Begin, Noise, Signal, Unknown
from agentframes.streams import Stream
from agentframes.types import UNKNOWN_VERSION, FrameSource, Span
from agentframes.watching import WatchedStream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentframes.events.model import ConversationEvent
    from agentframes.frames import Place

UNNAMED = "-"
"""The source of what came from no file, in events; stdin's name on the command line."""


class EventStream(Stream):
    """A stream that makes events of its signals, too."""

    def __init__(
        self, *, transport: str | None = None, prompt: str | None = None, **options: Any
    ) -> None:
        self._given_transport = transport
        self.projector = Projector(_named(options.get("label")), self)
        if prompt is not None:
            self.projector.prompt(prompt)
        text = transport in {"mixed", "text"}
        self._normalizer = Normalizer(self.projector.take) if text else None
        self._transcripts = Transcripts(transcript)
        self._settled = True
        super().__init__(**options, full=True)

    # --- what an unknown frame's row tells -------------------------------------------------------

    @property
    def cli(self) -> str:
        """The engine at hand."""
        return self._engine.name if self._engine else UNKNOWN_VERSION

    @property
    def cli_version(self) -> str:
        """Its version, as far as the stream has told."""
        return self.runs.current.cli_version or self._cli_version or UNKNOWN_VERSION

    @property
    def transport(self) -> str | None:
        """How it prints."""
        told = self._interpreter.transport if self._interpreter else None
        return self._given_transport or told

    @property
    def echoes_prompt(self) -> bool:
        """Whether its output may hold what it was asked."""
        return self._interpreter is None or self._interpreter.echoes_prompt

    # --- the sink ---------------------------------------------------------------------------------

    def frame(self, frame: Any, place: Place) -> None:
        """Have a frame read; one that nobody reads is told as unknown."""
        super().frame(frame, place)
        if self._interpreter is None:
            kind = string(detection.raw_frame(place.raw()), "type")
            name = clean_kind(kind or UNTYPED)
            self._project(Unknown(at=place.span(), kind=name, frame_kind=name))

    def emit(self, signal: Signal) -> None:
        """Fold a signal in, and make events of it."""
        runs = len(self.runs.folds)
        super().emit(signal)
        if len(self.runs.folds) > runs and isinstance(signal, Begin):
            self.projector.another_run(signal.at, signal.session_id, why=signal.why)
        self._project(signal)

    def _project(self, signal: Signal) -> None:
        if type(signal) is Noise:
            self._settled = False
            self._text(signal)
            return
        if not self._settled:
            self._settle()
        self.projector.take(signal)

    def _text(self, signal: Noise) -> None:
        """Take a line that is no frame."""
        if self._normalizer is not None:
            self._normalizer.take(signal.at.first, signal.text)
        else:
            self.projector.take(self._transcripts.take(signal))

    def _settle(self) -> None:
        """A frame came: what lines before it told is over."""
        self._settled = True
        if self._normalizer is not None:
            self._normalizer.settle()
        self._transcripts.settle()

    def _change(self, engine: engines.Engine, lines: int) -> None:
        super()._change(engine, lines)
        self.projector.another_run(Span(lines + 1, lines + 1))

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None = None
    ) -> list[RunFacts]:
        """End the source; what was open is complete now."""
        runs = super().close(exit_code=exit_code, stderr=stderr, stopped=stopped)
        if self._normalizer is not None:
            self._normalizer.settle()
        self.projector.close(tells_end=self._given_transport != "text")
        return runs

    def drain(self) -> list[ConversationEvent]:
        """Take the events that are new or have changed since the last time."""
        return self.projector.drain()

    def events_of_runs(self) -> list[list[ConversationEvent]]:
        """Give all events, run by run; for a stream of which none were taken before."""
        events = self.projector.drain()
        cuts = [0, *self.projector.starts, len(events)]
        return [events[begin:end] for begin, end in itertools.pairwise(cuts)]


class WatchedEventStream(EventStream, WatchedStream):
    """The same, with the fields of the frames held against the manifest."""


def transcript(text: str) -> str | None:
    """Name the text-mode transcript that a line opens, by the engines' own banners."""
    for engine in engines.built_in():
        banner = getattr(engine.signature, "transcript", None)
        name: str | None = banner(text) if banner is not None else None
        if name is not None:
            return name
    return None


def _named(label: object) -> str:
    return UNNAMED if label is None else encode(str(label)).decode("utf-8", "replace")


class Reader:
    """Reads one run while it is printed: feed it lines, and it gives what they make of the events.

    Without `frame_source` the engine is told from the frames; lines are held back until it is.
    A Reader serves one stream, and shares nothing with another.

    Args:
        frame_source: which CLI prints, in which version and how; its transport ``mixed`` takes
            lines that are no frame for runner-normalized text.
        source: the name that the events' raw ranges bear.
        prompt: what the agent was asked, where the stream may not tell it.
        cli_version: the version, where the CLI itself is to be told from the frames.
        transport: how it prints, likewise.

    Raises:
        UnknownEngineError: no engine of that name can be read.
    """

    def __init__(
        self,
        frame_source: FrameSource | None = None,
        *,
        source: str = UNNAMED,
        prompt: str | None = None,
        cli_version: str | None = None,
        transport: str | None = None,
    ) -> None:
        if frame_source is not None:
            version = frame_source.version
            cli_version = cli_version or (None if version == UNKNOWN_VERSION else version)
            transport = transport or frame_source.transport
        self._stream = EventStream(
            engine=frame_source.cli if frame_source else None,
            cli_version=cli_version,
            label=source,
            transport=transport,
            prompt=prompt,
        )
        self._held: bytes | None = None if frame_source or transport == "text" else b""
        self._last: bytes | None = None
        self._inside = self._begun = False
        self.rest: list[ConversationEvent] = []
        """After `close()`: the events that the end itself completed or told."""
        self.runs: list[RunFacts] = []
        """After `close()`: the facts of all runs."""

    def feed(self, lines: str | bytes) -> list[ConversationEvent]:
        """Take a line, or several whole ones, with their line ends or without.

        Return the events that are new or have changed, each as it stands. A last line without its
        end that is no whole JSON waits for the next one, or for the end: it may have broken off.
        """
        data = encode(lines) if isinstance(lines, str) else bytes(lines)
        if not self._begun:
            data, self._begun = data.removeprefix(BOM), True
        data = self._ended(data)
        if not data:
            return []
        if self._held is not None:
            if not self._tells(data):
                return []
            data, self._held = self._held, None
        self._stream.feed(data)
        return self._stream.drain()

    def _ended(self, data: bytes) -> bytes:
        """Add the line end that a line may lack; one that may yet break off waits for the next."""
        before = b"" if self._last is None else self._last + b"\n"
        self._last = None
        if data.endswith(b"\n"):
            return before + data
        begin = data.rfind(b"\n") + 1
        try:
            msgspec.json.decode(data[begin:], type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            self._last = data[begin:]
            return before + data[:begin]
        return before + data + b"\n"

    def _tells(self, data: bytes) -> bool:
        """Hold lines back until one tells the engine for certain, or many told nothing.

        Those read all at once are looked at by as much.
        """
        self._held = (self._held or b"") + data
        self._inside = ends_inside(data, inside=self._inside)
        if self._inside:
            return False
        return len(self._held) >= CHUNK_BYTES or detection.certain(self._held, len(data))

    def usage(self) -> RunUsage:
        """Return the account of the run at hand, as far as it was told by now."""
        return self._stream.runs.current.usage()

    def close(
        self,
        *,
        exit_code: int | None = None,
        stderr: str | None = None,
        stopped: Stopped | None = None,
    ) -> RunFacts:
        """End the run, and return the facts of the last one; `rest` has the last events.

        Args:
            exit_code: the process's exit status.
            stderr: what went there.
            stopped: why the process was ended, by whoever ran it.
        """
        held = (self._held or b"") + (self._last or b"")
        self._held = self._last = None
        if held:
            self._stream.feed(held)
        runs = self._stream.close(exit_code=exit_code, stderr=stderr, stopped=stopped)
        for facts in runs:
            facts.source, facts.runs = self._stream.projector.source, len(runs)
        self.rest, self.runs = self._stream.drain(), runs
        return runs[-1]


def project_conversation(
    lines: str | bytes | Iterable[str | bytes],
    *,
    source: str = UNNAMED,
    frame_source: FrameSource | None = None,
) -> list[ConversationEvent]:
    """Make the conversation of lines. The engine is never guessed.

    Without `frame_source` every line is runner-normalized text, whatever it looks like. Frames of
    a CLI that no engine reads are told as unknown, one by one.
    """
    pieces = (lines,) if isinstance(lines, (str, bytes)) else lines
    if frame_source is None or frame_source.transport == "text":
        return _text(pieces, source)
    try:
        reader = Reader(frame_source, source=source)
    except UnknownEngineError:
        return _unread(pieces, source, frame_source)
    events: dict[str, ConversationEvent] = {}
    for piece in pieces:
        events.update((event.id, event) for event in reader.feed(piece))
    reader.close()
    events.update((event.id, event) for event in reader.rest)
    return list(events.values())


def _text(pieces: Iterable[str | bytes], source: str) -> list[ConversationEvent]:
    """Read lines as normalized text; a CLI's text-mode transcript is one row."""
    projector = Projector(source)
    normalizer = Normalizer(projector.take)
    transcripts = Transcripts(transcript)
    for number, line in enumerate(_lines(pieces), 1):
        at = Span(number, number)
        told = transcripts.take(Noise(at=at, kind="(text)", text=line))
        if type(told) is Noise:
            normalizer.take(number, line)
        else:
            normalizer.settle()
            projector.take(told)
    normalizer.settle()
    projector.close(tells_end=False)
    return projector.drain()


def _unread(
    pieces: Iterable[str | bytes], source: str, frame_source: FrameSource
) -> list[ConversationEvent]:
    """Name the frames of a CLI that no engine reads."""
    projector = Projector(source, _Named(frame_source))
    for number, line in enumerate(_lines(pieces), 1):
        at = Span(number, number)
        frame = detection.raw_frame(encode(line.strip()))
        if frame:
            name = clean_kind(string(frame, "type") or UNTYPED)
            projector.take(Unknown(at=at, kind=name, frame_kind=name))
        elif line.strip():
            projector.take(Noise(at=at, kind="(text)", text=line))
    projector.close(tells_end=False)
    return projector.drain()


class _Named(msgspec.Struct):
    """A frame source as what tells an unknown frame's row."""

    source: FrameSource

    @property
    def cli(self) -> str:
        return clean_kind(self.source.cli)

    @property
    def cli_version(self) -> str:
        return clean_kind(self.source.version)

    @property
    def transport(self) -> str | None:
        return self.source.transport

    @property
    def echoes_prompt(self) -> bool:
        return True


def _lines(pieces: Iterable[str | bytes]) -> Iterable[str]:
    """Part pieces into lines at line feeds alone."""
    for piece in pieces:
        data = encode(piece) if isinstance(piece, str) else bytes(piece)
        text = data.removesuffix(b"\n").decode("utf-8", "replace")
        yield from text.split("\n")
