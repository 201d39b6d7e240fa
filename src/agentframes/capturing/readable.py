# SPDX-License-Identifier: Apache-2.0
"""What the sanitizer can read: text; what is compressed or binary is refused, not passed through.

Rules find nothing in such bytes, and "nothing was found" would be no answer.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import Any

from agentframes.errors import SourceError
from agentframes.lines import shown

BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

_LOOKED_AT = 8 * 1024  # bytes, in which a binary file has a zero
_BLOCK = 1024 * 1024
_LONGEST = 64  # bytes of a placeholder
_UNPACK = "unpack it first ({})"
_KINDS = (
    (b"\x1f\x8b", "compressed with gzip", "name it .gz, or " + _UNPACK.format("gunzip")),
    (b"\xfd7zXZ\0", "compressed with xz", _UNPACK.format("unxz")),
    (b"BZh", "compressed with bzip2", _UNPACK.format("bunzip2")),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", _UNPACK.format("unzstd")),
    (b"PK\3\4", "a zip archive", _UNPACK.format("unzip")),
    (codecs.BOM_UTF32_LE, "UTF-32", "write it as UTF-8 first (iconv -f UTF-32 -t UTF-8)"),
    (codecs.BOM_UTF32_BE, "UTF-32", "write it as UTF-8 first (iconv -f UTF-32 -t UTF-8)"),
)


def text_lines(lines: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Yield the same lines, if they are of text, or of UTF-16 with a byte order mark.

    Raises:
        SourceError: they are not; the message says what they are, and what to do.
    """
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _LOOKED_AT:
            break
    _refuse_binary(b"".join(held)[:_LOOKED_AT], name)
    return chain(held, lines)


def _refuse_binary(head: bytes, name: str) -> None:
    for magic, kind, what_to_do in _KINDS:
        if head.startswith(magic):
            raise SourceError(f"{shown(name)}: {kind}: {what_to_do}")
    if b"\0" not in head or head[:2] in BOMS:
        return
    zeros = [byte == 0 for byte in head[:8]]
    if zeros[:4] in ([False, True] * 2, [True, False] * 2):
        endian = "LE" if zeros[1] else "BE"
        what_to_do = f"write it as UTF-8 first (iconv -f UTF-16{endian} -t UTF-8)"
        raise SourceError(f"{shown(name)}: UTF-16 without a byte order mark: {what_to_do}")
    if sum(zeros) in (5, 6):  # a letter is one byte of four
        raise SourceError(f"{shown(name)}: UTF-32: write it as UTF-8 first (iconv -f UTF-32)")
    raise SourceError(f"{shown(name)}: binary data: only text can be sanitized")


def refuse_cut(path: str) -> None:
    """Refuse a compressed file of which the end is missing: the rest would be lost.

    Raises:
        SourceError: it is one.
    """
    if not path.endswith(".gz") or not os.path.isfile(path):
        return
    try:
        with gzip.open(path) as file:
            while file.read(_BLOCK):
                pass
    except EOFError as error:
        message = f"{shown(path)}: cut off: unpack what is left of it first (gunzip -c)"
        raise SourceError(message) from error
    except (OSError, zlib.error):  # reading it says what is wrong
        pass


def blocks(file: Any) -> Iterator[bytes]:
    """Yield all of an open file, by blocks, each with the end of the one before.

    What cannot be read is told when it is read again.
    """
    end = b""
    try:
        while block := file.read(_BLOCK):
            yield end + block
            end = block[-_LONGEST:]
    except OSError:
        return
