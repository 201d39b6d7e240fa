# SPDX-License-Identifier: Apache-2.0
"""Claude Code's tool calls: begun in an assistant frame, ended in a user frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import media, tools
from agentframes.engines.claude.frames import Block, Frame, ToolUseMeta, ToolUseResult
from agentframes.engines.support import decode, remember, told
from agentframes.lazy import Lazy
from agentframes.signals import Agent, Plan, PlanItem, ToolCall, ToolEnd, Truncated

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter


def begin(reader: ClaudeInterpreter, frame: Frame, block: Block, message_id: str) -> None:
    """Tell a call; a plan that is written whole is told with it."""
    call_id, name = block.id or f"line {reader.at.first}", block.name or ""
    family = tools.family(name)
    call = ToolCall(
        **reader.of(frame, f"assistant/{block.type}"), call_id=call_id, name=name, family=family
    )
    if reader.full:
        call.message_id = message_id
        call.input = told(block.input)
        call.title = _title(frame, call_id)
        call.server, call.tool = tools.server_and_tool(name)
    reader.emit(call)
    if not reader.full:
        return
    # The input of a plan's change is needed again when its result tells the item's id.
    kept = call.input.kept() if call.input and family == "plan" else None
    remember(reader.calls, call_id, (name, kept))
    if name == "TodoWrite":
        given = decode(block.input, tools.PlanInput) or tools.PlanInput()
        if given.todos is not None:
            _plan(reader, frame, block, tools.plan_snapshot(given.todos), "snapshot")


def _title(frame: Frame, call_id: str) -> str | None:
    metas = decode(frame.tool_use_meta, list[ToolUseMeta]) or ()
    return next((meta.display_name for meta in metas if meta.id == call_id), None)


def _plan(
    reader: ClaudeInterpreter,
    frame: Frame,
    block: Block,
    items: list[PlanItem],
    mode: Literal["snapshot", "patch"],
) -> None:
    kind = f"{frame.type}/{block.type}"
    reader.emit(Plan(**reader.of(frame, kind), items=items, mode=mode))


def end(reader: ClaudeInterpreter, frame: Frame, block: Block, index: int = 0) -> None:
    """Tell how a call ended, and what its result means beyond the call."""
    call_id = block.tool_use_id or ""
    reader.streaming.pop(call_id, None)
    kind = f"{frame.type}/{block.type}"
    if not reader.full:
        if frame.parent_tool_use_id is None:
            # Facts only want to know that the answer begins anew; how it ended is not read.
            reader.emit(ToolEnd(at=reader.at, kind=kind, call_id=call_id, status="ok"))
        return
    common = reader.of(frame, kind)
    name, given = reader.calls.pop(call_id, ("", None))
    result = decode(frame.tool_use_result, ToolUseResult) or ToolUseResult()
    output = tools.output(block)
    words = output.text() if output and block.is_error else ""
    reader.emit(
        ToolEnd(
            **common,
            call_id=call_id,
            status="cancelled" if result.interrupted else tools.status(frame, block, words),
            exit_code=tools.exit_code(words) if tools.family(name) == "execute" else None,
            output=output,
            structured=told(result.structuredContent),
            error=words or None,
            ended_ms=common["time_ms"],
            files=tools.files(name, result),
            truncated=True if result.persistedOutputPath else None,
            full_bytes=result.persistedOutputSize,
            saved_to=result.persistedOutputPath,
        )
    )
    media.of_result(reader, frame, block, index)
    _beyond(reader, frame, block, result, (name, given))


def _beyond(
    reader: ClaudeInterpreter,
    frame: Frame,
    block: Block,
    result: ToolUseResult,
    call: tuple[str, Lazy | None],
) -> None:
    """Tell a change of the plan, output that was cut, and a sub-agent's end."""
    name, given = call
    if name in ("TaskCreate", "TaskUpdate") and not block.is_error:
        plan = decode(given.raw, tools.PlanInput) if given else None
        items = tools.plan_patch(plan or tools.PlanInput(), result)
        if items:
            _plan(reader, frame, block, items, "patch")
    if result.persistedOutputPath:
        reader.emit(
            Truncated(
                **reader.of(frame, f"{frame.type}/{block.type}"),
                what="tool_output",
                call_id=block.tool_use_id,
                before=result.persistedOutputSize,
            )
        )
    if result.agentId:
        _agent(reader, frame, block, result)


def _agent(reader: ClaudeInterpreter, frame: Frame, block: Block, result: ToolUseResult) -> None:
    """Tell a sub-agent's end; one in the background is only launched by its call.

    No capture shows the latter: its status is ``async_launched``, and it has no totals.
    """
    launched = result.status == "async_launched"
    reader.emit(
        Agent(
            **reader.of(frame, f"{frame.type}/{block.type}"),
            call_id=block.tool_use_id or "",
            agent_id=result.agentId,
            phase="progress" if launched else "end",
            name=result.agentType,
            model=result.resolvedModel,
            background=True if launched else None,
            status=result.status,
            context_tokens=result.totalTokens,
            tool_calls=result.totalToolUseCount,
            duration_ms=result.totalDurationMs,
        )
    )
