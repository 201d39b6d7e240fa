# SPDX-License-Identifier: Apache-2.0
"""The texts of a run: all of them are the native final text, the last step's are the answer."""

from __future__ import annotations

from collections import deque

from agentframes.lazy import Lazy

MAX_TEXT = 16 * 1024 * 1024
"""Bytes of text kept for the native final text; of a longer one only the end is kept."""
SHORT = 64  # bytes of JSON up to which a text is decoded to see whether it is blank


class Texts:
    """Keeps the texts of one run as they were printed; they are joined when somebody asks."""

    def __init__(self) -> None:
        self._all: deque[Lazy] = deque()
        self._bytes = 0
        self._step: str | None = None
        self._last: list[Lazy] = []

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._all)

    def add(self, step: str, text: Lazy) -> None:
        """Take one text; a blank one does not make the step that answers."""
        text = text.kept()
        self._all.append(text)
        self._bytes += len(text)
        while self._bytes > MAX_TEXT and len(self._all) > 1:
            self._bytes -= len(self._all.popleft())
        if len(text) <= SHORT and not text.text().strip():
            return
        if step != self._step:
            self._step = step
            self._last.clear()
        self._last.append(text)

    def native(self) -> Lazy:
        """Return all texts, joined by newlines: the contract's final text."""
        return _joined(self._all)

    def answer(self) -> Lazy:
        """Return the texts of the last step that has any, joined by newlines."""
        return _joined(self._last)


def _joined(texts: deque[Lazy] | list[Lazy]) -> Lazy:
    if len(texts) == 1:
        return texts[0]
    return Lazy.of("\n".join(text.text() for text in texts))
