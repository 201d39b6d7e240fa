# SPDX-License-Identifier: Apache-2.0
"""Partial messages of Claude Code: deltas, and what only they tell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentframes.signals import Buckets, ModelCall, Notice, Reasoning, Text, ToolCall
from tests.engines.support import drive, drive_frames, every, only, told
from tests.frames import capture

MIDDLE, NEW = "claude/2.1.220", "claude/2.1.332"
WITH_CALLS = [
    f"{version}/{scenario}--partial"
    for version in (MIDDLE, NEW)
    for scenario in ("s03-shell", "s04-parallel", "s16-multistep", "s17-subagent")
]


@pytest.mark.parametrize("name", WITH_CALLS)
def test_pieces_of_an_input_add_up_to_it(name: str) -> None:
    """The pieces of a call's input, one after the other, are the JSON of the whole input."""
    pieces: dict[str, str] = {}
    wholes = 0
    for call in only(name, ToolCall):
        if call.agent is not None:
            continue  # a sub-agent's messages are not streamed
        if call.mode == "delta":
            piece = call.input.text() if call.input else ""
            pieces[call.call_id] = pieces.get(call.call_id, "") + piece
        else:
            assert call.input is not None
            assert call.input.decode() == json.loads(pieces.pop(call.call_id))
            wholes += 1
    assert not pieces
    assert wholes


def test_every_piece_names_its_call_tool_and_message() -> None:
    """The first piece has no input; the whole comes last, under the same names."""
    names = ("call_id", "name", "family", "message_id", "mode", "kind")
    call = ("toolu_fake002_1", "Bash", "execute", "msg_fake002")
    piece = "stream_event/content_block_delta/input_json_delta"
    assert [
        (*call, "delta", "stream_event/content_block_start/tool_use"),
        (*call, "delta", piece),
        (*call, "delta", piece),
        (*call, "whole", "assistant/tool_use"),
    ] == every(f"{MIDDLE}/s06-reasoning--partial", ToolCall, *names)


def test_parts_of_deltas_are_those_of_the_whole() -> None:
    """Reasoning is part 0 and the answer part 1 of one message, in pieces and whole."""
    name = f"{NEW}/s06-reasoning--partial"
    assert [
        ("msg_fake002", 1, "delta", "Done: hello."),
        ("msg_fake002", 1, "whole", "Done: hello."),
    ] == every(name, Text, "message_id", "part", "mode", "text")
    assert [
        ("delta", "The output says hello, s"),
        ("delta", "o I can answer now."),
        ("whole", "The output says hello, so I can answer now."),
    ] == every(name, Reasoning, "mode", "text")[3:]


def test_the_call_of_the_model_ends_with_its_final_usage() -> None:
    """The start has the time to the first token, the end the stop reason and the output count."""
    calls = only(f"{NEW}/s23-maxtokens--partial", ModelCall)
    first = [call for call in calls if call.id == "msg_fake001"]
    names = ("phase", "stop_reason", "kind", "native_path")
    assert [
        ("start", None, "stream_event/message_start", "stream_event.message_start.usage"),
        ("start", None, "assistant/text", "assistant.message.usage"),
        ("end", "max_tokens", "stream_event/message_delta", "stream_event.message_delta.usage"),
    ] == [told(call, *names) for call in first]
    assert first[0].ttft_ms is not None
    assert Buckets(input=1000, cache_read=0, cache_write=301) == first[0].usage
    assert Buckets(input=1000, cache_read=0, cache_write=301, output=11) == first[2].usage


def test_a_killed_run_keeps_its_pieces() -> None:
    """On 2.1.332 SIGTERM leaves the deltas without a whole."""
    assert [("delta", f"word{number} ") for number in range(1, 9)] == every(
        f"{MIDDLE}/s25-sigterm-streaming--partial", Text, "mode", "text"
    )[:-1]
    modes = {mode for (mode,) in every(f"{NEW}/s25-sigterm-streaming--partial", Text, "mode")}
    assert {"delta"} == modes


def test_pieces_without_their_beginning_are_left_to_the_whole() -> None:
    """Where the line that opens a message is lost, only the whole is told."""
    init, _, _, *rest = capture(f"{NEW}/s01-text--partial")
    assert "message_start" == capture(f"{NEW}/s01-text--partial")[2]["event"]["type"]
    sink = drive_frames("claude", init, *rest)
    texts = [told(s, "message_id", "mode", "text") for s in sink.signals if isinstance(s, Text)]
    assert [("msg_fake001", "whole", "ok")] == texts


def test_facts_take_no_deltas() -> None:
    """Read for facts, a stream event tells the model's calls, and that tools are called, only."""
    sink = drive(f"{NEW}/s04-parallel--partial", full=False)
    streamed = {type(s) for s in sink.signals if s.kind.startswith("stream_event/")}
    assert {ModelCall, ToolCall} == streamed
    names = {f"toolu_fake001_{number}" for number in range(3)}
    assert names == {s.call_id for s in sink.signals if isinstance(s, ToolCall)}


def calls(frame: dict[str, Any]) -> bool:
    """Tell a whole message that calls a tool."""
    blocks = frame["message"]["content"] if frame["type"] == "assistant" else []
    return any(block["type"] == "tool_use" for block in blocks)


def test_a_call_whose_whole_is_lost_is_counted() -> None:
    """A tool's call is a fact, even where only its begin is left of it."""
    frames = capture(f"{NEW}/s03-shell--partial")
    whole = next(frame for frame in frames if calls(frame))
    left = [frame for frame in frames if frame is not whole]
    told = [
        sink.signals
        for sink in (drive_frames("claude", *left, full=full) for full in (True, False))
    ]
    assert [{"toolu_fake001_1"}] * 2 == [
        {s.call_id for s in signals if isinstance(s, ToolCall)} for signals in told
    ]


def test_pieces_behind_a_result_tell_that_the_run_goes_on() -> None:
    """After an end, facts take deltas too: whatever is said then opens the run again."""
    init, _, start, *rest = capture(f"{NEW}/s01-text--partial")
    delta = next(f for f in rest if f.get("event", {}).get("type") == "content_block_delta")
    sink = drive_frames("claude", init, start, *rest, delta, full=False)
    assert isinstance(sink.signals[-1], Text)


def test_an_error_in_the_stream_is_told() -> None:
    """The API's `error` event, which no capture shows, becomes a status row."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    sink = drive_frames("claude", {"type": "stream_event", "event": error, "session_id": "s1"})
    assert [("error", "Overloaded")] == [
        told(s, "severity", "text") for s in sink.signals if isinstance(s, Notice)
    ]
