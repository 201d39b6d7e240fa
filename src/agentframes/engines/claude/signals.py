# SPDX-License-Identifier: Apache-2.0
"""Claude Code's frames to signals.

`parent_tool_use_id` tells the agent of a frame. What is read where: messages of the model in
`assistant`, results of tools and what was said to the agent in `user` and `calls`, system frames
in `system` and `notices`, the terminal frame in `results`, partial messages in `partial`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agentframes.engines import Interpreter
from agentframes.engines.claude import (
    assistant,
    notices,
    partial,
    results,
    routine,
    system,
    user,
)
from agentframes.engines.claude.frames import Frame, MessageUsage, Session
from agentframes.engines.claude.kinds import PLAIN, kinds
from agentframes.engines.support import REMEMBERED, UNTYPED, epoch_ms, version_tuple
from agentframes.signals import Buckets, Native, Stretch
from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.engines import Emit
    from agentframes.engines.claude.partial import Streaming
    from agentframes.frames import Place
    from agentframes.lazy import Lazy

_READERS = {
    "assistant": assistant.read,
    "user": user.read,
    "stream_event": partial.read,
    "system": system.read,
    "result": results.read,
}


class ClaudeInterpreter(Interpreter[Frame]):
    """Reads one stream of Claude Code."""

    frame_type = Frame

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        super().__init__(emit, full=full, cli_version=cli_version)
        self.at = Span(0, 0)
        self.session_id: str | None = None
        self.timestamp: str | None = None
        self.api_error: str | None = None
        self.inits = self.results = 0
        self.reinits = 0  # since the last result
        self.totals: Buckets | None = None  # of the last result's `modelUsage`
        self.last_result: str | None = None
        self.answered = False  # a model has spoken since the last result
        self.streamed = self.reset_announced = self.compacted = self.list_price = False
        self.agents_told = False  # since the last init
        # Frames' uuids, and the ids of their messages.
        self.message_ids: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)
        self.calls: OrderedDict[str, tuple[str, Lazy | None]] = OrderedDict()
        # Task id -> the call that began it, and whether it is a sub-agent.
        self.tasks: OrderedDict[str, tuple[str | None, bool]] = OrderedDict()
        self.denied: OrderedDict[str, None] = OrderedDict()
        # The last part of each agent's messages, which may come in turns.
        self.parts: OrderedDict[tuple[str | None, str], int] = OrderedDict()
        self.streaming: OrderedDict[str | None, Streaming] = OrderedDict()
        self.last_call: tuple[str | None, MessageUsage | None, str | None] = (None, None, None)
        self.thinking_tokens: int | None = None

    def frame(self, frame: Frame, place: Place) -> None:
        """Read one frame."""
        self.at = place.span()
        if frame.timestamp is not None:
            self.timestamp = frame.timestamp
        if self.session_id is None:
            self._learn_session(frame, place)
        read = _READERS.get(frame.type)
        if read is not None:
            read(self, frame, place)
        elif frame.type in PLAIN:
            notices.plain(self, frame, place)
        else:
            self.unknown(place, frame.type or UNTYPED)
        if frame.type != "result":
            self.streamed = True
        if place.in_array:
            self.transport = "json-array"

    def routine(self, frames: Iterator[Frame], stretch: Stretch, /) -> Frame | None:
        """Read the frames of steps that only go on."""
        return routine.read(self, frames, stretch)

    def kinds(self, frame: Frame, _: Any, /) -> list[str]:
        """Name the frame at its boundaries."""
        return [name for name, _ in kinds(frame)]

    def _learn_session(self, frame: Frame, place: Place) -> None:
        """Take the session from any known frame: init and result, which tell it, may be lost."""
        names = kinds(frame)
        tells_itself = frame.type == "result" or frame.subtype == "init"
        if tells_itself or not names or not all(known for _, known in names):
            return
        self.session_id = self.reread(place, Session).session_id
        if self.session_id is not None:
            self.emit(Native(**self.of(frame, names[0][0]), session_id=self.session_id))

    def begin_run(self) -> None:
        """Forget the run before: another process writes from here on."""
        self.inits = self.results = 0
        self.totals = self.last_result = None
        self.cli_version = self.given_version
        self.transport = "jsonl"
        self.tells_tool_calls = self.tells_model_calls = True
        self.streamed = self.answered = self.reset_announced = self.agents_told = False
        self.api_error = self.thinking_tokens = None
        self.compacted = False
        self.last_call = (None, None, None)
        self.message_ids.clear()
        for memory in (self.calls, self.tasks, self.denied, self.parts, self.streaming):
            memory.clear()

    def of(self, frame: Frame, kind: str) -> dict[str, Any]:
        """Tell what every signal of a frame has in common."""
        return {
            "at": self.at,
            "kind": kind,
            "agent": frame.parent_tool_use_id,
            "time_ms": epoch_ms(frame.timestamp) if self.full else None,
        }

    def version(self) -> tuple[int, ...] | None:
        """Return the version as numbers, where it is known."""
        return version_tuple(self.cli_version)

    def last_time(self) -> int | None:
        """Return the time of the last frame that carried one."""
        return epoch_ms(self.timestamp)

    def messages_of(self, uuids: list[str]) -> list[str]:
        """Name the messages of frames that are taken back; one not seen keeps the frame's name."""
        known = dict(self.message_ids)
        return [known.get(uuid, uuid) for uuid in uuids]
