# SPDX-License-Identifier: Apache-2.0
"""What Claude Code's tools are, and what their results tell."""

from __future__ import annotations

import re
from typing import Any, Literal

from msgspec import Raw, Struct

from agentframes.engines.claude.frames import NOTHING, Block, Frame, ToolResultMeta, ToolUseResult
from agentframes.engines.support import decode, told
from agentframes.lazy import Lazy
from agentframes.signals import FileChange, PlanItem

EndStatus = Literal["ok", "failed", "denied", "invalid", "cancelled"]

FAMILIES = {
    "Bash": "execute", "BashOutput": "execute", "KillShell": "execute", "PowerShell": "execute",
    "Monitor": "execute",
    "Read": "read", "NotebookRead": "read", "LS": "read",
    "Edit": "edit", "MultiEdit": "edit", "Write": "edit", "NotebookEdit": "edit",
    "Grep": "search", "Glob": "search", "ToolSearch": "search",
    "WebFetch": "fetch", "WebSearch": "web_search", "web_search": "web_search",
    "TodoWrite": "plan", "TaskCreate": "plan", "TaskUpdate": "plan", "TaskList": "plan",
    "TaskGet": "plan",
    "Task": "agent", "Agent": "agent", "SendMessage": "agent", "TaskOutput": "agent",
    "TaskStop": "agent",
    "AskUserQuestion": "ask", "StructuredOutput": "output",
}  # fmt: skip

_EXIT_CODE = r"(?:Error: )?Exit code (-?\d{1,10})(?:\n|$)"
# A run that is stopped tells its open call so, as a rejection like any other (s26 of 2.1.220).
_CANCELLED = "The user doesn't want to proceed with this tool use"
# Words of a refusal where `tool_result_meta` (2.1.220 on) does not tell it.
_REFUSED = r"Claude requested permissions to |Permission to use \S+ .*denied"
# The call itself was no good, so nothing ran; no capture shows it.
_INVALID = r"<tool_use_error>(?:InputValidationError|Error: No such tool available)"
_STATUSES = {"pending": "pending", "in_progress": "in_progress", "completed": "completed",
             "deleted": "cancelled", "cancelled": "cancelled"}  # fmt: skip


def family(name: str) -> str:
    """Return the family of a tool: its kind of work, in words of no engine."""
    if name.startswith("mcp__"):
        return "mcp"
    return FAMILIES.get(name, "other")


def server_and_tool(name: str) -> tuple[str | None, str | None]:
    """Split ``mcp__SERVER__TOOL``."""
    if not name.startswith("mcp__"):
        return None, None
    server, _, tool = name.removeprefix("mcp__").partition("__")
    return server, tool or None


class Source(Struct):
    """An image or document block's source; captures show the type ``base64`` alone."""

    type: str | None = None
    media_type: str | None = None
    data: Raw = NOTHING
    url: str | None = None


class ResultBlock(Struct):
    """A block inside a tool result's content."""

    type: str = ""
    text: str | None = None
    tool_name: str | None = None
    source: Source | None = None


def result_blocks(content: Raw) -> list[ResultBlock]:
    """Return the blocks of a tool result, where it has blocks."""
    if bytes(memoryview(content)[:1]) != b"[":
        return []
    return decode(content, list[ResultBlock]) or []


def output(block: Block) -> Lazy | None:
    """Return what a tool printed, as text; blocks are joined by newlines, images have none."""
    content = told(block.content)
    if content is None:
        return None
    blocks = result_blocks(block.content)
    if not blocks:
        return content
    # A block of ToolSearch names a tool (s12 of 2.1.332).
    texts = [part.text if part.text is not None else part.tool_name for part in blocks]
    words = [text for text in texts if text is not None]
    return Lazy.of("\n".join(words)) if words else None


def exit_code(error: str) -> int | None:
    """A failed command's words begin with its exit code since 2.0 (1.0.128 tells none)."""
    match = re.match(_EXIT_CODE, error)
    return int(match[1]) if match else None


def status(frame: Frame, block: Block, words: str) -> EndStatus:
    """Tell how a call ended, by the engine's own mark first and then by its words."""
    if not block.is_error:
        return "ok"
    if words.startswith(_CANCELLED):
        return "cancelled"
    if re.match(_INVALID, words):
        return "invalid"
    for meta in decode(frame.tool_result_meta, list[ToolResultMeta]) or ():
        if meta.id == block.tool_use_id and meta.non_execution_kind:
            return "denied" if "reject" in meta.non_execution_kind else "cancelled"
    return "denied" if re.match(_REFUSED, words) else "failed"


def files(name: str, result: ToolUseResult) -> list[FileChange]:
    """Name the files a call touched, by the result's own word."""
    if result.file and result.file.filePath:
        return [FileChange(path=result.file.filePath, change="read")]
    if result.filePath and family(name) == "edit":
        created = result.type == "create"
        return [FileChange(path=result.filePath, change="add" if created else "update")]
    return []


class Todo(Struct):
    """An item of TodoWrite; no capture shows it (2.1.220 and 2.1.332 have TaskCreate)."""

    content: str | None = None
    status: str | None = None


class PlanInput(Struct):
    """Input of the plan tools: TodoWrite, TaskCreate, TaskUpdate."""

    todos: list[Todo] | None = None
    subject: str | None = None
    taskId: str | None = None
    status: str | None = None


def plan_snapshot(todos: list[Todo]) -> list[PlanItem]:
    """TodoWrite's list; its items have no ids, so their position is the key."""
    return [
        PlanItem(key=str(position), title=todo.content, status=_status(todo.status))
        for position, todo in enumerate(todos, 1)
    ]


def plan_patch(given: PlanInput, result: ToolUseResult) -> list[PlanItem]:
    """What TaskCreate or TaskUpdate did; a new item's id stands in the result."""
    created = result.task
    if created and created.id:
        return [PlanItem(key=created.id, title=created.subject or given.subject, status="pending")]
    if given.taskId:
        return [PlanItem(key=given.taskId, title=given.subject, status=_status(given.status))]
    return []


def _status(native: str | None) -> Any:
    return _STATUSES.get(native or "")
