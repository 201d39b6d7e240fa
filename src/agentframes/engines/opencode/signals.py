# SPDX-License-Identifier: Apache-2.0
"""opencode's frames to signals.

Each step is one model call. The stream has neither a first nor a terminal frame, and it names no
model and no version; it is of one session, so another session's frame begins another run. A run
that resumes a session in the same stream cannot be told from more steps of the one before.

How a run ended is told by its last step, unless an `error` says that it failed: after `stop` and
`length` the CLI ends, and after a call that was refused for want of permission, too, only that
its step ends like any other that calls tools. That is told when the stream ends, and so are the
texts, which are joined then and not with each one that comes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentframes.engines import Interpreter
from agentframes.engines.opencode import calls, tools
from agentframes.engines.opencode.frames import (
    Cache,
    Error,
    ErrorData,
    Frame,
    Part,
    State,
    Tokens,
)
from agentframes.engines.opencode.kinds import kinds, strange_type, strange_value
from agentframes.engines.opencode.signature import certainty
from agentframes.engines.opencode.texts import Texts
from agentframes.engines.support import MAX_NUMBER, bounded, clean_kind, remember, told
from agentframes.signals import (
    Begin,
    Buckets,
    End,
    Input,
    ModelCall,
    Native,
    Reasoning,
    Text,
    Turn,
    Usage,
)
from agentframes.types import Span

if TYPE_CHECKING:
    from agentframes.engines import Emit
    from agentframes.frames import Place

DECISIVE = frozenset({"step_finish", "error"})  # types that end a run
ENDINGS = {"stop": "completed", "length": "max_tokens"}
_STATUS_REASONS = {401: "auth", 403: "auth", 429: "rate_limit"}
# Captured: APIError and ContentFilterError (1.18.33); the others are in the typings.
_NAME_REASONS = {
    "APIError": "api_error",
    "ContentFilterError": "content_filter",
    "ContextOverflowError": "max_tokens",
    "MessageAbortedError": "interrupted",
    "MessageOutputLengthError": "max_tokens",
    "ProviderAuthError": "auth",
}


class Run:
    """What is known of the run at hand."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.first_ms: int | None = None
        self.call: str | None = None  # the id of the last model call
        self.call_open = False
        self.message: str | None = None  # of the last model call
        self.positions: OrderedDict[str | None, int] = OrderedDict()  # of messages' last parts
        self.parts: OrderedDict[str, str] = OrderedDict()  # told before -> their model call
        self.refusal: str | None = None  # of a call of the last step, for want of permission
        self.finish: str | None = None  # why the last step ended, if nothing came after it
        self.failure: End | None = None
        self.failure_told = False
        self.texts = Texts()


class OpencodeInterpreter(Interpreter[Frame]):
    """Reads one stream of opencode."""

    frame_type = Frame

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        super().__init__(emit, full=full, cli_version=cli_version)
        self.at = Span(0, 0)
        self.kind = ""  # of the last frame
        self.run = Run()
        self._readers = {
            "step_start": self._step_start,
            "text": self._text,
            "reasoning": self._reasoning,
            "tool_use": self._tool_use,
            "step_finish": self._step_finish,
            "error": self._error,
        }

    def frame(self, frame: Frame, place: Place) -> None:
        """Read one frame."""
        at = place.span()
        if frame.timestamp is not None and abs(frame.timestamp) > MAX_NUMBER:
            frame.timestamp = None
        own = self._own(frame, place.raw)
        novel = strange_type(frame, own=own)
        kind = frame.type if novel is None else clean_kind(novel)
        if own:
            self._enter(frame, at, kind)
        self.at, self.kind = at, kind
        if novel is None:
            self._readers[frame.type](frame)
            novel = strange_value(frame)
        if novel is not None:
            self.unknown(place, novel)

    def kinds(self, frame: Frame, raw: Any, /) -> list[str]:
        """Name the frame, and what is new in it."""
        return kinds(frame, own=self._own(frame, lambda: raw))

    def close(self) -> None:
        """End the stream."""
        self._end_run()

    def of(self, frame: Frame) -> dict[str, Any]:
        """Return what all signals of a frame have in common."""
        return {"at": self.at, "kind": frame.type, "time_ms": frame.timestamp}

    def _own(self, frame: Frame, raw: Callable[[], Any]) -> bool:
        """Tell whether opencode printed a frame; one that begins or ends a run is asked more."""
        if not frame.sessionID:
            return False
        part = frame.part or Part()
        whole = bool(part.type) and part.sessionID == frame.sessionID
        goes_on = frame.sessionID == self.run.session_id
        return (goes_on and (whole or frame.type not in DECISIVE)) or certainty(raw()) > 0

    # --- the run ---------------------------------------------------------------------------------

    def _enter(self, frame: Frame, at: Span, kind: str) -> None:
        """Begin a run with the first frame of its session."""
        run = self.run
        if frame.sessionID == run.session_id:
            return
        if run.session_id is not None:
            self._end_run()
            run = self.run = Run()
        run.session_id, run.first_ms = frame.sessionID, frame.timestamp
        common: dict[str, Any] = {"at": at, "kind": kind, "time_ms": frame.timestamp}
        self.emit(Begin(**common, session_id=frame.sessionID))
        self.emit(Native(**common, session_id=frame.sessionID))

    def _end_run(self) -> None:
        """Tell what only the end of a run tells."""
        run = self.run
        common: dict[str, Any] = {"at": self.at, "kind": self.kind}
        if run.texts:
            self.emit(
                Native(
                    **common,
                    final_text=run.texts.native(),
                    answer=run.texts.answer(),
                    final_text_source="last_step",
                )
            )
        if run.failure is not None:
            if not run.failure_told:
                self.emit(run.failure)
        elif run.finish == "tool-calls" and run.refusal is not None:
            self.emit(End(**common, status="incomplete", reason="permission", message=run.refusal))
        elif run.finish == "content-filter":
            # 1.18.33 says more in an `error`; up to 1.14.41 the step is all there is (s24).
            self.emit(End(**common, status="incomplete", reason="content_filter"))

    def _part(self, frame: Frame) -> Part:
        """Take note that the run goes on; the step of a part may have lost its begin."""
        run, part = self.run, frame.part or Part()
        if run.call is None or (part.messageID or run.message) != run.message:
            self._begin_step(frame)
        run.finish = None
        run.failure_told = False
        return part

    # --- steps -----------------------------------------------------------------------------------

    def _begin_step(self, frame: Frame) -> None:
        run, part = self.run, frame.part or Part()
        # A message has one step in all captures; more would need names of their own.
        again = part.messageID is None or part.messageID == run.message
        name = (part.id if again else part.messageID) or f"line {self.at.first}"
        run.call = run.parts.get(f"{frame.type} {part.id}", name)
        run.message = part.messageID
        run.call_open = True
        run.refusal = None
        run.finish = None
        run.failure_told = False
        self.emit(ModelCall(**self.of(frame), id=run.call, phase="start"))

    def _told_before(self, frame: Frame, words: Any = b"") -> bool:
        """Tell whether a part was told before, with these words: in no capture, it counts once."""
        part, known = frame.part or Part(), self.run.parts
        if part.id is None:
            return False
        key = f"{frame.type} {part.id}" + (f" {hash(bytes(words))}" if words else "")
        again = key in known
        remember(known, key, known[key] if again else self.run.call)
        return again

    def _step_start(self, frame: Frame) -> None:
        self._begin_step(frame)
        self._told_before(frame)

    def _step_finish(self, frame: Frame) -> None:
        run = self.run
        if not run.call_open:
            self._begin_step(frame)
        part = self._part(frame)
        tokens = bounded(part.tokens or Tokens())
        counts, caveats = buckets(tokens)
        usage = Usage(
            **self.of(frame),
            account="step",
            scope="run",
            buckets=counts,
            cost_usd=part.cost,
            subagents="excluded",
            native_path="step_finish.part.tokens",
            caveats=caveats,
        )
        if self.full:
            self._end_call(frame, usage)
        if not self._told_before(frame):
            self.emit(usage)
        self._native(frame, tokens.total, part.cost)
        run.call_open = False
        run.finish = part.reason
        if part.reason in ENDINGS and run.failure is None:
            self.emit(End(**self.of(frame), status="success", reason=ENDINGS[part.reason]))

    def _end_call(self, frame: Frame, usage: Usage) -> None:
        part = frame.part or Part()
        self.emit(
            ModelCall(
                **self.of(frame),
                id=self.run.call or "",
                phase="end",
                begun=True,
                stop_reason=part.reason,
                usage=usage.buckets,
                native_path=usage.native_path,
                cost_usd=part.cost,
            )
        )

    def _native(self, frame: Frame, tokens: int | None, cost_usd: float | None) -> None:
        """Tell the native contract, which is the last step's: what it lacks is not known."""
        run = self.run
        begun, ended = run.first_ms, frame.timestamp
        took = None if begun is None or ended is None else ended - begun
        self.emit(
            Native(
                **self.of(frame),
                terminal=True,
                tokens=tokens,
                cost_usd=cost_usd,
                wall_seconds=None if took is None or took < 0 else took / 1000,
                session_id=run.session_id,
            )
        )

    # --- what is said and done -------------------------------------------------------------------

    def _text(self, frame: Frame) -> None:
        if frame.part is not None and frame.part.synthetic:
            self._told_by_itself(frame, frame.part)
            return
        run, part = self.run, self._part(frame)
        text = told(part.text)
        if text is None or self._told_before(frame, text.raw):
            return
        self.emit(
            Text(
                **self.of(frame),
                message_id=part.messageID or run.call or "",
                part=self._position(part),
                text=text,
            )
        )
        run.texts.add(run.call or "", text, keep_all=self.whole_text)

    def _told_by_itself(self, frame: Frame, part: Part) -> None:
        """Read what the CLI tells the model, so that it goes on after a compaction (s33)."""
        text = told(part.text)
        if text is not None and not self._told_before(frame, text.raw):
            self.emit(Turn(**self.of(frame), phase="start"))
            if self.full:
                self.emit(Input(**self.of(frame), id=part.id, text=text, origin="synthetic"))

    def _reasoning(self, frame: Frame) -> None:
        """Read what ``--thinking`` prints."""
        run, part = self.run, self._part(frame)
        text = told(part.text)
        if text is None or self._told_before(frame, text.raw) or not self.full:
            return
        self.emit(
            Reasoning(
                **self.of(frame),
                message_id=part.messageID or run.call or "",
                part=self._position(part),
                text=text,
                duration_ms=tools.duration(part.time),
            )
        )

    def _position(self, part: Part) -> int:
        """Count the texts and reasonings of a message."""
        position = self.run.positions.get(part.messageID, -1) + 1
        remember(self.run.positions, part.messageID, position)
        return position

    def _tool_use(self, frame: Frame) -> None:
        state = self._part(frame).state or State()
        if tools.refused(state):
            self.run.refusal = state.error
        calls.read(self, frame)

    # --- failure ---------------------------------------------------------------------------------

    def _error(self, frame: Frame) -> None:
        """Read an `error`: whatever comes after it, the run failed."""
        run, error = self.run, frame.error or Error()
        message = (error.data or ErrorData()).message
        if run.call_open and self.full:
            call = ModelCall(**self.of(frame), id=run.call or "", phase="failed", begun=True)
            call.error = message
            self.emit(call)
        run.call_open = False
        run.failure = End(**self.of(frame), status="failed", reason=failure(error), message=message)
        run.failure_told = True
        self.emit(run.failure)


def buckets(tokens: Tokens) -> tuple[Buckets, list[str]]:
    """Turn a step's tokens into buckets, and say whether it can be told where the reasoning is.

    The versions agree on the total alone, so the output, reasoning inside, is what the total
    has beyond input and cache.
    """
    cache = bounded(tokens.cache or Cache())
    output, caveats = tokens.output, []
    beyond = _beyond(tokens, cache)
    if beyond is not None and beyond >= (output or 0):
        output = beyond
    elif tokens.reasoning:
        caveats = ["reasoning_placement_unknown"]
    counts = Buckets(
        input=tokens.input,
        cache_read=cache.read,
        cache_write=cache.write,
        output=output,
        reasoning=tokens.reasoning,
    )
    return counts, caveats


def _beyond(tokens: Tokens, cache: Cache) -> int | None:
    if tokens.total is None or tokens.input is None:
        return None
    return tokens.total - tokens.input - (cache.read or 0) - (cache.write or 0)


def failure(error: Error) -> str:
    """Name why a run failed: a status says more than the error's name."""
    status = (error.data or ErrorData()).statusCode
    return _STATUS_REASONS.get(status or 0) or _NAME_REASONS.get(error.name or "") or "failed"
