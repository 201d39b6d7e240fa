# SPDX-License-Identifier: Apache-2.0
"""Codex's thread items to signals.

Calls are told when they start and when they are completed, in any order among each other;
`file_change` comes completed only before 0.146, so a call that was never started is told first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from agentframes.engines.codex.frames import NOTHING, Item, McpResult
from agentframes.engines.support import decoded_size
from agentframes.lazy import Lazy, present
from agentframes.signals import (
    Agent,
    FileChange,
    Media,
    Native,
    Notice,
    Plan,
    PlanItem,
    Reasoning,
    Text,
    ToolCall,
    ToolEnd,
)

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter
    from agentframes.frames import Place

FAMILIES = {
    "command_execution": "execute",
    "file_change": "edit",
    "mcp_tool_call": "mcp",
    "collab_tool_call": "agent",
    "web_search": "web_search",
}
_STATUSES: dict[str, Literal["ok", "failed", "denied"]] = {
    "completed": "ok",
    "failed": "failed",
    "declined": "denied",
}
_CHANGES: dict[str, Literal["add", "update", "delete"]] = {
    "add": "add", "update": "update", "delete": "delete",
}  # fmt: skip


def read(reader: CodexInterpreter, item: Item, phase: str, place: Place, kind: str) -> None:
    """Read one item; `phase` is started, updated or completed."""
    if item.type in FAMILIES:
        _call(reader, item, phase, place, kind)
    elif item.type == "agent_message":
        if phase == "completed":
            _message(reader, item, place, kind)
    elif reader.full:
        _OTHERS[item.type](reader, item, place, kind)


def _message(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    at, text = place.span(), Lazy(item.text)
    reader.emit(Text(at=at, kind=kind, message_id=item.id, part=0, text=text))
    reader.emit(Native(at=at, kind=kind, final_text=text, final_text_source="last_message"))


def _reasoning(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    reader.emit(
        Reasoning(at=place.span(), kind=kind, message_id=item.id, part=0, text=Lazy(item.text))
    )


def _plan(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    steps = [
        PlanItem(
            key=str(position),
            title=todo.text,
            status="completed" if todo.completed else "pending",
        )
        for position, todo in enumerate(item.items or (), 1)
    ]
    reader.emit(Plan(at=place.span(), kind=kind, items=steps))


def _warning(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    """An `error` item is a warning: unknown model metadata, a deprecation (0.171.0)."""
    reader.emit(
        Notice(
            at=place.span(),
            kind=kind,
            category="warning",
            severity="warn",
            label="Warning",
            text=item.message,
        )
    )


_OTHERS: dict[str, Callable[[CodexInterpreter, Item, Place, str], None]] = {
    "reasoning": _reasoning,
    "todo_list": _plan,
    "error": _warning,
}


# --- calls -----------------------------------------------------------------------------------


def _call(reader: CodexInterpreter, item: Item, phase: str, place: Place, kind: str) -> None:
    call_id = item.id or f"line {place.line}"
    if call_id not in reader.open_calls:
        reader.emit(
            ToolCall(
                at=place.span(),
                kind=kind,
                call_id=call_id,
                name=item.tool or item.type,
                family=FAMILIES[item.type],
                input=_input(item) if reader.full else None,
                server=item.server,
                tool=item.tool,
            )
        )
    if phase != "completed":
        reader.open_calls.add(call_id)
        return
    reader.open_calls.discard(call_id)
    if reader.full:
        reader.emit(_end(item, call_id, place, kind))
        if item.type == "mcp_tool_call":
            _media(reader, item, call_id, place, kind)
        elif item.type == "collab_tool_call":
            _agents(reader, item, call_id, place, kind)


def _input(item: Item) -> Lazy | None:
    """What the call was given, as an object."""
    if item.type == "command_execution":
        return _wrapped("command", item.command)
    if item.type == "web_search":
        return _wrapped("query", item.query)
    if item.type == "file_change":
        return Lazy.of({"changes": item.changes or []})
    if item.type == "collab_tool_call":
        return Lazy.of({"prompt": item.prompt, "receivers": item.receiver_thread_ids or []})
    return Lazy(item.arguments) if present(item.arguments) else None


def _wrapped(key: str, raw: Any) -> Lazy | None:
    value = bytes(raw)
    return Lazy(b'{"%s":%s}' % (key.encode(), value)) if value else None


def _end(item: Item, call_id: str, place: Place, kind: str) -> ToolEnd:
    result = _mcp_result(item)
    output = Lazy(item.aggregated_output) if present(item.aggregated_output) else None
    error = item.error.message if item.error else None
    if result is not None:
        texts = [part.text for part in result.content or () if part.text is not None]
        output = Lazy.of("\n".join(texts))
        # A tool that reports failure has its words in the result, and no error (s12).
        error = error or ("\n".join(texts) if item.status == "failed" else None)
    structured = result.structured_content if result else NOTHING
    return ToolEnd(
        at=place.span(),
        kind=kind,
        call_id=call_id,
        status=_STATUSES.get(item.status or "completed", "failed"),
        exit_code=item.exit_code,
        output=output,
        structured=Lazy(structured) if bytes(structured) not in (b"", b"null") else None,
        error=error,
        files=[
            FileChange(path=change.path, change=_CHANGES.get(change.kind or "", "update"))
            for change in item.changes or ()
        ],
    )


def _mcp_result(item: Item) -> McpResult | None:
    if not present(item.result):
        return None
    try:
        return msgspec.json.decode(item.result, type=McpResult | None)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _media(reader: CodexInterpreter, item: Item, call_id: str, place: Place, kind: str) -> None:
    result = _mcp_result(item) or McpResult()
    for position, part in enumerate(result.content or ()):
        if present(part.data):
            reader.emit(
                Media(
                    at=place.span(),
                    kind=kind,
                    owner=call_id,
                    media_type=part.mimeType,
                    bytes=decoded_size(part.data),
                    pointer=f"/item/result/content/{position}/data",
                )
            )


def _agents(reader: CodexInterpreter, item: Item, call_id: str, place: Place, kind: str) -> None:
    """Tell sub-agents by their threads: spawned by one call, reported by another."""
    if item.tool == "spawn_agent":
        for thread in item.receiver_thread_ids or ():
            reader.agents[thread] = call_id
            reader.emit(
                Agent(
                    at=place.span(),
                    kind=kind,
                    call_id=call_id,
                    agent_id=thread,
                    phase="start",
                    prompt=item.prompt,
                )
            )
        return
    for thread, state in (item.agents_states or {}).items():
        over = state.status not in (None, "pending_init", "running")
        reader.emit(
            Agent(
                at=place.span(),
                kind=kind,
                call_id=reader.agents.get(thread, call_id),
                agent_id=thread,
                phase="end" if over else "progress",
                status=state.status,
                summary=state.message,
            )
        )
