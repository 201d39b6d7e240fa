# SPDX-License-Identifier: Apache-2.0
"""Frames tell which engine printed them, or nobody does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes.detection import MAX_FRAMES, first_frames, is_frame, raw_frame, recognize
from agentframes.types import Detection

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus"
CODEX = (CORPUS / "codex/0.171.0/s01-text/stdout.jsonl").read_bytes()
CLAUDE = (CORPUS / "claude/2.1.332/s01-text/stdout.jsonl").read_bytes()
ARRAY = (CORPUS / "claude/2.1.332/s01-text--json-verbose/stdout.json").read_bytes()
FOREIGN = b'{"level":"info","msg":"started"}\n'


def name(chunk: bytes) -> str | None:
    """Name the engine of a chunk."""
    engine = recognize(chunk)
    return None if engine is None else engine.name


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("claude/2.1.332/s01-text", Detection("claude", "2.1.332", "jsonl")),
        ("claude/2.1.332/s01-text--json", Detection("claude", None, "json")),
        ("claude/2.1.332/s01-text--json-verbose", Detection("claude", "2.1.332", "json-array")),
        ("claude/1.0.128/s01-text", Detection("claude", None, "jsonl")),
        ("codex/0.171.0/s01-text", Detection("codex", None, "jsonl")),
        ("codex/0.36.0/s01-text", Detection("codex", None, "legacy")),
        ("codex/0.20.0/s01-text", Detection("codex", None, "legacy")),
    ],
)
def test_detected(capture: str, expected: Detection) -> None:
    """Engine, version and transport are what the frames themselves tell."""
    output = next((CORPUS / capture).glob("stdout.json*")).read_bytes()
    assert expected == af.detect(output)


@pytest.mark.parametrize(
    "printed",
    [b"", b"\n", b"hello\n", b"[INFO] x\n", b"[]", b"{}", FOREIGN, FOREIGN * 500, b'{"type":"x"}',
     b"[" * 10_000, b'{"a":' * 10_000, b"\xff\x00", b'{"type":' + b"9" * 5000 + b"}"],
    ids=range(13),
)  # fmt: skip
def test_nobody(printed: bytes) -> None:
    """What no engine prints is nobody's, rather than guessed."""
    assert af.detect(printed) is None


@pytest.mark.parametrize(
    "printed",
    [
        CODEX.decode(),
        b"\xef\xbb\xbf" + CODEX,
        CODEX.decode().encode("utf-16"),
        CODEX.replace(b"\n", b"\r\n"),
        b"Loaded.\n\n" + FOREIGN + CODEX,
        b"\x1b[?25l" + CODEX,
        b"WARN " + CODEX,
        CODEX.split(b"\n")[0],
        json.dumps([json.loads(line) for line in CODEX.splitlines()]),
        json.dumps([json.loads(line) for line in CODEX.splitlines()], indent=2),
        "\n".join(json.dumps(json.loads(line), indent=1) for line in CODEX.splitlines()),
        CODEX.decode().splitlines(),
    ],
    ids=range(12),
)
def test_damage_does_not_hide_the_engine(printed: Any) -> None:
    """Marks, line ends, noise before and pretty-printing change nothing about who printed."""
    found = af.detect(printed)
    assert found is not None
    assert "codex" == found.engine


def test_certain_frame_wins_over_a_possible_one() -> None:
    """An error line that several could print leaves the word to a later, certain frame."""
    error = b'{"type":"error","message":"x"}\n'
    assert "codex" == name(error)
    assert "claude" == name(error + CLAUDE)


def test_only_the_first_frames_are_asked() -> None:
    """After many foreign frames in one chunk it is nobody's."""
    assert "codex" == name(FOREIGN * (MAX_FRAMES - 1) + CODEX)
    assert name(FOREIGN * MAX_FRAMES + CODEX) is None


def test_first_frames_tell_arrays() -> None:
    """Frames come one level deep, with the word whether they are elements of an array."""
    found = list(first_frames(ARRAY))
    assert [True] * len(json.loads(ARRAY)) == [within for _, within in found]
    assert [False] * len(CODEX.splitlines()) == [within for _, within in first_frames(CODEX)]
    assert b'"thread.started"' == bytes(next(first_frames(CODEX))[0]["type"])


def test_frame_of_a_built_in_engine() -> None:
    """Only an object that a built-in engine alone prints is a frame for certain."""
    assert is_frame(CODEX.split(b"\n")[0])
    assert is_frame(CLAUDE.split(b"\n")[0])
    assert not is_frame(FOREIGN)
    assert not is_frame(b'{"type":"error","message":"x"}')


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"7", b'{"a"', b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", b'{"\xff":1}',
     b'{"a":"\\ud800"}', b'{"type":NaN}'],
    ids=range(8),
)  # fmt: skip
def test_unreadable_frame_has_no_fields(raw: bytes) -> None:
    """What does not decode one level deep is empty, and no frame."""
    assert {} == raw_frame(raw)
    assert not is_frame(raw)
