# SPDX-License-Identifier: Apache-2.0
r"""Bytes to chunks of whole lines.

Accepts whatever a caller has (path, capture folder, bytes, text, file object, iterable of lines)
and yields byte chunks that end at a ``\n``, except for the last one where the source does.
Lines are cut at ``\n`` bytes only: U+2028 stands raw inside the strings of four of the five
engines. A chunk is an immutable object of its own, so a value may be kept as a view into it.
"""

from __future__ import annotations

import codecs
import io
import itertools
import os
import re
import select
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import IO, Any, cast

from agentframes.errors import SourceError

CHUNK_BYTES = 128 * 1024
BOM = b"\xef\xbb\xbf"
SHORT = 16  # bytes; a line with a lone bracket has fewer, and a long line is not copied to see
MAX_NAME = 200  # characters of a name in a message: it may be text that was taken for a path

_UNENCODABLE = "[\ud800-\udc7f\udd00-\udfff]"  # all but what `surrogateescape` made


def looks_like_content(text: str) -> bool:
    """Tell text that was printed from the name of a file.

    It has several lines, begins as JSON, or carries terminal escapes; nothing at all was printed
    by a run that printed nothing, and names no file.
    """
    return (
        not text or "\n" in text or "\x1b" in text or text.lstrip("\ufeff \t\r")[:1] in {"{", "["}
    )


def open_path(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading; a compressed one (`.gz`) is read as what is in it.

    Raises:
        SourceError: one line that names the file and what is wrong with it.
    """
    try:
        return _plain(open(path, "rb", buffering=0), path)
    except FileNotFoundError:
        problem = "no such file"
    except OSError as error:
        problem = _problem(error)
    except ValueError as error:  # a NUL byte in the name
        problem = f"not a file name ({error})"
    raise SourceError(f"{shown(os.fspath(path))}: {problem}")


def _plain(file: IO[bytes], path: str | os.PathLike[str]) -> IO[bytes]:
    if not os.fspath(path).endswith(".gz"):
        return file
    from agentframes.unpacking import Unpacked  # rare

    return cast("IO[bytes]", Unpacked(file))


def shown(name: Any) -> str:
    """Give a name as it may stand in a message of one line."""
    text = str(name)
    if len(text) > MAX_NAME:
        text = text[:MAX_NAME] + "…"
    return text if text.isprintable() and text else repr(text)


def as_unicode(text: str) -> str:
    """Return an argument as a file of text can hold it: its bytes may be no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _problem(error: OSError) -> str:
    if isinstance(error, io.UnsupportedOperation):
        return "not open for reading"
    return (error.strerror or str(error) or "cannot be read").lower()


def chunks(source: Any) -> Iterator[bytes]:
    """Yield the bytes of an open file, of content, or of an iterable of lines, by whole lines.

    A document printed over several lines stands in one chunk. A chunk is not handed out before
    it is full, so this is not for a source that is being written.
    """
    return _whole_documents(_whole_lines(_utf8(_gathered(_pieces(source)))))


def _pieces(source: Any) -> Iterator[bytes]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return iter((bytes(source),))
    if isinstance(source, str):
        return iter((encode(source),))
    if hasattr(source, "read"):
        return _read(_beneath(source))
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        return _joined(source)
    raise _unreadable(source)


def _unreadable(value: Any) -> SourceError:
    name = type(value).__name__
    return SourceError(f"cannot read from {name}: give a path, bytes, text, a file or lines")


def encode(text: str) -> bytes:
    """Text back to bytes: bytes smuggled in by ``surrogateescape`` come out as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub(_UNENCODABLE, "\ufffd", text).encode("utf-8", "surrogateescape")


def _beneath(file: Any) -> Any:
    """Return the binary file beneath a text file: bytes can be read even where they do not decode.

    A text file of which something was read already is read on as it is.
    """
    try:
        file.reconfigure(errors=file.errors)  # changes nothing, and is refused after a read
    except (AttributeError, OSError, ValueError):
        return file
    return file.buffer


def _read(file: Any) -> Iterator[bytes]:
    try:
        while (piece := file.read(CHUNK_BYTES)) or piece is None:
            if piece is None:
                _wait(file)
            else:
                yield encode(piece) if isinstance(piece, str) else bytes(piece)
    except OSError as error:
        raise SourceError(f"{_named(file)}: {_problem(error)}") from error
    except UnicodeDecodeError as error:
        message = f"{_named(file)}: not all of it is {error.encoding}; open it in binary mode"
        raise SourceError(message) from error
    except ValueError as error:  # closed
        raise SourceError(f"{_named(file)}: {error}") from error


def _wait(file: Any) -> None:
    """Wait for a file that does not block, and has nothing to read yet."""
    try:
        select.select([file], [], [])
    except TypeError as error:  # it stands for no file of the system
        raise SourceError(f"{_named(file)}: nothing to read yet, and no way to wait") from error


def _named(file: Any) -> str:
    name = getattr(file, "name", None)
    return shown(name) if isinstance(name, str) else type(file).__name__


def _joined(lines: Iterable[Any]) -> Iterator[bytes]:
    """Lines with or without their line ends; the last one ends where it ends."""
    separator = b""
    for item in lines:
        line = _as_bytes(item)
        yield separator + line
        separator = b"" if line.endswith(b"\n") else b"\n"


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Put small pieces together and part large ones: all is read like a file.

    The engine is told from what stands in one chunk, so the same bytes come in the same chunks.
    """
    held = _Held()
    for piece in pieces:
        begin = 0
        while len(piece) - begin >= CHUNK_BYTES - held.size:
            end = begin + CHUNK_BYTES - held.size
            held.add(piece[begin:end])
            yield held.taken()
            begin = end
        if begin < len(piece):
            held.add(piece[begin:])
    if held.size:
        yield held.taken()


class _Held:
    """Bytes put together; what is taken is not kept, nor copied where it is a single piece."""

    def __init__(self) -> None:
        self.size = 0
        self._piece = b""
        self._buffer: io.BytesIO | None = None

    def add(self, piece: bytes) -> None:
        if self.size == 0:
            self._piece = piece
        else:
            if self._buffer is None:
                self._buffer = io.BytesIO()
                self._buffer.write(self._piece)
                self._piece = b""
            self._buffer.write(piece)
        self.size += len(piece)

    def taken_with(self, piece: bytes, end: int) -> bytes:
        """Take what is held and the begin of one more piece, copied once."""
        if self._buffer is not None:
            self.add(piece[:end])
            return self.taken()
        held, self.size, self._piece = self._piece, 0, b""
        if not held and end == len(piece):
            return piece
        return b"".join((held, memoryview(piece)[:end]))

    def taken(self) -> bytes:
        # Unlike a list that is joined, a BytesIO grows in place and gives its buffer away: a line
        # of 1 GB takes 1 GB.
        joined = self._piece if self._buffer is None else self._buffer.getvalue()
        self.size, self._piece, self._buffer = 0, b"", None
        return joined


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
    """Regroup pieces so that each chunk ends at a line end; what is left joins the last one."""
    held, ready = _Held(), b""
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if not end:
            held.add(piece)
        else:
            if ready:
                yield ready
            ready = held.taken_with(piece, end)
            held.add(piece[end:])
            if len(ready) > 2 * CHUNK_BYTES:  # a long line is not kept beside the next
                yield ready
                ready = b""
    if held.size > CHUNK_BYTES and ready:
        yield ready
        ready = b""
    if ready or held.size:
        yield ready + held.taken()


def _whole_documents(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Keep a document that is printed over several lines together: its engine is told by it."""
    held = _Held()
    inside = False
    for chunk in lines:
        held.add(chunk)
        inside = ends_inside(chunk, inside=inside)
        if not inside:
            del chunk  # else a long line is kept while the next one is read
            yield held.taken()
    if held.size:
        yield held.taken()


def ends_inside(chunk: bytes, *, inside: bool) -> bool:
    """Tell whether the last line that is not indented is a lone bracket, which opens a document."""
    end = len(chunk)
    while end > 0:
        begin = chunk.rfind(b"\n", 0, end - 1) + 1
        if chunk[begin] not in b" \t\r\n":
            return end - begin < SHORT and chunk[begin:end].rstrip() in (b"{", b"[")
        end = begin
    return inside


def lines_as_they_come(source: Any) -> Iterator[bytes]:
    """Yield the lines of an open file, or of an iterable of lines, each as soon as it is there.

    Raises:
        SourceError: the source is neither, or reading it fails.
    """
    if not hasattr(source, "readline"):
        yield from _joined_lines(source)
        return
    pieces = _lines_of(source)
    first = next(pieces, b"")
    encoding = _utf16(first[:4])
    if encoding is not None:
        yield from _decoded(itertools.chain((first,), pieces), encoding)
    elif first:
        yield first
        yield from pieces


def _decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Decode UTF-16 that was parted at bytes which are line feeds in UTF-8, and part it anew."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    held = ""
    for piece in pieces:
        *whole, held = (held + decoder.decode(piece)).split("\n")
        for line in whole:
            yield encode(line.removeprefix("\ufeff") + "\n")
    held += decoder.decode(b"", final=True)
    if held:
        yield encode(held.removeprefix("\ufeff"))


def _lines_of(source: Any) -> Iterator[bytes]:
    file, held = _beneath(source), b""
    try:
        while (piece := file.readline()) or piece is None:
            if piece is None:
                _wait(file)
                continue
            held += encode(piece) if isinstance(piece, str) else piece
            if held.endswith(b"\n"):
                yield held
                held = b""
    except OSError as error:
        raise SourceError(f"{_named(file)}: {_problem(error)}") from error
    except ValueError as error:  # closed, or text that does not decode
        raise SourceError(f"{_named(file)}: {error}; open it in binary mode") from error
    if held:
        yield held


def _joined_lines(source: Any) -> Iterator[bytes]:
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise _unreadable(source)
    for item in source:
        yield _as_bytes(item)


def _as_bytes(item: Any) -> bytes:
    if isinstance(item, str):
        return encode(item)
    if isinstance(item, (bytes, bytearray, memoryview)):
        return bytes(item)
    raise _unreadable(item)


async def lines_that_arrive(source: Any) -> AsyncIterator[bytes]:
    """Yield the lines of an asynchronous reader or iterable, whatever their length.

    Raises:
        SourceError: the source is neither.
    """
    if not hasattr(source, "read"):
        if not isinstance(source, AsyncIterable):
            raise _unreadable(source)
        async for item in source:
            yield _as_bytes(item)
        return
    held = _Held()
    while piece := await source.read(CHUNK_BYTES):
        end = piece.rfind(b"\n") + 1
        if end:
            yield held.taken_with(piece, end)
        if end < len(piece):
            held.add(piece[end:])
    if held.size:
        yield held.taken()


def read_text(source: Any) -> str:
    """All of a small side source (stderr), leniently decoded."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not _is_text(source)):
        with open_path(source) as file:
            return read_text(file)
    return b"".join(_utf8(_gathered(_pieces(source)))).decode("utf-8", "replace")


def _is_text(source: str) -> bool:
    return "\n" in source or not os.path.exists(source)
