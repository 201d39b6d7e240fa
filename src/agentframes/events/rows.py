# SPDX-License-Identifier: Apache-2.0
"""The rows of a conversation in their order: ids, revisions, and what has changed since asked.

A row that is complete is an event and is let go of once it was taken; one that goes on is a `Row`,
which makes its event when that is asked for, so that whoever asks at the end pays once.
"""

from __future__ import annotations

import functools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from agentframes.events.model import ConversationEvent, Event, RawRange

if TYPE_CHECKING:
    from agentframes.signals import Signal
    from agentframes.types import Span

E = TypeVar("E", bound=Event)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Row:
    """A row that may still change."""

    __slots__ = ("end", "id", "number", "open", "revision", "start")

    def __init__(self, row_id: str, at: Span) -> None:
        self.id = row_id
        self.number = -1
        self.revision = 0
        self.open = True
        self.start, self.end = at.first, at.last

    def reach(self, at: Span) -> None:
        """Take further lines in."""
        self.start, self.end = min(self.start, at.first), max(self.end, at.last)

    def event(self, source: str) -> ConversationEvent:
        """Make the event as it stands."""
        raise NotImplementedError


class Rows:
    """All rows of one stream; state is bounded by what is open or was not taken yet."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.count = 0
        self._changed: dict[int, ConversationEvent | Row] = {}
        self._line = -1
        self._ordinal = 0

    def name(self, at: Span) -> str:
        """Give the next event that opens on a line its id; line 0 is the prompt, if none tells it.

        The last number counts the events of a line. One of an earlier line, which is told late,
        has its number in the whole conversation there, which that line cannot have used.
        """
        line = at.first
        if not line:
            ordinal = 0
        elif line == self._line:
            self._ordinal = ordinal = self._ordinal + 1
        elif line > self._line:
            self._line, self._ordinal, ordinal = line, 0, 0
        else:
            ordinal = self.count
        return f"{self.source}:{line}.{at.frame}.{ordinal}"

    def range(self, at: Span) -> RawRange:
        """Tell a frame's lines."""
        return RawRange(self.source, at.first, at.last)

    def add(self, event: ConversationEvent) -> int:
        """Append an event that is complete; return its number."""
        self._changed[self.count] = event
        self.count += 1
        return self.count - 1

    def open(self, row: Row) -> None:
        """Append a row that goes on."""
        row.number = self.count
        self._changed[row.number] = row
        self.count += 1

    def touch(self, row: Row) -> None:
        """Take note that a row has changed."""
        row.revision += 1
        self._changed[row.number] = row

    def close(self, row: Row) -> None:
        """Take note that a row is complete, as far as is known."""
        row.open = False
        self.touch(row)

    def replace(self, number: int, event: ConversationEvent) -> None:
        """Put a complete event in the place of another."""
        self._changed[number] = event

    def drain(self) -> list[ConversationEvent]:
        """Take the events that are new or have changed since the last time, each as it stands."""
        changed, self._changed = self._changed, {}
        return [row.event(self.source) if isinstance(row, Row) else row for row in changed.values()]


@functools.lru_cache(maxsize=256)  # the events of a frame share its time
def stamp(time_ms: float | None) -> str | None:
    """Write a time in milliseconds since the epoch as RFC 3339, in UTC."""
    if time_ms is None:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=time_ms)
    except (OverflowError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def times(signal: Signal) -> dict[str, str | None]:
    """Tell when a signal was, for the fields that all events share."""
    told = stamp(signal.time_ms)
    return {"timestamp": told, "timestamp_source": None if told is None else "frame"}
