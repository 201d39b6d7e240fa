# SPDX-License-Identifier: Apache-2.0
"""What was said: the prompt, and the agent's messages, which come in pieces.

No frame holds the final text. It is what the agent said since the last user, tool_use or
tool_result frame, so exactly that is kept, and told when the run ends or breaks off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.engines.support import told
from agentframes.lazy import Lazy
from agentframes.signals import Input, Native, Text
from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.engines.gemini.frames import Frame
    from agentframes.engines.gemini.signals import GeminiInterpreter
    from agentframes.frames import Place


class Said:
    """What the agent has said since the last user or tool frame, its pieces joined.

    Messages get an id from us, since the CLI gives none: the line of their first piece.
    """

    def __init__(self) -> None:
        self.message_id = ""
        self.at = Span(0, 0)
        self.told = True
        self._text: bytearray | None = None  # in UTF-8: a million short pieces take no more
        self._open = False
        self._first = 0  # where in the text the message at hand begins

    def over(self) -> None:
        """Take note of a user or tool frame: the answer begins anew after it."""
        self._text = None
        self._open, self.told = False, True

    def add(self, text: Lazy, at: Span, *, delta: bool) -> None:
        """Take a piece, or a whole message that stands for its pieces."""
        if self._text is None:
            self._text = bytearray()
        if not self._open:
            self.message_id = message_id(at)
            self._first = len(self._text)
        if not delta:
            del self._text[self._first :]
        self._text += text.text().encode()
        self._open, self.at, self.told = delta, at, False

    def goes_on(self) -> bool:
        """Tell whether a message has begun that more pieces belong to."""
        return self._open

    def text(self) -> Lazy | None:
        """Return what was said, None where it is nothing; what follows is another message."""
        self._open, self.told = False, True
        return None if self._text is None else Lazy.of(self._text.decode())


def message_id(at: Span) -> str:
    """Name the message that begins in a frame."""
    return f"message-{at.first}" + (f".{at.frame}" if at.frame else "")


def read(reader: GeminiInterpreter, frame: Frame, _: Place, kind: str) -> None:
    """Read a message of the user or of the agent."""
    text = told(frame.content)
    if frame.role == "user":
        reader.said.over()
        if text is not None:
            _input(reader, frame, text, kind)
    elif text is not None:
        _text(reader, frame, text, kind)


def _input(reader: GeminiInterpreter, frame: Frame, text: Lazy, kind: str) -> None:
    reader.emit(
        Input(at=reader.at, kind=kind, time_ms=reader.time(frame), text=text, origin="human")
    )


def _text(reader: GeminiInterpreter, frame: Frame, text: Lazy, kind: str) -> None:
    """Every piece captured says ``"delta": true``; the typings leave it open."""
    said, delta = reader.said, frame.delta is True
    said.add(text, reader.at, delta=delta)
    # Of pieces, facts only want to know that the run goes on behind its result.
    if reader.full or reader.ended or not delta:
        reader.emit(
            Text(
                at=reader.at,
                kind=kind,
                time_ms=reader.time(frame),
                message_id=said.message_id,
                part=0,
                text=text,
                mode="delta" if delta else "whole",
            )
        )


def break_off(reader: GeminiInterpreter) -> None:
    """Tell what was said and not told when the run stops without a word (s25)."""
    said = reader.said
    if not said.told:
        reader.emit(
            Native(
                at=said.at,
                kind="message/assistant",
                final_text=said.text(),
                final_text_source="joined_deltas",
            )
        )
