# SPDX-License-Identifier: Apache-2.0
"""Drift: where frames differ from what an engine's captured versions print.

What frames hold (`walk`) is compared with the manifest when the run is over, because its version
may be told late. A version that was captured is held against its own fields, another one against
those of the nearest, and one that nothing tells against those of all versions together. Findings
hold names and types only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from agentframes.engines.support import version_tuple
from agentframes.facts.findings import cut
from agentframes.facts.model import Finding
from agentframes.manifests import Field, Fields, Manifest, in_order
from agentframes.walk import Seen, SeenKind, Sight, Types

VERSION = "(version)"
"""The kind of a finding that speaks of no frame."""
ABSENT = "absent"

_TOLD_VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,4}([-+][A-Za-z0-9.]{1,20})?")


class Baseline(Struct, frozen=True):
    """The captured version that a version at hand is held against."""

    version: str | None
    """None: the version at hand is not known, so all captured ones count."""
    captured: bool
    """The version at hand is that very one."""


def baseline(manifest: Manifest, version: str | None) -> Baseline:
    """Find the captured version that is nearest to the one at hand."""
    captured = manifest.versions()
    return Baseline(version=nearest(version, captured), captured=version in captured)


def nearest(version: str | None, captured: Iterable[str]) -> str | None:
    """Return the nearest version: the one before or the one behind it in order.

    Of these two, the first number tells which is nearer, then the second, and so on: 2.1.300 is
    nearer to 2.1.332 than to 2.1.220, and 3.0.0 comes behind 2.1.332, not behind 2.0.1. Of two
    that are as near, the newer counts. None where the version is none, or nothing was captured.
    """
    wanted = version_tuple(version)
    if wanted is None:
        return None
    ordered = in_order(captured)
    at = bisect_left(ordered, wanted, key=lambda other: version_tuple(other) or ())
    beside = reversed(ordered[max(0, at - 1) : at + 1])
    return min(beside, key=lambda other: _distance(wanted, other), default=None)


def _distance(wanted: tuple[int, ...], version: str) -> list[int]:
    other = version_tuple(version) or ()
    length = max(len(wanted), len(other))
    pairs = zip(_padded(wanted, length), _padded(other, length), strict=True)
    return [abs(one - two) for one, two in pairs]


def _padded(numbers: tuple[int, ...], length: int) -> tuple[int, ...]:
    return numbers + (0,) * (length - len(numbers))


def compare(seen: Seen, manifest: Manifest, version: str | None) -> list[Finding]:
    """List what frames of a version hold that their kinds' captures do not, and the reverse."""
    findings = list(_other_version(manifest, version))
    found: list[Finding] = []
    for name, kind in seen.items():
        fields = manifest.fields.get(name)
        if fields is not None:
            found += _Kind(name, kind, fields, version).findings()
    found.sort(key=lambda finding: (finding.line or 0, finding.kind, finding.field or ""))
    return findings + found


def _other_version(manifest: Manifest, version: str | None) -> Iterator[Finding]:
    at_hand = baseline(manifest, version)
    if at_hand.version is not None and not at_hand.captured:
        yield Finding(
            what="other_version",
            level="note",
            kind=VERSION,
            expected=at_hand.version,
            found=told_version(version),
        )


def told_version(version: str | None) -> str:
    """Return a version as it may be told: numbers, and at most a short word behind them."""
    match = _TOLD_VERSION.fullmatch(version or "")
    return match[0] if match else ".".join(map(str, (version_tuple(version) or ())[:5])) or "?"


def merged(kind_level: list[Finding], field_level: list[Finding]) -> list[Finding]:
    """Join what reading told with what the comparison tells: each retyped field once."""
    told = {(one.kind, one.field, one.found) for one in field_level if one.what == "type_changed"}
    kept = [
        one
        for one in kind_level
        if one.what != "type_changed" or (one.kind, one.field, one.found) not in told
    ]
    return cut(kept + field_level)


class _Kind:
    """Compares the frames of one kind."""

    def __init__(self, name: str, seen: SeenKind, fields: Fields, version: str | None) -> None:
        self._name, self._seen, self._fields = name, seen, fields
        self._versions = frozenset(fields.versions)
        near = nearest(version, self._versions)
        self._base = self._versions if near is None else frozenset((near,))

    def findings(self) -> Iterator[Finding]:
        """List the differences."""
        for path, types in self._seen.types.items():
            yield from self._known(path, self._fields.fields[path], types)
        for strange in self._seen.novel.values():
            for path, types in strange.items():
                yield self._unknown(path, "warn", types)
        for path, shapes in self._seen.shapes.items():
            yield from self._missing(path, shapes)

    def _known(self, path: str, field: Field, types: Types) -> Iterator[Finding]:
        in_base = bool(field.shown & self._base)
        if not in_base:
            yield self._unknown(path, "note", types, in_order(field.shown))
        expected = field.types_in(self._base if in_base else self._versions)
        for found, sight in types.items():
            if not _fits(found, expected):
                yield self._retyped(path, field, expected, found, sight)

    def _retyped(
        self, path: str, field: Field, expected: list[str], found: str, sight: Sight
    ) -> Finding:
        elsewhere = in_order(field.types.get(found, ()))
        return self._finding(
            "type_changed",
            "note" if elsewhere else _gravity(found, field),
            path,
            [sight],
            expected=" | ".join(expected),
            found=found,
            seen_in=elsewhere,
        )

    def _unknown(self, path: str, level: Any, types: Types, seen_in: Iterable[str] = ()) -> Finding:
        found = " | ".join(sorted(types))
        return self._finding(
            "unknown_field", level, path, types.values(), found=found, seen_in=list(seen_in)
        )

    def _missing(self, path: str, shapes: dict[frozenset[str], Sight]) -> Iterator[Finding]:
        for name in self._fields.below.get(path, ()):
            field = self._fields.fields[name]
            lacking = [sight for shape, sight in shapes.items() if name not in shape]
            if lacking and field.always >= self._base:
                yield self._finding(
                    "missing_field",
                    "error" if field.always == self._versions else "warn",
                    name,
                    lacking,
                    expected=" | ".join(field.types_in(self._base)),
                    found=ABSENT,
                    seen_in=in_order(self._lacking(path, field)),
                )

    def _lacking(self, path: str, field: Field) -> frozenset[str]:
        """Return the versions that show the object and not always its field."""
        holder = self._fields.fields.get(path)
        return (holder.shown if holder else self._versions) - field.always

    def _finding(
        self,
        what: Any,
        level: Any,
        path: str,
        sights: Iterable[Sight],
        *,
        expected: str | None = None,
        found: str | None = None,
        seen_in: list[str],
    ) -> Finding:
        lines, counts = zip(*sights, strict=True)
        return Finding(
            what=what,
            level=level,
            kind=self._name,
            field=path,
            expected=expected,
            found=found,
            line=min(lines),
            count=sum(counts),
            seen_in=seen_in,
        )


def _fits(found: str, expected: list[str]) -> bool:
    """Tell whether a type is one of some; a whole number is a number."""
    return found in expected or (found == "integer" and "number" in expected)


def _gravity(found: str, field: Field) -> str:
    """Weigh a type that no version showed.

    A null, a value in the place of what was always null, and a number after whole ones are seldom
    a change of the program: captures show some of a field's values only.
    """
    known = field.types.keys()
    mild = found == "null" or known == {"null"} or (found == "number" and "integer" in known)
    return "warn" if mild else "error"
