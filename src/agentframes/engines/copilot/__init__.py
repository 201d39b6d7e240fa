# SPDX-License-Identifier: Apache-2.0
"""GitHub Copilot CLI: ``copilot --output-format json -p PROMPT``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.copilot import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter

name = "copilot"
engine_api = 1


def interpreter() -> type[CopilotInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.copilot.signals import CopilotInterpreter

    return CopilotInterpreter
