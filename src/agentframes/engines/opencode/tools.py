# SPDX-License-Identifier: Apache-2.0
"""What opencode's tools are, and what the state of a call tells."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct

from agentframes.engines.opencode.frames import Input, Metadata, State, Time, Todo
from agentframes.engines.support import bounded, decode, told
from agentframes.lazy import Lazy
from agentframes.lenient import lenient
from agentframes.signals import FileChange, PlanItem

S = TypeVar("S", bound=Struct)

INVALID = "invalid"
"""The CLI's own answer to a call of a tool that there is not, or with wrong arguments."""

# Captured: bash, edit, invalid, read, task, todowrite, write. Others stand in the lists of tools
# that `invalid` prints; those of the last line are known from the sources alone.
FAMILIES = {
    "bash": "execute",
    "read": "read", "list": "read",
    "edit": "edit", "write": "edit",
    "glob": "search", "grep": "search",
    "webfetch": "fetch",
    "todowrite": "plan", "todoread": "plan",
    "task": "agent",
    "question": "ask",
    "skill": "other",
    "apply_patch": "edit", "patch": "edit", "multiedit": "edit", "websearch": "web_search",
    "codesearch": "search", "lsp": "read", "plan_enter": "other", "plan_exit": "other",
}  # fmt: skip

# 1.14.41 and 1.18.33 print the sentence, 1.2.27 the error's name. Both names and the sentence of
# a rule that denies are in the sources; no capture shows a denying rule.
_REFUSED = (
    r"The user rejected permission to use this specific tool call"
    r"|The user has specified a rule which prevents you from using this specific tool call"
    r"|PermissionRejectedError\b|PermissionDeniedError\b"
)
_TASK_RESULT = r"(?s)<task_result>\n(.*)\n</task_result>"
# 1.0.185 puts the sub-agent's session behind its words.
_TASK_METADATA = r"(?s)\n\n<task_metadata>\n.*</task_metadata>\s*$"

_STATUSES: dict[str, Literal["pending", "in_progress", "completed", "cancelled"]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
    "cancelled": "cancelled",
}


def read_part(raw: Raw, struct: type[S]) -> S:
    """Decode a part of a call's state, field by field where one is odd."""
    if told(raw) is None:
        return struct()
    try:
        value: S = msgspec.json.decode(raw, type=struct)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found, _ = lenient(raw, struct)
        return struct() if found is None else found
    return value


def family(name: str) -> str:
    """Return the family of a tool: its kind of work, in words of no engine.

    A tool of an MCP server is called SERVER_TOOL, and so may be a plugin's.
    """
    return FAMILIES.get(name) or ("mcp" if "_" in name else "other")


def server_and_tool(name: str) -> tuple[str | None, str | None]:
    """Split SERVER_TOOL; where there are several underscores it cannot be told where."""
    if family(name) != "mcp" or name.count("_") != 1:
        return None, None
    server, _, tool = name.partition("_")
    return server or None, tool or None


def refused(state: State) -> bool:
    """Tell whether a call was refused for want of permission."""
    return state.status == "error" and re.match(_REFUSED, state.error or "") is not None


def status(state: State, metadata: Metadata) -> Literal["ok", "failed", "denied"]:
    """Tell how a call ended.

    To opencode a command is completed that exits with 3 (s04), or that never came to an end of
    its own (s36).
    """
    if state.status == "completed":
        return "ok" if metadata.exit is UNSET or metadata.exit == 0 else "failed"
    return "denied" if refused(state) else "failed"


def files(name: str, given: Input, metadata: Metadata) -> list[FileChange]:
    """Name the file a call touched, by what it was given and by the result's own word."""
    diff = metadata.filediff.file if metadata.filediff else None
    path = metadata.filepath or diff or given.filePath
    if path is None or name not in {"read", "edit", "write"}:
        return []
    if name == "read":
        return [FileChange(path=path, change="read")]
    created = name == "write" and metadata.exists is False
    return [FileChange(path=path, change="add" if created else "update")]


def duration(time: Time | None) -> float | None:
    """Return the milliseconds between two times, where both are told."""
    time = bounded(time or Time())
    return None if time.start is None or time.end is None else time.end - time.start


def plan(todos: list[Todo]) -> list[PlanItem]:
    """A plan's items have no ids, so their position is the key."""
    return [
        PlanItem(key=str(position), title=todo.content, status=_STATUSES.get(todo.status or ""))
        for position, todo in enumerate(todos, 1)
    ]


def task_summary(output: Lazy | None) -> str | None:
    """Return what a sub-agent answered, without what the CLI writes around it."""
    if output is None:
        return None
    text = output.text()
    match = re.search(_TASK_RESULT, text)
    return match[1] if match else re.sub(_TASK_METADATA, "", text)


def attachments(raw: Raw) -> list[Any]:
    """Return what a call brought back beside text, undecoded."""
    return decode(raw, list[Raw]) or []
