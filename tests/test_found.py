# SPDX-License-Identifier: Apache-2.0
"""What mutations and fuzzing found: the smallest inputs, and what must be read in them."""

from __future__ import annotations

import functools
import os
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest

import agentframes as af
from agentframes import reading
from agentframes.facts.model import Finding
from agentframes.streams import Stream
from tests.readings import events, events_by_lines

THREAD = b'{"type":"thread.started","thread_id":"1"}'
OTHERS = b'{"type":"session.x","data":{},"id":"1","timestamp":"2","parentId":"3"}'
RESULT = (
    b'{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result",'
    b'"content":"x"}]},"session_id":"s","tool_use_result":{"status":"completed","agentId":"a"}}\n'
)


def facts(printed: bytes, *, full: bool = False) -> list[Any]:
    """Read every run, with all signals or only those that facts need."""
    stream_type = functools.partial(Stream, full=full)
    runs = reading._read(printed, reading._Options(), stream_type)
    return [msgspec.to_builtins(run) for run in runs]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_another_engine_in_a_document_that_never_ends(end: bytes) -> None:
    """What is held back until the end may be another engine's: it is read as such."""
    codex, copilot = af.read_all(b"{\n " + THREAD + b"\n " + OTHERS + end)
    assert ("codex", 1, 0) == (codex.engine, codex.frames.known, codex.frames.unknown)
    assert ("copilot", 0, 1) == (copilot.engine, copilot.frames.known, copilot.frames.unknown)
    assert [
        Finding(what="unknown_kind", level="note", kind="session.x", line=3, count=1)
    ] == copilot.drift


@pytest.mark.parametrize("field", ["retry_delay_ms", "error_status", "attempt"])
def test_fields_that_facts_do_not_read_are_no_drift(field: str) -> None:
    """A field that only rows are made of is not held against its type, whoever asks for rows."""
    printed = b'{"type":"system","subtype":"api_retry","session_id":"s","%s":[]}\n'
    printed %= field.encode()
    assert [] == af.read(printed).drift
    assert facts(printed) == facts(printed, full=True)


def test_an_end_alone_tells_no_subagent() -> None:
    """Where all signals are told, an agent's end changes no fact that its call had not changed."""
    assert 0 == af.read(RESULT).model_calls
    assert facts(RESULT) == facts(RESULT, full=True)


def test_the_last_line_without_its_end_tells_the_engine_too() -> None:
    """A missing final newline changes nothing, not even who printed it (B3)."""
    printed = b'{"prompt":"S"}\n{"id":"1","msg":{"type":"task_started"}}'
    run = af.read(printed)
    assert ("codex", 2, 0) == (run.engine, run.frames.known, run.frames.unknown)
    assert facts(printed) == facts(printed + b"\n")


# --- ids told again after many others, and odd orders --------------------------------------------


def lines(*frames: dict[str, Any]) -> bytes:
    """Print frames, one a line."""
    return b"".join(msgspec.json.encode(frame) + b"\n" for frame in frames)


def said(name: str, tokens: int, **more: Any) -> dict[str, Any]:
    """Make a message of claude's of one text, with a usage."""
    usage = {"input_tokens": tokens, "output_tokens": tokens}
    content = [{"type": "text", "text": name}]
    return {"type": "assistant", "message": {"id": name, "content": content, "usage": usage}} | more


INIT = {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2.1.40"}
STARTED = {"type": "thread.started", "thread_id": "t"}
TIME = {"timestamp": "2026-01-01T00:00:00Z"}


def many(count: int, name: str = "m") -> list[dict[str, Any]]:
    """Make messages of one token each."""
    return [said(f"{name}{number}", 1) for number in range(count)]


def test_a_usage_told_again_after_many_others_replaces_the_first() -> None:
    """A message told again stays among the recent ones, in a row of frames as one by one (U2)."""
    frames = [INIT, said("a", 7), *many(300), said("a", 7), *many(250, "n"), said("a", 9)]
    printed = lines(*frames)
    assert facts(printed) == facts(printed, full=True)
    assert 300 + 250 + 9 == af.read(printed).usage.input_tokens


@pytest.mark.parametrize("between", [10, 1000, 2200])
def test_distinct_ids_are_counted_alike(between: int) -> None:
    """Which ids are forgotten does not depend on how many frames are read at once."""
    printed = lines(INIT, said("a", 1), *many(between), said("a", 1))
    assert facts(printed) == facts(printed, full=True)


def test_thinking_with_a_call_is_thinking() -> None:
    """A block of reasoning ends no call, whatever else stands in it."""
    thought = said("a", 1)
    thought["message"]["content"] = [{"type": "thinking", "thinking": "t", "tool_use_id": "x"}]
    end = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s",
           "result": "b", "duration_ms": 1}  # fmt: skip
    printed = lines(INIT, said("a", 1), thought, said("b", 1), end)
    assert facts(printed) == facts(printed, full=True)
    assert "ab" == af.read(printed).final_text


def test_withdrawn_by_a_long_list() -> None:
    """A message that is taken back is no answer, however many ids the list names (F23)."""
    back = said("c", 1, supersedes=["u2", *(f"z{number}" for number in range(2000))])
    back["message"]["content"][0]["text"] = " "
    end = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s",
           "result": "", "duration_ms": 1}  # fmt: skip
    frames = [INIT, said("good", 1, uuid="u1"), said("bad", 1, uuid="u2"), back, end]
    assert "good" == af.read(lines(*frames)).final_text


def test_a_call_that_turns_out_to_be_an_agent() -> None:
    """An item that is completed as another type tells its sub-agent either way."""
    call = {"id": "i", "type": "command_execution", "command": "x"}
    spawned = {"id": "i", "type": "collab_tool_call", "tool": "spawn_agent",
               "receiver_thread_ids": ["q"]}  # fmt: skip
    end = {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}
    printed = lines(STARTED, {"type": "item.started", "item": call},
                    {"type": "item.completed", "item": spawned}, end)  # fmt: skip
    assert facts(printed) == facts(printed, full=True)
    assert "subagents_excluded" in af.read(printed).caveats


@pytest.mark.parametrize(
    "message",
    [f"Reconnecting... {'9' * 5000}/5", "stream error: x; retrying 1/5 in 1.2.3s",
     "stream error: x; retrying 1/5 in .s", f"stream error: x; retrying 1/5 in {'9' * 400}s"],
    ids=range(4),
)  # fmt: skip
def test_odd_numbers_in_words_raise_nothing(message: str) -> None:
    """Words that look like a retry and are none are a row like any other."""
    printed = lines(STARTED, {"type": "error", "message": message})
    assert facts(printed) == facts(printed, full=True)


def test_whole_messages_and_pieces_keep_apart() -> None:
    """A piece behind a whole message of gemini's begins a message of its own."""
    message = {"type": "message", "role": "assistant"} | TIME
    frames: list[dict[str, Any]] = [
        {"type": "init", "session_id": "g", "model": "m"} | TIME,
        message | {"content": "one"},
        message | {"content": "t", "delta": True},
        message | {"content": "two"},
        {"type": "tool_use", "tool_name": "t", "tool_id": "t1", "parameters": {}} | TIME,
        {"type": "tool_result", "tool_id": "t1", "status": "success"} | TIME,
        {"type": "result", "status": "success", "stats": {"total_tokens": 1}} | TIME,
    ]
    printed = lines(*frames)
    assert facts(printed) == facts(printed, full=True)


def test_a_step_told_again_after_many_parts() -> None:
    """Reasoning is remembered among the parts, whether its rows are asked for or not."""

    def part(kind: str, **more: Any) -> dict[str, Any]:
        inside = {"sessionID": "ses_1", "messageID": "msg_1"} | more
        return {"type": kind, "timestamp": 1, "sessionID": "ses_1", "part": inside}

    tokens = {"total": 10, "input": 5, "output": 5, "reasoning": 0}
    finish = part("step_finish", id="f", type="step-finish", reason="stop", tokens=tokens, cost=1)
    thoughts = [
        part("reasoning", id=f"r{number}", type="reasoning", text="z") for number in range(600)
    ]
    printed = lines(part("step_start", id="p", type="step-start"), finish, *thoughts, finish)
    assert facts(printed) == facts(printed, full=True)


def test_the_end_of_a_call_after_many_others() -> None:
    """A call of copilot's is counted by its begin, however many come before its end."""

    def frame(kind: str, name: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "data": {"model": "m"}, "id": name, "parentId": None} | TIME | more

    others = [frame("model.call_start", f"k{number}", agentId="a") for number in range(2200)]
    end = {"type": "result", "sessionId": "c", "exitCode": 0, "usage": {}} | TIME
    frames = [frame("assistant.turn_start", "t"), frame("model.call_start", "c"), *others,
              frame("model.call_finished", "f"), end]  # fmt: skip
    printed = lines(*frames)
    assert facts(printed) == facts(printed, full=True)
    assert 2201 == af.read(printed).model_calls


def test_a_prompt_behind_an_end() -> None:
    """A legacy prompt begins a turn, whoever asks for its row."""
    printed = b'{"id":"0","msg":{"type":"error","message":"x"}}\n{"prompt":"again"}\n'
    assert facts(printed) == facts(printed, full=True)
    assert "incomplete" == af.read(printed).outcome.status


def test_a_piece_behind_a_document() -> None:
    """What is said behind the end opens the run again, whoever asks for its row."""
    piece = {"type": "message", "role": "assistant", "content": "x", "delta": True} | TIME
    stats: dict[str, Any] = {"models": {"m": {"api": {}, "tokens": {}}}, "tools": {}, "files": {}}
    printed = lines({"response": "ok", "stats": stats}, piece)
    assert facts(printed) == facts(printed, full=True)
    assert "incomplete" == af.read(printed).outcome.status


# --- content that looks like a frame, slow and large inputs --------------------------------------

INNER = (
    b'{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"inner",'
    b'"duration_ms":1}'
)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (b'{"type":"user","tool_use_result":\n', b"}"),
        (b'{"type":"user","values":[\n', b"]}"),
        (b'{"type":"user","values":[\n', b',"next"]}'),
        (b'{"type":"user","tool_use_result":\n', b',"uuid":"u"}'),
        (b'{"type":"user","outer":{"inner":\n', b'},"uuid":"u"}'),
        (b'{"type":"user",\n"tool_use_result":', b"}"),
        (b'{"type":"user","text":"hel\nlo","tool_use_result":', b"}"),
    ],
    ids=range(7),
)
def test_content_of_a_frame_that_a_line_end_broke(before: bytes, behind: bytes) -> None:
    """What stands inside a frame ends no run, also where a log's line end parted the two (B6)."""
    run = af.read(lines(INIT, said("a", 1)) + before + INNER + behind + b"\n")
    assert ("incomplete", "a") == (run.outcome.status, run.final_text)


@pytest.mark.parametrize("filler", [b"\0", b",", b" ", b"\x1b[0m"])
@pytest.mark.parametrize("before", [b"", b'{"type":"turn.started"'])
def test_a_line_of_fillers_takes_little_memory(filler: bytes, before: bytes) -> None:
    """A hole of NULs, as a log has that was cut while it was written, costs no hundred times it."""
    printed = before + filler * (1_000_000 // len(filler)) + b"\n"
    tracemalloc.start()
    af.read(printed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * len(printed)


def test_the_same_bytes_are_the_same_facts_however_large(tmp_path: Path) -> None:
    """Who printed it is told from as much of a source whether it comes at once or from a file."""
    junk = b'{"level":"info","message":"something that no engine prints"}\n' * 5000
    printed = junk + lines(INIT, said("a", 1)) + INNER + b"\n"
    path = tmp_path / "run.jsonl"
    path.write_bytes(printed)
    told = facts(printed)
    assert told == [{**run, "source": None} for run in map(msgspec.to_builtins, af.read_all(path))]
    assert told == [msgspec.to_builtins(run) for run in af.read_all(printed.split(b"\n"))]
    assert ("claude", "success") == (told[-1]["engine"], told[-1]["outcome"]["status"])


def test_a_pipe_that_does_not_block_is_waited_for() -> None:
    """Nothing to read yet is no end: parents leave their pipes so."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def write() -> None:
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for frame in (STARTED, {"type": "turn.completed", "usage": {"output_tokens": 1}}):
                time.sleep(0.05)
                pipe.write(lines(frame))

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        run = af.read(pipe)
    writer.join()
    assert ("success", 2) == (run.outcome.status, run.frames.known)


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """A file's name may be any bytes, and still the facts can be written."""
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    path.write_bytes(lines(STARTED))
    run = af.read(path)
    assert "caf\ufffd.jsonl" == str(run.source)[-10:]
    assert b'"engine":"codex"' in run.to_json()


def test_a_frame_that_two_engines_take_for_theirs() -> None:
    """It was handed from one engine to the other and back, for ever; now it is unknown."""
    both = {"type": "tool_result", "timestamp": "2026-11-30T19:07:51.677Z", "tool_id": "a",
            "status": "odd", "sessionID": "ses_1", "part": {"type": "step-finish"}}  # fmt: skip
    opened = {"type": "step_start", "timestamp": 1, "sessionID": "ses_1",
              "part": {"type": "step-start", "id": "prt_1", "messageID": "msg_1"}}  # fmt: skip
    runs = af.read_all(lines(opened, both, opened))
    assert ["opencode", "gemini", "opencode"] == [run.engine for run in runs]
    assert 1 == sum(run.frames.unknown for run in runs)


def test_another_engine_in_a_document_that_is_fed_line_by_line() -> None:
    """The lines of an open document that were fed before are read again with the new engine."""
    opened = {"type": "step_start", "timestamp": 1, "sessionID": "ses_1",
              "part": {"type": "step-start", "id": "prt_1", "messageID": "msg_1"}}  # fmt: skip
    turn = {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}
    printed = lines(STARTED, opened) + b'{\n {"type":"turn.started"}\n' + lines(turn)
    assert events(printed) == events_by_lines(printed)
    assert ["codex", "opencode", "codex"] == [run.engine for run in af.read_all(printed)]
