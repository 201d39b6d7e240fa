# SPDX-License-Identifier: Apache-2.0
"""How Gemini CLI's frames are told from all others.

Types alone do not tell: `message`, `tool_use`, `tool_result`, `error` and `result` are other
people's words too. The fields beside them do.
"""

from __future__ import annotations

from typing import Any

from agentframes.engines.support import RawFrame, inner, one_level, string
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
# All that a frame of a type may hold whose other fields are anybody's words, too.
_MAY_HOLD = {
    "message": frozenset({"type", "timestamp", "role", "content", "delta"}),
    "error": frozenset({"type", "timestamp", "severity", "message"}),
    "result": frozenset({"type", "timestamp", "status", "stats", "error"}),
}
# What a document may hold, and how the value begins. An `error` of another type is one all the
# same, but nothing to know a document by.
_DOCUMENT = {
    "session_id": b'"', "response": b'"', "stats": b"{", "warnings": b"[", "error": b"",
}  # fmt: skip


def recognize(frame: RawFrame) -> int:
    """Certain with the fields of its type and no others, or with a document's account."""
    if "type" not in frame:
        return _document(frame)
    kind = string(frame, "type") or ""
    beside = _BESIDE.get(kind)
    if beside is None or "timestamp" not in frame:
        return 0
    if any(string(frame, key) is None for key in beside):
        return 0
    alone = kind not in _MAY_HOLD or frame.keys() <= _MAY_HOLD[kind]
    if kind == "result" and "stats" not in frame and "error" not in frame:
        return 1 if alone else 0
    return 2 if alone else 1


def _document(frame: RawFrame) -> int:
    """The one object of json mode; its keys are words that anybody might use."""
    if not frame or not frame.keys() <= _DOCUMENT.keys():
        return 0
    told = {key for key in frame if not _begins(frame, key, b"n")}  # null is absent
    if not all(_begins(frame, key, _DOCUMENT[key]) for key in told):
        return 0
    stats, error = inner(frame, "stats"), inner(frame, "error")
    if _begins(stats, "models", b"{") and _begins(stats, "tools", b"{"):
        return 2
    if "session_id" not in told:
        return 0
    if "type" in error and "message" in error:
        return 2
    return 1 if error or {"stats", "response"} <= told else 0


def _begins(frame: RawFrame, key: str, begin: bytes) -> bool:
    return key in frame and bytes(memoryview(frame[key])[: len(begin)]) == begin


def certainty(raw: Any) -> int:
    """Rate a frame as it stands in its line: much hangs on those that begin or end a run."""
    return recognize(one_level(raw))


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
