# SPDX-License-Identifier: Apache-2.0
"""The one pipeline: a source's bytes, to frames, to signals, to the facts of each run."""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, get_args

from agentframes import engines
from agentframes.captures import CaptureFolder, open_folder
from agentframes.engines.support import plain_version
from agentframes.errors import SourceError
from agentframes.facts.model import RunFacts, Stopped
from agentframes.lines import (
    chunks,
    lines_as_they_come,
    lines_that_arrive,
    looks_like_content,
    open_path,
    read_text,
)
from agentframes.streams import Stream
from agentframes.types import TRANSPORTS, UNKNOWN_VERSION, FrameSource, Transport

if TYPE_CHECKING:
    from agentframes.conversation import EventStream
    from agentframes.events.model import ConversationEvent
    from agentframes.manifests import Manifest

S = TypeVar("S", bound=Stream)

ALIASES: dict[str, Transport] = {"stream-json": "jsonl"}


def read(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    events: bool = False,
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
        events: make the conversation at once, too. `run.events` makes it when it is first asked
            for where the source is a path; another source cannot be read twice.
        drift: hold every field against those of the captured versions, too; else only kinds and
            the fields that facts are made of.

    Raises:
        SourceError: the source cannot be read.
        SessionFileError: the source is a CLI's own session file.
        UnknownEngineError: `engine` names no reader.
    """
    options = _Options(engine, cli_version, transport, stderr, exit_code)
    return _read_as_asked(source, options, events=events, drift=drift)[-1]


def read_all(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    events: bool = False,
    drift: bool = False,
) -> list[RunFacts]:
    """Read every run in one source, in its order; arguments and errors as for `read`."""
    options = _Options(engine, cli_version, transport, stderr, exit_code)
    return _read_as_asked(source, options, events=events, drift=drift)


def _read_as_asked(source: Any, options: _Options, *, events: bool, drift: bool) -> list[RunFacts]:
    """Read with what is asked for, and import no more than that."""
    if events:
        from agentframes.conversation import EventStream, WatchedEventStream

        return _read_with_events(source, options, WatchedEventStream if drift else EventStream)
    if drift:
        from agentframes.watching import WatchedStream

        return _read(source, options, WatchedStream)
    return _read(source, options, Stream)


def stream(source: Any, frame_source: FrameSource | None = None) -> Iterator[ConversationEvent]:
    """Yield the events of a conversation as they come.

    An event that goes on comes again, with the same id and a higher `revision`; replacing by id
    gives the conversation. A file object or an iterable of lines is read line by line, as it is
    written; a path is read as it stands.

    Args:
        source: as for `read`.
        frame_source: the CLI, its version and how it prints, where that need not be told from the
            frames. With transport ``mixed`` lines that are no frame are runner-normalized text.

    Raises:
        SourceError: the source cannot be read.
        SessionFileError: the source is a CLI's own session file.
        UnknownEngineError: `frame_source` names no reader.
    """
    from agentframes.conversation import EventStream, Reader

    if not (_is_path(source) or isinstance(source, (str, bytes, bytearray, memoryview))):
        reader = Reader(frame_source)
        for line in lines_as_they_come(source):
            yield from reader.feed(line)
        reader.close()
        yield from reader.rest
        return
    with _opened(source, _told(frame_source)) as opened:
        events = _made(functools.partial(EventStream, **_event_options(opened)), opened)
        for chunk in chunks(opened.file):
            events.feed(chunk)
            yield from events.drain()
        _closed(events, opened.options)
    yield from events.drain()


async def astream(
    source: Any, frame_source: FrameSource | None = None
) -> AsyncIterator[ConversationEvent]:
    """Yield the events of a conversation as they come, from an asynchronous source.

    `source` is an `asyncio.StreamReader` (its limit of a line's length does not hold here), or
    any asynchronous iterable of lines. Else as `stream`.
    """
    from agentframes.conversation import Reader

    reader = Reader(frame_source)
    async for line in lines_that_arrive(source):
        for event in reader.feed(line):
            yield event
    reader.close()
    for event in reader.rest:
        yield event


def _told(frame_source: FrameSource | None) -> _Options:
    if frame_source is None:
        return _Options()
    version = None if frame_source.version == UNKNOWN_VERSION else frame_source.version
    return _Options(frame_source.cli, version, frame_source.transport)


def read_against(source: Any, manifest: Manifest) -> list[RunFacts]:
    """Read every run in one source, and hold its fields against a manifest of one's own."""
    from agentframes.watching import WatchedStream

    return _read(source, _Options(), functools.partial(WatchedStream, manifest=manifest))


def observe(source: Any) -> list[RunFacts]:
    """Read every run of a capture, and write down all that its frames hold in `seen`."""
    from agentframes.watching import LearningStream

    return _read(source, _Options(), LearningStream)


class _Options(NamedTuple):
    """What a caller tells beside the source."""

    engine: str | None = None
    cli_version: str | None = None
    transport: str | None = None
    stderr: Any = None
    exit_code: int | None = None
    stopped: Stopped | None = None


class _Opened(NamedTuple):
    """A source that is open, and what stands beside it."""

    file: Any
    label: str | None
    options: _Options
    """The caller's word, else the capture's own."""
    recorded: str | None = None
    """The transport by the capture's description."""
    written_ms: float | None = None
    folder: CaptureFolder | None = None


@contextmanager
def _opened(source: Any, options: _Options) -> Iterator[_Opened]:
    if not _is_path(source):
        yield _Opened(source, None, options)
        return
    label = path = os.fspath(source)
    recorded = folder = None
    if os.path.isdir(path):
        folder = open_folder(path)
        path = folder.stdout
        options = _Options(
            options.engine or folder.engine,
            options.cli_version or folder.version,
            options.transport,
            folder.stderr if options.stderr is None else options.stderr,
            folder.exit_code if options.exit_code is None else options.exit_code,
            _stopped(folder),
        )
        recorded = folder.transport
    with open_path(path) as file:
        written_ms = os.fstat(file.fileno()).st_mtime * 1000
        yield _Opened(file, label, options, recorded, written_ms, folder)


def _made(stream_type: Callable[..., S], opened: _Opened) -> S:
    """Make the stream of a type that reads what is open."""
    told = opened.options
    version = told.cli_version and (plain_version(told.cli_version) or told.cli_version)
    return stream_type(engine=told.engine, cli_version=version, label=opened.label)


def _fed(stream_type: Callable[..., S], opened: _Opened) -> S:
    """Make the stream of a type that reads what is open, and feed it all of it."""
    stream = _made(stream_type, opened)
    for chunk in chunks(opened.file):
        stream.feed(chunk)
    return stream


def _closed(stream: Stream, told: _Options) -> list[RunFacts]:
    words = None if told.stderr is None else read_text(told.stderr)
    return stream.close(exit_code=told.exit_code, stderr=words, stopped=told.stopped)


def _stopped(folder: CaptureFolder) -> Stopped | None:
    return cast("Stopped", folder.stopped) if folder.stopped in get_args(Stopped) else None


def _read(source: Any, options: _Options, stream_type: Callable[..., Stream]) -> list[RunFacts]:
    _check_transport(options.transport)
    with _opened(source, options) as opened:
        runs = _closed(_fed(stream_type, opened), opened.options)
    _complete(runs, opened, source, options)
    return runs


def _read_with_events(
    source: Any, options: _Options, stream_type: Callable[..., EventStream]
) -> list[RunFacts]:
    _check_transport(options.transport)
    with _opened(source, options) as opened:
        stream = _fed(functools.partial(stream_type, **_event_options(opened)), opened)
        runs = _closed(stream, opened.options)
    _complete(runs, opened, source, options)
    for facts, events in zip(runs, stream.events_of_runs(), strict=True):
        vars(facts)["told_events"] = events
    return runs


def _events(source: Any, options: _Options, number: int) -> list[ConversationEvent]:
    """Open a path again, and make the conversation of one of its runs."""
    from agentframes.conversation import EventStream

    runs = _read_with_events(source, options, EventStream)
    return runs[number].events if number < len(runs) else []


def _event_options(opened: _Opened) -> dict[str, Any]:
    """Tell what events need to know beside what facts do."""
    folder = opened.folder
    engine, transport = opened.options.engine, opened.options.transport
    prompt = None
    if folder is not None and engine is not None:
        prompt = engines.get(engine).prompt(folder.argv, folder.stdin)
    return {"transport": ALIASES.get(transport or "", transport), "prompt": prompt}


def _complete(runs: list[RunFacts], opened: _Opened, source: Any, options: _Options) -> None:
    """Add what the frames do not tell."""
    label = opened.label
    for number, facts in enumerate(runs):
        facts.source = label and os.fsencode(label).decode("utf-8", "replace")
        facts.runs = len(runs)
        transport = options.transport or facts.transport or opened.recorded
        facts.transport = ALIASES.get(transport or "", transport)
        if not hasattr(facts, "ended_ms") and opened.written_ms is not None:
            facts.ended_ms = opened.written_ms  # type: ignore[attr-defined]
        if label is not None:
            vars(facts)["told_events"] = functools.partial(_events, source, options, number)


def _check_transport(transport: str | None) -> None:
    """Refuse a transport that there is not.

    Raises:
        SourceError: the message names those there are.
    """
    if transport is not None and ALIASES.get(transport, transport) not in TRANSPORTS:
        raise SourceError(f"unknown transport {transport!r}; known: {', '.join(TRANSPORTS)}")


def _is_path(source: Any) -> bool:
    if isinstance(source, str):
        return not looks_like_content(source)
    return isinstance(source, os.PathLike)
