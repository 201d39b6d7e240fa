# SPDX-License-Identifier: Apache-2.0
"""How Gemini CLI is run against a scripted model server (runs of 0.6.1 to 0.61.0).

From 0.11.3 to 0.15.4 the parser of commands (tree-sitter, not in 0.10.0 and older) is loaded
beside the conversation: commands of a model that answers at once, as a scripted one does, are by
chance rejected as "could not be parsed safely". There the model takes its time; 0.24.5 waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from agentframes.engines.gemini.commandline import INSTALLATION
from agentframes.engines.offline import (
    Answer,
    Ask,
    Asked,
    Call,
    Delegate,
    Edit,
    Launch,
    Mcp,
    NativeCall,
    Plan,
    Read,
    Search,
    Shell,
    Site,
    Write,
)

package = INSTALLATION.package
program = INSTALLATION.program
variants: Mapping[str, str] = {
    "json": "the one object of --output-format json",
    "default-model": "no model flag: the CLI asks a small model first which one is to answer",
}

_MODEL = "gemini-2.5-pro"
# The first that npm has with it; the one named behind is the last without.
_FORMAT = (0, 6)  # --output-format json: 0.6.1, not 0.5.5
_LINES = (0, 11)  # --output-format stream-json: 0.11.3, not 0.10.0
_RESUME = (0, 15)  # --resume: 0.15.4, not 0.13.0
_PLANS = (0, 15)  # offers write_todos: 0.15.4, not 0.13.0
_AGENTS = (0, 13)  # offers a sub-agent: 0.13.0, not 0.12.0
_TRUST = (0, 39, 1)  # --skip-trust, without which it refuses a new folder: 0.39.1, not 0.39.0
_PARSER = ((0, 11), (0, 16))  # from, and up to before: loads it beside the conversation
_WARM_UP = 4.0  # seconds
_MODEL_FLAG = (0, 12)  # -m gemini-2.5-pro means that model: 0.12.0; in 0.11.3 the router chooses
_ENV = {
    "GEMINI_API_KEY": "dummy",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "GEMINI_CLI_NO_RELAUNCH": "true",  # or the signals meet a parent that only waits
}


def cannot(ask: Ask, calls: Sequence[Call], site: Site) -> str | None:
    """Return why a version cannot do something: flags and tools that came later or went."""
    if site.release < _FORMAT:
        return "--output-format came with 0.6"
    if "json" not in ask.variant and site.release < _LINES:
        return "--output-format stream-json came with 0.11, this version has json alone"
    if ask.resume is not None and site.release < _RESUME:
        return "--resume came with 0.15"
    if ask.inputs:
        return "stdin holds one prompt, not several messages"
    if ask.prompt.startswith("/"):  # 0.15.4: asked; 0.61.0: a summary is asked for, and not used
        return f"the model is asked {ask.prompt} like any prompt, no conversation is compacted"
    if ask.full:  # 0.61.0
        return "it counts its context by itself, whatever the model's account says"
    if any(isinstance(call, Plan) for call in calls) and site.release < _PLANS:
        return "write_todos is offered from 0.15 on"
    if any(isinstance(call, Delegate) for call in calls) and site.release < _AGENTS:
        return "sub-agents are offered from 0.13 on"
    if any(isinstance(call, Shell) and call.seconds is not None for call in calls):
        return "run_shell_command takes no time limit"
    return None


def launch(ask: Ask, site: Site) -> Launch:
    """Return how the CLI is started; a session to go on with is the `latest` one."""
    parts = ask.variant.split("--")
    argv = ["gemini", "-p", ask.prompt]
    argv += ["--output-format", "json" if "json" in parts else "stream-json"]
    if "default-model" not in parts:
        argv += ["-m", _MODEL]
    if ask.permission == "all":
        argv.append("--yolo")
    if site.release >= _TRUST:
        argv.append("--skip-trust")
    if ask.resume is not None:
        argv += ["--resume", "latest"]
    settings = os.path.join(site.home, ".gemini", "settings.json")
    return Launch(
        argv=argv,
        single="json" in parts,
        env={**_ENV, "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{site.port}"},
        files={settings: json.dumps(_settings(ask, site))},
        warm_up=_WARM_UP if _PARSER[0] <= site.release < _PARSER[1] else 0,
    )


def _settings(ask: Ask, site: Site) -> dict[str, Any]:
    """Return `~/.gemini/settings.json`; limits and servers have no flags."""
    settings: dict[str, Any] = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    }
    if site.release < _MODEL_FLAG and "default-model" not in ask.variant:
        settings["experimental"] = {"useModelRouter": False}
    if ask.max_turns:
        settings["model"] = {"maxSessionTurns": ask.max_turns}
    if ask.mcp:
        command, *arguments = site.mcp_command
        tiny = {"command": command, "args": arguments, "trust": True}
        settings["mcpServers"] = {"tiny": tiny}
    return settings


def native(call: Call, asked: Asked, site: Site) -> NativeCall:
    """Return a call of one of Gemini CLI's tools."""
    match call:
        case Shell():
            return _shell(call, asked, site)
        case Read():
            return _read(_path(site, call.path), asked)
        case Edit():
            path, why = _path(site, call.path), "Replace one line."
            texts = {"old_string": call.old, "new_string": call.new, "instruction": why}
            return _call("replace", file_path=path, **texts)
        case Write():
            return _call("write_file", file_path=_path(site, call.path), content=call.content)
        case Plan():
            todos = [{"description": one.title, "status": one.status} for one in call.items]
            return _call("write_todos", todos=todos)
        case Delegate():
            return _delegate(call, asked)
        case Mcp():
            return _mcp(call, asked)
        case Search():
            return _call("google_web_search", query=call.query)
        case Answer():
            return NativeCall(name="", arguments=json.dumps(call.value), kind="text")
    return NativeCall(name=call.name, arguments=call.arguments)


def _call(name: str, **arguments: object) -> NativeCall:
    return NativeCall(name=name, arguments=dict(arguments))


def _path(site: Site, path: str) -> str:
    return os.path.join(site.project, path)


def _read(path: str, asked: Asked) -> NativeCall:
    """Return a reading; up to 0.13.0 its parameter was called `absolute_path`."""
    old = "absolute_path" in _properties(asked, "read_file")
    return _call("read_file", **{"absolute_path" if old else "file_path": path})


def _shell(call: Shell, asked: Asked, site: Site) -> NativeCall:
    """Return a command; the sub-agent of 0.15.4 and 0.24.5 has no shell, it reads the file."""
    offered = "run_shell_command" in asked.tools
    if _DONE in asked.tools and not offered:
        return _read(_path(site, call.command.split()[-1]), asked)
    # s22-denied has no title: without permission the tool is not offered, nor are its parameters.
    told = {"description": call.title} if call.title and offered else {}
    return _call("run_shell_command", command=call.command, **told)


def _mcp(call: Mcp, asked: Asked) -> NativeCall:
    """Return a call by the full name; 0.15.4 and 0.24.5 offer the bare one."""
    full = f"mcp_{call.server}_{call.tool}"
    return NativeCall(
        name=call.tool if call.tool in asked.tools else full, arguments=call.arguments
    )


def _delegate(call: Delegate, asked: Asked) -> NativeCall:
    """Return a call of the one tool for all agents (0.47.0, 0.24.5) or of an agent's own."""
    if "invoke_agent" in asked.tools:
        return _call("invoke_agent", agent_name="generalist", prompt=call.prompt)
    if "delegate_to_agent" in asked.tools:  # 0.24.5
        name = "codebase_investigator"
        return _call("delegate_to_agent", agent_name=name, objective=call.prompt)
    if "generalist" in asked.tools:  # 0.38.2
        return _call("generalist", request=call.prompt)
    return _call("codebase_investigator", objective=call.prompt)  # 0.15.4


def before(_call: Call, _asked: Asked, _site: Site) -> NativeCall | None:
    """Return nothing: all tools are offered at once."""
    return None


_DONE = "complete_task"
_FOUND = "notes.txt has 3 lines."


def after(_calls: Sequence[Call], asked: Asked, _site: Site) -> list[NativeCall]:
    """Report, as a sub-agent must: one that only says what it found is asked again and again."""
    if _DONE not in asked.tools:
        return []
    wanted = _properties(asked, _DONE)
    if "report" in wanted:  # codebase_investigator
        place = {"FilePath": "notes.txt", "Reasoning": "It was asked about.", "KeySymbols": []}
        report = {
            "SummaryOfFindings": _FOUND,
            "ExplorationTrace": ["read notes.txt"],
            "RelevantLocations": [place],
        }
        return [_call(_DONE, report=report)]
    return [_call(_DONE, result=_filled(wanted.get("result", {}), _FOUND))]


def _properties(asked: Asked, name: str) -> dict[str, Any]:
    """Return the schemas of what a tool takes."""
    offered = asked.body.get("tools") or ()
    for tool in offered:
        for one in tool.get("functionDeclarations", ()):
            if one.get("name") == name:
                schema = one.get("parametersJsonSchema") or one.get("parameters") or {}
                return dict(schema.get("properties", {}))
    return {}


def helper(asked: Asked) -> str | None:
    """Answer what asks for JSON (which model, who is next, how to mend an edit), and a search."""
    config = asked.body.get("generationConfig") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    if schema:
        return json.dumps(_filled(schema, "ok"))
    if set(asked.tools.values()) == {"web_search"}:
        return "One page tells of agent output formats."
    return None


def _filled(schema: Mapping[str, Any], text: str) -> Any:
    """Return the plainest value of a schema: first of its words, a low number, no."""
    kind = str(schema.get("type", "string")).lower()
    if kind == "object":
        told = schema.get("properties", {})
        return {name: _filled(told[name], text) for name in schema.get("required", told)}
    if kind == "array":
        return []
    if kind in {"integer", "number"}:
        return 10
    if kind == "boolean":
        return False
    words = schema.get("enum")
    return words[0] if words else text
