# SPDX-License-Identifier: Apache-2.0
"""Command lines: a table of what is asked and the arguments that ask for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes.engines.invocation import ARGUMENT_LIMIT

PROMPT = "Say \"ok\"; $HOME `rm -rf` 'x'\n--and -more"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}

CLAUDE = "claude -p --output-format stream-json --verbose"
CODEX = "codex exec --json"
GEMINI = "gemini --output-format stream-json"
COPILOT = "copilot --output-format json --allow-all"
OPENCODE = "opencode run --format json"

# engine, what is asked, the arguments; PROMPT stands for the prompt, which stays one argument
TABLE: list[tuple[str, dict[str, Any], str]] = [
    ("claude", {}, CLAUDE),
    ("claude", {"resume": "id"}, f"{CLAUDE} -r id"),
    ("claude", {"partial": True}, f"{CLAUDE} --include-partial-messages"),
    ("claude", {"model": "opus", "max_turns": 2}, f"{CLAUDE} --model opus --max-turns 2"),
    ("claude", {"permission": "all"}, f"{CLAUDE} --dangerously-skip-permissions"),
    ("claude", {"permission": "edits"}, f"{CLAUDE} --permission-mode acceptEdits"),
    ("claude", {"permission": "read-only"}, f"{CLAUDE} --permission-mode plan"),
    ("claude", {"extra": ["--add-dir", "d"], "resume": "id"}, f"{CLAUDE} -r id --add-dir d"),
    ("codex", {}, f"{CODEX} -"),
    ("codex", {"resume": "id"}, f"{CODEX} resume id -"),
    ("codex", {"model": "m", "cwd": "/w"}, f"{CODEX} -m m -C /w -"),
    ("codex", {"schema": "s.json", "resume": "id"}, f"{CODEX} --output-schema s.json resume id -"),
    (
        "codex",
        {"permission": "all", "extra": ["--skip-git-repo-check"], "resume": "id"},
        f"{CODEX} --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check resume id -",
    ),
    ("codex", {"permission": "edits"}, f"{CODEX} --sandbox workspace-write -"),
    ("codex", {"permission": "read-only"}, f"{CODEX} --sandbox read-only -"),
    ("gemini", {}, f"{GEMINI} -p PROMPT"),
    ("gemini", {"resume": "latest", "model": "m"}, f"{GEMINI} -m m --resume latest -p PROMPT"),
    ("gemini", {"permission": "all", "partial": True}, f"{GEMINI} --yolo -p PROMPT"),
    ("gemini", {"permission": "edits"}, f"{GEMINI} --approval-mode auto_edit -p PROMPT"),
    ("copilot", {}, f"{COPILOT} -p PROMPT"),
    ("copilot", {"resume": "id"}, f"{COPILOT} --resume=id -p PROMPT"),
    (
        "copilot",
        {"model": "m", "extra": ["--add-dir", "d"], "partial": True, "permission": "all"},
        f"{COPILOT} --model m --add-dir d -p PROMPT",
    ),
    ("opencode", {}, f"{OPENCODE} PROMPT"),
    ("opencode", {"resume": "ses_1", "model": "p/m"}, f"{OPENCODE} -m p/m -s ses_1 PROMPT"),
    ("opencode", {"extra": ["--thinking"]}, f"{OPENCODE} --thinking PROMPT"),
]
BY_STDIN = ("claude", "codex")
BY_ARGUMENT = ("copilot", "gemini", "opencode")

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("codex", {"max_turns": 3}, "codex has no option for max_turns"),
    ("codex", {"partial": True}, "codex has no option for partial"),
    (
        "codex",
        {"schema": SCHEMA},
        "codex takes a schema as a file: write it down and give its path",
    ),
    (
        "claude",
        {"permission": "some"},
        "claude has no option for permission 'some'; it has read-only, edits, all",
    ),
    ("gemini", {"max_turns": 2}, "gemini has no option for max_turns"),
    (
        "gemini",
        {"permission": "read-only"},
        "gemini has no option for permission 'read-only'; it has edits, all",
    ),
    ("copilot", {"schema": SCHEMA}, "copilot has no option for schema"),
    (
        "copilot",
        {"permission": "edits"},
        "copilot has no option for permission 'edits'; it has all",
    ),
    ("opencode", {"schema": SCHEMA}, "opencode has no option for schema"),
    ("opencode", {"permission": "all"}, "opencode has no option for permission"),
    ("claude", {"schema": "missing.json"}, "missing.json: no such file"),
]


@pytest.mark.parametrize(("engine", "asked", "expected"), TABLE)
def test_arguments(engine: str, asked: dict[str, Any], expected: str) -> None:
    """What is asked has its arguments, and the prompt goes where the engine reads it."""
    command = af.command(engine, PROMPT, **asked)
    argv = [PROMPT if word == "PROMPT" else word for word in expected.split(" ")]
    assert argv == command.argv
    assert (PROMPT if engine in BY_STDIN else None) == command.stdin


@pytest.mark.parametrize(("engine", "asked", "message"), REFUSED)
def test_refused(engine: str, asked: dict[str, Any], message: str) -> None:
    """What an engine cannot be asked is refused in one line, never left out in silence."""
    with pytest.raises(af.AgentframesError) as caught:
        af.command(engine, PROMPT, **asked)
    assert message == str(caught.value)


def test_unknown_engine() -> None:
    """An engine that nobody knows is told with those that are."""
    with pytest.raises(af.UnknownEngineError, match="unknown engine 'omp'; known engines: claude"):
        af.command("omp", PROMPT)


def test_schemas_of_claude(tmp_path: Path) -> None:
    """Claude takes the schema itself: given as a mapping, or read from its file."""
    path = tmp_path / "schema.json"
    path.write_text('{"type": "object"}')
    assert ["--json-schema", '{"type": "object"}'] == af.command("claude", "x", schema=path).argv[
        -2:
    ]
    given = af.command("claude", "x", schema=SCHEMA).argv[-1]
    assert '{"type":"object","properties":{"n":{"type":"integer"}}}' == given


@pytest.mark.parametrize("engine", BY_STDIN)
def test_stdin_has_no_limit(engine: str) -> None:
    """A prompt that no argument could hold goes to stdin whole."""
    prompt = "x" * (ARGUMENT_LIMIT + 1)
    assert prompt == af.command(engine, prompt).stdin


def test_a_prompt_that_looks_like_an_option() -> None:
    """It stays the prompt: behind `-p`, behind an equals sign, or behind the end of options."""
    assert ["-p", "--help"] == af.command("copilot", "--help").argv[-2:]
    assert ["--prompt=--help"] == af.command("gemini", "--help").argv[-1:]
    assert ["--", "--help"] == af.command("opencode", "--help").argv[-2:]


@pytest.mark.parametrize("engine", BY_ARGUMENT)
def test_arguments_have_a_limit(engine: str) -> None:
    """A prompt that no argument can hold is refused, with the limit and the way out."""
    assert "x" * ARGUMENT_LIMIT == af.command(engine, "x" * ARGUMENT_LIMIT).argv[-1]
    for prompt in ("x" * (ARGUMENT_LIMIT + 1), "\u00e9" * (ARGUMENT_LIMIT // 2 + 1)):
        with pytest.raises(af.CommandError, match=f"holds at most {ARGUMENT_LIMIT} bytes here"):
            af.command(engine, prompt)
    with pytest.raises(af.CommandError, match="the prompt holds a NUL character"):
        af.command(engine, "a\0b")


def test_where_the_process_runs() -> None:
    """The working directory is the process's, with or without an option for it."""
    assert "/w" == af.command("claude", "x", cwd=Path("/w")).cwd
    assert "/w" == af.command("codex", "x", cwd="/w").cwd
