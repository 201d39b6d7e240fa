# SPDX-License-Identifier: Apache-2.0
"""What a rule of the sanitizer is, and the common ways to make one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from agentframes.capturing.secret_names import Spans, is_dummy, is_secret

Finder: TypeAlias = Callable[[str], Spans]

NUMBER = "0"
"""The form of what stands for a number."""

_ALONE = r"(?<![A-Za-z0-9])"


def as_it_is(value: str) -> str:
    """Two values are the same where they are equal."""
    return value


class Rule(NamedTuple):
    """One sort of secret.

    `name` is of the sort, in reports. A text without any of the `hints` is not searched; those in
    lower case stand for any case. In the `form` of the placeholder `{}` stands for a number, which
    rules of one `counter` give out together; two values that `same` makes equal have the same.
    """

    name: str
    hints: tuple[str, ...]
    find: Finder
    form: str
    counter: str
    same: Callable[[str], str] = as_it_is


def named(name: str, hints: str, find: Finder) -> Rule:
    """Make a rule of the common form; `hints` are parted by blanks."""
    return Rule(name, tuple(hints.split(" ")), find, f"[{name}-{{}}]", name)


def key(name: str, hints: str, pattern: str) -> Rule:
    """Make a rule for a key that is known by its looks."""
    compiled = re.compile(_ALONE + rf"(?:{pattern})")

    def find(text: str) -> Spans:
        for match in compiled.finditer(text):
            if not is_dummy(match.group()):
                yield match.span()

    return named(name, hints, find)


def behind(name: str, hints: str, pattern: str, is_one: Callable[[str], bool] = is_secret) -> Rule:
    """Make a rule for what stands behind the first group of a pattern."""
    compiled = re.compile(pattern)

    def find(text: str) -> Spans:
        for match in compiled.finditer(text):
            if is_one(text[match.end(1) : match.end()]):
                yield match.end(1), match.end()

    return named(name, hints, find)


def whole(pattern: str) -> Finder:
    """Find all of what matches."""
    compiled = re.compile(pattern)
    return lambda text: (match.span() for match in compiled.finditer(text))
