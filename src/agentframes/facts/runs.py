# SPDX-License-Identifier: Apache-2.0
"""Signals of one stream, parted into its runs.

Another session's begin opens another run. A session that announces itself again after an end may
be a further turn of the same process or a resumed process, and only its own end tells which: until
then it is folded both ways.
"""

from __future__ import annotations

import copy

from agentframes.facts.fold import Fold
from agentframes.signals import Begin, End, Signal


class Runs:
    """The folds of a stream's runs, in order; the last one is `current`."""

    def __init__(self) -> None:
        self.current = Fold()
        self.folds = [self.current]
        self._before: Fold | None = None
        self._apart: Fold | None = None

    def open(self) -> list[Fold]:
        """List the folds that the frame at hand may belong to."""
        return [self.current] if self._apart is None else [self.current, self._apart]

    def frame(self, count: int = 1) -> None:
        """Count a frame, or several."""
        self.current.total += count
        if self._apart is not None:
            self._apart.total += count

    def unread(self) -> None:
        """Count a frame that nobody reads."""
        self.current.total += 1
        self.current.unknown += 1

    def frame_of_another(self) -> None:
        """End the run: the frame just counted is another engine's, and is read again as such."""
        self._before = self._apart = None
        self.current.total -= 1
        self.current = Fold()
        self.folds.append(self.current)

    def take(self, signal: Signal) -> bool:
        """Fold a signal in; tell whether it opened another run."""
        opened = type(signal) is Begin and self._begin(signal)
        self.current.take(signal)
        if self._apart is not None:
            self._apart.take(signal)
            if type(signal) is End:
                self._before = self._apart = None
        return opened

    def _begin(self, signal: Begin) -> bool:
        if signal.why == "resumed":
            return self._part()
        if not self.current.begun:
            return False
        if signal.why == "start":
            self._before = self._apart = None
            self._open(Fold())
            return True
        if signal.why == "reinit" and self.current.ended and self._apart is None:
            self._before = copy.deepcopy(self.current)
            self._before.total -= 1
            self._apart = Fold()
            self._apart.total = 1
        return False

    def _open(self, fold: Fold) -> None:
        self.current.total -= 1  # the frame that tells it belongs to the new run
        fold.total = 1
        self.current = fold
        self.folds.append(fold)

    def _part(self) -> bool:
        """What began with the last announcement is a run of its own."""
        if self._before is None or self._apart is None:
            return False
        self.folds[-1:] = [self._before, self._apart]
        self.current = self._apart
        self._before = self._apart = None
        return True
