# SPDX-License-Identifier: Apache-2.0
"""opencode: ``opencode run --format json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentframes.engines.opencode import signature as signature

if TYPE_CHECKING:
    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline
    from agentframes.engines.opencode.signals import OpencodeInterpreter

name = "opencode"
engine_api = 1


def interpreter() -> type[OpencodeInterpreter]:
    """Return the reader of this engine's frames."""
    from agentframes.engines.opencode.signals import OpencodeInterpreter

    return OpencodeInterpreter


def command_line(request: Request) -> Command:
    """Return the command line that asks this engine."""
    from agentframes.engines.opencode.commandline import command

    return command(request)


def installation() -> Installation:
    """Return how this CLI is installed."""
    from agentframes.engines.opencode.commandline import INSTALLATION

    return INSTALLATION


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what a command line of this engine asked."""
    from agentframes.engines.opencode import commandline

    return commandline.prompt(argv, stdin)


def capture_setup() -> Offline:
    """Return how this CLI is run without an account."""
    from agentframes.engines.opencode import offline

    return offline
