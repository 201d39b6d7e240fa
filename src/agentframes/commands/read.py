# SPDX-License-Identifier: Apache-2.0
"""``agentframes read``: the facts of finished runs, as a table or as JSON lines."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from agentframes.commands import USAGE, complain
from agentframes.commands.arguments import Parser, source, standard_input, write
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
    inputs = options.path or standard_input()
    single = options.stderr is not None or options.exit_code is not None
    if not inputs:
        complain("read: nothing to read: give a PATH, or - and pipe the output in")
        return USAGE
    if len(inputs) > 1 and single:
        complain("read: --stderr and --exit-code belong to one run: give one input with them")
        return USAGE
    if inputs.count("-") > 1:
        complain("read: - stands for stdin, which can be read once only")
        return USAGE
    statuses = {_one(name, options, first=not index) for index, name in enumerate(inputs)}
    return next((status for status in WORST_FIRST if status in statuses), 0)


def _one(name: str, options: Namespace, *, first: bool) -> int:
    """Read and print one input; return its exit status."""
    try:
        runs = read_all(
            source(name),
            engine=options.engine,
            cli_version=options.cli_version,
            stderr=options.stderr,
            exit_code=options.exit_code,
            drift=options.strict,
        )
    except UnknownEngineError:
        raise
    except SourceError as error:
        complain(f"read: {error}")
        return USAGE
    for facts in runs:
        facts.source = name
        _print(facts.without_text() if options.no_text else facts, options, first=first)
        first = False
    return _status(runs[-1], strict=options.strict)


def _status(facts: RunFacts, *, strict: bool) -> int:
    status = STATUSES[facts.outcome.status]
    if strict and not status and any(finding.level == "error" for finding in facts.drift):
        return DRIFT
    return status


def _print(facts: RunFacts, options: Namespace, *, first: bool) -> None:
    if not facts.frames.total:
        # Nothing to make a table of: one line that says why.
        outcome = facts.outcome
        message = outcome.message or "the input breaks off inside its first frame"
        complain(f"read: {facts.source}: incomplete ({outcome.reason}): {message}")
    if options.json:
        sys.stdout.buffer.write(facts.to_json() + b"\n")
        sys.stdout.buffer.flush()
    elif facts.frames.total:
        write(("" if first else "\n") + table(facts))


def _parser() -> Parser:
    parser = Parser("agentframes read", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("path", nargs="*", metavar="PATH", help="a file, a capture folder, or - for stdin")
    add("--json", action="store_true", help="print one JSON object a run")
    add("--strict", action="store_true", help="look at every field, exit 4 on drift of level error")
    add("--engine", metavar="NAME", help="the engine, where it is not to be told from the frames")
    add("--cli-version", metavar="V", help="the CLI's version, where the frames do not tell it")
    add("--stderr", metavar="FILE", help="what the CLI wrote to stderr")
    add("--exit-code", metavar="N", type=int, help="the exit status the CLI ended with")
    add("--no-text", action="store_true", help="leave out every word of the model")
    return parser
