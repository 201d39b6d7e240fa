# SPDX-License-Identifier: Apache-2.0
r"""Runs a process, and keeps all that it prints as it comes.

Most coding-agent CLIs exit without waiting until their pipe is drained, and what was left of the
output is lost. So a thread does nothing but read the pipe and write what came to the file, at
once and unbuffered (`draining`). For POSIX systems.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import Enum
from queue import Empty, SimpleQueue
from typing import IO, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from agentframes import orphans
from agentframes.draining import Kept, Output, reason
from agentframes.errors import AgentframesError
from agentframes.lines import encode, shown

# Seconds.
PIPE_GRACE = 2.0  # for what the process left behind and still may print
TIMEOUT_GRACE = 10.0  # between SIGTERM and SIGKILL when a time is over
STOP_GRACE = 30.0  # between a Stopper's signal and SIGKILL
LONGEST = 1e8  # to wait: three years; more than some systems can is for ever


class RecordingError(AgentframesError):
    """A command that cannot be started, or a folder that nothing can be kept in."""


class Recording(Struct, frozen=True, kw_only=True):
    """How a recorded process ended, and how much it printed, kept or not."""

    exit_code: int | None
    """None where a signal ended it."""
    signal: str | None
    """The signal that ended it, as "SIGTERM"."""
    stopped: str | None
    """The first signal that it was sent from here, whatever became of it."""
    over: Literal["timeout", "idle"] | None
    """Which time was over, so that it was ended from here."""
    wall_ms: float
    """Milliseconds until it ended; lines may have come later, as from what it left behind."""
    lines: int
    stdout_bytes: int
    stderr_bytes: int
    problem: str | None
    """Why not all that was printed is kept."""


class _Event(Enum):
    """What there is to wait for besides a Stopper's signals and a listener's error."""

    ENDED = "the process ended"
    DRAINED = "nothing more of its output is read"
    HEARD = "the listener has heard all of it"
    HELD = "what the process left behind has held its output open for long enough"
    TIMED_OUT = "its time is over"
    QUIET = "it may have printed nothing for too long"
    IGNORED = "it did not end after a signal"


class _Signal(NamedTuple):
    """One that somebody wants sent."""

    number: signal.Signals
    group: bool


_Events: TypeAlias = "SimpleQueue[_Event | _Signal | BaseException]"


class Stopper:
    """Sends signals to the process of one recording, from any thread or signal handler."""

    def __init__(self) -> None:
        self._events: _Events = SimpleQueue()

    def send(self, name: str, *, group: bool = False) -> None:
        """Send a signal that is to end the process, by its name ("SIGTERM").

        One sent before the start is delivered at the start. When the process goes on for
        `STOP_GRACE` seconds, or gets a second signal, its whole group is killed.

        Args:
            name: the signal's.
            group: send it to all of its group, as a terminal does, and not to it alone.

        Raises:
            KeyError: there is no such signal.
        """
        self._events.put(_Signal(signal.Signals[name], group))

    def fail(self, error: BaseException) -> None:
        """End the recording by an error, which `record` raises."""
        self._events.put(error)

    def to_group(self, name: str) -> None:
        """Send a signal to all of the group, as `send`."""
        self.send(name, group=True)


def record(
    argv: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    stdout_name: str = "stdout.jsonl",
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    idle_timeout: float | None = None,
    executable: str | None = None,
    stopper: Stopper | None = None,
    on_bytes: Callable[[bytes], None] | None = None,
    mode: int = 0o666,
) -> Recording:
    """Run a command in a session of its own, and keep its output, its stderr and its times.

    Whatever it leaves behind is killed in the end, wherever it went (see `orphans`).

    Args:
        argv: the command; no shell sees it.
        folder: where `stdout_name`, `stderr.txt` and `timing.jsonl` are written, anew.
        stdout_name: the file's name.
        stdin: what the process can read; nothing by default.
        env: the whole environment; by default that of this process.
        cwd: where to run it.
        timeout: seconds after which its group is sent SIGTERM, and SIGKILL after
            `TIMEOUT_GRACE` more.
        idle_timeout: seconds without a word on stdout or stderr, after which the same happens.
        executable: the program, where it is not the first of `argv`.
        stopper: with which another thread can end it.
        on_bytes: is handed all that is printed, on a thread of its own: a slow one delays the
            process not at all. What it raises is raised here, and ends the process.
        mode: the permissions of the files.

    Raises:
        RecordingError: the command cannot be started, or the files not be written.
    """
    names = stdout_name, "stderr.txt", "timing.jsonl"
    _check(argv, os.fspath(folder), names)
    with ExitStack() as stack:
        files = _open(os.fspath(folder), names, stack, mode)
        stdout, stderr, times = files
        events = (stopper or Stopper())._events  # noqa: SLF001 - the two are one
        output = Output(stdout, times, stack)
        mark = orphans.mark()
        stack.callback(orphans.kill, mark)  # also of a process whose start was interrupted
        try:
            process = subprocess.Popen(  # noqa: S603 - to run what it is given is its purpose
                argv,
                executable=executable,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=output.entrance,
                stderr=stderr.file,
                env={**(os.environ if env is None else env), orphans.VARIABLE: mark},
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            for file in files:  # no recording of what never ran
                os.remove(file.path)
            raise RecordingError(_not_started(argv, error)) from error
        finally:
            os.close(output.entrance)
        run = _Run(process, output, stderr, events)
        try:
            run.begin(stdin, on_bytes)
            run.supervise(timeout, idle_timeout)
        finally:
            run.finish()
        return run.told()


def _check(argv: Sequence[str], folder: str, names: Sequence[str]) -> None:
    if not argv:
        raise RecordingError("there is no command to record")
    if len({*names}) < len(names) or any("\0" in name for name in (folder, *names)):
        raise RecordingError(f"cannot record into {shown(folder)}: no names for files {names}")


def _open(folder: str, names: Sequence[str], stack: ExitStack, mode: int) -> list[Kept]:
    try:
        os.makedirs(folder, exist_ok=True)
        return [Kept(folder, name, stack, mode=mode) for name in names]
    except OSError as error:
        raise RecordingError(f"cannot record into {shown(folder)}: {reason(error)}") from error


def _not_started(argv: Sequence[str], error: Exception) -> str:
    name = argv[0] if argv else ""
    message = f"cannot start {shown(name)}: "
    if not isinstance(error, OSError):  # a NUL byte in an argument
        return message + str(error)
    if error.filename not in (None, name):  # the folder to run it in
        message += f"{shown(error.filename)}: "
    return message + reason(error)


class _Run:
    """A process, and what is to be done when something happens to it or does not."""

    def __init__(
        self, process: subprocess.Popen[bytes], output: Output, stderr: Kept, events: _Events
    ) -> None:
        self._process = process
        self._output = output
        self._stderr = stderr
        self._events = events
        self._reader = threading.Thread(
            target=output.keep, args=(lambda: events.put(_Event.DRAINED),), daemon=True
        )
        self._end = 0.0
        self._due: dict[_Event, float] = {}
        self._idle: float | None = None
        self._errors = 0  # bytes of stderr when it was last looked at
        self._errors_at = output.start
        self._stopped: str | None = None
        self._over: Literal["timeout", "idle"] | None = None

    def begin(self, stdin: str | None, on_bytes: Callable[[bytes], None] | None) -> None:
        """Start the threads; none of them keeps the interpreter from its end."""
        self._reader.start()
        threading.Thread(target=self._wait, daemon=True).start()
        threading.Thread(target=self._listen, args=(on_bytes,), daemon=True).start()
        if self._process.stdin is not None and stdin is not None:
            given = self._process.stdin, encode(stdin)
            threading.Thread(target=_write, args=given, daemon=True).start()

    def _wait(self) -> None:  # its own thread: to wait with a time limit is to poll
        self._process.wait()
        self._end = time.monotonic()
        self._events.put(_Event.ENDED)

    def _listen(self, on_bytes: Callable[[bytes], None] | None) -> None:
        try:
            for piece in self._output.heard() if on_bytes else ():
                on_bytes(piece)  # type: ignore[misc]
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
            self._events.put(error)
        self._events.put(_Event.HEARD)

    def supervise(self, timeout: float | None, idle: float | None) -> None:
        """Return when the process has ended, and all that there is of its output was heard."""
        self._set_times(timeout, idle)
        awaited = {_Event.ENDED, _Event.DRAINED, _Event.HEARD}
        while awaited:
            match self._next():
                case BaseException() as error:
                    raise error
                case _Signal() as wanted:
                    self._send(wanted)
                case _Event.TIMED_OUT:
                    self._time_is_over("timeout")
                case _Event.QUIET:
                    self._look_whether_it_is_quiet()
                case _Event.IGNORED:
                    self._kill_group()
                case _Event.HELD:
                    self._kill_group()
                    self._output.abandon()  # held by who has left the group, too
                case event:
                    awaited.discard(event)
                    if event is _Event.ENDED:
                        self._due = {_Event.HELD: time.monotonic() + PIPE_GRACE}

    def _set_times(self, timeout: float | None, idle: float | None) -> None:
        self._idle = idle
        for event, seconds in ((_Event.TIMED_OUT, timeout), (_Event.QUIET, idle)):
            if seconds is not None and seconds <= LONGEST:
                self._due[event] = self._output.start + seconds

    def _next(self) -> _Event | _Signal | BaseException:
        if not self._due:
            return self._events.get()
        event, due = min(self._due.items(), key=lambda item: item[1])
        try:
            return self._events.get(timeout=max(0, due - time.monotonic()))
        except Empty:
            del self._due[event]
            return event

    def _look_whether_it_is_quiet(self) -> None:
        """End a process that was; else look again when it may have been."""
        size, now = self._stderr.size, time.monotonic()
        if size != self._errors:
            self._errors, self._errors_at = size, now
        due = max(self._output.last, self._errors_at) + (self._idle or 0)
        if due > now:
            self._due[_Event.QUIET] = due
        else:
            self._time_is_over("idle")

    def _time_is_over(self, which: Literal["timeout", "idle"]) -> None:
        if self._process.returncode is None and self._stopped is None:
            self._over = which
            self._send(_Signal(signal.SIGTERM, group=True), TIMEOUT_GRACE)

    def _send(self, wanted: _Signal, grace: float = STOP_GRACE) -> None:
        if self._process.returncode is not None:
            return
        if self._stopped is not None:  # by now somebody is in a hurry
            self._kill_group()
            return
        self._stopped = wanted.number.name
        if wanted.group:
            self._kill_group(wanted.number)
        else:
            self._process.send_signal(wanted.number)
        self._due[_Event.IGNORED] = time.monotonic() + grace

    def _kill_group(self, number: signal.Signals = signal.SIGKILL) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it is gone; on macOS, a zombie
            os.killpg(self._process.pid, number)

    def finish(self) -> None:
        """Kill what is left of the group, and keep what was printed, also after an error."""
        self._kill_group()
        self._process.wait()
        if self._reader.is_alive():
            self._output.abandon()
            self._reader.join()

    def told(self) -> Recording:
        """Sum up, when all is over."""
        code, output = self._process.returncode, self._output
        return Recording(
            exit_code=code if code >= 0 else None,
            signal=_signal_name(-code) if code < 0 else None,
            stopped=self._stopped,
            over=self._over,
            wall_ms=round((self._end - output.start) * 1000, 1),
            lines=output.lines,
            stdout_bytes=output.size,
            stderr_bytes=self._stderr.size,
            problem=output.stdout.problem or output.times.problem,
        )


def _write(file: IO[bytes], data: bytes) -> None:
    with suppress(BrokenPipeError), file:  # the process may have ended, or closed its stdin
        file.write(data)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have none
        return f"SIG{number}"
