# SPDX-License-Identifier: Apache-2.0
"""Copilot's sub-agents.

`toolCallId` names the call that spawned one. `agentId`, which marks the frames of a sub-agent
since some version between 1.0.30 and 1.0.83, is matched with it when the sub-agent starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentframes.engines.copilot.frames import Frame, Subagent, SubagentFrame
from agentframes.engines.support import remember
from agentframes.signals import Agent

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place

_PHASES: dict[str, Literal["start", "progress", "end"]] = {
    "subagent.started": "start",
    "subagent.configured": "progress",
    "subagent.completed": "end",
    "subagent.failed": "end",  # in no capture
}


def read(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a sub-agent's start, its settings, or its end."""
    data = reader.reread(place, SubagentFrame).data or Subagent()
    agent_id = frame.agentId
    if data.toolCallId and agent_id:
        remember(reader.agents, agent_id, data.toolCallId)
    told = reader.told(frame, place)
    call_id = data.toolCallId or told["agent"] or agent_id or ""
    spawning = reader.calls.get(call_id)
    # The frame bears the sub-agent's id; it speaks of a call of the agent above it.
    told["agent"] = spawning.agent if spawning is not None else None
    phase = _PHASES[frame.type]
    reader.emit(
        Agent(
            **told,
            call_id=call_id,
            agent_id=agent_id,
            phase=phase,
            name=data.agentName,
            model=data.model,
            background=None if data.executionMode is None else data.executionMode != "sync",
            status=_status(frame.type, data) if phase == "end" else None,
            summary=data.error,
            total_tokens=data.totalTokens,
            tool_calls=data.totalToolCalls,
            duration_ms=data.durationMs,
        )
    )


def _status(kind: str, data: Subagent) -> str:
    return "cancelled" if data.cancelled else kind.removeprefix("subagent.")
