# SPDX-License-Identifier: Apache-2.0
"""The final answer: the engine's own word first, then what the main agent said last.

Never a sub-agent's text, never reasoning, never a message that was withdrawn.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Self

from msgspec import Raw

from agentframes.facts.flat import Flat
from agentframes.facts.model import FinalTextSource
from agentframes.lazy import Lazy
from agentframes.signals import Native, Text, Withdrawn

MESSAGES = 8
"""Messages kept: the last one counts, the others stand in where it is withdrawn."""
PIECES = 1024
"""Pieces of one answer that are joined; more of them are no answer in a few messages."""
SHORT = 64  # bytes of JSON up to which a text is decoded to see whether it is blank


class AnswerFold(Flat):
    """Folds texts and the native final text of one run."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = super().__deepcopy__(memo)
        messages = ((name, texts.copy()) for name, texts in self._messages)
        twin._messages = deque(messages, maxlen=MESSAGES)  # noqa: SLF001 - its own
        return twin

    def __init__(self) -> None:
        self._messages: deque[tuple[str, list[Lazy]]] = deque(maxlen=MESSAGES)
        self._since: list[tuple[str, Lazy]] = []  # since the last tool result or human input
        self._turn_over = self._too_many = False
        self._withdrawn: deque[str] = deque(maxlen=64)
        self._native: Lazy | None = None
        self._answer: Lazy | None = None
        self._source: FinalTextSource | None = None

    def text(self, signal: Text) -> None:
        """Take a piece of the main agent's text."""
        if signal.agent is not None or signal.mode != "whole" or signal.synthetic:
            return
        if not _blank(signal.text):
            self._take(signal.message_id, signal.text)

    def stretch(self, said: list[tuple[str, Raw] | None]) -> None:
        """Take several texts of the main agent, and where the answer begins anew between them."""
        for told in _still_counts(said):
            if told is None:
                self.interruption()
            else:
                self._take(*told)

    def _take(self, message_id: str, text: Lazy) -> None:
        if self._turn_over:
            self._turn_over = False
            self.interruption()
        text = text.kept()
        if not self._messages or self._messages[-1][0] != message_id:
            self._messages.append((message_id, [text]))
            self._add((message_id, text), again=False)
            return
        texts = self._messages[-1][1]
        again = _goes_on(texts[-1], text)
        texts[len(texts) - again :] = [text]
        self._add((message_id, text), again=again)

    def _add(self, piece: tuple[str, Lazy], *, again: bool) -> None:
        if again and self._since and self._since[-1][0] == piece[0]:
            self._since[-1] = piece
        elif len(self._since) < PIECES:
            self._since.append(piece)
        else:
            self._too_many = True

    def interruption(self) -> None:
        """Take note of a tool result or a human's word: the answer begins anew after it."""
        self._since.clear()
        self._too_many = False

    def turn_over(self) -> None:
        """Take note of a terminal frame: what is said after it answers something else (s30)."""
        self._turn_over = True

    def withdrawn(self, signal: Withdrawn) -> None:
        """Take note of messages that do not count any more, told before or yet to be told."""
        self._withdrawn.extend(signal.ids)
        taken_back = set(signal.ids)
        kept = [message for message in self._messages if message[0] not in taken_back]
        if len(kept) < len(self._messages):
            self._messages = deque(kept, maxlen=MESSAGES)
            self._since = [piece for piece in self._since if piece[0] not in taken_back]

    def native(self, signal: Native) -> None:
        """Take the engine's own word on the answer."""
        if signal.final_text is not None:
            self._native = signal.final_text.kept()
            self._answer = signal.answer.kept() if signal.answer else self._native
            self._source = signal.final_text_source
        elif signal.terminal:
            self._native = self._answer = self._source = None

    def native_message(self, text: Lazy) -> None:
        """Take a message that the engine's contract has for the answer, until another comes."""
        self._native = self._answer = text.kept()
        self._source = "last_message"

    def native_text(self) -> str | None:
        """Return the native final text, verbatim; None where it is absent or empty."""
        return (self._native.text() or None) if self._native else None

    def result(self, structured: Lazy | None) -> tuple[str | None, FinalTextSource | None]:
        """Return the final text and where it came from."""
        answer = self._answer.text() if self._answer else ""
        if answer.strip():
            joined = self._joined() if self._source == "result" else ""
            # `result` holds the last piece of an answer in several (s23), or the first (F6).
            longer = len(joined) > len(answer)
            if longer and (joined.endswith(answer) or joined.startswith(answer)):
                return joined, "joined_messages"
            return answer, self._source
        if structured is not None:
            return structured.json(), "structured_output"
        for message_id, texts in reversed(self._messages):
            if message_id not in self._withdrawn:
                return "".join(text.text() for text in texts), "last_message"
        return None, None

    def _joined(self) -> str:
        if self._too_many:
            return ""
        withdrawn = self._withdrawn
        return "".join(text.text() for name, text in self._since if name not in withdrawn)


def _still_counts(said: list[tuple[str, Raw] | None]) -> list[tuple[str, Lazy] | None]:
    """Return the texts that can still count, all messages among them whole."""
    counts: list[tuple[str, Lazy] | None] = []
    anew = False
    messages = 0
    last: str | None = None
    for told in reversed(said):
        if told is None:
            if not anew or counts[-1] is not None:
                counts.append(None)
            anew = True
            continue
        message_id, raw = told
        if message_id != last and anew and messages > MESSAGES:
            break
        text = Lazy(raw)
        if not _blank(text):
            counts.append((message_id, text))
            messages += message_id != last
            last = message_id
    counts.reverse()
    return counts


def _goes_on(before: Lazy, text: Lazy) -> bool:
    """Tell a text that was printed again, whole or longer, from one that follows."""
    return bytes(text.raw).startswith(bytes(before.raw)[:-1])


def _blank(text: Lazy) -> bool:
    return len(text) <= SHORT and not text.text().strip()
