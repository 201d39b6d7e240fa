# SPDX-License-Identifier: Apache-2.0
"""How Gemini CLI is called: the prompt is the value of ``-p``, the last option."""

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

_PERMISSIONS = {
    "edits": ["--approval-mode", "auto_edit"],
    "all": ["--yolo"],
}

INSTALLATION = Installation(
    program="gemini",
    package="@google/gemini-cli",
    help=("--help",),
    flag="--output-format",
    login="run `gemini` and choose how to sign in, or set GEMINI_API_KEY",
    logged_out=r"Please set an Auth method",  # 0.61.0
)


def command(request: Request) -> Command:
    """Return the command line; stream-json always prints messages while they are written."""
    refuse("gemini", schema=request.schema, max_turns=request.max_turns)
    argv = ["gemini", "--output-format", "stream-json"]
    argv += option("-m", request.model)
    argv += choose("gemini", request.permission, _PERMISSIONS)
    argv += option("--resume", request.resume)
    argv += request.extra
    prompt = as_argument("gemini", request.prompt)
    # A prompt that looks like an option is only a value behind an equals sign.
    argv += [f"--prompt={prompt}"] if prompt.startswith("-") else ["-p", prompt]
    return Command(argv=argv, cwd=request.cwd)


def prompt(argv: Sequence[str], stdin: str | None) -> str | None:
    """Return what was asked."""
    return value_of(argv, "-p", "--prompt") or stdin
