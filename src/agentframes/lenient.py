# SPDX-License-Identifier: Apache-2.0
"""The second try on a line: JSON that is well formed but not of the declared types.

Each field is read on its own, so that one odd field costs only itself.
"""

from __future__ import annotations

import functools
import types
import typing
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct


class Change(NamedTuple):
    """A field whose JSON type is not the declared one; names and types only, never a value."""

    field: str
    expected: str
    found: str


MAX_CHANGES = 100
"""Distinct changes told of one frame."""

_MISSING: Any = object()
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def lenient(raw: Any, wanted: Any) -> tuple[Any, list[Change]]:
    """Read well-formed JSON as `wanted`, field by field, converting where the meaning is plain.

    Returns the value and what had another type than declared. A field that cannot be converted
    keeps its default; an element of a list that cannot is left out. What is no well-formed JSON,
    or misses a required field, comes as None; never raises.
    """
    changes: list[Change] = []
    # A field that is taken raw may hold bad bytes; a name with some would cost the whole.
    clean = bytes(raw).decode("utf-8", "replace").encode()
    try:
        value = _read(clean, wanted, "", changes)
    except (msgspec.DecodeError, RecursionError):
        return None, []
    return (None if value is _MISSING else value), changes


def _read(raw: Any, wanted: Any, path: str, changes: list[Change]) -> Any:
    try:
        return msgspec.json.decode(raw, type=wanted)
    except msgspec.DecodeError:
        pass
    arms = _arms(wanted)
    head = bytes(raw).lstrip()[:1]
    if head == b"{":
        for arm in arms:
            if isinstance(arm, type) and issubclass(arm, Struct):
                return _read_struct(raw, arm, path, changes)
            if typing.get_origin(arm) is dict:
                return _read_dict(raw, arm, path, changes)
    if head == b"[":
        for arm in arms:
            if typing.get_origin(arm) is list:
                return _read_list(raw, arm, path, changes)
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        value = _MISSING
    told = _JSON_NAMES.get(type(value), "unreadable")
    _note(changes, Change(path or "(frame)", _names(arms), told))
    return _MISSING if value is _MISSING else _converted(value, arms, raw)


def _note(changes: list[Change], change: Change) -> None:
    if len(changes) < MAX_CHANGES and change not in changes:
        changes.append(change)


def _read_struct(raw: Any, struct: type[Struct], path: str, changes: list[Change]) -> Any:
    fields = _fields(struct)
    values = {}
    for name, part in msgspec.json.decode(raw, type=dict[str, Raw]).items():
        field = fields.get(name)
        if field is None:
            continue
        value = _read(part, field.type, f"{path}.{name}" if path else name, changes)
        if value is not _MISSING:
            values[field.name] = value
    try:
        return struct(**values)
    except TypeError:  # a required field is missing or unreadable
        return _MISSING


def _read_dict(raw: Any, wanted: Any, path: str, changes: list[Change]) -> dict[str, Any]:
    item = typing.get_args(wanted)[1]
    parts = msgspec.json.decode(raw, type=dict[str, Raw])
    values = {key: _read(part, item, f"{path}.*", changes) for key, part in parts.items()}
    return {key: value for key, value in values.items() if value is not _MISSING}


def _read_list(raw: Any, wanted: Any, path: str, changes: list[Change]) -> list[Any]:
    item = typing.get_args(wanted)[0]
    parts = msgspec.json.decode(raw, type=list[Raw])
    values = [_read(part, item, f"{path}[]", changes) for part in parts]
    return [value for value in values if value is not _MISSING]


@functools.cache
def _fields(struct: type[Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def _arms(wanted: Any) -> tuple[Any, ...]:
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        return typing.get_args(wanted)
    return (wanted,)


def _converted(value: Any, arms: tuple[Any, ...], raw: Any) -> Any:
    """Convert a scalar whose meaning is plain: ``"false"``, ``"12"``, ``3.0`` for 3, 7 for "7"."""
    if value is None:
        return _MISSING
    if bool in arms and str(value).strip().lower() in _BOOLEANS:
        return _BOOLEANS[str(value).strip().lower()]
    if isinstance(value, bool):
        return _MISSING
    if (int in arms or float in arms) and isinstance(value, (str, float)):
        return _number(value.strip() if isinstance(value, str) else bytes(raw), arms)
    if str in arms and isinstance(value, (int, float)):
        return bytes(raw).decode()
    return _MISSING


def _number(digits: str | bytes, arms: tuple[Any, ...]) -> Any:
    """Read a number as JSON writes it: no infinity, and a long whole number keeps its digits."""
    for kind in (int, float) if int in arms else (float,):
        try:
            number = msgspec.json.decode(digits, type=kind)
        except msgspec.DecodeError:
            continue
        if kind in arms:
            return number
        return int(number) if number.is_integer() else _MISSING
    return _MISSING


_JSON_NAMES = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    dict: "object", list: "array", type(None): "null",
}  # fmt: skip


def _names(arms: tuple[Any, ...]) -> str:
    names = []
    for arm in arms:
        kind = typing.get_origin(arm) or arm
        other = "object" if isinstance(kind, type) and issubclass(kind, Struct) else "any"
        names.append(_JSON_NAMES.get(kind, other))
    return " | ".join(dict.fromkeys(names))
