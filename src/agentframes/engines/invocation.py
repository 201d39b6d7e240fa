# SPDX-License-Identifier: Apache-2.0
"""How an engine is called: what a caller asks for, and the command line that asks for it.

A command line is a list of arguments for the process itself; nothing goes through a shell.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from agentframes.errors import CommandError

Permission = Literal["read-only", "edits", "all"]
"""What the agent may do unasked: look, look and edit files, or anything."""

# One argument's bytes without its terminator: Linux's MAX_ARG_STRLEN; on Windows the whole line.
ARGUMENT_LIMIT = 32_000 if sys.platform == "win32" else 131_071


class Request(Struct, kw_only=True, frozen=True):
    """One call of an engine, in words of no engine."""

    prompt: str
    resume: str | None = None
    """The id of a session to go on with."""
    model: str | None = None
    cwd: str | None = None
    schema: Mapping[str, Any] | str | None = None
    """A JSON Schema for the answer, or the path of a file that holds it."""
    permission: Permission | None = None
    max_turns: int | None = None
    partial: bool = False
    """Print messages while they are written."""
    extra: tuple[str, ...] = ()
    """Options of the engine's own."""


class Installation(Struct, kw_only=True, frozen=True):
    """How an engine's CLI comes to a machine, and by what it is known to be of use."""

    program: str
    """The name of the executable."""
    package: str
    """The npm package."""
    help: tuple[str, ...]
    """The arguments that have it print the help which names `flag`."""
    flag: str
    """The option without which it prints no frames."""
    login: str
    """How its user logs in, in a few words."""
    logged_out: str | None = None
    """A pattern of what it says, on stdout or stderr, where nobody is logged in; None where no run
    has shown that."""
    takes_schema: bool = False
    """Whether it has an option for the schema of its answer."""
    tells: frozenset[Literal["tokens", "cost_usd"]] = frozenset()
    """What of a run's account it prints while the run goes on, and not at its end alone."""


class Command(Struct, kw_only=True, frozen=True):
    """A process to start: its arguments, what to write to its stdin, and where it runs."""

    argv: list[str]
    stdin: str | None = None
    cwd: str | None = None


def as_argument(engine: str, text: str) -> str:
    """Return a text that fits into an argument.

    Raises:
        CommandError: it is too long, or holds a character that no argument can hold.
    """
    if "\0" in text:
        raise CommandError(
            f"{engine}: the prompt holds a NUL character, which no argument can hold"
        )
    try:
        size = len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as error:
        raise CommandError(f"{engine}: the prompt is no valid Unicode text: {error}") from error
    if size > ARGUMENT_LIMIT:
        raise CommandError(
            f"{engine} takes its prompt as an argument, which holds at most {ARGUMENT_LIMIT} bytes"
            f" here; this one has {size}: put the text into a file and name that in the prompt"
        )
    return text


def option(flag: str, value: object) -> list[str]:
    """Return a flag with its value, or nothing where there is no value."""
    return [] if value is None else [flag, str(value)]


def refuse(engine: str, **asked: object) -> None:
    """Refuse what an engine has no option for.

    Raises:
        CommandError: one of `asked` is set.
    """
    for name, value in asked.items():
        if value:
            raise CommandError(f"{engine} has no option for {name}")


def choose(engine: str, permission: Permission | None, flags: Mapping[str, list[str]]) -> list[str]:
    """Return an engine's flags for a permission.

    Raises:
        CommandError: the engine has none for it, or there is no such permission.
    """
    if permission is None:
        return []
    if permission not in flags:
        raise CommandError(
            f"{engine} has no option for permission {permission!r}; it has {', '.join(flags)}"
        )
    return flags[permission]


def value_of(argv: Sequence[str], *flags: str) -> str | None:
    """Return the value that stands behind one of some flags; another flag is none."""
    for flag, value in itertools.pairwise(argv):
        if flag in flags and not value.startswith("-"):
            return value
    return None
