# SPDX-License-Identifier: Apache-2.0
"""Copilot's captures, and everything the engine tells of what was printed."""

from __future__ import annotations

from typing import Any, TypeVar

from agentframes.facts.model import RunFacts
from agentframes.signals import Signal
from agentframes.streams import Stream
from tests import captured
from tests.frames import CORPUS, Frame, capture

FOLDERS = sorted(path.parent for path in (CORPUS / "copilot").glob("*/*/stdout.jsonl*"))
NAMES = [
    str(path.relative_to(CORPUS / "copilot"))
    for path in FOLDERS
    if next(path.glob("stdout.jsonl*")).stat().st_size  # one that cannot be resumed prints nothing
]

S = TypeVar("S", bound=Signal)


def frames(name: str) -> list[Frame]:
    """Return the frames of a capture, named ``version/scenario``."""
    return capture(f"copilot/{name}")


def raw(name: str) -> bytes:
    """Return a capture's bytes."""
    return captured.capture(f"copilot/{name}")


class Recorder(Stream):
    """Reads as `read` does, with all signals or with those that facts need; keeps them."""

    def __init__(self, *, full: bool) -> None:
        self.signals: list[Signal] = []
        super().__init__(engine="copilot")
        assert self._interpreter is not None
        self._interpreter.full = full

    def emit(self, signal: Signal) -> None:
        """Keep a signal, and fold it."""
        self.signals.append(signal)
        super().emit(signal)


def signals(printed: bytes, *, full: bool = True) -> list[Signal]:
    """Return the signals of what was printed."""
    recorder = Recorder(full=full)
    recorder.feed(printed)
    recorder.close(exit_code=None, stderr=None)
    return recorder.signals


def facts(printed: bytes, *, full: bool) -> list[RunFacts]:
    """Return the facts of each run, folded from all signals or from the lean ones."""
    recorder = Recorder(full=full)
    recorder.feed(printed)
    return recorder.close(exit_code=None, stderr=None)


def only(kind: type[S], printed: bytes | list[Signal]) -> list[S]:
    """Return the signals of one type."""
    found = signals(printed) if isinstance(printed, bytes) else printed
    return [signal for signal in found if type(signal) is kind]


def data(name: str, kind: str) -> list[dict[str, Any]]:
    """Return `data` of a capture's frames of one kind, by the standard library alone."""
    return [frame["data"] for frame in frames(name) if frame["type"] == kind]
