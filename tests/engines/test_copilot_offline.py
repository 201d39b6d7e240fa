# SPDX-License-Identifier: Apache-2.0
"""How GitHub Copilot CLI is set up for captures: its command line, and calls in its words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentframes.engines.copilot import offline
from agentframes.engines.offline import (
    Answer,
    Api,
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
    Write,
)

PROJECT = "/workspace/project"
# As captured: gpt-5.4 is offered `apply_patch` from 1.0.12 on, a Claude model never.
OFFERED = {
    "gpt-5.4": {"bash": "function", "view": "function", "apply_patch": "custom", "sql": "function"},
    "claude-sonnet-4.5": {
        "bash": "function",
        "view": "function",
        "create": "function",
        "edit": "function",
        "sql": "function",
    },
}
HEAD = ["copilot", "--output-format", "json"]
COMMON = {
    "COPILOT_PROVIDER_API_KEY": "dummy",
    "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false",
}
BEFORE = {"COPILOT_ENABLE_ALT_PROVIDERS": "true", "COPILOT_AUTO_UPDATE": "false"}
OPENAI = BEFORE | {
    "COPILOT_AGENT_MODEL": "sweagent-openai:gpt-5.4",
    "OPENAI_API_KEY": "dummy",
    "OPENAI_BASE_URL": "http://127.0.0.1:8001/v1",
}
ANTHROPIC = BEFORE | {
    "COPILOT_AGENT_MODEL": "sweagent-anthropic:claude-sonnet-4.5",
    "ANTHROPIC_API_KEY": "dummy",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:8001",
}
RESPONSES = OPENAI | {"COPILOT_FEATURE_FLAGS": "copilot_swe_agent_enable_responses_api"}


def site(version: str = "1.0.102") -> Site:
    """Return a place to run in."""
    return Site(
        cli="/opt/cli/copilot",
        version=version,
        home="/workspace/home",
        project=PROJECT,
        port=8001,
        mcp_command=("/usr/bin/python3", "/opt/tools/tiny_mcp.py"),
    )


def asked(model: str = "gpt-5.4", api: Api = "chat") -> Asked:
    """Return a request with the tools that are offered to a model."""
    tools = OFFERED[model]
    return Asked(api=api, model=model, tools=tools, system="", turns=[], stream=True, body={})


def call(name: str, **arguments: Any) -> NativeCall:
    """Return a call with JSON arguments."""
    return NativeCall(name=name, arguments=arguments)


def patch(text: str) -> NativeCall:
    """Return a patch."""
    whole = f"*** Begin Patch\n{text}*** End Patch\n"
    return NativeCall(name="apply_patch", arguments=whole, kind="custom")


class TestLaunch:
    """How it is started."""

    def test_plain(self) -> None:
        """Chat Completions, everything allowed, and nothing to write first."""
        launch = offline.launch(Ask(prompt="Say ok."), site())
        assert launch.argv == [*HEAD, "--allow-all", "-p", "Say ok."]
        assert launch.env == COMMON | {
            "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:8001/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_MODEL": "gpt-5.4",
        }
        assert (launch.stdin, launch.single, launch.files) == (None, False, {})

    def test_anthropic(self) -> None:
        """The path of the wire form is the CLI's own there; the model's name chooses the tools."""
        launch = offline.launch(Ask(prompt="Say ok.", variant="stream-anthropic"), site())
        assert launch.argv == [*HEAD, "--allow-all", "-p", "Say ok."]
        assert launch.env == COMMON | {
            "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:8001",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_MODEL": "claude-sonnet-4.5",
        }

    def test_responses(self) -> None:
        """One more variable tells the other wire form of an OpenAI provider."""
        plain = offline.launch(Ask(prompt="Say ok."), site())
        launch = offline.launch(Ask(prompt="Say ok.", variant="stream-responses"), site())
        assert launch.argv == plain.argv
        assert launch.env == plain.env | {"COPILOT_PROVIDER_WIRE_API": "responses"}

    @pytest.mark.parametrize("version", ["0.0.423", "1.0.7"])
    @pytest.mark.parametrize(
        ("variant", "env"),
        [("", OPENAI), ("stream-anthropic", ANTHROPIC), ("stream-responses", RESPONSES)],
    )
    def test_before_there_were_providers(
        self, version: str, variant: str, env: dict[str, str]
    ) -> None:
        """Up to 1.0.7 an agent's name stands for the wire form and the model."""
        launch = offline.launch(Ask(prompt="Say ok.", variant=variant), site(version))
        assert launch.argv == [*HEAD, "--allow-all", "-p", "Say ok."]
        assert launch.env == env

    def test_the_first_with_providers(self) -> None:
        """1.0.10 is told as later ones are."""
        ask = Ask(prompt="Say ok.", variant="stream-responses")
        assert offline.launch(ask, site("1.0.10")).env == offline.launch(ask, site()).env

    def test_nothing_allowed(self) -> None:
        """Without the option, what needs a permission is denied."""
        launch = offline.launch(Ask(prompt="Try.", permission="none"), site())
        assert launch.argv == [*HEAD, "-p", "Try."]

    def test_resumed(self) -> None:
        """The session stands behind the prompt, as in the captures."""
        launch = offline.launch(Ask(prompt="Say second.", resume="8cc4ac2e"), site())
        assert launch.argv == [*HEAD, "--allow-all", "-p", "Say second.", "--resume=8cc4ac2e"]

    def test_mcp(self) -> None:
        """A file in the home folder tells the server, all of whose tools are offered."""
        launch = offline.launch(Ask(prompt="Use it.", mcp=True), site())
        (path, text), *others = launch.files.items()
        assert (path, others) == ("/workspace/home/.copilot/mcp-config.json", [])
        assert json.loads(text) == {
            "mcpServers": {
                "tiny": {
                    "type": "local",
                    "command": "/usr/bin/python3",
                    "args": ["/opt/tools/tiny_mcp.py"],
                    "tools": ["*"],
                }
            }
        }


PLAN = Plan((Item("Read", "completed"), Item("Don't", "in_progress"), Item("Report")))
QUERY = (
    "INSERT OR REPLACE INTO todos (id, title, status) VALUES"
    " ('t0', 'Read', 'done'), ('t1', 'Don''t', 'in_progress'), ('t2', 'Report', 'pending')"
)
SAME = [
    (Shell("ls", "List"), call("bash", command="ls", description="List")),
    (Shell("ls"), call("bash", command="ls", description="Run ls")),
    (Read("notes.txt"), call("view", path="/workspace/project/notes.txt")),
    (PLAN, call("sql", description="Track todos", query=QUERY)),
    (
        Delegate("SUBTASK: count.", "Count lines"),
        NativeCall(
            name="task",
            arguments={
                "description": "Count lines",
                "prompt": "SUBTASK: count.",
                "agent_type": "task",
                "name": "counter",
            },
        ),
    ),
    (Mcp("add", {"a": 2}), call("tiny-add", a=2)),
    (Answer({"n": 3}), NativeCall(name="", arguments='{"n": 3}', kind="text")),
    (Other("no_such_tool", {"x": 1}), call("no_such_tool", x=1)),
]


class TestNative:
    """Calls in the words of its tools."""

    @pytest.mark.parametrize("version", ["1.0.12", "1.0.102"])
    @pytest.mark.parametrize("model", sorted(OFFERED))
    @pytest.mark.parametrize(("given", "said"), SAME)
    def test_whatever_is_offered(
        self, given: Call, said: NativeCall, model: str, version: str
    ) -> None:
        """Most calls are the same for every version and model."""
        assert offline.native(given, asked(model), site(version)) == said

    @pytest.mark.parametrize(
        ("version", "api"),
        [
            ("1.0.12", "responses"),
            ("1.0.83", "chat"),
            ("1.0.102", "chat"),
            ("1.0.102", "responses"),
        ],
    )
    def test_patches(self, version: str, api: Api) -> None:
        """A patch names files from the project's folder; a new file's lines all begin with +."""
        offered, here = asked(api=api), site(version)
        edited = offline.native(Edit("notes.txt", "beta", "BETA\nB"), offered, here)
        written = offline.native(Write("new.txt", "first\n\nthird\n"), offered, here)
        assert edited == patch("*** Update File: notes.txt\n@@\n-beta\n+BETA\n+B\n")
        assert written == patch("*** Add File: new.txt\n+first\n+\n+third\n")

    @pytest.mark.parametrize("version", ["1.0.12", "1.0.24"])
    def test_patches_that_a_chat_cannot_stream(self, version: str) -> None:
        """The patch is an object's `input`: as free text it is taken for a broken stream."""
        written = offline.native(Write("new.txt", "first\n"), asked(), site(version))
        text = "*** Begin Patch\n*** Add File: new.txt\n+first\n*** End Patch\n"
        assert written == call("apply_patch", input=text)

    def test_edits_of_a_claude_model(self) -> None:
        """It is offered `edit` and `create`, which want whole paths."""
        offered = asked("claude-sonnet-4.5")
        path = "/workspace/project/notes.txt"
        edited = offline.native(Edit("notes.txt", "beta", "BETA"), offered, site())
        written = offline.native(Write("notes.txt", "first\n"), offered, site())
        assert edited == call("edit", path=path, old_str="beta", new_str="BETA")
        assert written == call("create", path=path, file_text="first\n")

    def test_nothing_comes_before_or_after(self) -> None:
        """All tools are in the request, and each call is seen through by its own result."""
        given = Mcp("add", {"a": 2})
        assert offline.before(given, asked(), site()) is None
        assert offline.after([given], asked(), site()) == []
        assert offline.helper(asked()) is None


class TestCannot:
    """What it cannot do."""

    def test_can(self) -> None:
        """The rest it can, in every version."""
        ask = Ask(prompt="Say ok.", schema={"type": "object"}, mcp=True, permission="none")
        assert offline.cannot(ask, [Answer({}), PLAN, Shell("ls")], site("0.0.423")) is None
        assert offline.cannot(ask, [Delegate("x")], site("1.0.10")) is None
        assert offline.cannot(Ask(prompt="/compact"), [], site("1.0.52")) is None

    def test_reasons(self) -> None:
        """Each reason says what is missing."""
        told = [
            offline.cannot(Ask(prompt="x", full=True), [], site()),
            offline.cannot(Ask(prompt="x", max_turns=2), [], site()),
            offline.cannot(Ask(prompt="x", inputs=("x", "y")), [], site()),
            offline.cannot(Ask(prompt="x", search=True), [], site()),
            offline.cannot(Ask(prompt="x"), [Search("y")], site()),
            offline.cannot(Ask(prompt="x"), [Shell("ls"), Shell("sleep 9", seconds=2)], site()),
            offline.cannot(Ask(prompt="x"), [], site("0.0.420")),
            offline.cannot(Ask(prompt="/compact"), [], site("1.0.50")),
            offline.cannot(Ask(prompt="x"), [Delegate("y")], site("1.0.7")),
        ]
        assert told == [
            "it has the conversation summed up beside it, and prints nothing of that",
            "no option limits the turns of a run",
            "no option takes several messages from stdin",
            "no web search is offered offline",
            "no web search is offered offline",
            "its shell has no time limit: after 30 s or more a command goes on by itself",
            "--output-format json came with 0.0.422",
            "/compact is text for the model: as a command it came with 1.0.52",
            "a sub-agent asks for an account up to 1.0.7, whatever provider there is",
        ]
