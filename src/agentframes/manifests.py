# SPDX-License-Identifier: Apache-2.0
"""What an engine's versions are known to print: kinds by hand, fields learned from captures.

A manifest is `_kinds.py` (compiled from `kinds.toml`) and `fields.json` of an engine's package.
Fields stand under their kind by their path: ``message.content[].text``,
``modelUsage.*.inputTokens``. A name that holds a dot or a bracket stands in quotes. Nothing here
is on the way of a plain `read`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import msgspec
from msgspec import Struct

ALL = "*"
SOMETIMES = "sometimes"
ALWAYS = "always"

TYPES = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    dict: "object", list: "array", type(None): "null",
}  # fmt: skip
_TYPE_NAMES = frozenset(TYPES.values())

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$-")


class Field(Struct, frozen=True):
    """What the captured versions of a kind show of one field."""

    always: frozenset[str]
    """Versions in which every object that could hold it does."""
    sometimes: frozenset[str]
    """Versions in which some lack it; elements of arrays and maps are always of these."""
    types: dict[str, frozenset[str]]
    """The versions that show each JSON type of it."""

    @property
    def shown(self) -> frozenset[str]:
        """Versions that show the field at all."""
        return self.always | self.sometimes

    def types_in(self, versions: frozenset[str]) -> list[str]:
        """List the types that some versions show, in alphabetical order."""
        return sorted(name for name, seen in self.types.items() if seen & versions)


class Fields(Struct, frozen=True, dict=True):
    """The fields of one kind."""

    versions: dict[str, int]
    """The versions whose captures show the kind, and in how many frames."""
    fields: dict[str, Field]

    @functools.cached_property
    def below(self) -> dict[str, list[str]]:
        """The names that are fields of each object, by their whole paths."""
        below: dict[str, list[str]] = {}
        for path in self.fields:
            if not is_element(path):
                below.setdefault(parent(path), []).append(path)
        return below


class Manifest(Struct, frozen=True):
    """All that is known of an engine's frames."""

    engine: str
    kinds: Mapping[str, str]
    """Every known kind and its family, captured or not."""
    open_prefixes: tuple[str, ...]
    blocks: str
    """The path of the array whose elements are kinds of their own; "" where there is none."""
    opaque: frozenset[str]
    """Paths of payload: their own type is known, nothing below."""
    maps: frozenset[str]
    """Paths of objects whose keys are names of the user's world; their values stand under ``*``."""
    fields: dict[str, Fields]

    def versions(self) -> list[str]:
        """List the captured versions, oldest first."""
        return in_order({version for kind in self.fields.values() for version in kind.versions})


def without(manifest: Manifest, version: str) -> Manifest:
    """Return a manifest as it were had a version not been captured."""
    fields = {
        name: Fields(
            versions={one: count for one, count in kind.versions.items() if one != version},
            fields={
                path: _field_without(field, version)
                for path, field in kind.fields.items()
                if field.shown != {version}
            },
        )
        for name, kind in manifest.fields.items()
        if kind.versions.keys() != {version}
    }
    return msgspec.structs.replace(manifest, fields=fields)


def _field_without(field: Field, version: str) -> Field:
    types = {name: seen - {version} for name, seen in field.types.items() if seen != {version}}
    return Field(
        always=field.always - {version}, sometimes=field.sometimes - {version}, types=types
    )


def in_order(versions: Iterable[str]) -> list[str]:
    """Sort versions by their numbers."""
    return sorted(versions, key=lambda version: [_number(part) for part in version.split(".")])


def _number(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdecimal() else (-1, part)


# --- loading -------------------------------------------------------------------------------------


@functools.cache
def load(name: str) -> Manifest | None:
    """Load the manifest of an engine's package; None where it has none."""
    try:
        kinds: Any = import_module(f"{name}._kinds")
    except ModuleNotFoundError:
        return None
    return Manifest(
        engine=name.rpartition(".")[2],
        kinds=kinds.KINDS,
        open_prefixes=kinds.OPEN_PREFIXES,
        blocks=kinds.BLOCKS,
        opaque=kinds.OPAQUE,
        maps=kinds.MAPS,
        fields=_fields(fields_path(name)),
    )


def of(engine: Any) -> Manifest | None:
    """Return the manifest of an engine; None for one that has none."""
    name = package(engine)
    return None if name is None else load(name)


def package(engine: Any) -> str | None:
    """Return the name of the package that an engine is; None for one that is none."""
    name = getattr(engine, "__name__", None)
    return name if isinstance(name, str) else None


def fields_path(name: str) -> str:
    """Return where the learned fields of an engine's package stand."""
    return os.path.join(os.path.dirname(import_module(name).__file__ or ""), "fields.json")


def _fields(path: str) -> dict[str, Fields]:
    try:
        with open(path, "rb") as file:
            return decode(file.read())
    except FileNotFoundError:  # an engine of which no capture was learned
        return {}


# --- the file ------------------------------------------------------------------------------------
# One line a field. `{"string": "*"}` is always there and always a string, in every version of its
# kind; else `always` and `sometimes` list the versions that show it. "*" beside a type stands for
# all of these, "*" beside `sometimes` for all versions of the kind.


class _Kind(Struct):
    versions: dict[str, int]
    fields: dict[str, dict[str, str]]


class _File(Struct):
    engine: str
    kinds: dict[str, _Kind]


def decode(raw: bytes) -> dict[str, Fields]:
    """Read the learned fields of an engine."""
    file = msgspec.json.decode(raw, type=_File)
    return {
        name: Fields(
            versions=kind.versions,
            fields={
                path: _field(told, frozenset(kind.versions)) for path, told in kind.fields.items()
            },
        )
        for name, kind in file.kinds.items()
    }


def _field(told: dict[str, str], versions: frozenset[str]) -> Field:
    sometimes = _listed(told.get(SOMETIMES, ""), versions)
    rest = versions if ALWAYS not in told and SOMETIMES not in told else frozenset[str]()
    always = _listed(told.get(ALWAYS, ""), versions) or rest
    shown = always | sometimes
    types = {name: _listed(where, shown) for name, where in told.items() if name in _TYPE_NAMES}
    return Field(always=always, sometimes=sometimes, types=types)


def _listed(where: str, all_of_them: frozenset[str]) -> frozenset[str]:
    return all_of_them if where == ALL else frozenset(where.split())


def encode(engine: str, fields: Mapping[str, Fields]) -> str:
    """Write the learned fields of an engine, the same for the same fields."""
    kinds = ",\n".join(_kind_lines(name, fields[name]) for name in sorted(fields))
    return f'{{\n"engine": {_json(engine)},\n"kinds": {{\n{kinds}\n}}\n}}\n'


def _kind_lines(name: str, kind: Fields) -> str:
    versions = {version: kind.versions[version] for version in in_order(kind.versions)}
    lines = ",\n".join(
        f"   {_json(path)}: {_json(_told(kind.fields[path], frozenset(versions)))}"
        for path in sorted(kind.fields)
    )
    return (
        f' {_json(name)}: {{\n  "versions": {_json(versions)},\n  "fields": {{\n{lines}\n  }}\n }}'
    )


def _told(field: Field, versions: frozenset[str]) -> dict[str, str]:
    told = {}
    if field.always != versions:
        if field.always:
            told[ALWAYS] = _list(field.always, versions)
        if field.sometimes:
            told[SOMETIMES] = _list(field.sometimes, versions)
    for name in sorted(field.types):
        told[name] = _list(field.types[name], field.shown)
    return told


def _list(some: frozenset[str], all_of_them: frozenset[str]) -> str:
    return ALL if some == all_of_them else " ".join(in_order(some))


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


# --- paths ---------------------------------------------------------------------------------------


def child(path: str, name: str) -> str:
    """Return the path of an object's field."""
    if not name or not _PLAIN.issuperset(name):
        name = f'"{name}"'
    return f"{path}.{name}" if path else name


def parent(path: str) -> str:
    """Return the path of the object that holds a field."""
    if path.endswith('"'):
        head = path[: path.rfind('"', 0, -1)]
        return head.removesuffix(".")
    return path.rpartition(".")[0]


def is_element(path: str) -> bool:
    """Tell an element of an array or a map from a field that has a name."""
    return path.endswith("[]") or path.rpartition(".")[2] == ALL
