# SPDX-License-Identifier: Apache-2.0
"""Copilot's frames to signals.

A run is what one process prints; only its last line tells the session, how it ended, and how long
it took. `agentId` and `parentToolCallId` tell the agent of a frame; `parentId` is no tree over
what is printed. What is read where: messages, reasoning and input in `messages`, calls of the
model in `models`, tools in `tools`, sub-agents in `agents`, the session and the end of the run in
`session`, all that is a row and nothing more in `notices`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from agentframes.engines import Interpreter
from agentframes.engines.copilot import agents, messages, models, notices, session, tools
from agentframes.engines.copilot.frames import Frame
from agentframes.engines.copilot.kinds import KINDS, is_open
from agentframes.engines.support import UNTYPED, epoch_ms
from agentframes.signals import Stretch

if TYPE_CHECKING:
    from agentframes.engines import Emit
    from agentframes.frames import Place
    from agentframes.lazy import Lazy

# What a process prints before anything else: after a terminal line, another run begins with it.
_OPENING = frozenset({
    "session.mcp_servers_loaded", "session.skills_loaded", "session.tools_updated", "user.message",
})  # fmt: skip

Handler = Callable[["CopilotInterpreter", Frame, "Place"], None]

_HANDLERS: dict[str, Handler] = {
    "result": session.result,
    "abort": session.abort,
    "session.error": session.error,
    "session.tools_updated": session.tools_updated,
    "user.message": messages.user,
    "assistant.message": messages.message,
    "assistant.message_delta": messages.delta,
    "assistant.turn_start": models.turn_start,
    "model.call_start": models.call_start,
    "assistant.tool_call_delta": tools.delta,
    "tool.execution_start": tools.started,
    "tool.execution_complete": tools.ended,
    "subagent.started": agents.read,
    "subagent.configured": agents.read,
    "subagent.completed": agents.read,
    "subagent.failed": agents.read,
}
# Facts have no use for these.
_FULL: dict[str, Handler] = {
    "assistant.reasoning": messages.reasoning,
    "assistant.reasoning_delta": messages.reasoning,
    "system.notification": messages.notification,
    "assistant.turn_end": models.turn_end,
    "assistant.turn_retry": models.retry,
    "model.call_finished": models.call_finished,
    "model.call_failure": models.call_failure,
    "model.call_final_result": models.call_final_result,
    "tool.shell_output": tools.output,
    "tool.execution_partial_result": tools.partial_result,
    "agent.interrupted": tools.interrupted,
    "session.info": notices.info,
    "session.compaction_complete": notices.truncated,
    "session.truncation": notices.truncated,
    "permission.requested": notices.asked,
    "user_input.requested": notices.asked,
    "elicitation.requested": notices.asked,
}
# Said again by what comes after, or of no content at all, and that in bursts.
_SILENT = frozenset({"assistant.message_start", "session.background_tasks_changed"})
# Unless the run is over: then they tell that it goes on.
_IDLE = (KINDS - _HANDLERS.keys()) | {"assistant.message_delta"}


class CopilotInterpreter(Interpreter[Frame]):
    """Reads one stream of Copilot."""

    frame_type = Frame
    echoes_prompt = True

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        super().__init__(emit, full=full, cli_version=cli_version)
        self.tells_subagents_model_calls = True
        self.begun = False
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the run before: another process writes from here on."""
        self.tells_calls = False  # of the model; versions up to 1.0.30 do not
        self.over = False  # the terminal line was read
        self.model: str | None = None
        self.error: session.Failure | None = None
        self.aborted: str | None = None  # why, since the main agent's last turn began
        self.denials = 0
        self.said: Lazy | None = None  # the main agent's last words
        self.closing: Lazy | None = None  # … with which it called no tool
        self.output_tokens: int | None = None
        self.outputs: OrderedDict[str, Any] = OrderedDict()  # message -> its output tokens
        self.turns: dict[str | None, str] = {}  # agent -> its turn that has no model call yet
        self.model_calls: dict[str | None, str] = {}  # agent -> its last call of the model
        self.turn_outputs: dict[str | None, dict[str, int]] = {}
        self.failure: models.Failure | None = None
        self.retry_told = False
        self.calls: OrderedDict[str, Any] = OrderedDict()  # id -> tools.Call
        self.streamed: OrderedDict[str, Any] = OrderedDict()  # calls that print shell output
        self.agents: OrderedDict[str, Any] = OrderedDict()  # agent id -> the call that spawned it
        self.reasoned: dict[str | None, messages.Reasoned] = {}
        # agent -> its last message, the part of it at hand, and the model call that wrote that
        self.parts: dict[str | None, tuple[str | None, int, str | None]] = {}

    def frame(self, frame: Frame, place: Place) -> None:
        """Read one frame."""
        kind = frame.type
        if self.over and kind in _OPENING and self.agent(frame) is None:
            session.another_run(self, frame, place)
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, frame, place)
        elif kind not in KINDS:
            self.unknown(place, kind or UNTYPED, self.agent(frame), open_prefix=is_open(kind))
        elif self.full and kind not in _SILENT:
            _FULL.get(kind, notices.read)(self, frame, place)

    def routine(self, frames: Iterator[Frame], stretch: Stretch, /) -> Frame | None:
        """Read what facts have no use for, which is most of what is printed."""
        if self.over:
            return next(frames, None)
        for frame in frames:
            if frame.type not in _IDLE:
                return frame
            stretch.frames += 1
        return None

    def tells_again(self) -> bool:
        """Tell whether what was told before is of use: facts ask only whether a run goes on."""
        return self.full or self.over

    def kinds(self, frame: Frame, _: Any, /) -> list[str]:
        """Name the frame: its type says it all."""
        return [frame.type or UNTYPED]

    def agent(self, frame: Frame) -> str | None:
        """Return the call that spawned the agent of a frame; None is the main agent."""
        data = frame.data
        if data is not None and data.parentToolCallId is not None:
            return data.parentToolCallId
        if frame.agentId is None:
            return None
        return str(self.agents.get(frame.agentId, frame.agentId))

    def told(self, frame: Frame, place: Place) -> dict[str, Any]:
        """Return what every signal of a frame has."""
        return {
            "at": place.span(),
            "kind": frame.type,
            "agent": self.agent(frame),
            "time_ms": epoch_ms(frame.timestamp) if self.full else None,
        }
