# SPDX-License-Identifier: Apache-2.0
"""What all engines have to get right, each in every version captured."""

from __future__ import annotations

import json

import pytest

import agentframes as af
from agentframes.errors import SessionFileError
from agentframes.signals import ToolEnd
from tests.captured import capture
from tests.engines.support import drive
from tests.frames import CORPUS

ENGINES = ("claude", "codex", "copilot", "gemini", "opencode")


def captures(scenario: str) -> list[str]:
    """List the captures of a scenario, as ``engine/version/scenario``."""
    folders = CORPUS.glob(f"*/*/{scenario}*")
    return sorted(str(folder.relative_to(CORPUS)) for folder in folders)


def ended(name: str) -> tuple[str, str]:
    """Read a capture and return its status and reason."""
    outcome = af.read(CORPUS / name).outcome
    return outcome.status, outcome.reason


def silent(name: str) -> bool:
    """Tell whether a run printed nothing on stdout."""
    folder = CORPUS / name
    return not any(path.stat().st_size for path in folder.glob("stdout.*"))


def of_every_engine(names: list[str]) -> bool:
    """Tell whether all engines are among the captures."""
    return {name.split("/", 1)[0] for name in names} == set(ENGINES)


# Versions of codex that print lines of the older protocol.
LEGACY = ("0.20.0", "0.25.0", "0.36.0", "0.42.0")


# Versions of gemini that call it a success when the model could not be asked.
UNTOLD = ("gemini/0.6.1", "gemini/0.11.3")


@pytest.mark.parametrize("name", captures("s09-http401"))
def test_a_refused_key(name: str) -> None:
    """401 is told as `auth`, whatever the exit status; a silent run is `empty`."""
    expected = ("incomplete", "empty") if silent(name) else ("failed", "auth")
    if name.startswith(UNTOLD):
        expected = ("success", "completed")
    assert expected == ended(name)


@pytest.mark.parametrize("name", captures("s08-http500"))
def test_a_server_that_fails(name: str) -> None:
    """500 for ever is told as `api_error`; codex's preview of 0.42 had no word for it."""
    expected = ("failed", "api_error")
    if name.startswith(UNTOLD):
        expected = ("success", "completed")
    elif silent(name):
        expected = ("incomplete", "empty")
    elif name.endswith("--experimental-json"):
        expected = ("incomplete", "no_terminal_frame")
    assert expected == ended(name)


@pytest.mark.parametrize("name", captures("s10-http429"))
def test_retries_on_the_way(name: str) -> None:
    """429 twice, then an answer: success, but for codex's legacy lines, which have no end.

    Codex 0.146.0 gives up at once.
    """
    expected = ("success", "completed")
    if name.startswith(tuple(f"codex/{version}" for version in LEGACY)):
        expected = ("incomplete", "no_terminal_frame")
    elif name.startswith("codex/0.146.0"):
        expected = ("failed", "rate_limit")
    assert expected == ended(name)


LAUNCHER = "--launcher"  # the signal went to it alone, and the CLI below went on to its end
# These tell in a last frame that they were interrupted; copilot's, where the signal met the CLI.
TOLD = (
    "claude/2.1.220/s25", "claude/2.1.220/s26", "copilot/1.0.12/s26-sigterm-tool--",
    "copilot/1.0.30/s26", "copilot/1.0.83/s25-sigterm-streaming--",
    "copilot/1.0.83/s26-sigterm-tool--",
)  # fmt: skip


@pytest.mark.parametrize("name", captures("s25-sigterm") + captures("s26-sigterm"))
def test_killed_runs(name: str) -> None:
    """A run ended by SIGTERM is never a success, however it exits."""
    if name.endswith(LAUNCHER):
        expected = ("success", "completed")
    elif silent(name):
        expected = ("incomplete", "empty")
    elif name.startswith(TOLD):
        expected = ("failed", "interrupted")
    else:
        expected = ("incomplete", "no_terminal_frame")
    assert expected == ended(name)


def test_the_scenarios_have_every_engine() -> None:
    """The rules above were asked of all engines."""
    for scenario in ("s08-http500", "s09-http401", "s10-http429", "s25-sigterm", "s26-sigterm"):
        assert of_every_engine(captures(scenario))


EXIT_CODES = {
    "claude/1.0.128": None, "claude/2.1.220": 3, "claude/2.1.332": 3,
    "codex/0.20.0": 3, "codex/0.45.0": 3, "codex/0.171.0": 3,
    "copilot/1.0.12": 3, "copilot/1.0.83": 3, "copilot/1.0.102": 3,
    "gemini/0.61.0": None,
    "opencode/1.0.185": 3, "opencode/1.18.33": 3,
}  # fmt: skip


@pytest.mark.parametrize(("version", "code"), EXIT_CODES.items())
def test_a_command_that_exits_3(version: str, code: int | None) -> None:
    """The exit code stands where the engine tells one, and is null where it tells none."""
    ends = [end for end in drive(f"{version}/s04-parallel").signals if isinstance(end, ToolEnd)]
    assert 3 == len(ends)
    told = sorted(end.exit_code for end in ends if end.exit_code)
    assert ([] if code is None else [code]) == told
    failed = [end for end in ends if end.status == "failed"]
    # Gemini calls a command that exits 3 a success and says no more.
    assert (0 if version.startswith("gemini") else 1) == len(failed)
    assert "success" == af.read(CORPUS / version / "s04-parallel").outcome.status or (
        version == "codex/0.20.0"
    )


ANSWER = {"answer": "ok", "n": 3}


@pytest.mark.parametrize("name", captures("s18-schema"))
def test_structured_output(name: str) -> None:
    """Claude has a field for it; elsewhere it is JSON text, which the summary finds."""
    run = af.read(CORPUS / name)
    structured = ANSWER if name.startswith("claude") else None
    assert structured == run.structured_output
    if name.startswith(("claude", "codex")):
        raw = capture(name)
        assert ("valid", ANSWER) == (af.extract_summary(raw).status, af.extract_summary(raw).value)


SESSION_FILES = {
    "Claude": {"type": "user", "sessionId": "s", "parentUuid": None, "isSidechain": False,
               "message": {"role": "user", "content": "hi"}},
    "Codex": {"timestamp": "2026-11-30T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
    "Copilot": {"type": "session.start", "data": {"sessionId": "s"}, "id": "i", "parentId": None,
                "timestamp": "2026-11-30T00:00:00Z"},
}  # fmt: skip


@pytest.mark.parametrize("name", SESSION_FILES)
def test_session_files(name: str) -> None:
    """A CLI's own session file is named as what it is, and not read as output."""
    with pytest.raises(SessionFileError, match=f"a .*{name}.* session file, not print-mode output"):
        af.read(json.dumps(SESSION_FILES[name]).encode())
