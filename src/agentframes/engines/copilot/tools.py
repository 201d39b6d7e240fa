# SPDX-License-Identifier: Apache-2.0
"""Copilot's tool calls: told while the model writes them, in its message, and when they start.

`success` says that the tool did its work; a shell command that exits 3 succeeds in that sense, and
its exit status stands in one of three places, by version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentframes.engines.copilot import results
from agentframes.engines.copilot.frames import (
    CallError,
    CallResult,
    Envelope,
    Frame,
    Telemetry,
    Told,
    ToolRequest,
    data_of,
    given,
)
from agentframes.engines.support import decode, remember
from agentframes.lazy import Lazy
from agentframes.signals import Notice, Permission, ToolCall, ToolEnd, ToolOutput

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place

# Captured: bash, read_bash, view, apply_patch, sql, task. The others are offered by the CLI.
FAMILIES = {
    "bash": "execute", "read_bash": "execute", "write_bash": "execute", "stop_bash": "execute",
    "list_bash": "execute", "powershell": "execute", "read_powershell": "execute",
    "write_powershell": "execute", "stop_powershell": "execute", "list_powershell": "execute",
    "view": "read",
    "apply_patch": "edit", "create": "edit", "edit": "edit", "str_replace_editor": "edit",
    "grep": "search", "rg": "search", "glob": "search", "tool_search": "search",
    "web_fetch": "fetch", "fetch_copilot_cli_documentation": "fetch",
    "web_search": "web_search",
    "sql": "plan", "update_todo": "plan", "exit_plan_mode": "plan",
    "task": "agent", "read_agent": "agent", "list_agents": "agent", "write_agent": "agent",
    "ask_user": "ask", "task_complete": "output",
}  # fmt: skip


class Call(NamedTuple):
    """What is known of a call when it ends."""

    name: str
    agent: str | None
    family: str
    title: str | None
    path: str | None


def requested(
    reader: CopilotInterpreter, told: dict[str, Any], request: ToolRequest, message_id: str
) -> None:
    """Read a call that a message asks for."""
    _tell(
        reader,
        told,
        request.toolCallId or f"line {told['at'].first}",
        request.name,
        request.mcpServerName,
        title=request.intentionSummary or request.toolTitle,
        message_id=message_id,
        tool=request.mcpToolName,
        input=Lazy(request.arguments) if given(request.arguments) else None,
    )


def delta(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a piece of a call that the model still writes."""
    data = data_of(frame)
    call_id = data.toolCallId or f"line {place.line}"
    if call_id in reader.calls and not reader.tells_again():
        return
    piece = Lazy(data.inputDelta) if given(data.inputDelta) else None
    told = reader.told(frame, place)
    _tell(reader, told, call_id, data.toolName, None, input=piece, mode="delta")


def started(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that a call starts; a message asked for it, and the CLI may make one of its own."""
    data = data_of(frame)
    _tell(
        reader,
        reader.told(frame, place),
        data.toolCallId or f"line {place.line}",
        data.toolName,
        data.mcpServerName,
        title=data.toolTitle,
        tool=data.mcpToolName,
        input=Lazy(data.arguments) if given(data.arguments) else None,
    )


def _tell(
    reader: CopilotInterpreter,
    told: dict[str, Any],
    call_id: str,
    name: str | None,
    server: str | None,
    *,
    title: str | None = None,
    input: Lazy | None,  # noqa: A002 - the signal's own word
    mode: Literal["delta", "whole"] = "whole",
    **more: Any,
) -> None:
    """Tell a call; facts count it once, however often it is told."""
    known = reader.calls.get(call_id)
    if known is not None and not reader.tells_again():
        return
    name = name or (known.name if known else "")
    family = "mcp" if server else FAMILIES.get(name, known.family if known else "other")
    title = (known.title if known else None) or title
    path = results.path_argument(name, input) if reader.full and mode == "whole" else None
    remember(reader.calls, call_id, Call(name, told["agent"], family, title, path))
    reader.emit(
        ToolCall(
            **told,
            call_id=call_id,
            name=name,
            family=family,
            input=input if reader.full else None,
            mode=mode,
            title=title,
            server=server,
            **more,
        )
    )


# --- output --------------------------------------------------------------------------------------


def output(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read what a shell command printed since (1.0.102)."""
    data = data_of(frame)
    call_id = data.toolCallId or ""
    remember(reader.streamed, call_id, None)
    stream: Literal["stdout", "stderr"] | None = (
        "stderr" if data.stream == "stderr" else "stdout" if data.stream == "stdout" else None
    )
    if given(data.text):
        reader.emit(
            ToolOutput(
                **reader.told(frame, place),
                call_id=call_id,
                text=Lazy(data.text),
                stream=stream,
                mode="append",
            )
        )


def partial_result(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read all that a call printed until now; repeated where `tool.shell_output` tells it too."""
    data = data_of(frame)
    call_id = data.toolCallId or ""
    if call_id not in reader.streamed and given(data.partialOutput):
        reader.emit(
            ToolOutput(
                **reader.told(frame, place),
                call_id=call_id,
                text=Lazy(data.partialOutput),
                mode="snapshot",
            )
        )


# --- end -----------------------------------------------------------------------------------------


def ended(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read how a call ended, and whether it was refused."""
    data = data_of(frame)
    told = reader.told(frame, place)
    call_id = data.toolCallId or ""
    error = decode(data.error, CallError | None) or CallError()
    denied = error.code == "denied"
    reader.denials += denied
    if not reader.full:
        if told["agent"] is None:  # facts only want to know that the answer begins anew
            reader.emit(ToolEnd(**told, call_id=call_id, status="ok"))
        return
    call: Call = reader.calls.get(call_id) or Call(data.toolName or "", None, "other", None, None)
    if denied:
        reader.emit(
            Permission(
                **told,
                phase="denied",
                call_id=call_id,
                tool=call.name or None,
                reason=error.message,
            )
        )
    result = decode(data.result, CallResult | None) or CallResult()
    telemetry = decode(data.toolTelemetry, Telemetry | None) or Telemetry()
    code = results.exit_code(data, telemetry, result, shell=call.family == "execute")
    failed = data.success is False or bool(code)
    structured = result.structuredContent
    reader.emit(
        ToolEnd(
            **told,
            call_id=call_id,
            status="ok" if not failed else results.failed_status(error),
            exit_code=code,
            output=Lazy(result.content) if given(result.content) else None,
            structured=Lazy(structured) if given(structured) else None,
            error=error.message,
            ended_ms=told["time_ms"],
            files=results.files(data, telemetry, call.name, call.path) if data.success else [],
        )
    )
    results.media(reader, told, call_id, result)


def interrupted(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that an agent was stopped, and in which calls."""
    data = reader.glance(place, Envelope).data or Told()
    told = reader.told(frame, place)
    for call_id in data.toolCallIds or ():
        reader.emit(ToolEnd(**told, call_id=call_id, status="cancelled"))
    reader.emit(Notice(**told, category="interruption", severity="warn", label="Interrupted"))
