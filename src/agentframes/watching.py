# SPDX-License-Identifier: Apache-2.0
"""A stream whose fields are looked at, too: for drift, and to learn a manifest from captures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentframes import engines, manifests
from agentframes.drift import compare, merged
from agentframes.engines.support import clean_kind
from agentframes.facts.model import RunFacts, Stopped
from agentframes.frames import FrameSink, Place
from agentframes.lazy import Lazy
from agentframes.manifests import Manifest
from agentframes.signals import Signal, Unknown
from agentframes.streams import Stream
from agentframes.walk import Walk


class WatchedStream(Stream):
    """Holds the fields of the frames against the manifest, too.

    What they hold is left beside the facts as `seen`, which is not on the wire.
    """

    learn = False

    def __init__(self, *, manifest: Manifest | None = None, **options: Any) -> None:
        self._given = manifest
        self._manifests: dict[str | None, Manifest | None] = {}
        self._walk: Walk | None = None
        self._novel = False
        super().__init__(**options)

    def _enter(self, engine: engines.Engine) -> None:
        super()._enter(engine)
        manifest = self._given or manifests.of(engine)
        self._manifests[engine.name] = manifest
        self._walk = Walk(manifest, learn=self.learn) if manifest else None

    def several(self, frames: Iterator[Any], place: Place) -> None:
        """Have frames read one by one, as each is looked at."""
        FrameSink.several(self, frames, place)

    def frame(self, frame: Any, place: Place) -> None:
        """Have a frame read, then write down what it holds."""
        self._novel = False
        super().frame(frame, place)
        if self._walk is None or self._interpreter is None:
            return
        raw = place.raw()
        kinds = [clean_kind(kind) for kind in self._interpreter.kinds(frame, raw)]
        value = Lazy(raw).decode()
        for fold in self.runs.open():
            self._walk.frame(fold.seen, kinds, value, place.line, novel=self._novel)

    def emit(self, signal: Signal) -> None:
        """Fold a signal in, and mind whether the frame at hand is known."""
        self._novel = self._novel or type(signal) is Unknown
        super().emit(signal)

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None = None
    ) -> list[RunFacts]:
        """End the source and return the facts of its runs, the drift of their fields included."""
        runs = super().close(exit_code=exit_code, stderr=stderr, stopped=stopped)
        for facts, fold in zip(runs, self.runs.folds, strict=True):
            facts.seen = fold.seen  # type: ignore[attr-defined]
            manifest = self._manifests.get(facts.engine)
            if manifest is not None and not self.learn:
                found = compare(fold.seen, manifest, facts.cli_version)
                facts.drift = merged(facts.drift, found)
        return runs


class LearningStream(WatchedStream):
    """Writes down every field, known or not."""

    learn = True
