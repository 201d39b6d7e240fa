# SPDX-License-Identifier: Apache-2.0
"""By which tools a model makes Codex do things: they hang on its version and the model's name.

Names and arguments are those that the CLI offers in its requests, of 0.20.0 to 0.171.0.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from agentframes.engines.offline import (
    Answer,
    Asked,
    Call,
    Delegate,
    Edit,
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

_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_FOUND = 8  # tools that a search may give
_WAIT_MS = 30_000
_AGENT_ID = re.compile(r'"agent_id": ?"([^"]+)"')


def is_image(call: Read) -> bool:
    """Tell whether what is read is an image: the shell is no help there."""
    return call.path.endswith(_IMAGES)


def native(call: Call, asked: Asked, site: Site) -> NativeCall:
    """Return a call as the model says it that is offered these tools."""
    match call:
        case Shell():
            return _shell(call.command, asked, call.seconds)
        case Read():
            return _read(call, asked, site)
        case Edit() | Write():
            return _patch(_change(call), asked)
        case Plan():
            plan = [{"step": item.title, "status": item.status} for item in call.items]
            return _call("update_plan", {"plan": plan}, asked)
        case Delegate():
            return _call("spawn_agent", _task(call, asked), asked)
        case Mcp():
            return _call(_mcp_name(call, asked), call.arguments, asked)
        case Search():
            arguments = {"query": call.query}
            return NativeCall(name="web_search", arguments=arguments, kind="web_search")
        case Answer():
            return NativeCall(name="", arguments=json.dumps(call.value), kind="text")
        case Other():
            return NativeCall(name=call.name, arguments=call.arguments)


def _call(name: str, arguments: dict[str, Any], asked: Asked) -> NativeCall:
    """Return a call of a tool as it is offered: by itself, in a namespace, or to code alone."""
    _, _, namespace = asked.tools.get(name, "").partition("namespace:")
    if name not in asked.tools and _codemode(asked):
        return _code(name, arguments)
    return NativeCall(name=name, arguments=arguments, namespace=namespace or None)


def _codemode(asked: Asked) -> bool:
    """Tell whether the model's way to most tools is JavaScript (gpt-5.6 and later)."""
    return "exec" in asked.tools


def _code(name: str, argument: object) -> NativeCall:
    text = f"const r = await tools.{name}({json.dumps(argument)}); text(r);"
    return NativeCall(name="exec", arguments=text, kind="custom")


def _shell(command: str, asked: Asked, seconds: float | None = None) -> NativeCall:
    """Return a call of `exec_command`, or of one of the tools of earlier versions.

    `shell` takes arguments (to 0.58.0), `shell_command` a line (0.66.0). Their limit is `timeout`
    in 0.20.0 and `timeout_ms` in 0.45.0.
    """
    name = next((one for one in ("shell", "shell_command") if one in asked.tools), None)
    if name is None:
        return _call("exec_command", {"cmd": command}, asked)
    arguments: dict[str, Any] = {
        "command": command if name == "shell_command" else ["bash", "-lc", command]
    }
    if seconds is not None:
        limit = "timeout_ms" if _takes(name, "timeout_ms", asked) else "timeout"
        arguments[limit] = round(seconds * 1000)
    return NativeCall(name=name, arguments=arguments)


def _read(call: Read, asked: Asked, site: Site) -> NativeCall:
    """Return a call of `view_image`, or of the shell: no other tool reads a file."""
    if is_image(call):
        return _call("view_image", {"path": os.path.join(site.project, call.path)}, asked)
    return _shell(f"cat {call.path}", asked)


def _takes(tool: str, parameter: str, asked: Asked) -> bool:
    return any(
        parameter in one.get("parameters", {}).get("properties", {})
        for one in asked.body.get("tools", [])
        if one.get("name") == tool
    )


def _change(call: Edit | Write) -> str:
    """Return a change in the form of `apply_patch`."""
    if isinstance(call, Write):
        lines = [f"*** Add File: {call.path}", *(f"+{one}" for one in call.content.splitlines())]
    else:
        lines = [f"*** Update File: {call.path}", "@@"]
        lines += [f"-{one}" for one in call.old.splitlines()]
        lines += [f"+{one}" for one in call.new.splitlines()]
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"]) + "\n"


def _patch(patch: str, asked: Asked) -> NativeCall:
    """Return a call of `apply_patch`, which is a command of the shell where it is no tool."""
    kind = asked.tools.get("apply_patch")
    if kind == "custom":
        return NativeCall(name="apply_patch", arguments=patch, kind="custom")
    if kind is not None:
        return NativeCall(name="apply_patch", arguments={"input": patch})
    if _codemode(asked):
        return _code("apply_patch", patch)
    return NativeCall(name="shell", arguments={"command": ["apply_patch", patch]})


def _mcp_name(call: Mcp, asked: Asked) -> str:
    """Return a tool's name, which has its server's in it up to 0.115.0; then it is a namespace's.

    `tiny__add` to 0.47.0, `mcp__tiny__add` from 0.50.0 on and in code.
    """
    name = f"{call.server}__{call.tool}"
    if _codemode(asked):
        return f"mcp__{name}"
    return next((one for one in (name, f"mcp__{name}") if one in asked.tools), call.tool)


def _task(call: Delegate, asked: Asked) -> dict[str, Any]:
    if not _codemode(asked):
        return {"message": call.prompt}
    name = re.sub(r"[^a-z0-9]+", "_", call.title.lower()).strip("_") or "task"
    return {"task_name": name, "message": call.prompt}


def before(call: Call, asked: Asked, site: Site) -> NativeCall | None:
    """Search for a tool that is deferred: those of MCP and for sub-agents, from 0.135.0 on.

    What was found stands in the requests from then on; code reaches tools without.
    """
    if not isinstance(call, Mcp | Delegate) or "tool_search" not in asked.tools:
        return None
    if native(call, asked, site).name in asked.tools:
        return None
    query = call.tool if isinstance(call, Mcp) else "spawn agent wait agent"
    arguments = {"query": query, "limit": _FOUND}
    return NativeCall(name="tool_search", arguments=arguments, kind="tool_search")


def after(calls: Sequence[Call], asked: Asked, _site: Site) -> list[NativeCall]:
    """Wait for the sub-agents that were begun, by their ids (`ids` in 0.115.0, `targets` later).

    In code mode they have names, and a wait is for any of them.
    """
    if not any(isinstance(call, Delegate) for call in calls):
        return []
    if _codemode(asked):
        return [_call("wait_agent", {"timeout_ms": _WAIT_MS}, asked)]
    results = takewhile(lambda turn: turn.role == "tool", reversed(asked.turns))
    ids = [one for turn in results for one in _AGENT_ID.findall(turn.text)]
    if not ids:
        return []
    named = "ids" if _takes("wait_agent", "ids", asked) else "targets"
    return [_call("wait_agent", {named: ids[::-1], "timeout_ms": _WAIT_MS}, asked)]
