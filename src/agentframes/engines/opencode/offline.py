# SPDX-License-Identifier: Apache-2.0
"""How opencode is run against a scripted model server (captures of 1.0.0 to 1.18.33)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

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
    Release,
    Search,
    Shell,
    Site,
    Write,
)
from agentframes.engines.opencode.commandline import INSTALLATION

package = INSTALLATION.package
program = INSTALLATION.program
variants = {
    "no-ripgrep": "no rg in PATH",
    "no-snapshot": "the configuration says that no snapshots of the files are taken",
    "not-found": "the session to resume does not exist",
    "thinking": "--thinking",
}

_ENV = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}
_PROVIDER = "@ai-sdk/openai-compatible"
_MODEL = {
    "name": "Fake model",
    "tool_call": True,
    "reasoning": True,
    "attachment": True,
    "cost": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
    "limit": {"context": 200000, "output": 32000},
}
_SERVER_ERROR = 500  # 401 is not retried
_MISSING_SESSION = "ses_dd1af21abffea5Tk4YDW6NdBID"

# The first version that has it. Not all versions between it and the last without are on npm.
_FORMAT = (1,)  # 0.5.29 prints its help
_BUNDLED = (1, 0, 152)  # the provider's package; 1.0.98 downloads it at the start
_REJECTS = (1, 1, 53)  # by itself what needs leave; 1.1.16 shows a menu
_GIVES_UP = (1, 18, 17)  # after five retries

# From, and below.
_MODELS_LIST = (1, 1, 27), (1, 1, 53)  # downloaded at the start
_CUT_IS_FATAL = (1, 0, 152), (1, 1)
_RIPGREP = (1, 0, 152), (1, 1)  # downloaded at the start, where there is none
_SESSION_AWAITED = (1, 0, 61), (1, 1, 16)  # one that is not there


def cannot(ask: Ask, calls: Sequence[Call], site: Site) -> str | None:
    """Return why a version cannot do something; what only the recorder would end is not done."""
    release = site.release
    if release < _FORMAT:
        return "`run --format json` came with 1.0"
    if release < _BUNDLED and not os.path.isdir(_beside(site)):
        return f"it downloads its provider's package: npm install {_PROVIDER}@1.0 beside it"
    if _within(release, _MODELS_LIST):
        return "it downloads a list of models, and ends where it cannot"
    if ask.max_turns is not None:  # 1.18.33: maxSteps = 2, all three calls were run
        return "no option ends a run after so many turns: the model is only asked to stop"
    if ask.inputs:
        return "a run takes one message"
    if ask.prompt.startswith("/"):  # 1.18.33: the answer was printed, nothing was compacted
        return f"`run` has no such command: the model gets {ask.prompt} as any prompt"
    if ask.search or any(isinstance(call, Search) for call in calls):
        return "it searches at mcp.exa.ai, and nowhere else"
    return _unending(ask, release) or _no_variant(ask.variant.split("--"), release)


def _unending(ask: Ask, release: Release) -> str | None:
    """Return what a version waits for, for ever, or does not wait for at all."""
    if ask.permission == "none" and release < _REJECTS:
        return "it asks for leave with a menu on stdout, and waits for ever"
    fatal = _within(release, _CUT_IS_FATAL)
    if ask.cut == "once" and fatal:
        return "it does not retry where the connection breaks"
    always = ask.http == _SERVER_ERROR or (ask.cut == "always" and not fatal)
    if always and release < _GIVES_UP:  # 1.0.0 stops to retry, and does not end either
        return "it retries for ever"
    return None


def _no_variant(parts: Sequence[str], release: Release) -> str | None:
    if "no-ripgrep" in parts and not _within(release, _RIPGREP):
        return "it does not look for ripgrep at the start"
    if "not-found" in parts and _within(release, _SESSION_AWAITED):
        return "it waits for ever"
    return None


def _within(release: Release, bounds: tuple[Release, Release]) -> bool:
    return bounds[0] <= release < bounds[1]


def launch(ask: Ask, site: Site) -> Launch:
    """Return how the CLI is started; provider and permissions stand in its configuration."""
    argv = ["opencode", "run", "--format", "json", "-m", "fake/fake-model"]
    parts = ask.variant.split("--")
    if "thinking" in parts:
        argv.append("--thinking")
    if ask.resume is not None:
        argv += ["-s", _MISSING_SESSION if "not-found" in parts else ask.resume]
    env = dict(_ENV)
    if "no-ripgrep" in parts:
        env["PATH"] = os.path.join(site.home, "bin")  # where nothing is
    path = os.path.join(site.home, ".config", "opencode", "opencode.json")
    files = {path: json.dumps(_config(ask, site)), **_downloaded(site)}
    return Launch(argv=[*argv, ask.prompt], env=env, files=files)


def _downloaded(site: Site) -> dict[str, str]:
    """Return the cache of a version that would download its provider's package."""
    if site.release >= _BUNDLED:
        return {}
    cache = os.path.join(site.home, ".cache", "opencode")
    module = os.path.join(cache, "node_modules", _PROVIDER)
    return {
        os.path.join(cache, "version"): "9",  # or the cache would be emptied
        os.path.join(cache, "package.json"): json.dumps({"dependencies": {_PROVIDER: "latest"}}),
        os.path.join(module, "package.json"): json.dumps({"name": _PROVIDER, "main": "index.mjs"}),
        os.path.join(module, "index.mjs"): f'export * from "{_beside(site)}/dist/index.mjs";\n',
    }


def _beside(site: Site) -> str:
    """Return where the provider's package is, where it was installed together with the CLI."""
    return os.path.join(site.cli.split("/node_modules/")[0], "node_modules", _PROVIDER)


def _config(ask: Ask, site: Site) -> dict[str, Any]:
    parts = ask.variant.split("--")
    provider = {
        "npm": _PROVIDER,
        "name": "Fake",
        "options": {"baseURL": f"http://127.0.0.1:{site.port}/v1", "apiKey": "dummy"},
        "models": {"fake-model": _MODEL},
    }
    config = {"autoupdate": False, "share": "disabled", "provider": {"fake": provider}}
    if ask.mcp:
        server = {"type": "local", "command": list(site.mcp_command), "enabled": True}
        config["mcp"] = {"tiny": server}
    if ask.permission == "none":
        config["permission"] = {"bash": "deny", "edit": "ask"}  # no bash is offered; edit asks
    if "no-snapshot" in parts:
        config["snapshot"] = False
    return config


def native(call: Call, asked: Asked, site: Site) -> NativeCall:
    """Return a call of one of opencode's tools."""
    match call:
        case Shell():
            return _shell(call, asked)
        case Read() | Edit() | Write():
            return _file(call, os.path.join(site.project, call.path))
        case Plan():
            return _plan(call)
        case Delegate():
            return _call(
                "task", description=call.title, prompt=call.prompt, subagent_type="general"
            )
        case Mcp():
            return NativeCall(name=f"{call.server}_{call.tool}", arguments=call.arguments)
        case Search():
            return _call("websearch", query=call.query)
        case Answer():
            return NativeCall(name="", arguments=json.dumps(call.value), kind="text")
        case Other():
            return NativeCall(name=call.name, arguments=call.arguments)


def _call(name: str, **arguments: object) -> NativeCall:
    return NativeCall(name=name, arguments=dict(arguments))


def _file(call: Read | Edit | Write, path: str) -> NativeCall:
    match call:
        case Edit():
            return _call("edit", filePath=path, oldString=call.old, newString=call.new)
        case Write():
            return _call("write", filePath=path, content=call.content)
    return _call("read", filePath=path)


def _shell(call: Shell, asked: Asked) -> NativeCall:
    """Return a command, with a description where there is a parameter for one (not in 1.18.33)."""
    arguments: dict[str, object] = {"command": call.command}
    if "description" in _parameters("bash", asked):
        arguments["description"] = call.title or f"Run {call.command}"
    if call.seconds is not None:
        arguments["timeout"] = round(call.seconds * 1000)
    return NativeCall(name="bash", arguments=arguments)


def _parameters(name: str, asked: Asked) -> dict[str, Any]:
    """Return the parameters of an offered tool."""
    for tool in asked.body.get("tools", ()):
        function = tool.get("function", {})
        if function.get("name") == name:
            found: dict[str, Any] = function.get("parameters", {}).get("properties", {})
            return found
    return {}


def _plan(call: Plan) -> NativeCall:
    todos = [
        {"id": str(number), "content": item.title, "status": item.status, "priority": "medium"}
        for number, item in enumerate(call.items, 1)
    ]
    return _call("todowrite", todos=todos)


def before(_call: Call, _asked: Asked, _site: Site) -> NativeCall | None:
    """Return nothing: no tool has to be searched for."""
    return None


def after(_calls: Sequence[Call], _asked: Asked, _site: Site) -> list[NativeCall]:
    """Return nothing: each call is seen through by its result."""
    return []


def helper(asked: Asked) -> str | None:
    """Answer what asks for a title; a summary is asked for without tools, too."""
    titled = not asked.tools and "title" in asked.system.lower()
    return "Fake title" if titled else None
