# SPDX-License-Identifier: Apache-2.0
"""The newest release of each CLI, installed into a scratch folder, captured and run.

What a capture of three scenarios yields is held against what the scenario lets the model say, and
`agentframes run` starts, resumes and interrupts it. Of a release that the corpus has, drift is an
error; of a newer one it is told, as the sign to capture it. A registry that cannot be reached, or
no npm, is said as such and fails nothing.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import agentframes as af
from agentframes import engines
from agentframes.capturing.capture import Made, make
from agentframes.capturing.chains import named
from agentframes.capturing.machine import CaptureError, Machine, find_machine
from agentframes.capturing.scenario import Scenario, load_all
from agentframes.events.model import TaskAgentMessage, ToolBurst
from scripts import run_clis

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
SCENARIOS = ("s01-text", "s03-shell", "s04-parallel")
INSTALL_SECONDS = 600


def install(package: str, folder: Path) -> str | None:
    """Install a package's newest release; return what went wrong, None when nothing did."""
    # Without the tag, npm takes an older one where the newest asks for another Node.
    newest = f"{package}@latest"
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), newest]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"npm install took more than {INSTALL_SECONDS} s"
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    codes = [line for line in lines if " code " in line]
    return f"npm install failed: {(codes or lines or ['nothing was said'])[0].strip()}"


def wrong(made: Made, scenario: Scenario, *, captured: bool) -> Iterator[str]:
    """Yield what a capture does not show that its scenario holds."""
    facts = made.facts
    if made.folder is None or facts is None:
        yield f"not made: {made.why_not}"
        return
    if facts.outcome.status != "success":
        yield f"the outcome is {facts.outcome.status} ({facts.outcome.reason}), not success"
    answer = scenario.steps[-1].text
    if facts.final_text != answer:
        yield f"the final text is {facts.final_text!r}, not {answer!r}"
    if facts.tool_calls != len(scenario.calls):
        yield f"{facts.tool_calls} tool calls, not {len(scenario.calls)}"
    events = af.read(made.folder, events=True).events
    said = [event.body for event in events if isinstance(event, TaskAgentMessage)]
    if said != [step.text for step in scenario.steps if step.text]:
        yield f"the agent's messages are {said}"
    calls = [call for event in events if isinstance(event, ToolBurst) for call in event.calls]
    if len(calls) != len(scenario.calls):
        yield f"{len(calls)} calls in the conversation, not {len(scenario.calls)}"
    if captured:
        yield from (f"drift: {one.what} {one.kind} {one.field or ''}" for one in facts.drift)


def check(engine: str, scratch: Path) -> int:
    """Run one engine's newest CLI; return how many things were wrong."""
    offline = engines.capture_setup(engine)
    problem = install(offline.package, scratch)
    if problem is not None:
        print(f"{engine}: not tested, the registry did not give {offline.package}: {problem}")
        return 0
    machine = find_machine(engine, str(scratch / "node_modules/.bin" / offline.program))
    captured = (CORPUS / engine / machine.version).is_dir()
    print(f"{engine} {machine.version}{'' if captured else ': not captured yet'}")
    bad = sum(_made(machine, scratch / "captures", captured=captured))
    return bad + run_clis.check(engine, machine.cli)


def _made(machine: Machine, into: Path, *, captured: bool) -> Iterator[int]:
    scenarios = load_all()
    wanted = [named(name, scenarios) for name in SCENARIOS]
    for made in make(machine, wanted, scenarios, into=str(into)):
        found = list(wrong(made, scenarios[made.name], captured=captured))
        print(f"  {made.name}: {'; '.join(found) or 'as it should be'}")
        if made.facts is not None and not captured:
            for one in made.facts.drift:
                print(f"    {one.level}: {one.what} {one.kind} {one.field or ''}")
        yield len(found)


def main(argv: list[str] | None = None) -> int:
    """Test the CLIs; return 1 when one is not read as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("engine", nargs="*", metavar="ENGINE", help="all by default")
    options = parser.parse_args(argv)
    if shutil.which("npm") is None:
        print("no CLI is tested: npm is not installed")
        return 0
    bad = 0
    for engine in options.engine or engines.names():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            try:
                bad += check(engine, Path(scratch))
            except CaptureError as error:
                print(f"{engine}: {error}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
