# SPDX-License-Identifier: Apache-2.0
"""A bounded list of findings, in which many small ones never hide a grave one."""

from __future__ import annotations

from collections import Counter

import msgspec

from agentframes.facts.flat import Flat
from agentframes.facts.model import Finding, Level

MAX_FINDINGS = 1000
LEVELS: tuple[Level, ...] = ("error", "warn", "note")
"""The gravest first."""
LEFT_OUT = "(more)"
"""The kind of the finding that stands for those that are not listed."""


class Findings(Flat):
    """Distinct findings as they come, each with how often it was seen."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], Finding] = {}
        self._levels: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def add(self, finding: Finding) -> None:
        """Keep a finding, or count it where it is known or where its level is full."""
        names = (finding.what, finding.kind, finding.field, finding.expected, finding.found)
        key = tuple(name or "" for name in names)
        known = self._kept.get(key)
        if known is not None:
            self._kept[key] = msgspec.structs.replace(known, count=known.count + finding.count)
        elif self._levels[finding.level] < MAX_FINDINGS:
            self._levels[finding.level] += 1
            self._kept[key] = finding
        else:
            self._left_out[finding.level] += finding.count

    def listed(self) -> list[Finding]:
        """Return them, bounded."""
        return cut([*self._kept.values(), *_more(self._left_out)])


def cut(findings: list[Finding]) -> list[Finding]:
    """Cut a list that is too long: the mildest go, and a finding of each level says how many."""
    left_out: Counter[str] = Counter()
    kept: list[Finding] = []
    for one in findings:
        if one.what == "left_out":
            left_out[one.level] += one.count
        else:
            kept.append(one)
    if len(kept) > MAX_FINDINGS:
        kept.sort(key=lambda one: LEVELS.index(one.level))
        for one in kept[MAX_FINDINGS:]:
            left_out[one.level] += one.count
        del kept[MAX_FINDINGS:]
    return kept + _more(left_out)


def _more(left_out: Counter[str]) -> list[Finding]:
    return [
        Finding(what="left_out", level=level, kind=LEFT_OUT, count=left_out[level])
        for level in LEVELS
        if left_out[level]
    ]
