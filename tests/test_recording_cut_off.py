# SPDX-License-Identifier: Apache-2.0
"""What was recorded can be read, whatever became of the recorder and its disk."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import agentframes
from agentframes.recording import record
from tests.captured import ROOT
from tests.processes import PATIENCE, PRINT, gone, python, times, until

CODEX = ROOT / "corpus/codex/0.171.0/s03-shell/stdout.jsonl"

# A child that prints the frames of a real run over and over.
CHATTY = f"""
import itertools, sys
lines = open({str(CODEX)!r}, 'rb').read().splitlines(keepends=True)
for line in itertools.chain(lines[:2], itertools.cycle(lines[2:-1])):
    sys.stdout.buffer.write(line)
    sys.stdout.flush()
"""


@contextmanager
def recorder(folder: Path, child: str, before: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that records another one, and prints what it is told of it."""
    code = f"""
import signal, sys
from agentframes.recording import record
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, where tests run behind a shell
{before}
print(record([sys.executable, '-c', {child!r}], {str(folder)!r}).problem)
"""
    command = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def played(folder: Path) -> bytes:
    """Play a recording, at once."""
    command = [sys.executable, "-m", "agentframes", "play", str(folder), "--fast"]
    return subprocess.run(
        command, stdout=subprocess.PIPE, check=True, cwd=ROOT, timeout=PATIENCE
    ).stdout


def is_chatty(kept: bytes) -> bool:
    """Tell whether something is the begin of what the chatty child prints."""
    lines = CODEX.read_bytes().splitlines(keepends=True)
    cycle = b"".join(lines[2:-1])
    whole = b"".join(lines[:2]) + cycle * (len(kept) // len(cycle) + 1)
    return whole.startswith(kept)


class TestCrash:
    """What was recorded can be read, whatever became of the recorder."""

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
    def test_recorder_dies(self, tmp_path: Path, number: signal.Signals) -> None:
        """All that was received up to then is kept, whether it is killed or interrupted."""
        output, timing = tmp_path / "stdout.jsonl", tmp_path / "timing.jsonl"
        with recorder(tmp_path, CHATTY) as process:
            until(lambda: timing.exists() and timing.stat().st_size > 20_000)
            process.send_signal(number)
            error = process.communicate(timeout=PATIENCE)[1]
        assert -number == process.returncode
        assert (number == signal.SIGINT) == error.endswith(b"KeyboardInterrupt\n")
        kept = output.read_bytes()
        assert is_chatty(kept)
        whole_rows = timing.read_bytes().rpartition(b"\n")[0].splitlines()
        numbers = [json.loads(row)["line"] for row in whole_rows]
        assert list(range(1, len(numbers) + 1)) == numbers
        # Killed between two writes, it may lack the times of the last piece, of 64 KiB at most.
        assert kept.count(b"\n") >= len(numbers) > 500
        assert len(b"".join(kept.splitlines(keepends=True)[len(numbers) :])) < 2 * 64 * 1024
        assert "codex" == agentframes.read(tmp_path).engine == agentframes.read(output).engine
        assert kept == played(tmp_path)

    def test_interrupted_kills_the_process(self, tmp_path: Path) -> None:
        """Nothing goes on when the recorder was interrupted; the tail is kept."""
        child = f"{PRINT}\nsay(f'{{os.getpid()}}\\nhalf')\ntime.sleep(60)"
        output = tmp_path / "stdout.jsonl"
        with recorder(tmp_path, child) as process:
            until(lambda: output.exists() and output.read_bytes().endswith(b"half"))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        pid, half = output.read_bytes().splitlines()
        assert (b"half", 2) == (half, len(times(tmp_path)))
        gone(int(pid))


LIMIT = 64 * 1024


class TestDiskFull:
    """A file that takes no more: told, and no hindrance to the process."""

    LIMITED = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, {LIMIT}))"

    @staticmethod
    def problem(folder: Path, child: str, before: str) -> str:
        """Record a process that leaves a file when it has printed all."""
        done = folder / "done"
        with recorder(folder, f"{child}\nopen({str(done)!r}, 'w').close()", before) as process:
            printed, error = process.communicate(timeout=PATIENCE)
        assert (0, b"") == (process.returncode, error)
        assert done.exists()
        return printed.decode().strip()

    def test_output(self, tmp_path: Path) -> None:
        """What fits is kept, with its times, and can be read and played."""
        child = CHATTY.replace("itertools.cycle(", "9999 * (")
        problem = self.problem(tmp_path, child, self.LIMITED)
        assert "stdout.jsonl: file too large; not all of it was kept" == problem
        kept = (tmp_path / "stdout.jsonl").read_bytes()
        assert LIMIT == len(kept)
        assert is_chatty(kept)
        assert len(kept.splitlines()) == len(times(tmp_path))
        assert "codex" == agentframes.read(tmp_path).engine
        assert kept == played(tmp_path)

    def test_times(self, tmp_path: Path) -> None:
        """The output goes on being kept when there is no room for its times."""
        child = "for n in range(10_000): print()"
        problem = self.problem(tmp_path, child, self.LIMITED)
        assert "timing.jsonl: file too large; not all of it was kept" == problem
        assert b"\n" * 10_000 == (tmp_path / "stdout.jsonl").read_bytes()
        assert LIMIT == (tmp_path / "timing.jsonl").stat().st_size
        assert b"\n" * 10_000 == played(tmp_path)

    def test_no_space(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A full disk is told in the words of the system; nothing is written after the gap."""
        write = os.write

        def fill(file: int, data: Any) -> int:
            room, full, _ = bytes(data).partition(b"cond\n")
            if full and not room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(file, room)

        monkeypatch.setattr(os, "write", fill)
        code = f"""
say('first\\nsecond\\n')
while not os.path.getsize({str(tmp_path / "timing.jsonl")!r}):
    time.sleep(0.01)
say('third\\n')
"""
        told = record(python(code), tmp_path)
        assert "stdout.jsonl: no space left on device; not all of it was kept" == told.problem
        assert (0, 3, 19) == (told.exit_code, told.lines, told.stdout_bytes)
        assert b"first\nse" == (tmp_path / "stdout.jsonl").read_bytes()
        assert 2 == len(times(tmp_path))
