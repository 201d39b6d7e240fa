# SPDX-License-Identifier: Apache-2.0
"""Finding secrets through what they may be written in: JSON in JSON, percent signs, colours.

A text is looked at as it is and decoded; what is found there is told by its place in the text
itself, and begins and ends where an escape does. So what is put in its place, if it is of plain
characters, leaves each layer of JSON valid.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from agentframes import redaction
from agentframes.capturing.rule import NUMBER, Rule

DEEPEST = 8  # layers of escapes; each doubles the backslashes of the one before

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
)
_LONGEST_ESCAPE = 12  # characters
_ANY_LAYERS_ESCAPE = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|[bfnrt])")
_LONGEST_CODE = 5  # characters, of `u20ac`
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NONE_OF_JSON = {'"': "'", "\\": "/"}
_IN_STRING = re.compile(r"(?:[^\"\\]++|\\.)*+", re.DOTALL)
_STRING = re.compile(r"\"((?:[^\"\\]++|\\.)*+)\"", re.DOTALL)
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_HIDDEN = re.compile(redaction.HIDDEN)

Token: TypeAlias = tuple[int, int, str]
"""What stands from one place to another, and the character for it, if any."""


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


Spanning = TypeVar("Spanning", bound=_Span)


class Finding(NamedTuple):
    """A secret's place in a text; `value` is what it is decoded, `order` the rule's place."""

    start: int
    end: int
    rule: Rule
    order: int
    depth: int
    value: str


class View:
    """A decoded part of a text, which knows where in the text each of its characters stands."""

    def __init__(self, text: str, begin: int, end: int, tokens: Iterable[Token]) -> None:
        pieces: list[str] = []
        # From each place on, characters stand one by one from an origin on, or one in a width.
        self._places, self._origins, self._widths = [0], [begin], [1]
        place, done = 0, begin
        for start, stop, character in tokens:
            pieces.append(text[done:start])
            place += start - done
            if character:
                pieces.append(character)
                self._add(place, start, stop - start)
                place += 1
            self._add(place, stop, 1)
            done = stop
        pieces.append(text[done:end])
        self.text = "".join(pieces)

    def _add(self, place: int, origin: int, width: int) -> None:
        self._places.append(place)
        self._origins.append(origin)
        self._widths.append(width)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text itself a part of the view, of one character or more, stands."""
        first = bisect.bisect_right(self._places, start) - 1
        last = bisect.bisect_right(self._places, end - 1) - 1
        offset = end - 1 - self._places[last]
        return (
            self._origins[first] + start - self._places[first],
            self._origins[last] + offset + self._widths[last],
        )


def unescaped(text: str, begin: int, end: int) -> View:
    """Decode the inside of a JSON string; what is no escape of JSON stays."""
    return View(text, begin, end, _escapes(text, begin, end))


def _escapes(text: str, begin: int, end: int) -> Iterator[Token]:
    for match in _ESCAPE.finditer(text, begin, end):
        escape = match.group()
        if escape[1] != "u":
            character = _SHORT.get(escape[1], escape[1])
        else:
            character = chr(int(escape[2:6], 16))
            if len(escape) == _LONGEST_ESCAPE:
                low = int(escape[8:], 16)
                character = chr(0x10000 + ((ord(character) - 0xD800) << 10) + low - 0xDC00)
        yield *match.span(), character


def _percents(text: str) -> Iterator[Token]:
    for run in _PERCENT.finditer(text):
        place = run.start()
        data = bytes.fromhex(run.group().replace("%", ""))
        for character in data.decode("utf-8", "surrogateescape"):
            end = place + 3 * len(character.encode("utf-8", "surrogateescape"))
            # A quote that was none of JSON's must not seem to be one.
            yield place, end, _NONE_OF_JSON.get(character, character)
            place = end


def escaped_parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts between double quotes, themselves unescaped, that have backslashes."""
    place = 0
    while (slash := text.find("\\", place)) >= 0:
        begin = text.rfind('"', place, slash) + 1 or place
        inside = _IN_STRING.match(text, slash)
        place = max(inside.end() if inside else 0, slash + 1)
        yield begin, place


class Scanner:
    """Finds by rules, of which an earlier one names what several find alike."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        wanted: dict[str, list[int]] = {}  # the places of rules by what they need to be asked
        for order, rule in enumerate(self._rules):
            for hint in rule.hints:
                wanted.setdefault(hint, []).append(order)
        self._exact = [one for one in wanted.items() if one[0] != one[0].lower()]
        self._folded = [one for one in wanted.items() if one[0] == one[0].lower()]

    def scan(self, text: str, depth: int = 0) -> list[Finding]:
        """Return what is found in a text, in order and without overlaps."""
        found = [_aligned(text, one) for one in self._found(text, depth)] if text else []
        if "\\" in text and depth < DEEPEST:
            for begin, end in escaped_parts(text):
                view = unescaped(text, begin, end)
                if len(view.text) < end - begin:
                    found += _in_terms_of(view, self.scan(view.text, depth + 1))
        found = [one for one in found if one.start < one.end]
        return merged(_inside_strings(text, found)) if found else found

    def _found(self, text: str, depth: int) -> list[Finding]:
        """Look at a text as it is, without colours, with blanks for them, and percent-decoded."""
        found = list(self._as_it_is(text, depth))
        if "\x1b" in text or (not text.isascii() and _HIDDEN.search(text)):
            for character in ("", " "):
                tokens = ((*match.span(), character) for match in _HIDDEN.finditer(text))
                view = View(text, 0, len(text), tokens)
                found += _in_terms_of(view, self._as_it_is(view.text, depth + 1))
        if "%" in text and depth < DEEPEST and _PERCENT.search(text):
            view = View(text, 0, len(text), _percents(text))
            found += _in_terms_of(view, self._found(view.text, depth + 1))
        return found

    def _as_it_is(self, text: str, depth: int) -> Iterator[Finding]:
        folded = text.lower()
        wanted = [orders for hint, orders in self._exact if hint in text]
        wanted += [orders for hint, orders in self._folded if hint in folded]
        for order in sorted({order for orders in wanted for order in orders}):
            rule = self._rules[order]
            for start, end in rule.find(text):
                yield Finding(start, end, rule, order, depth, text[start:end])


def _in_terms_of(view: View, found: Iterable[Finding]) -> Iterator[Finding]:
    for one in found:
        if one.start < one.end:
            start, end = view.span(one.start, one.end)
            yield one._replace(start=start, end=end)


def _aligned(text: str, found: Finding) -> Finding:
    r"""Leave an escape whole that a finding begins or ends in, of whatever layer it is.

    In `C:\nora`, `\n` may be a line feed, and then there is no nora; or not.
    """
    start = _escape_around(text, found.start)
    end = _escape_around(text, found.end)
    return found._replace(
        start=start[1] if start else found.start, end=end[0] if end else found.end
    )


def _escape_around(text: str, place: int) -> tuple[int, int] | None:
    slash = text.rfind("\\", max(0, place - _LONGEST_CODE), place)
    if slash < 0:
        return None
    while slash > 0 and text[slash - 1] == "\\":
        slash -= 1
    escape = _ANY_LAYERS_ESCAPE.match(text, slash)
    return escape.span() if escape and escape.end() > place else None


def _inside_strings(text: str, found: list[Finding]) -> list[Finding]:
    """Where a text is JSON, leave out what is not inside one of its strings, or a number."""
    if text.lstrip()[:1] not in ("{", "[") or not _is_json(text):
        return found
    strings = [match.span(1) for match in _STRING.finditer(text)]
    begins = [begin for begin, _ in strings]
    kept = []
    for one in found:
        at = bisect.bisect_right(begins, one.start) - 1
        if (at >= 0 and one.end <= strings[at][1]) or one.rule.form == NUMBER:
            kept.append(one)
    return kept


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def merged(found: Iterable[Finding]) -> list[Finding]:
    """Put findings that overlap together; the longest one names all of it."""
    return [
        _longest(cluster)._replace(start=cluster[0].start, end=max(one.end for one in cluster))
        for cluster in clusters(found)
    ]


def _longest(found: Iterable[Finding]) -> Finding:
    """Return the longest finding; of several, the one of the earliest rule."""
    return max(found, key=lambda one: (one.end - one.start, -one.order, one.depth))


def clusters(spans: Iterable[Spanning]) -> Iterator[list[Spanning]]:
    """Yield spans that overlap together, each by its start."""
    cluster: list[Spanning] = []
    end = -1
    for one in sorted(spans, key=lambda one: one.start):
        if cluster and one.start >= end:
            yield cluster
            cluster = []
        cluster.append(one)
        end = max(end, one.end)
    if cluster:
        yield cluster
