# SPDX-License-Identifier: Apache-2.0
"""What Gemini CLI's tools are, what they are given, and what their results tell.

Names are those of the captures and of the tool tables in the sources of 0.15.4, 0.24.5 and
0.61.0. A tool of an MCP server is ``mcp_SERVER_TOOL`` in 0.38.2 and newer; before, it bears its
own bare name and cannot be told from a tool that nobody knows.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Raw, Struct

from agentframes.engines.gemini.frames import Frame
from agentframes.engines.support import decode
from agentframes.lazy import Lazy
from agentframes.signals import FileChange, PlanItem

Status = Literal["ok", "failed", "denied", "invalid", "cancelled"]

FAMILIES = {
    "run_shell_command": "execute",
    "read_file": "read", "read_many_files": "read", "list_directory": "read",
    "get_internal_docs": "read", "read_mcp_resource": "read", "list_mcp_resources": "read",
    "replace": "edit", "write_file": "edit",
    "grep_search": "search", "search_file_content": "search", "glob": "search",
    "web_fetch": "fetch", "google_web_search": "web_search",
    "write_todos": "plan", "enter_plan_mode": "plan", "exit_plan_mode": "plan",
    "tracker_create_task": "plan", "tracker_update_task": "plan", "tracker_get_task": "plan",
    "tracker_list_tasks": "plan", "tracker_add_dependency": "plan", "tracker_visualize": "plan",
    "invoke_agent": "agent",  # 0.47.0 and newer
    "delegate_to_agent": "agent",  # 0.24.5
    # Sub-agents that are tools of their own: 0.15.4, and 0.38.2 (which offers cli_help, too).
    "codebase_investigator": "agent", "generalist": "agent", "cli_help": "agent",
    "ask_user": "ask", "complete_task": "output",
}  # fmt: skip
_BY_AGENT_NAME = frozenset({"invoke_agent", "delegate_to_agent"})

_MCP = r"mcp_([^_]+)_(.+)"  # as the CLI itself reads such a name
_STATUSES: dict[str, Status] = {
    "tool_not_registered": "invalid",
    "invalid_tool_params": "invalid",
    "policy_violation": "denied",  # source of 0.61.0, no capture
}
_TODO: dict[str, Literal["pending", "in_progress", "completed", "cancelled"]] = {
    "pending": "pending", "in_progress": "in_progress", "completed": "completed",
    "cancelled": "cancelled",
    "blocked": "pending",  # typings of 0.61.0, no capture
}  # fmt: skip
_READ_MEDIA = r"Read (?:image|audio|video|pdf) file: "
# By the file's name, as the CLI itself tells them.
_MEDIA_TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "bmp": "image/bmp", "heic": "image/heic", "pdf": "application/pdf",
    "mp3": "audio/mpeg", "wav": "audio/wav", "mp4": "video/mp4", "webm": "video/webm",
}  # fmt: skip


def family(name: str) -> str:
    """Return the family of a tool: its kind of work, in words of no engine."""
    known = FAMILIES.get(name)
    return known or ("mcp" if re.fullmatch(_MCP, name) else "other")


def server_and_tool(name: str) -> tuple[str | None, str | None]:
    """Split ``mcp_SERVER_TOOL``; a server with an underscore in its name is cut there."""
    match = re.fullmatch(_MCP, name)
    return (match[1], match[2]) if match else (None, None)


class Todo(Struct):
    """An item of `write_todos`."""

    description: str | None = None
    status: str | None = None


class Given(Struct):
    """What tools are called with, as far as it tells more than the call itself.

    A model writes it, so nothing here is the CLI's promise.
    """

    file_path: str | None = None
    absolute_path: str | None = None
    """What `read_file` called it up to 0.13.0 (captures of 0.11.3)."""
    old_string: str | None = None
    todos: list[Todo] | None = None
    agent_name: str | None = None
    prompt: str | None = None
    """Of `invoke_agent`."""
    objective: str | None = None
    """Of `delegate_to_agent` and `codebase_investigator`."""
    request: str | None = None
    """Of `generalist`."""


def given(parameters: Raw) -> Given:
    """Read what a tool is called with; nothing where it is of another shape."""
    value = decode(parameters, Given)
    return value if isinstance(value, Given) else Given()


def agent(name: str, told: Given) -> tuple[str | None, str | None]:
    """Name the sub-agent that a call spawns, and what it is asked for."""
    prompt = told.prompt or told.objective or told.request
    return (told.agent_name if name in _BY_AGENT_NAME else name), prompt


def plan(told: Given) -> list[PlanItem]:
    """`write_todos` writes the whole list; its items have no ids, so their position is the key."""
    return [
        PlanItem(key=str(position), title=todo.description, status=_TODO.get(todo.status or ""))
        for position, todo in enumerate(told.todos or (), 1)
    ]


def file(name: str, told: Given) -> FileChange | None:
    """Name the file a call touches; nothing tells whether `write_file` makes a new one."""
    if name == "read_file":
        path = told.file_path or told.absolute_path
        return None if path is None else FileChange(path=path, change="read")
    if told.file_path is None:
        return None
    if name == "replace":
        change: Literal["add", "update"] = "add" if told.old_string == "" else "update"
        return FileChange(path=told.file_path, change=change)
    return FileChange(path=told.file_path, change="update") if name == "write_file" else None


def status(frame: Frame) -> Status:
    """Tell how a call ended.

    A cancelled one says ``success``; the source has an error beside it then or nothing, so that
    most of them look like any other success. A shell command that failed does, in every version.
    """
    error = frame.error
    if frame.status == "success":
        return "ok" if error is None else "cancelled"
    return _STATUSES.get((error.type if error else None) or "", "failed")


def is_media(output: Lazy | None) -> bool:
    """Tell from the words shown that `read_file` gave the model an image or the like (s20)."""
    return output is not None and re.match(_READ_MEDIA, output.text()) is not None


def media_type(path: str) -> str | None:
    """Name the media type of a file."""
    return _MEDIA_TYPES.get(path.rpartition(".")[2].lower())
