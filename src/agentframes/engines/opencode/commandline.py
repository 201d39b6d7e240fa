# SPDX-License-Identifier: Apache-2.0
"""How opencode is called: the prompt is the last argument."""

from __future__ import annotations

from collections.abc import Sequence

from agentframes.engines.invocation import (
    Command,
    Installation,
    Request,
    as_argument,
    option,
    refuse,
)

RUN = 2  # arguments: the program and `run`

INSTALLATION = Installation(
    program="opencode",
    package="opencode-ai",
    help=("run", "--help"),
    flag="--format",
    login="run `opencode auth login`",
    tells=frozenset({"tokens", "cost_usd"}),  # with each `step_finish` (all captured versions)
)


def command(request: Request) -> Command:
    """Return the command line; permissions and limits are set in opencode's configuration."""
    refuse(
        "opencode",
        schema=request.schema,
        permission=request.permission,
        max_turns=request.max_turns,
        partial=request.partial,
    )
    argv = ["opencode", "run", "--format", "json"]
    argv += option("-m", request.model)
    argv += option("-s", request.resume)
    argv += request.extra
    prompt = as_argument("opencode", request.prompt)
    if prompt.startswith("-"):
        argv.append("--")  # or the prompt would be read as an option
    return Command(argv=[*argv, prompt], cwd=request.cwd)


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what was asked: the last argument, or stdin."""
    return argv[-1] if len(argv) > RUN and not argv[-1].startswith("-") else stdin
