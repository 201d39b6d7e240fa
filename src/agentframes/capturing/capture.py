# SPDX-License-Identifier: Apache-2.0
"""Captures made: a CLI run through scenarios in isolation, its output sanitized and laid down."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager

import msgspec
from msgspec import Struct

from agentframes import engines
from agentframes.capturing import isolation, laying
from agentframes.capturing.chains import Task, chains, why_not
from agentframes.capturing.inside import Result, Run, Spec
from agentframes.capturing.isolation import Isolation
from agentframes.capturing.sanitizing import Known, this_machine
from agentframes.capturing.scenario import Scenario
from agentframes.engines.offline import Site
from agentframes.errors import AgentframesError
from agentframes.facts.model import RunFacts
from agentframes.reading import read

_VERSION = re.compile(r"\d+(?:\.\d+)+(?:-[0-9A-Za-z.-]+)?")
_VERSION_SECONDS = 60
_SHARED = frozenset({"/", "/usr", "/usr/local", "/opt", os.path.expanduser("~")})
_TOOLS = ("node", "rg", "git", "bash")


class CaptureError(AgentframesError):
    """A capture that cannot be made: no CLI, no version, a rig that fails."""


class Machine(Struct, frozen=True):
    """The CLI as it is installed, and how it can be shut in."""

    engine: str
    cli: str
    version: str
    isolation: Isolation


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


def find_machine(engine: str, cli: str | None = None) -> Machine:
    """Find an engine's CLI and ask it for its exact version.

    Raises:
        CaptureError: it is not installed, cannot be started, or tells no version.
    """
    offline = engines.capture_setup(engine)
    path = shutil.which(cli or offline.program)
    if path is None:
        wanted = f"no executable {cli!r}" if cli else f"{offline.program} is not installed"
        raise CaptureError(
            f"{wanted}: npm install --prefix DIR {offline.package},"
            f" then --cli DIR/node_modules/.bin/{offline.program}"
        )
    path = os.path.abspath(path)
    found = isolation.find()
    return Machine(engine, path, _version(path, found), found)


def _version(cli: str, found: Isolation) -> str:
    with work_folder() as home:
        command = [*found.prefix, cli, "--version"]
        env = {"HOME": home, "PATH": _path(), "LANG": "C.UTF-8", "TERM": "dumb"}
        try:
            done = subprocess.run(  # noqa: S603 - the CLI that was asked for
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=env,
                cwd=home,
                timeout=_VERSION_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CaptureError(f"{cli} --version: {error}") from error
    told = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
    version = _VERSION.search(told)
    if version is None or done.returncode:
        last = " ".join(told.split())[-200:]
        raise CaptureError(f"{cli} --version tells no version (exit {done.returncode}): {last}")
    return version[0]


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
    on at once, each in an isolation of its own.
    """
    names = {task.name for task in wanted}
    possible: list[Task] = []
    for task, why in reasons(machine, wanted, scenarios):
        if why is None:
            possible.append(task)
        else:
            yield Made(name=task.name, why_not=why)
    with ThreadPoolExecutor(jobs) as pool:
        running = [
            pool.submit(_chain, machine, chain, into, trace)
            for chain in sorted(chains(possible, scenarios), key=_patience)
        ]
        try:
            for done in as_completed(running):
                yield from (made for made in done.result() if made.name in names)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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


def _chain(machine: Machine, chain: list[Task], into: str, trace: str | None) -> list[Made]:
    """Run a chain in a work folder of its own, then lay its captures down."""
    made: list[Made] = []
    with work_folder() as work:
        runs = [Run(task.scenario, task.variant, _records(work, task)) for task in chain]
        spec = Spec(
            engine=machine.engine,
            cli=machine.cli,
            version=machine.version,
            work=work,
            path=_path(),
            isolated=machine.isolation.isolated,
            runs=runs,
            trace=os.path.abspath(trace) if trace else None,
        )
        problem = _run_inside(spec, machine.isolation)
        for task, run in zip(chain, runs, strict=True):
            told = os.path.join(run.folder, "result.json")
            if not os.path.exists(told):
                made.append(_failed(task, run, problem))
                continue
            with open(told, "rb") as file:
                result = msgspec.json.decode(file.read(), type=Result)
            made.append(_laid(machine, task, result, work=work, into=into))
    return made


def _failed(task: Task, run: Run, problem: str) -> Made:
    why = f"the rig failed: {problem}"
    if os.path.isdir(run.folder):
        why += f"; what was recorded stands in {os.path.dirname(run.folder)}"
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


def _run_inside(spec: Spec, found: Isolation) -> str:
    """Run a chain in a process of its own; return what it said when it failed."""
    path = os.path.join(spec.work, "spec.json")
    with open(path, "wb") as file:
        file.write(msgspec.json.encode(spec))
    command = [*found.prefix, sys.executable, "-m", "agentframes.capturing.inside", path]
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": spec.work, "LANG": "C.UTF-8"}
    env |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(  # noqa: S603 - this program
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, env=env
    )
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"exit {done.returncode}: {lines[-1] if lines else 'nothing was said'}"


def _path() -> str:
    """Return the CLI's PATH: where node and the few tools they use stand, then the system's."""
    found = [os.path.dirname(tool) for name in _TOOLS if (tool := shutil.which(name))]
    folders = [*dict.fromkeys((*found, "/usr/bin", "/bin"))]
    return os.pathsep.join(folders)


@contextmanager
def work_folder() -> Iterator[str]:
    """Make a work folder that is not below the temporary one: Codex warns of a home there.

    It goes at the end, unless there are recordings in `records` that were not laid down.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.makedirs(base, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="agentframes-capture-", dir=base)
    try:
        yield folder
    finally:
        records = os.path.join(folder, "records")
        if not os.path.isdir(records) or not os.listdir(records):
            shutil.rmtree(folder, ignore_errors=True)
