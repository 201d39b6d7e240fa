# SPDX-License-Identifier: Apache-2.0
"""What runs inside the isolation: the model server and one chain of runs of a CLI beside it.

Started by `capture` as a process of its own, because a network namespace is entered by a process:
``python -m agentframes.capturing.inside SPEC``. Each run leaves its recording and, at its end,
a `result.json` in its folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Self

import msgspec
from msgspec import Struct

from agentframes import engines
from agentframes.capturing import isolation, tiny_mcp
from agentframes.capturing.chains import Task
from agentframes.capturing.scenario import Scenario
from agentframes.capturing.script import Script
from agentframes.capturing.server import ModelServer
from agentframes.engines.offline import Launch, Offline, Site
from agentframes.errors import AgentframesError
from agentframes.native import parse_engine_session_id
from agentframes.recording import Recording, Stopper, record

HOST = "sandbox"
NOTES = "alpha\nbeta\ngamma\n"
_GIT = ("git", "-c", "user.name=dev", "-c", "user.email=dev@example.com")


class Run(Struct, frozen=True):
    """One run of the chain, and the folder its recording goes into."""

    scenario: Scenario
    variant: str
    folder: str


class Spec(Struct, kw_only=True, frozen=True):
    """What the outer process asks for."""

    engine: str
    cli: str
    version: str
    work: str
    """The folder that holds home and project."""
    path: str
    isolated: bool
    runs: list[Run]
    trace: str | None = None
    """Where each request is written to, one JSON object a line."""


class Result(Struct, kw_only=True):
    """How a run went."""

    argv: list[str]
    stdin: str | None
    stdout: str
    """The name of the file with the output."""
    recording: Recording
    session: str | None
    changed: list[str]
    """What `git status --short` tells of the project afterwards."""


def main() -> int:
    """Run the chain that the file of the first argument describes."""
    with open(sys.argv[1], "rb") as file:
        spec = msgspec.json.decode(file.read(), type=Spec)
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if spec.isolated:
            isolation.bring_up_loopback()
            isolation.set_host_name(HOST)
        run_chain(spec)
    except AgentframesError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _end(*_: object) -> None:
    """Leave by way of what ends the CLI."""
    raise SystemExit(128 + signal.SIGTERM)


def _end_with_parent() -> None:
    """End when nobody holds the other end of stdin any more, whatever became of them."""
    with suppress(OSError):
        while os.read(0, 1):  # not of `sys.stdin`, which is locked meanwhile
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def run_chain(spec: Spec) -> None:
    """Run a chain in one home, one project and one conversation."""
    engine = engines.capture_setup(spec.engine)
    home, project = os.path.join(spec.work, "home"), os.path.join(spec.work, "project")
    for folder in (home, os.path.join(spec.work, "tmp")):
        os.makedirs(folder, exist_ok=True)
    make_project(project)
    site = Site(
        cli=spec.cli,
        version=spec.version,
        home=home,
        project=project,
        port=0,
        mcp_command=(sys.executable, tiny_mcp.__file__),
    )
    script = Script(engine, site)
    with _Trace(spec.trace) as trace, ModelServer(script.answer, log=trace.write) as server:
        script.site = msgspec.structs.replace(site, port=server.port)
        session: str | None = None
        for run in spec.runs:
            session = _run(run, spec, engine, script, session)


def _run(run: Run, spec: Spec, engine: Offline, script: Script, session: str | None) -> str | None:
    """Make one recording; return the session that the next may go on with."""
    site = script.site
    task = Task(run.scenario, run.variant)
    # Some CLIs tell no session (Codex up to 0.42.0): "" then, which its engine may look up.
    launch = engine.launch(task.ask((session or "") if run.scenario.after else None), site)
    for path, text in launch.files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    stopper = Stopper()
    script.reached = _killer(run.scenario, stopper)
    script.begin(run.scenario, launch.warm_up)
    os.makedirs(run.folder, exist_ok=True)
    stdout = "stdout.json" if launch.single else "stdout.jsonl"
    recording = record(
        launch.argv,
        run.folder,
        stdout_name=stdout,
        stdin=launch.stdin,
        env=environment(launch, site, spec.path),
        cwd=site.project,
        executable=site.cli,
        timeout=run.scenario.timeout,
        stopper=stopper,
    )
    with open(os.path.join(run.folder, stdout), "rb") as file:
        found = parse_engine_session_id(spec.engine, file.read())
    result = Result(
        argv=launch.argv,
        stdin=launch.stdin,
        stdout=stdout,
        recording=recording,
        session=found,
        changed=_changed(site.project),
    )
    with open(os.path.join(run.folder, "result.json"), "wb") as file:
        file.write(msgspec.json.encode(result))
    return found or session


def environment(launch: Launch, site: Site, path: str) -> dict[str, str]:
    """Return all that the CLI's environment holds."""
    return {
        "HOME": site.home,
        "PATH": path,
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "SHELL": "/bin/bash",
        "USER": "dev",
        "TMPDIR": os.path.join(os.path.dirname(site.home), "tmp"),  # not the machine's
        "NO_COLOR": "1",
        **launch.env,
    }


def make_project(project: str) -> None:
    """Write the small project that scenarios work on; under git, where there is git."""
    os.makedirs(project, exist_ok=True)
    with open(os.path.join(project, "notes.txt"), "w", encoding="utf-8", newline="\n") as file:
        file.write(NOTES)
    with open(os.path.join(project, "pixel.png"), "wb") as file:
        file.write(tiny_mcp.red_pixel())
    if shutil.which("git"):
        for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "start"]):
            _git(project, *command)


def _changed(project: str) -> list[str]:
    return _git(project, "status", "--short").splitlines() if shutil.which("git") else []


def _git(project: str, *arguments: str) -> str:
    command = [*_GIT, "-C", project, *arguments]
    plain = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(  # noqa: S603 - git, with arguments of ours
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=plain,
    )
    return done.stdout


def _killer(scenario: Scenario, stopper: Stopper) -> Any:
    """Return what signals the CLI when its model has come to the place where it is to be killed."""
    kill = scenario.kill
    done = threading.Event()

    def reached(step: int, pieces: int | None) -> None:
        if kill is None or step != 0 or pieces != kill.pieces or done.is_set():
            return
        done.set()
        threading.Thread(target=_signal, args=(kill.seconds,), daemon=True).start()

    def _signal(seconds: float) -> None:
        time.sleep(seconds)
        stopper.send(kill.signal if kill else "SIGTERM")

    return reached


class _Trace:
    """Writes each request down, where asked to."""

    def __init__(self, path: str | None) -> None:
        self._file = open(path, "ab", buffering=0) if path else None  # noqa: SIM115 - closed below

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def write(self, told: dict[str, Any]) -> None:
        if self._file:
            self._file.write(msgspec.json.encode(told) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
