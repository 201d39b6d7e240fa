# SPDX-License-Identifier: Apache-2.0
"""Copilot's frames that are a row and nothing more, and the few that say a little else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from agentframes.engines.copilot import models
from agentframes.engines.copilot.frames import Envelope, Frame, Told
from agentframes.signals import Notice, Permission, Truncated

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place

_CATEGORIES = {"hook": "hook", "mcp": "mcp", "permission": "permission", "session": "session"}


def read(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a known frame that says nothing to facts: its kind in plain words, and its message."""
    data = reader.glance(place, Envelope).data or Told()
    reader.emit(
        Notice(
            **reader.told(frame, place),
            category=_CATEGORIES.get(frame.type.partition(".")[0], "status"),
            severity=_severity(frame.type, data),
            label=label(frame.type),
            text=_words(data),
            call_id=data.toolCallId,
        )
    )


def label(kind: str) -> str:
    """Say a kind in plain words: ``session.plan_changed`` is "Session plan changed"."""
    return kind.replace(".", " ").replace("_", " ").capitalize().replace(" mcp ", " MCP ")


def _severity(kind: str, data: Told) -> Literal["info", "warn"]:
    bad = kind == "session.warning" or kind.endswith("_failed") or data.success is False
    return "warn" if bad else "info"


def _words(data: Told) -> str | None:
    if data.serverName is not None:
        return f"{data.serverName}: {data.status}" if data.status else data.serverName
    texts = (data.message, data.progressMessage, data.title, data.summary, data.intent)
    return next((text for text in texts if text), None)


def info(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a message of the CLI; up to 1.0.83 it is all that tells of a retry."""
    data = reader.glance(place, Envelope).data or Told()
    told = reader.told(frame, place)
    if data.infoType == "model_retry" and not reader.retry_told:
        models.again(reader, told, data.message)
        return
    reader.emit(
        Notice(**told, category=data.infoType or "info", label="Information", text=data.message)
    )


def truncated(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that the context was cut or summed up; from the typings, in no capture."""
    data = reader.glance(place, Envelope).data or Told()
    if data.success is False:
        read(reader, frame, place)
        return
    reader.emit(
        Truncated(
            **reader.told(frame, place),
            what="context",
            before=_first(data.preCompactionTokens, data.preTruncationTokensInMessages),
            after=_first(data.postCompactionTokens, data.postTruncationTokensInMessages),
        )
    )


def _first(one: Any, other: Any) -> Any:
    return other if one is None else one


def asked(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read that the CLI waits for somebody; from the typings, in no capture."""
    data = reader.glance(place, Envelope).data or Told()
    reader.emit(
        Permission(
            **reader.told(frame, place),
            phase="asked",
            call_id=data.toolCallId,
            reason=data.question or data.message,
            request_id=data.requestId,
        )
    )
