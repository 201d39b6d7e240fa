# SPDX-License-Identifier: Apache-2.0
"""Runner-normalized text: what is printed where no machine-readable output was asked for.

`* <action> (<tool kind>)` followed by `  | <output>` lines is one call; `[output truncated]` is a
warning; other text is a message. A text-mode transcript of a CLI (its engine knows the banner) is
one row that spans its lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentframes.lazy import Lazy
from agentframes.signals import (
    Noise,
    Notice,
    Signal,
    Text,
    ToolCall,
    ToolEnd,
    ToolOutput,
    Truncated,
)
from agentframes.types import Span

Emit = Callable[[Signal], None]
Banner = Callable[[str], str | None]
"""Names the transcript that a line opens, or None."""

KIND = "(text)"
TRANSCRIPT = "transcript"
TRUNCATED = "[output truncated]"
FAMILIES = frozenset({
    "execute", "read", "edit", "search", "fetch", "web_search", "plan", "agent", "mcp", "ask",
    "output",
})  # fmt: skip

_CALL = r"^\* (?P<action>.*\S) \((?P<kind>[A-Za-z][\w./:-]*)\)$"
_OUTPUT = r"^\s*\|(?: (?P<text>.*)|)$"
_ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])"


class Normalizer:
    """Turns the lines of normalized text into signals."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._call: str | None = None
        self._message: str | None = None
        self._line = 0

    def take(self, number: int, text: str) -> None:
        """Take a line, without its line end."""
        at = Span(number, number)
        plain = re.sub(_ESCAPES, "", text).rstrip() if "\x1b" in text else text.rstrip()
        if not plain:
            return
        call = re.match(_CALL, plain) if plain.startswith("*") else None
        output = re.match(_OUTPUT, plain) if self._call is not None else None
        if call is not None:
            self.settle()
            self._begin(at, call["action"], call["kind"])
        elif output is not None and self._call is not None:
            said = Lazy.of((output["text"] or "") + "\n")
            self._emit(ToolOutput(at=at, kind=KIND, call_id=self._call, text=said))
        elif plain.strip() == TRUNCATED:
            call_id = self._call
            self._emit(
                Truncated(
                    at=at,
                    kind=KIND,
                    what="answer" if call_id is None else "tool_output",
                    call_id=call_id,
                )
            )
        else:
            self._say(at, text.rstrip("\r"))
        self._line = number

    def _begin(self, at: Span, action: str, kind: str) -> None:
        self._call = f"line {at.first}"
        family = kind if kind in FAMILIES else "other"
        self._emit(
            ToolCall(at=at, kind=KIND, call_id=self._call, name=kind, family=family, title=action)
        )

    def _say(self, at: Span, text: str) -> None:
        """Take a line of a message; blank lines between two of its lines are part of it."""
        if self._message is None:
            self.settle()
            self._message, piece = f"line {at.first}", text
        else:
            piece = "\n" * (at.first - self._line) + text
        said = Lazy.of(piece)
        self._emit(
            Text(at=at, kind=KIND, message_id=self._message, part=0, text=said, mode="delta")
        )

    def settle(self) -> None:
        """End what is open: something else begins."""
        call, self._call, self._message = self._call, None, None
        if call is not None:
            at = Span(self._line, self._line)
            self._emit(ToolEnd(at=at, kind=KIND, call_id=call, status="ok"))


class Transcripts:
    """Finds text-mode transcripts among lines that are no frames: one row each, not one a line."""

    def __init__(self, banner: Banner) -> None:
        self._banner = banner
        self._inside: str | None = None

    def take(self, noise: Noise) -> Signal:
        """Give what a line means: itself, or a part of a transcript."""
        text = None
        if self._inside is None:
            self._inside, text = self._banner(noise.text), noise.text
        if self._inside is None:
            return noise
        return Notice(at=noise.at, kind=KIND, category=TRANSCRIPT, label=self._inside, text=text)

    def settle(self) -> None:
        """A frame came: a transcript ends before it."""
        self._inside = None
