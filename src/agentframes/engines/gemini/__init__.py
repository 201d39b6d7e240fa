# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI: ``gemini --output-format stream-json | json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentframes.engines.gemini import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.gemini.signals import GeminiInterpreter
    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline

name = "gemini"
engine_api = 1


def interpreter() -> type[GeminiInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.gemini.signals import GeminiInterpreter

    return GeminiInterpreter


def command_line(request: Request) -> Command:
    """Return the command line that asks this engine."""
    from agentframes.engines.gemini.commandline import command

    return command(request)


def installation() -> Installation:
    """Return how this CLI is installed."""
    from agentframes.engines.gemini.commandline import INSTALLATION

    return INSTALLATION


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what a command line of this engine asked."""
    from agentframes.engines.gemini import commandline

    return commandline.prompt(argv, stdin)


def capture_setup() -> Offline:
    """Return how this CLI is run without an account."""
    from agentframes.engines.gemini import offline

    return offline
