# SPDX-License-Identifier: Apache-2.0
"""How Codex's frames are told from all others."""

from __future__ import annotations

from agentframes.engines.support import RawFrame, inner, string
from agentframes.types import Transport

_THREAD = ("thread.started", "turn.started", "turn.completed", "turn.failed")
_RECORDS = ("session_meta", "response_item", "event_msg", "turn_context")
_LEGACY = {"id", "msg"}
_ITEM = ("item.started", "item.updated", "item.completed")


def recognize(frame: RawFrame) -> int:
    """Certain with a thread, turn or item type, or with a legacy message inside `msg`."""
    kind = string(frame, "type")
    if kind in _THREAD:
        return 2
    if kind == "session.created":
        return 2 if set(frame) == {"type", "session_id"} else 0
    if kind in _ITEM:
        return 2 if "item" in frame else 1
    if kind == "error":
        return 1 if set(frame) == {"type", "message"} else 0
    if kind is None and set(frame) == _LEGACY:
        return 2 if string(inner(frame, "msg"), "type") else 0
    return 2 if kind is None and legacy_summary(frame) else 0


def legacy_summary(frame: RawFrame) -> bool:
    """The settings that open a legacy stream."""
    return "workdir" in frame and "sandbox" in frame and "model" in frame


def session_id(frame: RawFrame) -> str | None:
    """Only the frame that opens a thread tells its id."""
    kind = string(frame, "type")
    if kind == "thread.started":
        return string(frame, "thread_id")
    if kind == "session.created":
        return string(frame, "session_id") if recognize(frame) else None
    # Of the legacy lines, `session_configured` has it in the sources, and no capture shows one.
    message = inner(frame, "msg") if set(frame) == _LEGACY else {}
    return string(message, "session_id") if string(message, "type") else None


def cli_version(_: RawFrame) -> str | None:
    """No frame tells the version."""
    return None


def transport(frame: RawFrame) -> Transport:
    """Versions up to 0.44 wrapped each message in `msg`."""
    return "legacy" if "msg" in frame or legacy_summary(frame) else "jsonl"


def transcript(text: str) -> str | None:
    """Name a text-mode transcript by the banner that opens it (``codex exec`` without --json)."""
    if text.startswith(("OpenAI Codex v", "OpenAI Codex (")):
        return "Codex text-mode transcript"
    return None


def session_file(frame: RawFrame) -> str | None:
    """Rollouts under ``~/.codex/sessions`` wrap each record in `payload`."""
    if "payload" not in frame or "timestamp" not in frame:
        return None
    record = string(frame, "type") in _RECORDS
    return "a Codex session file" if record else None
