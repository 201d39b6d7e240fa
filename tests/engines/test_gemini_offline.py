# SPDX-License-Identifier: Apache-2.0
"""How Gemini CLI is started offline, and what its model must say; no CLI is run here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentframes.engines.gemini import offline
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
    Offline,
    Other,
    Plan,
    Read,
    Search,
    Shell,
    Site,
    Write,
)

NEW, OLD = "0.61.0", "0.15.4"
FULL = "it counts its context by itself, whatever the model's account says"
SETTINGS = "/h/.gemini/settings.json"
OFFERED = {
    NEW: (
        "read_file", "replace", "write_file", "run_shell_command", "google_web_search",
        "write_todos", "invoke_agent", "mcp_tiny_add", "mcp_tiny_fail",
    ),
    "0.38.2": ("run_shell_command", "generalist", "mcp_tiny_add"),
    "0.24.5": ("run_shell_command", "delegate_to_agent", "add"),
    OLD: (
        "read_file", "replace", "write_file", "run_shell_command", "google_web_search",
        "write_todos", "codebase_investigator", "add", "fail",
    ),
}  # fmt: skip
REPORT = {"type": "object", "properties": {"SummaryOfFindings": {"type": "string"}}}
RESPONSE = {
    "type": "object",
    "properties": {"response": {"type": "string"}},
    "required": ["response"],
}
SEARCH = Search(query="agent output formats")
PLAN = Plan(items=(Item(title="Read", status="completed"), Item(title="Report")))
TASK = Delegate(prompt="SUBTASK: count.", title="Count")


def site(version: str) -> Site:
    """Return where a version runs."""
    return Site(
        cli="/cli/gemini",
        version=version,
        home="/h",
        project="/p",
        port=4711,
        mcp_command=("/usr/bin/python3", "tiny.py"),
    )


def asked(*names: str, config: dict[str, Any] | None = None, **parameters: Any) -> Asked:
    """Make a request that offers tools; `parameters`: what one of them takes."""
    declared = [
        {"name": name, "parametersJsonSchema": {"type": "object", "properties": properties}}
        for name, properties in parameters.items()
    ]
    body = {"tools": [{"functionDeclarations": declared}], "generationConfig": config or {}}
    return Asked(
        api="gemini",
        model="gemini-2.5-pro",
        tools=dict.fromkeys((*names, *parameters), "function"),
        system="",
        turns=[],
        stream=True,
        body=body,
    )


def launch(version: str, **ask: Any) -> Launch:
    """Return how a version is started."""
    return offline.launch(Ask(prompt="Say ok.", **ask), site(version))


def settings(told: Launch) -> dict[str, Any]:
    """Read the settings that are written for it."""
    read: dict[str, Any] = json.loads(told.files[SETTINGS])
    return read


def test_it_tells_all_that_the_contract_asks_for() -> None:
    """The module is what the protocol says."""
    told: Offline = offline
    assert (told.package, told.program) == ("@google/gemini-cli", "gemini")
    assert set(told.variants) == {"json", "default-model"}


def test_the_plain_way() -> None:
    """Argv, environment and settings as in corpus/gemini/0.61.0/s01-text."""
    told = launch(NEW)
    assert told.argv == [
        "gemini", "-p", "Say ok.", "--output-format", "stream-json", "-m", "gemini-2.5-pro",
        "--yolo", "--skip-trust",
    ]  # fmt: skip
    assert (told.stdin, told.single) == (None, False)
    assert told.env == {
        "GEMINI_API_KEY": "dummy",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:4711",
    }
    assert settings(told) == {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    }


@pytest.mark.parametrize(
    ("version", "ask", "behind"),
    [
        (NEW, {"variant": "json"}, "json -m gemini-2.5-pro --yolo --skip-trust"),
        (NEW, {"variant": "default-model"}, "stream-json --yolo --skip-trust"),
        (NEW, {"variant": "default-model--json"}, "json --yolo --skip-trust"),
        (NEW, {"permission": "none"}, "stream-json -m gemini-2.5-pro --skip-trust"),
        (
            NEW,
            {"resume": "a-session"},
            "stream-json -m gemini-2.5-pro --yolo --skip-trust --resume latest",
        ),
        ("0.39.0", {}, "stream-json -m gemini-2.5-pro --yolo"),
        ("0.39.1", {}, "stream-json -m gemini-2.5-pro --yolo --skip-trust"),
        (OLD, {"resume": ""}, "stream-json -m gemini-2.5-pro --yolo --resume latest"),
    ],
)
def test_what_stands_behind_the_format(version: str, ask: dict[str, Any], behind: str) -> None:
    """Model, permission, trust and session."""
    told = launch(version, **ask)
    assert told.argv[:4] == ["gemini", "-p", "Say ok.", "--output-format"]
    assert told.argv[4:] == behind.split()
    assert told.single == ("json" in ask.get("variant", ""))


def test_limits_and_servers_stand_in_the_settings() -> None:
    """As s12-mcp and s21-maxturns were made."""
    told = settings(launch(NEW, mcp=True, max_turns=2))
    assert told["model"] == {"maxSessionTurns": 2}
    tiny = {"command": "/usr/bin/python3", "args": ["tiny.py"], "trust": True}
    assert told["mcpServers"] == {"tiny": tiny}


def test_the_router_of_the_oldest_versions_is_switched_off() -> None:
    """0.11.3 takes `-m gemini-2.5-pro` for a leave to choose."""
    assert settings(launch("0.11.3"))["experimental"] == {"useModelRouter": False}
    assert "experimental" not in settings(launch("0.11.3", variant="default-model"))
    assert "experimental" not in settings(launch("0.12.0"))


@pytest.mark.parametrize(
    ("call", "version", "name", "arguments"),
    [
        (
            Shell(command="echo hello", title="Print hello"),
            NEW,
            "run_shell_command",
            {"command": "echo hello", "description": "Print hello"},
        ),
        (Shell(command="echo hello"), OLD, "run_shell_command", {"command": "echo hello"}),
        (Read(path="notes.txt"), NEW, "read_file", {"file_path": "/p/notes.txt"}),
        (
            Edit(path="notes.txt", old="beta", new="BETA"),
            OLD,
            "replace",
            {
                "file_path": "/p/notes.txt",
                "old_string": "beta",
                "new_string": "BETA",
                "instruction": "Replace one line.",
            },
        ),
        (
            Write(path="new.txt", content="first\n"),
            NEW,
            "write_file",
            {"file_path": "/p/new.txt", "content": "first\n"},
        ),
        (
            PLAN,
            OLD,
            "write_todos",
            {
                "todos": [
                    {"description": "Read", "status": "completed"},
                    {"description": "Report", "status": "pending"},
                ]
            },
        ),
        (SEARCH, NEW, "google_web_search", {"query": "agent output formats"}),
        (
            TASK,
            NEW,
            "invoke_agent",
            {"agent_name": "generalist", "prompt": "SUBTASK: count."},
        ),
        (TASK, "0.38.2", "generalist", {"request": "SUBTASK: count."}),
        (
            TASK,
            "0.24.5",
            "delegate_to_agent",
            {"agent_name": "codebase_investigator", "objective": "SUBTASK: count."},
        ),
        (TASK, OLD, "codebase_investigator", {"objective": "SUBTASK: count."}),
        (Mcp(tool="add", arguments={"a": 2}), NEW, "mcp_tiny_add", {"a": 2}),
        (Mcp(tool="add", arguments={"a": 2}), OLD, "add", {"a": 2}),
        (Other(name="no_such_tool", arguments={"x": 1}), NEW, "no_such_tool", {"x": 1}),
    ],
)
def test_each_call_by_the_tools_that_are_offered(
    call: Call, version: str, name: str, arguments: dict[str, Any]
) -> None:
    """The newest and the oldest version, and those between where they differ."""
    request, place = asked(*OFFERED[version]), site(version)
    assert offline.native(call, request, place) == NativeCall(name=name, arguments=arguments)
    assert offline.before(call, request, place) is None


def test_a_structured_answer_is_text() -> None:
    """As in s18-schema."""
    told = offline.native(Answer(value={"answer": "ok", "n": 3}), asked(), site(NEW))
    assert (told.kind, told.arguments) == ("text", '{"answer": "ok", "n": 3}')


def test_a_command_that_is_not_offered_has_no_description() -> None:
    """As in s22-denied of all versions."""
    told = offline.native(Shell(command="touch x", title="Create"), asked("read_file"), site(NEW))
    assert told.arguments == {"command": "touch x"}


def test_reading_up_to_0_13_names_an_absolute_path() -> None:
    """The parameter is told from the tool's schema."""
    request = asked(read_file={"absolute_path": {"type": "string"}})
    told = offline.native(Read(path="pixel.png"), request, site("0.12.0"))
    assert told.arguments == {"absolute_path": "/p/pixel.png"}


def test_a_sub_agent_without_a_shell_reads_the_file() -> None:
    """As in s17-subagent of 0.15.4, by its total of two calls."""
    request = asked("read_file", "glob", "complete_task")
    told = offline.native(Shell(command="wc -l notes.txt"), request, site(OLD))
    assert told == NativeCall(name="read_file", arguments={"file_path": "/p/notes.txt"})


def test_a_sub_agent_reports() -> None:
    """With the result that its tool asks for; the main agent has no such tool."""
    calls = [Shell(command="wc -l notes.txt")]
    assert offline.after(calls, asked(*OFFERED[NEW]), site(NEW)) == []
    request = asked("run_shell_command", complete_task={"result": RESPONSE})
    (told,) = offline.after(calls, request, site(NEW))
    assert told.name == "complete_task"
    assert told.arguments == {"result": {"response": "notes.txt has 3 lines."}}
    (told,) = offline.after(calls, asked("glob", complete_task={"report": REPORT}), site(OLD))
    assert isinstance(told.arguments, dict)
    assert told.arguments["report"]["SummaryOfFindings"] == "notes.txt has 3 lines."


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (  # 0.15.4 to 0.61.0
            {
                "type": "OBJECT",
                "properties": {
                    "reasoning": {"type": "STRING"},
                    "model_choice": {"type": "STRING", "enum": ["flash", "pro"]},
                },
                "required": ["reasoning", "model_choice"],
            },
            {"reasoning": "ok", "model_choice": "flash"},
        ),
        (
            {
                "type": "OBJECT",
                "properties": {
                    "complexity_reasoning": {"type": "STRING"},
                    "complexity_score": {"type": "INTEGER"},
                },
                "required": ["complexity_reasoning", "complexity_score"],
            },
            {"complexity_reasoning": "ok", "complexity_score": 10},
        ),
        (
            {
                "type": "object",
                "properties": {
                    "again": {"type": "boolean"},
                    "facts": {"type": "array", "items": {"type": "string"}},
                },
            },
            {"again": False, "facts": []},
        ),
    ],
)
@pytest.mark.parametrize("key", ["responseJsonSchema", "responseSchema"])
def test_a_helper_answers_what_its_schema_asks_for(
    schema: dict[str, Any], answer: dict[str, Any], key: str
) -> None:
    """Routers of 0.15.4 and 0.61.0, and any other schema."""
    told = offline.helper(asked(config={key: schema}))
    assert told is not None
    assert json.loads(told) == answer


def test_a_search_finds_something_and_a_conversation_has_no_helper() -> None:
    """What is no helper is left to the script."""
    request = asked()
    request.tools = {"googleSearch": "web_search"}
    assert offline.helper(request) == "One page tells of agent output formats."
    assert offline.helper(asked(*OFFERED[NEW])) is None
    assert offline.helper(asked()) is None


@pytest.mark.parametrize(
    ("version", "ask", "calls", "why"),
    [
        (NEW, {}, [PLAN, TASK, SEARCH, Shell(command="ls")], None),
        (OLD, {"resume": ""}, [PLAN, TASK, SEARCH, Shell(command="ls")], None),
        (
            "0.10.0",
            {},
            [],
            "--output-format stream-json came with 0.11, this version has json alone",
        ),
        ("0.10.0", {"variant": "json"}, [], None),
        ("0.6.1", {"variant": "json"}, [Shell(command="ls")], None),
        ("0.5.5", {"variant": "json"}, [], "--output-format came with 0.6"),
        ("0.13.0", {"resume": ""}, [], "--resume came with 0.15"),
        (NEW, {"full": True}, [], FULL),
        (NEW, {"inputs": ("one", "two")}, [], "stdin holds one prompt, not several messages"),
        ("0.13.0", {}, [PLAN], "write_todos is offered from 0.15 on"),
        ("0.12.0", {}, [TASK], "sub-agents are offered from 0.13 on"),
        (NEW, {}, [Shell(command="ls", seconds=2)], "run_shell_command takes no time limit"),
    ],
)
def test_what_a_version_cannot_do(
    version: str, ask: dict[str, Any], calls: list[Call], why: str | None
) -> None:
    """Reasons, each checked with the versions on both sides of it."""
    assert offline.cannot(Ask(prompt="Say ok.", **ask), calls, site(version)) == why


def test_nothing_is_compacted() -> None:
    """0.61.0 asks for a summary, and goes on with the whole history."""
    told = offline.cannot(Ask(prompt="/compact", resume=""), [], site(NEW))
    assert told == "the model is asked /compact like any prompt, no conversation is compacted"


@pytest.mark.parametrize(
    ("version", "seconds"), [("0.10.0", 0), ("0.11.3", 4), ("0.15.4", 4), ("0.24.5", 0), (NEW, 0)]
)
def test_the_model_takes_its_time_while_the_parser_is_loaded(version: str, seconds: float) -> None:
    """Else commands are rejected, by chance: 0.15.4 did so in half of its runs."""
    ask = Ask(prompt="Say ok.", variant="json")
    assert offline.launch(ask, site(version)).warm_up == seconds
