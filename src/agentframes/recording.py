# SPDX-License-Identifier: Apache-2.0
r"""Runs a process, and keeps all that it prints as it comes.

Most coding-agent CLIs exit without waiting until their pipe is drained, and what was left of the
output is lost. So a thread does nothing but read the pipe and write what came to the file, at
once and unbuffered: neither a slow listener nor the death of the recorder takes away what was
printed before. Lines are cut at ``\n`` bytes only. For POSIX systems.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import Enum
from queue import Empty, SimpleQueue
from typing import IO, TypeAlias

from msgspec import Struct

from agentframes.errors import AgentframesError
from agentframes.lines import encode, shown

READ_BYTES = 64 * 1024
PIPE_BYTES = 1024 * 1024  # the most that Linux grants without privileges

# Seconds.
PIPE_GRACE = 2.0  # for what the process left behind and still may print
TIMEOUT_GRACE = 10.0  # between SIGTERM and SIGKILL when the time is over
STOP_GRACE = 30.0  # between a Stopper's signal and SIGKILL


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
    timed_out: bool
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
    IGNORED = "it did not end after a signal"


_Events: TypeAlias = "SimpleQueue[_Event | signal.Signals | BaseException]"


class Stopper:
    """Sends signals to the process of one recording, from any thread or signal handler."""

    def __init__(self) -> None:
        self._events: _Events = SimpleQueue()

    def send(self, name: str) -> None:
        """Send a signal that is to end the process, by its name ("SIGTERM"); to it alone.

        One sent before the start is delivered at the start. When the process goes on for
        `STOP_GRACE` seconds, its whole group is killed.

        Raises:
            KeyError: there is no such signal.
        """
        self._events.put(signal.Signals[name])


def record(
    argv: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    stdout_name: str = "stdout.jsonl",
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    executable: str | None = None,
    stopper: Stopper | None = None,
    on_bytes: Callable[[bytes], None] | None = None,
) -> Recording:
    """Run a command in a session of its own, and keep its output, its stderr and its times.

    Whatever stays behind in the group of the process is killed in the end.

    Args:
        argv: the command; no shell sees it.
        folder: where `stdout_name`, `stderr.txt` and `timing.jsonl` are written, anew.
        stdout_name: the file's name.
        stdin: what the process can read; nothing by default.
        env: the whole environment; by default that of this process.
        cwd: where to run it.
        timeout: seconds after which it is sent SIGTERM, and SIGKILL after `TIMEOUT_GRACE` more.
        executable: the program, where it is not the first of `argv`.
        stopper: with which another thread can end it.
        on_bytes: is handed all that is printed, on a thread of its own: a slow one delays
            neither the process nor its end. What it raises is raised here, and ends the process.

    Raises:
        RecordingError: the command cannot be started, or the files not be written.
    """
    with ExitStack() as stack:
        files = _open(os.fspath(folder), (stdout_name, "stderr.txt", "timing.jsonl"), stack)
        stdout, stderr, times = files
        events = (stopper or Stopper())._events  # noqa: SLF001 - the two are one
        output = _Output(stdout, times, events, stack)
        try:
            process = subprocess.Popen(  # noqa: S603 - to run what it is given is its purpose
                argv,
                executable=executable,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=output.entrance,
                stderr=stderr.file,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            for file in files:  # no recording of what never ran
                os.remove(file.path)
            raise RecordingError(_not_started(argv, error)) from error
        finally:
            os.close(output.entrance)
        run = _Run(process, output, events)
        try:
            run.begin(stdin, on_bytes)
            run.supervise(timeout)
        finally:
            run.finish()
        return run.told(stderr)


def _open(folder: str, names: Sequence[str], stack: ExitStack) -> list[_Kept]:
    try:
        os.makedirs(folder, exist_ok=True)
        return [_Kept(folder, name, stack) for name in names]
    except OSError as error:
        raise RecordingError(f"cannot record into {shown(folder)}: {_reason(error)}") from error


def _not_started(argv: Sequence[str], error: Exception) -> str:
    name = argv[0] if argv else ""
    message = f"cannot start {shown(name)}: "
    if not isinstance(error, OSError):  # a NUL byte in an argument
        return message + str(error)
    if error.filename not in (None, name):  # the folder to run it in
        message += f"{shown(error.filename)}: "
    return message + _reason(error)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


class _Kept:
    """A file that is written at once, until that fails; nothing is written after a gap."""

    def __init__(self, folder: str, name: str, stack: ExitStack) -> None:
        self.path = os.path.join(folder, name)
        self.problem: str | None = None
        self._name = name
        # Appended to: a child may open /dev/stderr anew, and would write over what stands there.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        self.file = os.open(self.path, flags, 0o666)
        stack.callback(os.close, self.file)

    def write(self, data: bytes) -> int:
        """Return how many of the bytes were written."""
        written, view = 0, memoryview(data)
        while written < len(data) and self.problem is None:
            try:
                written += os.write(self.file, view[written:])
            except OSError as error:
                self.problem = f"{self._name}: {_reason(error)}; not all of it was kept"
        return written


class _Output:
    """What a process prints, and its way to the files; `entrance` is the process's stdout."""

    def __init__(self, stdout: _Kept, times: _Kept, events: _Events, stack: ExitStack) -> None:
        self.start = time.monotonic()
        self.size = 0
        self.lines = 0
        self.stdout, self.times = stdout, times
        self.pieces: SimpleQueue[bytes | None] = SimpleQueue()  # for the listener; None: the end
        self._events = events
        self._timed = 0  # lines
        self._half: float | None = None  # when the last piece of half a line came, in ms
        self._pipe, self.entrance = os.pipe()
        _enlarge(self._pipe)
        self._wake, self._waker = os.pipe()
        for end in (self._pipe, self._wake, self._waker):
            stack.callback(os.close, end)

    def keep(self) -> None:
        """Read, and write what came, until nobody can print any more."""
        ends = True
        for piece in self._read():
            ms = (time.monotonic() - self.start) * 1000
            kept = piece[: self.stdout.write(piece)]
            if kept:
                self._time(kept.count(b"\n"), ms)
                self._half = None if kept.endswith(b"\n") else ms
            self.pieces.put(piece)
            self.size += len(piece)
            self.lines += piece.count(b"\n")
            ends = piece.endswith(b"\n")
        self.lines += not ends
        if self._half is not None:
            self._time(1, self._half)
        self.pieces.put(None)
        self._events.put(_Event.DRAINED)

    def _read(self) -> Iterator[bytes]:
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        left = PIPE_BYTES  # all that the pipe can still hold when it was abandoned
        while left > 0:
            ready = dict(poll.poll())
            if self._pipe not in ready:
                return
            piece = os.read(self._pipe, READ_BYTES)
            if not piece:
                return
            yield piece
            if self._wake in ready:
                left -= len(piece)

    def _time(self, lines: int, ms: float) -> None:
        numbers = range(self._timed + 1, self._timed + 1 + lines)
        rows = "".join(f'{{"line": {number}, "ms": {ms:.1f}}}\n' for number in numbers)
        self.times.write(rows.encode())
        self._timed += lines

    def abandon(self) -> None:
        """Read what is there, and wait for no more."""
        os.write(self._waker, b"\n")


def _enlarge(pipe: int) -> None:
    """Have a pipe take much before it blocks, where that can be had."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # this user's pipes take too much already
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


class _Run:
    """A process, and what is to be done when something happens to it or does not."""

    def __init__(self, process: subprocess.Popen[bytes], output: _Output, events: _Events) -> None:
        self._process = process
        self._output = output
        self._events = events
        self._reader = threading.Thread(target=output.keep, daemon=True)
        self._end = 0.0
        self._due: dict[_Event, float] = {}
        self._stopped: str | None = None
        self._timed_out = False

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
            while (piece := self._output.pieces.get()) is not None:
                if on_bytes is not None:
                    on_bytes(piece)
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
            self._events.put(error)
        self._events.put(_Event.HEARD)

    def supervise(self, timeout: float | None) -> None:
        """Return when the process has ended, and all that there is of its output was heard."""
        if timeout is not None:
            self._due[_Event.TIMED_OUT] = self._output.start + timeout
        awaited = {_Event.ENDED, _Event.DRAINED, _Event.HEARD}
        while awaited:
            match self._next():
                case BaseException() as error:
                    raise error
                case signal.Signals() as number:
                    self._send(number, STOP_GRACE)
                case _Event.TIMED_OUT:
                    self._timed_out = True
                    self._send(signal.SIGTERM, TIMEOUT_GRACE)
                case _Event.IGNORED:
                    self._kill_group()
                case _Event.HELD:
                    self._kill_group()
                    self._output.abandon()  # held by who has left the group, too
                case event:
                    awaited.discard(event)
                    if event is _Event.ENDED:
                        self._due = {_Event.HELD: time.monotonic() + PIPE_GRACE}

    def _next(self) -> _Event | signal.Signals | BaseException:
        if not self._due:
            return self._events.get()
        event, due = min(self._due.items(), key=lambda item: item[1])
        try:
            return self._events.get(timeout=max(0, due - time.monotonic()))
        except Empty:
            del self._due[event]
            return event

    def _send(self, number: signal.Signals, grace: float) -> None:
        if self._process.returncode is None:
            self._stopped = self._stopped or number.name
            self._process.send_signal(number)
            due = time.monotonic() + grace
            self._due[_Event.IGNORED] = min(due, self._due.get(_Event.IGNORED, due))

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it is gone; on macOS, a zombie
            os.killpg(self._process.pid, signal.SIGKILL)

    def finish(self) -> None:
        """Kill what is left of the group, and keep what was printed, also after an error."""
        self._kill_group()
        self._process.wait()
        if self._reader.is_alive():
            self._output.abandon()
            self._reader.join()

    def told(self, stderr: _Kept) -> Recording:
        """Sum up, when all is over."""
        code, output = self._process.returncode, self._output
        return Recording(
            exit_code=code if code >= 0 else None,
            signal=_signal_name(-code) if code < 0 else None,
            stopped=self._stopped,
            timed_out=self._timed_out,
            wall_ms=round((self._end - output.start) * 1000, 1),
            lines=output.lines,
            stdout_bytes=output.size,
            stderr_bytes=os.fstat(stderr.file).st_size,
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
