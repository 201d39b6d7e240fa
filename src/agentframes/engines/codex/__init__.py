# SPDX-License-Identifier: Apache-2.0
"""Codex: ``codex exec --json``, and the lines that versions up to 0.44 printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentframes.engines.codex import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter
    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline

name = "codex"
engine_api = 1


def interpreter() -> type[CodexInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.codex.signals import CodexInterpreter

    return CodexInterpreter


def command_line(request: Request) -> Command:
    """Return the command line that asks this engine."""
    from agentframes.engines.codex.commandline import command

    return command(request)


def installation() -> Installation:
    """Return how this CLI is installed."""
    from agentframes.engines.codex.commandline import INSTALLATION

    return INSTALLATION


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what a command line of this engine asked."""
    from agentframes.engines.codex import commandline

    return commandline.prompt(argv, stdin)


def capture_setup() -> Offline:
    """Return how this CLI is run without an account."""
    from agentframes.engines.codex import offline

    return offline
