# SPDX-License-Identifier: Apache-2.0
"""A compressed file (`.gz`) read as what is in it; one that is cut gives what comes before that."""

from __future__ import annotations

import io
import zlib
from typing import IO, Any

READ_BYTES = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


class Unpacked(io.RawIOBase):
    """The content of an open compressed file; `gzip.GzipFile` gives no half of what is cut.

    Raises:
        OSError: on reading what is not compressed, or is damaged.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._member = zlib.decompressobj(_GZIP)
        self._rest = b""  # read, and not unpacked yet
        self.name = packed.name

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def fileno(self) -> int:
        """Return the compressed file's descriptor."""
        return self._packed.fileno()

    def readinto(self, buffer: Any, /) -> int:
        """Read some of the content; 0 at its end, and where the file is cut."""
        while True:
            if not self._rest:
                self._rest = self._packed.read(READ_BYTES) or b""
                if not self._rest:
                    return 0
            content = self._unpack(len(buffer))
            if content:
                buffer[: len(content)] = content
                return len(content)

    def _unpack(self, size: int) -> bytes:
        if self._member.eof:  # compressed files may be appended to each other
            self._member = zlib.decompressobj(_GZIP)
        try:
            content = self._member.decompress(self._rest, size)
        except zlib.error as error:
            raise OSError(f"no gzip file, or a damaged one ({error})") from error
        self._rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        return content

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._packed.close()
        super().close()
