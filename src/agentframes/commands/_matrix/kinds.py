# SPDX-License-Identifier: Apache-2.0
"""What the hand-written manifests say of each kind of frame: all of it, not what readers need."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import msgspec
from msgspec import Struct

from agentframes import engines, manifests
from agentframes.engines.contract import NativeContract

FAMILIES = ("lifecycle", "message", "tool-call", "structured-runtime", "truncation")


class Kind(Struct, frozen=True):
    """A line of a `kinds.toml`."""

    family: str
    since: str
    source: str
    captured: bool
    quirks: str | None = None


def kinds(name: str) -> dict[str, Kind]:
    """Return the kinds that an engine is known to print, in alphabetical order."""
    path = Path(import_module(_package(name)).__file__ or "").with_name("kinds.toml")
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return dict(sorted(msgspec.convert(told["kinds"], dict[str, Kind]).items()))


def contract(name: str) -> NativeContract:
    """Return what an engine's package says of its native output."""
    found: NativeContract = import_module(f"{_package(name)}.contract").CONTRACT
    return found


def _package(name: str) -> str:
    return manifests.package(engines.get(name)) or ""
