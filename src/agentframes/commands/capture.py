# SPDX-License-Identifier: Apache-2.0
"""``agentframes capture``: real output of an installed CLI, made without account or network."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentframes.commands import complain
from agentframes.commands.arguments import Parser, UsageError, write
from agentframes.commands.table import drift_words

if TYPE_CHECKING:
    from agentframes.capturing.capture import Made
    from agentframes.capturing.chains import Task
    from agentframes.capturing.machine import Machine
    from agentframes.capturing.scenario import Scenario

FAILED = 1

_DESCRIPTION = """\
Run the CLI of ENGINE as it is installed through scenarios, against a scripted model server on
loopback: with an empty environment, a home of its own, no account and no network. What it prints
is sanitized and laid into DIR/ENGINE/VERSION/SCENARIO; drift is told against the nearest captured
version. With --live, record one run of your own CLI, with your account, instead."""

_EPILOG = """\
Without `unshare` (Linux) the network cannot be shut off; that is said, and stands in the capture.

exit status: 0 all captures made (and, with --compare, like the old ones); 1 some were not;
2 usage, the CLI is not installed, or the extra `capture` is missing"""


def run(arguments: Sequence[str]) -> int:
    """Make captures; return the exit status."""
    own = list(arguments)
    prompt: list[str] = []
    if "--" in own:
        at = own.index("--")
        own, prompt = own[:at], own[at + 1 :]
    options = _parser().parse_args(own)
    if prompt and not options.live:
        raise UsageError("capture: a prompt behind -- is for --live; scenarios have their own")
    if options.live:
        return _live(options, " ".join(prompt))
    signal.signal(signal.SIGTERM, _end)
    return _offline(options)


def _end(*_: object) -> None:
    """Leave by way of what ends the CLIs."""
    raise SystemExit(128 + signal.SIGTERM)


def _offline(options: Namespace) -> int:
    from agentframes import engines
    from agentframes.capturing import server
    from agentframes.capturing.capture import make
    from agentframes.capturing.chains import named, tasks
    from agentframes.capturing.machine import find_machine
    from agentframes.capturing.scenario import load_all

    scenarios = load_all()
    offline = engines.capture_setup(options.engine)
    everything = list(tasks(scenarios.values(), offline))
    wanted: list[Task] = [named(name, scenarios, offline) for name in options.scenario]
    if options.all:
        wanted = everything
    if not wanted and not options.list:
        raise UsageError("capture: say --all, or --scenario NAME (--list tells the names)")
    server.require()
    if options.compare and not os.path.isdir(options.compare):
        raise UsageError(f"capture: --compare {options.compare}: there is no such folder")
    machine = find_machine(options.engine, options.cli)
    if options.list:
        return _list(machine, everything, scenarios)
    complain(f"capture: {machine.engine} {machine.version}: {machine.cli}")
    if not machine.isolation.isolated:
        complain("capture: the network is not shut off: unshare is missing or not permitted here")
    failed = 0
    for made in make(
        machine, wanted, scenarios, into=options.into, trace=options.trace, jobs=options.jobs
    ):
        failed += _tell(made, machine, options.compare)
    return FAILED if failed else 0


def _list(machine: Machine, everything: Sequence[Task], scenarios: Mapping[str, Scenario]) -> int:
    from agentframes.capturing.capture import reasons

    for task, why in reasons(machine, everything, scenarios):
        write(f"{task.name:<34} {f'not possible: {why}' if why else task.scenario.shows}\n")
    return 0


def _tell(made: Made, machine: Machine, compare: str | None) -> bool:
    """Print what became of a capture; return whether it failed."""
    if made.folder is None or made.facts is None or made.result is None:
        write(f"{made.name:<34} not made: {made.why_not}\n")
        return made.failed
    recording, facts = made.result.recording, made.facts
    ending = recording.signal or f"exit {recording.exit_code}"
    write(
        f"{made.name:<34} {facts.outcome.status}, {ending},"
        f" {facts.frames.total} frames, {recording.wall_ms / 1000:.1f} s\n"
    )
    for one in facts.drift:
        write(f"  {one.level:<5}  {drift_words(one)}\n")
    if recording.over:
        write("  it did not end by itself\n")
    return compare is not None and _differs(made.folder, machine, made.name, compare)


def _differs(folder: str, machine: Machine, name: str, compare: str) -> bool:
    from agentframes.capturing.compare import differences

    old = os.path.join(compare, machine.engine, machine.version, name)
    if not os.path.isdir(old):
        write("  compare: there is no older one\n")
        return False
    found = list(differences(folder, old))
    for line in found:
        write(f"  compare: {line}\n")
    if not found:
        write("  compare: the same\n")
    sys.stdout.flush()
    return bool(found)


def _live(options: Namespace, prompt: str) -> int:
    given = {
        "--scenario": options.scenario, "--all": options.all, "--list": options.list,
        "--compare": options.compare, "--trace": options.trace, "--jobs": options.jobs > 1,
    }  # fmt: skip
    for option, value in given.items():
        if value:
            raise UsageError(f"capture: {option} is for scenarios, and --live runs a prompt")
    if not prompt.strip():
        raise UsageError("capture: --live needs a prompt: capture ENGINE --live -- PROMPT")
    from agentframes.capturing.live import record_live

    made, machine, came = record_live(options.engine, prompt, cli=options.cli, into=options.into)
    failed = _tell(made, machine, None)
    return 128 + came if came else FAILED if failed else 0


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"not a number from 1 up: {text!r}")
    return int(text)


def _parser() -> Parser:
    parser = Parser("agentframes capture", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("engine", metavar="ENGINE", help="claude, codex, gemini, copilot, opencode")
    add("--scenario", metavar="NAME", action="append", default=[], help="make this; repeatable")
    add("--all", action="store_true", help="make all that this CLI can run")
    add("--list", action="store_true", help="tell the scenarios, and which this CLI cannot run")
    add("--cli", metavar="PATH", help="the CLI's executable, where it is not the one in PATH")
    add("--into", metavar="DIR", default="corpus", help="the corpus to lay it into (corpus)")
    add("--compare", metavar="DIR", help="hold each against the one of its name in this corpus")
    add("--jobs", metavar="N", type=_count, default=1, help="so many at once (1)")
    add("--trace", metavar="FILE", help="append what the CLI asked its model, a JSON line each")
    add("--live", action="store_true", help="record your own CLI and account; PROMPT behind --")
    return parser
