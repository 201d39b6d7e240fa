# SPDX-License-Identifier: Apache-2.0
"""What frames hold: the names of their fields and their JSON types, never a value.

A frame's fields stand under its kind; where a frame holds blocks of kinds of their own (claude's
messages), what is beside the blocks stands under each of these kinds, and what is in a block
under its own. Of an unknown frame or block nothing is written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from agentframes.manifests import ALL, TYPES, Field, Fields, Manifest, child

MAX_NAME = 60  # characters; a longer name is likely to be no name
MAX_NOVEL = 25  # novel names that are told of one object; what is more stands under `?`

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.-")

Sight = list[int]
"""The first line, and how often."""
Types = dict[str, Sight]


class SeenKind(Struct):
    """What some frames of one kind hold."""

    line: int
    count: int = 0
    types: dict[str, Types] = {}
    """Each known path's types."""
    shapes: dict[str, dict[frozenset[str], Sight]] = {}
    """Each object's sets of known fields."""
    novel: dict[str, dict[str, Types]] = {}
    """Each object's fields that nobody knows, by their paths as they may be told."""


Seen = dict[str, SeenKind]
"""What frames hold, kind by kind."""


class Walk:
    """Writes down what frames hold, under their kinds.

    With `learn`, every path is followed; else only those that some captured version shows. Of
    the others a bounded number of names is kept, as they may be told.
    """

    def __init__(self, manifest: Manifest, *, learn: bool = False) -> None:
        self._kinds = manifest.kinds
        self._fields = manifest.fields
        self._maps, self._opaque = manifest.maps, manifest.opaque
        self._blocks = manifest.blocks
        self._way = manifest.blocks.split(".") if manifest.blocks else []
        self._learn = learn

    def frame(
        self, seen: Seen, kinds: list[str], frame: Any, line: int, *, novel: bool = False
    ) -> None:
        """Take one frame, named at its boundaries; `novel`: it, or a block of it, is unknown."""
        blocks = self._blocks_of(frame)
        names = [name for name in dict.fromkeys(kinds) if name in self._kinds]
        # Without blocks, a further name is of what is new in the frame (opencode).
        whole = len(names) == len(set(kinds)) and not novel
        if not isinstance(frame, dict) or not (blocks or whole):
            return
        for name in names:
            kind = seen.get(name)
            if kind is None:
                kind = seen[name] = SeenKind(line=line)
            kind.count += 1
            if self._has_fields(name):
                self._object(_At(name, kind, line), "", frame)
        area = kinds[0].partition("/")[0]
        for block in blocks:
            name = f"{area}/{block.get('type')}"
            if name in names and self._has_fields(name):
                self._value(_At(name, seen[name], line), f"{self._blocks}[]", block)

    def _has_fields(self, name: str) -> bool:
        return self._learn or name in self._fields

    def _blocks_of(self, frame: Any) -> list[dict[str, Any]]:
        value = frame if self._way else None
        for name in self._way:
            value = value.get(name) if isinstance(value, dict) else None
        items = value if isinstance(value, list) else []
        return [item for item in items if isinstance(item, dict)]

    def _knows(self, at: _At, path: str) -> bool:
        return self._learn or path in self._fields[at.name].fields

    def _value(self, at: _At, path: str, value: Any) -> None:
        _count(at.kind.types.setdefault(path, {}), TYPES[type(value)], at.line)
        if path in self._opaque:
            return
        if isinstance(value, dict):
            self._object(at, path, value)
        elif isinstance(value, list) and path != self._blocks:
            for item in value:
                self._element(at, path, f"{path}[]", item)

    def _object(self, at: _At, path: str, value: dict[str, Any]) -> None:
        if path in self._maps:
            for item in value.values():
                self._element(at, path, f"{path}.{ALL}", item)
            return
        known = []
        for name, item in value.items():
            field = child(path, name)
            if self._knows(at, field):
                known.append(field)
                self._value(at, field, item)
            else:
                self._strange(at, path, told_child(path, name), item)
        _count(at.kind.shapes.setdefault(path, {}), frozenset(known), at.line)

    def _element(self, at: _At, path: str, element: str, item: Any) -> None:
        if self._knows(at, element):
            self._value(at, element, item)
        else:
            self._strange(at, path, element, item)

    @staticmethod
    def _strange(at: _At, path: str, told: str, item: Any) -> None:
        novel = at.kind.novel.setdefault(path, {})
        if told not in novel and len(novel) >= MAX_NOVEL:
            told = told_child(path, "?")
        _count(novel.setdefault(told, {}), TYPES[type(item)], at.line)


class _At(Struct, frozen=True):
    """Where a walk is."""

    name: str
    kind: SeenKind
    line: int


def told_child(path: str, name: str) -> str:
    """Return the path of a field that nobody knows, as it may be told: its name may be payload."""
    plain = "".join(char if char in _PLAIN else "?" for char in name[: MAX_NAME + 1])
    if not 0 < len(plain) <= MAX_NAME:
        plain = "?"
    return f"{path}.{plain}" if path else plain


def _count(sights: dict[Any, Sight], what: Any, line: int) -> None:
    sight = sights.get(what)
    if sight is None:
        sights[what] = [line, 1]
    else:
        sight[1] += 1


# --- learning ------------------------------------------------------------------------------------


def learned(captures: Iterable[tuple[str, Seen]]) -> dict[str, Fields]:
    """Make the fields of what captures hold, each of them with its version."""
    kinds: dict[str, dict[str, list[SeenKind]]] = {}
    for version, seen in captures:
        for name, kind in seen.items():
            kinds.setdefault(name, {}).setdefault(version, []).append(kind)
    return {name: _learned(versions) for name, versions in kinds.items()}


def _learned(versions: dict[str, list[SeenKind]]) -> Fields:
    types: dict[str, dict[str, set[str]]] = {}
    always: dict[str, set[str]] = {}
    sometimes: dict[str, set[str]] = {}
    for version, kinds in versions.items():
        required = _required(kinds)
        for kind in kinds:
            for path, names in kind.types.items():
                (always if path in required else sometimes).setdefault(path, set()).add(version)
                for name in names:
                    types.setdefault(path, {}).setdefault(name, set()).add(version)
    return Fields(
        versions={
            version: sum(kind.count for kind in kinds) for version, kinds in versions.items()
        },
        fields={
            path: Field(
                always=frozenset(always.get(path, ())),
                sometimes=frozenset(sometimes.get(path, ())),
                types={name: frozenset(where) for name, where in found.items()},
            )
            for path, found in types.items()
        },
    )


def _required(kinds: list[SeenKind]) -> frozenset[str]:
    """Return the fields that every object of a version that could hold them does."""
    shapes: dict[str, list[frozenset[str]]] = {}
    for kind in kinds:
        for path, found in kind.shapes.items():
            shapes.setdefault(path, []).extend(found)
    return frozenset().union(*(frozenset.intersection(*found) for found in shapes.values()))
