# SPDX-License-Identifier: Apache-2.0
"""How Claude Code is run offline, by the values of its launches and calls; no CLI is run here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentframes.engines.claude import offline
from agentframes.engines.offline import (
    Answer,
    Ask,
    Asked,
    Call,
    Delegate,
    Edit,
    Item,
    Mcp,
    NativeCall,
    Other,
    Plan,
    Read,
    Search,
    Shell,
    Site,
    Turn,
    Write,
)

NEWEST, OLDEST = "2.1.332", "1.0.0"
PLAN = Plan(items=(Item(title="Read", status="completed"), Item(title="Report")))
TASK = Delegate(title="Count", prompt="SUBTASK: count")


def site(version: str = NEWEST) -> Site:
    """Return the place of a run."""
    return Site(
        cli="/opt/cli/claude",
        version=version,
        home="/w/home",
        project="/w/project",
        port=8001,
        mcp_command=("python3", "/t/tiny_mcp.py"),
    )


def asked(*tools: str, system: str = "", turn: str = "") -> Asked:
    """Return a request that offers some tools."""
    offered = dict.fromkeys(tools, "function")
    turns = [Turn("user", turn)] if turn else []
    return Asked(
        api="anthropic", model="m", tools=offered, system=system, turns=turns, stream=True, body={}
    )


def call(name: str, **arguments: Any) -> NativeCall:
    """Return a call with JSON arguments."""
    return NativeCall(name=name, arguments=arguments)


class TestLaunch:
    """The command line, the environment and the files."""

    def test_plain(self) -> None:
        """The prompt stands behind `-p`; the server is found by the environment."""
        told = offline.launch(Ask(prompt="Say ok."), site())
        assert told.argv == [
            "claude", "-p", "Say ok.", "--output-format", "stream-json", "--verbose",
            "--dangerously-skip-permissions",
        ]  # fmt: skip
        assert (told.stdin, told.single, list(told.files)) == (
            None,
            False,
            ["/w/home/.claude.json"],
        )
        assert told.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8001"
        assert told.env["ANTHROPIC_API_KEY"] == "dummy"

    @pytest.mark.parametrize(
        ("variant", "flags", "single"),
        [
            ("json", ["--output-format", "json"], True),
            ("json-verbose", ["--output-format", "json", "--verbose"], True),
            (
                "partial",
                ["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
                False,
            ),
            (
                "sonnet-4-5",
                ["--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"],
                False,
            ),
        ],
    )
    def test_variants(self, variant: str, flags: list[str], single: bool) -> None:  # noqa: FBT001
        """Each is a flag or two; the json modes print one document."""
        told = offline.launch(Ask(prompt="p", variant=variant, permission="none"), site())
        assert (told.argv[3:], told.single) == (flags, single)

    def test_old_versions_let_root_skip_nothing(self) -> None:
        """1.0.0 is told the tools, and knows no `--strict-mcp-config`."""
        told = offline.launch(Ask(prompt="p", mcp=True), site(OLDEST))
        assert told.argv[6:] == [
            "--allowedTools", "Bash,Read,Edit,Write,Task,TodoWrite,WebSearch,mcp__tiny",
            "--mcp-config", "/w/mcp.json",
        ]  # fmt: skip
        server = json.loads(told.files["/w/mcp.json"])["mcpServers"]["tiny"]
        assert server == {"type": "stdio", "command": "python3", "args": ["/t/tiny_mcp.py"]}

    def test_everything_else_that_is_asked(self) -> None:
        """Schema, limit and session; the CLI's own settings stay as it left them."""
        schema = {"type": "object"}
        ask = Ask(prompt="p", permission="none", schema=schema, max_turns=2, resume="abc")
        told = offline.launch(ask, site())
        assert told.argv[6:] == [
            "--json-schema", '{"type": "object"}', "--max-turns", "2", "--resume", "abc",
        ]  # fmt: skip
        assert told.files == {}

    def test_several_messages_stand_on_stdin(self) -> None:
        """One JSON line each, and no prompt in the arguments."""
        told = offline.launch(Ask(prompt="one", inputs=("one", "two")), site())
        assert told.argv[:4] == ["claude", "-p", "--input-format", "stream-json"]
        frames = [json.loads(line) for line in (told.stdin or "").splitlines()]
        assert [frame["message"]["content"][0]["text"] for frame in frames] == ["one", "two"]


class TestCalls:
    """What the model says."""

    @pytest.mark.parametrize(
        ("wanted", "said"),
        [
            (Shell("ls", "List"), call("Bash", command="ls", description="List")),
            (
                Shell("ls", seconds=2),
                call("Bash", command="ls", description="Run ls", timeout=2000),
            ),
            (Read("a.txt"), call("Read", file_path="/w/project/a.txt")),
            (
                Edit("a.txt", "b", "c"),
                call("Edit", file_path="/w/project/a.txt", old_string="b", new_string="c"),
            ),
            (Write("a.txt", "b"), call("Write", file_path="/w/project/a.txt", content="b")),
            (Mcp("add", {"a": 2}), call("mcp__tiny__add", a=2)),
            (Search("x"), call("WebSearch", query="x")),
            (Answer({"n": 3}), call("StructuredOutput", n=3)),
            (Other("no_such_tool", {"x": 1}), call("no_such_tool", x=1)),
        ],
    )
    def test_tools(self, wanted: Call, said: NativeCall) -> None:
        """Each call has its tool; paths are absolute."""
        assert said == offline.native(wanted, asked(), site())

    def test_a_plan_is_a_list_or_a_task(self) -> None:
        """Where tasks are made one by one, the first is."""
        listed = offline.native(PLAN, asked("TodoWrite"), site("2.1.50"))
        assert listed.name == "TodoWrite"
        assert listed.arguments == {
            "todos": [
                {"content": "Read", "status": "completed", "activeForm": "Read"},
                {"content": "Report", "status": "pending", "activeForm": "Report"},
            ]
        }
        made = call("TaskCreate", subject="Read", description="Read", activeForm="Read")
        assert made == offline.native(PLAN, asked("TaskCreate"), site())

    def test_a_task_has_two_names(self) -> None:
        """`Task` up to 2.1.50, then `Agent`, which waits."""
        arguments = {
            "description": "Count", "prompt": "SUBTASK: count", "subagent_type": "general-purpose",
        }  # fmt: skip
        assert call("Task", **arguments) == offline.native(TASK, asked("Task"), site("2.1.50"))
        wanted = call("Agent", **arguments, run_in_background=False)
        assert wanted == offline.native(TASK, asked("Agent"), site())

    def test_a_sleep_is_something_else_that_waits(self) -> None:
        """2.1.332 refuses a bare one."""
        waits = "timeout 30 tail -f notes.txt"
        wanted = call("Bash", command=waits, description=f"Run {waits}")
        assert wanted == offline.native(Shell("sleep 30"), asked(), site())
        older = offline.native(Shell("sleep 30"), asked(), site("2.1.220"))
        assert older == call("Bash", command="sleep 30", description="Run sleep 30")

    def test_deferred_tools_are_searched_for(self) -> None:
        """What is not offered is, where there is a search; a tool that there is not, never."""
        offered = asked("Bash", "ToolSearch")
        found = call("ToolSearch", query="select:mcp__tiny__add", max_results=5)
        assert found == offline.before(Mcp("add"), offered, site())
        both = call("ToolSearch", query="select:TodoWrite,TaskCreate", max_results=5)
        assert both == offline.before(PLAN, offered, site())
        for wanted in (Shell("ls"), Other("no_such_tool")):
            assert offline.before(wanted, offered, site()) is None
        assert offline.before(Mcp("add"), asked("Bash"), site()) is None
        assert offline.after([TASK], offered, site()) == []


def test_helpers_carry_no_tools_but_to_warm_up() -> None:
    """Titles and warm-ups are answered beside the conversation, a compaction is a part of it."""
    topic = asked(system="… isNewTopic …", turn="Say ok.")
    assert offline.helper(topic) == '{"isNewTopic": false, "title": null}'
    assert offline.helper(asked(turn="Warmup")) == "ok"
    assert offline.helper(asked("Bash", turn="Warmup")) == "ok"
    assert offline.helper(asked("Bash", turn="Warmup, please.")) is None
    assert offline.helper(asked(turn="Summarize this conversation.")) is None


@pytest.mark.parametrize(
    ("version", "ask", "calls", "why"),
    [
        (NEWEST, {}, [], None),
        (NEWEST, {}, [PLAN], "no tool for plans is offered to the default model"),
        (NEWEST, {"variant": "sonnet-4-5"}, [PLAN], None),
        ("2.1.220", {}, [PLAN], None),
        (
            "2.1.220",
            {"variant": "sonnet-4-5"},
            [],
            "the default model is offered what this model is",
        ),
        (NEWEST, {"full": True}, [], None),
        ("2.1.220", {"full": True}, [], "it compacts nothing, whatever usage the model tells"),
        ("2.0.77", {"schema": {}}, [], None),
        ("2.0.77", {"schema": {"type": "object"}}, [], "--json-schema came later"),
        (OLDEST, {"inputs": ("a", "b")}, [], "--input-format stream-json came later"),
        (OLDEST, {"variant": "partial"}, [], "--include-partial-messages came later"),
    ],
)
def test_what_it_cannot(
    version: str, ask: dict[str, Any], calls: list[Call], why: str | None
) -> None:
    """Flags and tools that came later, or went."""
    assert why == offline.cannot(Ask(prompt="p", **ask), calls, site(version))
