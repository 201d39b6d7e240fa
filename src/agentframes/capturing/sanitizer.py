# SPDX-License-Identifier: Apache-2.0
"""Taking out of printed output what must not be shown around, for good, and before it is kept.

Only what is found is rewritten, where it stands: all other bytes of a line stay as they were, and
every line keeps the shape of its JSON. The same value has the same placeholder in all that one
Sanitizer goes through. Placeholders are `~` and other folders that the caller names, `~user1`,
`user1`, `host1`, `user1@example.com`, and `[RULE-1]` for keys; sanitizing again changes nothing.

Ids, models, times, numbers and reasoning that is signed or encrypted are no secrets, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from agentframes.capturing import known as machine
from agentframes.capturing.deltas import Edit, encoded_pieces
from agentframes.capturing.disguises import Finding, Scanner, clusters
from agentframes.capturing.holding import HELD, Held, Line, Whole
from agentframes.capturing.known import Known
from agentframes.capturing.rule import Rule
from agentframes.capturing.secret_rules import KEYS, PEOPLE

MOST_ROUNDS = 5  # what touches a secret may come to light when that is gone
_KEYS_NUMBER = re.compile(rb"\[([a-z][a-z0-9-]{0,40}?)-(\d{1,9})\]")
_NAMES_NUMBERS = (
    ("user", re.compile(rb"user(\d{1,9})(?!\d)")),
    ("host", re.compile(rb"host(\d{1,9})(?!\d)")),
)
_SLASH = re.compile(r"\\+/|%2[Ff]")


class Report(Struct):
    """What was found, and never a value of it."""

    lines: int = 0
    changed: int = 0
    """Lines that are no longer what they were."""
    found: dict[str, int] = {}
    """How often what a rule finds was replaced, by the rule's name."""
    values: dict[str, int] = {}
    """How many different values that were."""
    scrubbed: list[str] = []
    """What was replaced by what, as a `capture.toml` tells it."""

    left: list[str] = []
    """Files of the folder that are none of a capture's, and were left where they are."""

    @property
    def total(self) -> int:
        """How often anything was replaced."""
        return sum(self.found.values())


class Sanitizer:
    """Takes out what the rules find, with one account of placeholders.

    known: folders, users and hosts to take out, too; without it, those of this machine.
    """

    def __init__(self, known: Known | None = None) -> None:
        rules = machine.rules(machine.this_machine() if known is None else known)
        self._scan = Scanner((*KEYS, *rules, *PEOPLE)).scan
        self._numbers: dict[tuple[str, str], int] = {}
        self._last_number: dict[str, int] = {}
        self._taken: dict[str, set[int]] = {}
        self._seen: set[tuple[str, str]] = set()
        self.report = Report()

    def expect(self, data: bytes) -> None:
        """Leave out the numbers of placeholders that stand in what is yet to come.

        Where it is not told, those within some 1 MiB of lines are seen in time.
        """
        for counter, number in placeholders(data):
            self._taken.setdefault(counter, set()).add(number)

    def text(self, text: str) -> str:
        """Return a text without what the rules find in it."""
        for _ in range(MOST_ROUNDS):
            found = self._scan(text)
            if not found:
                break
            text = self._rewritten(text, [Edit(one.start, one.end, one) for one in found])
        return text

    def line(self, line: bytes) -> bytes:
        """Return a line, of any output, without what the rules find in it."""
        return b"".join(self.lines((line,)))

    def lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines of one output, each as it is wanted in its place.

        Some 1 MiB of them is held, to see how what is printed in pieces goes on.
        """
        held = Held()
        for raw in lines:
            self.expect(raw)
            line = Line(raw)
            if line.is_json:  # else it is a piece of one long text
                line.found = self._scan(line.text)
            held.add(line)
            if held.size >= HELD:
                for ready in held.taken(self._scan):
                    yield self._written(ready)
        for ready in held.taken(self._scan, final=True):
            yield self._written(ready)

    def _written(self, line: Line) -> bytes:
        self.report.lines += 1
        edits = line.edits()
        if not edits:
            return line.raw
        written = line
        for _ in range(MOST_ROUNDS):
            text = self._rewritten(written.text, edits)
            written = Line(text.encode("utf-8", "surrogateescape") + line.end)
            written.pieces = list(encoded_pieces(text))
            written.found = self._scan(text)
            edits = written.edits()
            if not edits:
                break
        self.report.changed += written.raw != line.raw
        return written.raw

    def _rewritten(self, text: str, edits: Iterable[Edit | Whole]) -> str:
        pieces: list[str] = []
        done = 0
        for cluster in clusters(edits):
            end = max(one.end for one in cluster)
            pieces += (text[done : cluster[0].start], self._instead(cluster, text))
            done = end
        return "".join((*pieces, text[done:]))

    def _instead(self, cluster: list[Edit | Whole], text: str) -> str:
        """Return what stands in the place of edits that overlap."""
        edits = [one for one in cluster if isinstance(one, Edit)]
        if not edits:
            piece = next(one.piece for one in cluster if isinstance(one, Whole))
            inside = self.text(self._rewritten(piece.text, piece.edits))
            return piece.encode(inside) if piece.encode else ""
        return "".join(
            self._placeholder(one.finding, text[one.start : one.end]) for one in _telling(edits)
        )

    def _placeholder(self, finding: Finding, raw: str) -> str:
        """Count a finding, and return its placeholder, with slashes as they stand in its place."""
        rule, report = finding.rule, self.report
        numbered = "{}" in rule.form
        form = rule.form.format(self._number(rule, finding.value)) if numbered else rule.form
        report.found[rule.name] = report.found.get(rule.name, 0) + 1
        seen = rule.name, rule.same(finding.value)
        if seen not in self._seen:
            self._seen.add(seen)
            if not numbered or rule.name not in report.values:
                report.scrubbed.append(f"{rule.name} -> {form}")
            report.values[rule.name] = report.values.get(rule.name, 0) + 1
        slash = _SLASH.search(raw)
        return form.replace("/", slash.group()) if slash else form

    def _number(self, rule: Rule, value: str) -> int:
        key = rule.counter, rule.same(value)
        if key not in self._numbers:
            number = self._last_number.get(rule.counter, 0) + 1
            while number in self._taken.get(rule.counter, ()):
                number += 1
            self._last_number[rule.counter] = self._numbers[key] = number
        return self._numbers[key]


def placeholders(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the placeholders in printed bytes: what numbers them, and the number."""
    for match in _KEYS_NUMBER.finditer(data):
        yield match[1].decode(), int(match[2])
    for name, pattern in _NAMES_NUMBERS:
        for match in pattern.finditer(data):
            yield name, int(match[1])
            if name == "user":  # of `user1@example.com`, perhaps, of which the rest is elsewhere
                yield "e-mail", int(match[1])


def _telling(edits: list[Edit]) -> list[Edit]:
    """Of edits that overlap, choose those whose placeholders stand for all of them.

    What was seen in the joined text counts more than what a line alone tells of it, unless that
    is more: a whole string, by the name of its field.
    """
    joined = _apart([one for one in edits if one.joined])
    lone = max((one for one in edits if not one.joined), key=_weight, default=None)
    if lone and (not joined or _weight(lone) > max(map(_weight, joined))):
        return [lone]
    return [one for one in joined if one.head]


def _weight(edit: Edit) -> tuple[int, bool, int]:
    """The tail of a finding is not told again; of two alike, that of the earlier rule is told."""
    return edit.end - edit.start, not edit.head, -edit.finding.order


def _apart(edits: list[Edit]) -> list[Edit]:
    """Of edits that overlap keep that of the longest finding: it saw more of the text."""
    kept: list[Edit] = []
    end = -1
    for one in sorted(edits, key=lambda one: (one.start, one.finding.start - one.finding.end)):
        if one.start >= end:
            kept.append(one)
            end = one.end
        elif one.finding.end - one.finding.start > kept[-1].finding.end - kept[-1].finding.start:
            kept[-1] = one
            end = one.end
    return kept
