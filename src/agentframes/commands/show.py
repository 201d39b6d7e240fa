# SPDX-License-Identifier: Apache-2.0
"""``agentframes show``: the conversation in the terminal, or its events as JSON lines."""

from __future__ import annotations

import io
import os
import stat
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agentframes import engines
from agentframes.captures import CaptureFolder, open_folder
from agentframes.commands import INTERRUPTED, USAGE, complain, drop_output
from agentframes.commands.arguments import (
    FileName,
    Parser,
    UsageError,
    add_inputs,
    add_version,
    named_inputs,
    source,
    writable,
)
from agentframes.commands.read import HINTS as READ_HINTS
from agentframes.commands.read import STATUSES
from agentframes.conversation import UNNAMED, Reader
from agentframes.engines.support import plain_version
from agentframes.errors import SourceError, UnknownEngineError
from agentframes.events.model import ConversationEvent
from agentframes.facts.model import RunFacts
from agentframes.following import Anew, follow
from agentframes.lines import lines_as_they_come, open_path
from agentframes.reading import ALIASES, read_all
from agentframes.redaction import redact
from agentframes.terminal.plain import one_line
from agentframes.terminal.wire import JsonLines, Sink, redacted
from agentframes.types import TRANSPORTS, FrameSource

HINTS = READ_HINTS | {"empty": "the CLI printed nothing; what it wrote to stderr may tell why"}

MAX_WIDTH = 10_000

_DESCRIPTION = """\
Show the conversation that a coding-agent CLI printed: what was said, which tools were called and
what came of it, plans, notices, and whatever is new in the protocol. Reads print-mode output from
a file, a capture folder or stdin; what is piped in is shown as it comes."""

_EPILOG = """\
With --json an event comes once, as it stands at the end; with --follow as well it comes as it
opens and again, under the same id, each time it has changed.

exit status: 0 success; 1 the engine says it failed; 2 usage or unreadable input; 3 incomplete;
130 interrupted"""


def run(arguments: Sequence[str]) -> int:
    """Show one input; return the exit status."""
    options = _parser().parse_args(arguments)
    if len(options.path) > 1:
        raise UsageError("show: one input at a time")
    (name,) = named_inputs("show", options.path)
    try:
        sink = _sink(options)
        if not options.follow:
            sink = _Patient(sink)
        if options.follow or not (options.json or _is_finished(name)):
            return _show_live(name, options, sink)
        return _show_finished(name, options, sink)
    except UnknownEngineError as error:
        if options.engine is not None:
            raise
        _complain(f"{name}: {error}", options)  # a capture's description names it
    except SourceError as error:
        _complain(str(error), options)
    return USAGE


def _is_finished(name: str) -> bool:
    """Tell a file from what is being written while it is read."""
    try:
        mode = os.fstat(source(name).fileno()).st_mode if name == "-" else os.stat(name).st_mode
    except (OSError, ValueError):
        return True  # whoever reads it says what is wrong
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _show_finished(name: str, options: Namespace, sink: Sink) -> int:
    runs = read_all(
        source(name),
        engine=options.engine,
        cli_version=options.cli_version,
        transport=options.transport,
        events=True,
    )
    for facts in runs:
        _take(facts.events, options, sink)
    _end(name, runs, options, sink)
    return STATUSES[runs[-1].outcome.status]


def _show_live(name: str, options: Namespace, sink: Sink) -> int:
    """Show what comes as it comes; where the content begins anew, another run does."""
    opened = _open(name, options)
    contents, reader = 1, opened.reader(options)
    try:
        for piece in opened.pieces:
            if not isinstance(piece, Anew):
                _take(reader.feed(piece), options, sink)
                continue
            _take(_ended(reader), options, sink)
            _end(name, reader.runs, options, sink)
            _complain(f"{name}: {piece.value}; reading on from its start", options)
            contents += 1
            reader = opened.reader(options, contents)
    except KeyboardInterrupt:
        _take(_ended(reader), options, sink)
        sink.close(_shown_facts(reader.runs, options))
        return INTERRUPTED
    _take(_ended(reader), options, sink)
    _end(name, reader.runs, options, sink)
    return STATUSES[reader.runs[-1].outcome.status]


def _take(events: Iterable[ConversationEvent], options: Namespace, sink: Sink) -> None:
    sink.take(map(redacted, events) if options.redact else events)


def _shown_facts(runs: list[RunFacts], options: Namespace) -> list[RunFacts]:
    return list(map(redacted, runs)) if options.redact else runs


def _end(name: str, runs: list[RunFacts], options: Namespace, sink: Sink) -> None:
    """Say what the facts tell; where nothing was read, one line on stderr says why."""
    sink.close(_shown_facts(runs, options))
    for facts in runs:
        text = options.transport in {"mixed", "text"} and facts.frames.text_lines
        if not facts.frames.known and not text:
            outcome = facts.outcome
            hint = HINTS.get(outcome.reason, "")
            words = ": ".join(part for part in (outcome.message, hint) if part)
            _complain(f"{writable(name)}: incomplete ({outcome.reason}): {words}", options)


def _complain(message: str, options: Namespace) -> None:
    """Say one line on stderr, where a terminal must not obey what came from a file, either."""
    complain(f"show: {one_line(redact(message) if options.redact else message)}")


# --- what is still being written -----------------------------------------------------------------


def _ended(reader: Reader) -> list[ConversationEvent]:
    """End the stream, and return the events that the end itself completed or told."""
    reader.close()
    return reader.rest


class _Opened(NamedTuple):
    """A live input."""

    pieces: Iterator[bytes | Anew]
    label: str | None
    folder: CaptureFolder | None

    def reader(self, options: Namespace, content: int = 1) -> Reader:
        """Make a reader; ids are those of one content."""
        folder = self.folder
        engine = options.engine or (folder and folder.engine)
        version = options.cli_version or (
            folder and folder.version and plain_version(folder.version)
        )
        prompt = folder and engine and engines.get(engine).prompt(folder.argv, folder.stdin)
        label = UNNAMED if self.label is None else self.label
        return Reader(
            FrameSource(engine) if engine else None,
            source=label if content == 1 else f"{label}#{content}",
            prompt=prompt or None,
            cli_version=version or None,
            transport=ALIASES.get(options.transport, options.transport),
        )


def _open(name: str, options: Namespace) -> _Opened:
    folder = open_folder(name) if name != "-" and os.path.isdir(name) else None
    path = folder.stdout if folder else name
    label = None if name == "-" else name
    if options.follow and name != "-" and _is_finished(path):
        pieces: Iterator[bytes | Anew] = follow(FileName(path))
    else:
        file = source(name) if name == "-" else io.BufferedReader(open_path(path))  # type: ignore[type-var]
        pieces = lines_as_they_come(file)
    return _Opened(pieces, label, folder)


# --- what is printed -----------------------------------------------------------------------------


class _Patient:
    """A sink whose reader may go: who has read enough changes nothing in how the runs ended."""

    def __init__(self, sink: Sink) -> None:
        self._sink: Sink | None = sink

    def take(self, events: Iterable[ConversationEvent]) -> None:
        """Take events that are new or have changed."""
        if self._sink is not None:
            try:
                self._sink.take(events)
            except BrokenPipeError:
                self._let_go()

    def close(self, runs: list[RunFacts]) -> None:
        """Take what the facts tell of the runs that the events were of."""
        if self._sink is not None:
            try:
                self._sink.close(runs)
            except BrokenPipeError:
                self._let_go()

    def _let_go(self) -> None:
        self._sink = None
        drop_output()


def _sink(options: Namespace) -> Sink:
    if options.json:
        return JsonLines()
    from agentframes.terminal.painted import Painted  # and rich with it

    return Painted(
        verbose=options.verbose,
        trace=options.trace,
        at_once=options.follow,
        color=options.color,
        width=options.width,
    )


def _width(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MAX_WIDTH):
        raise ArgumentTypeError(f"no width in columns: {text!r}")
    return int(text)


def _parser() -> Parser:
    parser = Parser("agentframes show", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add_inputs(parser)
    add("--follow", action="store_true", help="go on with what is written to the file, until ^C")
    add(
        "--verbose",
        action="store_true",
        help="show what is folded away: inputs, outputs, reasoning, notices, tokens",
    )
    add("--trace", action="store_true", help="name the raw lines and the kind of each row")
    add(
        "--redact",
        action="store_true",
        help="leave out keys, e-mail addresses and whose home a path is in",
    )
    add("--json", action="store_true", help="print one event a line instead")
    add("--engine", metavar="NAME", help="the engine, where it is not to be told from the frames")
    add_version(parser)
    add(
        "--transport",
        choices=[*TRANSPORTS, *ALIASES],
        metavar="NAME",
        help="how the engine printed; with mixed or text, lines that are no frames are taken for"
        " runner-normalized text",
    )
    add("--color", choices=("auto", "always", "never"), default="auto", help="auto is the default")
    add("--width", metavar="N", type=_width, help="columns, instead of the terminal's")
    return parser
