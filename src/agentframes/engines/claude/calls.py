# SPDX-License-Identifier: Apache-2.0
"""Claude Code's tool calls: begun in an assistant frame, ended in a user frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import tools
from agentframes.engines.claude.frames import Block, Frame, ToolUseResult
from agentframes.engines.support import decoded_size, remember
from agentframes.lazy import Lazy, present
from agentframes.signals import Agent, Media, Plan, PlanItem, ToolCall, ToolEnd, Truncated

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter


def begin(reader: ClaudeInterpreter, frame: Frame, block: Block) -> None:
    """Tell a call; a plan that is written whole is told with it."""
    call_id, name = block.id or f"line {reader.at.first}", block.name or ""
    family = tools.family(name)
    given = Lazy(block.input) if reader.full and present(block.input) else None
    server, tool = tools.server_and_tool(name)
    reader.emit(
        ToolCall(
            at=reader.at,
            kind="assistant/tool_use",
            agent=frame.parent_tool_use_id,
            time_ms=reader.time(frame),
            call_id=call_id,
            name=name,
            family=family,
            input=given,
            server=server,
            tool=tool,
        )
    )
    if not reader.full:
        return
    # The input of a plan's change is needed again when its result tells the item's id.
    kept = given.kept() if given and family == "plan" else None
    remember(reader.calls, call_id, (name, kept))
    if name == "TodoWrite":
        plan = tools.decode(block.input, tools.PlanInput) or tools.PlanInput()
        _plan(reader, frame, tools.plan_snapshot(plan), "snapshot")


def _plan(
    reader: ClaudeInterpreter,
    frame: Frame,
    items: list[PlanItem],
    mode: Literal["snapshot", "patch"],
) -> None:
    if items:
        reader.emit(
            Plan(
                at=reader.at,
                kind=f"{frame.type}/{'tool_use' if mode == 'snapshot' else 'tool_result'}",
                agent=frame.parent_tool_use_id,
                time_ms=reader.time(frame),
                items=items,
                mode=mode,
            )
        )


def end(reader: ClaudeInterpreter, frame: Frame, block: Block, index: int = 0) -> None:
    """Tell how a call ended, and what its result means beyond the call."""
    call_id = block.tool_use_id or ""
    agent = frame.parent_tool_use_id
    if not reader.full:
        if agent is None:  # facts only want to know that the answer begins anew
            told_kind = f"{frame.type}/{block.type}"
            reader.emit(ToolEnd(at=reader.at, kind=told_kind, call_id=call_id, status="ok"))
        return
    name, given = reader.calls.pop(call_id, ("", None))
    told = tools.decode(frame.tool_use_result, ToolUseResult) or ToolUseResult()
    output = tools.output(block)
    words = output.text() if output and block.is_error else ""
    reader.emit(
        ToolEnd(
            at=reader.at,
            kind=f"{frame.type}/{block.type}",
            agent=agent,
            time_ms=reader.time(frame),
            call_id=call_id,
            status="cancelled" if told.interrupted else tools.status(frame, block, words),
            exit_code=tools.exit_code(block, words),
            output=output,
            structured=_structured(told),
            error=words or None,
            ended_ms=reader.time(frame),
            files=tools.files(name, told),
            truncated=True if told.persistedOutputPath else None,
            full_bytes=told.persistedOutputSize,
            saved_to=told.persistedOutputPath,
        )
    )
    for position, part in enumerate(tools.result_blocks(block.content)):
        if part.source is not None:
            path = f"/message/content/{index}/content/{position}/source/data"
            _image(reader, part.source, path, call_id)
    if name in ("TaskCreate", "TaskUpdate"):
        plan = tools.decode(given.raw, tools.PlanInput) if given else None
        _plan(reader, frame, tools.plan_patch(plan or tools.PlanInput(), told), "patch")
    _beyond(reader, frame, call_id, told)


def _structured(told: ToolUseResult) -> Lazy | None:
    return Lazy(told.structuredContent) if present(told.structuredContent) else None


def _beyond(reader: ClaudeInterpreter, frame: Frame, call_id: str, told: ToolUseResult) -> None:
    """Tell output that was cut, and a sub-agent's end."""
    if told.persistedOutputPath:
        reader.emit(
            Truncated(
                at=reader.at,
                kind="user/tool_result",
                agent=frame.parent_tool_use_id,
                what="tool_output",
                call_id=call_id,
                before=told.persistedOutputSize,
            )
        )
    if told.agentId:
        reader.emit(
            Agent(
                at=reader.at,
                kind="user/tool_result",
                agent=frame.parent_tool_use_id,
                time_ms=reader.time(frame),
                call_id=call_id,
                agent_id=told.agentId,
                phase="end",
                model=told.resolvedModel,
                status=told.status,
                context_tokens=told.totalTokens,
                tool_calls=told.totalToolUseCount,
                duration_ms=told.totalDurationMs,
            )
        )


def attachment(reader: ClaudeInterpreter, frame: Frame, block: Block, index: int) -> None:
    """Tell an image or document that was given to the agent."""
    image = tools.decode(block.source, tools.Image)
    if image is not None:
        _image(reader, image, f"/message/content/{index}/source/data", frame.uuid or "")


def _image(reader: ClaudeInterpreter, image: tools.Image, pointer: str, owner: str) -> None:
    size = len(memoryview(image.data))
    reader.emit(
        Media(
            at=reader.at,
            kind="user/image",
            owner=owner,
            media_type=image.media_type,
            bytes=decoded_size(image.data) if size else None,
            pointer=pointer if size else None,
            url=image.url,
        )
    )
