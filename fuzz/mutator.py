# SPDX-License-Identifier: Apache-2.0
"""Mutations that know lines and JSON, beside the fuzzer's own, which know bytes.

Flipped bytes seldom get past the first look at a line. These keep most of it well formed: they
move frames about, change one field, or put in what terminals, shells and pipes put in.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from random import Random
from typing import Any

ODD_BYTES = (
    b"\x1b[2J", b"\x1b[?25l", b"\x1b]0;title\x07", b"\xef\xbb\xbf", b"\0", b"\xff", b"\xc3", b"\r",
    b"\n", b"\n\n", b"\r\n", b" ", b"\t", b"\xe2\x80\xa8", b"\\ud800", b'"', b"\\", b"{", b"}",
    b"[", b"]", b",", b"{\n ", b"[\n ", b"\n}\n", b"NaN", b"-Infinity", b"1e999", b"9" * 400,
    b"```json\n{}\n```", b"[INFO] ready ", b"Loaded credentials.\n", b'{"a":' * 1200, b"[" * 1200,
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e308, 2**63, 2**64, -(2**70), 10**399, float("nan"),
    "", " ", "0", "12", "false", "true", "NaN", "x" * 300, "\ud800", "\0", "\u2028", "{}",
    [], {}, [[]], [None], [{}], {"": None}, {"type": "text", "text": "hi"}, "user", "assistant",
    "success", "error", "stop", "length", '```json\n{"answer": "a"}\n```',
)  # fmt: skip
NAMES = ("type", "subtype", "id", "usage", "message", "content", "role", "part", "data", "new", "")
BY_BYTES = 0.3  # how often a step is the fuzzer's own
OTHERWISE = 0.03  # how often the whole is printed another way; rare, for little of it comes back

Lines = list[bytes]
Step = Callable[[Random, Lines], Lines]


class Mutator:
    """Makes an input out of another one; `stock` are frames of real captures."""

    def __init__(self, stock: Lines, of_bytes: Callable[[bytes, int], bytes]) -> None:
        self._stock = stock
        self._of_bytes = of_bytes
        groups: tuple[tuple[Step, ...], ...] = (MOVES, (_field,), (_field,), (_odd,), self.splices)
        self._groups = groups

    def __call__(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Mutate once or a few times."""
        choice = Random(seed)
        for _ in range(choice.choice((1, 1, 1, 2, 4))):
            if choice.random() < BY_BYTES:
                data = self._of_bytes(data, max_size)
            else:
                step = choice.choice(choice.choice(self._groups))
                data = b"\n".join(step(choice, data.split(b"\n")))
        if choice.random() < OTHERWISE:
            data = choice.choice(PRINTED_OTHERWISE)(data)
        return data[:max_size]

    @property
    def splices(self) -> tuple[Step, ...]:
        """Steps that put in a frame of the stock."""
        return (self._insert, self._replace, self._into, self._behind)

    def _insert(self, choice: Random, lines: Lines) -> Lines:
        at = choice.randrange(len(lines) + 1)
        return [*lines[:at], choice.choice(self._stock), *lines[at:]]

    def _replace(self, choice: Random, lines: Lines) -> Lines:
        lines[choice.randrange(len(lines))] = choice.choice(self._stock)
        return lines

    def _into(self, choice: Random, lines: Lines) -> Lines:
        return _put(choice, lines, choice.choice(self._stock))

    def _behind(self, choice: Random, lines: Lines) -> Lines:
        lines[choice.randrange(len(lines))] += choice.choice(self._stock)
        return lines


# --- lines ---------------------------------------------------------------------------------------


def _drop(choice: Random, lines: Lines) -> Lines:
    at = choice.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _repeat(choice: Random, lines: Lines) -> Lines:
    at = choice.randrange(len(lines) + 1)
    return [*lines[:at], choice.choice(lines), *lines[at:]]


def _swap(choice: Random, lines: Lines) -> Lines:
    at, other = choice.randrange(len(lines)), choice.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]
    return lines


def _join(choice: Random, lines: Lines) -> Lines:
    at = choice.randrange(len(lines))
    return [*lines[:at], b"".join(lines[at : at + 2]), *lines[at + 2 :]]


def _cut_end(choice: Random, lines: Lines) -> Lines:
    at = choice.randrange(len(lines))
    return [*lines[:at], lines[at][: choice.randint(0, len(lines[at]))]]


def _cut_begin(choice: Random, lines: Lines) -> Lines:
    at = choice.randrange(len(lines))
    lines[at] = lines[at][choice.randint(0, len(lines[at])) :]
    return lines


MOVES = (_drop, _repeat, _swap, _join, _cut_end, _cut_begin)


def _odd(choice: Random, lines: Lines) -> Lines:
    return _put(choice, lines, choice.choice(ODD_BYTES))


def _put(choice: Random, lines: Lines, inserted: bytes) -> Lines:
    """Put bytes into a line: where it begins or ends, or anywhere."""
    at = choice.randrange(len(lines))
    line = lines[at]
    where = choice.choice((0, len(line), choice.randint(0, len(line))))
    lines[at] = line[:where] + inserted + line[where:]
    return lines


# --- fields --------------------------------------------------------------------------------------


def _field(choice: Random, lines: Lines) -> Lines:
    """Change one field of one frame: its value, its type, its name, or that it is there at all."""
    at = choice.randrange(len(lines))
    try:
        frame = json.loads(lines[at])
        if frame and isinstance(frame, (dict, list)):
            _change(choice, frame)
            lines[at] = json.dumps(frame, separators=(",", ":")).encode()
            return lines
    except (ValueError, RecursionError):
        pass  # damaged already
    return _odd(choice, lines)


def _change(choice: Random, frame: Any) -> None:
    inner = [frame]
    for value in inner:  # grows while it is walked: every object and list, outer ones first
        parts = value.values() if isinstance(value, dict) else value
        inner += [part for part in parts if isinstance(part, (dict, list)) and part]
    home = choice.choice(inner[: choice.choice((1, len(inner)))])
    key: Any = choice.choice(list(home) if isinstance(home, dict) else range(len(home)))
    value = home.pop(key)
    changed = choice.choice(CHANGES)(choice, value)
    if changed is _GONE:
        return
    if isinstance(home, list):
        home.insert(key, changed)
    else:
        home[choice.choice(NAMES) if changed is value else key] = changed


_GONE: Any = object()
CHANGES: tuple[Callable[[Random, Any], Any], ...] = (
    lambda choice, _: choice.choice(ODD_VALUES),
    lambda choice, _: choice.choice(ODD_VALUES),
    lambda _, value: [value],
    lambda _, value: {"value": value},
    lambda _, value: json.dumps(value),
    lambda _, value: value,  # under another name
    lambda *_: _GONE,
)


# --- the same, as a shell, an editor or another transport would print it -------------------------


def _carriage_returns(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _utf16(data: bytes) -> bytes:
    return codecs.BOM_UTF16_LE + data.decode("utf-8", "replace").encode("utf-16-le")


def _utf16_unmarked(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode("utf-16-be")


def _array(data: bytes) -> bytes:
    return b"[" + b",".join(data.split(b"\n")).rstrip(b",") + b"]\n"


def _long_array(data: bytes) -> bytes:
    return b"[\n  " + b",\n  ".join(data.rstrip().split(b"\n")) + b"\n]\n"


def _documents(data: bytes) -> bytes:
    try:
        documents = [json.loads(line) for line in data.split(b"\n") if line]
    except (ValueError, RecursionError):
        return data
    return b"\n".join(json.dumps(value, indent=2).encode() for value in documents)


PRINTED_OTHERWISE = (
    _carriage_returns, _utf16, _utf16_unmarked, _array, _long_array, _documents,
)  # fmt: skip
