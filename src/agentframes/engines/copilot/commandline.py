# SPDX-License-Identifier: Apache-2.0
"""How GitHub Copilot CLI is called: every option stands before ``-p``, whose value is the prompt.

1.0.83 refuses a flag behind the prompt. Without a terminal nobody can be asked, so all tools are
allowed unless the caller says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentframes.engines.invocation import (
    Command,
    Installation,
    Request,
    as_argument,
    choose,
    option,
    refuse,
    value_of,
)

_PERMISSIONS = {"all": ["--allow-all"]}

INSTALLATION = Installation(
    program="copilot",
    package="@github/copilot",
    help=("--help",),
    flag="--output-format",
    login="run `copilot` and /login, or set COPILOT_GITHUB_TOKEN",
    logged_out=r"No authentication information found",  # 1.0.102
)


def command(request: Request) -> Command:
    """Return the command line; json always prints messages while they are written."""
    refuse("copilot", schema=request.schema, max_turns=request.max_turns)
    argv = ["copilot", "--output-format", "json"]
    argv += choose("copilot", request.permission or "all", _PERMISSIONS)
    argv += option("--model", request.model)
    if request.resume is not None:
        argv.append(f"--resume={request.resume}")
    argv += request.extra
    return Command(argv=[*argv, "-p", as_argument("copilot", request.prompt)], cwd=request.cwd)


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what was asked."""
    return value_of(argv, "-p", "--prompt") or stdin
