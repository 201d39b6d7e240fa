# SPDX-License-Identifier: Apache-2.0
"""Codex: ``codex exec --json``, and the lines that versions up to 0.44 printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.codex import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter

name = "codex"
engine_api = 1


def interpreter() -> type[CodexInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.codex.signals import CodexInterpreter

    return CodexInterpreter
