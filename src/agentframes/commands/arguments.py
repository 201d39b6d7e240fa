# SPDX-License-Identifier: Apache-2.0
"""What commands share: arguments whose errors are one line, inputs by their names, output."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn

from agentframes.engines.support import plain_version
from agentframes.errors import AgentframesError, SourceError


class UsageError(AgentframesError):
    """Arguments that make no sense; the message says which."""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help texts of a fixed width: asking the terminal for one imports what `read` can spare."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and exiting."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=Formatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise the one line that says what is wrong."""
        raise UsageError(f"{self.prog.split()[-1]}: {message} ({self.prog} --help tells more)")


def add_inputs(parser: Parser) -> None:
    """Let the caller name what is to be read; nothing is stdin, if something is piped in."""
    parser.add_argument(
        "path",
        nargs="*",
        metavar="PATH",
        help="a file, a folder with stdout.jsonl and capture.toml in it, or - for stdin",
    )


def add_version(parser: Parser) -> None:
    """Let the caller tell the CLI's version, as the CLI prints it itself or bare."""
    parser.add_argument(
        "--cli-version",
        metavar="V",
        type=_version,
        help="the CLI's version, where the frames do not tell it",
    )


def _version(text: str) -> str:
    version = plain_version(text)
    if version is None:
        raise argparse.ArgumentTypeError(f"no version number in {text!r}")
    return version


def whole_number(text: str) -> int:
    """Read a number of things, of which there must be one at least."""
    if not (text.isascii() and text.isdigit() and int(text[:18]) > 0):
        raise argparse.ArgumentTypeError(f"no whole number above 0: {text!r}")
    return int(text)


class FileName:
    """A file's name, whatever it looks like; `pathlib` would cost a tenth of the start."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __fspath__(self) -> str:
        return self._name


def source(name: str) -> Any:
    """Return what an input's name stands for; ``-`` is stdin.

    Raises:
        SourceError: stdin is closed.
    """
    if name != "-":
        return FileName(name)
    if sys.stdin is None:
        raise SourceError("stdin is closed")
    return sys.stdin.buffer


def writable(name: str) -> str:
    """Return an input's name as text that can be written, whatever its bytes are."""
    return os.fsencode(name).decode("utf-8", "replace")


def named_inputs(command: str, named: list[str]) -> list[str]:
    """Return the inputs of a command; where none is named, stdin, if something is piped into it.

    Raises:
        UsageError: there is none, or stdin is named twice.
    """
    if not named and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(
            f"{command}: nothing to {command}: give a PATH, or - and pipe the output in"
        )
    if named.count("-") > 1:
        raise UsageError(f"{command}: - stands for stdin, which can be read once only")
    return named or ["-"]


def write(text: str) -> None:
    """Write to stdout, whatever characters it can show."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.buffer.write(text.encode(encoding, "replace"))
    sys.stdout.buffer.flush()
