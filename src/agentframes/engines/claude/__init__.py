# SPDX-License-Identifier: Apache-2.0
"""Claude Code: ``claude -p --output-format json | stream-json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentframes.engines.claude import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline

name = "claude"
engine_api = 1


def interpreter() -> type[ClaudeInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.claude.signals import ClaudeInterpreter

    return ClaudeInterpreter


def command_line(request: Request) -> Command:
    """Return the command line that asks this engine."""
    from agentframes.engines.claude.commandline import command

    return command(request)


def installation() -> Installation:
    """Return how this CLI is installed."""
    from agentframes.engines.claude.commandline import INSTALLATION

    return INSTALLATION


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what a command line of this engine asked."""
    from agentframes.engines.claude import commandline

    return commandline.prompt(argv, stdin)


def capture_setup() -> Offline:
    """Return how this CLI is run without an account."""
    from agentframes.engines.claude import offline

    return offline
