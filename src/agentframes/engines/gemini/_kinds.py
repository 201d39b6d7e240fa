# SPDX-License-Identifier: Apache-2.0
"""What `kinds.toml` names, for readers. Written by ``make kinds``; edit the TOML."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "init": "lifecycle",
    "message/user": "message",
    "message/assistant": "message",
    "tool_use": "tool-call",
    "tool_result": "tool-call",
    "error": "structured-runtime",
    "result": "lifecycle",
    "(document)": "lifecycle",
    "tool_call": "tool-call",
    "truncation": "truncation",
}
OPEN_PREFIXES: tuple[str, ...] = ()
BLOCKS: str = ""
OPAQUE: frozenset[str] = frozenset(
    {
        "parameters",
    }
)
MAPS: frozenset[str] = frozenset(
    {
        "stats.models",
        "stats.models.*.api.errorsByType",
        "stats.models.*.roles",
        "stats.tools.byName",
    }
)
CAPTURED: frozenset[str] = frozenset(
    {
        "(document)",
        "error",
        "init",
        "message/assistant",
        "message/user",
        "result",
        "tool_result",
        "tool_use",
    }
)
