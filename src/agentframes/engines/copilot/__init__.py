# SPDX-License-Identifier: Apache-2.0
"""GitHub Copilot CLI: ``copilot --output-format json -p PROMPT``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentframes.engines.copilot import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline

name = "copilot"
engine_api = 1


def interpreter() -> type[CopilotInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.copilot.signals import CopilotInterpreter

    return CopilotInterpreter


def command_line(request: Request) -> Command:
    """Return the command line that asks this engine."""
    from agentframes.engines.copilot.commandline import command

    return command(request)


def installation() -> Installation:
    """Return how this CLI is installed."""
    from agentframes.engines.copilot.commandline import INSTALLATION

    return INSTALLATION


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what a command line of this engine asked."""
    from agentframes.engines.copilot import commandline

    return commandline.prompt(argv, stdin)


def capture_setup() -> Offline:
    """Return how this CLI is run without an account."""
    from agentframes.engines.copilot import offline

    return offline
