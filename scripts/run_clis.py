# SPDX-License-Identifier: Apache-2.0
"""A real CLI run by `agentframes run` itself, offline: fresh, resumed, refused, interrupted.

``python scripts/run_clis.py ENGINE CLI`` starts itself once more inside the isolation, with the
scripted model server beside it, and says what is not as it should be.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import msgspec

import agentframes as af
from agentframes import engines
from agentframes.capturing import isolation, tiny_mcp
from agentframes.capturing.inside import HOST, environment, make_project
from agentframes.capturing.machine import find_machine, search_path, work_folder
from agentframes.capturing.scenario import Scenario, load_all
from agentframes.capturing.script import Script
from agentframes.capturing.server import ModelServer
from agentframes.engines.offline import Ask, Site

INSIDE = "--inside"
PATIENCE = 600  # seconds; claude 2.1.332 asks ten times after a refused key
# What the set-up without an account needs beyond what `agentframes run` asks for by itself.
OPTIONS = {
    "claude": ["--permission", "all"],
    "codex": ["--permission", "all"],
    "copilot": [],
    "gemini": ["--permission", "all", "--model", "gemini-2.5-pro"],
    "opencode": ["--model", "fake/fake-model"],
}
EXTRA = {"gemini": ["--skip-trust"]}


class Ran(NamedTuple):
    """One call of `agentframes run`."""

    status: int
    events: list[dict[str, Any]]
    facts: dict[str, Any]
    said: str

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tools that were called, each as it ended."""
        bursts = {event["id"]: event for event in self.events if event["kind"] == "toolBurst"}
        return [call for burst in bursts.values() for call in burst["calls"]]


class Stage:
    """The place of the runs: home, project, model and its script."""

    def __init__(self, engine: str, cli: str, version: str, work: Path) -> None:
        self.engine, self.work = engine, work
        self.project = work / "project"
        self.site = Site(
            cli=cli,
            version=version,
            home=str(work / "home"),
            project=str(self.project),
            port=0,
            mcp_command=(sys.executable, tiny_mcp.__file__),
        )
        self.offline = engines.capture_setup(engine)
        self.script = Script(self.offline, self.site)
        self.asked: tuple[int, int | None] | None = None
        """How far the model has come."""

    def use(self, port: int) -> None:
        """Take note of where the model server listens."""
        self.site = self.script.site = msgspec.structs.replace(self.site, port=port)

    def reached(self, step: int, pieces: int | None) -> None:
        """Take note of how far the model has come."""
        self.asked = (step, pieces)

    def start(self, scenario: Scenario, *options: str) -> subprocess.Popen[bytes]:
        """Start `agentframes run` with a scenario's prompt."""
        launch = self.offline.launch(Ask(prompt=scenario.prompt, http=scenario.http), self.site)
        for path, text in launch.files.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, "utf-8")
        self.script.begin(scenario, launch.warm_up)
        env = environment(launch, self.site, search_path())
        env |= {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "AGENTFRAMES_RUNS": str(self.work / "runs"),
        }
        extra = EXTRA.get(self.engine, [])
        command = [sys.executable, "-m", "agentframes", "run", self.engine, scenario.prompt]
        command += ["--cli", self.site.cli, "--json", *OPTIONS[self.engine], *options, "--", *extra]
        return subprocess.Popen(
            command, cwd=self.project, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    @staticmethod
    def ended(process: subprocess.Popen[bytes]) -> Ran:
        """Wait for its end."""
        out, err = process.communicate(timeout=PATIENCE)
        *events, facts = [json.loads(line) for line in out.splitlines()] or [{}]
        return Ran(process.returncode, events, facts, err.decode("utf-8", "replace"))

    def run(self, scenario: Scenario, *options: str) -> Ran:
        """Run a scenario's prompt to its end."""
        return self.ended(self.start(scenario, *options))

    def left(self) -> list[int]:
        """List processes that still work in the project."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and (entry / "cwd").resolve() == self.project.resolve():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


def wrong(stage: Stage) -> Iterator[str]:
    """Run all there is to run; yield what is not as it should be."""
    scenarios = load_all()
    fresh = stage.run(scenarios["s03-shell"])
    yield from _fresh(stage, fresh, scenarios["s03-shell"])
    session = str(fresh.facts.get("session_id"))
    second = scenarios["s13b-second-resume"]
    for options in (["--resume", session], ["--continue"]):
        again = stage.run(second, *options)
        seen = (again.status, again.facts.get("final_text"), again.facts.get("session_id"))
        if seen != (0, second.steps[-1].text, session):
            yield f"resumed with {options[0]}: {seen}, {again.said.strip()}"
    refused = stage.run(scenarios["s09-http401"])
    outcome = refused.facts.get("outcome", {})
    if (refused.status, outcome.get("reason")) != (1, "auth"):
        yield f"a refused key: exit {refused.status}, {outcome}"
    if "is not logged in" not in refused.said:
        yield f"a refused key is not told: {refused.said.strip()}"
    yield from _interrupted(stage, scenarios["s26-sigterm-tool"])


def _fresh(stage: Stage, ran: Ran, scenario: Scenario) -> Iterator[str]:
    facts = ran.facts
    if ran.status or facts.get("outcome", {}).get("status") != "success":
        yield f"fresh: exit {ran.status}, {facts.get('outcome')}, {ran.said.strip()}"
    if facts.get("final_text") != scenario.steps[-1].text:
        yield f"fresh: the final text is {facts.get('final_text')!r}"
    if [call["status"] for call in ran.calls] != ["ok"] or facts.get("tool_calls") != 1:
        yield f"fresh: the calls are {ran.calls}"
    (folder,) = (path for path in (stage.work / "runs").iterdir() if path.is_dir())
    kept = json.loads(af.read(folder).to_json()) | {"source": str(folder)}
    if kept != facts:
        yield f"fresh: the capture reads otherwise: {kept}"
    if stage.left():
        yield f"fresh: processes are left: {stage.left()}"


def _interrupted(stage: Stage, scenario: Scenario) -> Iterator[str]:
    """Press ^C while a command runs."""
    called = time.monotonic()
    stage.script.reached = stage.reached
    process = stage.start(scenario)
    while stage.asked != (0, None) and time.monotonic() - called < PATIENCE:
        time.sleep(0.05)
    time.sleep(2)  # the command is running by now
    process.send_signal(signal.SIGINT)
    ran = stage.ended(process)
    status = ran.facts.get("outcome", {}).get("status")
    if ran.status != 128 + signal.SIGINT or status == "success":
        yield f"interrupted: exit {ran.status}, {ran.facts.get('outcome')}"
    if stage.left():
        yield f"interrupted: processes are left: {stage.left()}"


def inside(engine: str, cli: str, version: str, work: Path, *, isolated: bool) -> int:
    """Run within the isolation; return how many things were wrong."""
    if isolated:
        isolation.bring_up_loopback()
        isolation.set_host_name(HOST)
    for name in ("home", "tmp"):
        (work / name).mkdir()
    make_project(str(work / "project"))
    stage = Stage(engine, cli, version, work)
    with ModelServer(stage.script.answer) as server:
        stage.use(server.port)
        found = list(wrong(stage))
    for line in found:
        print(f"  run: {line}")
    if not found:
        print("  run: fresh, resumed, continued, refused and interrupted as it should be")
    return len(found)


def check(engine: str, cli: str) -> int:
    """Run a CLI by `agentframes run`, in isolation; return how many things were wrong."""
    machine = find_machine(engine, cli)
    with work_folder() as work:
        given = [engine, machine.cli, machine.version, work, str(int(machine.isolation.isolated))]
        command = [*machine.isolation.prefix, sys.executable, __file__, INSIDE, *given]
        return subprocess.run(command, check=False).returncode


def main(arguments: list[str]) -> int:
    """Check one CLI."""
    if arguments[:1] == [INSIDE]:
        engine, cli, version, work, isolated = arguments[1:]
        return inside(engine, cli, version, Path(work), isolated=isolated == "1")
    engine, cli = arguments
    return 1 if check(engine, cli) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
