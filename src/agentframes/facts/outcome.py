# SPDX-License-Identifier: Apache-2.0
"""How a run ended: by the engine's own terminal word, or not at all."""

from __future__ import annotations

import re
from typing import cast

from msgspec import Struct

from agentframes.facts.model import NOTHING_NATIVE, Outcome, Reason, Stopped
from agentframes.signals import Begin, End, Input, Turn


class Ending(Struct, kw_only=True, frozen=True):
    """What is known of the end beside the frames."""

    cut: bool
    """The input broke off inside a frame."""
    frames: int
    """Known ones."""
    blank: bool
    """There was nothing but blank lines."""
    exit_code: int | None
    stderr: str | None
    stopped: Stopped | None = None
    """Why whoever ran the CLI ended it."""


_STOPPED: dict[Stopped, str] = {
    "timeout": "it was ended: its time was over",
    "idle": "it was ended: it had printed nothing for too long",
    "budget": "it was ended: what it might spend was spent",
    "interrupted": "it was ended by who ran it",
}


class OutcomeFold:
    """Folds terminal words, and main turns begun after them."""

    def __init__(self) -> None:
        self.end: End | None = None
        self._open = self._cut = False

    def ended(self, signal: End) -> None:
        """Take the engine's word; the last one counts."""
        self.end = signal
        self._open = self._cut = False

    def broken(self) -> None:
        """Take note of a frame that broke off: behind an end, it may have begun another turn."""
        self._cut = self.end is not None

    def begin(self, signal: Begin) -> None:
        """Take a session's announcement: after an end, another turn follows it."""
        if signal.why == "reinit":
            self._open = True

    def turn(self, signal: Turn) -> None:
        """Take the begin of a turn."""
        if signal.phase == "start":
            self._open = True

    def input(self, signal: Input) -> None:
        """Take a human's word: it begins a turn."""
        if signal.agent is None and signal.origin == "human":
            self._open = True

    def activity(self) -> None:
        """Take note that the main agent speaks or acts."""
        self._open = True

    def result(self, ending: Ending) -> Outcome:
        """Return the outcome. Whatever is not told to have ended is incomplete.

        Of a run that was ended from outside the engine's word counts, but for one that says no
        more than that: claude 2.1.220 calls it a failure then.
        """
        outcome = self._told(ending)
        if ending.stopped is None or outcome.status == "success":
            return outcome
        if outcome.status == "failed" and outcome.reason != "interrupted":
            return outcome
        if outcome.status == "failed" and ending.stopped == "interrupted":
            return outcome
        return Outcome(
            status="incomplete",
            reason=ending.stopped,
            message=_STOPPED[ending.stopped],
            exit_code=outcome.exit_code,
        )

    def _told(self, ending: Ending) -> Outcome:
        """Return the engine's word.

        It may tell why a run is incomplete; that is no terminal frame, so it has no line.
        """
        cut = ending.cut or self._cut
        end = None if self._open or cut else self.end
        if end is not None and end.status != "incomplete":
            return Outcome(
                status=end.status,
                reason=cast("Reason", end.reason),
                message=end.message,
                exit_code=_first(end.exit_code, ending.exit_code),
                line=end.at.first,
            )
        reason, message = self._why(ending, cut=cut)
        if end is not None:
            reason, message = cast("Reason", end.reason), end.message
        return Outcome(
            status="incomplete",
            reason=reason,
            message=last_words(ending.stderr, any_line=not ending.frames) or message,
            exit_code=ending.exit_code,
        )

    def _why(self, ending: Ending, *, cut: bool) -> tuple[Reason, str | None]:
        if cut:
            return "cut_line", None
        if ending.frames:
            return "no_terminal_frame", None
        return ("empty" if ending.blank else "not_agent_output"), NOTHING_NATIVE


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one


# A banner or a log line on stderr explains nothing; one of these words does, but for those in
# the source code and the stack that a crash prints.
_CODE = r"\d+ \||at "
_TROUBLE = (
    r"\b(?:error|fatal|failed|failure|exception|panic(?:ked)?|denied|reject\w*|refused"
    r"|unauthori[sz]ed|forbidden|killed|aborted)\b"
)


def last_words(stderr: str | None, *, any_line: bool) -> str | None:
    """Return the last line on stderr that names trouble, or with `any_line` the last one at all."""
    from agentframes.salvage import plain_text  # only where the frames do not tell the end

    lines = [plain_text(line.encode()) for line in (stderr or "").split("\n")]
    said = [line for line in reversed(lines) if re.search(r"[^\W\d_]{2}", line)]
    told = [line for line in said if not re.match(_CODE, line)]
    trouble = (line for line in told if re.search(_TROUBLE, line, re.IGNORECASE))
    return next(trouble, told[0] if told and any_line else None)
