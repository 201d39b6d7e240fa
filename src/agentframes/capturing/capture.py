# SPDX-License-Identifier: Apache-2.0
"""Captures made: a CLI run through scenarios in isolation, its output sanitized and laid down."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec
from msgspec import Struct

from agentframes import engines
from agentframes.capturing import laying
from agentframes.capturing.chains import Task, chains, why_not
from agentframes.capturing.inside import Result, Run, Spec
from agentframes.capturing.machine import CaptureError, Machine, search_path, work_folder
from agentframes.capturing.rig import Rig
from agentframes.capturing.sanitizing import Known, this_machine
from agentframes.capturing.scenario import Scenario
from agentframes.engines.offline import Site
from agentframes.facts.model import RunFacts
from agentframes.reading import read

_SHARED = frozenset({"/", "/usr", "/usr/local", "/opt", os.path.expanduser("~")})


class Made(Struct, kw_only=True):
    """What became of one capture."""

    name: str
    folder: str | None = None
    why_not: str | None = None
    """Why it was not made."""
    failed: bool = False
    """Whether that is a fault of the rig: the CLI could have run it."""
    result: Result | None = None
    facts: RunFacts | None = None
    """As read from the folder, with all findings of drift."""


def make(
    machine: Machine,
    wanted: Sequence[Task],
    scenarios: Mapping[str, Scenario],
    *,
    into: str,
    trace: str | None = None,
    jobs: int = 1,
) -> Iterator[Made]:
    """Make captures and yield each when it is done, in `into`/engine/version/name.

    One that was there is replaced, but only by one that was made. Up to `jobs` chains of runs go
    on at once, each in an isolation of its own. Who asks for no more ends those that run.

    Raises:
        CaptureError: `into` cannot be written to.
    """
    writable(into)
    names = {task.name for task in wanted}
    possible: list[Task] = []
    for task, why in reasons(machine, wanted, scenarios):
        if why is None:
            possible.append(task)
        else:
            yield Made(name=task.name, why_not=why)
    rig = Rig()
    with ThreadPoolExecutor(jobs) as pool:
        running = [
            pool.submit(_chain, machine, chain, into, trace, rig)
            for chain in sorted(chains(possible, scenarios), key=_patience)
        ]
        try:
            for done in as_completed(running):
                yield from (made for made in done.result() if made.name in names)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            rig.stop()


def reasons(
    machine: Machine, wanted: Iterable[Task], scenarios: Mapping[str, Scenario]
) -> Iterator[tuple[Task, str | None]]:
    """Yield each capture with the reason why the CLI cannot make it; None where it can."""
    offline = engines.capture_setup(machine.engine)
    site = Site(
        cli=machine.cli, version=machine.version, home="", project="", port=0, mcp_command=()
    )
    for task in wanted:
        needed = [task]
        while (first := needed[-1].scenario.after) is not None:
            needed.append(Task(scenarios[first]))
        told = (why_not(one, machine.engine, offline, site) for one in needed)
        yield task, next((why for why in told if why), None)


def _patience(chain: list[Task]) -> float:
    """Put what may take long first, so that it does not go on alone at the end."""
    return -max(task.scenario.timeout for task in chain)


def writable(into: str) -> None:
    """Make the folder that captures go into.

    Raises:
        CaptureError: it cannot be made, or not be written to.
    """
    try:
        os.makedirs(into, exist_ok=True)
    except OSError as error:
        raise CaptureError(f"--into {into}: {(error.strerror or str(error)).lower()}") from error
    if not os.access(into, os.W_OK):
        raise CaptureError(f"--into {into}: not writable")


def _chain(
    machine: Machine, chain: list[Task], into: str, trace: str | None, rig: Rig
) -> list[Made]:
    """Run a chain in a work folder of its own, then lay its captures down."""
    made: list[Made] = []
    with work_folder() as work:
        runs = [Run(task.scenario, task.variant, _records(work, task)) for task in chain]
        spec = Spec(
            engine=machine.engine,
            cli=machine.cli,
            version=machine.version,
            work=work,
            path=search_path(),
            isolated=machine.isolation.isolated,
            runs=runs,
            trace=os.path.abspath(trace) if trace else None,
        )
        problem = rig.run(spec, machine.isolation)
        if rig.stopped:
            shutil.rmtree(os.path.join(work, "records"), ignore_errors=True)
            return []
        for task, run in zip(chain, runs, strict=True):
            try:
                with open(os.path.join(run.folder, "result.json"), "rb") as file:
                    result = msgspec.json.decode(file.read(), type=Result)
            except (OSError, msgspec.DecodeError):
                made.append(_failed(task, run, f"the rig failed: {problem}"))
                continue
            try:
                made.append(_laid(machine, task, result, work=work, into=into))
            except OSError as error:
                why = f"it cannot be laid down: {error.filename}: {error.strerror}".lower()
                made.append(_failed(task, run, why))
    return made


def _failed(task: Task, run: Run, why: str) -> Made:
    if os.path.isdir(run.folder):
        why += f"; what was recorded, not sanitized, stands in {os.path.dirname(run.folder)}"
    return Made(name=task.name, why_not=why, failed=True)


def _laid(machine: Machine, task: Task, result: Result, *, work: str, into: str) -> Made:
    table = laying.describe(
        laying.Origin(
            engine=machine.engine,
            version=machine.version,
            name=task.name,
            shows=task.scenario.shows,
            isolated=machine.isolation.how,
            variant=task.variant,
        ),
        result,
        dt.datetime.now(tz=dt.UTC).date(),
    )
    target = os.path.join(into, machine.engine, machine.version, task.name)
    recorded = _records(work, task)
    laying.lay(recorded, target, table, known(work, machine.cli))
    shutil.rmtree(recorded)
    facts = read(target, drift=True)
    return Made(name=task.name, folder=target, result=result, facts=facts)


def _records(work: str, task: Task) -> str:
    return os.path.join(work, "records", task.name)


def known(work: str, cli: str) -> Known:
    """Return this run's paths, with what stands for them in every capture."""
    paths = {
        os.path.join(work, "home"): "~",
        os.path.join(work, "project"): "/workspace/project",
        work: "/workspace",
        os.path.dirname(os.path.abspath(__file__)): "/opt/tools",
        sys.executable: "/usr/bin/python3",
    }
    for path in (cli, os.path.realpath(cli)):
        root = path.split("/node_modules/")[0] if "/node_modules/" in path else None
        root = root or os.path.dirname(os.path.dirname(path))
        if root not in _SHARED:
            paths[root] = "/opt/cli"
    machine = this_machine()
    real = {os.path.realpath(path): told for path, told in paths.items()}
    return machine._replace(paths={**machine.paths, **paths, **real})
