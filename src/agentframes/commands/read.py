# SPDX-License-Identifier: Apache-2.0
"""``agentframes read``: the facts of finished runs, as a table or as JSON lines."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from agentframes.commands import USAGE, complain, drop_output
from agentframes.commands.arguments import (
    FileName,
    Parser,
    add_inputs,
    add_version,
    named_inputs,
    source,
    writable,
)
from agentframes.commands.table import table
from agentframes.errors import SourceError, UnknownEngineError
from agentframes.facts.model import RunFacts
from agentframes.reading import read_all

STATUSES = {"success": 0, "failed": 1, "incomplete": 3}
DRIFT = 4
WORST_FIRST = (USAGE, 1, 3, DRIFT)

_DESCRIPTION = """\
Tell the facts of finished runs: which engine and version, which session, how it ended, what it
cost, how long it took, and the final answer. Reads print-mode output (JSON, an array of frames,
or JSON lines) from files, capture folders or stdin."""

_EPILOG = """\
exit status: 0 success; 1 the engine says it failed; 2 usage or unreadable input; 3 incomplete;
4 drift under --strict where it would be 0. With several inputs the worst of 2, 1, 3, 4 in that
order; an input of several runs counts by its last one."""


def run(arguments: Sequence[str]) -> int:
    """Read every input and print its runs; return the exit status."""
    options = _parser().parse_args(arguments)
    inputs = named_inputs("read", options.path)
    single = options.stderr is not None or options.exit_code is not None
    if len(inputs) > 1 and single:
        complain("read: --stderr and --exit-code belong to one run: give one input with them")
        return USAGE
    printer = _Printer(options)
    statuses = {_one(name, options, printer) for name in inputs}
    return next((status for status in WORST_FIRST if status in statuses), 0)


def _one(name: str, options: Namespace, printer: _Printer) -> int:
    """Read and print one input; return its exit status."""
    try:
        runs = read_all(
            source(name),
            engine=options.engine,
            cli_version=options.cli_version,
            stderr=None if options.stderr is None else FileName(options.stderr),
            exit_code=options.exit_code,
            drift=options.strict,
        )
    except UnknownEngineError as error:
        if options.engine is not None:
            raise
        complain(f"read: {name}: {error}")  # a capture's description names it
        return USAGE
    except SourceError as error:
        complain(f"read: {error}")
        return USAGE
    for facts in runs:
        facts.source = writable(name)
        printer.print(facts.without_text() if options.no_text else facts)
    return _status(runs[-1], strict=options.strict)


def _status(facts: RunFacts, *, strict: bool) -> int:
    status = STATUSES[facts.outcome.status]
    if strict and not status and any(finding.level == "error" for finding in facts.drift):
        return DRIFT
    return status


HINTS = {
    "empty": "the CLI printed nothing; what it wrote to stderr may tell why (--stderr FILE)",
    "not_agent_output": "no line is a frame of a known engine; agent CLIs print frames only when "
    "asked for JSON",
    "cut_line": "the input breaks off inside its first frame",
}


class _Printer:
    """Prints runs, parted by a blank line in tables."""

    def __init__(self, options: Namespace) -> None:
        self._json = options.json
        self._first = True
        self._gone = False

    def print(self, facts: RunFacts) -> None:
        """Print one run; where nothing was read, one line on stderr says why."""
        told = facts.frames.known or any(one.what != "damaged_line" for one in facts.drift)
        if not facts.frames.known:
            outcome = facts.outcome
            hint = HINTS.get(outcome.reason, "")
            words = ": ".join(part for part in (outcome.message, hint) if part)
            complain(f"read: {facts.source}: incomplete ({outcome.reason}): {words}")
        if self._json:
            self._write(facts.to_json() + b"\n")
        elif told:
            text = table(facts) if self._first else "\n" + table(facts)
            self._write(text.encode(sys.stdout.encoding or "utf-8", "replace"))
            self._first = False

    def _write(self, data: bytes) -> None:
        """Write; a reader that has gone changes nothing in how the runs ended."""
        if self._gone:
            return
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self._gone = True
            drop_output()


def _parser() -> Parser:
    parser = Parser("agentframes read", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add_inputs(parser)
    add("--json", action="store_true", help="print one JSON object a run")
    add("--strict", action="store_true", help="look at every field, exit 4 on drift of level error")
    add("--engine", metavar="NAME", help="the engine, where it is not to be told from the frames")
    add_version(parser)
    add("--stderr", metavar="FILE", help="what the CLI wrote to stderr")
    add("--exit-code", metavar="N", type=int, help="the exit status the CLI ended with")
    add(
        "--no-text",
        action="store_true",
        help="leave out every word of the model, errors' words too",
    )
    return parser
