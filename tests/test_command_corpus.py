# SPDX-License-Identifier: Apache-2.0
"""``agentframes corpus learn``: the fields in the packages are those that the corpus shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentframes import manifests
from agentframes.commands import main
from tests.frames import CORPUS

ROOT = Path(__file__).parent.parent
CODEX = "codex/0.171.0/s01-text"

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have fields written beside the test, not into the package."""
    monkeypatch.setattr(manifests, "fields_path", lambda _: str(tmp_path / "fields.json"))
    return tmp_path / "fields.json"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a corpus of one capture."""
    shutil.copytree(CORPUS / CODEX, tmp_path / "corpus" / CODEX)
    return tmp_path / "corpus"


def test_what_is_committed_is_learned(capsys: Capsys) -> None:
    """Nobody edits a fields.json: the corpus gives it back, byte by byte."""
    assert 0 == main(["corpus", "learn", "--check", "--corpus", str(CORPUS)])
    assert ("", "") == capsys.readouterr()


def test_learn(fields: Path, corpus: Path, capsys: Capsys) -> None:
    """A capture's kinds and fields are written, and the file is named."""
    assert 0 == main(["corpus", "learn", "--corpus", str(corpus)])
    learnt = manifests.decode(fields.read_bytes())
    assert {"item.completed/agent_message", "thread.started", "turn.completed", "turn.started"} == (
        learnt.keys()
    )
    assert {"type", "thread_id"} == learnt["thread.started"].fields.keys()
    assert {"0.171.0": 1} == learnt["thread.started"].versions
    assert f"{fields}: {fields.stat().st_size} bytes\n" == capsys.readouterr().out


def test_check(fields: Path, corpus: Path, capsys: Capsys) -> None:
    """A file that is not there, or not what is learned, is told, and left as it is."""
    arguments = ["corpus", "learn", "--check", "--corpus", str(corpus)]
    assert 1 == main(arguments)
    assert not fields.exists()
    main(arguments[:2] + arguments[3:])
    capsys.readouterr()
    assert 0 == main(arguments)
    fields.write_text(fields.read_text("utf-8") + "\n", encoding="utf-8")
    assert 1 == main(arguments)
    expected = (
        f"agentframes: corpus: {fields} is not what the corpus shows: run agentframes corpus learn"
    )
    assert f"{expected}\n" == capsys.readouterr().err


def test_unknown_kinds_teach_nothing(fields: Path, corpus: Path) -> None:
    """What the hand-written manifest does not name is not learned by the way."""
    output = corpus / CODEX / "stdout.jsonl"
    output.write_bytes(output.read_bytes() + b'{"type":"brand_new","secret":1}\n')
    assert 0 == main(["corpus", "learn", "--corpus", str(corpus)])
    assert "brand_new" not in fields.read_text("utf-8")
    assert "secret" not in fields.read_text("utf-8")


def test_made_up_captures_teach_nothing(fields: Path, corpus: Path) -> None:
    """Only what a real CLI printed is a field."""
    description = corpus / CODEX / "capture.toml"
    text = description.read_text("utf-8")
    description.write_text(text.replace("synthetic = false", "synthetic = true"), encoding="utf-8")
    assert 0 == main(["corpus", "learn", "--corpus", str(corpus)])
    assert {} == manifests.decode(fields.read_bytes())


@pytest.mark.parametrize("arguments", [["learn", "--corpus", "src"], ["forget"], []])
def test_usage(arguments: list[str], capsys: Capsys) -> None:
    """A folder without engines, and words that make no sense, are one line."""
    assert 2 == main(["corpus", *arguments])
    assert 1 == capsys.readouterr().err.count("\n")
