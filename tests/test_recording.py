# SPDX-License-Identifier: Apache-2.0
"""A process is recorded whole, whatever it and its children do."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentframes import recording
from agentframes.recording import Recording, RecordingError, Stopper, record
from tests.processes import PATIENCE, PRINT, files, gone, python, runs, times, until

SHORT = 0.3  # seconds of grace, where one is to run out


class TestOutput:
    """What was printed is kept to the byte, with a time for each line."""

    def test_all_of_it(self, tmp_path: Path) -> None:
        """Output, stderr and exit status are told apart; lines are cut at line feeds alone."""
        folder = tmp_path / "new/folder"
        printed = "one\ntwo\u2028two\rtwo\n\nfour\n".encode() + b"\xff\x00\n"
        code = f"say({printed!r}); os.write(2, b'not\\nthat'); sys.exit(3)"
        told = record(python(code), str(folder))
        assert (3, None, None, None) == (
            told.exit_code,
            told.signal,
            told.stopped,
            told.over,
        )
        assert (5, len(printed), 8, None) == (
            told.lines,
            told.stdout_bytes,
            told.stderr_bytes,
            told.problem,
        )
        assert printed == (folder / "stdout.jsonl").read_bytes()
        assert b"not\nthat" == (folder / "stderr.txt").read_bytes()
        found = times(folder)
        assert 5 == len(found)
        assert found == sorted(found)
        assert 0 < found[0]
        assert 0 < told.wall_ms
        assert {"stdout.jsonl", "stderr.txt", "timing.jsonl"} == files(folder)

    def test_times_are_those_of_arrival(self, tmp_path: Path) -> None:
        """A line has its time when its end comes, not its begin."""
        code = f"""
say('a\\nb')
while not os.path.getsize({str(tmp_path / "timing.jsonl")!r}):
    time.sleep(0.01)
time.sleep(0.01)
say('b\\n')
"""
        record(python(code), tmp_path)
        first, second = times(tmp_path)
        assert first < second

    def test_no_final_line_break(self, tmp_path: Path) -> None:
        """The last line has a time also where it has no end."""
        told = record(python("say('a\\nb')"), tmp_path, stdout_name="stdout.json")
        assert b"a\nb" == (tmp_path / "stdout.json").read_bytes()
        assert 2 == told.lines == len(times(tmp_path))

    def test_nothing(self, tmp_path: Path) -> None:
        """A process that prints nothing leaves empty files."""
        told = record(python(""), tmp_path)
        assert (0, 0, 0, 0) == (told.exit_code, told.lines, told.stdout_bytes, told.stderr_bytes)
        assert [] == times(tmp_path)

    def test_former_recording_is_replaced(self, tmp_path: Path) -> None:
        """Nothing is left of what stood in the files."""
        record(python("say('long line\\n' * 9); os.write(2, b'x' * 99)"), tmp_path)
        record(python("say('a\\n')"), tmp_path)
        assert b"a\n" == (tmp_path / "stdout.jsonl").read_bytes()
        assert b"" == (tmp_path / "stderr.txt").read_bytes()
        assert 1 == len(times(tmp_path))

    def test_one_line_of_a_megabyte(self, tmp_path: Path) -> None:
        """A line that no pipe holds has one time."""
        told = record(python("say(b'x' * 1_000_000 + b'\\n')"), tmp_path)
        assert b"x" * 1_000_000 + b"\n" == (tmp_path / "stdout.jsonl").read_bytes()
        assert 1 == told.lines == len(times(tmp_path))

    def test_many_lines(self, tmp_path: Path) -> None:
        """No line is lost of those printed by a process that exits at once."""
        code = "say(''.join(f'{n}\\n' for n in range(100_000))); os._exit(0)"
        told = record(python(code), tmp_path)
        expected = "".join(f"{n}\n" for n in range(100_000)).encode()
        assert expected == (tmp_path / "stdout.jsonl").read_bytes()
        assert 100_000 == told.lines == len(times(tmp_path))

    def test_what_a_child_opens_anew(self, tmp_path: Path) -> None:
        """Who opens /dev/stderr anew does not have the others write over it."""
        code = "os.write(2, b'a' * 9)\nopen('/dev/stderr', 'a').write('b')\nos.write(2, b'c')"
        assert 11 == record(python(code), tmp_path).stderr_bytes
        assert b"aaaaaaaaabc" == (tmp_path / "stderr.txt").read_bytes()


class TestInput:
    """What the process is given."""

    def test_stdin(self, tmp_path: Path) -> None:
        """Text comes back as it was given, more of it than a pipe holds, with odd bytes."""
        text = "é\udcff\r\n" * 100_000
        record([sys.executable, "-c", ECHO], tmp_path, stdin=text)
        assert text.encode("utf-8", "surrogateescape") == (tmp_path / "stdout.jsonl").read_bytes()

    def test_nothing_on_stdin(self, tmp_path: Path) -> None:
        """A process that reads is at the end at once."""
        assert 0 == record([sys.executable, "-c", ECHO], tmp_path).stdout_bytes
        assert 0 == record([sys.executable, "-c", ECHO], tmp_path, stdin="").stdout_bytes

    @pytest.mark.parametrize("code", ["", "os.close(0); time.sleep(0.1)"])
    def test_stdin_is_not_read(self, tmp_path: Path, code: str) -> None:
        """A process need not read what it is given."""
        told = record(python(code + "\nsay('ok')"), tmp_path, stdin="x" * 2_000_000)
        assert (0, b"ok") == (told.exit_code, (tmp_path / "stdout.jsonl").read_bytes())

    def test_environment_and_folder(self, tmp_path: Path) -> None:
        """The environment is the given one alone, and the program need not be what it is called."""
        code = "say(' '.join([os.getcwd(), os.environ['A'], str('HOME' in os.environ)]))"
        command = ["another name", "-c", PRINT + code]
        home = tmp_path / "home"
        home.mkdir()
        env = {"A": "b"}
        record(command, tmp_path / "kept", executable=sys.executable, env=env, cwd=str(home))
        assert f"{home} b False" == (tmp_path / "kept/stdout.jsonl").read_text()

    def test_session_of_its_own(self, tmp_path: Path) -> None:
        """A signal to the recorder's group does not reach the process."""
        record(python("say(str(os.getsid(0) == os.getpid()))"), tmp_path)
        assert "True" == (tmp_path / "stdout.jsonl").read_text()


ECHO = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"


class TestStart:
    """A command that cannot be started is one line, and leaves no recording."""

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (["no-such-program"], "cannot start no-such-program: no such file or directory"),
            (["a\x00b"], "cannot start 'a\\x00b': embedded null byte"),
            (["true", "x" * 4_000_000], "cannot start true: argument list too long"),
        ],
    )
    def test_not_started(self, tmp_path: Path, argv: Sequence[str], message: str) -> None:
        """What is wrong is told in words."""
        with pytest.raises(RecordingError) as raised:
            record(argv, tmp_path)
        assert message == str(raised.value)
        assert set() == files(tmp_path)

    def test_no_program(self, tmp_path: Path) -> None:
        """A file that may not be run is told from one that is not there."""
        program = tmp_path / "program"
        program.touch(mode=0o644)
        with pytest.raises(RecordingError, match=f"^cannot start {program}: permission denied$"):
            record([str(program)], tmp_path / "kept")

    def test_no_folder_to_run_in(self, tmp_path: Path) -> None:
        """A missing working folder is not mistaken for a missing program."""
        missing = tmp_path / "none"
        with pytest.raises(RecordingError, match=f"^cannot start true: {missing}: no such file"):
            record(["true"], tmp_path, cwd=missing)

    def test_no_folder_to_write_to(self, tmp_path: Path) -> None:
        """Where nothing can be kept, nothing is started."""
        file = tmp_path / "file"
        file.touch()
        with pytest.raises(RecordingError, match=f"^cannot record into {file}: file exists$"):
            record(["touch", str(tmp_path / "started")], file)
        assert {"file"} == files(tmp_path)

    def test_no_descriptor_is_left_open(self, tmp_path: Path) -> None:
        """Neither a run nor a failed start leaves anything open."""
        descriptors = Path("/proc/self/fd")
        before = len(files(descriptors))
        record(python("say('a')"), tmp_path, stdin="")
        with pytest.raises(RecordingError):
            record(["no-such-program"], tmp_path, stdin="")
        until(lambda: before == len(files(descriptors)))


# A shell starts sooner than Python: before a time limit of half a second.
GOODBYE = "trap 'echo bye; exit 7' TERM; while :; do sleep 0.05; done"


class TestEnd:
    """However a process ends, or does not."""

    def test_signal(self, tmp_path: Path) -> None:
        """A process that died by a signal has no exit status."""
        told = record(python("say('a'); os.kill(os.getpid(), signal.SIGKILL)"), tmp_path)
        assert (None, "SIGKILL", None) == (told.exit_code, told.signal, told.stopped)
        assert b"a" == (tmp_path / "stdout.jsonl").read_bytes()

    def test_signal_without_a_name(self, tmp_path: Path) -> None:
        """A real-time signal is told by its number."""
        told = record(python("os.kill(os.getpid(), signal.SIGRTMIN + 3)"), tmp_path)
        assert f"SIG{signal.SIGRTMIN + 3}" == told.signal

    def test_timeout(self, tmp_path: Path) -> None:
        """SIGTERM comes first, and what the process says then is kept."""
        told = record(["sh", "-c", GOODBYE], tmp_path, timeout=0.5)
        assert (7, None, "SIGTERM", "timeout") == (
            told.exit_code,
            told.signal,
            told.stopped,
            told.over,
        )
        assert b"bye\n" == (tmp_path / "stdout.jsonl").read_bytes()

    def test_timeout_ignored(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Who does not heed SIGTERM is killed, with its children."""
        monkeypatch.setattr(recording, "TIMEOUT_GRACE", SHORT)
        code = "trap '' TERM; sleep 60 & echo $!; wait"
        told = record(["sh", "-c", code], tmp_path, timeout=0.5)
        assert (None, "SIGKILL", "SIGTERM", "timeout") == (
            told.exit_code,
            told.signal,
            told.stopped,
            told.over,
        )
        gone(int((tmp_path / "stdout.jsonl").read_text()))

    def test_in_time(self, tmp_path: Path) -> None:
        """A time limit that is not reached changes nothing."""
        told = record(python("say('a')"), tmp_path, timeout=PATIENCE)
        assert (0, None, None) == (told.exit_code, told.stopped, told.over)

    def test_output_closed_early(self, tmp_path: Path) -> None:
        """A process that closes its output is waited for."""
        told = record(python("say('a'); os.close(1); time.sleep(0.2); sys.exit(4)"), tmp_path)
        assert (4, 1) == (told.exit_code, told.stdout_bytes)


class TestLeftBehind:
    """Processes that outlive the one that started them."""

    def test_what_comes_late(self, tmp_path: Path) -> None:
        """What a child prints when its parent is gone is kept."""
        child = "['sh', '-c', 'cat; echo late']"
        code = f"subprocess.Popen({child}, stdin=subprocess.PIPE); os._exit(0)"
        told = record(python(code), tmp_path)
        assert (0, b"late\n") == (told.exit_code, (tmp_path / "stdout.jsonl").read_bytes())

    def test_holds_the_output_open(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A child that goes on is killed after its grace."""
        monkeypatch.setattr(recording, "PIPE_GRACE", SHORT)
        told = record(python("say(str(subprocess.Popen(['sleep', '60']).pid))"), tmp_path)
        assert (0, None, None) == (told.exit_code, told.signal, told.stopped)
        gone(int((tmp_path / "stdout.jsonl").read_text()))

    def test_goes_on_in_silence(self, tmp_path: Path) -> None:
        """A child that holds nothing open is killed as well."""
        code = "say(str(subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL).pid))"
        record(python(code), tmp_path)
        gone(int((tmp_path / "stdout.jsonl").read_text()))

    def test_has_left_the_group(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Who is in another session, and prints on and on, does not hold up the end."""
        monkeypatch.setattr(recording, "PIPE_GRACE", SHORT)
        code = "say(str(subprocess.Popen(['yes'], start_new_session=True).pid) + '\\n')"
        told = record(python(code), tmp_path)
        kept = (tmp_path / "stdout.jsonl").read_bytes()
        assert (0, len(kept)) == (told.exit_code, told.stdout_bytes)
        gone(next(int(line) for line in kept.splitlines() if line != b"y"))  # its pipe broke

    def test_has_left_the_group_in_silence(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nor does one that prints nothing, and it does not stay either."""
        monkeypatch.setattr(recording, "PIPE_GRACE", SHORT)
        code = "say(str(subprocess.Popen(['sleep', '60'], start_new_session=True).pid))"
        told = record(python(code), tmp_path)
        assert 0 == told.exit_code
        gone(int((tmp_path / "stdout.jsonl").read_text()))


READY = "say('ready\\n')\ntime.sleep(60)"


class TestStopper:
    """A signal from another thread."""

    @staticmethod
    def stopped(folder: Path, code: str, *names: str) -> Recording:
        """Record a process that is sent signals as soon as it said something."""
        stopper = Stopper()

        def send(_: bytes) -> None:
            for name in names:
                stopper.send(name)

        return record(python(code), folder, stopper=stopper, on_bytes=send)

    @pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGUSR1"])
    def test_signal(self, tmp_path: Path, name: str) -> None:
        """The process dies by it."""
        told = self.stopped(tmp_path, READY, name)
        assert (None, name, name, None) == (
            told.exit_code,
            told.signal,
            told.stopped,
            told.over,
        )
        assert b"ready\n" == (tmp_path / "stdout.jsonl").read_bytes()

    def test_process_alone(self, tmp_path: Path) -> None:
        """A child of the process is not sent the signal; the process may end it in peace."""
        code = """
child = subprocess.Popen(['cat'], stdin=subprocess.PIPE)
def stop(*_):
    child.stdin.close()
    sys.exit(child.wait() + 5)
signal.signal(signal.SIGTERM, stop)
"""
        told = self.stopped(tmp_path, code + READY, "SIGTERM")
        assert (5, None, "SIGTERM") == (told.exit_code, told.signal, told.stopped)

    def test_ignored(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Who does not heed it is killed after a while."""
        monkeypatch.setattr(recording, "STOP_GRACE", SHORT)
        code = "signal.signal(2, signal.SIG_IGN)\n"
        told = self.stopped(tmp_path, code + READY, "SIGINT")
        assert (None, "SIGKILL", "SIGINT", None) == (
            told.exit_code,
            told.signal,
            told.stopped,
            told.over,
        )

    def test_before_the_start(self, tmp_path: Path) -> None:
        """A signal is not lost that was sent too early."""
        stopper = Stopper()
        stopper.send("SIGKILL")
        assert "SIGKILL" == record(python(READY), tmp_path, stopper=stopper).signal

    def test_after_the_end(self, tmp_path: Path) -> None:
        """One that comes too late changes nothing."""
        stopper = Stopper()
        told = record(python(""), tmp_path, stopper=stopper)
        stopper.send("SIGTERM")
        assert (0, None) == (told.exit_code, told.stopped)

    def test_when_others_go_on(self, tmp_path: Path) -> None:
        """Nor does one that comes when only what the process left behind still runs."""
        stopper = Stopper()

        def send(pid: bytes) -> None:
            until(lambda: not Path("/proc", pid.decode()).exists())
            stopper.send("SIGTERM")

        code = "subprocess.Popen(['sleep', '0.5']); say(str(os.getpid()))"
        told = record(python(code), tmp_path, stopper=stopper, on_bytes=send)
        assert (0, None) == (told.exit_code, told.stopped)

    def test_unknown(self) -> None:
        """A signal that there is not is refused where it is sent."""
        with pytest.raises(KeyError):
            Stopper().send("SIGNONE")


class TestListener:
    """Who is told what is printed while it is."""

    def test_hears_all(self, tmp_path: Path) -> None:
        """It is handed what is kept, in order, before the recording is over."""
        heard: list[bytes] = []
        record(python("for n in range(9): say(f'{n}\\n' * 9999)"), tmp_path, on_bytes=heard.append)
        assert b"".join(heard) == (tmp_path / "stdout.jsonl").read_bytes()

    def test_holds_nothing_up(self, tmp_path: Path) -> None:
        """The process is over before the listener has come to its second piece."""
        done = tmp_path / "done"
        heard: list[bytes] = []

        def hear(piece: bytes) -> None:
            until(done.exists)
            heard.append(piece)

        code = f"for n in range(5): say('x' * 1_000_000)\nopen({str(done)!r}, 'w')"
        told = record(python(code), tmp_path, on_bytes=hear)
        assert 5_000_000 == told.stdout_bytes == sum(map(len, heard))

    def test_does_not_hold_up_a_timeout(self, tmp_path: Path) -> None:
        """The time limit holds also while the listener is stuck."""

        def hear(_: bytes) -> None:
            until(lambda: b"bye" in (tmp_path / "stdout.jsonl").read_bytes())

        assert record(
            ["sh", "-c", f"echo ready; {GOODBYE}"], tmp_path, timeout=0.5, on_bytes=hear
        ).over

    def test_does_not_hold_up_the_kill(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nor does what the process left behind live longer for it."""
        monkeypatch.setattr(recording, "PIPE_GRACE", SHORT)
        code = "say(str(subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL).pid))"
        heard: list[bytes] = []

        def hear(piece: bytes) -> None:
            gone(int(piece))
            heard.append(piece)

        record(python(code), tmp_path, on_bytes=hear)
        assert 1 == len(heard)

    def test_error(self, tmp_path: Path) -> None:
        """What it raises ends the process, and is raised to the caller; all is kept."""

        def hear(piece: bytes) -> None:
            raise LookupError(piece)

        with pytest.raises(LookupError, match="ready"):
            record(python(READY), tmp_path, on_bytes=hear)
        assert b"ready\n" == (tmp_path / "stdout.jsonl").read_bytes()
        assert 1 == len(times(tmp_path))

    def test_error_while_others_hold_on(self, tmp_path: Path) -> None:
        """Nobody who has left the group holds up the error."""
        code = "say(str(subprocess.Popen(['sleep', '60'], start_new_session=True).pid))\n"

        def hear(piece: bytes) -> None:
            raise LookupError(int(piece))

        with pytest.raises(LookupError) as raised:
            record(python(code), tmp_path, on_bytes=hear)
        gone(raised.value.args[0])

    def test_late_error(self, tmp_path: Path) -> None:
        """An error is raised also where the process is over already."""
        pid = tmp_path / "pid"

        def hear(_: bytes) -> None:
            until(lambda: pid.exists() and not runs(int(pid.read_text() or os.getpid())))
            raise LookupError

        code = f"say('a'); open({str(pid)!r}, 'w').write(str(os.getpid()))"
        with pytest.raises(LookupError):
            record(python(code), tmp_path, on_bytes=hear)
