# SPDX-License-Identifier: Apache-2.0
"""What an engine's documentation says of its native output: the source of the generated pages.

Data only; nothing on the way of a read imports it. Paths are field paths in the engine's frames.
"""

from __future__ import annotations

from msgspec import Struct


class NativeContract(Struct, kw_only=True, frozen=True):
    """One engine's rows in the tables of native output. None: the engine does not report it."""

    title: str
    """The product's name."""
    invocation: str
    resumed: str
    forms: str
    """What it prints, and which of it is read."""
    success: str
    """When a run is a success."""
    session_id: str
    tokens: str | None
    cost_usd: str | None
    wall_seconds: str | None
    final_text: str
    usage: str
    """How the account of the whole run is made, and what it covers."""
    caveats: tuple[str, ...] = ()
    """What trips readers up: with the versions that show it."""
