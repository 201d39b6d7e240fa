# SPDX-License-Identifier: Apache-2.0
"""What frames are rendered as, taken down while an engine's captures are projected.

After each signal the conversation is asked what changed: what opened a row, or added to one, is
put down under the kind of the frame that the signal came from. That a row closes because another
begins is no rendering of what closed it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from agentframes import engines
from agentframes.captures import open_folder
from agentframes.commands._matrix.captured import Capture
from agentframes.conversation import EventStream
from agentframes.events.model import ConversationEvent, ToolBurst
from agentframes.facts.model import RunFacts, Stopped
from agentframes.lines import chunks, open_path
from agentframes.signals import Signal, ToolEnd, Truncated, Usage

EXAMPLE = "s16-multistep"
DIGITS = 12

_PASSING = frozenset({"open", "revision", "content"})  # `content` is made of the body


class Touch(Struct):
    """What a kind of frame does to a kind of row."""

    opens: bool = False
    sorts: set[str] = set()
    """The categories of status rows, the origins of messages."""


class Rendering(Struct):
    """What an engine's captures are rendered as."""

    touches: dict[str, dict[str, Touch]] = {}
    """Each kind of frame, and the kinds of event that it opens or extends."""
    cuts: dict[str, dict[str, set[str]]] = {}
    """Kinds of frame by which the engine tells that something is cut, what, and the versions."""
    captures: Counter[str] = msgspec.field(default_factory=Counter)
    """How many captures show each kind of event."""
    fingerprints: dict[str, str] = {}
    """Of each version, a hash of all that its captures are rendered as."""
    examples: dict[str, list[str]] = {}
    """Of each version, the kinds of the events of one scenario in their order."""


def rendering(captures: Iterable[Capture]) -> Rendering:
    """Project captures, those of a version in a row."""
    told = Rendering()
    for version, of_version in groupby(captures, lambda capture: capture.version):
        whole = hashlib.sha256()
        for capture in of_version:
            events = _project(capture, told)
            for event in events:
                whole.update(event.to_json() + b"\n")
            told.captures.update({event.kind for event in events})
            if capture.scenario == EXAMPLE:
                told.examples[version] = [event.kind for event in events]
        told.fingerprints[version] = whole.hexdigest()[:DIGITS]
    return told


def _project(capture: Capture, told: Rendering) -> list[ConversationEvent]:
    """Project a capture as `read` does, under a name that is the same everywhere."""
    folder = open_folder(str(capture.path))
    stream = _Recorder(
        told,
        engine=capture.engine,
        cli_version=capture.version,
        label=f"{capture.engine}/{capture.version}/{capture.scenario}",
        prompt=engines.get(capture.engine).prompt(folder.argv, folder.stdin),
    )
    with open_path(folder.stdout) as file:
        for chunk in chunks(file):
            stream.feed(chunk)
    stream.close(exit_code=folder.exit_code, stderr=None)
    return list(stream.events.values())


class _Recorder(EventStream):
    """A stream that takes down which signal changed which rows."""

    def __init__(self, told: Rendering, *, cli_version: str, **options: Any) -> None:
        self._sight = told
        self._version = cli_version
        self._shapes: dict[str, Any] = {}
        self._owed: str | None = None
        self.events: dict[str, ConversationEvent] = {}
        super().__init__(cli_version=cli_version, **options)

    def emit(self, signal: Signal) -> None:
        """Project a signal, and see what came of it."""
        super().emit(signal)
        self._look(signal.kind)
        if type(signal) is Usage:
            self._owed = signal.kind
        what = _cut(signal)
        if what is not None:
            of_kind = self._sight.cuts.setdefault(signal.kind, {})
            of_kind.setdefault(what, set()).add(self._version)

    def close(
        self, *, exit_code: int | None, stderr: str | None, stopped: Stopped | None = None
    ) -> list[RunFacts]:
        """End the stream; what the end itself tells is no frame's."""
        runs = super().close(exit_code=exit_code, stderr=stderr, stopped=stopped)
        self._look(None)
        return runs

    def _look(self, frame_kind: str | None) -> None:
        """Put down the rows that are new or hold more than before.

        An account is held back until the next signal (`Projector.take`), so it is the frame's
        that told the last usage. A prompt that no line tells is no frame's.
        """
        for event in self.drain():
            self.events[event.id] = event
            before, shape = self._shapes.get(event.id), _shape(event)
            self._shapes[event.id] = shape
            kind = self._owed if event.kind == "metric.token" else frame_kind
            if shape == before or kind is None or event.raw_range is None:
                continue
            touch = self._sight.touches.setdefault(kind, {}).setdefault(event.kind, Touch())
            if before is None:
                touch.opens = True
                touch.sorts.update(_sort(event))


def _shape(event: ConversationEvent) -> Any:
    """Return what a row shows, but for its being open; a call given up has not said more."""
    if isinstance(event, ToolBurst):
        calls = [
            msgspec.structs.replace(call, status="running") if call.status == "unfinished" else call
            for call in event.calls
        ]
        return event.raw_range, calls
    return {name: getattr(event, name) for name in event.__struct_fields__ if name not in _PASSING}


def _sort(event: ConversationEvent) -> set[str]:
    told = getattr(event, "category", None) or getattr(event, "origin", None)
    return set() if told is None else {told}


def _cut(signal: Signal) -> str | None:
    if isinstance(signal, Truncated):
        return signal.what
    return "tool_output" if isinstance(signal, ToolEnd) and signal.truncated else None
