# SPDX-License-Identifier: Apache-2.0
"""What Codex's items mean, by the captures that show it."""

from __future__ import annotations

from typing import Any

import pytest

from agentframes.signals import (
    Agent,
    Begin,
    Buckets,
    End,
    FileChange,
    Media,
    Native,
    Notice,
    Plan,
    PlanItem,
    Reasoning,
    Retry,
    Text,
    ToolCall,
    ToolEnd,
    Turn,
    Usage,
)
from tests.engines.support import drive_frames, every, only, told
from tests.frames import capture, having

OLD, MIDDLE, NEW = "codex/0.45.0", "codex/0.146.0", "codex/0.171.0"
PREVIEW = "codex/0.42.0/{}--experimental-json"


def ends(*frames: dict[str, Any]) -> list[ToolEnd]:
    """Read frames, and return the ends of calls."""
    return [s for s in drive_frames("codex", *frames).signals if isinstance(s, ToolEnd)]


class TestCalls:
    """Calls of tools, and how they end."""

    @pytest.mark.parametrize("version", [OLD, MIDDLE, NEW])
    def test_commands_tell_exit_code_and_output(self, version: str) -> None:
        """Each call has its code and what it printed, both streams in one, in any order."""
        ends = only(f"{version}/s04-parallel", ToolEnd)
        found = sorted(told(end, "status", "exit_code", "error") for end in ends)
        assert [("failed", 3, None), ("ok", 0, None), ("ok", 0, None)] == found
        lines = {line for end in ends if end.output for line in end.output.text().splitlines()}
        assert {"out", "bad", "one", "three"} == lines

    def test_a_command_is_given_as_it_was_printed(self) -> None:
        """The input of a command is its line."""
        names = ("call_id", "name", "family", "input", "kind")
        kind = "item.started/command_execution"
        given = {"command": "/bin/bash -lc 'echo hello'"}
        assert [("item_1", "command_execution", "execute", given, kind)] == every(
            f"{NEW}/s03-shell", ToolCall, *names
        )

    def test_a_killed_run_leaves_its_call_open(self) -> None:
        """A command that still ran has no end."""
        name = f"{NEW}/s26-sigterm-tool"
        assert [("item_1",)] == every(name, ToolCall, "call_id")
        assert [] == only(name, ToolEnd)

    @pytest.mark.parametrize("version", [OLD, MIDDLE, NEW])
    def test_changed_files(self, version: str) -> None:
        """A patch names its files; up to 0.98 it is told when it is done, call and end at once."""
        found = [files for (files,) in every(f"{version}/s05-edit", ToolEnd, "files") if files]
        assert [
            [FileChange(path="/workspace/project/notes.txt", change="update")],
            [FileChange(path="/workspace/project/new.txt", change="add")],
        ] == found
        given = [call.input for call in only(f"{version}/s05-edit", ToolCall)][1]
        assert given is not None
        changes_given = [{"path": "/workspace/project/notes.txt", "kind": "update"}]
        assert {"changes": changes_given} == given.decode()

    def test_a_failed_patch_changes_no_file(self) -> None:
        """What a patch was to change is in its input, and not among the changed files."""
        frame = having(capture(f"{NEW}/s05-edit")[5], item__status="failed")
        (end,) = ends(frame)
        assert ("failed", []) == told(end, "status", "files")

    def test_a_declined_call_is_denied(self) -> None:
        """The status `declined`, which no capture shows, is a refusal."""
        frame = having(capture(f"{NEW}/s03-shell")[4], item__status="declined")
        assert ["denied"] == [end.status for end in ends(frame)]

    def test_mcp_calls(self) -> None:
        """A failed call has its words in the result; a structured result is kept."""
        names = ("status", "output", "error", "structured")
        words = "this tool always fails"
        for version in (MIDDLE, NEW):
            assert [
                ("ok", "5", None, None),
                ("failed", words, words, None),
                ("ok", '{"n": 42}', None, {"n": 42}),
            ] == every(f"{version}/s12-mcp", ToolEnd, *names)
        assert [
            ("add", "mcp", "tiny", "add", {"a": 2, "b": 3}),
            ("fail", "mcp", "tiny", "fail", {}),
            ("structured", "mcp", "tiny", "structured", {}),
        ] == every(f"{NEW}/s12-mcp", ToolCall, "name", "family", "server", "tool", "input")

    def test_an_mcp_call_that_never_got_there(self) -> None:
        """A server's failure is told in `error`, without a result; no capture shows one."""
        frame = having(
            capture(f"{NEW}/s12-mcp")[5], item__result=None, item__error={"message": "no server"}
        )
        (end,) = ends(frame)
        assert ("failed", None, "no server") == told(end, "status", "output", "error")

    @pytest.mark.parametrize("version", [MIDDLE, NEW])
    def test_a_web_search_is_told_again_with_its_query(self, version: str) -> None:
        """The query is empty at the start, and stands in the completed item."""
        inputs = [given for (given,) in every(f"{version}/s31-websearch", ToolCall, "input")]
        assert ["", "agent output formats"] == [given["query"] for given in inputs]
        assert ["other", "search"] == [given["action"]["type"] for given in inputs]
        assert [("ws_fake001", "ok")] == every(
            f"{version}/s31-websearch", ToolEnd, "call_id", "status"
        )

    def test_media_of_a_result(self) -> None:
        """An image and a resource of an MCP result stay in the raw line."""
        names = ("owner", "media_type", "bytes", "pointer", "url")
        base = "/item/result/content"
        assert [
            ("item_0", "image/png", 69, f"{base}/1/data", None),
            ("item_1", "application/octet-stream", 16, f"{base}/0/resource/blob", "tiny://blob"),
        ] == every(f"{MIDDLE}/s20-image", Media, *names)
        assert [("one red pixel",), (None,)] == every(f"{MIDDLE}/s20-image", ToolEnd, "output")


class TestAgents:
    """Sub-agents are threads."""

    @pytest.mark.parametrize("version", [MIDDLE, NEW])
    def test_a_sub_agent_is_paired_to_the_call_that_spawned_it(self, version: str) -> None:
        """Another call waits for it, and what that tells belongs to the first."""
        calls = [call.call_id for call in only(f"{version}/s17-subagent", ToolCall)]
        start, end = only(f"{version}/s17-subagent", Agent)
        assert ["item_1", "item_2"] == calls
        assert ("item_1", "start", "pending_init", None) == told(
            start, "call_id", "phase", "status", "summary"
        )
        assert ("item_1", "end", "completed", "notes.txt has 3 lines.") == told(
            end, "call_id", "phase", "status", "summary"
        )
        assert start.agent_id == end.agent_id
        assert "SUBTASK: count the lines of notes.txt and report the number." == start.prompt

    def test_a_wait_may_name_nobody(self) -> None:
        """Models with the JavaScript tool show the waiting only."""
        name = f"{NEW}/s17-subagent--codemode"
        assert [("wait", "agent")] == every(name, ToolCall, "name", "family")
        assert [] == only(name, Agent)


class TestThread:
    """Thread, turn, messages, plans and troubles."""

    def test_messages(self) -> None:
        """Each message is one part under its item's id, and the last one is the answer."""
        names = ("message_id", "part", "mode", "text")
        assert [
            ("item_0", 0, "whole", "I will run it."),
            ("item_2", 0, "whole", "The command printed hello."),
        ] == every(f"{NEW}/s03-shell", Text, *names)
        found = [n.final_text.text() for n in only(f"{NEW}/s03-shell", Native) if n.final_text]
        assert ["I will run it.", "The command printed hello."] == found

    def test_reasoning(self) -> None:
        """Summaries of reasoning are told apart from messages."""
        assert [
            ("item_0", "First I consider which command to run."),
            ("item_2", "The output says hello, so I can answer now."),
        ] == every(f"{NEW}/s06-reasoning", Reasoning, "message_id", "text")

    @pytest.mark.parametrize("name", [f"{MIDDLE}/s07-todo", PREVIEW.format("s07-todo")])
    def test_plans(self, name: str) -> None:
        """A list of todos is told whole each time; its items have no ids but their position."""
        titles = ("Read the notes", "Change the notes", "Report")
        snapshots = only(name, Plan)
        assert [("snapshot",)] * 3 == [told(plan, "mode") for plan in snapshots]
        assert [
            PlanItem(key=str(number), title=title, status="pending")
            for number, title in enumerate(titles, 1)
        ] == snapshots[0].items
        done = ["completed", "completed", "pending"]
        assert done == [item.status for item in snapshots[1].items]
        assert snapshots[1].items == snapshots[2].items

    def test_turns(self) -> None:
        """A turn starts and ends, or fails; a killed one does neither."""
        assert [("start",), ("end",)] == every(f"{NEW}/s03-shell", Turn, "phase")
        assert [("start",), ("failed",)] == every(f"{NEW}/s08-http500", Turn, "phase")
        assert [("start",)] == every(f"{NEW}/s25-sigterm-streaming", Turn, "phase")

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            (f"{NEW}/s08-http500", "api_error"),
            (f"{OLD}/s08-http500", "api_error"),
            (f"{MIDDLE}/s09-http401", "auth"),
            (f"{NEW}/s23-maxtokens", "max_tokens"),
        ],
    )
    def test_failures_name_their_cause(self, name: str, reason: str) -> None:
        """The failed turn's message tells why, as far as it does."""
        assert [("failed", reason)] == every(name, End, "status", "reason")

    def test_retries(self) -> None:
        """The words of an error tell a retry; the last error before the end is none."""
        names = ("attempt", "max", "delay_ms", "status")
        assert [(1, 5, None, 429), (2, 5, None, 429)] == every(f"{NEW}/s10-http429", Retry, *names)
        delays = [191.0, 378.0, 879.0, 1511.0, 3053.0]
        assert delays == [retry.delay_ms for retry in only(f"{OLD}/s08-http500", Retry)]
        assert [("error", "Error")] == every(f"{OLD}/s08-http500", Notice, "severity", "label")

    def test_an_error_item_is_a_warning(self) -> None:
        """A model without metadata is a status row, and the run succeeds."""
        name = f"{NEW}/s01-text--unknown-model"
        assert [("warn", "Warning")] == every(name, Notice, "severity", "label")
        assert [("success",)] == every(name, End, "status")

    def test_usage_is_told_in_disjoint_buckets(self) -> None:
        """Cached tokens are inside the native input, reasoning inside the output."""
        (usage,) = only(f"{NEW}/s03-shell", Usage)
        assert Buckets(input=3203, cache_read=512, cache_write=0, output=39, reasoning=5) == (
            usage.buckets
        )
        assert ("running", "thread", "excluded", True) == told(
            usage, "account", "scope", "subagents", "cache_in_input"
        )

    def test_the_preview_has_sessions_for_threads(self) -> None:
        """`session.created` opens a run, messages have another type, turns are not told."""
        name = PREVIEW.format("s03-shell")
        assert [("session.created",)] == every(name, Begin, "kind")
        kinds = {signal.kind for signal in only(name, Text)}
        assert {"item.completed/assistant_message"} == kinds
        assert [] == only(name, Turn)
