# SPDX-License-Identifier: Apache-2.0
"""What is told before anything is started, whatever is installed."""

from __future__ import annotations

import importlib.util

import pytest

from agentframes.commands import main

Capsys = pytest.CaptureFixture[str]


def test_a_dry_run_needs_no_cli(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is that of a CLI which is not there."""
    monkeypatch.setenv("PATH", "/nowhere")
    status = main(["run", "codex", "it's late", "--permission", "edits", "--dry-run"])
    out, err = capsys.readouterr()
    assert (0, "codex exec --json --sandbox workspace-write -\n") == (status, out)
    assert "agentframes: run: stdin: 9 characters of prompt\n" == err


def test_a_capture_says_which_extra_it_needs(
    capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any CLI is looked for."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name)
    )
    assert 2 == main(["capture", "codex", "--scenario", "s01-text"])
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert "starlette and uvicorn: pip install 'agentframes[capture]'" in err
