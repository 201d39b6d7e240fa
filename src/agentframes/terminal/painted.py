# SPDX-License-Identifier: Apache-2.0
"""Stdout as what a conversation is painted on."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.text import Text

from agentframes.events.model import ConversationEvent
from agentframes.facts.model import RunFacts
from agentframes.terminal.order import Order
from agentframes.terminal.painter import Painter
from agentframes.terminal.paper import (
    ColorChoice,
    Look,
    Output,
    Paper,
    color_system,
    terminal_width,
)


class Painted:
    """Paints the events of one content after the other."""

    def __init__(
        self,
        *,
        verbose: bool,
        trace: bool,
        at_once: bool,
        color: ColorChoice,
        width: int | None,
        interactive: bool = False,
    ) -> None:
        terminal = sys.stdout.isatty()
        self._paper = Paper(
            Output(sys.stdout.buffer, sys.stdout.encoding),
            width=terminal_width(width, terminal=terminal),
            colors=color_system(color, terminal=terminal),
            interactive=interactive,
        )
        self._look = Look(verbose=verbose, trace=trace)
        self._at_once = at_once
        self._contents = 0
        self._begin()

    def _begin(self) -> None:
        self._begun = False
        self._painter = Painter(self._paper, self._look)
        self._order = Order(self._painter, at_once=self._at_once)

    @property
    def paper(self) -> Paper:
        """What it paints on."""
        return self._paper

    def take(self, events: Iterable[ConversationEvent]) -> None:
        """Paint what is complete; a content behind another is set apart from it."""
        told = list(events)
        if told and self._contents and not self._begun:
            self._paper.put(Text())
            self._paper.rule(Text("From the start", "bold"), "cyan")
            self._paper.put(Text())
        self._begun = self._begun or bool(told)
        self._order.take(told)

    def close(self, runs: list[RunFacts]) -> None:
        """Paint what is left, and what the facts tell; what comes now is another content's."""
        self._order.close()
        self._painter.close(runs)
        self._contents += 1
        self._begin()
