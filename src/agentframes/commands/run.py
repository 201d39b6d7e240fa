# SPDX-License-Identifier: Apache-2.0
"""``agentframes run``: start an installed CLI, show what it does, keep it, and tell the facts."""

from __future__ import annotations

import re
import shlex
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from agentframes.commands import complain, drop_output
from agentframes.commands.arguments import FileName, Parser, UsageError, whole_number, write
from agentframes.commands.read import STATUSES

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from agentframes.events.model import ConversationEvent
    from agentframes.facts.model import RunFacts
    from agentframes.live.run import Limits, LiveRun

UNMET = 5  # --expect-schema
PERMISSIONS = ("read-only", "edits", "all")
SIGNALLED = 128

_DESCRIPTION = """\
Start the installed CLI of ENGINE, show the conversation while it goes on, keep the capture as it
comes, and end with the facts and an exit status that tells the truth. ^C ends the CLI and all that
it started; a second one kills them."""

_EPILOG = """\
Options of the CLI's own come behind --. Where runs are kept, and for how long: AGENTFRAMES_RUNS,
AGENTFRAMES_RUNS_DAYS (30), AGENTFRAMES_RUNS_MB (1024); `agentframes runs` lists them.

exit status: 0 success; 1 the engine says it failed; 2 usage, or the CLI is not installed;
3 incomplete, as with a time or a budget that was over; 5 a success whose answer is not what
--expect-schema asks for; 130 and 143 ended by ^C and SIGTERM"""


class _Sink(Protocol):
    """Where events go."""

    def take(self, events: list[ConversationEvent], /) -> None:
        """Take events that are new or have changed."""

    def close(self, runs: list[RunFacts], /) -> None:
        """Take the facts of the runs that the events were of."""


def run(arguments: Sequence[str]) -> int:
    """Run one prompt; return the exit status."""
    own, extra = list(arguments), []
    if "--" in own:
        at = own.index("--")
        own, extra = own[:at], own[at + 1 :]
    options = _parser().parse_args(own)
    schema = _schema(options.expect_schema) if options.expect_schema else None
    asked = _asked(options, extra)
    if options.dry_run:
        return _told(options, asked)
    prepared = _prepared(options, asked)
    _warn(prepared)
    facts, came = _run(prepared, options)
    _end(prepared, facts, options)
    if came:
        return SIGNALLED + came
    status = STATUSES[facts.outcome.status]
    if status or schema is None:
        return status
    return _answered(prepared, schema)


def _asked(options: Namespace, extra: list[str]) -> dict[str, Any]:
    """Gather what the engine is asked, but for the prompt."""
    from agentframes import engines

    resume = options.resume
    if options.continue_:
        resume = _last_session(options)
    schema = options.expect_schema
    if schema and not engines.installation(options.engine).takes_schema:
        schema = None  # the prompt has to ask for it
    return {
        "resume": resume,
        "model": options.model,
        "cwd": options.cwd,
        "schema": schema,
        "permission": options.permission,
        "max_turns": options.max_turns,
        "extra": extra,
    }


def _prepared(options: Namespace, asked: dict[str, Any]) -> LiveRun:
    from agentframes.live.run import LiveRun

    return LiveRun(
        options.engine,
        _prompt(options.prompt),
        cli=options.cli,
        limits=_limits(options),
        keep=options.keep_in,
        **asked,
    )


def _limits(options: Namespace) -> Limits:
    from agentframes.live.run import Limits

    return Limits(
        timeout=options.timeout,
        idle_timeout=options.idle_timeout,
        max_cost_usd=options.max_cost_usd,
        max_tokens=options.max_tokens,
    )


def _prompt(given: str) -> str:
    if given != "-":
        return given
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("run: - stands for stdin, and nothing is piped in")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _schema(name: str) -> dict[str, Any]:
    import jsonschema
    import msgspec

    from agentframes.lines import open_path
    from agentframes.summary import extract_summary

    with open_path(FileName(name)) as file:
        data = file.read()
    try:
        schema = msgspec.json.decode(data, type=dict[str, Any])
        extract_summary(b"", None, schema)  # refuses what is none before anything is started
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"run: --expect-schema {name}: no JSON Schema: {error}") from error
    except jsonschema.SchemaError as error:
        why = error.message
        raise UsageError(f"run: --expect-schema {name}: no JSON Schema: {why}") from error
    return schema


def _last_session(options: Namespace) -> str:
    """Return the session of the engine's last run in this folder."""
    import os

    from agentframes.live import keeping

    base = options.keep_in or keeping.place()
    cwd = os.path.abspath(options.cwd or ".")
    for kept in keeping.runs(base):
        if kept.engine == options.engine and kept.cwd == cwd and kept.session_id:
            return kept.session_id
    raise UsageError(f"run: --continue: no {options.engine} run in {cwd} is kept in {base}")


def _told(options: Namespace, asked: dict[str, Any]) -> int:
    """Print the command that would be run, whether the CLI is installed or not."""
    import shutil

    from agentframes.commandline import command

    told = command(options.engine, _prompt(options.prompt), **asked)
    program = options.cli or told.argv[0]
    write(f"{shlex.join([shutil.which(program) or program, *told.argv[1:]])}\n")
    if told.stdin is not None:
        complain(f"run: stdin: {len(told.stdin)} characters of prompt")
    return 0


def _warn(prepared: LiveRun) -> None:
    """Say where the version at hand is none that was tested."""
    found = prepared.installed
    if found.version is None:
        complain(f"run: {found.path} does not tell its version")
    elif not found.captured:
        near = f"; the nearest is {found.nearest}" if found.nearest else ""
        complain(f"run: {found.engine} {found.version} is none of the versions tested{near}")


def _run(prepared: LiveRun, options: Namespace) -> tuple[RunFacts, int | None]:
    """Run it, and show it as asked; return the facts, and the signal that ended it if one did."""
    from agentframes.interrupts import passed_on

    sink, shown = _sink(prepared, options)
    gone = False

    def take(events: list[ConversationEvent]) -> None:
        nonlocal gone
        if not gone:
            gone = True
            with _reader_may_go():  # the run goes on, and is kept
                sink.take(events)
                gone = False

    with passed_on(prepared.stop) as came, shown:
        facts = prepared.wait(None if options.quiet else take)
    if not gone:
        with _reader_may_go():
            sink.close(prepared.runs)
    return facts, next(iter(came), None)


@contextmanager
def _reader_may_go() -> Iterator[None]:
    """Print what nobody need wait for: the exit status tells the truth all the same."""
    try:
        yield
    except BrokenPipeError:
        drop_output()


def _sink(prepared: LiveRun, options: Namespace) -> tuple[_Sink, AbstractContextManager[object]]:
    if options.json:
        from agentframes.terminal.wire import JsonLines

        return JsonLines(), nullcontext()
    if options.quiet:
        return _Nothing(), nullcontext()
    from agentframes.terminal.screen import Screen

    screen = Screen(
        prepared.engine,
        lambda: prepared.usage,
        verbose=options.verbose,
        trace=options.trace,
        color=options.color,
        width=None,
    )
    return screen, screen


class _Nothing:
    """Shows nothing."""

    def take(self, _: list[ConversationEvent]) -> None:
        """Take events."""

    def close(self, _: list[RunFacts]) -> None:
        """Take facts."""


def _end(prepared: LiveRun, facts: RunFacts, options: Namespace) -> None:
    """Tell the facts, where the run is kept, how it goes on, and what to do about its end."""
    from agentframes import engines

    with _reader_may_go():
        _print(facts, options)
    outcome, told = facts.outcome, engines.installation(prepared.engine)
    out = told.logged_out is not None and re.search(told.logged_out, outcome.message or "")
    if outcome.reason == "auth" or (out and outcome.status != "success"):
        complain(f"run: {prepared.engine} is not logged in: {outcome.message or ''}: {told.login}")
    elif outcome.status != "success":
        why = f": {outcome.message}" if outcome.message else ""
        complain(f"run: {outcome.status} ({outcome.reason}){why}")
    if prepared.problem:
        complain(f"run: the capture is not whole: {prepared.problem}")
    resume = f"; to go on: --resume {facts.session_id}" if facts.session_id else ""
    complain(f"run: kept in {prepared.folder}{resume}")


def _print(facts: RunFacts, options: Namespace) -> None:
    if options.json:
        sys.stdout.buffer.write(facts.to_json() + b"\n")
        sys.stdout.buffer.flush()
    elif options.quiet:
        from agentframes.commands.table import table

        write(table(facts))


def _answered(prepared: LiveRun, schema: dict[str, Any]) -> int:
    """Hold the answer of a successful run against the schema."""
    import jsonschema

    from agentframes.captures import open_folder
    from agentframes.lines import open_path
    from agentframes.summary import extract_summary

    folder = prepared.folder or ""
    with open_path(FileName(open_folder(folder).stdout)) as file:
        printed = file.read()
    try:
        summary = extract_summary(printed, prepared.engine, schema)
    except jsonschema.SchemaError as error:
        raise UsageError(f"run: --expect-schema: no JSON Schema: {error.message}") from error
    if summary.status == "valid" and not prepared.problem:
        return 0
    errors = "; ".join(summary.errors[:3]) or "the capture is not whole"
    complain(f"run: the answer is not what --expect-schema asks for: {errors}")
    return UNMET


# --- arguments -----------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not value > 0:
        raise ArgumentTypeError(f"no number above 0: {text!r}")
    return value


def _parser() -> Parser:
    parser = Parser("agentframes run", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("engine", metavar="ENGINE", help="claude, codex, gemini, copilot, opencode")
    add("prompt", metavar="PROMPT", help="what to ask; - reads it from stdin")
    add("--dry-run", action="store_true", help="print the command, and start nothing")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", metavar="ID", help="go on with a session")
    again.add_argument(
        "--continue",
        dest="continue_",
        action="store_true",
        help="go on with the session of the last run in this folder",
    )
    add("--model", metavar="NAME", help="the engine's own name of a model")
    add("--cwd", metavar="DIR", help="where the agent works")
    add("--permission", choices=PERMISSIONS, help="what the agent may do unasked")
    add("--max-turns", metavar="N", type=whole_number, help="the most turns, where the engine can")
    add("--timeout", metavar="S", type=_seconds, help="end it after so many seconds")
    add("--idle-timeout", metavar="S", type=_seconds, help="end it after so long a silence")
    add("--max-cost-usd", metavar="USD", type=_seconds, help="end it when it has cost so much")
    add("--max-tokens", metavar="N", type=whole_number, help="end it when it has taken so many")
    add(
        "--expect-schema",
        metavar="FILE",
        help="a JSON Schema that the answer must meet; engines that can are told of it",
    )
    add("--cli", metavar="PATH", help="the CLI's executable, where it is not the one in PATH")
    add("--keep-in", metavar="DIR", help="where to keep the run")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print events as JSON lines, then facts")
    how.add_argument("--quiet", action="store_true", help="print the facts alone, at the end")
    add("--verbose", action="store_true", help="show what is folded away")
    add("--trace", action="store_true", help="name the raw lines and the kind of each row")
    add("--color", choices=("auto", "always", "never"), default="auto", help="auto is the default")
    return parser
