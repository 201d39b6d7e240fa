# SPDX-License-Identifier: Apache-2.0
"""Codex's frames to signals.

A thread holds turns, a turn holds items. Item ids are unique in one process only, and every
process opens with `thread.started`, resumed or not. The stream names no model, no cost, no time.
"""

from __future__ import annotations

import re
from codecs import IncrementalDecoder
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from agentframes.engines import Interpreter
from agentframes.engines.codex import items, legacy
from agentframes.engines.codex.frames import Frame, Usage
from agentframes.engines.codex.kinds import kind
from agentframes.signals import (
    Begin,
    Buckets,
    End,
    FileChange,
    Native,
    Notice,
    Retry,
    Stretch,
    Truncated,
    Turn,
)
from agentframes.signals import Usage as UsageSignal

if TYPE_CHECKING:
    from agentframes.engines import Emit
    from agentframes.frames import Place

_RETRY = (
    r"(?s)Reconnecting\.\.\. (?P<n>\d{1,9})/(?P<max>\d{1,9})(?: \((?P<why>.*)\))?$"
    r"|stream error: (?P<error>.*); retrying (?P<m>\d{1,9})/(?P<of>\d{1,9})"
    r" in (?P<delay>\d{1,9}(?:\.\d+)?)(?P<unit>m?s)"
)
_STATUS = r"\bstatus:? (\d{3})\b"
# What a failed turn's message tells of the cause; the first that is found counts.
_REASONS = (
    (r"\bstatus(?: code)?:? 40[13]\b|\bUnauthorized\b|\bForbidden\b", "auth"),
    (
        r"(?i)\b429\b|\bToo Many Requests\b|\b(?:rate|usage).?limit",
        "rate_limit",
    ),
    (r"max_output_tokens|\bcontext window\b|\btoken limit\b", "max_tokens"),
    (r"content_filter", "content_filter"),
    (r"\bstream\b|\bstatus\b|\b5\d\d\b", "api_error"),
)


class CodexInterpreter(Interpreter[Frame]):
    """Reads one stream of Codex."""

    frame_type = Frame
    echoes_prompt = True  # the legacy lines do

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        super().__init__(emit, full=full, cli_version=cli_version)
        self.tells_model_calls = False
        self.began = False  # a thread has opened
        # Calls that are not over, with the files they are to change.
        self.open_calls: OrderedDict[str, list[FileChange] | None] = OrderedDict()
        self.agents: OrderedDict[str, str] = OrderedDict()  # thread -> the call that spawned it
        self.decoders: OrderedDict[str, IncrementalDecoder] = OrderedDict()  # of legacy output
        self.last_error: str | None = None
        self.stepped = 0  # tokens of the steps so far, where they are told one by one
        self._handlers = {
            "thread.started": self._thread_started,
            "session.created": self._session_created,
            "turn.started": self._turn_started,
            "turn.completed": self._turn_completed,
            "turn.failed": self._turn_failed,
            "error": self._error,
            "item.started": self._item,
            "item.updated": self._item,
            "item.completed": self._item,
            "output.truncated": self._truncated,
            "response.output_text.truncated": self._truncated,
        }

    def frame(self, frame: Frame, place: Place) -> None:
        """Read one frame."""
        handler = self._handlers.get(frame.type)
        if handler is not None:
            handler(frame, place)
        elif frame.type:
            self.unknown(place, frame.type)
        elif self.began and legacy.kind(frame, place.raw())[0] != legacy.SUMMARY:
            self.unknown(place, legacy.kind(frame, place.raw())[0])  # of another transport
        else:
            legacy.read(self, frame, place)

    def routine(self, frames: Iterator[Frame], stretch: Stretch, /) -> Frame | None:
        """Read the items that only go on."""
        return items.routine(self, frames, stretch)

    def kinds(self, frame: Frame, raw: Any, /) -> list[str]:
        """Name the frame, down to its item."""
        return [(kind(frame) if frame.type else legacy.kind(frame, raw))[0]]

    def begin_run(self) -> None:
        """Forget the run before: another process writes from here on."""
        self.transport = "jsonl"
        self.began = False
        self.open_calls.clear()
        self.agents.clear()
        self.decoders.clear()
        self.last_error = None
        self.stepped = 0

    # --- thread and turn -------------------------------------------------------------------------

    def _thread_started(self, frame: Frame, place: Place) -> None:
        at = place.span()
        self.emit(Begin(at=at, kind=frame.type, session_id=frame.thread_id))
        self.begin_run()
        self.began = True
        self.emit(Native(at=at, kind=frame.type, session_id=frame.thread_id))

    def _session_created(self, frame: Frame, place: Place) -> None:
        """Open a stream of the preview (0.42.0 with ``--experimental-json``); it has no turns."""
        frame.thread_id = frame.session_id
        self._thread_started(frame, place)

    def _turn_started(self, frame: Frame, place: Place) -> None:
        self.last_error = None
        self.emit(Turn(at=place.span(), kind=frame.type, phase="start"))

    def _turn_completed(self, frame: Frame, place: Place) -> None:
        at = place.span()
        if frame.usage is not None:
            self.usage(frame.usage, place, frame.type, "turn.completed.usage")
        self.emit(Turn(at=at, kind=frame.type, phase="end"))
        if self.began or frame.usage is not None:  # else it may be anybody's words
            self.emit(End(at=at, kind=frame.type, status="success", reason="completed"))

    def usage(
        self,
        usage: Usage,
        place: Place,
        kind: str,
        path: str,
        *,
        account: Literal["step", "running"] = "running",
        scope: Literal["run", "thread"] = "thread",
    ) -> None:
        """Tell token counts, natively and as disjoint buckets."""
        at = place.span()
        given, cached, written = (
            usage.input_tokens,
            usage.cached_input_tokens,
            usage.cache_write_input_tokens,
        )
        if given is not None and usage.output_tokens is not None:
            tokens = given + usage.output_tokens
            self.stepped = self.stepped + tokens if account == "step" else tokens
            self.emit(Native(at=at, kind=kind, tokens=self.stepped))
        self.emit(
            UsageSignal(
                at=at,
                kind=kind,
                account=account,
                scope=scope,
                buckets=Buckets(
                    input=uncached(given, cached, written),
                    cache_read=cached,
                    cache_write=written,
                    output=usage.output_tokens,
                    reasoning=usage.reasoning_output_tokens,
                ),
                subagents="excluded",
                native_path=path,
                cache_in_input=True,
            )
        )

    def _turn_failed(self, frame: Frame, place: Place) -> None:
        message = frame.error.message if frame.error else None
        self.failed(place, frame.type, message)

    def failed(self, place: Place, kind: str, message: str | None) -> None:
        """Tell that the turn failed, and why as far as its message tells."""
        at = place.span()
        reason = failure(message or "")
        if reason == "failed" and message and message in (self.last_error or ""):
            reason = "api_error"  # the stream gave up on the model's server (s08 of all versions)
        self.emit(Turn(at=at, kind=kind, phase="failed"))
        self.emit(End(at=at, kind=kind, status="failed", reason=reason, message=message))

    # An `error` is never terminal: retries are told by it, and so is the last one before
    # `turn.failed` says the same again.
    def _error(self, frame: Frame, place: Place) -> None:
        self.last_error = frame.message
        if self.full:
            self.trouble(place, frame.type, frame.message or "")

    def trouble(
        self, place: Place, kind: str, message: str, *, severity: Literal["info", "error"] = "error"
    ) -> None:
        """Tell a retry from other errors by its words."""
        match = re.match(_RETRY, message)
        if match is None:
            self.emit(
                Notice(
                    at=place.span(),
                    kind=kind,
                    category=severity,
                    severity=severity,
                    label="Error" if severity == "error" else "Notice",
                    text=message,
                )
            )
            return
        status = re.search(_STATUS, message)
        self.emit(
            Retry(
                at=place.span(),
                kind=kind,
                attempt=int(match["n"] or match["m"]),
                max=int(match["max"] or match["of"]),
                delay_ms=_milliseconds(match["delay"], match["unit"]),
                status=int(status[1]) if status else None,
                reason=match["why"] or match["error"],
            )
        )

    def _truncated(self, frame: Frame, place: Place) -> None:
        if self.full:
            self.emit(Truncated(at=place.span(), kind=frame.type, what="answer"))

    def _item(self, frame: Frame, place: Place) -> None:
        name, known = kind(frame)
        item = frame.item
        if item is None or not known:
            self.unknown(place, name)
            return
        if item.item_type:
            item.type = item.item_type
        items.read(self, item, frame.type.removeprefix("item."), place, name)


def uncached(given: int | None, cached: int | None, written: int | None) -> int | None:
    """Take the cached tokens out of the input; None where a gateway's count does not hold them."""
    if given is None:
        return None
    rest = given - (cached or 0) - (written or 0)
    return rest if rest >= 0 else None


def failure(message: str) -> str:
    """Name why a turn failed, by its message."""
    return next((reason for words, reason in _REASONS if re.search(words, message)), "failed")


def _milliseconds(delay: str | None, unit: str | None) -> float | None:
    if delay is None:
        return None
    return float(delay) * (1 if unit == "ms" else 1000)
