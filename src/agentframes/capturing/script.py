# SPDX-License-Identifier: Apache-2.0
"""The scripted model: what it answers next, by whose request it is.

A request is the main agent's where the scenario's prompt stands in a user message and tools are
offered; a sub-agent's where the first such message is its task; all others are helpers (titles,
routing, warm-ups), which the engine knows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from agentframes.capturing.scenario import MAIN_USAGE, Scenario, Step, Stop, Usage
from agentframes.engines.offline import Asked, Call, NativeCall, Offline, Site

SUBTASK = "SUBTASK:"
# What the corpus shows, as that of MAIN_USAGE: searches in codex/0.171.0/s12-mcp and
# claude/2.1.332/s12-mcp, helpers in gemini/0.61.0/s01-text--default-model, a sub-agent's calls
# by their place in copilot/1.0.12/s17-subagent (output) and claude/2.1.332/s17-subagent (the rest).
SEARCH_USAGE = Usage(input=150, output=2)
HELPER_USAGE = Usage(input=71, output=3)
AGENT_USAGE = (
    Usage(input=600, cached=0, written=101, output=20),
    Usage(input=701, cached=64, written=3, output=26),
)


class Failure(Struct, frozen=True):
    """An HTTP status in place of an answer."""

    status: int
    number: int = 0
    """As that of a reply; the request's id is made of it."""


class Reply(Struct, kw_only=True):
    """An answer, ready for any wire form."""

    number: int
    """Counts the replies of the run from 1; ids are made of it."""
    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[NativeCall] = []
    usage: Usage = HELPER_USAGE
    stop: Stop = "end"
    pause_ms: int = 0
    piece: int = 24
    cut_after: int | None = None
    sent: Callable[[int | None], None] = lambda _: None
    """Told each time a piece went out: how many did, None for all."""


class Script:
    """What the model of one scenario, or of a chain of them, says; used by many threads."""

    def __init__(self, engine: Offline, site: Site) -> None:
        self._engine = engine
        self.site = site
        self._lock = threading.Lock()
        self._number = 0
        self._warm_up = 0.0
        self._full = False
        self._main = _Agent((), MAIN_USAGE)
        self._sub = _Agent((), AGENT_USAGE)
        self._prompts: tuple[str, ...] = ()
        self.reached: Callable[[int, int | None], None] = lambda _step, _pieces: None
        """Told of the main agent's answers: which, and how many pieces of it went out."""

    def begin(self, scenario: Scenario, warm_up: float = 0) -> None:
        """Take up a scenario; the place in the conversation stays where it was.

        Args:
            scenario: what the model says next.
            warm_up: seconds before the first answer to it.
        """
        with self._lock:
            self._warm_up = warm_up
            self._full = scenario.full
            self._main = _Agent(scenario.steps, MAIN_USAGE, place=self._main.place)
            self._sub = _Agent(scenario.agent, AGENT_USAGE)
            # Those of the runs before are in it too: a compaction repeats no prompt of its own.
            self._prompts += (scenario.prompt, *scenario.inputs)

    def answer(self, asked: Asked) -> Reply | Failure:
        """Return what the model says to a request."""
        with self._lock:
            agent, warm_up = self._whose(asked), 0.0
            if agent is not None:
                warm_up, self._warm_up = self._warm_up, 0.0
        time.sleep(warm_up)  # helpers are answered meanwhile
        with self._lock:
            self._number += 1
            if agent is None:
                text = self._engine.helper(asked)
                return Reply(number=self._number, text="ok" if text is None else text)
            return self._next(agent, asked)

    def _whose(self, asked: Asked) -> _Agent | None:
        users = [turn.text for turn in asked.turns if turn.role == "user"]
        if self._engine.helper(asked) is not None or not users:
            return None
        if any(SUBTASK in text for text in users) and self._sub.steps:
            return self._sub
        if any(prompt in text for text in users for prompt in self._prompts):
            return self._main
        # Of a conversation that was summed up, the prompt may not be left.
        return self._main if self._full and asked.tools and self._main.index else None

    def _next(self, agent: _Agent, asked: Asked) -> Reply | Failure:
        if agent.calls:
            calls, agent.calls = agent.calls, ()
            more = self._engine.after(calls, asked, self.site)
            if more:
                return self._reply(agent, Step(), more)
        step = agent.step()
        if step.http is not None:
            agent.fail(step)
            return Failure(step.http, self._number)
        for call in step.calls:
            first = self._engine.before(call, asked, self.site)
            if first is not None and str(first.arguments) not in agent.searched:
                agent.searched.add(str(first.arguments))
                return Reply(number=self._number, calls=[first], usage=SEARCH_USAGE)
        native = self._native(step, asked)
        if step.cut_after is not None:
            reply = self._reply(agent, step, native, counted=False)
            agent.fail(step)
            return reply
        if native and all(call.kind == "web_search" for call in native):
            # The provider has searched by itself: the same answer goes on with what it found.
            agent.index += 1
            step = agent.step()
            native += self._native(step, asked)
        reply = self._reply(agent, step, native)
        agent.index += 1
        agent.calls = step.calls
        return reply

    def _native(self, step: Step, asked: Asked) -> list[NativeCall]:
        return [self._engine.native(call, asked, self.site) for call in step.calls]

    def _reply(
        self, agent: _Agent, step: Step, native: list[NativeCall], *, counted: bool = True
    ) -> Reply:
        said = "".join(str(call.arguments) for call in native if call.kind == "text")
        index = agent.index if agent is self._main else -1
        usage = step.usage or agent.usage[min(agent.place, len(agent.usage) - 1)]
        agent.place += counted
        return Reply(
            number=self._number,
            text=step.text * step.repeat + said,
            reasoning=step.reasoning,
            refusal=step.refusal,
            calls=[call for call in native if call.kind != "text"],
            usage=usage,
            stop=step.stop,
            pause_ms=step.pause_ms,
            piece=step.piece,
            cut_after=step.cut_after,
            sent=lambda pieces: self.reached(index, pieces),
        )


class _Agent:
    """One conversation's place in its script."""

    def __init__(self, steps: Sequence[Step], usage: Sequence[Usage], *, place: int = 0) -> None:
        self.steps = steps
        self.usage = usage
        self.place = place
        self.index = 0
        self.failed = 0
        self.calls: Sequence[Call] = ()
        self.searched: set[str] = set()  # what is not found is not searched for again

    def step(self) -> Step:
        """Return the step that is next; past the last one, a word."""
        return self.steps[self.index] if self.index < len(self.steps) else Step(text="ok")

    def fail(self, step: Step) -> None:
        """Count a failure, and go on to the next step when that was the last of them."""
        self.failed += 1
        if step.times and self.failed >= step.times:
            self.index += 1
            self.failed = 0
