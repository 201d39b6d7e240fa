# SPDX-License-Identifier: Apache-2.0
"""A capture of the user's own CLI, with their account and settings: on explicit demand only."""

from __future__ import annotations

import datetime as dt
import os
import shutil

from agentframes import engines
from agentframes.capturing import laying
from agentframes.capturing.capture import Machine, Made, find_machine, work_folder
from agentframes.capturing.inside import Result
from agentframes.capturing.sanitizing import Known, this_machine
from agentframes.engines.invocation import Request
from agentframes.reading import read
from agentframes.recording import record


def record_live(engine: str, prompt: str, *, cli: str | None, into: str) -> tuple[Made, Machine]:
    """Run the CLI here and now, as the user would, and lay down what it printed, sanitized.

    Raises:
        CaptureError: it is not installed, or cannot be started.
    """
    machine = find_machine(engine, cli)
    command = engines.get(engine).command_line(Request(prompt=prompt))
    now = dt.datetime.now(tz=dt.UTC)
    name = f"live-{now:%Y%m%d-%H%M%S}"
    with work_folder() as work:
        folder = os.path.join(work, "records")
        os.mkdir(folder)
        recording = record(
            command.argv,
            folder,
            stdin=command.stdin,
            env=dict(os.environ),
            executable=machine.cli,
        )
        result = Result(
            argv=command.argv,
            stdin=command.stdin,
            stdout="stdout.jsonl",
            recording=recording,
            session=None,
            changed=[],
        )
        origin = laying.Origin(
            engine=engine,
            version=machine.version,
            name=name,
            shows="a run of its user's own",
            isolated="none",
            live=True,
        )
        target = os.path.join(into, engine, machine.version, name)
        laying.lay(folder, target, laying.describe(origin, result, now.date()), _known())
        shutil.rmtree(folder)
    facts = read(target, drift=True)
    return Made(name=name, folder=target, result=result, facts=facts), machine


def _known() -> Known:
    """Return what tells whose machine this is, and where the run took place."""
    machine = this_machine()
    here = dict.fromkeys((os.getcwd(), os.path.realpath(".")), "/workspace/project")
    return machine._replace(paths={**here, **machine.paths})
