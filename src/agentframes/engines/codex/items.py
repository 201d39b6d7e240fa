# SPDX-License-Identifier: Apache-2.0
"""Codex's thread items to signals.

Calls are told when they start and when they are completed, in any order among each other;
`file_change` comes completed only before 0.146, so a call that was never started is told first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Literal

from agentframes.engines.codex import tools
from agentframes.engines.codex.frames import NOTHING, AgentState, Frame, Item, McpResult
from agentframes.engines.codex.kinds import ITEMS
from agentframes.engines.support import decode, remember, told
from agentframes.lazy import Lazy
from agentframes.signals import (
    Agent,
    Media,
    Native,
    Notice,
    Plan,
    PlanItem,
    Reasoning,
    Stretch,
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
_MESSAGES = frozenset({"agent_message", "assistant_message"})
_STATUSES: dict[str, Literal["ok", "failed", "denied"]] = {
    "completed": "ok",
    "failed": "failed",
    "declined": "denied",  # since 0.94 or so, no capture shows it
}


def read(reader: CodexInterpreter, item: Item, phase: str, place: Place, kind: str) -> None:
    """Read one item; `phase` is started, updated or completed."""
    if item.type in FAMILIES:
        _call(reader, item, phase, place, kind)
    elif item.type in _MESSAGES:
        if phase == "completed":
            _message(reader, item, place, kind)
    elif reader.full:
        _OTHERS[item.type](reader, item, place, kind)


def _message(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    at, text = place.span(), told(item.text)
    if text is None:
        return
    name = item.id or f"line {at.first}"
    reader.emit(Text(at=at, kind=kind, message_id=name, part=0, text=text))
    reader.emit(Native(at=at, kind=kind, final_text=text, final_text_source="last_message"))


def _reasoning(reader: CodexInterpreter, item: Item, place: Place, kind: str) -> None:
    at, text = place.span(), told(item.text)
    if text is not None:
        name = item.id or f"line {at.first}"
        reader.emit(Reasoning(at=at, kind=kind, message_id=name, part=0, text=text))


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


_PHASES = {"item.started": False, "item.updated": False, "item.completed": True}
_CALLS = FAMILIES.keys() - {"collab_tool_call"}


def routine(reader: CodexInterpreter, frames: Iterator[Frame], stretch: Stretch) -> Frame | None:
    """Read, for facts alone, items up to the first frame that does not only go on: return that.

    To facts, a call is one however often it is told, and only calls and messages are anything.
    """
    known, said = reader.open_calls, stretch.said
    for frame in frames:
        over, item = _PHASES.get(frame.type), frame.item
        if over is None or item is None or item.item_type or item.type not in ITEMS[frame.type]:
            return frame
        call_id = item.id
        if item.type in _CALLS and call_id:
            if call_id not in known or (over and item.type == "web_search"):
                stretch.tools.append(call_id)
                stretch.active = True
            if over:
                known.pop(call_id, None)
            else:
                remember(known, call_id, None)
        elif item.type in _MESSAGES:
            text = told(item.text) if over else None
            if text is not None:
                said.append((item.id, item.text))
                stretch.final_text = text
                stretch.active = True
        elif item.type not in _OTHERS:
            return frame
        stretch.frames += 1
    return None


# --- calls ---------------------------------------------------------------------------------------


def _call(reader: CodexInterpreter, item: Item, phase: str, place: Place, kind: str) -> None:
    call_id = item.id or f"line {place.line}"
    over = phase == "completed"
    # A web search starts without its query (s31), so its completion tells the call again.
    again = over and item.type == "web_search"
    if again or call_id not in reader.open_calls:
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
    if not over:
        remember(reader.open_calls, call_id, None)
        return
    reader.open_calls.pop(call_id, None)
    if reader.full:
        _end(reader, item, call_id, place, kind)
    elif item.type == "collab_tool_call":
        _agents(reader, item, call_id, place, kind)


def _input(item: Item) -> Lazy | None:
    """What the call was given, as an object."""
    if item.type == "command_execution":
        return tools.wrapped(command=item.command)
    if item.type == "web_search":
        return tools.wrapped(query=item.query, action=item.action)
    if item.type == "file_change":
        return Lazy.of({"changes": item.changes or []})
    if item.type == "collab_tool_call":
        return Lazy.of({"prompt": item.prompt, "receivers": item.receiver_thread_ids or []})
    return told(item.arguments)


def _end(reader: CodexInterpreter, item: Item, call_id: str, place: Place, kind: str) -> None:
    status = _STATUSES.get(item.status or "completed", "failed")
    output = told(item.aggregated_output)
    error = item.error.message if item.error else None
    result = _mcp_result(item)
    if result is not None:
        text = tools.text(result.content or [])
        output = None if text is None else Lazy.of(text)
        # A tool that reports failure has its words in the result, and no error (s12).
        error = error or (text if status == "failed" else None)
    structured = result.structured_content if result else NOTHING
    reader.emit(
        ToolEnd(
            at=place.span(),
            kind=kind,
            call_id=call_id,
            status=status,
            exit_code=item.exit_code,
            output=output,
            structured=told(structured),
            error=error,
            files=[
                tools.file_change(change.path, change.kind)
                for change in item.changes or ()
                if status == "ok"
            ],
        )
    )
    if result is not None:
        media_of = partial(Media, at=place.span(), kind=kind, owner=call_id)
        for media in tools.media(result.content or [], "/item/result/content", media_of):
            reader.emit(media)
    if item.type == "collab_tool_call":
        _agents(reader, item, call_id, place, kind)


def _mcp_result(item: Item) -> McpResult | None:
    result: McpResult | None = decode(item.result, McpResult | None)
    return result


def _agents(reader: CodexInterpreter, item: Item, call_id: str, place: Place, kind: str) -> None:
    """Tell sub-agents by their threads: spawned by one call, reported by another (s17)."""
    states = item.agents_states or {}
    spawned = (item.receiver_thread_ids or []) if item.tool == "spawn_agent" else []
    for thread in spawned:
        remember(reader.agents, thread, call_id)
    for thread in spawned or states:
        state = states.get(thread) or AgentState()
        over = state.status not in (None, "pending_init", "running")
        reader.emit(
            Agent(
                at=place.span(),
                kind=kind,
                call_id=reader.agents.get(thread, call_id),
                agent_id=thread,
                phase="start" if spawned else "end" if over else "progress",
                status=state.status,
                prompt=item.prompt if spawned else None,
                summary=state.message,
            )
        )
