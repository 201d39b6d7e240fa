# SPDX-License-Identifier: Apache-2.0
"""How things are measured: in turns, best of several, so that drift hits all alike.

A shared machine's speed changes by half within minutes. Only ratios within one set of rounds
mean something, minimum against minimum.
"""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
SCRIPTS = Path(sysconfig.get_path("scripts"))
PYTHON = sys.executable
MIB = 1024 * 1024
MB = 1_000_000
LIBRARIES = ("agentframes", "msgspec", "orjson", "claude-agent-sdk", "agentabi", "heru")

Program = Sequence[str | Path]


def best(subjects: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Call each subject in turn, several rounds, in this process; the least seconds of each."""
    least = dict.fromkeys(subjects, float("inf"))
    for _ in range(rounds):
        for name, subject in subjects.items():
            gc.collect()  # nobody pays for what the one before left behind
            begin = time.perf_counter()
            subject()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


@dataclass(frozen=True)
class Process:
    """What a program took: the least seconds of its starts, the largest of its peaks."""

    seconds: float
    peak_mib: float
    printed: bytes = b""

    def and_again(self, other: Process) -> Process:
        """Put another start of the same program beside this one."""
        seconds, peak = min(self.seconds, other.seconds), max(self.peak_mib, other.peak_mib)
        return Process(seconds, peak, other.printed)


def start(program: Program, output: Path | None = None) -> Process:
    """Run a program once, from its start to its end.

    Raises:
        RuntimeError: it could not be started, was killed, or did not end with status 0.
    """
    argv = [PYTHON, "-I", "-S", LAUNCHER, output or os.devnull, *program]
    done = subprocess.run(argv, capture_output=True, text=True, env=_environment(), check=False)
    if done.returncode:
        raise RuntimeError(f"{program[0]}: {done.stderr.strip()}")
    seconds, peak, status = done.stdout.split()
    if int(status):  # who fails is quick
        raise RuntimeError(f"{program[0]}: status {status}: {done.stderr.strip()}")
    printed = output.read_bytes() if output else b""
    return Process(float(seconds), int(peak) * 1024 / MIB, printed)


def best_start(
    programs: Mapping[str, Program], rounds: int, output: Path | None = None
) -> dict[str, Process]:
    """Run each program in turn, several rounds."""
    told: dict[str, Process] = {}
    for _ in range(rounds):
        for name, program in programs.items():
            once = start(program, output)
            told[name] = told[name].and_again(once) if name in told else once
    return told


def _environment() -> dict[str, str]:
    """Return the environment that programs are measured in: bytecode cached, nothing added."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
    return {name: value for name, value in os.environ.items() if name not in left_out}


def warm(path: Path) -> None:
    """Read a file once, so that the page cache holds it for everybody."""
    with path.open("rb", buffering=0) as file:
        while file.read(MIB):
            pass


def agentframes(path: Path) -> Program:
    """Return the command that reads a file: the installed script."""
    return (SCRIPTS / "agentframes", "read", "--json", path)


def jq(path: Path) -> Program:
    """Return the jq command that picks the last word of a run."""
    return ("jq", 'select(.type=="result")', path)


def machine() -> list[tuple[str, str]]:
    """Tell the class of the machine and the versions of all that is measured; no names."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    load = os.getloadavg()[0]
    return [
        ("machine", f"{cores} cores, {_processor()}, {memory:.0f} GiB, {platform.system()}"),
        ("load average at the start", f"{load:.1f}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("jq", _jq_version()),
        *((name, _version(name)) for name in LIBRARIES),
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _jq_version() -> str:
    try:
        done = subprocess.run(["jq", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "not installed"
    return done.stdout.strip().removeprefix("jq-")
