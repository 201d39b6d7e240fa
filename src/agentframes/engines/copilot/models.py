# SPDX-License-Identifier: Apache-2.0
"""Copilot's calls of the model.

Since some version between 1.0.30 and 1.0.83 each call is told, retries included. Before, a call
is told by a turn of the main agent, and by the message with which it answered of a sub-agent.
`turnId` counts per agent and input, so that the frames' own ids name the calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentframes.engines.copilot.frames import (
    CallFailure,
    CallFailureFrame,
    Data,
    Frame,
    data_of,
    given,
)
from agentframes.engines.support import MAX_NUMBER, remember
from agentframes.lazy import Lazy
from agentframes.signals import Buckets, ModelCall, Retry

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place


class Failure(NamedTuple):
    """A call of the model that failed and may be tried again."""

    attempt: int | None
    status: int | None
    message: str | None


def turn_start(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the begin of a turn: one call of the model, or the calls that follow it."""
    told = reader.told(frame, place)
    agent = told["agent"]
    reader.turn_outputs.pop(agent, None)
    if agent is None:
        reader.aborted = None
    if not reader.tells_calls or reader.over:
        call_id = frame.id or f"line {place.line}"
        reader.turns[agent] = reader.model_calls[agent] = call_id
        reader.emit(ModelCall(**told, id=call_id, phase="start"))


def call_start(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the begin of a call; the first one of a turn that was told is that turn's."""
    told = reader.told(frame, place)
    agent = told["agent"]
    reader.tells_calls = True
    reader.retry_told = False
    call_id = reader.turns.pop(agent, None) or frame.id or f"line {place.line}"
    reader.model_calls[agent] = call_id
    reader.emit(ModelCall(**told, id=call_id, phase="start", model=data_of(frame).model))


def call_finished(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the end of a call: success, error, cancelled, and by the typings rejected."""
    data = data_of(frame)
    done = data.outcome in {None, "success"}
    error = None if done or data.outcome == "error" else data.outcome  # an error was told before
    _over(reader, frame, place, done=done, error=error, duration_ms=data.dispatchDurationMs)


def call_failure(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read why a call failed; another try may follow."""
    told = reader.glance(place, CallFailureFrame).data or CallFailure()
    attempt = None if told.retryAttempt is None else told.retryAttempt + 1
    reader.failure = Failure(attempt, told.statusCode, told.errorMessage)
    reader.retry_told = False
    _over(
        reader, frame, place, done=False, error=told.errorMessage, duration_ms=told.durationMs,
        model=told.model,
    )  # fmt: skip


def call_final_result(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read what came of a call after all tries (1.0.102): success, http_4xx or http_5xx."""
    word = Lazy(data_of(frame).result).text() if given(data_of(frame).result) else "success"
    done = word == "success"
    _over(reader, frame, place, done=done, error=None if done else word)


def turn_end(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read the end of a turn: where no call is told, that of its call."""
    if not reader.tells_calls:
        _over(reader, frame, place, done=True, error=None)


def _over(
    reader: CopilotInterpreter,
    frame: Frame,
    place: Place,
    *,
    done: bool,
    error: str | None,
    **more: Any,
) -> None:
    told = reader.told(frame, place)
    call_id = reader.model_calls.get(told["agent"])
    if call_id is not None:
        phase: Literal["end", "failed"] = "end" if done else "failed"
        reader.emit(ModelCall(**told, id=call_id, phase=phase, begun=True, error=error, **more))


def answered(reader: CopilotInterpreter, told: dict[str, Any], data: Data, message_id: str) -> None:
    """Take what a message tells of the call it answers, where the calls themselves are not told.

    Of a sub-agent's call that is all; the main agent's belong to its turns. The output tokens of
    the main agent are added up for the run.
    """
    agent, tokens = told["agent"], data.outputTokens
    if tokens is not None and abs(tokens) > MAX_NUMBER:
        tokens = None
    if tokens is None and (agent is None or reader.tells_calls):
        return
    call_id = reader.model_calls.get(agent, message_id)
    usage = None
    if tokens is not None:
        outputs = reader.turn_outputs.setdefault(agent, {}) if call_id != message_id else {}
        outputs[message_id] = tokens
        usage = Buckets(output=sum(outputs.values()))
        if agent is None:
            before = reader.outputs.get(message_id, 0)
            remember(reader.outputs, message_id, tokens)
            reader.output_tokens = (reader.output_tokens or 0) + tokens - before
    reader.emit(
        ModelCall(
            **told,
            id=call_id,
            phase="end",
            model=data.model,
            usage=usage,
            native_path="assistant.message.outputTokens" if usage else None,
        )
    )


def retry(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that a call is tried again (1.0.102)."""
    reader.retry_told = True
    again(reader, reader.told(frame, place), data_of(frame).reason)


def again(reader: CopilotInterpreter, told: dict[str, Any], reason: str | None) -> None:
    """Tell a retry, with what the failure before it told."""
    failure = reader.failure or Failure(None, None, None)
    reader.emit(
        Retry(
            **told,
            attempt=failure.attempt,
            status=failure.status,
            reason=reason or failure.message,
        )
    )
