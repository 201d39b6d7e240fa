# SPDX-License-Identifier: Apache-2.0
"""What the lines of Codex's legacy transport mean, by the captures that show it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from agentframes.signals import (
    Begin,
    End,
    FileChange,
    Input,
    Notice,
    Plan,
    Reasoning,
    Retry,
    Text,
    ToolCall,
    ToolEnd,
    ToolOutput,
    Turn,
    Usage,
)
from tests.engines.support import drive, drive_frames, every, only, told
from tests.frames import capture, having

OLD, NEW = "codex/0.20.0", "codex/0.42.0"
VERSIONS = [OLD, "codex/0.25.0", "codex/0.36.0", NEW]


def message(kind: str, **fields: Any) -> dict[str, Any]:
    """Write a line that no capture shows."""
    return {"id": "0", "msg": {"type": kind, **fields}}


@pytest.mark.parametrize("version", VERSIONS)
class TestEveryVersion:
    """What holds from 0.20.0 to 0.42.0."""

    def test_settings_and_prompt_open_the_run(self, version: str) -> None:
        """The first line tells model, folder and sandbox, the second what the human asked."""
        name = f"{version}/s03-shell"
        (begin,) = only(name, Begin)
        assert ("start", "/workspace/project", "danger-full-access", None) == told(
            begin, "why", "cwd", "permission_mode", "session_id"
        )
        assert begin.model in ("gpt-5", "gpt-5-codex")
        assert [("human", "Run echo hello and report.")] == every(name, Input, "origin", "text")
        assert "legacy" == drive(name).interpreter.transport

    def test_calls_tell_duration_and_exit_code(self, version: str) -> None:
        """A command's end has its code, its duration and both of its streams."""
        ends = only(f"{version}/s04-parallel", ToolEnd)
        found = sorted(told(end, "status", "exit_code", "output", "error") for end in ends)
        assert [
            ("failed", 3, "out\nbad\n", None),
            ("ok", 0, "one\n", None),
            ("ok", 0, "three\n", None),
        ] == found
        assert all(end.duration_ms and 0 < end.duration_ms < 1000 for end in ends)

    def test_output_deltas_are_text(self, version: str) -> None:
        """A piece of output names its call and its stream."""
        (call, end) = only(f"{version}/s03-shell", ToolCall), only(f"{version}/s03-shell", ToolEnd)
        assert [(call[0].call_id, "stdout", "append", "hello\n")] == every(
            f"{version}/s03-shell", ToolOutput, "call_id", "stream", "mode", "text"
        )
        assert {"command": ["bash", "-lc", "echo hello"]} == told(call[0], "input")[0]
        assert call[0].call_id == end[0].call_id

    def test_files_of_a_patch(self, version: str) -> None:
        """A patch's end names the files that its begin told, and the input holds the change."""
        name = f"{version}/s05-edit"
        edits = [end.files for end in only(name, ToolEnd) if end.kind.endswith("patch_apply_end")]
        assert [
            [FileChange(path="/workspace/project/notes.txt", change="update")],
            [FileChange(path="/workspace/project/new.txt", change="add")],
        ] == edits
        given = [call.input for call in only(name, ToolCall) if call.family == "edit"]
        assert given[1] is not None
        changes = {"/workspace/project/new.txt": {"add": {"content": "first\nsecond\n"}}}
        assert {"changes": changes} == given[1].decode()

    def test_messages_and_reasoning(self, version: str) -> None:
        """Lines of one run have ids that do not meet."""
        name = f"{version}/s06-reasoning"
        texts, thoughts = only(name, Text), only(name, Reasoning)
        assert ["Done: hello."] == [text.text.text() for text in texts]
        assert 2 == len(thoughts)
        ids = {text.message_id for text in texts} | {thought.message_id for thought in thoughts}
        assert 3 == len(ids)

    def test_plans(self, version: str) -> None:
        """A plan is told whole at each change, with a status of its own for what is begun."""
        statuses = [
            [item.status for item in plan.items] for plan in only(f"{version}/s07-todo", Plan)
        ]
        assert [
            ["in_progress", "pending", "pending"],
            ["completed", "completed", "in_progress"],
        ] == statuses

    def test_a_failure_ends_the_run(self, version: str) -> None:
        """Five retries are told, and then the error that is final."""
        name = f"{version}/s08-http500"
        assert [1, 2, 3, 4, 5] == [retry.attempt for retry in only(name, Retry)]
        assert [("failed", "api_error")] == every(name, End, "status", "reason")
        assert [("start",), ("failed",)] == every(name, Turn, "phase")


class TestUsage:
    """Counts of tokens."""

    def test_up_to_0_25_each_call_is_counted(self) -> None:
        """The counts stand in the message, one for each call of the model."""
        assert {("step", "run", "msg.token_count")} == set(
            every(f"{OLD}/s16-multistep", Usage, "account", "scope", "native_path")
        )

    def test_later_the_process_is_counted(self) -> None:
        """Totals of the process are told again and again."""
        path = "msg.token_count.info.total_token_usage"
        assert {("running", "run", path)} == set(
            every(f"{NEW}/s16-multistep", Usage, "account", "scope", "native_path")
        )


class TestCalls:
    """What differs between calls."""

    @pytest.mark.parametrize("version", [OLD, NEW])
    def test_mcp_calls(self, version: str) -> None:
        """A failed tool answers as any other, with a mark; a structured answer is kept."""
        names = ("status", "output", "error", "structured")
        words = "this tool always fails"
        assert [
            ("ok", "5", None, None),
            ("failed", words, words, None),
            ("ok", '{"n": 42}', None, {"n": 42}),
        ] == every(f"{version}/s12-mcp", ToolEnd, *names)
        assert [("tiny", "add", "mcp")] == every(
            f"{version}/s12-mcp", ToolCall, "server", "tool", "family"
        )[:1]

    def test_a_server_that_fails(self) -> None:
        """An MCP server's failure is told as `Err`; no capture shows one."""
        end = next(f for f in capture(f"{NEW}/s12-mcp") if "mcp_tool_call_end" in str(f))
        sink = drive_frames("codex", having(end, msg__result={"Err": "no server"}))
        assert [("failed", None, "no server")] == [
            told(s, "status", "output", "error") for s in sink.signals if isinstance(s, ToolEnd)
        ]

    def test_a_web_search_is_told_again_with_its_query(self) -> None:
        """The query stands in the end alone."""
        name = f"{NEW}/s31-websearch"
        assert [(None,), ({"query": "agent output formats"},)] == every(name, ToolCall, "input")
        assert [("ok",)] == every(name, ToolEnd, "status")

    def test_a_patch_that_failed(self) -> None:
        """Its words stand on stderr, and no file has changed."""
        names = ("status", "exit_code", "error", "files")
        assert ("failed", None, "Failed to write file forbidden2.txt\n", []) == (
            every(f"{OLD}/s22-denied", ToolEnd, *names)[1]
        )

    def test_a_time_limit(self) -> None:
        """0.42.0 tells the time limit before the output, 0.20.0 as the output."""
        names = ("status", "exit_code", "output", "error")
        assert [("failed", 124, "start\n", "command timed out after 1002 milliseconds")] == every(
            f"{NEW}/s36-timeout", ToolEnd, *names
        )
        assert [("failed", -1, "sandbox error: command timed out", None)] == every(
            f"{OLD}/s36-timeout", ToolEnd, *names
        )

    def test_a_killed_run_leaves_its_call_open(self) -> None:
        """A command that still ran has no end."""
        assert 1 == len(only(f"{NEW}/s26-sigterm-tool", ToolCall))
        assert [] == only(f"{NEW}/s26-sigterm-tool", ToolEnd)

    def test_a_character_may_be_cut_between_two_pieces(self) -> None:
        """Pieces of one stream of one call are decoded as one text."""
        data = "é".encode()
        pieces = [base64.b64encode(part).decode() for part in (data[:1], data[1:])]
        delta = "exec_command_output_delta"
        sink = drive_frames(
            "codex",
            message(delta, call_id="a", stream="stdout", chunk=pieces[0]),
            message(delta, call_id="a", stream="stderr", chunk="YQ=="),
            message(delta, call_id="a", stream="stdout", chunk=pieces[1]),
            message(delta, call_id="a", stream="stdout", chunk={"not": "bytes"}),
        )
        texts = [signal.text.text() for signal in sink.signals if isinstance(signal, ToolOutput)]
        assert ["", "a", "é", ""] == texts


def test_retries_came_as_background_events() -> None:
    """0.20.0 tells retries so; other background events are no errors."""
    assert [401] * 5 == [retry.status for retry in only(f"{OLD}/s09-http401", Retry)]
    sink = drive_frames("codex", message("background_event", message="indexing"))
    assert [("info", "Notice", "indexing")] == [
        told(s, "severity", "label", "text") for s in sink.signals if isinstance(s, Notice)
    ]
