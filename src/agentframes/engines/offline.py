# SPDX-License-Identifier: Apache-2.0
"""How an engine's CLI is run without an account, against a scripted model server on loopback.

The words between a scenario, which knows no engine, and `engines/<name>/offline.py`, which knows
how its CLI is set up and by which tools it does what a scenario asks for. Nothing on the way of a
read imports this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

Api = Literal["anthropic", "responses", "chat", "gemini"]
"""The wire form in which a CLI asks a model: Anthropic Messages, OpenAI Responses, OpenAI Chat
Completions, Gemini generateContent."""

Release: TypeAlias = "tuple[int, ...]"
"""A version's numbers, to be compared: 2.1.220 is (2, 1, 220)."""


class Shell(Struct, tag_field="do", tag="shell", frozen=True, forbid_unknown_fields=True):
    """Run a command."""

    command: str
    title: str = ""
    seconds: float | None = None
    """The time limit that the model sets, where the tool takes one."""


class Read(Struct, tag_field="do", tag="read", frozen=True, forbid_unknown_fields=True):
    """Read a file of the project, text or image; paths are relative to the project."""

    path: str


class Edit(Struct, tag_field="do", tag="edit", frozen=True, forbid_unknown_fields=True):
    """Replace a text in a file."""

    path: str
    old: str
    new: str


class Write(Struct, tag_field="do", tag="write", frozen=True, forbid_unknown_fields=True):
    """Write a new file."""

    path: str
    content: str


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a plan."""

    title: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Plan(Struct, tag_field="do", tag="plan", frozen=True, forbid_unknown_fields=True):
    """Write the plan down, all of it."""

    items: tuple[Item, ...]


class Delegate(Struct, tag_field="do", tag="delegate", frozen=True, forbid_unknown_fields=True):
    """Hand a task to a sub-agent, and wait for its answer."""

    prompt: str
    title: str = ""


class Mcp(Struct, tag_field="do", tag="mcp", frozen=True, forbid_unknown_fields=True):
    """Call a tool of an MCP server."""

    tool: str
    arguments: dict[str, Any] = {}
    server: str = "tiny"


class Search(Struct, tag_field="do", tag="search", frozen=True, forbid_unknown_fields=True):
    """Search the web; what is found is scripted, too."""

    query: str


class Answer(Struct, tag_field="do", tag="answer", frozen=True, forbid_unknown_fields=True):
    """Give the answer that a JSON Schema asks for."""

    value: dict[str, Any]


class Other(Struct, tag_field="do", tag="other", frozen=True, forbid_unknown_fields=True):
    """Call a tool by a name of no engine: one that there is not."""

    name: str
    arguments: dict[str, Any] = {}


Call = Shell | Read | Edit | Write | Plan | Delegate | Mcp | Search | Answer | Other
"""What a scripted model does, in words of no engine."""


class NativeCall(Struct, kw_only=True, frozen=True):
    """A call as the model must say it to one CLI.

    `kind`: "function" with JSON arguments; "custom" with free text (codex's `apply_patch`);
    "tool_search" (codex's search for deferred tools, which the CLI answers); "web_search" (the
    provider has searched: nothing for the CLI to do); "text" (the arguments are the answer's text,
    for an engine whose structured answer is no call).
    """

    name: str
    arguments: dict[str, Any] | str
    kind: Literal["function", "custom", "tool_search", "web_search", "text"] = "function"
    namespace: str | None = None


class Turn(Struct, frozen=True):
    """One message of the conversation as the CLI sent it."""

    role: str
    """"user", "assistant" or "tool" (a message that holds results)."""
    text: str
    """All of its texts, results of tools among them, joined by line breaks."""


class Asked(Struct, kw_only=True):
    """One request of a CLI to its model, as far as the wire forms have it in common."""

    api: Api
    model: str
    tools: dict[str, str]
    """The offered tools: name to kind ("function", "custom", "namespace", …)."""
    system: str
    turns: list[Turn]
    stream: bool
    body: dict[str, Any]
    """The request itself."""


class Ask(Struct, kw_only=True, frozen=True):
    """What a scenario wants of a CLI, in words of no engine."""

    prompt: str
    variant: str = ""
    """Variants joined by "--" as in the capture's name; each is one of the engine's `variants`."""
    permission: Literal["all", "none"] = "all"
    resume: str | None = None
    """The id of the session to go on with."""
    schema: dict[str, Any] | None = None
    max_turns: int | None = None
    mcp: bool = False
    """Whether the tiny MCP server is to be set up."""
    search: bool = False
    """Whether the web may be searched."""
    http: int | None = None
    """The status that the model answers with for ever."""
    cut: Literal["once", "always"] | None = None
    """How often the connection breaks in the middle of an answer."""
    full: bool = False
    """Whether the context is to be compacted, as the model's account says that it is full."""
    inputs: tuple[str, ...] = ()
    """Several user messages on stdin, where the CLI takes them; the prompt is the first."""


class Site(Struct, kw_only=True, frozen=True):
    """Where a run takes place. Paths are absolute."""

    cli: str
    """The executable."""
    version: str
    home: str
    project: str
    """The working directory."""
    port: int
    """Of the model server, on 127.0.0.1."""
    mcp_command: tuple[str, ...]
    """The command that starts the tiny MCP server, named `tiny`."""

    @property
    def release(self) -> Release:
        """The version's numbers."""
        return release(self.version)


class Launch(Struct, kw_only=True, frozen=True):
    """A process to start, and what must stand there first."""

    argv: list[str]
    """Begins with the program's name; the recorder puts the executable's path in its place."""
    stdin: str | None = None
    single: bool = False
    """Whether one document is printed and no lines."""
    env: dict[str, str] = {}
    """Beyond HOME, PATH, TMPDIR, TERM, LANG, NO_COLOR and the like, which are set for all."""
    files: dict[str, str] = {}
    """Files to write first, absolute path to text."""
    warm_up: float = 0
    """Seconds that the model lets pass before its first answer in the conversation: what the CLI
    loads or asks for beside it is there by then."""


class Offline(Protocol):
    """What an engine tells of its CLI's runs without an account: module `offline`."""

    package: str
    """The npm package."""
    program: str
    """The name of the executable."""

    @property
    def variants(self) -> Mapping[str, str]:
        """The ways to run it beside the plain one: a capture's suffix to what it says."""

    def cannot(self, ask: Ask, calls: Sequence[Call], site: Site, /) -> str | None:
        """Return why the CLI's version cannot do that, or None where it can."""

    def launch(self, ask: Ask, site: Site, /) -> Launch:
        """Return how the CLI is started."""

    def native(self, call: Call, asked: Asked, site: Site, /) -> NativeCall:
        """Return a call as this CLI's model says it, given the tools that are offered."""

    def before(self, call: Call, asked: Asked, site: Site, /) -> NativeCall | None:
        """Return what the model must call first for the call to be possible (a tool search)."""

    def after(self, calls: Sequence[Call], asked: Asked, site: Site, /) -> list[NativeCall]:
        """Return what the model calls next of its own to see these calls through (a wait)."""

    def helper(self, asked: Asked, /) -> str | None:
        """Return what to answer where the request is none of the conversation: a title, a route."""


def release(version: str) -> Release:
    """Return a version's numbers; of what is no version, none."""
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
