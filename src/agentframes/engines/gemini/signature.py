# SPDX-License-Identifier: Apache-2.0
"""How Gemini CLI's frames are told from all others.

Types alone do not tell: `message`, `tool_use`, `tool_result`, `error` and `result` are other
people's words too. The fields beside them do.
"""

from __future__ import annotations

from agentframes.engines.support import RawFrame, inner, string
from agentframes.types import Transport

# What stands beside `type` and `timestamp` in every frame of a type, in all captures.
_BESIDE = {
    "init": ("session_id", "model"),
    "message": ("role", "content"),
    "tool_use": ("tool_id", "tool_name"),
    "tool_call": ("tool_id", "tool_name"),
    "tool_result": ("tool_id", "status"),
    "error": ("severity", "message"),
    "result": ("status",),
}
_DOCUMENT = frozenset({"session_id", "response", "stats", "error", "warnings"})


def recognize(frame: RawFrame) -> int:
    """Certain with the fields of its type, or with a document's account of a session."""
    if "type" not in frame:
        return _document(frame)
    kind = string(frame, "type") or ""
    beside = _BESIDE.get(kind)
    if beside is None or "timestamp" not in frame:
        return 0
    if any(string(frame, key) is None for key in beside):
        return 0
    if kind == "result":
        return 2 if "stats" in frame or "error" in frame else 1
    return 2


def _document(frame: RawFrame) -> int:
    """The one object of json mode; its keys are words that anybody might use."""
    if not frame or not set(frame) <= _DOCUMENT:
        return 0
    stats = inner(frame, "stats")
    if "models" in stats and "tools" in stats:
        return 2
    error = inner(frame, "error")
    told = "type" in error and "message" in error
    if "session_id" in frame and told:
        return 2
    return 1 if "session_id" in frame and "response" in frame else 0


def session_id(frame: RawFrame) -> str | None:
    """The frame that opens a stream tells it, and the document since some version before 0.38."""
    kind = string(frame, "type")
    if kind not in (None, "init"):
        return None
    return string(frame, "session_id") if recognize(frame) else None


def cli_version(_: RawFrame) -> str | None:
    """No frame tells the version."""
    return None


def transport(frame: RawFrame) -> Transport:
    """A frame without a type is the document."""
    return "jsonl" if "type" in frame else "json"


def session_file(frame: RawFrame) -> str | None:
    """Chats under ``~/.gemini/tmp/*/chats`` name session and project (source of 0.61.0)."""
    known = "type" not in frame and "sessionId" in frame and "projectHash" in frame
    return "a Gemini session file" if known else None
