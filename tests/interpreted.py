# SPDX-License-Identifier: Apache-2.0
"""Everything that an engine tells of what was printed, not only what facts need."""

from __future__ import annotations

from typing import TypeVar

from agentframes import engines
from agentframes.facts.model import RunFacts
from agentframes.reading import Stream
from agentframes.signals import Signal

S = TypeVar("S", bound=Signal)


class Whole(Stream):
    """A stream whose engine tells all its signals."""

    def __init__(self, engine: str) -> None:
        self.signals: list[Signal] = []
        super().__init__(engine=engine)

    def _enter(self, engine: engines.Engine) -> None:
        super()._enter(engine)
        assert self._interpreter is not None
        self._interpreter.full = True

    def emit(self, signal: Signal) -> None:
        """Keep a signal, and fold it as ever."""
        self.signals.append(signal)
        super().emit(signal)


def whole(engine: str, printed: bytes) -> tuple[list[Signal], list[RunFacts]]:
    """Read what was printed to all of its signals, and to the facts these fold to."""
    stream = Whole(engine)
    stream.feed(printed)
    runs = stream.close(exit_code=None, stderr=None)
    for facts in runs:
        facts.runs = len(runs)
    return stream.signals, runs


def signals(engine: str, printed: bytes) -> list[Signal]:
    """Read what was printed to all of its signals."""
    return whole(engine, printed)[0]


def of(kind: type[S], told: list[Signal]) -> list[S]:
    """Pick the signals of one sort."""
    return [signal for signal in told if type(signal) is kind]
