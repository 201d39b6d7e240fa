# SPDX-License-Identifier: Apache-2.0
"""What holds on every capture of Gemini CLI."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import agentframes as af
from agentframes import detection, engines
from agentframes.signals import Media, Native, Text, ToolCall, ToolEnd
from tests.captured import ROOT, capture
from tests.engines.support import captures, drive, only

CORPUS = ROOT / "corpus"
PRINTED = [name for name in captures() if name.startswith("gemini/")]
STREAMS = [name for name in PRINTED if not name.endswith("--json")]
DOCUMENTS = [name for name in PRINTED if name.endswith("--json")]
TWINS = [name for name in DOCUMENTS if name.removesuffix("--json") in STREAMS]


def raw_frames(name: str) -> list[dict[str, Any]]:
    """Decode a stream by the standard library alone."""
    return [json.loads(line) for line in capture(name).split(b"\n") if line]


def test_the_corpus_is_there() -> None:
    """Seven versions with streams; 0.6.1 has documents alone."""
    assert {"0.11.3", "0.15.4", "0.24.5", "0.38.2", "0.47.0", "0.51.0", "0.61.0"} == {
        name.split("/")[1] for name in STREAMS
    }
    assert [True] * 3 == [142 <= len(STREAMS), 23 <= len(DOCUMENTS), 22 <= len(TWINS)]


@pytest.mark.parametrize("name", PRINTED)
def test_detection_needs_no_name(name: str) -> None:
    """Engine and transport are told from the frames alone."""
    found = af.detect(capture(name))
    transport = "json" if name in DOCUMENTS else "jsonl"
    assert af.Detection(engine="gemini", cli_version=None, transport=transport) == found  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in captures() if name not in PRINTED])
def test_no_frame_of_another_engine_looks_like_it(name: str) -> None:
    """The types are other people's words too; not one frame of theirs is taken."""
    recognize = engines.get("gemini").signature.recognize
    lines = capture(name).split(b"\n")
    assert {0} == {recognize(detection.raw_frame(line)) for line in lines}


@pytest.mark.parametrize("name", STREAMS)
def test_calls_are_those_of_the_raw_frames(name: str) -> None:
    """Ids, names, inputs, outputs and pairing equal an independent walk of the raw JSON."""
    frames, calls, ends = raw_frames(name), only(name, ToolCall), only(name, ToolEnd)
    used = [frame for frame in frames if frame["type"] == "tool_use"]
    ended = [frame for frame in frames if frame["type"] == "tool_result"]
    assert [(frame["tool_id"], frame["tool_name"], frame["parameters"]) for frame in used] == [
        (call.call_id, call.name, call.input.decode() if call.input else None) for call in calls
    ]
    assert [
        (frame["tool_id"], frame.get("output"), frame.get("error", {}).get("message"))
        for frame in ended
    ] == [(end.call_id, end.output.text() if end.output else None, end.error) for end in ends]
    assert [None] * len(ended) == [end.exit_code for end in ends]


@pytest.mark.parametrize("name", STREAMS)
def test_the_pieces_make_the_final_text(name: str) -> None:
    """The pieces of the last message, joined by nothing, are the final text of the facts."""
    told = only(name, Text)
    frames = raw_frames(name)
    said = [frame["content"] for frame in frames if frame.get("role") == "assistant"]
    assert said == [text.text.text() for text in told]
    last = max(
        index
        for index, frame in enumerate(frames, 1)
        if frame["type"] in ("tool_use", "tool_result") or frame.get("role") == "user"
    )
    joined = "".join(text.text.text() for text in told if text.at.first > last)
    run = af.read(capture(name))
    assert (joined or None, "joined_deltas" if joined else None) == (
        run.final_text, run.final_text_source,
    )  # fmt: skip
    assert (joined or None) == af.parse_engine_final_text("gemini", capture(name))


@pytest.mark.parametrize("name", STREAMS)
def test_a_message_ends_where_another_frame_stands(name: str) -> None:
    """Neighbouring pieces share an id of their first line; no two messages do."""
    texts = only(name, Text)
    groups = [list(group) for _, group in itertools.groupby(texts, lambda text: text.message_id)]
    assert [f"message-{group[0].at.first}" for group in groups] == [
        group[0].message_id for group in groups
    ]
    for group in groups:
        first = group[0].at.first
        assert list(range(first, first + len(group))) == [text.at.first for text in group]
        assert {("delta", 0)} == {(text.mode, text.part) for text in group}


@pytest.mark.parametrize("name", STREAMS)
def test_every_row_has_its_time(name: str) -> None:
    """What becomes a row of the conversation carries the time of its frame."""
    frames, told = raw_frames(name), drive(name).signals
    rows = [signal for signal in told if signal.time_ms is not None]
    assert set(range(1, len(frames) + 1)) == {signal.at.first for signal in rows}
    for signal in rows:
        stamp = frames[signal.at.first - 1]["timestamp"]
        assert stamp[-5:] == f".{(signal.time_ms or 0) % 1000:03}Z"


@pytest.mark.parametrize("name", TWINS)
def test_stream_and_document_agree(name: str) -> None:
    """The same scenario told in either mode yields the same answer, account and end."""
    document, stream = (
        af.read(CORPUS / which) for which in (name, name.removesuffix("--json"))
    )  # fmt: skip
    if document.usage.total_tokens == stream.usage.total_tokens:
        assert stream.usage.basis != document.usage.basis
        for bucket in ("input", "cache_read", "cache_write", "output", "reasoning"):
            field = f"{bucket}_tokens"
            assert getattr(stream.usage, field) == getattr(document.usage, field)
        if not name.startswith(("gemini/0.15.4", "gemini/0.24.5")):  # whose stream names none
            assert stream.usage.models == document.usage.models
    assert stream.final_text == document.final_text
    ended, other = stream.outcome, document.outcome
    assert (ended.status, ended.reason, ended.message) == (
        other.status, other.reason, other.message,
    )  # fmt: skip
    assert (stream.resources.tokens, stream.caveats) == (
        document.resources.tokens, document.caveats,
    )  # fmt: skip


def test_no_data_of_an_image_is_printed() -> None:
    """An image's frame holds no data to point to: the file is named instead (s20)."""
    (media,) = only("gemini/0.61.0/s20-image", Media)
    assert ("/workspace/project/pixel.png", "image/png", None, None) == (
        media.path, media.media_type, media.pointer, media.url,
    )  # fmt: skip
    others = [name for name in PRINTED if only(name, Media)]
    assert {"s20-image"} == {name.split("/")[2] for name in others}


@pytest.mark.parametrize("name", PRINTED)
def test_one_terminal_word(name: str) -> None:
    """The frame that ends a run speaks for all of it, and nothing else does."""
    terminal = [
        native.at.first for native in only(name, Native)
        if native.terminal
    ]  # fmt: skip
    line = af.read(capture(name)).outcome.line
    assert ([] if line is None else [line]) == terminal
