# SPDX-License-Identifier: Apache-2.0
"""How a recorded process is ended: times that are over, signals to all, who is left behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentframes import draining, orphans, recording
from agentframes.interrupts import passed_on
from agentframes.recording import RecordingError, Stopper, record
from tests.processes import PATIENCE, gone, python, runs, until

READY = "say('ready\\n'); time.sleep(60)"
CHILD = "child = subprocess.Popen(['sleep', '60']{how}); say(f'{{child.pid}}\\n')\n"


class TestIdle:
    """A process that says nothing any more."""

    def test_it_is_ended(self, tmp_path: Path) -> None:
        """Its group gets SIGTERM, and the reason is told."""
        told = record(python(READY), tmp_path, idle_timeout=0.5)
        assert ("idle", "SIGTERM", "SIGTERM") == (told.over, told.stopped, told.signal)
        assert b"ready\n" == (tmp_path / "stdout.jsonl").read_bytes()

    @pytest.mark.parametrize("stream", [1, 2])
    def test_who_speaks_goes_on(self, tmp_path: Path, stream: int) -> None:
        """On stdout or on stderr, again and again, for longer than the limit."""
        code = f"for _ in range(12): os.write({stream}, b'.'); time.sleep(0.1)"
        told = record(python(code), tmp_path, idle_timeout=0.6, timeout=PATIENCE)
        assert (0, None, None) == (told.exit_code, told.over, told.stopped)

    def test_for_ever_is_no_limit(self, tmp_path: Path) -> None:
        """No clock holds it."""
        told = record(python("say('a')"), tmp_path, timeout=float("inf"), idle_timeout=1e12)
        assert (0, None) == (told.exit_code, told.over)


class TestGroup:
    """Signals to all of them."""

    def stopped(self, folder: Path, code: str, *names: str, group: bool) -> recording.Recording:
        """Record a process that is sent signals as soon as it said something."""
        stopper = Stopper()

        def send(_: bytes) -> None:
            for name in names:
                stopper.send(name, group=group)

        return record(python(code), folder, stopper=stopper, on_bytes=send)

    def test_children_hear_it(self, tmp_path: Path) -> None:
        """As from a terminal."""
        code = CHILD.format(how="") + "sys.exit(child.wait())"
        told = self.stopped(
            tmp_path, f"signal.signal(2, lambda *_: 0)\n{code}", "SIGINT", group=True
        )
        assert (256 - 2, "SIGINT") == (told.exit_code, told.stopped)

    def test_the_second_kills(self, tmp_path: Path) -> None:
        """Whoever sends one more does not want to wait for the grace."""
        code = "for n in (2, 15): signal.signal(n, signal.SIG_IGN)\n"
        told = self.stopped(tmp_path, code + READY, "SIGINT", "SIGTERM", group=True)
        assert ("SIGKILL", "SIGINT") == (told.signal, told.stopped)

    def test_a_time_that_is_over_ends_the_group(self, tmp_path: Path) -> None:
        """A launcher alone would leave the CLI running."""
        code = CHILD.format(how="") + "sys.exit(child.wait())"
        told = record(python(f"signal.signal(15, lambda *_: 0)\n{code}"), tmp_path, timeout=0.5)
        assert ("timeout", 256 - 15) == (told.over, told.exit_code)


class TestPassedOn:
    """Signals to the recorder."""

    @pytest.mark.parametrize("name", ["INT", "TERM"])
    def test_the_recorded_process_gets_them(self, tmp_path: Path, name: str) -> None:
        """The recorder lives on, and says how it ended."""
        code = f"""
import sys
from agentframes.interrupts import passed_on
from agentframes.recording import Stopper, record
stopper = Stopper()
with passed_on(stopper.to_group) as came:
    told = record([sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(60)"],
                  {str(tmp_path)!r}, stopper=stopper)
print(told.stopped, told.signal or told.exit_code, *came)
"""
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        until(
            lambda: (
                (tmp_path / "stdout.jsonl").exists()
                and b"ready" in (tmp_path / "stdout.jsonl").read_bytes()
            )
        )
        os.kill(process.pid, getattr(signal, f"SIG{name}"))
        out, _ = process.communicate(timeout=PATIENCE)
        ending = "1" if name == "INT" else "SIGTERM"
        number = getattr(signal, f"SIG{name}").value
        assert out.split()[0] == f"SIG{name}"
        assert out.split()[-1] == str(number)
        assert out.split()[1] in (ending, f"SIG{name}")

    def test_the_third_is_for_the_recorder(self) -> None:
        """Whatever it waits for."""
        sent: list[str] = []
        with passed_on(sent.append):
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert ["SIGTERM", "SIGINT"] == sent

    def test_the_handlers_are_put_back(self) -> None:
        """As they were."""
        before = signal.getsignal(signal.SIGINT)
        with passed_on(Stopper().to_group):
            assert before is not signal.getsignal(signal.SIGINT)
        assert before is signal.getsignal(signal.SIGINT)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="run it on Linux: it needs /proc")
class TestOrphans:
    """Who has left the group, and whose parent has ended."""

    def test_a_daemon_is_ended(self, tmp_path: Path) -> None:
        """It has a session of its own and no parent, and holds no pipe."""
        told = "os.setsid(); print(os.getpid(), flush=True); os.close(1); time.sleep(60)"
        daemon = f"import os, time; {told}"
        code = f"subprocess.Popen([sys.executable, '-c', {daemon!r}]); time.sleep(1)"
        recorded = record(python(code), tmp_path)
        assert (0, None) == (recorded.exit_code, recorded.problem)
        gone(int((tmp_path / "stdout.jsonl").read_text()))

    def test_others_are_left_alone(self) -> None:
        """Neither this process nor one of another mark."""
        other = subprocess.Popen(["sleep", "60"], env={**os.environ, orphans.VARIABLE: "x" * 32})
        try:
            orphans.kill(orphans.mark())
            assert runs(other.pid)
            orphans.kill("x" * 32)
            assert -9 == other.wait(PATIENCE)
        finally:
            other.kill()


class TestFiles:
    """What is written."""

    def test_for_their_owner_alone(self, tmp_path: Path) -> None:
        """Where that is asked for."""
        record(python("say('a')"), tmp_path / "run", mode=0o600)
        assert {0o600} == {
            stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "run").iterdir()
        }

    def test_a_listener_reads_it_back(self, tmp_path: Path) -> None:
        """In pieces of bounded size, whatever the pipe gave; nothing waits in memory."""
        heard: list[bytes] = []
        told = record(python("say('x' * 1_000_000)"), tmp_path, on_bytes=heard.append)
        assert draining.READ_BYTES >= max(map(len, heard))
        assert told.stdout_bytes == sum(map(len, heard))

    @pytest.mark.parametrize(
        ("argv", "name", "problem"),
        [
            ([], "stdout.jsonl", "there is no command to record"),
            (["true"], "stderr.txt", "no names for files"),
            (["true"], "a\0b", "no names for files"),
        ],
    )
    def test_what_cannot_be_recorded(
        self, tmp_path: Path, argv: list[str], name: str, problem: str
    ) -> None:
        """Nothing is written for it."""
        with pytest.raises(RecordingError, match=problem):
            record(argv, tmp_path, stdout_name=name)
        assert [] == list(tmp_path.iterdir())
