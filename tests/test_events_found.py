# SPDX-License-Identifier: Apache-2.0
"""Conversations that came out wrong once, each on the smallest input that showed it."""

from __future__ import annotations

import io
import json
from typing import Any

import agentframes as af
from agentframes.events.model import (
    ConversationEvent,
    NeedsInput,
    Status,
    TaskAgentMessage,
    ToolBurst,
)
from tests.captured import ROOT, capture, frames

CLAUDE = "claude/2.1.332/s03-shell"
INIT, RESULT = frames(capture(CLAUDE))[0], frames(capture(CLAUDE))[-1]


def lines(*wanted: dict[str, Any]) -> bytes:
    """Write frames as a CLI prints them."""
    return b"".join(json.dumps(frame).encode() + b"\n" for frame in wanted)


def assistant(
    message_id: str, *blocks: dict[str, Any], parent: str | None = None
) -> dict[str, Any]:
    """Make an assistant frame of claude."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": message_id, "type": "message", "role": "assistant", "model": "m",
               "content": blocks, "usage": usage}  # fmt: skip
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent,
            "session_id": "s", "uuid": message_id + str(len(blocks))}  # fmt: skip


def text(words: str) -> dict[str, Any]:
    """Make a block of text."""
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    """Make a block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given or {"command": "ls"}}


def ended(
    call_id: str, output: str = "x", *, failed: bool = False, parent: str | None = None
) -> dict[str, Any]:
    """Make the user frame that ends a call."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": output, "is_error": failed}
    message = {"role": "user", "content": [block]}
    return {"type": "user", "message": message, "parent_tool_use_id": parent, "session_id": "s",
            "uuid": "u"}  # fmt: skip


def made(printed: bytes) -> list[ConversationEvent]:
    """Return the events of all runs in what was printed."""
    return [event for run in af.read_all(printed, events=True) for event in run.events]


def said(told: list[ConversationEvent]) -> list[str]:
    """List what the main agent said."""
    return [event.body for event in told if isinstance(event, TaskAgentMessage)]


def calls(told: list[ConversationEvent]) -> list[tuple[str, str, str]]:
    """List the calls of all bursts, by id, name and status."""
    return [
        (one.id, one.name, one.status)
        for event in told
        if isinstance(event, ToolBurst)
        for one in event.calls
    ]


def test_the_last_account_stands_with_its_own_run() -> None:
    """It was told behind the next run's marker, and a run's missing end not at all."""
    ends = capture("codex/0.36.0/s27-empty")
    first, second = af.read_all(ends + ends, events=True)
    assert "metric.token" in [event.kind for event in first.events]
    assert ["runMarker", "system.status"] == [event.kind for event in second.events][:2]
    killed = capture("claude/2.1.332/s26-sigterm-tool")
    first, _ = af.read_all(killed + capture(CLAUDE), events=True)
    assert "The output ends without a terminal frame" == getattr(first.events[-1], "label", None)


def test_a_claude_run_forgets_the_one_before_it() -> None:
    """That a model had answered in the first run made the second's account unknown."""
    failed = capture("claude/2.1.332/s08-http500")
    runs = af.read_all(capture("claude/2.1.332/s26-sigterm-tool--partial") + failed)
    assert af.read(failed).usage == runs[-1].usage


def test_gemini_goes_on_behind_a_result_whose_begin_is_lost() -> None:
    """The facts alone said success."""
    printed = lines(
        {"type": "result", "timestamp": "2026-11-30T21:16:05.660Z", "status": "success",
         "stats": {"total_tokens": 2, "input_tokens": 1, "output_tokens": 1, "duration_ms": 1}},
        {"type": "init", "timestamp": "2026-11-30T21:19:12.471Z", "session_id": "g", "model": "m"},
        {"type": "message", "timestamp": "2026-11-30T21:19:13Z", "role": "assistant",
         "content": "second", "delta": True},
    )  # fmt: skip
    assert "incomplete" == af.read(printed).outcome.status
    assert "incomplete" == af.read(printed, events=True).outcome.status


def test_messages_without_an_id_are_two() -> None:
    """The second took the first one's place."""
    item = {"type": "item.completed", "item": {"type": "agent_message", "text": "one"}}
    other = {"type": "item.completed", "item": {"type": "agent_message", "text": "two"}}
    started = {"type": "thread.started", "thread_id": "t"}
    assert ["one", "two"] == said(made(lines(started, item, other)))


def test_messages_that_come_in_turns() -> None:
    """A message that goes on behind another keeps its first part."""
    told = made(
        lines(
            INIT, assistant("m", text("first")), assistant("n", text("second")),
            assistant("m", text("third")),
        )
    )  # fmt: skip
    assert ["first", "second", "third"] == said(told)


def test_an_id_that_is_used_again_is_another_call() -> None:
    """It overwrote the call that had ended; the same line twice is still one call."""
    begun, over = assistant("m", call("c")), ended("c")
    again = assistant("o", call("c", "Read", file_path="x"))
    told = made(lines(INIT, begun, over, assistant("n", text("b")), again, ended("c", failed=True)))
    assert [("c", "Bash", "ok"), ("c", "Read", "failed")] == calls(told)
    assert [("c", "Bash", "ok")] == calls(made(lines(INIT, begun, begun, over, begun, over)))


def test_a_call_that_runs_is_not_forgotten() -> None:
    """However many calls a sub-agent makes, its own call is found again."""
    inner = [assistant(f"s{n}", call(f"c{n}"), parent="T") for n in range(2500)]
    told = made(lines(INIT, assistant("m", call("T", "Task")), *inner, ended("T")))
    assert ("T", "Task", "ok") == calls(told)[0]
    assert 2501 == len(calls(told))


def test_an_exit_code_is_a_commands() -> None:
    """Words of another tool that look like one are not taken for it."""
    told = made(
        lines(
            INIT,
            assistant("m", call("a", "Read", file_path="x"), call("b")),
            ended("a", "Exit code 9\nx", failed=True),
            ended("b", "Exit code 7\nx", failed=True),
        )
    )
    (burst,) = [event for event in told if isinstance(event, ToolBurst)]
    assert [None, 7] == [one.exit_code for one in burst.calls]


def test_an_answer_behind_earlier_words() -> None:
    """It stands in the result alone, and is shown; one that was said is not shown again."""
    first = [INIT, assistant("m", text("I will look."), call("c")), ended("c")]
    assert ["I will look.", "42"] == said(made(lines(*first, RESULT | {"result": "42"})))
    repeated = [INIT, assistant("m", text("42")), RESULT | {"result": "42"}]
    assert ["42"] == said(made(lines(*repeated)))


def test_an_agent_ends_with_its_call() -> None:
    """Its unfinished call held its own burst, and all rows behind it, open."""
    reader = af.Reader(af.FrameSource("claude"))
    fed = lines(
        INIT, assistant("m", call("T", "Task")), assistant("s", call("c"), parent="T"),
        ended("T", "API Error", failed=True), assistant("n", text("after")),
    )  # fmt: skip
    rows = {event.id: event for event in reader.feed(fed)}
    assert [] == [event.id for event in rows.values() if event.open]
    assert [("T", "Task", "failed"), ("c", "Bash", "unfinished")] == calls(list(rows.values()))


def test_a_question_is_told_once() -> None:
    """The request to the host is the question that its call told already."""
    request = {"type": "control_request", "request_id": "r", "request": {
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": {},
        "tool_use_id": "c"}}  # fmt: skip
    ask = call("c", "AskUserQuestion", questions=[{"question": "Which?"}])
    told = made(lines(INIT, assistant("m", ask), request))
    assert [("Which?", "r", 1)] == [
        (event.question, event.request_id, event.revision)
        for event in told
        if isinstance(event, NeedsInput)
    ]


def test_utf_16_as_it_comes() -> None:
    """A pipe of UTF-16 is parted at its own line feeds."""
    printed = capture(CLAUDE)
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        wide = io.BytesIO(printed.decode().encode(encoding))
        rows = {event.id: event for event in af.stream(wide)}
        assert [one.to_dict() for one in af.stream(printed)] == [
            one.to_dict() for one in rows.values()
        ]


def test_an_answer_that_was_stopped_is_a_warning() -> None:
    """A refusal, a limit of tokens: what is shown is not all that was to be said."""
    refused = af.read(ROOT / "corpus/claude/2.1.332/s24-refusal").events
    assert [("warn", "The model refused, and its answer was taken back")] == warnings(refused)
    limited = af.read(ROOT / "corpus/claude/2.1.332/s23-maxtokens").events
    assert [("warn", "Output truncated")] == warnings(limited)
    ended_early = af.read(ROOT / "corpus/opencode/1.18.33/s23-maxtokens").events
    assert [("warn", "Run completed")] == warnings(ended_early)


def warnings(told: list[ConversationEvent]) -> list[tuple[str, str]]:
    """List the status rows that warn."""
    return [
        (event.severity, event.label)
        for event in told
        if isinstance(event, Status) and event.severity == "warn"
    ]


def test_a_time_is_the_frames_own() -> None:
    """Claude's terminal frame has none, and is not given another's."""
    last = af.read(ROOT / "corpus" / CLAUDE).events[-1]
    assert ("Run completed", None) == (getattr(last, "label", None), last.timestamp)


def test_a_finished_sub_agent_is_completed_in_every_engine() -> None:
    """Engines have words of their own for it."""
    names = ("claude/2.1.332", "codex/0.171.0", "copilot/1.0.102", "gemini/0.61.0",
             "opencode/1.18.33")  # fmt: skip
    for name in names:
        told = af.read(ROOT / "corpus" / name / "s17-subagent").events
        (burst, *_) = [event for event in told if isinstance(event, ToolBurst)]
        assert burst.calls[0].agent is not None
        assert "completed" == burst.calls[0].agent.status


def test_an_answer_that_breaks_off_is_taken_back_when_it_is_asked_for_again() -> None:
    """With partial messages its pieces are printed, and the second try says it anew."""
    told = af.read(ROOT / "corpus/claude/2.1.332/s11-disconnect--partial").events
    answers = [event for event in told if isinstance(event, TaskAgentMessage)]
    assert [("This answer breaks off i", True), ("ok after a cut stream", False)] == [
        (event.body, event.withdrawn) for event in answers
    ]
    assert ("warn", "Trying again, 1 of 10") in warnings(told)


def test_what_a_cut_output_had_is_told_in_bytes() -> None:
    """Claude keeps 192,000 bytes in a file, and shows the first of them."""
    told = af.read(ROOT / "corpus/claude/2.1.332/s14-large-output").events
    (cut,) = [event for event in told if getattr(event, "label", None) == "Output truncated"]
    assert isinstance(cut, Status)
    assert (cut.explanation or "").endswith("what is shown is not all of it. Before: 192000 bytes.")
