# SPDX-License-Identifier: Apache-2.0
"""``agentframes capture`` that is ended, or whose results have no place: nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import agentframes as af
from agentframes.capturing import machine
from agentframes.capturing.machine import CaptureError
from tests.processes import PATIENCE, gone, until

# It prints, tells its own and its child's number, and goes on for long.
STAND_IN = """#!/bin/sh
if [ "$1" = --version ]; then echo 9.8.7; exit; fi
echo '{{"type":"system","subtype":"init","session_id":"s-1","cwd":"/home/nora","tools":[]}}'
sleep 60 &
echo "$$ $!" > {pids}
wait
"""


class Cli:
    """A stand-in for claude, and the numbers of its processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bin" / "claude"
        self.pids = folder / "pids"
        self.path.parent.mkdir()
        self.path.write_text(STAND_IN.format(pids=self.pids), "utf-8")
        self.path.chmod(0o755)

    def running(self) -> list[int]:
        """Wait until it runs."""
        until(lambda: self.pids.exists() and len(self.pids.read_text().split()) == 2)
        return [int(pid) for pid in self.pids.read_text().split()]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Write the stand-in."""
    return Cli(tmp_path)


def started(cli: Cli, tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the command with a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "agentframes", "capture", "claude", "--cli", str(cli.path),
         "--into", str(tmp_path / "into"), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_offline_capture_ends_its_cli(cli: Cli, tmp_path: Path, name: str) -> None:
    """Whatever ends the command; what was recorded can be made again and goes, but for a kill."""
    process = started(cli, tmp_path, "--scenario", "s01-text")
    pids = cli.running()
    number = signal.Signals[name]
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (130 if name == "SIGINT" else 143 if name == "SIGTERM" else -9) == process.returncode
    for pid in pids:
        gone(pid)
    if name != "SIGKILL":
        assert [] == list((tmp_path / "cache").iterdir())
        assert ("", 1) == (out, err.count("\n"))
    assert [] == [path for path in (tmp_path / "into").rglob("*") if path.is_file()]


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_live_capture_is_laid_down(cli: Cli, tmp_path: Path, name: str, status: int) -> None:
    """It cannot be made again: what came until then is kept, sanitized, and nowhere else."""
    process = started(cli, tmp_path, "--live", "--", "hi")
    pids = cli.running()
    process.send_signal(signal.Signals[name])
    _, err = process.communicate(timeout=PATIENCE)
    assert (status, "") == (process.returncode, err)
    for pid in pids:
        gone(pid)
    (folder,) = (tmp_path / "into/claude/9.8.7").iterdir()
    run = af.read(folder)
    assert ("incomplete", "s-1") == (run.outcome.status, run.session_id)
    assert "nora" not in (folder / "stdout.jsonl").read_text("utf-8")
    assert name == tomllib.loads((folder / "capture.toml").read_text("utf-8"))["signal"]
    assert [] == list((tmp_path / "cache").iterdir())


def test_a_folder_that_cannot_be_made(cli: Cli, tmp_path: Path) -> None:
    """It is said before anything is run."""
    (tmp_path / "into").write_text("", "utf-8")
    for arguments in (["--scenario", "s01-text"], ["--live", "--", "hi"]):
        process = started(cli, tmp_path, *arguments)
        out, err = process.communicate(timeout=PATIENCE)
        assert (2, "") == (process.returncode, out)
        assert (
            f"agentframes: --into {tmp_path / 'into'}: file exists\n"
            == err.splitlines(keepends=True)[-1]
        )
    assert not cli.pids.exists()


def test_another_engines_cli_is_refused(tmp_path: Path) -> None:
    """By its package: its output would lie under the wrong name."""
    real = tmp_path / "node_modules/@anthropic-ai/claude-code/cli.js"
    real.parent.mkdir(parents=True)
    real.write_text("#!/bin/sh\necho 1.2.3\n", "utf-8")
    real.chmod(0o755)
    link = tmp_path / "node_modules/.bin/claude"
    link.parent.mkdir()
    link.symlink_to(real)
    with pytest.raises(CaptureError, match="is the CLI of claude, not of codex"):
        machine.find_machine("codex", str(link))
    assert "1.2.3" == machine.find_machine("claude", str(link)).version


def test_a_version_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CLI and its children are ended."""
    pids = tmp_path / "pids"
    path = tmp_path / "claude"
    path.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {pids}\nwait\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(machine, "_VERSION_SECONDS", 1)
    with pytest.raises(CaptureError, match="--version does not end within 1 s"):
        machine.find_machine("claude", str(path))
    gone(int(pids.read_text()))


def test_two_live_captures_in_one_second(tmp_path: Path) -> None:
    """Each has a folder of its own."""
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho 9.8.7\n", "utf-8")
    path.chmod(0o755)
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "agentframes", "capture", "claude", "--cli", str(path),
             "--into", str(tmp_path / "into"), "--live", "--", b"bad \xff"],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert (0, "") == (done.returncode, done.stderr)
    assert 3 == len(list((tmp_path / "into/claude/9.8.7").iterdir()))
