# SPDX-License-Identifier: Apache-2.0
"""A run that goes on, in the terminal: its rows as they are complete, and a line at the foot.

The line tells what runs, how long, and what it took so far. Rows come no faster than anybody can
read them: of a flood those beyond are counted, and stand in the capture.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from rich.console import RenderableType
from rich.live import Live
from rich.text import Text

from agentframes.events.model import ConversationEvent, PlanUpdate, ToolBurst, Wait
from agentframes.facts.model import RunFacts, RunUsage
from agentframes.terminal.painted import Painted
from agentframes.terminal.paper import ColorChoice
from agentframes.terminal.plain import amount, dollars, duration, one_line

PER_SECOND = 200  # rows
BURST = 2000  # rows that may come at once
REFRESH = 4  # times a second
MAX_NAMES = 3  # of running calls


class Screen:
    """Shows the events of one run; entered, it keeps the line at the foot, on a terminal."""

    def __init__(
        self,
        engine: str,
        usage: Callable[[], RunUsage | None],
        *,
        verbose: bool,
        trace: bool,
        color: ColorChoice,
        width: int | None,
    ) -> None:
        terminal = sys.stdout.isatty()
        self._engine, self._usage = engine, usage
        self._painted = Painted(
            verbose=verbose,
            trace=trace,
            at_once=True,
            color=color,
            width=width,
            interactive=terminal,
        )
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self._running: dict[str, list[str]] = {}
        self._plan = ""
        self._quiet: float | None = None
        self._room = float(BURST)
        self._filled = self._begin
        self._left_out = 0
        self._live = (  # last: it asks for the line at once
            Live(console=self._painted.paper.console, get_renderable=self._foot,
                 refresh_per_second=REFRESH, transient=True, redirect_stdout=False,
                 redirect_stderr=False, vertical_overflow="ellipsis")
            if terminal
            else None
        )  # fmt: skip

    def __enter__(self) -> Self:
        """Show the line at the foot."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        if self._live is not None:
            self._live.stop()

    def take(self, events: Iterable[ConversationEvent]) -> None:
        """Show events that are new or have changed."""
        told = list(events)
        with self._lock:
            for event in told:
                self._learn(event)
            shown = self._as_many_as_fit(told)
        if shown:
            self._painted.take(shown)

    def close(self, runs: list[RunFacts]) -> None:
        """Show what the facts tell."""
        if self._left_out:
            rows = amount(self._left_out, "rows")
            self._painted.paper.put(Text(f"{rows} came too fast; the capture has them", "yellow"))
        self._painted.close(runs)

    def _as_many_as_fit(self, events: list[ConversationEvent]) -> list[ConversationEvent]:
        now = time.monotonic()
        self._room = min(BURST, self._room + (now - self._filled) * PER_SECOND)
        self._filled = now
        fit = events[: int(self._room)]
        self._room -= len(fit)
        self._left_out += len(events) - len(fit)
        return fit

    # --- the line at the foot --------------------------------------------------------------------

    def _learn(self, event: ConversationEvent) -> None:
        match event:
            case ToolBurst():
                names = [call.name for call in event.calls if call.status == "running"]
                self._running.pop(event.id, None)
                if names:
                    self._running[event.id] = names
            case PlanUpdate():
                done = sum(item.status == "completed" for item in event.items)
                self._plan = f"plan {done} of {len(event.items)}"
            case Wait():
                quiet = event.state == "quiet"
                self._quiet = time.monotonic() - event.quiet_seconds if quiet else None

    def _foot(self) -> RenderableType:
        with self._lock:
            words = list(self._words())
        line = Text(no_wrap=True, overflow="ellipsis")
        return line.append(f"{self._painted.paper.signs.unfinished} ", "cyan").append(
            " · ".join(words), "dim"
        )

    def _words(self) -> Iterable[str]:
        now = time.monotonic()
        yield self._engine
        yield duration((now - self._begin) * 1000)
        usage = self._usage()
        if usage is not None and usage.total_tokens is not None:
            yield amount(usage.total_tokens, "tokens")
        if usage is not None and usage.cost_usd is not None:
            yield dollars(usage.cost_usd)
        if self._plan:
            yield self._plan
        names = [one_line(name) for calls in self._running.values() for name in calls]
        if names:
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            yield "runs " + ", ".join(names[:MAX_NAMES]) + more
        if self._quiet is not None:
            yield f"quiet for {duration((now - self._quiet) * 1000)}"
