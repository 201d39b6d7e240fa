# SPDX-License-Identifier: Apache-2.0
"""Claude Code: ``claude -p --output-format json | stream-json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.claude import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter

name = "claude"
engine_api = 1


def interpreter() -> type[ClaudeInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.claude.signals import ClaudeInterpreter

    return ClaudeInterpreter
