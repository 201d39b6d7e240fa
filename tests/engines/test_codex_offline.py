# SPDX-License-Identifier: Apache-2.0
"""How Codex is run offline, by the values of its launches and calls; no CLI is run here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentframes.engines.codex import offline
from agentframes.engines.offline import (
    Answer,
    Ask,
    Asked,
    Call,
    Delegate,
    Edit,
    Item,
    Launch,
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

NEWEST, OLDEST = "0.171.0", "0.20.0"
SHELL = {"name": "shell", "parameters": {"properties": {"command": {}, "timeout": {}}}}
SHELL_45 = {"name": "shell", "parameters": {"properties": {"command": {}, "timeout_ms": {}}}}
# What each offers: 0.20.0 to gpt-5, 0.45.0 to gpt-5-codex, 0.171.0 to gpt-5.5 (with what a search
# has found) and to gpt-5.6-sol.
OLD = {"shell": "function", "tiny__add": "function"}
MIDDLE = {"shell": "function", "apply_patch": "custom", "view_image": "function"}
NEW = {
    "exec_command": "function",
    "apply_patch": "custom",
    "view_image": "function",
    "tool_search": "tool_search",
    "web_search": "web_search",
}
FOUND = {
    "multi_agent_v1": "namespace",
    "spawn_agent": "namespace:multi_agent_v1",
    "wait_agent": "namespace:multi_agent_v1",
    "mcp__tiny": "namespace",
    "add": "namespace:mcp__tiny",
}
CODE = {
    "functions": "namespace",
    "exec": "namespace:functions",
    "wait": "namespace:functions",
    "collaboration": "namespace",
    "spawn_agent": "namespace:collaboration",
    "wait_agent": "namespace:collaboration",
}
EDITED = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-beta\n+BETA\n*** End Patch\n"
WRITTEN = "*** Begin Patch\n*** Add File: new.txt\n+a\n+b\n*** End Patch\n"
EDIT = Edit(path="notes.txt", old="beta", new="BETA")
WRITE = Write(path="new.txt", content="a\nb\n")
PLAN = Plan(items=(Item(title="Read", status="completed"), Item(title="Report")))
STEPS = [{"step": "Read", "status": "completed"}, {"step": "Report", "status": "pending"}]
TASK = Delegate(title="Count lines", prompt="SUBTASK: count")
ADD = Mcp(tool="add", arguments={"a": 2})


def site(version: str) -> Site:
    """Return the place of a run."""
    return Site(
        cli="/opt/cli/codex",
        version=version,
        home="/w/home",
        project="/w/project",
        port=4321,
        mcp_command=("/usr/bin/python3", "/opt/tools/tiny_mcp.py"),
    )


def asked(tools: dict[str, str], *turns: Turn, offered: tuple[dict[str, Any], ...] = ()) -> Asked:
    """Return a request."""
    return Asked(
        api="responses",
        model="m",
        tools=tools,
        system="",
        turns=list(turns),
        stream=True,
        body={"tools": list(offered)},
    )


def config(launch: Launch) -> dict[str, Any]:
    """Return the settings that a launch writes."""
    return tomllib.loads(launch.files["/w/home/.codex/config.toml"])


def function(name: str, namespace: str | None = None, **arguments: object) -> NativeCall:
    """Return a call with JSON arguments."""
    return NativeCall(name=name, arguments=arguments, namespace=namespace)


def code(text: str) -> NativeCall:
    """Return a call of code mode."""
    return NativeCall(name="exec", arguments=text, kind="custom")


class TestLaunch:
    """The command line, the environment and the files."""

    def test_plain(self) -> None:
        """The prompt is on stdin; the settings lead to the model server alone."""
        told = offline.launch(Ask(prompt="Say ok."), site(NEWEST))
        flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        assert ["codex", "exec", *flags, "-"] == told.argv
        assert ("Say ok.", False) == (told.stdin, told.single)
        assert {"FAKE_API_KEY": "dummy"} == told.env
        assert {
            "model": "gpt-5.5",
            "model_provider": "fake",
            "check_for_update_on_startup": False,
            "model_providers": {
                "fake": {
                    "name": "fake",
                    "base_url": "http://127.0.0.1:4321/v1",
                    "env_key": "FAKE_API_KEY",
                    "wire_api": "responses",
                }
            },
            "analytics": {"enabled": False},
        } == config(told)

    @pytest.mark.parametrize(
        ("version", "variant", "model"),
        [
            ("0.8.0", "", "gpt-5"),
            ("0.20.0", "", "gpt-5"),
            ("0.36.0", "", "gpt-5-codex"),
            ("0.45.0", "", "gpt-5-codex"),
            ("0.98.0", "", "gpt-5.2-codex"),
            ("0.146.0", "", "gpt-5.4"),
            ("0.171.0", "", "gpt-5.5"),
            ("0.171.0", "codemode", "gpt-5.6-sol"),
            ("0.146.0", "unknown-model", "gpt-4.1"),
            ("0.171.0", "unknown-model", "gpt-5.4"),
        ],
    )
    def test_model(self, version: str, variant: str, model: str) -> None:
        """The version and the variant decide the model's name."""
        told = offline.launch(Ask(prompt="p", variant=variant), site(version))
        assert model == config(told)["model"]

    def test_whole_conversation(self) -> None:
        """0.8.0 would leave what was said before to its provider."""
        told = [offline.launch(Ask(prompt="p"), site(version)) for version in ("0.8.0", OLDEST)]
        assert [True, None] == [config(one).get("disable_response_storage") for one in told]

    @pytest.mark.parametrize(
        "ask", [Ask(prompt="p", permission="none"), Ask(prompt="p", variant="codemode--readonly")]
    )
    def test_read_only(self, ask: Ask) -> None:
        """Where nothing is permitted there is the sandbox, and no bypass."""
        told = offline.launch(ask, site(NEWEST))
        assert ["--sandbox", "read-only", "-"] == told.argv[4:]

    def test_experimental_json(self) -> None:
        """The flag stands in the place of --json."""
        told = offline.launch(Ask(prompt="p", variant="experimental-json"), site("0.42.0"))
        assert ["codex", "exec", "--experimental-json"] == told.argv[:3]

    def test_resume(self) -> None:
        """The session's id stands behind the options."""
        told = offline.launch(Ask(prompt="p", resume="abc"), site(NEWEST))
        assert ["resume", "abc", "-"] == told.argv[5:]

    def test_resume_of_a_session_that_no_line_tells(self, tmp_path: Path) -> None:
        """What --json prints tells no session up to 0.42.0: the last that was kept is meant."""
        place = msgspec.structs.replace(site("0.42.0"), home=str(tmp_path))
        ask = Ask(prompt="p", resume="")
        assert ["resume", "--last", "-"] == offline.launch(ask, place).argv[5:]
        kept = tmp_path / ".codex" / "sessions" / "2026" / "12" / "01"
        kept.mkdir(parents=True)
        one, two = "83063d08-c3be-4cd4-9170-96f3298565f2", "01a231e6-573f-7bd2-bd59-e92e86d3a6e8"
        (kept / f"rollout-2026-12-01T13-58-02-{one}.jsonl").touch()
        (kept / f"rollout-2026-12-01T13-58-01-{two}.jsonl").touch()
        assert ["resume", one, "-"] == offline.launch(ask, place).argv[5:]

    def test_plan_tool(self) -> None:
        """Two versions offer the tool for plans by a flag alone."""
        flags = ["--include-plan-tool", "-"]
        assert flags == offline.launch(Ask(prompt="p"), site("0.45.0")).argv[5:]
        assert ["-"] == offline.launch(Ask(prompt="p"), site("0.49.0")).argv[5:]

    def test_schema(self) -> None:
        """The schema is a file beside the project."""
        told = offline.launch(Ask(prompt="p", schema={"type": "object"}), site(NEWEST))
        assert ["--output-schema", "/w/schema.json", "-"] == told.argv[5:]
        assert {"type": "object"} == json.loads(told.files["/w/schema.json"])

    def test_mcp(self) -> None:
        """The tiny server is a table of the settings."""
        told = config(offline.launch(Ask(prompt="p", mcp=True), site(NEWEST)))
        tiny = {"command": "/usr/bin/python3", "args": ["/opt/tools/tiny_mcp.py"]}
        assert {"tiny": tiny} == told["mcp_servers"]

    @pytest.mark.parametrize(
        ("version", "key", "value"),
        [("0.171.0", "web_search", "live"), ("0.42.0", "tools", {"web_search": True})],
    )
    def test_search(self, version: str, key: str, value: object) -> None:
        """How the web is opened changed."""
        told = config(offline.launch(Ask(prompt="p", search=True, mcp=True), site(version)))
        assert value == told[key]


class TestNative:
    """Calls as the model says them."""

    @pytest.mark.parametrize(
        ("call", "native"),
        [
            (Shell(command="ls"), function("shell", command=["bash", "-lc", "ls"])),
            (Read(path="notes.txt"), function("shell", command=["bash", "-lc", "cat notes.txt"])),
            (EDIT, function("shell", command=["apply_patch", EDITED])),
            (WRITE, function("shell", command=["apply_patch", WRITTEN])),
            (PLAN, function("update_plan", plan=STEPS)),
            (ADD, function("tiny__add", a=2)),
            (
                Search(query="q"),
                NativeCall(name="web_search", arguments={"query": "q"}, kind="web_search"),
            ),
            (Answer(value={"n": 3}), NativeCall(name="", arguments='{"n": 3}', kind="text")),
            (Other(name="no_such", arguments={"x": 1}), function("no_such", x=1)),
        ],
    )
    def test_oldest(self, call: Call, native: NativeCall) -> None:
        """0.20.0 has a shell, and a command in it for patches."""
        assert native == offline.native(call, asked(OLD), site(OLDEST))

    @pytest.mark.parametrize(
        ("call", "native"),
        [
            (Shell(command="ls", seconds=2), function("exec_command", cmd="ls")),
            (Read(path="notes.txt"), function("exec_command", cmd="cat notes.txt")),
            (Read(path="pixel.png"), function("view_image", path="/w/project/pixel.png")),
            (EDIT, NativeCall(name="apply_patch", arguments=EDITED, kind="custom")),
            (WRITE, NativeCall(name="apply_patch", arguments=WRITTEN, kind="custom")),
            (TASK, function("spawn_agent", "multi_agent_v1", message="SUBTASK: count")),
            (ADD, function("add", "mcp__tiny", a=2)),
            (
                Search(query="q"),
                NativeCall(name="web_search", arguments={"query": "q"}, kind="web_search"),
            ),
            (Answer(value={"n": 3}), NativeCall(name="", arguments='{"n": 3}', kind="text")),
            (Other(name="no_such", arguments={"x": 1}), function("no_such", x=1)),
        ],
    )
    def test_newest(self, call: Call, native: NativeCall) -> None:
        """0.171.0 has tools in namespaces, and patches as free text."""
        assert native == offline.native(call, asked(NEW | FOUND), site(NEWEST))

    @pytest.mark.parametrize(
        ("call", "native"),
        [
            (
                Shell(command='echo "ü"'),
                code(r'const r = await tools.exec_command({"cmd": "echo \"\u00fc\""}); text(r);'),
            ),
            (
                Read(path="pixel.png"),
                code(
                    'const r = await tools.view_image({"path": "/w/project/pixel.png"}); text(r);'
                ),
            ),
            (EDIT, code(f"const r = await tools.apply_patch({json.dumps(EDITED)}); text(r);")),
            (ADD, code('const r = await tools.mcp__tiny__add({"a": 2}); text(r);')),
            (
                TASK,
                function(
                    "spawn_agent",
                    "collaboration",
                    task_name="count_lines",
                    message="SUBTASK: count",
                ),
            ),
            (Other(name="no_such", arguments={"x": 1}), function("no_such", x=1)),
        ],
    )
    def test_code(self, call: Call, native: NativeCall) -> None:
        """In code mode all but sub-agents is reached through JavaScript."""
        assert native == offline.native(call, asked(CODE), site(NEWEST))

    @pytest.mark.parametrize(("shell", "limit"), [(SHELL, "timeout"), (SHELL_45, "timeout_ms")])
    def test_time_limit(self, shell: dict[str, Any], limit: str) -> None:
        """The limit's name is that of the offered tool."""
        request = asked(OLD, offered=({"type": "web_search"}, shell))
        native = offline.native(Shell(command="ls", seconds=2), request, site(OLDEST))
        assert {"command": ["bash", "-lc", "ls"], limit: 2000} == native.arguments

    def test_shell_command(self) -> None:
        """0.66.0 has a shell that takes a line."""
        tool = {"name": "shell_command", "parameters": {"properties": {"timeout_ms": {}}}}
        request = asked({"shell_command": "function"}, offered=(tool,))
        native = offline.native(Shell(command="ls", seconds=2), request, site("0.66.0"))
        assert function("shell_command", command="ls", timeout_ms=2000) == native

    def test_patch_tool_with_arguments(self) -> None:
        """Where `apply_patch` is a function, the patch is its input."""
        native = offline.native(EDIT, asked({"apply_patch": "function"}), site(OLDEST))
        assert function("apply_patch", input=EDITED) == native

    def test_patch_tool_with_text(self) -> None:
        """0.45.0 has the free-form tool beside the old shell."""
        native = offline.native(EDIT, asked(MIDDLE), site("0.45.0"))
        assert NativeCall(name="apply_patch", arguments=EDITED, kind="custom") == native


class TestBefore:
    """What must be called first."""

    @pytest.mark.parametrize(("call", "query"), [(ADD, "add"), (TASK, "spawn agent wait agent")])
    def test_search(self, call: Call, query: str) -> None:
        """A deferred tool is searched for, and no more once it was found."""
        found = NativeCall(
            name="tool_search", arguments={"query": query, "limit": 8}, kind="tool_search"
        )
        assert found == offline.before(call, asked(NEW), site(NEWEST))
        assert offline.before(call, asked(NEW | FOUND), site(NEWEST)) is None

    @pytest.mark.parametrize(
        ("call", "tools"),
        [
            (Shell(command="ls"), NEW),
            (Other(name="no_such"), NEW),
            (ADD, OLD),
            (ADD, CODE),
            (TASK, CODE),
        ],
    )
    def test_none(self, call: Call, tools: dict[str, str]) -> None:
        """All else is there at once; where there is no search, too."""
        assert offline.before(call, asked(tools), site(NEWEST)) is None


class TestAfter:
    """What is called to see a call through."""

    def test_wait(self) -> None:
        """A wait names all agents that the last results tell of, in order."""
        turns = [
            Turn("tool", '{"agent_id":"0"}'),
            Turn("assistant", "I delegate this."),
            Turn("tool", '{"agent_id":"a","nickname":"Leibniz"}'),
            Turn("tool", '{"agent_id": "b"}'),
        ]
        told = offline.after((TASK, TASK), asked(NEW | FOUND, *turns), site(NEWEST))
        wait = function("wait_agent", "multi_agent_v1", targets=["a", "b"], timeout_ms=30000)
        assert [wait] == told

    def test_wait_in_code_mode(self) -> None:
        """There a wait names nobody."""
        told = offline.after((TASK,), asked(CODE), site(NEWEST))
        assert [function("wait_agent", "collaboration", timeout_ms=30000)] == told

    def test_wait_by_the_older_name(self) -> None:
        """0.115.0 says `ids`, and has no namespace."""
        tool = {"name": "wait_agent", "parameters": {"properties": {"ids": {}}}}
        tools = {"spawn_agent": "function", "wait_agent": "function"}
        request = asked(tools, Turn("tool", '{"agent_id":"a"}'), offered=(tool,))
        told = offline.after((TASK,), request, site("0.115.0"))
        assert [function("wait_agent", ids=["a"], timeout_ms=30000)] == told

    @pytest.mark.parametrize("calls", [(TASK,), (Shell(command="ls"),), ()])
    def test_nothing(self, calls: tuple[Call, ...]) -> None:
        """Nothing is waited for where no agent began."""
        turn = Turn("tool", "spawn failed")
        assert [] == offline.after(calls, asked(NEW, turn), site(NEWEST))


class TestCannot:
    """What a version cannot do, and why."""

    @pytest.mark.parametrize(
        ("version", "ask", "calls", "why"),
        [
            ("0.0.2505291458", {}, (), "it has no `exec --json`"),
            (NEWEST, {"max_turns": 2}, (), "no flag limits the turns"),
            ("0.36.0", {"full": True}, (), "it compacts no conversation by itself"),
            (NEWEST, {"inputs": ("a", "b")}, (), "it takes one prompt"),
            (NEWEST, {"prompt": "/compact"}, (), "`exec` has no commands"),
            ("0.34.0", {"resume": ""}, (), "`exec resume` came with 0.36.0"),
            ("0.40.0", {"schema": {"type": "object"}}, (), "--output-schema came with 0.42.0"),
            ("0.40.0", {"variant": "experimental-json"}, (), "--experimental-json came with"),
            ("0.44.0", {"variant": "experimental-json"}, (), "--experimental-json is another"),
            ("0.143.0", {"variant": "codemode"}, (), "it does not know the model gpt-5.6-sol"),
            ("0.101.0", {"variant": "unknown-model"}, (), "it has no word for a model"),
            ("0.8.0", {}, (PLAN,), "no tool for plans is offered"),
            ("0.153.0", {}, (PLAN,), "no tool for plans is offered"),
            ("0.110.0", {}, (TASK,), "no tool for sub-agents is offered"),
            ("0.25.0", {}, (Read(path="a.png"),), "no tool for images is offered"),
            ("0.97.0", {}, (Shell(command="ls", seconds=2),), "the shell tool takes no time"),
        ],
    )
    def test_reason(
        self, version: str, ask: dict[str, Any], calls: tuple[Call, ...], why: str
    ) -> None:
        """The reason is told in a line."""
        told = offline.cannot(Ask(**{"prompt": "p", **ask}), calls, site(version))
        assert why == (told or "")[: len(why)]

    @pytest.mark.parametrize(
        ("version", "ask", "calls"),
        [
            ("0.8.0", {}, (Shell(command="ls", seconds=2), EDIT, WRITE, ADD)),
            (OLDEST, {}, (PLAN,)),
            ("0.27.0", {}, (Read(path="a.png"),)),
            ("0.36.0", {"resume": ""}, ()),
            ("0.92.0", {}, (Shell(command="ls", seconds=2),)),
            ("0.115.0", {}, (TASK,)),
            ("0.150.0", {}, (PLAN,)),
            ("0.42.0", {"full": True}, ()),
            ("0.42.0", {"schema": {"type": "object"}, "variant": "experimental-json"}, (PLAN,)),
            ("0.144.0", {"variant": "codemode"}, (Shell(command="ls"),)),
            ("0.146.0", {"variant": "unknown-model"}, (PLAN, TASK)),
            (NEWEST, {"variant": "codemode"}, (Read(path="a.txt"), ADD, TASK)),
        ],
    )
    def test_none(self, version: str, ask: dict[str, Any], calls: tuple[Call, ...]) -> None:
        """What it can is not refused."""
        assert offline.cannot(Ask(**{"prompt": "p", **ask}), calls, site(version)) is None


def test_no_helper() -> None:
    """`exec` asks for nothing beside the conversation."""
    assert offline.helper(asked(NEW)) is None
