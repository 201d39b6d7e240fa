# SPDX-License-Identifier: Apache-2.0
"""The texts of a run: all of them are the native final text, the last step's are the answer."""

from __future__ import annotations

from agentframes.lazy import Lazy

MAX_TEXT = 16 * 1024 * 1024
"""Bytes of text kept for the native final text; of a longer one only the end is kept."""


class Texts:
    """Keeps the texts of one run, joined by newlines; a million short ones take no more."""

    def __init__(self) -> None:
        self._all: bytearray | None = None
        self._last: bytearray | None = None
        self._step: str | None = None

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return self._all is not None

    def add(self, step: str, text: Lazy, *, keep_all: bool) -> None:
        """Take one text; a blank one does not make the step that answers."""
        said = text.text()
        utf8 = said.encode()
        self._all = _joined(self._all if keep_all else None, utf8)
        excess = len(self._all) - MAX_TEXT
        if excess > 0:
            # From a line's begin on, and the last text whole.
            begin = self._all.find(b"\n", excess - 1) + 1
            last = len(self._all) - len(utf8)
            del self._all[: min(begin or last, last)]
        if not said or said.isspace():
            return
        self._last = _joined(self._last if step == self._step else None, utf8)
        self._step = step

    def native(self) -> Lazy:
        """Return all texts that were kept, joined by newlines: the contract's final text."""
        return Lazy.of((self._all or b"").decode())

    def answer(self) -> Lazy:
        """Return the texts of the last step that has any, joined by newlines."""
        return Lazy.of((self._last or b"").decode())


def _joined(before: bytearray | None, text: bytes) -> bytearray:
    if before is None:
        return bytearray(text)
    before += b"\n"
    before += text
    return before
