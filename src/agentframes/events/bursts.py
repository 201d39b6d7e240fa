# SPDX-License-Identifier: Apache-2.0
"""Bursts: calls in a row, each kept whole, paired by id in whatever order they are told."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

from agentframes.events.calls import CallState, runs_tests
from agentframes.events.model import (
    Call,
    Command,
    ConversationEvent,
    Image,
    RawRange,
    Test,
    ToolBurst,
)
from agentframes.events.rows import Row, Rows, stamp

if TYPE_CHECKING:
    from agentframes.signals import Agent, Media, Signal, ToolCall, ToolEnd, ToolOutput
    from agentframes.types import Span

MAX_CALLS = 200  # of one burst: the next call opens another, so that state stays bounded
MAX_SAMPLES = 3
KEPT = 512  # calls that have ended of which a later frame may still speak
NAMELESS = "(unknown)"
FAILURES = frozenset({"failed", "denied"})

Known = tuple["CallState", "BurstRow"]


class BurstRow(Row):
    """A burst that may still change."""

    __slots__ = ("agent", "calls", "model", "running", "sealed", "time")

    def __init__(self, row_id: str, at: Span, agent: str | None) -> None:
        super().__init__(row_id, at)
        self.agent = agent
        self.model: str | None = None
        self.time: str | None = None
        self.calls: list[CallState] = []
        self.running = 0
        self.sealed = False

    def event(self, source: str) -> ConversationEvent:
        """Make the event as it stands."""
        calls = self.calls
        told = [call.told(source) for call in calls]
        begun = [call.begun_ms for call in calls if call.begun_ms is not None]
        ended = [call.ended_ms for call in calls if call.ended_ms is not None]
        duration = max(ended) - min(begun) if begun and ended else None
        commands = [(call, line) for call in calls if (line := call.command()) is not None]
        return ToolBurst(
            id=self.id,
            timestamp=self.time,
            timestamp_source=None if self.time is None else "frame",
            severity="warn" if any(call.status in FAILURES for call in calls) else None,
            model=self.model,
            raw_range=RawRange(source, self.start, self.end),
            parent_call_id=self.agent,
            open=self.open,
            revision=self.revision,
            count=len(calls),
            families=dict(Counter(call.family for call in calls)),
            failures=sum(call.status in FAILURES for call in calls),
            duration_ms=duration if duration is None or duration >= 0 else None,
            files=list(dict.fromkeys(file.path for call in calls for file in call.files)),
            samples=[_sample(call) for call in told[:MAX_SAMPLES]],
            tests=[
                Test(command=line, status=call.status)
                for call, line in commands
                if runs_tests(line)
            ],
            commands=[_command(call, line, source) for call, line in commands],
            calls=told,
        )


def _sample(call: Call) -> str:
    """Name the tool and what the call is about."""
    name = f"{call.server}/{call.tool or call.name}" if call.server else call.name
    return name if call.subject is None else f"{name}: {call.subject}"


def _command(call: CallState, line: str, source: str) -> Command:
    output = call.output
    return Command(
        command=line,
        status=call.status,
        exit_code=call.exit_code,
        output=call.told(source).output_preview,
        output_line_count=None if output is None else output.line_count,
        output_truncated=call.truncated or (output is not None and output.cut),
    )


class Bursts:
    """The bursts of one stream: one open for each agent."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._running: dict[str, Known] = {}
        self._over: OrderedDict[str, Known] = OrderedDict()
        self._open: dict[str | None, BurstRow] = {}
        self._unsettled: dict[str | None, dict[int, BurstRow]] = {}

    def begin_run(self) -> None:
        """Forget the run before: call ids may come again."""
        self.close()
        self._running.clear()
        self._over.clear()

    def _known(self, call_id: str) -> Known | None:
        return self._running.get(call_id) or self._over.get(call_id)

    def begin(self, signal: ToolCall, model: str | None) -> None:
        """Take a telling of a call, the first or a further one."""
        known = self._known(signal.call_id)
        if known is None or known[0].is_another(signal):
            call = CallState(signal.call_id, signal.name, signal.family)
            burst = self._join(call, signal, model)
        else:
            call, burst = known
        call.begin(signal)
        self._changed(burst, signal)

    def _join(self, call: CallState, signal: Signal, model: str | None) -> BurstRow:
        burst = self._open.get(signal.agent)
        if burst is None or len(burst.calls) >= MAX_CALLS:
            self.seal(signal.agent)
            burst = BurstRow(self._rows.name(signal.at), signal.at, signal.agent)
            burst.model, burst.time = model, stamp(signal.time_ms)
            self._rows.open(burst)
            self._open[signal.agent] = burst
            self._unsettled.setdefault(signal.agent, {})[burst.number] = burst
            burst.revision = -1  # what opens it is no change
        burst.calls.append(call)
        burst.running += 1
        self._over.pop(call.id, None)
        self._running[call.id] = call, burst
        return burst

    def _is_over(self, call: CallState, burst: BurstRow) -> None:
        """Remember a call that has ended for as long as there is room."""
        self._running.pop(call.id, None)
        self._over[call.id] = call, burst
        if len(self._over) > KEPT:
            self._over.popitem(last=False)

    def knows(self, call_id: str) -> bool:
        """Tell whether a call's begin was told."""
        return self._known(call_id) is not None

    def say(self, signal: ToolOutput) -> None:
        """Take output of a call."""
        known = self._known(signal.call_id)
        if known is not None:
            call, burst = known
            call.say(signal)
            self._changed(burst, signal)

    def end(self, signal: ToolEnd, model: str | None) -> None:
        """Take the end of a call; of one whose begin is lost, that is all there is."""
        known = self._known(signal.call_id)
        if known is None:
            call = CallState(signal.call_id, NAMELESS, "other")
            burst = self._join(call, signal, model)
        else:
            call, burst = known
        burst.running -= call.running
        call.end(signal)
        self._is_over(call, burst)
        self._changed(burst, signal)
        self._settle(burst)

    def spawned(self, signal: Agent) -> bool:
        """Take what is told of a sub-agent; tell whether its call is still to be seen."""
        known = self._known(signal.call_id)
        if known is None:
            return False
        call, burst = known
        call.spawned(signal)
        self._changed(burst, signal)
        return burst.open

    def actor(self, agent: str | None) -> str | None:
        """Name a sub-agent by what its call told of it."""
        known = self._known(agent) if agent is not None else None
        return known[0].agent.name if known and known[0].agent else None

    def image(self, signal: Media) -> None:
        """Take an image that a call yields."""
        known = self._known(signal.owner)
        if known is None:
            return
        call, burst = known
        call.reach(signal.at)
        call.images.append(
            Image(
                media_type=signal.media_type,
                bytes=signal.bytes,
                pointer=signal.pointer,
                source_path=signal.path or signal.url,
                raw_range=self._rows.range(signal.at),
            )
        )
        self._changed(burst, signal)

    def _changed(self, burst: BurstRow, signal: Signal) -> None:
        burst.reach(signal.at)
        self._rows.touch(burst)

    def seal(self, agent: str | None) -> None:
        """No further call joins an agent's burst; it is complete when all its calls have ended."""
        burst = self._open.pop(agent, None)
        if burst is not None:
            burst.sealed = True
            self._settle(burst)

    def _settle(self, burst: BurstRow) -> None:
        if burst.open and burst.sealed and not burst.running:
            of_agent = self._unsettled.get(burst.agent, {})
            of_agent.pop(burst.number, None)
            if not of_agent:
                self._unsettled.pop(burst.agent, None)
            self._rows.close(burst)

    def end_agent(self, agent: str | None) -> None:
        """An agent has ended: what it called and did not end stays unfinished."""
        self.seal(agent)
        for burst in list(self._unsettled.get(agent, {}).values()):
            self._give_up(burst)

    def close(self) -> None:
        """End all bursts."""
        for agent in list(self._unsettled):
            self.end_agent(agent)

    def _give_up(self, burst: BurstRow) -> None:
        for call in burst.calls:
            if call.running:
                call.give_up()
                self._is_over(call, burst)
        burst.running, burst.sealed = 0, True
        self._settle(burst)
