# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the engines' CLIs (`fake_cli.py`), and ``agentframes`` run with them."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentframes import engines
from tests.captured import ROOT
from tests.processes import PATIENCE, gone, until

CORPUS = ROOT / "corpus"
NEWEST = {
    "claude": "2.1.332",
    "codex": "0.171.0",
    "copilot": "1.0.102",
    "gemini": "0.61.0",
    "opencode": "1.18.33",
}

_WRAPPER = """\
#!/bin/sh
if [ "$1" = --version ]; then echo {version}; exit; fi
export FAKE_PLAYS={plays} FAKE_NOTES={notes} FAKE_DOES={does} FAKE_BYTES={size}
exec {python} -I -S {script} "$@"
"""


class Printed(NamedTuple):
    """What was printed, in short."""

    bytes: int
    sha256: str


class Fake:
    """One stand-in: an executable of the engine's name, and the notes that it takes."""

    def __init__(
        self,
        folder: Path,
        engine: str = "claude",
        does: str = "plays",
        *,
        scenario: str = "s16-multistep",
        plays: Path | None = None,
        version: str | None = None,
        size: int = 0,
    ) -> None:
        self.engine = engine
        self.notes = folder / "notes"
        self.plays = plays or CORPUS / engine / NEWEST[engine] / scenario
        self.path = folder / "bin" / engines.installation(engine).program
        for made in (self.notes, self.path.parent):
            made.mkdir(parents=True, exist_ok=True)
        text = _WRAPPER.format(
            version=shlex.quote(NEWEST[engine] if version is None else version),
            plays=shlex.quote(str(self.plays)),
            notes=shlex.quote(str(self.notes)),
            does=does,
            size=size,
            python=shlex.quote(sys.executable),
            script=shlex.quote(str(Path(__file__).parent / "fake_cli.py")),
        )
        self.path.write_text(text, "utf-8")
        self.path.chmod(0o755)

    def note(self, name: str) -> Path:
        """Wait for a note."""
        path = self.notes / name
        until(path.exists)
        return path

    def started(self) -> bool:
        """Tell whether it was ever started, but for its version."""
        return (self.notes / "asked").exists()

    def asked(self) -> dict[str, Any]:
        """Return what it was started with: argv, stdin, cwd."""
        told: dict[str, Any] = json.loads(self.note("asked").read_text("utf-8"))
        return told

    def printed(self) -> Printed:
        """Wait until it has printed all that it will, and return that."""
        return Printed(**json.loads(self.note("printed").read_text("utf-8")))

    def pids(self) -> list[int]:
        """Return its processes."""
        return [int(pid) for pid in self.note("pids").read_text("ascii").split()]

    def ended(self, processes: int = 1) -> None:
        """Hold that there were so many processes, and that none of them is left."""
        pids = self.pids()
        assert processes == len(pids)
        for pid in pids:
            gone(pid)


def kept(home: Path) -> Path:
    """Return the folder of the only run that was kept."""
    (folder,) = (path for path in (home / "runs").iterdir() if path.is_dir())
    return folder


def recorded(folder: Path) -> Printed:
    """Return what stands in a capture."""
    data = (folder / "stdout.jsonl").read_bytes()
    return Printed(len(data), hashlib.sha256(data).hexdigest())


def environment(home: Path, **changed: str) -> dict[str, str]:
    """Return an environment in which runs are kept below a folder."""
    told = {**os.environ, "AGENTFRAMES_RUNS": str(home / "runs"), "PYTHONWARNINGS": "error"}
    for name in ("AGENTFRAMES_RUNS_DAYS", "AGENTFRAMES_RUNS_MB", "COLUMNS"):
        told.pop(name, None)
    return {**told, **changed}


def arguments(fake: Fake, *more: str, prompt: str = "Do four steps.") -> list[str]:
    """Write the arguments of ``agentframes`` that run a stand-in."""
    return ["run", fake.engine, prompt, "--cli", str(fake.path), *more]


@contextmanager
def started(
    home: Path, *command: str, before: str = "", **changed: str
) -> Iterator[subprocess.Popen[str]]:
    """Start ``agentframes``, in a process that may have done something before."""
    code = f"import sys\n{before}\nfrom agentframes.commands import main\nsys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=home, env=environment(home, **changed), start_new_session=True,
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


class Done(NamedTuple):
    """How ``agentframes`` ended."""

    status: int
    out: str
    err: str


def done(process: subprocess.Popen[str]) -> Done:
    """Wait for the end."""
    out, err = process.communicate(timeout=3 * PATIENCE)
    return Done(process.returncode, out, err)


def ran(home: Path, *command: str, before: str = "", **changed: str) -> Done:
    """Run ``agentframes`` to its end."""
    with started(home, *command, before=before, **changed) as process:
        return done(process)
