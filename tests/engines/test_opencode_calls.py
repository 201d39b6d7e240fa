# SPDX-License-Identifier: Apache-2.0
"""What opencode's tool calls tell, by the captures that show it."""

from __future__ import annotations

from typing import Any

import pytest

from agentframes.engines.opencode import tools
from agentframes.signals import (
    Agent,
    FileChange,
    Media,
    Permission,
    Plan,
    PlanItem,
    ToolCall,
    ToolEnd,
    Truncated,
)
from tests.engines.opencode import VERSIONS, among, frames, only, signals
from tests.engines.support import told as values
from tests.frames import Frame, having, without

every_version = pytest.mark.parametrize("version", VERSIONS)


def call_of(name: str) -> Frame:
    """Return the first call of a capture of the newest version."""
    return next(frame for frame in frames(name) if frame["type"] == "tool_use")


def state(name: str, **changed: Any) -> Frame:
    """Return a call with fields of its state changed."""
    call = call_of(name)
    return having(call, part__state=call["part"]["state"] | changed)


class TestCommands:
    """Shell calls."""

    def test_what_is_called(self) -> None:
        """A call is told once, when it is over, with all that it was given."""
        (call,) = only("s03-shell", ToolCall)
        message = frames("s03-shell")[2]["part"]["messageID"]
        assert ("call_fake002_0", "bash", "execute", "echo hello", message, "whole") == values(
            call, "call_id", "name", "family", "title", "message_id", "mode"
        )
        assert call.input is not None
        assert {"command": "echo hello"} == call.input.decode()

    def test_how_it_ended(self) -> None:
        """Output, exit code and times stand in its state."""
        (end,) = only("s03-shell", ToolEnd)
        assert ("ok", 0, "hello\n", None, False) == values(
            end, "status", "exit_code", "output", "error", "truncated"
        )
        assert (1796065863797, 1796065864026, 229, 1796065864049) == values(
            end, "started_ms", "ended_ms", "duration_ms", "time_ms"
        )

    @every_version
    def test_exit_codes(self, version: str) -> None:
        """A command that exits with 3 is completed to opencode, and failed to everybody else."""
        ends = only("s04-parallel", ToolEnd, version)
        assert [("ok", 0), ("failed", 3), ("ok", 0)] == [
            values(end, "status", "exit_code") for end in ends
        ]

    @pytest.mark.parametrize("version", ["1.0.0", "1.0.185", "1.2.27", "1.14.41", "1.18.33"])
    def test_a_command_that_was_ended_has_failed(self, version: str) -> None:
        """To opencode it is completed, with an exit code of null (s36)."""
        (end,) = only("s36-timeout", ToolEnd, version)
        assert ("failed", None) == values(end, "status", "exit_code")

    def test_odd_states(self) -> None:
        """A state whose parts have another shape yields what it has."""
        for odd in ("text", [1], None, 5):
            (end,) = among(signals(state("s03-shell", metadata=odd)), ToolEnd)
            assert ("ok", None) == values(end, "status", "exit_code")
        (end,) = among(signals(state("s03-shell", metadata={"exit": "3"}, time=None)), ToolEnd)
        assert ("failed", 3, None, None) == values(
            end, "status", "exit_code", "started_ms", "duration_ms"
        )

    def test_output_that_was_cut(self) -> None:
        """No capture shows it: `truncated` true, and the file that has all of it."""
        cut = state("s03-shell", metadata={"truncated": True, "outputPath": "/out/tool_1"})
        found = signals(cut)
        (end,) = among(found, ToolEnd)
        assert (True, "/out/tool_1") == values(end, "truncated", "saved_to")
        (told,) = among(found, Truncated)
        assert ("tool_output", "call_fake002_0") == values(told, "what", "call_id")

    def test_a_call_without_an_id(self) -> None:
        """A call that lacks its id goes by its part's, or by its line."""
        call = call_of("s03-shell")
        part = without(call["part"], "callID")
        (told,) = among(signals(having(call, part=part)), ToolCall)
        assert part["id"] == told.call_id
        (told,) = among(signals(having(call, part=without(part, "id"))), ToolCall)
        assert "line 1" == told.call_id


class TestFiles:
    """Calls that touch files."""

    @every_version
    def test_changed_files(self, version: str) -> None:
        """Each call names its file and what it did to it."""
        folder = "/workspace/project"
        assert [
            [FileChange(path=f"{folder}/notes.txt", change="read")],
            [FileChange(path=f"{folder}/notes.txt", change="update")],
            [FileChange(path=f"{folder}/new.txt", change="add")],
        ] == [end.files for end in only("s05-edit", ToolEnd, version)]

    def test_a_file_that_was_there(self) -> None:
        """`write` on a file that exists changes it; where it does not say, it is no new one."""
        call = next(f for f in frames("s05-edit") if f["part"].get("tool") == "write")
        for metadata in ({"filepath": "/x", "exists": True}, {"filepath": "/x"}):
            (end,) = among(signals(having(call, part__state__metadata=metadata)), ToolEnd)
            assert [FileChange(path="/x", change="update")] == end.files

    def test_a_refused_call_touches_nothing(self) -> None:
        """A file that was not written is not named."""
        assert [[], []] == [end.files for end in only("s22-denied", ToolEnd)]


class TestRefused:
    """Calls that did not come to be."""

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_for_want_of_permission(self, version: str) -> None:
        """1.2.27 prints the error's name, later versions a sentence."""
        (_, end) = only("s22-denied", ToolEnd, version)
        (permission,) = only("s22-denied", Permission, version)
        assert ("denied", "call_fake003_0", "write", end.error) == values(
            permission, "phase", "call_id", "tool", "reason"
        )
        assert ("denied", "call_fake003_0") == values(end, "status", "call_id")

    def test_by_a_rule(self) -> None:
        """A rule that denies has another sentence; no capture shows it."""
        words = (
            "The user has specified a rule which prevents you from using this specific tool call"
        )
        (end,) = among(signals(state("s03-shell", status="error", error=words)), ToolEnd)
        assert "denied" == end.status

    def test_words_about_permission(self) -> None:
        """A tool that fails with words about permission was not refused."""
        found = signals(state("s03-shell", status="error", error="permission denied: /root"))
        assert ["failed"] == [end.status for end in among(found, ToolEnd)]
        assert [] == among(found, Permission)

    @every_version
    def test_of_a_tool_that_there_is_not(self, version: str) -> None:
        """`invalid` is no tool: nothing was called, and why is told."""
        assert [] == only("s32-unknown-tool", ToolCall, version)
        (end,) = only("s32-unknown-tool", ToolEnd, version)
        status, call_id, error = values(end, "status", "call_id", "error")
        assert ("invalid", True) == (status, call_id.startswith("call_fake00"))
        assert error.startswith("Model tried to call unavailable tool 'no_such_tool'.")


class TestMcp:
    """Tools of MCP servers."""

    @every_version
    def test_servers_and_tools(self, version: str) -> None:
        """Their names are put together of the server's and the tool's."""
        assert [("tiny", "add"), ("tiny", "fail"), ("tiny", "structured")] == [
            values(call, "server", "tool") for call in only("s12-mcp", ToolCall, version)
        ]
        assert {"mcp"} == {call.family for call in only("s12-mcp", ToolCall, version)}

    def test_a_tool_that_fails(self) -> None:
        """Its words are the error; 1.0.185 tells it as completed."""
        assert [("ok", "5", None), ("failed", None, "this tool always fails"),
                ("ok", '{"n": 42}', None)] == [
            values(end, "status", "output", "error") for end in only("s12-mcp", ToolEnd)
        ]  # fmt: skip
        assert ["ok", "ok", "ok"] == [e.status for e in only("s12-mcp", ToolEnd, "1.0.185")]

    def test_names_that_cannot_be_split(self) -> None:
        """With several underscores nobody knows where the server ends."""
        assert [("mcp", None, None), ("other", None, None), ("plan", None, None)] == [
            (tools.family(name), *tools.server_and_tool(name))
            for name in ("my_server_add", "newtool", "todowrite")
        ]


class TestBeyond:
    """What a call means beyond itself."""

    @every_version
    def test_plans(self, version: str) -> None:
        """`todowrite` holds the whole plan; its items have no ids."""
        first, second = only("s07-todo", Plan, version)
        assert [
            PlanItem(key="1", title="Read the notes", status="in_progress"),
            PlanItem(key="2", title="Change the notes", status="pending"),
            PlanItem(key="3", title="Report", status="pending"),
        ] == first.items
        assert ["completed", "completed", "in_progress"] == [item.status for item in second.items]
        assert {"snapshot"} == {first.mode, second.mode}

    def test_an_empty_plan(self) -> None:
        """A plan that was emptied is a plan; a call without one is none."""
        (plan,) = among(signals(state("s07-todo", metadata={"todos": []})), Plan)
        assert [] == plan.items
        assert [] == among(signals(state("s07-todo", metadata={})), Plan)

    @every_version
    def test_sub_agents(self, version: str) -> None:
        """A task tells its session, its kind and what it answered; 1.0.185 also its calls."""
        start, end = only("s17-subagent", Agent, version)
        (call,) = only("s17-subagent", ToolCall, version)
        prompt = "SUBTASK: count the lines of notes.txt and report the number."
        told = ("phase", "name", "prompt", "status", "summary")
        assert ("start", "general", prompt, None, None) == values(start, *told)
        assert ("end", "general", prompt, "ok", "notes.txt has 3 lines.") == values(end, *told)
        old = version == "1.0.185"
        assert (call.call_id, None if old else "fake-model", 1 if old else None) == values(
            end, "call_id", "model", "tool_calls"
        )
        assert start.agent_id == end.agent_id
        assert str(end.agent_id).startswith("ses_")
        assert end.duration_ms is not None
        assert (start.time_ms or 0) < (end.time_ms or 0)

    def test_images(self) -> None:
        """Attachments are data URLs; the data stays in the line."""
        first, second = only("s20-image", Media)
        assert ("call_fake002_0", "image/png", 69, "/workspace/project/pixel.png", None) == values(
            first, "owner", "media_type", "bytes", "path", "url"
        )
        assert ("call_fake003_0", "image/png", 69, None, None) == values(
            second, "owner", "media_type", "bytes", "path", "url"
        )
        assert "/part/state/attachments/0/url" == first.pointer

    def test_other_urls(self) -> None:
        """An attachment elsewhere is told by its URL, a data URL in plain text has no size."""
        attached = [{"mime": "a/b", "url": "https://x/y"}, {"url": "data:text/plain,x"}, {}, 5]
        found = among(signals(state("s20-image", attachments=attached)), Media)
        assert [("a/b", "https://x/y", None), (None, None, "/part/state/attachments/1/url"),
                (None, None, None), (None, None, None)] == [
            values(media, "media_type", "url", "pointer") for media in found
        ]  # fmt: skip
        assert [None] * 4 == [media.bytes for media in found]
