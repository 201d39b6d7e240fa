# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI's tool calls: a `tool_use` frame, and a `tool_result` that names it by its id.

The output is what the CLI shows, not what the model got: absent for commands in 0.38.2 and for
edits, plans and sub-agents, empty for `read_file`. No version tells an exit status anywhere, and
a command that exits 3 is a success (s04).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentframes.engines.gemini import tools
from agentframes.engines.support import remember, told
from agentframes.signals import (
    Agent,
    FileChange,
    Media,
    Permission,
    Plan,
    ToolCall,
    ToolEnd,
)

if TYPE_CHECKING:
    from agentframes.engines.gemini.frames import Frame
    from agentframes.engines.gemini.signals import GeminiInterpreter
    from agentframes.frames import Place


class Call(NamedTuple):
    """What is known of a call when its result comes."""

    name: str
    file: FileChange | None
    agent: str | None


def begin(reader: GeminiInterpreter, frame: Frame, place: Place, kind: str) -> None:
    """Tell a call; a plan is told with it, and so is the sub-agent it spawns."""
    reader.said.over()
    call_id, name = frame.tool_id or f"line {place.line}", frame.tool_name or ""
    family = tools.family(name)
    server, tool = tools.server_and_tool(name)
    time_ms = reader.time(frame)
    reader.emit(
        ToolCall(
            at=reader.at,
            kind=kind,
            time_ms=time_ms,
            call_id=call_id,
            name=name,
            family=family,
            input=told(frame.parameters) if reader.full else None,
            server=server,
            tool=tool,
        )
    )
    if not reader.full:
        return
    given = tools.given(frame.parameters)
    agent = None
    if family == "agent":
        agent, prompt = tools.agent(name, given)
        reader.emit(
            Agent(
                at=reader.at,
                kind=kind,
                time_ms=time_ms,
                call_id=call_id,
                phase="start",
                name=agent,
                prompt=prompt,
            )
        )
    elif name == "write_todos" and (items := tools.plan(given)):
        reader.emit(Plan(at=reader.at, kind=kind, time_ms=time_ms, items=items))
    remember(reader.calls, call_id, Call(name, tools.file(name, given), agent))


def end(reader: GeminiInterpreter, frame: Frame, _: Place, kind: str) -> None:
    """Tell how a call ended, and what its result means beyond the call."""
    reader.said.over()
    if not reader.full:
        return
    call_id = frame.tool_id or ""
    call: Call = reader.calls.pop(call_id, Call("", None, None))
    status, output, time_ms = tools.status(frame), told(frame.output), reader.time(frame)
    error = frame.error.message if frame.error else None
    done = call.file if status == "ok" else None
    reader.emit(
        ToolEnd(
            at=reader.at,
            kind=kind,
            time_ms=time_ms,
            call_id=call_id,
            status=status,
            output=output,
            error=error,
            ended_ms=time_ms,
            files=[done] if done else [],
        )
    )
    if status == "denied":
        reader.emit(
            Permission(
                at=reader.at,
                kind=kind,
                time_ms=time_ms,
                phase="denied",
                call_id=call_id,
                tool=call.name or None,
                reason=error,
            )
        )
    if call.name == "read_file" and done and tools.is_media(output):
        # No data is printed, so the file itself is all there is to point to.
        media_type = tools.media_type(done.path)
        reader.emit(
            Media(
                at=reader.at,
                kind=kind,
                time_ms=time_ms,
                owner=call_id,
                media_type=media_type,
                path=done.path,
            )
        )
    if call.agent:
        reader.emit(
            Agent(
                at=reader.at,
                kind=kind,
                time_ms=time_ms,
                call_id=call_id,
                phase="end",
                name=call.agent,
                status=frame.status,
            )
        )
