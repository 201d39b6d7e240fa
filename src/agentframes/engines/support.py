# SPDX-License-Identifier: Apache-2.0
"""Small things that several engines need."""

from __future__ import annotations

import functools
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from agentframes.lazy import Lazy, present

S = TypeVar("S", bound=Struct)
K = TypeVar("K")
RawFrame = Mapping[str, Raw]
"""A frame decoded one level deep."""

UNTYPED = "(untyped)"
"""The name of a frame, or part of one, that has none."""

_OUR_OWN = frozenset({UNTYPED, "(summary)", "(prompt)", "(document)"})  # names that we gave

NULL = b"null"
MAX_DIGITS = 10  # of one number in a version
MAX_NUMBER = 2**63
MAX_KIND = 120  # characters
REMEMBERED = 512  # entries that a bounded memory keeps

_VERSION = r"(?<![\d.])\d{1,9}(\.\d{1,9}){1,4}(?![\d.])([-+][A-Za-z0-9.]+)?"
_NOT_IN_A_KIND = r"[^A-Za-z0-9._/:-]"


def string(frame: RawFrame, key: str) -> str | None:
    """Decode one field of a raw frame where it is a string."""
    raw = frame.get(key)
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def inner(frame: RawFrame, key: str) -> RawFrame:
    """Decode one field of a raw frame where it is an object, one level deep."""
    raw = frame.get(key)
    if raw is None:
        return {}
    try:
        return msgspec.json.decode(raw, type=dict[str, Raw])
    except (msgspec.DecodeError, RecursionError):
        return {}


def one_level(raw: Any) -> RawFrame:
    """Decode a frame as it stands in its line, one level deep; nothing where it cannot be."""
    return inner({"frame": raw}, "frame")


def decode(raw: Raw, wanted: Any) -> Any:
    """Decode a part of a frame; None where it is absent or of another shape."""
    if not present(raw):
        return None
    try:
        return _decoder(wanted).decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


@functools.cache
def _decoder(wanted: Any) -> msgspec.json.Decoder[Any]:
    """Keep a decoder for each type: making one of a list's type takes longer than decoding."""
    return msgspec.json.Decoder(wanted)


def bounded(struct: S) -> S:
    """Take numbers that no run reaches for absent."""
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, int | float) and abs(value) > MAX_NUMBER:
            setattr(struct, name, None)
    return struct


def clean_kind(kind: str) -> str:
    """Reduce a kind to what can be no payload: short, and of plain characters."""
    parts = kind[:MAX_KIND].split("/")
    clean = (part if part in _OUR_OWN else re.sub(_NOT_IN_A_KIND, "?", part) for part in parts)
    return "/".join(clean)


def below(kinds: Iterable[str]) -> dict[str, frozenset[str]]:
    """Sort the names of kinds by what stands before their last slash, "" where there is none."""
    names: dict[str, set[str]] = {}
    for kind in kinds:
        head, _, name = kind.rpartition("/")
        names.setdefault(head, set()).add(name)
    return {head: frozenset(tails) for head, tails in names.items()}


def told(raw: Any) -> Lazy | None:
    """Return an optional value as it stands; None where it is absent or null."""
    size = len(raw)
    return None if size in (0, len(NULL)) and bytes(raw) in (b"", NULL) else Lazy(raw)


def decoded_size(base64: Raw) -> int:
    """Count the bytes that a base64 string in JSON stands for."""
    text = bytes(base64).strip(b'"')
    return len(text) * 3 // 4 - text[-2:].count(b"=")


def remember(known: OrderedDict[K, Any], key: K, value: Any) -> None:
    """Keep a bounded memory: the oldest entry goes first."""
    known[key] = value
    if len(known) > REMEMBERED:
        known.popitem(last=False)


@functools.lru_cache(maxsize=256)  # the signals of a frame share its time
def epoch_ms(timestamp: str | None) -> int | None:
    """Read an ISO 8601 time as milliseconds since the epoch."""
    if timestamp is None:
        return None
    try:
        return round(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


@functools.lru_cache(maxsize=64)
def version_tuple(version: str | None) -> tuple[int, ...] | None:
    """Read ``2.1.220`` as numbers; None for what is no version."""
    parts = (version or "").partition("-")[0].partition("+")[0].split(".")
    if not all(part.isdecimal() and len(part) < MAX_DIGITS for part in parts):
        return None
    return tuple(map(int, parts))


def plain_version(printed: str) -> str | None:
    """Return the version in what a CLI prints of it: ``codex-cli 0.146.0``, ``v1.0.83``."""
    if version_tuple(printed) is not None:
        return printed
    match = re.search(_VERSION, printed)
    return match[0] if match else None
