# SPDX-License-Identifier: Apache-2.0
"""How Claude Code is run against a scripted model server (captures of 1.0.128 to 2.1.332)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from agentframes.engines.claude.commandline import INSTALLATION
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
    Other,
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
    "json": "the one object of --output-format json",
    "json-verbose": "one array of all frames: --output-format json --verbose",
    "partial": "--include-partial-messages",
    "sonnet-4-5": "--model claude-sonnet-4-5, which is offered tools that others are not",
}

_ENV = {
    "ANTHROPIC_API_KEY": "dummy",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_BUG_COMMAND": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "IS_SANDBOX": "1",  # or root may not skip the permissions
}
_SEEN = {"hasCompletedOnboarding": True, "bypassPermissionsModeAccepted": True}
# Up to 1.0.0 `IS_SANDBOX` does not let root skip the permissions, in 1.0.60 it does; some flags
# are not known up to 1.0.0, either.
_ROOT_MAY = (1, 0, 60)
_TOOLS = "Bash,Read,Edit,Write,Task,TodoWrite,WebSearch,mcp__tiny"
_WARMS_UP = ((2, 0), (2, 1))  # asks for each kind of sub-agent beside the conversation (2.0.77)
_WARM_UP = 2.0  # seconds; what of that had come by the end counts in the run's account
_ROUTES = ("title", "isNewTopic", "new topic", "quota")


def cannot(ask: Ask, calls: Sequence[Call], site: Site) -> str | None:
    """Return why a version cannot do something: flags and tools that came later or went."""
    if ask.schema and site.release < (2, 1):
        return "--json-schema came later"
    if ask.inputs and site.release < _ROOT_MAY:
        return "--input-format stream-json came later"
    if "partial" in ask.variant.split("--") and site.release < _ROOT_MAY:
        return "--include-partial-messages came later"
    if ask.full and site.release == (2, 1, 220):  # 2.1.50 and 2.1.332 do
        return "it compacts nothing, whatever usage the model tells"
    plans = any(isinstance(call, Plan) for call in calls)
    if plans and site.release >= (2, 1, 332) and "sonnet-4-5" not in ask.variant:
        return "no tool for plans is offered to the default model"
    if "sonnet-4-5" in ask.variant and site.release < (2, 1, 332):
        return "the default model is offered what this model is"
    return None


def launch(ask: Ask, site: Site) -> Launch:
    """Return how the CLI is started; `IS_SANDBOX` is only there to let root use it."""
    argv = ["claude", "-p"]
    argv += ["--input-format", "stream-json"] if ask.inputs else [ask.prompt]
    parts = ask.variant.split("--")
    single = "json" in parts or "json-verbose" in parts
    if "sonnet-4-5" in parts:
        argv += ["--model", "claude-sonnet-4-5"]
    argv += ["--output-format", "json" if single else "stream-json"]
    if not single or "json-verbose" in parts:
        argv.append("--verbose")
    if "partial" in parts:
        argv.append("--include-partial-messages")
    if ask.permission == "all":
        old = site.release < _ROOT_MAY
        argv += ["--allowedTools", _TOOLS] if old else ["--dangerously-skip-permissions"]
    files = {os.path.join(site.home, ".claude.json"): json.dumps(_SEEN)}
    if ask.mcp:
        config = os.path.join(os.path.dirname(site.project), "mcp.json")
        command, *arguments = site.mcp_command
        server = {"type": "stdio", "command": command, "args": arguments}
        files[config] = json.dumps({"mcpServers": {"tiny": server}})
        argv += ["--mcp-config", config]
        argv += ["--strict-mcp-config"] if site.release >= _ROOT_MAY else []
    if ask.schema:
        argv += ["--json-schema", json.dumps(ask.schema)]
    if ask.max_turns:
        argv += ["--max-turns", str(ask.max_turns)]
    if ask.resume:
        argv += ["--resume", ask.resume]
        del files[os.path.join(site.home, ".claude.json")]  # by now the CLI's own
    return Launch(
        argv=argv,
        stdin="".join(_message(text) for text in ask.inputs) or None,
        single=single,
        env={**_ENV, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{site.port}"},
        files=files,
        warm_up=_WARM_UP if _WARMS_UP[0] <= site.release < _WARMS_UP[1] else 0,
    )


def _message(text: str) -> str:
    content = [{"type": "text", "text": text}]
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}}) + "\n"


def native(call: Call, asked: Asked, site: Site) -> NativeCall:
    """Return a call of one of Claude Code's tools."""
    match call:
        case Shell():
            return _shell(call, site)
        case Read():
            return _call("Read", file_path=_path(site, call.path))
        case Edit():
            path = _path(site, call.path)
            return _call("Edit", file_path=path, old_string=call.old, new_string=call.new)
        case Write():
            return _call("Write", file_path=_path(site, call.path), content=call.content)
        case Plan():
            return _plan(call, asked)
        case Delegate():
            return _delegate(call, asked)
        case Mcp():
            return NativeCall(name=f"mcp__{call.server}__{call.tool}", arguments=call.arguments)
        case Search():
            return _call("WebSearch", query=call.query)
        case Answer():
            return NativeCall(name="StructuredOutput", arguments=call.value)
    return NativeCall(name=call.name, arguments=call.arguments)


def _call(name: str, **arguments: object) -> NativeCall:
    return NativeCall(name=name, arguments=dict(arguments))


def _shell(call: Shell, site: Site) -> NativeCall:
    """Return a call of `Bash`; 2.1.332 refuses a bare `sleep`, so something else waits there."""
    command, title = call.command, call.title or f"Run {call.command}"
    bare = re.fullmatch(r"sleep (\d+)", command)
    if bare and site.release >= (2, 1, 332):
        command = f"timeout {bare[1]} tail -f notes.txt"
        title = f"Run {command}"
    arguments: dict[str, object] = {"command": command, "description": title}
    if call.seconds:
        arguments["timeout"] = int(call.seconds * 1000)
    return NativeCall(name="Bash", arguments=arguments)


def _path(site: Site, path: str) -> str:
    return os.path.join(site.project, path)


def _plan(call: Plan, asked: Asked) -> NativeCall:
    """Return the whole list, or where tasks are made one by one, the first of them."""
    if "TaskCreate" in asked.tools:
        title = call.items[0].title
        return _call("TaskCreate", subject=title, description=title, activeForm=title)
    todos = [
        {"content": item.title, "status": item.status, "activeForm": item.title}
        for item in call.items
    ]
    return _call("TodoWrite", todos=todos)


def _delegate(call: Delegate, asked: Asked) -> NativeCall:
    """Return a call of `Agent`, which was `Task` up to 2.1.50."""
    arguments: dict[str, object] = {
        "description": call.title,
        "prompt": call.prompt,
        "subagent_type": "general-purpose",
    }
    if "Agent" not in asked.tools:
        return NativeCall(name="Task", arguments=arguments)
    return NativeCall(name="Agent", arguments={**arguments, "run_in_background": False})


def before(call: Call, asked: Asked, site: Site) -> NativeCall | None:
    """Search for a tool that is deferred (2.1.332 puts 12 into the request)."""
    name = native(call, asked, site).name
    if isinstance(call, Other) or name in asked.tools or "ToolSearch" not in asked.tools:
        return None
    wanted = "TodoWrite,TaskCreate" if isinstance(call, Plan) else name
    return _call("ToolSearch", query=f"select:{wanted}", max_results=5)


def after(_calls: Sequence[Call], _asked: Asked, _site: Site) -> list[NativeCall]:
    """Return nothing: each call is seen through by its result."""
    return []


def helper(asked: Asked) -> str | None:
    """Answer what asks for a title, or only warms up."""
    last = asked.turns[-1].text if asked.turns else ""
    if last.strip() == "Warmup":  # for each kind of sub-agent, with its tools (2.0.77)
        return "ok"
    if asked.tools:
        return None
    if "isNewTopic" in asked.system:
        return '{"isNewTopic": false, "title": null}'
    return "ok" if any(word in asked.system + last for word in _ROUTES) else None
