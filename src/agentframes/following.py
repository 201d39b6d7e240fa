# SPDX-License-Identifier: Apache-2.0
"""A file that grows: its lines as they are written, and what became of it meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from enum import Enum
from typing import IO

from agentframes.errors import SourceError
from agentframes.lines import CHUNK_BYTES, open_path

POLL_SECONDS = 0.2
REMEMBERED = 64  # bytes before the place that was read up to, to tell that they are still there


class Anew(Enum):
    """The content begins anew; the value says why."""

    TRUNCATED = "it was truncated"
    OVERWRITTEN = "it was overwritten"
    REPLACED = "another file took its place"


def follow(
    path: str | os.PathLike[str],
    *,
    poll: float = POLL_SECONDS,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[bytes | Anew]:
    r"""Yield what stands in a file and what is appended to it, as chunks that end at a ``\n``.

    Half a line is waited for. When the content begins anew, what was left of the old one comes as
    it is, then an `Anew`, then the new content from its start. A file that is gone is waited for.

    Args:
        path: the file, which must exist.
        poll: how many seconds to wait before looking again.
        stop: asked each time all was read; when it says so, half a line comes as it is, and
            that is the end.

    Raises:
        SourceError: there is no such file, or it cannot be read.
    """
    file = _Followed(path)
    try:
        while True:
            yield from file.new_lines()
            anew = file.changed()
            if anew is not None:
                if anew is Anew.REPLACED:
                    yield from file.new_lines()  # written between the last look and the change
                yield from file.rest()
                yield anew
                file.begin_anew(anew)
            elif stop():
                yield from file.new_lines()
                yield from file.rest()
                return
            else:
                time.sleep(poll)
    finally:
        file.close()


class _Followed:
    """The file as it was last seen."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._next: IO[bytes] | None = None
        self._enter(open_path(path))

    def _enter(self, file: IO[bytes]) -> None:
        self._file = file
        self._held = bytearray()
        self._position = 0
        self._before = b""

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        if self._next is not None:
            self._next.close()

    def new_lines(self) -> Iterator[bytes]:
        """Read up to the end of the file."""
        if self._overwritten():
            return
        while piece := self._file.read(CHUNK_BYTES):
            self._position += len(piece)
            self._before = (self._before + piece)[-REMEMBERED:]
            end = piece.rfind(b"\n") + 1
            if end:
                yield bytes(self._held + piece[:end])
                self._held = bytearray(piece[end:])
            else:
                self._held += piece

    def rest(self) -> Iterator[bytes]:
        """Give half a line up: nothing more will come of it."""
        if self._held:
            yield bytes(self._held)
            self._held = bytearray()

    def changed(self) -> Anew | None:
        """Tell whether the content that was read is no longer that of the file."""
        if os.fstat(self._file.fileno()).st_size < self._position:
            return Anew.TRUNCATED
        if self._overwritten():
            return Anew.OVERWRITTEN
        return Anew.REPLACED if self._replaced() else None

    def _overwritten(self) -> bool:
        """Look at the last bytes that were read; reading goes on behind them."""
        self._file.seek(self._position - len(self._before))
        return self._file.read(len(self._before)) != self._before

    def _replaced(self) -> bool:
        """Look whether the name stands for another file by now.

        The old one is held open, so that its number is not given to another.
        """
        try:
            if os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._path)):
                return False
            self._next = open_path(self._path)
        except (OSError, SourceError):  # gone, or on its way
            return False
        return True

    def begin_anew(self, anew: Anew) -> None:
        """Go to the start of the new content."""
        if anew is Anew.REPLACED and self._next is not None:
            self._file.close()
            file, self._next = self._next, None
            self._enter(file)
        else:
            self._file.seek(0)
            self._enter(self._file)
