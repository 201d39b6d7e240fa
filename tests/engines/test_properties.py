# SPDX-License-Identifier: Apache-2.0
"""What holds for the signals of every capture, whichever engine printed it."""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from agentframes.signals import (
    Agent,
    Input,
    Media,
    Notice,
    Reasoning,
    Text,
    ToolCall,
    ToolEnd,
    ToolOutput,
    Unknown,
    Withdrawn,
)
from tests.engines.support import captures, drive, folded, told
from tests.frames import CORPUS, Frame, capture

CAPTURES = captures()
FAMILIES = {
    "execute", "read", "edit", "search", "fetch", "web_search", "plan", "agent", "mcp", "ask",
    "output", "other",
}  # fmt: skip
every_capture = pytest.mark.parametrize("name", CAPTURES)


def call_ids(name: str) -> set[str]:
    """Find the ids of all calls by a walk of the raw JSON."""
    walks = {
        "claude": claude_calls,
        "codex": codex_calls,
        "copilot": copilot_calls,
        "gemini": gemini_calls,
        "opencode": opencode_calls,
    }
    walk = walks[name.split("/", 1)[0]]
    return {found for frame in capture(name) for found in walk(frame)}


def claude_calls(frame: Frame) -> Iterator[str]:
    """Find the calls in a frame of Claude Code."""
    if frame["type"] == "assistant":
        for block in frame["message"]["content"]:
            if block["type"] == "tool_use":
                yield block["id"]
    elif frame["type"] == "stream_event":
        block = frame["event"].get("content_block", {})
        if block.get("type") == "tool_use":
            yield block["id"]


def codex_calls(frame: Frame) -> Iterator[str]:
    """Find the calls in a frame of Codex, of any transport."""
    item = frame.get("item", {})
    messages = {"agent_message", "assistant_message", "reasoning", "todo_list", "error"}
    if item and (item.get("type") or item.get("item_type")) not in messages:
        yield item["id"]
    elif "call_id" in frame.get("msg", {}):
        yield frame["msg"]["call_id"]


def copilot_calls(frame: Frame) -> Iterator[str]:
    """Find the calls in a frame of GitHub Copilot CLI, which tells each up to three times."""
    told = frame.get("data") or {}
    yield from (request["toolCallId"] for request in told.get("toolRequests", ()))
    if frame["type"] in {"assistant.tool_call_delta", "tool.execution_start"}:
        yield told["toolCallId"]


def gemini_calls(frame: Frame) -> Iterator[str]:
    """Find the call in a frame of Gemini CLI; a document shows none."""
    if frame.get("type") == "tool_use":
        yield frame["tool_id"]


def opencode_calls(frame: Frame) -> Iterator[str]:
    """Find the call in a frame of opencode; `invalid` is its answer to a call of no tool."""
    if frame["type"] == "tool_use" and frame["part"]["tool"] != "invalid":
        yield frame["part"]["callID"]


def at_pointer(frame: Frame, pointer: str) -> Any:
    """Walk a JSON pointer."""
    value: Any = frame
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@every_capture
def test_facts_need_nothing_that_only_full_reading_tells(name: str) -> None:
    """Full signals fold to the facts that the lean ones fold to, and there are fewer of these."""
    lean, full = drive(name, full=False), drive(name, full=True)
    assert folded(lean) == folded(full)
    assert len(lean.signals) <= len(full.signals)
    assert lean.interpreter.transport == full.interpreter.transport
    assert lean.interpreter.cli_version == full.interpreter.cli_version


@every_capture
def test_lean_reading_tells_only_what_facts_fold(name: str) -> None:
    """No notice, reasoning, output, media or word to a sub-agent is built for facts."""
    unwanted = (Notice, Reasoning, ToolOutput, Media)
    lean = drive(name, full=False).signals
    assert not [signal for signal in lean if isinstance(signal, unwanted)]
    assert not [s for s in lean if isinstance(s, Input) and s.origin != "human"]
    assert not [s for s in lean if isinstance(s, Text) and (s.agent or s.mode == "delta")]
    assert not [s for s in lean if isinstance(s, ToolCall) and s.input is not None]


@every_capture
def test_calls_are_exactly_those_in_the_raw_json(name: str) -> None:
    """The ids of the calls are those that an independent walk finds."""
    for full in (True, False):
        calls = [s for s in drive(name, full=full).signals if isinstance(s, ToolCall)]
        assert call_ids(name) == {call.call_id for call in calls}


@every_capture
def test_a_call_is_told_before_anything_about_it(name: str) -> None:
    """Output, end and sub-agent of a call come after the call, and it ends once at most."""
    called: set[str] = set()
    ended: set[str] = set()
    for signal in drive(name).signals:
        if isinstance(signal, ToolCall):
            called.add(signal.call_id)
            assert signal.name
            assert signal.family in FAMILIES
        elif isinstance(signal, ToolOutput | Agent):
            assert signal.call_id in called
        elif isinstance(signal, ToolEnd):
            # Opencode tells what was no call by its end alone.
            assert signal.call_id in called or signal.status == "invalid"
            assert signal.call_id not in ended
            ended.add(signal.call_id)
        if signal.agent is not None:
            assert signal.agent in called


@every_capture
def test_kinds_are_those_of_the_manifest(name: str) -> None:
    """The kinds of the frames, and of all signals, are what the capture is described with."""
    expected = tomllib.loads((CORPUS / name / "capture.toml").read_text())["expected_kinds"]
    sink = drive(name)
    assert expected == sorted({kind for kinds in sink.kinds for kind in kinds})
    assert {signal.kind for signal in sink.signals} <= set(expected)
    assert not [signal for signal in sink.signals if isinstance(signal, Unknown)]


@every_capture
def test_spans_name_the_frame(name: str) -> None:
    """Signals come in the order of their frames, and every span is that of a frame."""
    sink = drive(name)
    spans = [signal.at for signal in sink.signals]
    assert sorted(spans) == spans
    frames = capture(name)
    assert sink.frames == len(frames)
    if sink.interpreter.transport in ("jsonl", "legacy"):
        assert all(span.first == span.last and not span.frame for span in spans)
        assert {span.first for span in spans} <= set(range(1, len(frames) + 1))
    else:
        assert {span.frame for span in spans} <= set(range(len(frames)))


@every_capture
def test_media_can_be_found_again(name: str) -> None:
    """A pointer resolves to base64 in the raw frame, of as many bytes as are told."""
    frames = capture(name)
    for signal in drive(name).signals:
        if not isinstance(signal, Media):
            continue
        assert signal.media_type
        if signal.pointer is None:
            assert signal.path
            continue
        number = signal.at.first - 1 if len(frames) > signal.at.frame + 1 else signal.at.frame
        found = at_pointer(frames[number], signal.pointer)
        text = found.removeprefix(f"data:{signal.media_type};base64,")
        data = base64.b64decode(text, validate=True)
        assert len(data) == signal.bytes


@every_capture
def test_deltas_add_up_to_the_whole(name: str) -> None:
    """The deltas of a part, one after the other, are the text that is told whole afterwards."""
    pieces: dict[tuple[str, int], str] = {}
    for signal in drive(name).signals:
        if isinstance(signal, Text | Reasoning):
            key = (signal.message_id, signal.part)
            if signal.mode == "delta":
                pieces[key] = pieces.get(key, "") + signal.text.text()
            elif key in pieces and (said := pieces.pop(key)) != signal.text.text():
                # Copilot up to 1.0.30 asks again under the id of the message that broke off.
                assert said.endswith(signal.text.text())
                assert "copilot" in name
                assert "s11-disconnect" in name
    # Gemini's messages are never told whole, nor is one that was broken off: by a signal (s25,
    # s37), by its connection (s11), or at copilot's token limit or filter (s23, s24c).
    broken_off = any(number in name for number in ("/s11", "/s25-", "/s37-"))
    broken_off |= name.startswith("copilot") and ("/s23-" in name or "/s24c-" in name)
    assert not pieces or broken_off or name.startswith("gemini")


@every_capture
def test_withdrawn_messages_are_named_as_their_text_is(name: str) -> None:
    """A message that is taken back bears the id of its text, where any was printed."""
    signals = drive(name).signals
    texts = {signal.message_id for signal in signals if isinstance(signal, Text)}
    for signal in signals:
        if isinstance(signal, Withdrawn) and signal.reason == "aborted":
            assert set(signal.ids) <= texts


@every_capture
def test_lazy_values_decode(name: str) -> None:
    """Every value of every signal decodes; inputs of whole calls are objects, or a patch."""
    for signal in drive(name).signals:
        told(signal, *signal.__struct_fields__)
        if isinstance(signal, ToolCall) and signal.mode == "whole" and signal.input is not None:
            given = signal.input.decode()
            assert isinstance(given, dict) or given.startswith("*** Begin Patch")


def test_the_corpus_is_not_empty() -> None:
    """The properties above were asked of every capture with a frame."""
    assert len(CAPTURES) >= 250
