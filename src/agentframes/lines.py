# SPDX-License-Identifier: Apache-2.0
r"""Bytes to chunks of whole lines.

Accepts whatever a caller has (path, capture folder, bytes, text, file object, iterable of lines)
and yields byte chunks that end at a ``\n``, except for the last one where the source does.
Lines are cut at ``\n`` bytes only: U+2028 stands raw inside the strings of four of the five
engines. A chunk is an immutable object of its own, so a value may be kept as a view into it.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from agentframes.errors import SourceError

CHUNK_BYTES = 256 * 1024
BOM = b"\xef\xbb\xbf"


def looks_like_content(text: str) -> bool:
    """Tell text that was printed from the name of a file: it has lines, or begins as JSON."""
    return "\n" in text or text.lstrip("\ufeff \t\r")[:1] in {"{", "["}


def open_path(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading.

    Raises:
        SourceError: one line that names the file and what is wrong with it.
    """
    name = os.fspath(path)
    try:
        return open(name, "rb", buffering=0)
    except FileNotFoundError:
        message = f"{name}: no such file"
    except OSError as error:
        message = f"{name}: {(error.strerror or 'cannot be read').lower()}"
    except ValueError as error:  # a NUL byte in the name
        message = f"{name!r}: not a file name ({error})"
    raise SourceError(message)


def chunks(source: Any) -> Iterator[bytes]:
    """Yield the bytes of an open file, of content, or of an iterable of lines, by whole lines."""
    return _whole_lines(_utf8(_pieces(source)))


def _pieces(source: Any) -> Iterator[bytes]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return iter((bytes(source),))
    if isinstance(source, str):
        return iter((encode(source),))
    if hasattr(source, "read"):
        return _read(source)
    if isinstance(source, Iterable):
        return _joined(source)
    message = f"cannot read from {type(source).__name__}: give a path, bytes, text, a file or lines"
    raise SourceError(message)


def encode(text: str) -> bytes:
    """Text back to bytes: bytes smuggled in by ``surrogateescape`` come out as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _read(file: Any) -> Iterator[bytes]:
    while piece := _piece(file):
        yield encode(piece) if isinstance(piece, str) else piece


def _piece(file: Any) -> Any:
    try:
        return file.read(CHUNK_BYTES)
    except OSError as error:
        name = getattr(file, "name", "the file")
        raise SourceError(f"{name}: {(error.strerror or 'cannot be read').lower()}") from error


def _joined(lines: Iterable[str | bytes]) -> Iterator[bytes]:
    """Lines with or without their line ends, gathered so that they cost little each."""
    held: list[bytes] = []
    size = 0
    for item in lines:
        line = encode(item) if isinstance(item, str) else bytes(item)
        held.append(line if line.endswith(b"\n") else line + b"\n")
        size += len(line)
        if size >= CHUNK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Drop a byte order mark; decode UTF-16, which PowerShell writes on ``>``."""
    first = next(pieces, b"")
    encoding = _utf16(first[:4])
    if encoding is None:
        yield first.removeprefix(BOM)
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield encode(decoder.decode(first).removeprefix("\ufeff"))
    for piece in pieces:
        yield encode(decoder.decode(piece))
    yield encode(decoder.decode(b"", final=True))


def _utf16(head: bytes) -> str | None:
    if head.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    # Without a mark: one character of JSON, then its zero byte (or the other way round).
    zeros = [byte == 0 for byte in head[:4]]
    if zeros == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if zeros == [True, False, True, False] else None


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Regroup pieces so that each chunk ends at a line end; a long line is joined once.

    A document printed over several lines is not parted: its engine shows when it is whole.
    """
    held: list[bytes] = []  # whole lines up to a document that goes on
    line: list[bytes] = []  # the line at hand, as far as it came
    inside = False
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if not end:
            if piece:
                line.append(piece)
            continue
        line.append(piece[:end])
        held.append(line[0] if len(line) == 1 else b"".join(line))
        line = [piece[end:]] if end < len(piece) else []
        inside = _in_document(held[-1], inside=inside)
        if not inside:
            yield held[0] if len(held) == 1 else b"".join(held)
            held = []
    held += line
    if held:
        yield b"".join(held)


def _in_document(lines: bytes, *, inside: bool) -> bool:
    """Tell whether whole lines end inside a document, by the last one that is not indented."""
    end = len(lines)
    while end:
        begin = lines.rfind(b"\n", 0, end - 1) + 1
        if lines[begin : begin + 1] not in (b" ", b"\t", b"\r", b"\n"):
            return lines[begin:end].rstrip() in (b"{", b"[")
        end = begin
    return inside


def read_text(source: Any) -> str:
    """All of a small side source (stderr), leniently decoded."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not _is_text(source)):
        with open_path(source) as file:
            data = b"".join(_read(file))
    else:
        data = b"".join(_pieces(source))
    return data.decode("utf-8", "replace")


def _is_text(source: str) -> bool:
    return "\n" in source or not os.path.exists(source)
