# SPDX-License-Identifier: Apache-2.0
"""What the manifests do not name is told by its name, once a frame, and by nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agentframes.signals import Retyped, Signal, Text, ToolCall, ToolEnd, Unknown
from tests.engines.support import drive_frames, everything, folded

SECRET = "planted-1f7c9e"
PLAIN_NAME = re.compile(r"[A-Za-z0-9._/:?()-]{1,120}")
PAYLOAD: dict[str, Any] = {
    "text": SECRET, "content": [SECRET, {"text": SECRET}], "message": SECRET, "id": SECRET,
    "uuid": SECRET, "session_id": SECRET, "parent_tool_use_id": SECRET, "timestamp": SECRET,
    "data": {SECRET: SECRET}, "result": SECRET, "error": {"message": SECRET}, "name": SECRET,
    "input": {"command": SECRET}, "thinking": SECRET, "tool_use_id": SECRET, SECRET: 1,
}  # fmt: skip
SAID = {"type": "text", "text": "said"}
CALLED = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}

Frame = dict[str, Any]


def message(kind: str, *blocks: Frame) -> Frame:
    """Write a message of Claude Code."""
    body = {"role": kind, "id": "m1", "model": "claude-opus-5", "content": list(blocks)}
    return {"type": kind, "session_id": "s1", "uuid": "u1", "message": body}


def stream(**event: Any) -> Frame:
    """Write a stream event of Claude Code, all else planted."""
    return {**PAYLOAD, "type": "stream_event", "event": event}


NOVEL = {**PAYLOAD, "type": "brand_new"}
UNTYPED = {key: value for key, value in PAYLOAD.items() if key != "type"}

CLAUDE: list[tuple[str, Frame]] = [
    ("brand_new", NOVEL),
    ("(untyped)", UNTYPED),
    ("system/brand_new", {**PAYLOAD, "type": "system", "subtype": "brand_new"}),
    ("system/(untyped)", {**PAYLOAD, "type": "system"}),
    ("result/brand_new", {**PAYLOAD, "type": "result", "subtype": "brand_new"}),
    ("result/(untyped)", {**PAYLOAD, "type": "result"}),
    ("assistant/brand_new", message("assistant", NOVEL)),
    ("assistant/(untyped)", message("assistant", UNTYPED)),
    ("user/brand_new", message("user", NOVEL)),
    ("user/(untyped)", message("user", UNTYPED)),
    ("stream_event/brand_new", stream(**NOVEL)),
    ("stream_event/(untyped)", stream(**UNTYPED)),
    (
        "stream_event/content_block_start/brand_new",
        stream(type="content_block_start", index=0, content_block=NOVEL),
    ),
    ("stream_event/content_block_start/(untyped)", stream(type="content_block_start")),
    (
        "stream_event/content_block_delta/brand_new",
        stream(type="content_block_delta", index=0, delta=NOVEL),
    ),
    ("stream_event/content_block_delta/(untyped)", stream(type="content_block_delta")),
]
CODEX: list[tuple[str, Frame]] = [
    ("brand_new", NOVEL),
    ("(untyped)", UNTYPED),
    ("item.started/brand_new", {**PAYLOAD, "type": "item.started", "item": NOVEL}),
    ("item.updated/brand_new", {**PAYLOAD, "type": "item.updated", "item": NOVEL}),
    ("item.completed/brand_new", {**PAYLOAD, "type": "item.completed", "item": NOVEL}),
    ("item.completed/(untyped)", {**PAYLOAD, "type": "item.completed", "item": UNTYPED}),
    ("item.completed/(untyped)", {**PAYLOAD, "type": "item.completed"}),
    ("legacy/brand_new", {"id": SECRET, "msg": NOVEL}),
    ("legacy/(untyped)", {"id": SECRET, "msg": UNTYPED}),
    ("legacy/(untyped)", {"id": SECRET, "msg": SECRET}),
    ("legacy/exec_command_pause", {"id": SECRET, "msg": {**PAYLOAD, "type": "exec_command_pause"}}),
]
PROBES = [("claude", *probe) for probe in CLAUDE] + [("codex", *probe) for probe in CODEX]


def unknown(signals: list[Signal]) -> list[str]:
    """List what was told as unknown."""
    return [signal.frame_kind for signal in signals if isinstance(signal, Unknown)]


@pytest.mark.parametrize("full", [True, False], ids=["full", "lean"])
@pytest.mark.parametrize(("engine", "kind", "frame"), PROBES)
def test_novelty_is_told_once_and_by_name_only(
    engine: str, kind: str, frame: Frame, *, full: bool
) -> None:
    """An unknown frame gives one Unknown with its kind, and nothing it holds comes through."""
    sink = drive_frames(engine, frame, full=full)
    assert [kind] == unknown(sink.signals)
    assert kind in sink.kinds[0]
    (facts,) = folded(sink)
    found = [finding["kind"] for finding in facts["drift"] if finding["what"] == "unknown_kind"]
    assert [kind] == found
    assert SECRET not in everything(sink)


def test_the_rest_of_a_message_is_still_read() -> None:
    """Beside a novel block, text and call are read, under the parts that they have."""
    frame = message("assistant", SAID, NOVEL, {**NOVEL, "type": "other"}, SAID, CALLED)
    sink = drive_frames("claude", frame)
    assert ["assistant/brand_new"] == unknown(sink.signals)
    assert [("m1", 0), ("m1", 3)] == [
        (signal.message_id, signal.part) for signal in sink.signals if isinstance(signal, Text)
    ]
    assert ["t1"] == [signal.call_id for signal in sink.signals if isinstance(signal, ToolCall)]
    assert SECRET not in everything(sink)
    kinds = ["text", "brand_new", "other", "text", "tool_use"]
    assert [[f"assistant/{kind}" for kind in kinds]] == sink.kinds


def test_the_rest_of_a_result_is_still_read() -> None:
    """Beside a novel block, the result of a call is read."""
    sink = drive_frames("claude", message("user", NOVEL, RESULT))
    assert ["user/brand_new"] == unknown(sink.signals)
    ends = [signal for signal in sink.signals if isinstance(signal, ToolEnd)]
    assert ["done"] == [end.output.text() for end in ends if end.output]
    assert SECRET not in everything(sink)


@pytest.mark.parametrize("engine", ["claude", "codex"])
def test_names_are_short_and_plain(engine: str) -> None:
    """Whatever stands in the place of a name, 120 plain characters at most come through."""
    odd = ["a b", "x" * 500, "<script>", "é\n", "\u202e", '"}', "{secret: 1}", "a/b", "-"]
    for name in odd:
        frames: list[Frame] = [
            {"type": name},
            {"type": "item.completed", "item": {"type": name}},
            {"id": "0", "msg": {"type": name}},
            {"type": "system", "subtype": name},
            message("assistant", {"type": name}),
        ]
        for told in unknown(drive_frames(engine, *frames).signals):
            assert PLAIN_NAME.fullmatch(told)


@pytest.mark.parametrize(
    ("engine", "frame", "field"),
    [
        ("claude", {"type": "brand_new", "uuid": [SECRET]}, "uuid"),
        ("codex", {"type": "brand_new", "thread_id": [SECRET]}, "thread_id"),
    ],
)
def test_a_field_of_another_type_is_told_by_types_only(
    engine: str, frame: Frame, field: str
) -> None:
    """A retyped field of an unknown frame is named, and its value is not."""
    sink = drive_frames(engine, frame)
    assert [field] == [signal.field for signal in sink.signals if isinstance(signal, Retyped)]
    assert ["brand_new"] == unknown(sink.signals)
    assert SECRET not in everything(sink)


def test_frames_without_content_are_known_by_their_type() -> None:
    """A message without blocks is no novelty."""
    for frame in (message("assistant"), {"type": "assistant"}, {"type": "user", "message": None}):
        sink = drive_frames("claude", frame)
        assert [[frame["type"]]] == sink.kinds
        assert [] == unknown(sink.signals)
