# SPDX-License-Identifier: Apache-2.0
"""What `kinds.toml` names, for readers. Written by ``make kinds``; edit the TOML."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "step_start": "lifecycle",
    "text": "message",
    "reasoning": "structured-runtime",
    "tool_use": "tool-call",
    "step_finish": "lifecycle",
    "error": "structured-runtime",
}
OPEN_PREFIXES: tuple[str, ...] = ()
BLOCKS: str = ""
OPAQUE: frozenset[str] = frozenset(
    {
        "error.data.metadata",
        "part.state.input",
        "part.state.metadata",
    }
)
MAPS: frozenset[str] = frozenset(
    {
        "error.data.responseHeaders",
    }
)
CAPTURED: frozenset[str] = frozenset(
    {
        "error",
        "reasoning",
        "step_finish",
        "step_start",
        "text",
        "tool_use",
    }
)
