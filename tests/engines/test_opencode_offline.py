# SPDX-License-Identifier: Apache-2.0
"""How opencode is run offline, by the values of its launches and calls; no CLI is run here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

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
    Write,
)
from agentframes.engines.opencode import offline

NEWEST, OLDEST = "1.18.33", "1.0.0"
CONFIG = "/w/home/.config/opencode/opencode.json"
RUN = ["opencode", "run", "--format", "json", "-m", "fake/fake-model"]
DOWNLOADS = (
    "it downloads its provider's package: npm install @ai-sdk/openai-compatible@1.0 beside it"
)
MISSING = "ses_dd1af21abffea5Tk4YDW6NdBID"
# What the shell takes: a description is asked for up to 1.14.41.
PARAMETERS: dict[str, dict[str, Any]] = {
    NEWEST: {"command": {}, "timeout": {}, "workdir": {}},
    OLDEST: {"command": {}, "timeout": {}, "description": {}},
}


def site(version: str, cli: str = "/opt/cli/node_modules/.bin/opencode") -> Site:
    """Return the place of a run."""
    return Site(
        cli=cli,
        version=version,
        home="/w/home",
        project="/w/project",
        port=4096,
        mcp_command=("python3", "/t/tiny_mcp.py"),
    )


def ask(**told: Any) -> Ask:
    """Return what a scenario wants."""
    return msgspec.convert({"prompt": "Say ok.", **told}, Ask)


def asked(version: str, *tools: str, system: str = "") -> Asked:
    """Return a request that offers the shell and some other tools."""
    names = ("bash", *tools)
    shell = {"type": "object", "properties": PARAMETERS[version]}
    offered = [{"name": name, "parameters": shell if name == "bash" else {}} for name in names]
    return Asked(
        api="chat",
        model="fake-model",
        tools=dict.fromkeys(names, "function"),
        system=system,
        turns=[],
        stream=True,
        body={"tools": [{"type": "function", "function": one} for one in offered]},
    )


def config(launch: Launch) -> dict[str, Any]:
    """Return the configuration that a launch writes."""
    found: dict[str, Any] = json.loads(launch.files[CONFIG])
    return found


def test_launch() -> None:
    """A plain run: the prompt comes last, the environment keeps it from the network."""
    launch = offline.launch(ask(), site(NEWEST))
    assert [*RUN, "Say ok."] == launch.argv
    assert None is launch.stdin
    assert not launch.single
    assert {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_SHARE": "1",
    } == launch.env
    assert [CONFIG] == list(launch.files)


def test_the_configuration() -> None:
    """The provider is the model server, with prices that make costs."""
    model = {
        "name": "Fake model",
        "tool_call": True,
        "reasoning": True,
        "attachment": True,
        "cost": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
        "limit": {"context": 200000, "output": 32000},
    }
    assert {
        "autoupdate": False,
        "share": "disabled",
        "provider": {
            "fake": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Fake",
                "options": {"baseURL": "http://127.0.0.1:4096/v1", "apiKey": "dummy"},
                "models": {"fake-model": model},
            }
        },
    } == config(offline.launch(ask(), site(NEWEST)))


def test_what_stands_in_the_configuration_when_it_is_wanted() -> None:
    """An MCP server, and permissions."""
    told = config(offline.launch(ask(mcp=True, permission="none"), site(NEWEST)))
    command = ["python3", "/t/tiny_mcp.py"]
    assert {"tiny": {"type": "local", "command": command, "enabled": True}} == told["mcp"]
    assert {"bash": "deny", "edit": "ask"} == told["permission"]


@pytest.mark.parametrize(
    ("variant", "argv"),
    [
        ("", ["-s", "ses_1", "Say ok."]),
        ("thinking", ["--thinking", "-s", "ses_1", "Say ok."]),
        ("not-found", ["-s", MISSING, "Say ok."]),
    ],
)
def test_a_session_is_gone_on_with(variant: str, argv: list[str]) -> None:
    """By its id, or by one that there is not."""
    launch = offline.launch(ask(variant=variant, resume="ses_1"), site(NEWEST))
    assert [*RUN, *argv] == launch.argv


def test_variants_of_environment_and_configuration() -> None:
    """What no option tells."""

    def launched(variant: str) -> Launch:
        return offline.launch(ask(variant=variant), site(NEWEST))

    assert "/w/home/bin" == launched("no-ripgrep").env["PATH"]
    assert False is config(launched("no-snapshot"))["snapshot"]


def test_the_oldest_finds_its_provider_in_its_cache() -> None:
    """1.0.0 would download it."""
    launch = offline.launch(ask(), site(OLDEST))
    cache = "/w/home/.cache/opencode"
    module = f"{cache}/node_modules/@ai-sdk/openai-compatible"
    real = "/opt/cli/node_modules/@ai-sdk/openai-compatible/dist/index.mjs"
    assert "9" == launch.files[f"{cache}/version"]
    assert (
        '{"dependencies": {"@ai-sdk/openai-compatible": "latest"}}'
        == (launch.files[f"{cache}/package.json"])
    )
    assert f'export * from "{real}";\n' == launch.files[f"{module}/index.mjs"]
    assert "index.mjs" == json.loads(launch.files[f"{module}/package.json"])["main"]


@pytest.mark.parametrize(
    ("call", "name", "arguments"),
    [
        (Read(path="notes.txt"), "read", {"filePath": "/w/project/notes.txt"}),
        (
            Edit(path="notes.txt", old="beta", new="BETA"),
            "edit",
            {"filePath": "/w/project/notes.txt", "oldString": "beta", "newString": "BETA"},
        ),
        (
            Write(path="new.txt", content="a\n"),
            "write",
            {"filePath": "/w/project/new.txt", "content": "a\n"},
        ),
        (
            Plan(items=(Item(title="Read", status="completed"), Item(title="Report"))),
            "todowrite",
            {
                "todos": [
                    {"id": "1", "content": "Read", "status": "completed", "priority": "medium"},
                    {"id": "2", "content": "Report", "status": "pending", "priority": "medium"},
                ]
            },
        ),
        (
            Delegate(title="Count", prompt="SUBTASK: count"),
            "task",
            {"description": "Count", "prompt": "SUBTASK: count", "subagent_type": "general"},
        ),
        (Mcp(tool="add", arguments={"a": 2}), "tiny_add", {"a": 2}),
        (Search(query="formats"), "websearch", {"query": "formats"}),
        (Other(name="no_such_tool", arguments={"x": 1}), "no_such_tool", {"x": 1}),
    ],
)
@pytest.mark.parametrize("version", [NEWEST, OLDEST])
def test_native(version: str, call: Call, name: str, arguments: dict[str, Any]) -> None:
    """The tools have had the same names and parameters all the time."""
    told = offline.native(call, asked(version), site(version))
    assert NativeCall(name=name, arguments=arguments) == told


@pytest.mark.parametrize(
    ("version", "call", "arguments"),
    [
        (NEWEST, Shell(command="ls", title="List"), {"command": "ls"}),
        (OLDEST, Shell(command="ls", title="List"), {"command": "ls", "description": "List"}),
        (OLDEST, Shell(command="ls"), {"command": "ls", "description": "Run ls"}),
        (NEWEST, Shell(command="sleep 9", seconds=2), {"command": "sleep 9", "timeout": 2000}),
    ],
)
def test_the_shell(version: str, call: Shell, arguments: dict[str, Any]) -> None:
    """Only what it takes is told: a description, where it is asked for."""
    told = offline.native(call, asked(version), site(version))
    assert NativeCall(name="bash", arguments=arguments) == told


def test_a_structured_answer_is_text() -> None:
    """There is no tool for it."""
    told = offline.native(Answer(value={"answer": "ok", "n": 3}), asked(NEWEST), site(NEWEST))
    assert NativeCall(name="", arguments='{"answer": "ok", "n": 3}', kind="text") == told


def test_nothing_comes_before_a_call_and_nothing_behind() -> None:
    """No search for tools, no wait."""
    call = Shell(command="ls")
    assert None is offline.before(call, asked(NEWEST), site(NEWEST))
    assert [] == offline.after([call], asked(NEWEST), site(NEWEST))


def test_a_helper_is_offered_no_tools_and_asked_for_a_title() -> None:
    """The summary of a compaction is a step of the scenario."""
    title = msgspec.structs.replace(asked(NEWEST, system="You are a title generator."), tools={})
    summary = msgspec.structs.replace(title, system="Summarize the conversation.")
    assert "Fake title" == offline.helper(title)
    assert None is offline.helper(summary)
    assert None is offline.helper(asked(NEWEST, system="You are a title generator."))


@pytest.mark.parametrize(
    ("version", "told", "reason"),
    [
        ("0.5.29", {}, "`run --format json` came with 1.0"),
        (OLDEST, {}, DOWNLOADS),
        ("1.1.34", {}, "it downloads a list of models, and ends where it cannot"),
        (
            NEWEST,
            {"max_turns": 2},
            "no option ends a run after so many turns: the model is only asked to stop",
        ),
        (NEWEST, {"inputs": ("a", "b")}, "a run takes one message"),
        (
            NEWEST,
            {"prompt": "/compact"},
            "`run` has no such command: the model gets /compact as any prompt",
        ),
        (NEWEST, {"search": True}, "it searches at mcp.exa.ai, and nowhere else"),
        (
            "1.1.16",
            {"permission": "none"},
            "it asks for leave with a menu on stdout, and waits for ever",
        ),
        ("1.1.53", {"permission": "none"}, None),
        ("1.18.16", {"http": 500}, "it retries for ever"),
        ("1.18.17", {"http": 500}, None),
        ("1.14.41", {"cut": "always"}, "it retries for ever"),
        ("1.0.185", {"cut": "always"}, None),
        (
            "1.0.185",
            {"cut": "once"},
            "it does not retry where the connection breaks",
        ),
        ("1.1.11", {"cut": "once"}, None),
        ("1.0.185", {"variant": "no-ripgrep"}, None),
        (NEWEST, {"variant": "no-ripgrep"}, "it does not look for ripgrep at the start"),
        ("1.0.185", {"variant": "not-found", "resume": ""}, "it waits for ever"),
        (NEWEST, {"variant": "not-found", "resume": ""}, None),
        ("1.0.185", {}, None),
        (NEWEST, {"schema": {}, "mcp": True}, None),
    ],
)
def test_cannot(version: str, told: dict[str, Any], reason: str | None) -> None:
    """The reason, by version: of the first that can and the last that cannot."""
    assert reason == offline.cannot(ask(**told), [], site(version))


def test_the_oldest_can_with_its_provider_beside_it(tmp_path: Path) -> None:
    """It is installed by whoever wants to try it."""
    modules = tmp_path / "node_modules"
    (modules / "@ai-sdk/openai-compatible").mkdir(parents=True)
    there = site(OLDEST, cli=str(modules / ".bin/opencode"))
    assert None is offline.cannot(ask(), [], there)


def test_a_search_by_its_call_alone() -> None:
    """A scenario may call it without the word that it searches."""
    told = offline.cannot(ask(), [Search(query="formats")], site(NEWEST))
    assert "it searches at mcp.exa.ai, and nowhere else" == told
