# SPDX-License-Identifier: Apache-2.0
"""Messages: deltas and wholes shown once, reasoning apart, what was taken back marked."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from agentframes.events.model import (
    AgentOrigin,
    Content,
    ConversationEvent,
    RawRange,
    SupportingAgentMessage,
    TaskAgentMessage,
    UserMessage,
    UserOrigin,
)
from agentframes.events.rows import Row, Rows, stamp

if TYPE_CHECKING:
    from agentframes.signals import Input, Reasoning, Text
    from agentframes.types import Span

KEPT = 256  # messages of which a later frame may still speak

MAIN, SUB, REASONING = "agent", "sub-agent", "reasoning"
Key = tuple[bool, str | None, str, int]
"""Whether it is reasoning, whose it is, its message and its part of that."""


class MessageRow(Row):
    """An agent's message, or its reasoning; pieces are put together when somebody looks."""

    __slots__ = ("actor", "agent", "model", "origin", "pieces", "time", "withdrawn")

    def __init__(self, row_id: str, at: Span, agent: str | None) -> None:
        super().__init__(row_id, at)
        self.agent = agent
        self.actor = MAIN if agent is None else SUB
        self.origin: AgentOrigin = "model"
        self.model: str | None = None
        self.time: str | None = None
        self.pieces: list[str] = []
        self.withdrawn = False

    @property
    def body(self) -> str:
        """All that was said so far."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def event(self, source: str) -> ConversationEvent:
        """Make the event as it stands."""
        reasoning = self.origin == "reasoning"
        main = self.agent is None and not reasoning
        make = TaskAgentMessage if main else SupportingAgentMessage
        body = self.body
        return make(
            id=self.id,
            timestamp=self.time,
            timestamp_source=None if self.time is None else "frame",
            model=self.model,
            raw_range=RawRange(source, self.start, self.end),
            collapsed_by_default=reasoning or self.origin == "agent_prompt",
            parent_call_id=self.agent,
            open=self.open,
            revision=self.revision,
            body=body,
            content=Content(body),
            actor=REASONING if reasoning else self.actor,
            origin=self.origin,
            withdrawn=self.withdrawn,
        )


class Messages:
    """The messages of one stream."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: OrderedDict[Key, MessageRow] = OrderedDict()
        self._open: dict[str | None, MessageRow] = {}
        self._last: MessageRow | None = None

    def last_said(self) -> str:
        """Return the main agent's last message, as far as it has come."""
        return "" if self._last is None else self._last.body

    def begin_run(self) -> None:
        """Forget the run before: message ids may come again."""
        self.close()
        self._known.clear()
        self._last = None

    def take(self, signal: Text | Reasoning, model: str | None, actor: str | None) -> bool:
        """Take a piece of a message or all of it; tell whether a message began with it."""
        reasoning = "redacted" in signal.__struct_fields__
        text = signal.text.text()
        key = (reasoning, signal.agent, signal.message_id, signal.part)
        row = self._known.get(key)
        if row is not None:
            self._go_on(row, signal, text)
            return False
        if not (text if signal.mode == "delta" else text.strip()):
            return False
        self.settle(signal.agent)
        row = MessageRow(self._rows.name(signal.at), signal.at, signal.agent)
        row.origin = "reasoning" if reasoning else "model"
        row.actor = actor or row.actor
        row.model = model
        row.time = stamp(signal.time_ms)
        row.pieces.append(text)
        row.open = signal.mode == "delta"
        if row.open:
            self._open[signal.agent] = row
        self._keep(key, row)
        return True

    def _keep(self, key: Key, row: MessageRow) -> None:
        self._rows.open(row)
        self._known[key] = row
        if row.agent is None and row.origin == "model":
            self._last = row
        if len(self._known) > KEPT:
            oldest = next((key for key, row in self._known.items() if not row.open), key)
            del self._known[oldest]

    def _go_on(self, row: MessageRow, signal: Text | Reasoning, text: str) -> None:
        """Take a further piece; a whole stands for all the pieces before it."""
        row.reach(signal.at)
        if signal.mode == "delta":
            if text:
                row.pieces.append(text)
        else:
            row.pieces = [text]
            row.open = False
            if self._open.get(signal.agent) is row:
                del self._open[signal.agent]
        self._rows.touch(row)

    def answer(self, signal_at: Span, body: str, model: str | None, time: str | None) -> None:
        """Show an answer that stands in the terminal frame alone."""
        row = MessageRow(self._rows.name(signal_at), signal_at, None)
        row.origin, row.model, row.time = "result", model, time
        row.pieces.append(body)
        row.open = False
        self._rows.open(row)

    def prompt(self, signal: Input, actor: str | None) -> None:
        """Show what an agent was told by the one that spawned it."""
        self.settle(signal.agent)
        row = MessageRow(self._rows.name(signal.at), signal.at, signal.agent)
        row.origin, row.time, row.open = "agent_prompt", stamp(signal.time_ms), False
        row.actor = MAIN if actor is None else actor
        row.pieces.append(signal.text.text())
        self._rows.open(row)

    def human(self, signal: Input, origin: UserOrigin) -> None:
        """Show a human's turn."""
        self.settle(signal.agent)
        body = signal.text.text()
        time = stamp(signal.time_ms)
        told = origin != "capture"
        event = UserMessage(
            id=self._rows.name(signal.at),
            timestamp=time,
            timestamp_source=None if time is None else "frame",
            raw_range=self._rows.range(signal.at) if told else None,
            parent_call_id=signal.agent,
            body=body,
            content=Content(body),
            actor="human",
            origin=origin,
        )
        self._rows.add(event)

    def withdraw(self, ids: list[str]) -> None:
        """Mark messages that the engine took back."""
        for (_, _, message_id, _), row in self._known.items():
            if message_id in ids and not row.withdrawn:
                row.withdrawn = True
                self._rows.touch(row)

    def settle(self, agent: str | None) -> None:
        """End an agent's message of which no whole came: it does something else now."""
        row = self._open.pop(agent, None)
        if row is not None:
            self._rows.close(row)

    def close(self) -> None:
        """End all messages."""
        for agent in list(self._open):
            self.settle(agent)
