# SPDX-License-Identifier: Apache-2.0
"""Sanitizing files and capture folders; what is written is there as a whole or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from agentframes.captures import OUTPUTS, open_folder
from agentframes.capturing.describing import described
from agentframes.capturing.known import Known, this_machine
from agentframes.capturing.readable import BOMS, blocks, refuse_cut, text_lines
from agentframes.capturing.sanitizer import Report, Sanitizer
from agentframes.errors import SourceError
from agentframes.lines import open_path, shown

__all__ = [
    "Known",
    "Report",
    "Sanitizer",
    "look_through",
    "opened",
    "sanitize_file",
    "sanitize_folder",
    "sanitized",
    "this_machine",
]

DESCRIPTION = "capture.toml"
# In this order they give out the numbers of placeholders.
_PRINTED = (*OUTPUTS, "stderr.txt", "stderr.txt.gz", "expected.json", "meta.json")
_TIMES = "timing.jsonl"  # numbers alone


def sanitize_folder(source: str, target: str | None, known: Known | None = None) -> Report:
    """Sanitize a capture folder into another one, which is made, or in its own place.

    Without a target nothing is written. Files that are none of a capture's are left.

    Raises:
        SourceError: the source is no capture, cannot be read or described, the target is not
            empty, or cannot be written.
    """
    open_folder(source)
    sanitizer = Sanitizer(known)
    own = (*_PRINTED, _TIMES, DESCRIPTION)
    names = _names(source)
    sanitizer.report.left = [name for name in names if name not in own]
    files = [name for name in own if os.path.isfile(os.path.join(source, name))]
    for name in files:
        look_through(os.path.join(source, name), sanitizer)
    if target is None:
        for name in files:
            _sanitize(os.path.join(source, name), os.devnull, sanitizer)
        return sanitizer.report
    with _writing(target):
        in_place = os.path.exists(target) and os.path.samefile(source, target)
        if not in_place and os.path.exists(target) and os.listdir(target):
            raise SourceError(f"{shown(target)}: not empty")
        with _beside(target) as work:
            os.mkdir(work)
            for name in files:
                _sanitize(os.path.join(source, name), os.path.join(work, name), sanitizer)
            if in_place:
                for name in files:  # the description, which says that it is done, comes last
                    _put(os.path.join(work, name), os.path.realpath(os.path.join(source, name)))
            else:
                if os.path.exists(target):
                    os.rmdir(target)
                os.rename(work, target)
    return sanitizer.report


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise SourceError(f"{shown(folder)}: {(error.strerror or str(error)).lower()}") from error


def sanitize_file(source: str, target: str | None, sanitizer: Sanitizer) -> None:
    """Sanitize a file, compressed or not, into another one or in its own place.

    Without a target nothing is written.

    Raises:
        SourceError: the source cannot be read, or the target not written.
    """
    look_through(source, sanitizer)
    if target is None:
        _sanitize(source, os.devnull, sanitizer)
        return
    if os.path.exists(target) and not os.path.isfile(target):
        raise SourceError(f"{shown(target)}: not a regular file")
    with _writing(target), _beside(os.path.realpath(target)) as work:
        _sanitize(source, work, sanitizer)
        _put(work, os.path.realpath(target))


def sanitized(file: Any, name: str, sanitizer: Sanitizer) -> Iterator[bytes]:
    """Yield the lines of an open binary file, sanitized, in the encoding they have.

    Raises:
        SourceError: it cannot be read; the message gives `name`.
    """
    lines = text_lines(_read(file, name), name)
    first = next(lines, b"")
    encoding = BOMS.get(first[:2])
    if encoding is None:
        yield from sanitizer.lines(chain((first,) if first else (), lines))
        return
    data = b"".join((first, *lines))
    text = data.decode(encoding, "surrogatepass") if len(data) % 2 == 0 else ""
    if not text:
        raise SourceError(f"{shown(name)}: damaged UTF-16")
    sanitizer.expect(text.encode("utf-8", "surrogatepass"))
    for line in sanitizer.lines(io.BytesIO(text.encode("utf-8", "surrogatepass"))):
        yield line.decode("utf-8", "surrogatepass").encode(encoding, "surrogatepass")


def opened(path: str) -> io.BufferedReader[Any]:
    """Open a file, compressed or not.

    Raises:
        SourceError: it cannot be opened.
    """
    return io.BufferedReader(open_path(path))


def look_through(path: str, sanitizer: Sanitizer) -> None:
    """Tell a sanitizer what placeholders stand in a file that it is to sanitize.

    Raises:
        SourceError: the file cannot be opened, or is cut off.
    """
    if not os.path.isfile(path):  # what can be read once only
        return
    refuse_cut(path)
    with opened(path) as file:
        for block in blocks(file):
            sanitizer.expect(block)


def _read(file: Any, name: str) -> Iterator[bytes]:
    try:
        while line := file.readline():
            yield line
    except OSError as error:
        raise SourceError(f"{shown(name)}: {(error.strerror or str(error)).lower()}") from error


def _sanitize(source: str, target: str, sanitizer: Sanitizer) -> None:
    """Write one file anew; what nothing was found in is the same, byte by byte."""
    name = os.path.basename(source)
    before = sanitizer.report.changed
    with opened(source) as raw, open(target, "wb") as file:
        if name == _TIMES:
            shutil.copyfileobj(raw, file)
        elif name == DESCRIPTION:
            file.write(described(raw.read(), source, sanitizer))
        elif name.endswith(".gz"):
            with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
                packed.writelines(sanitized(raw, source, sanitizer))
        else:
            file.writelines(sanitized(raw, source, sanitizer))
    if name.endswith(".gz") and sanitizer.report.changed == before and target != os.devnull:
        shutil.copyfile(source, target)


@contextmanager
def _writing(target: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise SourceError(f"{shown(target)}: cannot be written ({problem})") from error


@contextmanager
def _beside(target: str) -> Iterator[str]:
    """Give a name beside the target's, of which nothing is left afterwards."""
    folder, name = os.path.split(target.rstrip("/\\"))
    work = os.path.join(folder, f".{name}.{secrets.token_hex(4)}")
    try:
        yield work
    finally:
        if os.path.isdir(work):
            shutil.rmtree(work)
        elif os.path.exists(work):
            os.remove(work)


def _put(work: str, target: str) -> None:
    if os.path.exists(target):
        shutil.copymode(target, work)
    try:
        os.replace(work, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _beside(target) as near:  # a link led to another disk
            shutil.copy(work, near)
            os.replace(near, target)
