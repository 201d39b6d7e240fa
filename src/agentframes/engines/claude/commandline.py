# SPDX-License-Identifier: Apache-2.0
"""How Claude Code is called: the prompt goes to stdin, which has no limit."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agentframes.engines.invocation import Command, Installation, Request, choose, option, value_of
from agentframes.lines import open_path

_PERMISSIONS = {
    "read-only": ["--permission-mode", "plan"],
    "edits": ["--permission-mode", "acceptEdits"],
    "all": ["--dangerously-skip-permissions"],
}

INSTALLATION = Installation(
    program="claude",
    package="@anthropic-ai/claude-code",
    help=("--help",),
    flag="--output-format",
    login="run `claude` and /login, or set ANTHROPIC_API_KEY",
    logged_out=r"Please run /login",  # 1.0.128, 2.1.332
    takes_schema=True,
)


def command(request: Request) -> Command:
    """Return the command line; stream-json wants ``--verbose`` in print mode."""
    argv = ["claude", "-p", "--output-format", "stream-json", "--verbose"]
    if request.partial:
        argv.append("--include-partial-messages")
    argv += option("--model", request.model)
    argv += option("--max-turns", request.max_turns)
    argv += option("--json-schema", _schema(request))
    argv += choose("claude", request.permission, _PERMISSIONS)
    argv += option("-r", request.resume)
    return Command(argv=[*argv, *request.extra], stdin=request.prompt, cwd=request.cwd)


def _schema(request: Request) -> str | None:
    schema = request.schema
    if schema is None:
        return None
    if isinstance(schema, str):
        with open_path(schema) as file:
            return file.read().decode()
    return json.dumps(dict(schema), separators=(",", ":"))


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what was asked: behind ``-p``, or on stdin, where that holds no frames."""
    if value_of(argv, "--input-format") == "stream-json":
        return None
    return value_of(argv, "-p", "--print") or stdin
