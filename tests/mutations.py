# SPDX-License-Identifier: Apache-2.0
"""Damage to what a CLI printed, and an oracle that tells what damage leaves of a success.

Pure functions over bytes, and deterministic: the same capture, sort and number give the same
mutant on every machine. Nothing here comes from the package, so that an error in it shows.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple


class Printed(NamedTuple):
    """What a run printed, and lines of other runs, the other engines' included."""

    data: bytes
    others: Sequence[bytes] = ()


Mutation = Callable[[Printed, Random], bytes]

# What JSON, lines, encodings and terminals hang on.
_TELLING = (
    b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\n", b"\r", b"\r\n", b" ", b"\x00", b"\xff",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"\xc3", b"\x1b[0m", b"\x1b]0;title\x07", b"{}",
    b'{"', b"}\n{", b"\n{\n", b"\n}\n", b"null", b"NaN", b'"type":"result",', b"WARN slow\n",
)  # fmt: skip

# Values of all types, and those that readers choke on.
_VALUES = (
    b"null", b"true", b"false", b"0", b"1", b"-7", b"7.5", b"3.0", b"1e400", b"9" * 400, b"NaN",
    b"-Infinity", b'""', b'"x"', b'"12"', b'"false"', b'"success"', b'"\\ud800"', b'"\\u0000"',
    b'"\xff"', b'"\xe2\x80\xa8"', b"[]", b"[null]", b'["x",1]', b'[{"type":"x"}]', b"{}",
    b'{"a":1}', b'{"type":"x"}', b"[" * 3000 + b"]" * 3000,
)  # fmt: skip

_COLON = re.compile(r'"\s*:\s*')
_WORD = re.compile(rb'"([A-Za-z_][A-Za-z0-9_.-]*)"')
LONGEST = 16  # bytes that one deletion takes


def cut(data: bytes, at: int) -> bytes:
    """Break the output off: the CLI was killed, or its reader was too slow."""
    return data[:at]


# --- bytes ---------------------------------------------------------------------------------------


def flip(printed: Printed, draw: Random) -> bytes:
    """Turn one bit, or set one byte to any value."""
    data = bytearray(printed.data)
    if data:
        at = draw.randrange(len(data))
        data[at] = draw.choice((data[at] ^ 1 << draw.randrange(8), draw.randrange(256)))
    return bytes(data)


def insert(printed: Printed, draw: Random) -> bytes:
    """Put a telling piece, or some random bytes, anywhere."""
    at = draw.randint(0, len(printed.data))
    piece = draw.choice((draw.choice(_TELLING), draw.randbytes(draw.randint(1, 4))))
    return printed.data[:at] + piece + printed.data[at:]


def delete(printed: Printed, draw: Random) -> bytes:
    """Take a few bytes out."""
    at = draw.randint(0, len(printed.data))
    return printed.data[:at] + printed.data[at + draw.randint(1, LONGEST) :]


# --- lines ---------------------------------------------------------------------------------------


def splice(printed: Printed, draw: Random) -> bytes:
    """Write a line, or a piece of one, into the middle of another, as two writers at a pipe do."""
    lines = _lines(printed.data)
    piece = draw.choice((draw.choice(lines), draw.choice(printed.others or lines))).rstrip(b"\r\n")
    if draw.random() < 0.5:
        piece = piece[: draw.randint(0, len(piece))]
    at = draw.randint(0, len(printed.data))
    return printed.data[:at] + piece + draw.choice((b"", b"\n")) + printed.data[at:]


def double(printed: Printed, draw: Random) -> bytes:
    """Print a line again, at once or later."""
    lines = _lines(printed.data)
    at = draw.randrange(len(lines))
    return _joined([*lines[: at + 1], *_placed(lines[at], lines[at + 1 :], draw)])


def drop(printed: Printed, draw: Random) -> bytes:
    """Lose one to three lines."""
    lines = _lines(printed.data)
    at = draw.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + draw.choice((1, 1, 1, 2, 3)) :])


def swap(printed: Printed, draw: Random) -> bytes:
    """Print two lines each in the other's place."""
    lines = _lines(printed.data)
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return _joined(lines)


def join(printed: Printed, draw: Random) -> bytes:
    """Lose a line end."""
    ends = [at for at, byte in enumerate(printed.data) if byte == ord("\n")]
    if not ends:
        return printed.data
    at = draw.choice(ends)
    return printed.data[:at] + draw.choice((b"", b" ", b",")) + printed.data[at + 1 :]


def graft(printed: Printed, draw: Random) -> bytes:
    """Print a line of another run, perhaps of another engine, between two lines."""
    lines = _lines(printed.data)
    return _joined(_placed(draw.choice(printed.others or lines), lines, draw))


def _placed(line: bytes, lines: list[bytes], draw: Random) -> list[bytes]:
    at = draw.randint(0, len(lines))
    return [*lines[:at], line, *lines[at:]]


def _lines(data: bytes) -> list[bytes]:
    r"""Part at ``\n`` alone, each line with its end; there is always one."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data) or [b""]


def _joined(lines: list[bytes]) -> bytes:
    """Give each line but the last an end, if it came from where it needed none."""
    ended = [line if line.endswith(b"\n") else line + b"\n" for line in lines[:-1]]
    return b"".join(ended) + lines[-1]


# --- values --------------------------------------------------------------------------------------


def retype(printed: Printed, draw: Random) -> bytes:
    """Give a field of some frame, or of a part of one, a value of another type."""
    text = printed.data.decode("latin-1")
    begins = [match.end() for match in _COLON.finditer(text)]
    if not begins:
        return printed.data
    at = draw.choice(begins)
    end = _value_end(text, at)
    return printed.data[:at] + draw.choice(_VALUES) + printed.data[end:]


def rename(printed: Printed, draw: Random) -> bytes:
    """Change a name, a field's or a kind's, to a new one or to another that is used."""
    words = list(_WORD.finditer(printed.data))
    if not words:
        return printed.data
    word = draw.choice(words)
    others = (word[1] + b"_x", draw.choice(words)[1], b"", word[1].swapcase(), b"brand\xc3\xa9New")
    return printed.data[: word.start(1)] + draw.choice(others) + printed.data[word.end(1) :]


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        flip, insert, delete, splice, double, drop, swap, join, graft, retype, rename,
    )
}  # fmt: skip


def dice(name: str) -> Random:
    """Return dice that fall the same way for the same name, on every machine."""
    return Random(name)  # noqa: S311 - nothing to keep secret


def mutant(printed: Printed, sort: str, name: str, number: int) -> bytes:
    """Make the mutant of a sort with a number; `name` keeps captures from sharing their dice."""
    return MUTATIONS[sort](printed, dice(f"{name} {sort} {number}"))


# --- the same in other words ---------------------------------------------------------------------


class _Digits(str):
    """A number as it was written."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object's fields, a name that comes twice included."""


_VERBATIM = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_Pairs,
    parse_int=_Digits,
    parse_float=_Digits,
    parse_constant=_Digits,
)


def respelled(data: bytes, *, spaced: bool, escaped: bool, turned: bool) -> bytes:
    """Write each line that is JSON in another way that means the same.

    With blanks between the parts, with all but ASCII escaped, or with the fields of every object
    turned around where none comes twice.
    """
    between, after = (" , ", " : ") if spaced else (",", ":")

    def spell(value: Any) -> str:
        if isinstance(value, _Digits):
            return str(value)
        if isinstance(value, _Pairs):
            names = {name for name, _ in value}
            pairs = value[::-1] if turned and len(names) == len(value) else value
            fields = (spell(name) + after + spell(part) for name, part in pairs)
            return "{" + between.join(fields) + "}"
        if isinstance(value, list):
            return "[" + between.join(map(spell, value)) + "]"
        return json.dumps(value, ensure_ascii=escaped)

    def line(raw: bytes) -> bytes:
        try:
            return spell(_VERBATIM.decode(raw.decode())).encode()
        except ValueError:
            return raw

    return b"\n".join(map(line, data.split(b"\n")))


# --- the oracle ----------------------------------------------------------------------------------

# Every byte is a character in latin-1, so that positions are those of the bytes and bad UTF-8
# spoils nothing but the text it stands in; no word that is looked for has a character beyond ASCII.
_ENCODING = "latin-1"
_OBJECT = re.compile(r'\{\s*"')
_TRIED = 400  # ways to take others out of a damaged object


class Standing(NamedTuple):
    """A JSON object, and where it stands."""

    value: dict[str, Any]
    begin: int
    end: int


def may_succeed(engine: str, data: bytes, line: int | None = None) -> bool:
    """Tell whether anywhere in the bytes, or on a line of them, a terminal frame says success.

    It counts wherever it stands: in an array, behind text, in another object. What another line
    was written into counts as if it had not been.
    """
    text = data.decode(_ENCODING)
    return any(
        _SAYS[engine](found.value) and line in (None, _line_of(text, found))
        for found in itertools.chain(_objects(text), _around(text))
    )


def success_ends(engine: str, data: bytes) -> dict[int, int]:
    """Return where undamaged frames that say success end, by the line they begin on, from 1.

    In what is cut off before, none is left.
    """
    text = data.decode(_ENCODING)
    found = (one for one in _objects(text) if _SAYS[engine](one.value))
    return {_line_of(text, one): one.end for one in found}


def _line_of(text: str, found: Standing) -> int:
    return text.count("\n", 0, found.begin) + 1


def frame_spans(data: bytes) -> list[tuple[int, int]]:
    """Return where the frames, arrays and documents that begin a line begin and end."""
    text = data.decode(_ENCODING)
    spans = []
    at = 0
    while at < len(text):
        if text[at] in "{[":
            _, end = _decoded(text, at)
            if end is not None:
                spans.append((at, end))
                at = end
        at = text.find("\n", at) + 1 or len(text)
    return spans


def _says_claude(frame: dict[str, Any]) -> bool:
    succeeded = frame.get("type") == "result" and frame.get("subtype") == "success"
    return succeeded and frame.get("is_error") is not True


def _says_codex(frame: dict[str, Any]) -> bool:
    """Of the legacy lines those of 0.8.0 alone say that it was the last, of the preview's none."""
    told = frame.get("msg")
    legacy = isinstance(told, dict) and told.get("type") == "task_complete"
    return frame.get("type") == "turn.completed" or legacy


def _says_copilot(frame: dict[str, Any]) -> bool:
    return frame.get("type") == "result" and str(frame.get("exitCode")) in {"0", "0.0", "-0.0"}


def _says_gemini(frame: dict[str, Any]) -> bool:
    if frame.get("type") == "result":
        return frame.get("status") == "success"
    return frame.get("response") is not None and frame.get("error") is None


def _says_opencode(frame: dict[str, Any]) -> bool:
    part = frame.get("part")
    if frame.get("type") != "step_finish" or not isinstance(part, dict):
        return False
    return part.get("reason") in ("stop", "length")


_SAYS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "claude": _says_claude,
    "codex": _says_codex,
    "copilot": _says_copilot,
    "gemini": _says_gemini,
    "opencode": _says_opencode,
}


def _objects(text: str, begin: int = 0, end: int | None = None) -> Iterator[Standing]:
    """Read each object that is whole. Only a document printed over several lines has line ends."""
    for match in _OBJECT.finditer(text, begin, len(text) if end is None else end):
        value, stop = _decoded(text, match.start())
        if stop is not None and ("\n" in match[0] or "\n" not in text[match.start() : stop]):
            yield Standing(value, match.start(), stop)


def _around(text: str) -> Iterator[Standing]:
    """Read each object that is whole once others, which stand in it side by side, are taken out."""
    whole = {found.begin for found in _objects(text)}
    for match in _OBJECT.finditer(text):
        begin = match.start()
        if begin in whole:
            continue
        end = len(text) if "\n" in match[0] else text.find("\n", begin)
        end = len(text) if end < 0 else end
        inner = _outermost(_objects(text, begin + 1, end))
        pairs = itertools.combinations_with_replacement(inner, 2)
        for first, last in itertools.islice(pairs, _TRIED):
            value, stop = _decoded(text[begin : first.begin] + text[last.end : end], 0)
            if stop is not None:
                yield Standing(value, begin, begin + stop + last.end - first.begin)


def _outermost(objects: Iterator[Standing]) -> list[Standing]:
    found: list[Standing] = []
    for one in objects:
        if not found or one.begin >= found[-1].end:
            found.append(one)
    return found


def _whole_number(digits: str) -> float:
    return float(digits)  # int() refuses thousands of digits


_JSON = json.JSONDecoder(strict=False, parse_int=_whole_number)


def _decoded(text: str, begin: int) -> tuple[Any, int | None]:
    try:
        return _JSON.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None, None


def _value_end(text: str, begin: int) -> int:
    end = _decoded(text, begin)[1]
    return min(begin + 1, len(text)) if end is None else end
