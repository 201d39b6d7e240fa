# SPDX-License-Identifier: Apache-2.0
"""Where events go, and the plain way: JSON lines, for which nothing of rich is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol, TypeVar

import msgspec

from agentframes.events.model import Content, ConversationEvent
from agentframes.facts.model import RunFacts
from agentframes.lazy import one_line
from agentframes.redaction import redact_value

T = TypeVar("T", bound=ConversationEvent | RunFacts)


class Sink(Protocol):
    """Where events go."""

    def take(self, events: Iterable[ConversationEvent], /) -> None:
        """Take events that are new or have changed."""

    def close(self, runs: list[RunFacts], /) -> None:
        """Take what the facts tell of the runs that the events were of."""


class JsonLines:
    """Prints events, one a line and nothing else.

    Characters that many languages take for line ends are escaped, as in facts.
    """

    def take(self, events: Iterable[ConversationEvent]) -> None:
        """Print events, each at once."""
        out = sys.stdout.buffer
        for event in events:
            out.write(one_line(event.to_json()) + b"\n")
            out.flush()

    def close(self, runs: list[RunFacts]) -> None:
        """Facts are no events."""


def redacted(told: T) -> T:
    """Return an event or facts without what must not be shown around."""
    plain = redact_value(told.to_dict())
    if "content" in plain:
        plain["content"] = plain["body"]
    copy: T = msgspec.convert(plain, type(told), dec_hook=lambda _, body: Content(body))
    return copy
