# SPDX-License-Identifier: Apache-2.0
"""When an event that goes on is painted: once, when it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from agentframes.events.model import ConversationEvent, Message, RunMarker

KEPT = 1024  # painted events of which something later may speak


class Paints(Protocol):
    """Whoever paints events."""

    def learn(self, event: ConversationEvent) -> None:
        """Note what an event tells, before it is complete."""

    def paint(self, event: ConversationEvent) -> None:
        """Paint an event that is complete."""

    def amend(self, event: ConversationEvent) -> None:
        """Tell of an event that was painted, and has changed since."""


class Order:
    """Takes events as they come, again and again while they go on.

    They are painted in the order of the conversation, so that one which goes on holds up those
    behind it; with `at_once` in the order in which they are completed.
    """

    def __init__(self, painter: Paints, *, at_once: bool) -> None:
        self._painter = painter
        self._at_once = at_once
        self._waiting: dict[str, ConversationEvent] = {}
        self._painted: dict[str, tuple[bool, str]] = {}

    def take(self, events: Iterable[ConversationEvent]) -> None:
        """Take what is new or has changed."""
        for event in events:
            if event.id in self._painted:
                self._amend(event)
                continue
            self._painter.learn(event)
            self._waiting[event.id] = event
        for event in list(self._waiting.values()):
            if not event.open:
                self._paint(self._waiting.pop(event.id))
            elif not self._at_once:
                return

    def close(self) -> None:
        """Paint what is left."""
        for event in self._waiting.values():
            self._paint(event)
        self._waiting.clear()

    def _paint(self, event: ConversationEvent) -> None:
        self._painter.paint(event)
        self._painted[event.id] = _state(event)
        if len(self._painted) > KEPT:
            del self._painted[next(iter(self._painted))]

    def _amend(self, event: ConversationEvent) -> None:
        state = _state(event)
        if state != self._painted[event.id]:
            self._painted[event.id] = state
            self._painter.amend(event)


def _state(event: ConversationEvent) -> tuple[bool, str]:
    """Tell what of an event may change after it was complete, and is worth a word then."""
    withdrawn = isinstance(event, Message) and event.withdrawn
    return withdrawn, event.label if isinstance(event, RunMarker) else ""
