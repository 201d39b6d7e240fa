# SPDX-License-Identifier: Apache-2.0
r"""A process's pipe, drained at once into files; who listens reads it back from there.

Neither a slow listener nor the death of the recorder takes away what was printed before, and no
flood fills the memory. Lines are cut at ``\n`` bytes only.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from queue import SimpleQueue

READ_BYTES = 64 * 1024
PIPE_BYTES = 1024 * 1024  # the most that Linux grants without privileges


class Kept:
    """A file that is written at once, until that fails; nothing is written after a gap."""

    def __init__(self, folder: str, name: str, stack: ExitStack, *, mode: int) -> None:
        self.path = os.path.join(folder, name)
        self.problem: str | None = None
        self._name = name
        # Appended to: a child may open /dev/stderr anew, and would write over what stands there.
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        self.file = os.open(self.path, flags, mode)
        stack.callback(os.close, self.file)

    def write(self, data: bytes) -> int:
        """Return how many of the bytes were written."""
        written, view = 0, memoryview(data)
        while written < len(data) and self.problem is None:
            try:
                written += os.write(self.file, view[written:])
            except OSError as error:
                self.problem = f"{self._name}: {reason(error)}; not all of it was kept"
        return written

    @property
    def size(self) -> int:
        """How many bytes stand in it."""
        return os.fstat(self.file).st_size


def reason(error: OSError) -> str:
    """Say in words what the system refused."""
    return (error.strerror or str(error)).lower()


class Output:
    """What a process prints, and its way to the files; `entrance` is the process's stdout."""

    def __init__(self, stdout: Kept, times: Kept, stack: ExitStack) -> None:
        self.start = self.last = time.monotonic()
        self.size = 0
        self.lines = 0
        self.stdout, self.times = stdout, times
        # For the listener: how much more stands in the file, what does not, or None for the end.
        self._pieces: SimpleQueue[int | bytes | None] = SimpleQueue()
        self._timed = 0  # lines
        self._half: float | None = None  # when the last piece of half a line came, in ms
        self._pipe, self.entrance = os.pipe()
        _enlarge(self._pipe)
        self._wake, self._waker = os.pipe()
        for end in (self._pipe, self._wake, self._waker):
            stack.callback(os.close, end)

    def keep(self, drained: Callable[[], None]) -> None:
        """Read, and write what came, until nobody can print any more."""
        ends = True
        for piece in self._read():
            self.last = time.monotonic()
            ms = (self.last - self.start) * 1000
            written = self.stdout.write(piece)
            if written:
                kept = piece[:written]
                self._time(kept.count(b"\n"), ms)
                self._half = None if kept.endswith(b"\n") else ms
                self._pieces.put(written)
            if written < len(piece):
                self._pieces.put(piece[written:])
            self.size += len(piece)
            self.lines += piece.count(b"\n")
            ends = piece.endswith(b"\n")
        self.lines += not ends
        if self._half is not None:
            self._time(1, self._half)
        self._pieces.put(None)
        drained()

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

    def heard(self) -> Iterator[bytes]:
        """Yield all that is printed, as it comes, in pieces of no more than `READ_BYTES`."""
        position = 0
        while (told := self._pieces.get()) is not None:
            if isinstance(told, bytes):
                yield told
                continue
            end = position + told
            while position < end:
                piece = os.pread(self.stdout.file, min(end - position, READ_BYTES), position)
                if not piece:  # somebody has cut the file
                    position = end
                    break
                yield piece
                position += len(piece)


def _enlarge(pipe: int) -> None:
    """Have a pipe take much before it blocks, where that can be had."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # this user's pipes take too much already
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
