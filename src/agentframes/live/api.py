# SPDX-License-Identifier: Apache-2.0
"""Runs from Python: `run` waits for the facts, `arun` gives the events as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from typing import Any, cast

from agentframes.events.model import ConversationEvent
from agentframes.facts.model import RunFacts
from agentframes.live.listening import Events
from agentframes.live.run import Limits, LiveRun

WAITING = 64  # lists of events that a slow reader may have before it


def run(
    engine: str,
    prompt: str,
    *,
    on_event: Callable[[ConversationEvent], None] | None = None,
    timeout: float | None = None,
    idle_timeout: float | None = None,
    max_cost_usd: float | None = None,
    max_tokens: int | None = None,
    **options: Any,
) -> RunFacts:
    """Run an installed CLI, and return the facts at its end.

    Args:
        engine: the engine's name.
        prompt: what to ask.
        on_event: is called with each event, new or changed, as it comes; in another thread.
        timeout: seconds that it may take; then all of it is ended, and it is incomplete.
        idle_timeout: seconds that it may be silent, likewise.
        max_cost_usd: what it may cost, where the engine tells that during a run.
        max_tokens: the tokens that it may take, likewise.
        options: those of `LiveRun`: resume, model, cwd, schema, permission, max_turns, partial,
            extra, cli, env, keep, quiet_after.

    Raises:
        NotInstalledError, CommandError: as `LiveRun`.
        RecordingError: the CLI cannot be started.
        KeepingError: there is no place to keep the run.
    """
    limits = Limits(
        timeout=timeout,
        idle_timeout=idle_timeout,
        max_cost_usd=max_cost_usd,
        max_tokens=max_tokens,
    )

    live = LiveRun(engine, prompt, limits=limits, **options)
    if on_event is None:
        return live.wait()

    def take(events: Events) -> None:
        for event in events:
            on_event(event)

    return live.wait(take)


def arun(
    engine: str,
    prompt: str,
    *,
    timeout: float | None = None,
    idle_timeout: float | None = None,
    max_cost_usd: float | None = None,
    max_tokens: int | None = None,
    **options: Any,
) -> AsyncRun:
    """Prepare a run of an installed CLI; arguments and errors as for `run`.

    ``async for event in arun(…)`` gives the events as they come, ``await arun(…)`` the facts.
    """
    limits = Limits(
        timeout=timeout,
        idle_timeout=idle_timeout,
        max_cost_usd=max_cost_usd,
        max_tokens=max_tokens,
    )
    return AsyncRun(LiveRun(engine, prompt, limits=limits, **options))


class AsyncRun:
    """A run to iterate over for its events, or to wait for; once.

    Who leaves the loop early, or is cancelled, ends the CLI.
    """

    def __init__(self, live: LiveRun) -> None:
        self.live = live
        self.facts: RunFacts | None = None
        """At the end."""

    def stop(self, name: str = "SIGINT") -> None:
        """Send a signal to the CLI and its group."""
        self.live.stop(name)

    def __await__(self) -> Generator[Any, None, RunFacts]:
        """Wait for the facts."""
        return self._waited().__await__()

    async def _waited(self) -> RunFacts:
        async for _ in self:
            pass
        return cast("RunFacts", self.facts)

    async def __aiter__(self) -> AsyncIterator[ConversationEvent]:
        """Give the events, new or changed, as they come."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Events | None] = asyncio.Queue(WAITING)
        left = False

        def take(events: Events) -> None:
            if not left:
                asyncio.run_coroutine_threadsafe(queue.put(events), loop).result()

        async def ran() -> RunFacts:
            try:
                return await asyncio.to_thread(self.live.wait, take)
            finally:
                if not left:
                    await queue.put(None)

        running = asyncio.ensure_future(ran())
        try:
            while (events := await queue.get()) is not None:
                for event in events:
                    yield event
            self.facts = await running
        finally:
            left = True
            if not running.done() or running.cancelled():
                self.live.stop()
                await _drained(queue, running)


async def _drained(queue: asyncio.Queue[Events | None], running: asyncio.Future[RunFacts]) -> None:
    """Wait for the end of a run that nobody listens to any more."""
    while not running.done():
        while not queue.empty():
            queue.get_nowait()
        await asyncio.wait([running], timeout=0.05)
    with suppress(BaseException):
        running.result()
