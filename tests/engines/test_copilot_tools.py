# SPDX-License-Identifier: Apache-2.0
"""Copilot's tool calls: the signals of its captures, by their values."""

from __future__ import annotations

import pytest

from agentframes.signals import (
    End,
    FileChange,
    Media,
    Permission,
    ToolCall,
    ToolEnd,
    ToolOutput,
)
from tests.engines.copilot_captures import frames, only, raw
from tests.frames import having, printed

NEW = ["1.0.83", "1.0.102"]
OLD = ["1.0.12", "1.0.30"]
new = pytest.mark.parametrize("version", NEW)
every = pytest.mark.parametrize("version", [*OLD, *NEW])


def ends(name: str) -> dict[str, ToolEnd]:
    """Return how each call of a capture ended."""
    return {end.call_id: end for end in only(ToolEnd, raw(name))}


class TestTools:
    """Calls of tools."""

    @pytest.mark.parametrize(
        ("name", "tool", "family"),
        [
            ("s03-shell", "bash", "execute"),
            ("s05-edit", "view", "read"),
            ("s05-edit", "apply_patch", "edit"),
            ("s07-todo", "sql", "plan"),
            ("s12-mcp", "tiny-add", "mcp"),
            ("s17-subagent", "task", "agent"),
            ("s32-unknown-tool", "no_such_tool", "other"),
        ],
    )
    @every
    def test_families(self, version: str, name: str, tool: str, family: str) -> None:
        """The engine's own table sets the family, in all tellings of a call."""
        calls = only(ToolCall, raw(f"{version}/{name}"))
        last = {call.call_id: call for call in calls}
        assert {family} == {call.family for call in last.values() if call.name == tool}

    def test_server_and_tool(self) -> None:
        """An MCP call names its server and the tool's name there."""
        call = only(ToolCall, raw("1.0.12/s12-mcp"))[-1]
        assert ("tiny-structured", "tiny", "structured") == (call.name, call.server, call.tool)

    @pytest.mark.parametrize(("version", "kind"), [("1.0.30", dict), ("1.0.102", str)])
    def test_free_form_input(self, version: str, kind: type) -> None:
        """`apply_patch` takes a text; up to 1.0.30 it stood in an object."""
        patch = next(
            call for call in only(ToolCall, raw(f"{version}/s05-edit"))
            if (call.name, call.mode) == ("apply_patch", "whole")
        )  # fmt: skip
        assert patch.input is not None
        assert kind is type(patch.input.decode())

    @every
    def test_exit_codes(self, version: str) -> None:
        """A command that exits 3 failed, whatever `success` says; its status is found."""
        told = ends(f"{version}/s04-parallel")
        assert {
            "call_fake001_0": ("ok", 0),
            "call_fake001_1": ("failed", 3),
            "call_fake001_2": ("ok", 0),
        } == {name: (end.status, end.exit_code) for name, end in told.items()}

    def test_exit_code_is_a_shells_alone(self) -> None:
        """A file that ends like a shell's output has no exit status."""
        found = frames("1.0.83/s05-edit")
        text = "<shellId: 0 completed with exit code 3>"
        changed = [
            having(frame, data__result__content=text)
            if frame["type"] == "tool.execution_complete" else frame
            for frame in found
        ]  # fmt: skip
        assert {("ok", None)} == {
            (end.status, end.exit_code) for end in only(ToolEnd, printed(changed))
        }

    @every
    def test_denied(self, version: str) -> None:
        """A refused call is told as denied, and its refusal with the tool's name."""
        name = f"{version}/s22-denied"
        assert ["denied", "denied"] == [end.status for end in ends(name).values()]
        refused = only(Permission, raw(name))
        assert [("denied", "bash"), ("denied", "apply_patch")] == [
            (one.phase, one.tool) for one in refused
        ]
        assert 2 == only(End, raw(name))[0].denials

    @every
    def test_a_tool_that_does_not_exist(self, version: str) -> None:
        """The call is invalid, in the CLI's words."""
        [end] = ends(f"{version}/s32-unknown-tool").values()
        assert ("invalid", "Tool 'no_such_tool' does not exist.") == (end.status, end.error)

    @every
    def test_failed_mcp_call(self, version: str) -> None:
        """A tool that reports failure failed, and its words are the error."""
        end = ends(f"{version}/s12-mcp")["call_fake002_0"]
        assert ("failed", "MCP server 'tiny': this tool always fails") == (end.status, end.error)

    @new
    def test_structured_result(self, version: str) -> None:
        """A structured result is given beside its text."""
        structured = ends(f"{version}/s12-mcp")["call_fake002_1"].structured
        assert structured is not None
        assert {"n": 42} == structured.decode()

    @every
    def test_files(self, version: str) -> None:
        """What was read, changed and created, by each version's own field."""
        project = "/workspace/project"
        assert [
            [FileChange(path=f"{project}/notes.txt", change="read")],
            [FileChange(path=f"{project}/notes.txt", change="update")],
            [FileChange(path=f"{project}/new.txt", change="add")],
        ] == [end.files for end in ends(f"{version}/s05-edit").values()]

    def test_output_is_told_once(self) -> None:
        """1.0.83 repeats all output so far; 1.0.102 tells each piece, and the repetition not."""
        repeated = only(ToolOutput, raw("1.0.83/s04-parallel"))
        assert {"snapshot"} == {output.mode for output in repeated}
        assert ["out\n", "out\nbad\n"] == [
            output.text.text() for output in repeated if output.call_id == "call_fake001_1"
        ]
        pieces = only(ToolOutput, raw("1.0.102/s04-parallel"))
        assert {"append"} == {output.mode for output in pieces}
        assert [("stdout", "out\n"), ("stderr", "bad\n")] == [
            (output.stream, output.text.text())
            for output in pieces if output.call_id == "call_fake001_1"
        ]  # fmt: skip

    @new
    def test_media(self, version: str) -> None:
        """Each binary once, though MCP results stand there twice."""
        assert [
            ("image/png", 69, "/data/result/binaryResultsForLlm/0/data"),
            ("image/png", 69, "/data/result/contents/1/data"),
            ("application/octet-stream", 16, "/data/result/contents/0/resource/blob"),
        ] == [
            (media.media_type, media.bytes, media.pointer)
            for media in only(Media, raw(f"{version}/s20-image"))
        ]

    @new
    def test_cancelled(self, version: str) -> None:
        """A call that a signal broke off is told as cancelled."""
        [end] = ends(f"{version}/s26-sigterm-tool--native").values()
        assert "cancelled" == end.status
