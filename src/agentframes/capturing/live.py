# SPDX-License-Identifier: Apache-2.0
"""A capture of the user's own CLI, with their account and settings: on explicit demand only."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import signal

from agentframes import engines
from agentframes.capturing import laying
from agentframes.capturing.capture import Made, writable
from agentframes.capturing.inside import Result
from agentframes.capturing.machine import CaptureError, Machine, find_machine, work_folder
from agentframes.capturing.sanitizing import Known, this_machine
from agentframes.engines.invocation import Request
from agentframes.interrupts import passed_on
from agentframes.reading import read
from agentframes.recording import Recording, Stopper, record


def record_live(
    engine: str, prompt: str, *, cli: str | None, into: str
) -> tuple[Made, Machine, signal.Signals | None]:
    """Run the CLI here and now, as the user would, and lay down what it printed, sanitized.

    SIGINT and SIGTERM end the CLI, and what it printed until then is laid down all the same; the
    first of them is returned.

    Raises:
        CaptureError: it is not installed, cannot be started, or its output not be laid down.
    """
    writable(into)
    machine = find_machine(engine, cli)
    command = engines.get(engine).command_line(Request(prompt=prompt))
    now = dt.datetime.now(tz=dt.UTC)
    stopper = Stopper()
    with work_folder() as work, passed_on(stopper.to_group) as came:
        folder = os.path.join(work, "records")
        recording = record(
            command.argv,
            folder,
            stdin=command.stdin,
            env=dict(os.environ),
            executable=machine.cli,
            stopper=stopper,
        )
        name, target = _place(
            os.path.join(into, engine, machine.version), f"live-{now:%Y%m%d-%H%M%S}"
        )
        result = _result(command.argv, command.stdin, recording)
        origin = laying.Origin(
            engine=engine,
            version=machine.version,
            name=name,
            shows="a run of its user's own",
            isolated="none",
            live=True,
        )
        try:
            laying.lay(folder, target, laying.describe(origin, result, now.date()), _known())
        except OSError as error:
            raise CaptureError(
                f"{target} cannot be laid down: {(error.strerror or str(error)).lower()};"
                f" what was recorded, not sanitized, stands in {folder}"
            ) from error
        shutil.rmtree(folder)
    facts = read(target, drift=True)
    return (
        Made(name=name, folder=target, result=result, facts=facts),
        machine,
        next(iter(came), None),
    )


def _place(version: str, name: str) -> tuple[str, str]:
    """Take a folder that nobody else has taken: two may run in one second."""
    os.makedirs(version, exist_ok=True)
    number = 1
    while True:
        own = name if number == 1 else f"{name}-{number}"
        target = os.path.join(version, own)
        try:
            os.mkdir(target)
        except FileExistsError:
            number += 1
        else:
            return own, target


def _result(argv: list[str], stdin: str | None, recording: Recording) -> Result:
    return Result(
        argv=argv,
        stdin=stdin,
        stdout="stdout.jsonl",
        recording=recording,
        session=None,
        changed=[],
    )


def _known() -> Known:
    """Return what tells whose machine this is, and where the run took place."""
    machine = this_machine()
    here = dict.fromkeys((os.getcwd(), os.path.realpath(".")), "/workspace/project")
    return machine._replace(paths={**here, **machine.paths})
