# SPDX-License-Identifier: Apache-2.0
"""Types that every floor of the house shares."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Transport = Literal["json", "json-array", "jsonl", "legacy", "text", "mixed"]
"""How an engine prints; ``stream-json`` is accepted as an alias of ``jsonl``."""

TRANSPORTS: tuple[Transport, ...] = ("json", "json-array", "jsonl", "legacy", "text", "mixed")

UNKNOWN_VERSION = "unknown"


class Span(Struct, frozen=True, order=True, gc=False):
    """Where a frame stands in its source: 1-based lines, both inclusive, and its place on them.

    `frame` is the frame's ordinal among the frames that begin on line `first` (0 for the only
    one; spliced frames and elements of an array count up).
    """

    first: int
    last: int
    frame: int = 0


class FrameSource(Struct, frozen=True, gc=False):
    """Which CLI printed the frames, as far as the caller knows."""

    cli: str
    version: str = UNKNOWN_VERSION
    transport: str | None = None


class Detection(Struct, frozen=True, gc=False):
    """What the frames themselves tell of their origin."""

    engine: str
    cli_version: str | None
    transport: Transport
