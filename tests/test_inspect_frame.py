# SPDX-License-Identifier: Apache-2.0
"""`inspect_frame`: what one line holds, known or not, and nothing of what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentframes as af
from agentframes import engines
from agentframes.captures import open_folder
from tests.engines.support import captures, drive
from tests.frames import CORPUS, Frame, capture, having, without
from tests.novel import IDS, PLANTED, SECRET, first

FAMILIES = {"lifecycle", "message", "tool-call", "structured-runtime", "truncation"}
SAID = first("claude/2.1.220/s01-text", "assistant")


def inspected(frame: Any, cli: str | None = None, version: str = "unknown") -> Any:
    """Inspect a frame, and return what is told as a tuple."""
    source = af.FrameSource(cli, version) if cli else None
    told = af.inspect_frame(json.dumps(frame), source)
    return told and (told.kind, told.family, told.known, told.cli, told.cli_version)


@pytest.mark.parametrize("name", captures())
def test_every_captured_frame_is_known(name: str) -> None:
    """Each frame of the corpus is known, has a family, and the kind that reading gives it."""
    folder = open_folder(str(CORPUS / name))
    assert folder.engine is not None
    assert folder.version is not None
    source = af.FrameSource(folder.engine, folder.version)
    kinds = drive(name).kinds
    for frame, named in zip(capture(name), kinds, strict=False):
        told = af.inspect_frame(json.dumps(frame), source)
        assert told is not None
        assert (named[0], True, folder.engine, folder.version) == (
            told.kind, told.known, told.cli, told.cli_version,
        )  # fmt: skip
        assert told.family in FAMILIES


@pytest.mark.parametrize(("engine", "kind", "frame"), PLANTED, ids=IDS)
def test_novelty_at_every_boundary(engine: str, kind: str, frame: Frame) -> None:
    """A frame that no manifest names is told by its novel boundary, and shows nothing it holds."""
    told = af.inspect_frame(json.dumps(frame), af.FrameSource(engine, "1.2.3"))
    assert told == af.FrameInspection(
        kind=kind, family=None, known=False, cli=engine, cli_version="1.2.3"
    )
    assert SECRET in json.dumps(frame)
    assert SECRET not in repr(told)


class TestMixed:
    """Messages of several blocks."""

    NEW = {"type": "brand_new", "text": SECRET}  # noqa: RUF012 - never changed

    def test_one_novel_block_makes_the_frame_unknown(self) -> None:
        """Every block is checked, wherever the novel one stands."""
        (text,) = SAID["message"]["content"]
        for blocks in ([text, self.NEW], [self.NEW, text], [text, self.NEW, text]):
            frame = having(SAID, message__content=blocks)
            expected = ("assistant/brand_new", None, False, "claude", None)
            assert expected == inspected(frame)

    def test_known_blocks(self) -> None:
        """A frame of known blocks is known, and bears the first one's kind."""
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
        frame = having(SAID, message__content=[call, *SAID["message"]["content"]])
        assert ("assistant/tool_use", "tool-call", True, "claude", None) == inspected(frame)


class TestSource:
    """Who is said to have printed the line."""

    def test_detected(self) -> None:
        """Without a source the frame tells the engine, and its version where it holds one."""
        init = first("claude/2.1.332/s03-shell", "system")
        assert ("system/init", "lifecycle", True, "claude", "2.1.332") == inspected(init)
        started = first("codex/0.171.0/s03-shell", "thread.started")
        assert ("thread.started", "lifecycle", True, "codex", None) == inspected(started)

    def test_the_caller_knows_better(self) -> None:
        """A given version counts before the frame's."""
        init = first("claude/2.1.332/s03-shell", "system")
        assert "9.9.9" == inspected(init, "claude", "9.9.9")[4]

    @pytest.mark.parametrize("version", [SECRET, f"1.0 {SECRET}", 7, None, "1.0-" + "x" * 99])
    def test_what_is_no_version_is_not_told(self, version: Any) -> None:
        """Only numbers and a short word are a version."""
        init = having(first("claude/2.1.332/s03-shell", "system"), claude_code_version=version)
        assert inspected(init)[4] in {None, "1.0"}

    def test_an_unknown_frame_tells_no_version(self) -> None:
        """Nothing of what it holds, so not that either."""
        init = having(first("claude/2.1.332/s03-shell", "system"), subtype="brand_new")
        assert ("system/brand_new", None, False, "claude", None) == inspected(init)

    @pytest.mark.parametrize("cli", engines.names())
    def test_anothers_frame(self, cli: str) -> None:
        """A frame that is certainly another engine's is none of the given one's."""
        others = {
            "claude": SAID,
            "codex": first("codex/0.171.0/s03-shell", "thread.started"),
            "copilot": first("copilot/1.0.102/s03-shell", "assistant.message"),
            "gemini": first("gemini/0.61.0/s03-shell", "init"),
            "opencode": first("opencode/1.18.33/s03-shell", "text"),
        }
        for name, frame in others.items():
            told = inspected(frame, cli)
            assert (told is not None) == (name == cli)

    def test_an_engine_without_a_reader(self) -> None:
        """It has no frames."""
        assert None is inspected(SAID, "nobody")


class TestLines:
    """Lines as they arrive."""

    LINE = json.dumps(SAID)

    @pytest.mark.parametrize(
        "before", ["\ufeff", "\x1b[0m", "\x1b]0;title\x07", "  ", "\ufeff\x1b[2K"]
    )
    @pytest.mark.parametrize("after", ["", "\n", "\r\n", "\x1b[0m\n"])
    @pytest.mark.parametrize("source", [None, af.FrameSource("claude")])
    def test_marks_and_escapes(
        self, before: str, after: str, source: af.FrameSource | None
    ) -> None:
        """A byte order mark and terminal escapes around a frame are none of it."""
        line = before + self.LINE + after
        expected = af.inspect_frame(self.LINE, source)
        assert expected is not None
        assert expected == af.inspect_frame(line, source)
        assert expected == af.inspect_frame(line.encode(), source)

    @pytest.mark.parametrize(
        "line",
        [
            "", " ", "\n", "hello", "{braces}", "[1, 2]", "[]", "3", '"text"', "null", "{",
            '{"type":', '{"type":"assistant","message":{"content":[{"type":"te',
            "\x1b[0m", "\ufeff",
        ],
    )  # fmt: skip
    def test_what_is_no_frame(self, line: str) -> None:
        """Text, other JSON and broken lines are None, with and without a source."""
        assert None is af.inspect_frame(line)
        assert None is af.inspect_frame(line, af.FrameSource("claude"))

    def test_a_document_is_nobodys(self) -> None:
        """JSON that no engine prints is no frame; with a source it is one that has no name."""
        assert None is inspected({"ok": True})
        assert ("(untyped)", None, False, "claude", None) == inspected({"ok": True}, "claude")

    def test_of_several_frames_the_first(self) -> None:
        """A line of two frames is the first one's."""
        two = self.LINE + json.dumps(having(SAID, type="brand_new"))
        assert af.inspect_frame(self.LINE) == af.inspect_frame(two)

    def test_a_surrogate(self) -> None:
        """What cannot be encoded is no reason to raise."""
        frame = without(SAID, "message") | {"message": {"content": [{"type": "\ud800"}]}}
        told = af.inspect_frame(json.dumps(frame, ensure_ascii=False))
        assert told is not None
        assert ("assistant/?", False) == (told.kind, told.known)

    @given(line=st.text(max_size=40) | st.binary(max_size=40))
    def test_any_line(self, line: str | bytes) -> None:
        """Whatever a line holds, nothing is raised."""
        af.inspect_frame(line)
        for name in engines.names():
            told = af.inspect_frame(line, af.FrameSource(name))
            assert told is None or told.cli == name


def test_public_names() -> None:
    """Function and answer are where users look for them."""
    assert {"FrameInspection", "inspect_frame"} <= set(af.__all__)
    assert Path(af.__file__).parent.name == "agentframes"
