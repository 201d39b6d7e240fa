# SPDX-License-Identifier: Apache-2.0
"""What Gemini CLI's frames mean: every sort of frame, from real captures."""

from __future__ import annotations

from typing import TypeVar

import pytest

from agentframes.signals import (
    Agent,
    Begin,
    Buckets,
    End,
    FileChange,
    Input,
    ModelCall,
    Native,
    Notice,
    Permission,
    Plan,
    Reasoning,
    Retyped,
    Signal,
    Text,
    ToolCall,
    ToolEnd,
    Truncated,
    Turn,
    Usage,
)
from tests.engines.support import drive_frames
from tests.frames import Frame, capture, having, without

SHELL = "gemini/0.61.0/s03-shell"
NOW = "gemini/0.61.0"


S = TypeVar("S", bound=Signal)


def told(*frames: Frame | list[Frame]) -> list[Signal]:
    """Read frames to all of their signals."""
    lists = [frame if isinstance(frame, list) else [frame] for frame in frames]
    return drive_frames("gemini", *(frame for some in lists for frame in some)).signals


def of(kind: type[S], signals: list[Signal]) -> list[S]:
    """Pick the signals of one sort."""
    return [signal for signal in signals if isinstance(signal, kind)]


def document(name: str) -> Frame:
    """Return the document of a capture in json mode."""
    (value,) = capture(f"{NOW}/{name}--json")
    return value


def test_a_session_begins() -> None:
    """`init` tells session and model, and the native session."""
    begin, native, *_ = told(capture(SHELL))
    assert isinstance(begin, Begin)
    assert ("init", "2f92ff83-d1ca-4bf7-ab26-f3945b8e7b20", "gemini-2.5-pro", "start") == (
        begin.kind, begin.session_id, begin.model, begin.why,
    )  # fmt: skip
    assert (1796065642477, 1) == (begin.time_ms, begin.at.first)
    assert isinstance(native, Native)
    assert (begin.session_id, False) == (native.session_id, native.terminal)


def test_the_prompt_is_a_humans_word() -> None:
    """`message` of the role user is what the run was asked."""
    (said,) = of(Input, told(capture(SHELL)))
    assert ("message/user", "human", "Run echo hello and report.", None) == (
        said.kind, said.origin, said.text.text(), said.agent,
    )  # fmt: skip


def test_messages_come_in_pieces() -> None:
    """Pieces on both sides of a call are two messages."""
    texts = of(Text, told(capture(SHELL)))
    assert [
        ("message-3", "I will run it."),
        ("message-6", "The command printed hell"),
        ("message-6", "o."),
    ] == [(text.message_id, text.text.text()) for text in texts]
    assert {("message/assistant", "delta", 0)} == {
        (text.kind, text.mode, text.part) for text in texts
    }


def test_a_whole_message_replaces_its_pieces() -> None:
    """Where `delta` is not true the content is whole; no capture shows it, the typings allow it."""
    *before, piece, more, end = capture(SHELL)
    whole = having(more, content="The command printed hello.", delta=False)
    signaled = told(before, piece, whole, without(more, "delta"), end)
    assert ["delta", "whole", "whole"] == [text.mode for text in of(Text, signaled)[1:]]
    assert ["message-6", "message-6", "message-8"] == [
        text.message_id for text in of(Text, signaled)[1:]
    ]
    native = of(Native, signaled)[-1]
    assert "The command printed hello.o." == (native.final_text and native.final_text.text())


def test_a_shell_call() -> None:
    """A call, its input, its output and its end."""
    signaled = told(capture(SHELL))
    (call,), (end,) = of(ToolCall, signaled), of(ToolEnd, signaled)
    assert ("run_shell_command", "execute", "tool_use", "whole") == (
        call.name, call.family, call.kind, call.mode,
    )  # fmt: skip
    assert {"command": "echo hello", "description": "Print hello"} == (
        call.input and call.input.decode()
    )
    assert (call.call_id, "ok", "hello", None, None) == (
        end.call_id, end.status, end.output and end.output.text(), end.error, end.exit_code,
    )  # fmt: skip
    assert (1796065643970, None) == (end.ended_ms, end.started_ms)


@pytest.mark.parametrize("version", ["0.24.5", "0.38.2", "0.47.0", "0.51.0", "0.61.0"])
def test_a_command_that_fails_is_no_failure(version: str) -> None:
    """The command exits 3: the CLI calls it a success and tells no exit status anywhere."""
    ends = of(ToolEnd, told(capture(f"gemini/{version}/s04-parallel")))
    assert [("ok", None)] * 3 == [(end.status, end.exit_code) for end in ends]
    output = None if version == "0.38.2" else "out\nbad"  # shows no output of commands
    assert output == (ends[1].output and ends[1].output.text())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("gemini/0.15.4/s03-shell", "invalid"),  # invalid_tool_params
        ("gemini/0.61.0/s22-denied", "invalid"),  # tool_not_registered
        ("gemini/0.61.0/s32-unknown-tool", "invalid"),
        ("gemini/0.24.5/s12-mcp", "failed"),  # mcp_tool_error
    ],
)
def test_calls_that_went_wrong(name: str, kind: str) -> None:
    """The error's type tells a call that could not be made from one that failed."""
    frames = capture(name)
    errors = [frame["error"]["message"] for frame in frames if frame.get("error")]
    ends = [end for end in of(ToolEnd, told(frames)) if end.status != "ok"]
    assert [(kind, error) for error in errors] == [(end.status, end.error) for end in ends]


def test_a_call_that_policy_denied() -> None:
    """`policy_violation` is a refusal, and said so."""
    frames = capture(f"{NOW}/s22-denied")
    denied = [
        having(frame, error__type="policy_violation") if "error" in frame else frame
        for frame in frames
    ]
    signaled = told(denied)
    assert ["denied", "denied"] == [end.status for end in of(ToolEnd, signaled)]
    assert [("denied", "run_shell_command"), ("denied", "write_file")] == [
        (permission.phase, permission.tool) for permission in of(Permission, signaled)
    ]
    assert [] == of(Permission, told(frames))


def test_a_cancelled_call() -> None:
    """It says success; an error beside it gives it away."""
    frames = capture(SHELL)
    error = {"type": "unknown", "message": "User did not allow tool call"}
    (end,) = of(ToolEnd, told(frames[:4], having(frames[4], error=error), frames[5:]))
    assert ("cancelled", "User did not allow tool call") == (end.status, end.error)


@pytest.mark.parametrize("version", ["0.15.4", "0.24.5", "0.38.2", "0.47.0", "0.51.0", "0.61.0"])
def test_files(version: str) -> None:
    """Files are told by the calls that touched them, once these are over."""
    signaled = told(capture(f"gemini/{version}/s05-edit"))
    assert [("read_file", "read"), ("replace", "edit"), ("write_file", "edit")] == [
        (call.name, call.family) for call in of(ToolCall, signaled)
    ]
    assert [
        FileChange(path="/workspace/project/notes.txt", change="read"),
        FileChange(path="/workspace/project/notes.txt", change="update"),
        FileChange(path="/workspace/project/new.txt", change="update"),
    ] == [change for end in of(ToolEnd, signaled) for change in end.files]


def test_files_of_a_failed_call_are_untouched() -> None:
    """A call that was not made touches nothing."""
    assert [[], []] == [end.files for end in of(ToolEnd, told(capture(f"{NOW}/s22-denied")))]


@pytest.mark.parametrize("version", ["0.15.4", "0.24.5", "0.38.2", "0.47.0", "0.51.0", "0.61.0"])
def test_plans(version: str) -> None:
    """`write_todos` tells the whole plan each time."""
    plans = of(Plan, told(capture(f"gemini/{version}/s07-todo")))
    assert [
        ["in_progress", "pending", "pending"],
        ["completed", "completed", "in_progress"],
    ] == [[item.status for item in plan.items] for plan in plans]
    assert ["1 Read the notes", "2 Change the notes", "3 Report"] == [
        f"{item.key} {item.title}" for item in plans[0].items
    ]
    assert ["snapshot", "snapshot"] == [plan.mode for plan in plans]


@pytest.mark.parametrize(
    ("version", "called", "name"),
    [
        ("0.15.4", "codebase_investigator", "codebase_investigator"),
        ("0.24.5", "delegate_to_agent", "codebase_investigator"),
        ("0.38.2", "generalist", "generalist"),
        ("0.47.0", "invoke_agent", "generalist"),
        ("0.61.0", "invoke_agent", "generalist"),
    ],
)
def test_sub_agents(version: str, called: str, name: str) -> None:
    """A sub-agent begins with its call and ends with it; its steps are not printed."""
    signaled = told(capture(f"gemini/{version}/s17-subagent"))
    (call,) = of(ToolCall, signaled)
    assert (called, "agent") == (call.name, call.family)
    start, end = of(Agent, signaled)
    asked = "SUBTASK: count the lines of notes.txt and report the number."
    assert ("start", name, call.call_id, asked) == (
        start.phase, start.name, start.call_id, start.prompt,
    )  # fmt: skip
    assert ("end", name, call.call_id, "success") == (
        end.phase, end.name, end.call_id, end.status,
    )  # fmt: skip
    assert {None} == {signal.agent for signal in signaled}


def test_mcp_tools() -> None:
    """``mcp_SERVER_TOOL`` names both; before 0.38 a tool bears its own name and nothing more."""
    newer = of(ToolCall, told(capture(f"{NOW}/s12-mcp")))
    assert [("mcp", "tiny", "add"), ("mcp", "tiny", "fail"), ("mcp", "tiny", "structured")] == [
        (call.family, call.server, call.tool) for call in newer
    ]
    older = of(ToolCall, told(capture("gemini/0.24.5/s12-mcp")))
    assert [("add", "other", None), ("fail", "other", None), ("structured", "other", None)] == [
        (call.name, call.family, call.server) for call in older
    ]


def test_an_error_is_a_row() -> None:
    """An `error` frame ends nothing by itself; its severity is kept."""
    signaled = told(capture(f"{NOW}/s27-empty"))
    (notice,) = of(Notice, signaled)
    assert ("error", "error", "Error", "error") == (
        notice.kind, notice.severity, notice.label, notice.category,
    )  # fmt: skip
    assert [notice.text] == [end.message for end in of(End, signaled)]


def test_a_loop_is_a_warning() -> None:
    """Loop detection has a label of its own."""
    error = capture(f"{NOW}/s27-empty")[2]
    words = "Loop detected, stopping execution"
    (notice,) = of(Notice, told(having(error, severity="warning", message=words)))
    assert ("warn", "Loop detected", "loop", words) == (
        notice.severity, notice.label, notice.category, notice.text,
    )  # fmt: skip


def test_truncation() -> None:
    """An answer that was cut is told so: by the words of 0.61.0, and by a runner's own frame."""
    error = capture(f"{NOW}/s27-empty")[2]
    words = "Model response was truncated because it exceeded the token limit. Try /compress."
    (cut,) = of(Truncated, told(having(error, message=words)))
    assert ("answer", "error") == (cut.what, cut.kind)
    (runner,) = of(Truncated, told({"type": "truncation", "timestamp": error["timestamp"]}))
    assert ("answer", "truncation") == (runner.what, runner.kind)


def test_the_result() -> None:
    """Account, native values and end, in this order; thoughts are what the total has besides."""
    usage, native, end = told(capture(SHELL))[-3:]
    assert isinstance(usage, Usage)
    assert isinstance(native, Native)
    assert isinstance(end, End)
    buckets = Buckets(input=3203, cache_read=512, output=39, reasoning=5)
    assert (buckets, "final", "run", "included", "result.stats", True) == (
        usage.buckets, usage.account, usage.scope, usage.subagents, usage.native_path,
        usage.cache_in_input,
    )  # fmt: skip
    assert {"gemini-2.5-pro": buckets} == {
        name: model.buckets for name, model in (usage.models or {}).items()
    }
    assert (True, 3754, 1.649, None, "joined_deltas") == (
        native.terminal, native.tokens, native.wall_seconds, native.cost_usd,
        native.final_text_source,
    )  # fmt: skip
    assert ("success", "completed", 1649, 1796065644126, None, None) == (
        end.status, end.reason, end.wall_ms, end.time_ms, end.turns, end.tool_calls,
    )  # fmt: skip


def test_what_gemini_does_not_tell_is_not_made_up() -> None:
    """Neither turns nor calls of the model nor thoughts are signals of their own."""
    signaled = told(capture(f"{NOW}/s06-reasoning"))
    assert [] == [signal for signal in signaled if isinstance(signal, (Turn, ModelCall, Reasoning))]


def test_a_document() -> None:
    """The one object of json mode: begin, account, what was used, answer, end."""
    value = document("s12-mcp")
    signaled = told(value)
    assert [Begin, Usage, Notice, Text, Native, End] == [type(signal) for signal in signaled]
    assert {"(document)"} == {signal.kind for signal in signaled}
    (used,) = of(Notice, signaled)
    assert "mcp_tiny_add: 1 (1 failed)\nmcp_tiny_fail: 1 (1 failed)\nmcp_tiny_structured: 1" == (
        used.text
    )
    (text,) = of(Text, signaled)
    assert ("whole", value["response"]) == (text.mode, text.text.text())
    (end,) = of(End, signaled)
    assert (3, 3, 443, {"lines_added": 0, "lines_removed": 0}, None) == (
        end.model_calls, end.tool_calls, end.api_ms, end.code_changes, end.wall_ms,
    )  # fmt: skip


def test_warnings_of_a_document() -> None:
    """Typings have `warnings`: each is a row, a loop among them."""
    value = document("s01-text")
    value["warnings"] = ["Loop detected, stopping execution", "Careful."]
    notices = of(Notice, told(value))
    assert [("warn", "Loop detected"), ("warn", "Warning")] == [
        (notice.severity, notice.label) for notice in notices
    ]


def test_retyped_fields_are_read_and_told() -> None:
    """Numbers as strings, null for an object: read leniently, and told by type only."""
    *before, end = capture(SHELL)
    odd = having(end, stats__total_tokens="3754", stats__models=None)
    signaled = told(before, odd)
    (retyped,) = of(Retyped, signaled)
    assert ("stats.total_tokens", "integer | null", "string") == (
        retyped.field, retyped.expected, retyped.found,
    )  # fmt: skip
    assert (3754, None) == (of(Native, signaled)[-1].tokens, of(Usage, signaled)[0].models)
