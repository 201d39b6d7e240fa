# SPDX-License-Identifier: Apache-2.0
"""How GitHub Copilot CLI is run against a scripted model server, without an account.

The captures are of 1.0.12 to 1.0.102; where another version is named, it was run for that. With
a provider's address no account is asked for. The package is JavaScript for Node 24, unless its
platform's package, with a native binary, came along (1.0.30 has none on some registries).
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from agentframes.engines.copilot.commandline import INSTALLATION
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
variants = {
    "stream-anthropic": "provider with the Anthropic wire form",
    "stream-responses": "provider with the Responses wire form",
}

# The first published versions that can do it.
_OUTPUT_FORMAT = (0, 0, 423)
_PROVIDER = (1, 0, 10)  # COPILOT_PROVIDER_…; not in 1.0.7
_FREE_TEXT = (1, 0, 30)  # reads such a call from a Chat Completions stream; not 1.0.24
_COMPACT = (1, 0, 52)  # /compact as prompt is a command; for 1.0.50 it is text

_MODEL = "gpt-5.4"
_CLAUDE = "claude-sonnet-4.5"
_DONE = {"completed": "done"}  # what the table of todos calls it


def cannot(ask: Ask, calls: Sequence[Call], site: Site) -> str | None:
    """Return why it cannot be done; options and tools are those of 1.0.102, and of 1.0.12."""
    if site.release < _OUTPUT_FORMAT:
        return "--output-format json came with 0.0.422"
    if ask.prompt == "/compact" and site.release < _COMPACT:
        return "/compact is text for the model: as a command it came with 1.0.52"
    if ask.search or any(isinstance(call, Search) for call in calls):
        return "no web search is offered offline"
    if ask.full:  # 1.0.102, 1.0.12
        return "it has the conversation summed up beside it, and prints nothing of that"
    if ask.max_turns is not None:
        return "no option limits the turns of a run"
    if ask.inputs:
        return "no option takes several messages from stdin"
    if any(isinstance(call, Shell) and call.seconds is not None for call in calls):
        return "its shell has no time limit: after 30 s or more a command goes on by itself"
    if site.release < _PROVIDER and any(isinstance(call, Delegate) for call in calls):
        return "a sub-agent asks for an account up to 1.0.7, whatever provider there is"
    return None


def launch(ask: Ask, site: Site) -> Launch:
    """Return how the CLI is started; the prompt comes last, but for the session to go on with."""
    argv = ["copilot", "--output-format", "json"]
    if ask.permission == "all":
        argv.append("--allow-all")
    argv += ["-p", ask.prompt]
    if ask.resume:
        argv.append(f"--resume={ask.resume}")
    files = {}
    if ask.mcp:
        command, *arguments = site.mcp_command
        server = {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
        config = os.path.join(site.home, ".copilot", "mcp-config.json")
        files[config] = json.dumps({"mcpServers": {"tiny": server}})
    return Launch(argv=argv, env=_environment(ask, site), files=files)


def _environment(ask: Ask, site: Site) -> dict[str, str]:
    """Return which wire form is spoken, and by which model: by its name the tools are chosen.

    Up to 1.0.7 an agent's name stands for both, and the address is a variable of the provider's.
    """
    base = f"http://127.0.0.1:{site.port}"
    form = next((part for part in ask.variant.split("--") if part in variants), "")
    anthropic = form == "stream-anthropic"
    if site.release < _PROVIDER:
        told = _anthropic_agent(base) if anthropic else _openai_agent(base)
        if form == "stream-responses":
            told["COPILOT_FEATURE_FLAGS"] = "copilot_swe_agent_enable_responses_api"
        return {"COPILOT_ENABLE_ALT_PROVIDERS": "true", "COPILOT_AUTO_UPDATE": "false", **told}
    told = {
        "COPILOT_PROVIDER_BASE_URL": base if anthropic else f"{base}/v1",
        "COPILOT_PROVIDER_TYPE": "anthropic" if anthropic else "openai",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": _CLAUDE if anthropic else _MODEL,
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }
    if form == "stream-responses":
        told["COPILOT_PROVIDER_WIRE_API"] = "responses"
    return told


def _anthropic_agent(base: str) -> dict[str, str]:
    return {
        "COPILOT_AGENT_MODEL": f"sweagent-anthropic:{_CLAUDE}",
        "ANTHROPIC_API_KEY": "dummy",
        "ANTHROPIC_BASE_URL": base,
    }


def _openai_agent(base: str) -> dict[str, str]:
    return {
        "COPILOT_AGENT_MODEL": f"sweagent-openai:{_MODEL}",
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{base}/v1",
    }


def native(call: Call, asked: Asked, site: Site) -> NativeCall:
    """Return a call of one of Copilot's tools."""
    match call:
        case Shell():
            return _shell(call)
        case Read():
            return _call("view", path=_path(site, call.path))
        case Edit():
            return _edit(call, asked, site)
        case Write():
            return _write(call, asked, site)
        case Plan():
            return _call("sql", description="Track todos", query=_todos(call))
        case Delegate():
            return _delegate(call)
        case Mcp():
            return NativeCall(name=f"{call.server}-{call.tool}", arguments=call.arguments)
        case Search():
            return _call("web_search", query=call.query)
        case Answer():
            return NativeCall(name="", arguments=json.dumps(call.value), kind="text")
    return NativeCall(name=call.name, arguments=call.arguments)


def _call(name: str, /, **arguments: object) -> NativeCall:
    return NativeCall(name=name, arguments=dict(arguments))


def _path(site: Site, path: str) -> str:
    return os.path.join(site.project, path)


def _shell(call: Shell) -> NativeCall:
    title = call.title or f"Run {call.command}"
    return _call("bash", command=call.command, description=title)


def _edit(call: Edit, asked: Asked, site: Site) -> NativeCall:
    if "apply_patch" not in asked.tools:
        path = _path(site, call.path)
        return _call("edit", path=path, old_str=call.old, new_str=call.new)
    lines = [f"-{line}" for line in call.old.splitlines()]
    lines += [f"+{line}" for line in call.new.splitlines()]
    return _patch("Update", call.path, ["@@", *lines], asked, site)


def _write(call: Write, asked: Asked, site: Site) -> NativeCall:
    if "apply_patch" not in asked.tools:
        return _call("create", path=_path(site, call.path), file_text=call.content)
    lines = [f"+{line}" for line in call.content.splitlines()]
    return _patch("Add", call.path, lines, asked, site)


def _patch(action: str, path: str, lines: Sequence[str], asked: Asked, site: Site) -> NativeCall:
    """Return a patch: free text, as all versions offer the tool.

    Up to 1.0.24 a streamed Chat Completions call of that sort is taken for a broken stream, and
    the model is asked anew; there the patch is an object's `input` (1.0.12/s05-edit).
    """
    parts = ("*** Begin Patch", f"*** {action} File: {path}", *lines, "*** End Patch")
    text = "\n".join(parts) + "\n"
    if asked.api == "chat" and site.release < _FREE_TEXT:
        return _call("apply_patch", input=text)
    return NativeCall(name="apply_patch", arguments=text, kind="custom")


def _todos(call: Plan) -> str:
    """Return the statement that writes the whole list."""
    rows = (
        f"('t{number}', '{_quoted(item.title)}', '{_DONE.get(item.status, item.status)}')"
        for number, item in enumerate(call.items)
    )
    told = ", ".join(rows)
    return f"INSERT OR REPLACE INTO todos (id, title, status) VALUES {told}"  # noqa: S608 - quoted


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _delegate(call: Delegate) -> NativeCall:
    return _call(
        "task", description=call.title, prompt=call.prompt, agent_type="task", name="counter"
    )


def before(_call: Call, _asked: Asked, _site: Site) -> NativeCall | None:
    """Return nothing: all tools are in the request."""
    return None


def after(_calls: Sequence[Call], _asked: Asked, _site: Site) -> list[NativeCall]:
    """Return nothing: each call is seen through by its result."""
    return []


def helper(_asked: Asked) -> str | None:
    """Return nothing: no version asks its model for anything beside the conversation."""
    return None
