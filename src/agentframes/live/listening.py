# SPDX-License-Identifier: Apache-2.0
"""What a running CLI prints, turned into events as it comes, with the silences between."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable
from typing import Protocol

from agentframes.events.model import ConversationEvent, Wait
from agentframes.facts.model import RunFacts, RunUsage, Stopped
from agentframes.streams import Stream

REMEMBERED = 4096  # events without a time of their own that may come again
TICK = 1.0  # seconds between two looks at a quiet CLI

Events = list[ConversationEvent]


class Reads(Protocol):
    """What is fed with whole lines: a `Reader`, or one that makes no events."""

    rest: Events
    runs: list[RunFacts]

    def feed(self, lines: bytes, /) -> Events:
        """Take whole lines; return the events that are new or have changed."""

    def usage(self) -> RunUsage:
        """Return the account so far."""

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None
    ) -> RunFacts:
        """End the run, and return its facts."""


class FactsReader:
    """Reads for the facts alone, where nobody listens: ten times as fast."""

    def __init__(self, engine: str, cli_version: str | None, source: str) -> None:
        self._stream = Stream(engine=engine, cli_version=cli_version, label=source)
        self._source = source
        self.rest: Events = []
        self.runs: list[RunFacts] = []

    def feed(self, lines: bytes) -> Events:
        """Take whole lines; there are no events."""
        self._stream.feed(lines)
        return []

    def usage(self) -> RunUsage:
        """Return the account so far."""
        return self._stream.runs.current.usage()

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None
    ) -> RunFacts:
        """End the run, and return the facts of the last one in the output."""
        self.runs = self._stream.close(exit_code=exit_code, stderr=stderr, stopped=stopped)
        for facts in self.runs:
            facts.source, facts.runs = self._source, len(self.runs)
        return self.runs[-1]


class Listener:
    """Feeds a reader with pieces of output, and hands on what it makes of them; for one run.

    `hear` comes from the recorder's thread, silences from one of its own: what is handed on comes
    in order, one call after the other. What `take` raises about a silence goes to `fail`.
    """

    def __init__(
        self,
        reader: Reads,
        take: Callable[[Events], None],
        *,
        quiet_after: float | None,
        fail: Callable[[BaseException], None],
    ) -> None:
        self._reader = reader
        self._take = take
        self._fail = fail
        self._quiet_after = quiet_after
        self._lock = threading.Lock()
        self._held: list[bytes] = []  # half a line
        self._arrived: dict[str, str] = {}
        self._last = time.monotonic()
        self._wait: Wait | None = None
        self._waits = 0
        self._over = threading.Event()

    def start(self) -> None:
        """Begin to mind silences."""
        self._last = time.monotonic()
        if self._quiet_after is not None:
            threading.Thread(target=self._watch, daemon=True).start()

    def hear(self, piece: bytes) -> RunUsage | None:
        """Take a piece of output; return the account so far, if a line ended in it."""
        with self._lock:
            self._last = time.monotonic()
            self._spoke()
            end = piece.rfind(b"\n") + 1
            if not end:
                self._held.append(piece)
                return None
            lines = b"".join((*self._held, piece[:end]))
            self._held = [piece[end:]] if end < len(piece) else []
            self._hand_on(self._reader.feed(lines))
            return self._reader.usage()

    def abandon(self) -> None:
        """Hand on nothing more: the run has failed."""
        self._over.set()

    def close(self, *, exit_code: int | None, stderr: str, stopped: Stopped | None) -> RunFacts:
        """End the run: hand on what the end completes, and return the facts."""
        with self._lock:
            self._over.set()
            self._spoke(killed=stopped)
            if self._held:
                self._hand_on(self._reader.feed(b"".join(self._held)))
            facts = self._reader.close(exit_code=exit_code, stderr=stderr, stopped=stopped)
            self._hand_on(self._reader.rest)
        return facts

    @property
    def runs(self) -> list[RunFacts]:
        """The facts of all runs in the output; after `close`."""
        return self._reader.runs

    def _hand_on(self, events: Events) -> None:
        if events:
            now = _now()
            for event in events:
                if event.timestamp is None:
                    event.timestamp = self._arrived.setdefault(event.id, now)
                    event.timestamp_source = "arrival"
            while len(self._arrived) > REMEMBERED:
                del self._arrived[next(iter(self._arrived))]
            self._take(events)

    # --- silences --------------------------------------------------------------------------------

    def _watch(self) -> None:
        while not self._over.wait(TICK):
            with self._lock:
                quiet = time.monotonic() - self._last
                if self._over.is_set() or self._wait or quiet < (self._quiet_after or 0):
                    continue
                self._waits += 1
                try:
                    self._wait = self._told("quiet", quiet, open_=True)
                except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
                    self._fail(error)
                    return

    def _spoke(self, killed: Stopped | None = None) -> None:
        if self._wait is not None:
            quiet = time.monotonic() - self._since
            self._told("killed" if killed else "resumed", quiet, open_=False, reason=killed)
            self._wait = None

    def _told(self, state: str, quiet: float, *, open_: bool, reason: str | None = None) -> Wait:
        if open_:
            self._since = time.monotonic() - quiet
        event = Wait(
            id=f"wait-{self._waits}",
            timestamp=_now(),
            timestamp_source="arrival",
            severity="warn" if state == "killed" else "info",
            raw_range=None,
            state=state,  # type: ignore[arg-type]
            quiet_seconds=round(quiet, 1),
            reason=reason,
            open=open_,
            revision=1 if open_ else 2,
        )
        self._take([event])
        return event


def _now() -> str:
    now = dt.datetime.now(tz=dt.UTC).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")
