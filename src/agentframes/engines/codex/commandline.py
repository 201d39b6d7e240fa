# SPDX-License-Identifier: Apache-2.0
"""How Codex is called: the prompt goes to stdin, told by ``-``; options stand before ``resume``."""

from __future__ import annotations

from collections.abc import Sequence

from agentframes.engines.invocation import Command, Installation, Request, choose, option, refuse
from agentframes.errors import CommandError

_PERMISSIONS = {
    "read-only": ["--sandbox", "read-only"],
    "edits": ["--sandbox", "workspace-write"],
    "all": ["--dangerously-bypass-approvals-and-sandbox"],
}

INSTALLATION = Installation(
    program="codex",
    package="@openai/codex",
    help=("exec", "--help"),
    flag="--json",
    login="run `codex login`, or set CODEX_API_KEY",
    takes_schema=True,
)


def command(request: Request) -> Command:
    """Return the command line."""
    refuse("codex", max_turns=request.max_turns, partial=request.partial)
    if request.schema is not None and not isinstance(request.schema, str):
        raise CommandError("codex takes a schema as a file: write it down and give its path")
    argv = ["codex", "exec", "--json"]
    argv += option("-m", request.model)
    argv += option("-C", request.cwd)
    argv += option("--output-schema", request.schema)
    argv += choose("codex", request.permission, _PERMISSIONS)
    argv += request.extra
    argv += option("resume", request.resume)
    return Command(argv=[*argv, "-"], stdin=request.prompt, cwd=request.cwd)


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what was asked: on stdin where ``-`` stands for it, else the last argument."""
    if not argv or argv[-1] == "-":
        return stdin
    return None if argv[-1].startswith("-") else argv[-1]
