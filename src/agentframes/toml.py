# SPDX-License-Identifier: Apache-2.0
"""Writing TOML of the few types that a `capture.toml` needs; the standard library reads it only."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib


def to_toml(table: dict[str, object]) -> str:
    """Write a table, others in it inline; what is None is left out, since TOML has no null.

    Raises:
        TypeError: a value has no form here.
        ValueError: the text does not read back as it was meant.
    """
    kept = {key: value for key, value in table.items() if value is not None}
    text = "".join(f"{_key(key)} = {_value(value)}\n" for key, value in kept.items())
    if tomllib.loads(text) != kept:
        raise ValueError("the written TOML does not read back as it was meant")
    return text


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        if not value:
            return "[]"
        return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    raise TypeError(f"no TOML form for {type(value).__name__}")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    """Write a basic string: JSON's escapes are a subset of TOML's, surrogate pairs excepted."""
    escaped = json.dumps(text, ensure_ascii=False)
    # JSON leaves DEL and the line separators as they are: TOML forbids the first, and the
    # others would break the file for tools that split at them.
    for raw in ("\x7f", "\x85", "\u2028", "\u2029"):
        escaped = escaped.replace(raw, f"\\u{ord(raw):04x}")
    return escaped
