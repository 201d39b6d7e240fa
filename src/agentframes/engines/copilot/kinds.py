# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Copilot is known to print; its frames drift at their type alone.

They are those of `kinds.toml`. An undeclared kind of a known area is an unknown frame like any
other, but what is new there is of little note: kinds come and go within weeks.
"""

from __future__ import annotations

from agentframes.engines.copilot import _kinds

KINDS = frozenset(_kinds.KINDS)


def is_open(kind: str) -> bool:
    """Tell whether a kind's area is one where the manifest leaves new kinds room."""
    return kind.startswith(_kinds.OPEN_PREFIXES)
