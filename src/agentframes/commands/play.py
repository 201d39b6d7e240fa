# SPDX-License-Identifier: Apache-2.0
"""``agentframes play``: what a capture's CLI printed, byte for byte, at its own times."""

from __future__ import annotations

import math
import os
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BufferedReader
from typing import Any

from agentframes.captures import CaptureFolder, open_folder
from agentframes.commands import USAGE, complain, drop_output
from agentframes.commands.arguments import FileName, Parser, UsageError
from agentframes.errors import SourceError
from agentframes.lines import CHUNK_BYTES, open_path, shown
from agentframes.playing import Lacks, paced
from agentframes.terminal.plain import one_line

LONGEST_SLEEP = 3600  # seconds; `time.sleep` refuses what a garbled time may come to

_DESCRIPTION = """\
Write what a capture's CLI printed to stdout, byte for byte, each line at the time it arrived at,
as timing.jsonl tells. A file that is no capture folder has no times, and is written at once."""

_EPILOG = """\
A line without a time follows the one before it at once; what the times lack is told on stderr,
unless nothing is waited for.

exit status: 0, or the CLI's own under --exit-code; 2 usage or unreadable input; 130 interrupted"""


def run(arguments: Sequence[str]) -> int:
    """Play one capture; return the exit status."""
    options = _parser().parse_args(arguments)
    name: str = options.path
    try:
        folder = open_folder(name) if os.path.isdir(name) else None
        if folder is None and (options.stderr or options.exit_code):
            raise UsageError(f"play: --stderr and --exit-code need a capture folder: {shown(name)}")
        status = _exit_code(name, folder) if folder and options.exit_code else 0
        try:
            _play(name, folder, options)
        except BrokenPipeError:  # who has seen enough changes nothing in how the run ended
            drop_output()
    except SourceError as error:
        complain(f"play: {one_line(str(error))}")
        return USAGE
    return status


def _exit_code(name: str, folder: CaptureFolder) -> int:
    code = folder.exit_code
    if code is None or not 0 <= code < 256:  # noqa: PLR2004 - what an exit status can be
        raise SourceError(f"{shown(name)}: the capture tells no exit status (--exit-code)")
    return code


def _play(name: str, folder: CaptureFolder | None, options: Namespace) -> None:
    """Open all that is to be read, then write it: what is wrong with it is told at the door."""
    missing, lacks = [], Lacks()
    with ExitStack() as stack:
        pieces = _pieces(folder.stdout if folder else name, stack)
        errors: Iterator[bytes] = iter(())
        if folder and options.stderr:
            if folder.stderr:
                errors = _pieces(folder.stderr, stack)
            else:
                missing.append("no stderr.txt")
        pace: Iterator[tuple[float, bytes]] = ((0.0, piece) for piece in pieces)
        if folder and options.speed:
            timing = os.path.join(name, "timing.jsonl")
            if os.path.exists(timing):
                times = _pieces(timing, stack)
                pace = paced(pieces, times, lacks, speed=options.speed, max_gap=options.max_gap)
            else:
                missing.append("no timing.jsonl")
        _write(pace)
        if told := ", ".join(filter(None, (*missing, str(lacks)))):
            complain(f"play: {shown(name)}: {told}")
        for piece in errors if sys.stderr is not None else ():
            sys.stderr.buffer.write(piece)
            sys.stderr.buffer.flush()


def _pieces(path: str, stack: ExitStack) -> Iterator[bytes]:
    """Open a file, and return its lines; a long one comes in several pieces, not to be held."""
    file = stack.enter_context(BufferedReader(open_path(FileName(path))))  # type: ignore[type-var]
    return _read(file, path)


def _read(file: BufferedReader[Any], path: str) -> Iterator[bytes]:
    try:
        while piece := file.readline(CHUNK_BYTES):
            yield piece
    except OSError as error:
        raise SourceError(f"{shown(path)}: {(error.strerror or str(error)).lower()}") from error


def _write(pace: Iterator[tuple[float, bytes]]) -> None:
    """Write each piece when it is due; one that is late does not delay those after it."""
    due = time.monotonic()
    for wait, piece in pace:
        due += wait
        while (left := due - time.monotonic()) > 0:
            time.sleep(min(left, LONGEST_SLEEP))
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number < math.inf:
        raise ArgumentTypeError(f"not a number from 0 up: {text!r}")
    return number


def _parser() -> Parser:
    parser = Parser("agentframes play", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("path", metavar="PATH", help="a folder with stdout.jsonl and timing.jsonl in it, or a file")
    speed = parser.add_mutually_exclusive_group().add_argument
    speed(
        "--speed",
        metavar="F",
        type=_number,
        default=1.0,
        help="so many times as fast as it was; 0 waits for nothing",
    )
    speed("--fast", dest="speed", action="store_const", const=0.0, help="the same as --speed 0")
    add(
        "--max-gap",
        metavar="SECONDS",
        type=_number,
        help="wait no longer than that before a line, whatever the speed",
    )
    add("--stderr", action="store_true", help="at the end, write stderr.txt to stderr")
    add("--exit-code", action="store_true", help="exit as the CLI did")
    return parser
