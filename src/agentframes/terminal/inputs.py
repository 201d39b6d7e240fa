# SPDX-License-Identifier: Apache-2.0
"""What a call is given, in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from agentframes.terminal.plain import clean


def input_lines(value: Any) -> Iterator[str]:
    """Give an input line by line: the fields of an object by their names."""
    if isinstance(value, str):
        yield from clean(value).strip("\n").split("\n")
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _field(clean(str(key)), one)
    elif value is not None:
        yield _json(value)


def _field(name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{name}: {_json(value)}"
        return
    shown = clean(value).strip("\n").split("\n")
    if len(shown) == 1:
        yield f"{name}: {shown[0]}"
        return
    yield f"{name}:"
    yield from (f"  {line}" for line in shown)


def _json(value: Any) -> str:
    try:
        return clean(msgspec.json.encode(value).decode())
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
        return clean(repr(value))
