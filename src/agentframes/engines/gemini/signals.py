# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI's frames to signals.

A stream opens with `init`, which every process prints anew, and ends with `result`; json mode
prints one document. Neither thoughts nor the steps of sub-agents are shown, and the calls of the
model are not told apart. Every frame of a stream carries its time.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from agentframes.engines import Interpreter
from agentframes.engines.gemini import calls, messages, results, tools
from agentframes.engines.gemini.frames import Frame
from agentframes.engines.gemini.kinds import DOCUMENT, STATUSES, kind
from agentframes.engines.support import epoch_ms, told
from agentframes.signals import Begin, Native, Notice, Stretch, Truncated
from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.engines import Emit
    from agentframes.frames import Place

CANDIDATES = 8
"""Braces on stderr that are tried as the begin of its last document, the last ones first."""
_LOOP = "Loop detected"
_CUT = "response was truncated because it exceeded the token limit"
_DOCUMENT_BEGIN = r"(?m)(?:^|(?<=^\}))(?:\[ERROR\] )?(?=\{\s*$)"


class GeminiInterpreter(Interpreter[Frame]):
    """Reads one stream of Gemini CLI."""

    frame_type = Frame
    echoes_prompt = True

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        super().__init__(emit, full=full, cli_version=cli_version)
        self.tells_model_calls = False
        self.at = Span(0, 0)
        self.said = messages.Said()
        self.calls: OrderedDict[str, calls.Call] = OrderedDict()
        self.last_error: str | None = None
        self.begun = False  # frames of a stream were read, and no result since
        self.ended = False  # a result was told, and no other run's begin since
        self.announced = False  # a run was

    def frame(self, frame: Frame, place: Place) -> None:
        """Read one frame."""
        self.at = place.span()
        name, known = kind(frame, place.raw, begun=self.begun)
        if not known:
            if frame.type == "tool_result":
                self.said.over()  # however the call ended, the answer begins after it
            self.unknown(place, name)
        elif name == DOCUMENT:
            results.read_document(self, frame, place, name)
        else:
            self.begun = True
            _READERS[frame.type](self, frame, place, name)

    def routine(self, frames: Iterator[Frame], stretch: Stretch, /) -> Frame | None:
        """Read pieces of messages, and calls and their ends."""
        said = self.said
        for frame in frames:
            kind = frame.type
            if kind == "message":
                if frame.role != "assistant" or not frame.delta or not said.goes_on() or self.ended:
                    return frame
                text = told(frame.content)
                if text is not None:
                    said.add(text, said.at, delta=True)
            elif kind == "tool_result" and frame.status in STATUSES:
                said.over()
            elif kind == "tool_use" and frame.tool_id and frame.tool_name:
                if tools.family(frame.tool_name) == "agent":
                    return frame
                said.over()
                stretch.tools.append(frame.tool_id)
                stretch.active = True
            else:
                return frame
            stretch.frames += 1
            self.begun = True
        return None

    def kinds(self, frame: Frame, raw: Any, /) -> list[str]:
        """Name the frame at its one boundary."""
        return [kind(frame, lambda: raw, begun=self.begun)[0]]

    def close(self) -> None:
        """End the stream: a run that was killed has said what it has said."""
        messages.break_off(self)

    def last_words(self, stderr: str) -> str:
        """Find the document that json mode writes at the end of stderr when it fails (s09--json).

        0.61.0 may write it twice, and 0.38.2 leaves no line end between the two.
        """
        text = stderr.rstrip()
        if not text.endswith("}"):
            return stderr
        found = (match.end() for match in re.finditer(_DOCUMENT_BEGIN, text))
        for begin in reversed(deque(found, maxlen=CANDIDATES)):
            try:
                message = msgspec.json.decode(text[begin:].encode())["error"]["message"]
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # braces of something else, or more than one document
            return " ".join(str(message).split()) or stderr
        return stderr

    def begin_run(self, begin: Begin) -> None:
        """End the run before, tell the new one, and forget the old: every process begins one."""
        messages.break_off(self)
        self.emit(begin)
        self.transport = "jsonl"
        self.tells_tool_calls = True
        self.said.over()
        self.calls.clear()
        self.last_error = None
        self.ended = self.ended and not self.announced  # the first to announce itself is no other
        self.announced = True

    def time(self, frame: Frame) -> int | None:
        """Read a frame's time where somebody wants it."""
        return epoch_ms(frame.timestamp) if self.full else None

    def notice(
        self, name: str, severity: Literal["warn", "error"], text: str, time_ms: int | None = None
    ) -> None:
        """Tell a warning or an error that ends nothing by itself."""
        category = "warning" if severity == "warn" else "error"
        label = category.capitalize()
        if text.startswith(_LOOP):
            category, label = "loop", _LOOP
        self.emit(
            Notice(
                at=self.at,
                kind=name,
                time_ms=time_ms,
                category=category,
                severity=severity,
                label=label,
                text=text,
            )
        )
        if _CUT in text:
            self.emit(Truncated(at=self.at, kind=name, time_ms=time_ms, what="answer"))


# --- small frames ------------------------------------------------------------------------------


def _init(reader: GeminiInterpreter, frame: Frame, _: Place, name: str) -> None:
    """A session begins or is resumed; without a model flag the model is ``auto``."""
    at, time_ms = reader.at, reader.time(frame)
    session_id, model = frame.session_id, frame.model
    reader.begin_run(Begin(at=at, kind=name, time_ms=time_ms, session_id=session_id, model=model))
    reader.emit(Native(at=at, kind=name, session_id=session_id))


# An `error` is never terminal: the result after it tells how the run ended.
def _error(reader: GeminiInterpreter, frame: Frame, _: Place, name: str) -> None:
    severity: Literal["warn", "error"] = "warn" if frame.severity == "warning" else "error"
    if severity == "error":
        reader.last_error = frame.message
    if reader.full:
        reader.notice(name, severity, frame.message or "", reader.time(frame))


def _truncation(reader: GeminiInterpreter, frame: Frame, _: Place, name: str) -> None:
    if reader.full:
        time_ms = reader.time(frame)
        reader.emit(Truncated(at=reader.at, kind=name, time_ms=time_ms, what="answer"))


_READERS: dict[str, Callable[[GeminiInterpreter, Frame, Place, str], None]] = {
    "init": _init,
    "message": messages.read,
    "tool_use": calls.begin,
    "tool_call": calls.begin,
    "tool_result": calls.end,
    "error": _error,
    "truncation": _truncation,
    "result": results.read,
}
