# SPDX-License-Identifier: Apache-2.0
"""Signals to events.

A `Projector` serves one stream. It takes signals in their order and keeps the rows that have
changed since they were taken; its state is bounded by what is open and by a memory of the last
messages and calls, of which later frames may speak.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from agentframes import signals
from agentframes.engines.support import remember
from agentframes.events import notices
from agentframes.events.asides import Asides, Asked, Nobody, Teller, is_image, question
from agentframes.events.bursts import Bursts
from agentframes.events.messages import Messages
from agentframes.events.model import ConversationEvent, RunMarker
from agentframes.events.plans import Plans
from agentframes.events.rows import Rows, times
from agentframes.lazy import Lazy
from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.signals import Signal

# What an agent does once it was asked; what was asked comes before.
_ANSWERS = frozenset({
    signals.Text, signals.Reasoning, signals.ToolCall, signals.Plan, signals.ModelCall,
    signals.Retry, signals.Usage, signals.End,
})  # fmt: skip
# What a session is made of before it is asked.
_BEFORE = frozenset({signals.Begin, signals.Native, signals.Turn, signals.Damaged, signals.Noise})


class Projector:
    """Makes the conversation of one stream's signals."""

    def __init__(self, source: str, teller: Teller | None = None) -> None:
        self.source = source
        self._rows = Rows(source)
        self._messages = Messages(self._rows)
        self._bursts = Bursts(self._rows)
        self._plans = Plans(self._rows)
        self._teller = teller or Nobody()
        self._asides = Asides(self._rows, self._teller)
        self._last = Span(0, 0)
        self._models: dict[str | None, str] = {}
        self._usage: signals.Usage | None = None
        self._asked_by: OrderedDict[str, Asked] = OrderedDict()
        self._ended = self._spoken = self._told = False
        self._answer: str | None = None
        self._prompt: str | None = None
        self._failed: str | None = None
        self._marker: tuple[int, RunMarker] | None = None
        self.starts: list[int] = []
        """The numbers of the rows with which another run begins."""
        self._take: dict[type[Signal], Callable[[Any], None]] = {
            signals.Begin: self._begin,
            signals.Turn: self._turn,
            signals.ModelCall: self._model_call,
            signals.Input: self._input,
            signals.Text: self._text,
            signals.Reasoning: self._reasoning,
            signals.ToolCall: self._call,
            signals.ToolOutput: self._bursts.say,
            signals.ToolEnd: self._call_end,
            signals.Media: self._media,
            signals.Plan: self._plan,
            signals.Agent: self._agent,
            signals.Usage: self._account,
            signals.Native: self._native,
            signals.Retry: lambda one: self._asides.status(one, notices.retry(one)),
            signals.Permission: self._permission,
            signals.Limit: lambda one: self._asides.status(one, notices.limit(one)),
            signals.Truncated: lambda one: self._asides.status(one, notices.truncated(one)),
            signals.Withdrawn: self._withdrawn,
            signals.Notice: self._asides.notice,
            signals.Unknown: self._asides.unknown,
            signals.Retyped: self._asides.retyped,
            signals.Damaged: self._asides.damaged,
            signals.Noise: lambda one: self._asides.status(one, notices.noise(one)),
            signals.End: self._end,
        }

    def take(self, signal: Signal) -> None:
        """Take the next signal."""
        if self._usage is not None and type(signal) is not signals.Usage:
            self._tell_usage()
        if self._asides.transcript is not None and type(signal) is not signals.Notice:
            self._asides.end_transcript()
        if self._prompt is not None and self._answers(signal):
            self._asked()
        if signal.at.last > self._last.last:
            self._last = signal.at
        self._told = True
        self._take[type(signal)](signal)

    def drain(self) -> list[ConversationEvent]:
        """Take the events that are new or have changed since the last time."""
        return self._rows.drain()

    def prompt(self, text: str) -> None:
        """Show a prompt that is known from elsewhere, unless the stream tells what was asked."""
        self._prompt = text

    def _answers(self, signal: Signal) -> bool:
        """Tell whether what was asked comes before a signal, and the output will not tell it."""
        if self._teller.echoes_prompt:
            return type(signal) in _ANSWERS
        return type(signal) not in _BEFORE

    def _asked(self) -> None:
        """The agent answers: what it was asked comes before."""
        text, self._prompt = self._prompt, None
        if text is not None:
            at = Span(0, 0)
            said = signals.Input(at=at, kind="(prompt)", text=Lazy.of(text), origin="capture")
            self._messages.human(said, "capture")

    def close(self, *, tells_end: bool = True) -> None:
        """End the stream: what is open stays as it is. A text tells no end."""
        self._end_run(tells_end=tells_end)

    def _end_run(self, *, tells_end: bool = True) -> None:
        self._tell_usage()
        self._asides.end_transcript()
        self._asked()
        self._messages.close()
        self._bursts.close()
        if tells_end and self._told and not self._ended:
            self._asides.row(self._last, None, notices.NO_END)
        self._told = False

    # --- runs ------------------------------------------------------------------------------------

    def another_run(self, at: Span, session_id: str | None = None, why: str = "start") -> None:
        """Another run begins in the stream: nothing of the one before is left.

        That a session was resumed is only told at the end of the run that it began.
        """
        if why == "resumed":
            self._resumed()
            return
        self._end_run()
        self._bursts.begin_run()
        self._messages.begin_run()
        self._plans.begin_run()
        self._models.clear()
        self._ended = self._spoken = False
        self._answer = None
        self.starts.append(self._mark(at, "Another run", "started", session_id))
        self._marker = None

    def _mark(self, at: Span, label: str, status: Any, session_id: str | None) -> int:
        marker = RunMarker(
            id=self._rows.name(at),
            timestamp=None,
            raw_range=self._rows.range(at),
            label=label,
            status=status,
            session_id=session_id,
        )
        number = self._rows.add(marker)
        self._marker = number, marker
        return number

    def _begin(self, signal: signals.Begin) -> None:
        if signal.why == "resumed":
            return
        if signal.why == "reinit" and self._ended:
            self._ended = self._spoken = False
            self._answer = None
            self._mark(signal.at, "The session goes on", "continued", signal.session_id)
        if signal.model is not None:
            self._models[signal.agent] = signal.model
        self._asides.status(signal, notices.begin(signal))

    def _resumed(self) -> None:
        """What began with the last announcement was another process's, as it turns out."""
        if self._marker is None:
            self.starts.append(self._rows.count)
            return
        number, marker = self._marker
        marker = msgspec.structs.replace(
            marker, label="Session resumed", status="resumed", revision=marker.revision + 1
        )
        self._marker = None
        self._rows.replace(number, marker)
        self.starts.append(number)

    def _turn(self, signal: signals.Turn) -> None:
        if signal.phase == "start":
            self._asides.status(signal, notices.turn(signal))

    def _end(self, signal: signals.End) -> None:
        self._messages.settle(None)
        self._bursts.end_agent(None)
        answer = self._answer
        if not (answer and answer.strip()) and signal.structured is not None:
            answer = signal.structured.json()
        new = answer is not None and answer.strip() != self._messages.last_said().strip()
        if answer and answer.strip() and new and not self._spoken:
            time = times(signal)["timestamp"]
            self._messages.answer(signal.at, answer, self._models.get(None), time)
        self._ended = True
        self._answer, self._spoken = None, False
        self._asides.status(signal, notices.end(signal))

    # --- what is said ----------------------------------------------------------------------------

    def _model_call(self, signal: signals.ModelCall) -> None:
        if signal.model is not None:
            self._models[signal.agent] = signal.model
        if signal.phase == "failed" and (signal.error or signal.id != self._failed):
            self._failed = signal.id  # copilot tells a failure twice, once with its words
            self._asides.status(signal, notices.model_call(signal))

    def _input(self, signal: signals.Input) -> None:
        self._bursts.seal(signal.agent)
        if signal.origin in {"human", "replay"}:
            self._prompt = None
            self._messages.human(signal, signal.origin)
        elif signal.origin == "agent_prompt":
            self._messages.prompt(signal, None)
        else:
            self._messages.settle(signal.agent)
            self._asides.status(signal, notices.synthetic_input(signal))

    def _text(self, signal: signals.Text) -> None:
        if signal.synthetic:
            self._spoken = self._spoken or signal.agent is None
            self._asides.status(signal, notices.synthetic_text(signal))
            return
        self._said(signal)
        self._spoken = self._spoken or signal.agent is None

    def _reasoning(self, signal: signals.Reasoning) -> None:
        if signal.redacted:
            self._asides.status(signal, notices.redacted(signal))
        else:
            self._said(signal)

    def _said(self, signal: signals.Text | signals.Reasoning) -> None:
        agent = signal.agent
        begun = self._messages.take(signal, self._models.get(agent), self._bursts.actor(agent))
        if begun:
            self._bursts.seal(agent)

    def _withdrawn(self, signal: signals.Withdrawn) -> None:
        self._messages.withdraw(signal.ids)
        if self._asides.warned_at != signal.at:  # or the frame has said so itself
            self._asides.status(signal, notices.withdrawn(signal))

    def _native(self, signal: signals.Native) -> None:
        if signal.terminal and signal.final_text is not None:
            self._answer = signal.final_text.text()

    def _media(self, signal: signals.Media) -> None:
        if is_image(signal.media_type):
            self._bursts.image(signal)
            self._asides.image(signal)
        else:
            self._asides.status(signal, notices.attachment(signal))

    # --- what is done ----------------------------------------------------------------------------

    def _call(self, signal: signals.ToolCall) -> None:
        self._messages.settle(signal.agent)
        self._spoken = self._spoken and signal.agent is not None
        self._bursts.begin(signal, self._models.get(signal.agent))
        if signal.family == "ask" and signal.mode == "whole" and signal.input is not None:
            self._ask(signal, signal.input.decode())

    def _ask(self, signal: signals.ToolCall, value: Any) -> None:
        """A tool that asks the human: its question is a row of its own, once."""
        if signal.call_id not in self._asked_by:
            asks = question(value) or signal.title or signal.name
            asked = self._asides.needs_input(signal, asks, signal.name, None)
            remember(self._asked_by, signal.call_id, asked)

    def _call_end(self, signal: signals.ToolEnd) -> None:
        if signal.status == "invalid" and not self._bursts.knows(signal.call_id):
            self._asides.status(signal, notices.no_tool(signal))
            return
        self._bursts.end(signal, self._models.get(signal.agent))
        self._end_agent(signal.call_id)

    def _plan(self, signal: signals.Plan) -> None:
        if self._plans.take(signal, self._models.get(signal.agent)):
            self._messages.settle(signal.agent)
            self._bursts.seal(signal.agent)

    def _agent(self, signal: signals.Agent) -> None:
        in_sight = self._bursts.spawned(signal)
        if signal.phase != "end":
            return
        self._end_agent(signal.call_id)
        self._models.pop(signal.call_id, None)  # what it said last may come behind its call
        if not in_sight:
            name = signal.name or self._bursts.actor(signal.call_id)
            self._asides.status(signal, notices.agent(signal, name))

    def _end_agent(self, call_id: str) -> None:
        """A call has ended, and with it the agent that it spawned, if it did."""
        self._messages.settle(call_id)
        self._bursts.end_agent(call_id)
        self._plans.forget(call_id)

    def _permission(self, signal: signals.Permission) -> None:
        if signal.phase != "asked":
            self._asides.status(signal, notices.permission(signal))
            return
        known = self._asked_by.get(signal.call_id or "")
        if known is not None:  # the question itself was told, by its call
            self._asides.ask_again(known, signal.request_id)
            return
        asks = signal.reason or f"May the agent use {signal.tool or 'this tool'}?"
        self._asides.needs_input(signal, asks, signal.tool, signal.request_id)

    # --- what it costs ---------------------------------------------------------------------------

    def _account(self, signal: signals.Usage) -> None:
        """Hold a usage back while the frame may tell it more exactly: the steps of a total."""
        if self._usage is not None and not (signal.of_total and signal.at == self._usage.at):
            self._tell_usage()
        self._usage = signal

    def _tell_usage(self) -> None:
        signal, self._usage = self._usage, None
        if signal is not None:
            self._asides.usage(signal)
