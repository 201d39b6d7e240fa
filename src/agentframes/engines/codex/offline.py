# SPDX-License-Identifier: Apache-2.0
"""How Codex is run against a scripted model server (captures of 0.20.0 to 0.171.0).

By which tools the model does what a scenario asks for tells `offline_tools`.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Mapping, Sequence

from agentframes.engines.codex import offline_tools
from agentframes.engines.codex.commandline import INSTALLATION
from agentframes.engines.offline import (
    Ask,
    Asked,
    Call,
    Delegate,
    Launch,
    Plan,
    Read,
    Release,
    Shell,
    Site,
)

package = INSTALLATION.package
program = INSTALLATION.program
native = offline_tools.native
before = offline_tools.before
after = offline_tools.after
variants: Mapping[str, str] = {
    "codemode": "a model whose shell access is a JavaScript exec tool",
    "experimental-json": "flag --experimental-json",
    "readonly": "read-only sandbox",
    "unknown-model": "a model name the tool has no metadata for",
}

# The model's name decides which tools are offered. Each is one that the version knows.
_MODELS: tuple[tuple[Release, str], ...] = (
    ((0, 147), "gpt-5.5"),
    ((0, 115), "gpt-5.4"),
    ((0, 98), "gpt-5.2-codex"),
    ((0, 36), "gpt-5-codex"),
    ((), "gpt-5"),
)
_SESSION = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$")
_CODEMODE = "gpt-5.6-sol"
_UNKNOWN: tuple[tuple[Release, str], ...] = (((0, 171), "gpt-5.4"), ((), "gpt-4.1"))


def cannot(ask: Ask, calls: Sequence[Call], site: Site) -> str | None:
    """Return why a version cannot do something; those below 0.8.0 print nothing in JSON.

    Flags are those that stand in the programs, tools those of their requests. Not all versions
    of npm were looked at: one between a version that can and one that cannot is said not to.
    """
    release, parts = site.release, ask.variant.split("--")
    if release < (0, 8):
        return "it has no `exec --json`: that came with the program in Rust"
    if ask.max_turns is not None:
        return "no flag limits the turns"
    if ask.full and release < (0, 42):  # 0.42.0 does, 0.36.0 does not
        return "it compacts no conversation by itself"
    if ask.inputs:
        return "it takes one prompt, and reads stdin to its end"
    if ask.prompt.startswith("/"):
        return "`exec` has no commands: the model is handed what looks like one"
    if ask.resume is not None and release < (0, 36):
        return "`exec resume` came with 0.36.0"
    if ask.schema and release < (0, 42):
        return "--output-schema came with 0.42.0"
    return _no_variant(parts, release) or _no_tool(calls, release)


def _no_variant(parts: Sequence[str], release: Release) -> str | None:
    if "experimental-json" in parts and release < (0, 42):
        return "--experimental-json came with 0.42.0"
    if "experimental-json" in parts and release >= (0, 44):
        return "--experimental-json is another word for --json from 0.44.0 on"
    if "codemode" in parts and release < (0, 144):
        return f"it does not know the model {_CODEMODE}"
    if "unknown-model" in parts and release < (0, 106):
        return "it has no word for a model that it does not know"
    return None


def _no_tool(calls: Sequence[Call], release: Release) -> str | None:
    for call in calls:
        match call:
            case Plan() if not (0, 20) <= release < (0, 151):
                return "no tool for plans is offered"
            case Delegate() if release < (0, 115):
                return "no tool for sub-agents is offered"
            case Read() if offline_tools.is_image(call) and release < (0, 27):
                return "no tool for images is offered"
            case Shell() if call.seconds is not None and release >= (0, 93):
                return "the shell tool takes no time limit, only how long to wait for output"
    return None


def launch(ask: Ask, site: Site) -> Launch:
    """Return how the CLI is started: the prompt is on stdin, the settings are in a file."""
    parts = ask.variant.split("--")
    argv = ["codex", "exec"]
    argv.append("--experimental-json" if "experimental-json" in parts else "--json")
    argv.append("--skip-git-repo-check")
    if ask.permission == "none" or "readonly" in parts:
        argv += ["--sandbox", "read-only"]
    else:
        argv.append("--dangerously-bypass-approvals-and-sandbox")
    if (0, 45) <= site.release < (0, 49):
        argv.append("--include-plan-tool")  # before, the tool works unoffered; later, it is offered
    files = {os.path.join(site.home, ".codex", "config.toml"): _config(ask, site)}
    if ask.schema:
        schema = os.path.join(os.path.dirname(site.project), "schema.json")
        files[schema] = json.dumps(ask.schema)
        argv += ["--output-schema", schema]
    if ask.resume is not None:
        argv += ["resume", ask.resume or _last_session(site.home)]
    return Launch(argv=[*argv, "-"], stdin=ask.prompt, env={"FAKE_API_KEY": "dummy"}, files=files)


def _last_session(home: str) -> str:
    """Return the id of the last session that was kept: what --json prints tells none to 0.42.0."""
    kept = glob.glob(os.path.join(home, ".codex", "sessions", "**", "*.jsonl"), recursive=True)
    found = [one for name in sorted(kept) if (one := _SESSION.search(name))]
    return found[-1][1] if found else "--last"


def _model(parts: Sequence[str], release: Release) -> str:
    if "codemode" in parts:
        return _CODEMODE
    names = _UNKNOWN if "unknown-model" in parts else _MODELS
    return next(name for since, name in names if release >= since)


def _config(ask: Ask, site: Site) -> str:
    """Return the settings; what a version does not know of it, it passes over."""
    lines = [
        f'model = "{_model(ask.variant.split("--"), site.release)}"',
        'model_provider = "fake"',
        "check_for_update_on_startup = false",
    ]
    if site.release < (0, 20):  # 0.8.0 sends what is new, and leaves the rest to the provider
        lines.append("disable_response_storage = true")
    if ask.search and site.release >= (0, 98):
        lines.append('web_search = "live"')
    lines += [
        "[model_providers.fake]",
        'name = "fake"',
        f'base_url = "http://127.0.0.1:{site.port}/v1"',
        'env_key = "FAKE_API_KEY"',
        'wire_api = "responses"',
        "[analytics]",
        "enabled = false",
    ]
    if ask.search and site.release < (0, 98):
        lines += ["[tools]", "web_search = true"]
    if ask.mcp:
        command, *arguments = site.mcp_command
        lines += [
            "[mcp_servers.tiny]",
            f"command = {json.dumps(command)}",
            f"args = {json.dumps(arguments)}",
        ]
    return "\n".join(lines) + "\n"


def helper(_asked: Asked) -> str | None:
    """Return None: `exec` asks for nothing beside the conversation."""
    return None
