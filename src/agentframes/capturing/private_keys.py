# SPDX-License-Identifier: Apache-2.0
"""Private keys: whole ones, and what is left of one that is cut at either end.

Their lines may be numbered, quoted, indented, commented out, or be strings of a program.
"""

from __future__ import annotations

import re

from agentframes.capturing.secret_names import Spans

MAX_KEY = 64 * 1024  # characters between the first and the last line of one

_MARK = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN = re.compile(rf"-----BEGIN {_MARK}|\bPrivate-Lines: \d{{1,4}}")
_END = re.compile(rf"-----END {_MARK}")
# Lines end as they are, or written into strings, or with a string of a list.
_BREAK = re.compile(r"\r?\n|(?:\\{1,8}[nr])+|\\{0,8}\"\s{0,40},\s{0,40}\\{0,8}\"")
_STOP = r"(?=\r?\n|\\{1,8}[nr]|\\{0,8}\"(?!\s{0,40}:)|\Z)"
_BEFORE = (
    r"(?:[^\s:\"\\]{1,200}[:-]\d{1,7}[:-])?"  # of grep
    r"(?:[ \t>|#+*/;:%!\"'`-]|\d{1,7}(?:→|[:|\t)\] -])){0,60}+"
)
_BEHIND = r"[ \t'`,;+|]{0,40}"
_LINE = re.compile(rf"{_BEFORE}[A-Za-z0-9+/]{{16,}}+={{0,3}}{_BEHIND}{_STOP}")
# The last line may be short, and is no word.
_SHORT = re.compile(
    rf"{_BEFORE}(?:(?=[A-Za-z+/]*[0-9+/=])[A-Za-z0-9+/]{{2,15}}={{0,3}}|=[A-Za-z0-9+/]{{4}})"
    rf"{_BEHIND}{_STOP}"
)
_BLANK = re.compile(rf"{_BEFORE}{_BEHIND}{_STOP}")
_HEADER = re.compile(rf"{_BEFORE}[A-Z][A-Za-z-]{{1,30}}: [^\n\"\\]{{0,200}}{_STOP}")
_LAST = re.compile(rf"{_BEFORE}[A-Za-z0-9+/]*={{0,3}}{_BEHIND}")
_ENDS_IN_BASE64 = re.compile(r"=*[A-Za-z0-9+/]{16,}+")
_OF_KEY = re.compile(
    r"[A-Za-z0-9+/=]{16}|PRIVATE KEY|Private-Lines|^[A-Za-z0-9+/]{1,15}={1,2}(?:\\|$)"
)


def private_keys(text: str) -> Spans:
    """Find private keys; one that is written as several strings comes in pieces."""
    for begin, end in _spans(text):
        for piece in re.finditer(r"[^\"]+", text[begin:end]):
            told = piece.group().rstrip("\\")  # those are the quote's
            if _OF_KEY.search(told):
                yield begin + piece.start(), begin + piece.start() + len(told)


def _spans(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    done = 0
    ends = [match.span() for match in _END.finditer(text)]
    at = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        while at < len(ends) and ends[at][0] < begin.end():
            found += _before(text, done, ends[at])
            done = max(done, ends[at][1])
            at += 1
        if at < len(ends) and ends[at][1] <= begin.end() + MAX_KEY:
            done = ends[at][1]
            at += 1
        else:
            done = _behind(text, begin.end())
        found.append((begin.start(), done))
    for end in ends[at:]:
        found += _before(text, done, end)
        done = max(done, end[1])
    return found


def _behind(text: str, place: int) -> int:
    """Return where the lines of a key end that goes on at a place, and has no last line."""
    done, inside = place, False
    limit = min(place + MAX_KEY, len(text))
    while place < limit:
        key = _LINE.match(text, place) or (_SHORT.match(text, place) if inside else None)
        if key:
            done, inside = key.end(), True
        line = key or _BLANK.match(text, place) or (None if inside else _HEADER.match(text, place))
        after = _BREAK.match(text, line.end()) if line else None
        if after is None:
            break
        place = after.end()
    return done


def _before(text: str, floor: int, end: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the last lines of a key whose begin is lost, with the mark behind them."""
    begin = end[0]
    floor = max(floor, begin - MAX_KEY)
    breaks = [match.span() for match in _BREAK.finditer(text, floor, begin)]
    stops = [*(start for start, _ in breaks), begin]
    starts = [floor, *(stop for _, stop in breaks)]
    for start, stop in zip(reversed(starts), reversed(stops), strict=True):
        line = text[start:stop]
        if start != floor and _BLANK.fullmatch(line):
            continue
        if not _LINE.fullmatch(line) and not (begin == end[0] and _LAST.fullmatch(line)):
            cut = _ENDS_IN_BASE64.match(line[::-1])  # a text may begin with a part of it
            return [(stop - cut.end() if cut else begin, end[1])]
        begin = start
    return [(begin, end[1])]
