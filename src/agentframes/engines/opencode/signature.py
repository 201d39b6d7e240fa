# SPDX-License-Identifier: Apache-2.0
"""How opencode's frames are told from all others: by their envelope.

It is ``{type, timestamp, sessionID, part | error}`` in every version; `timestamp` is a number of
milliseconds, where gemini and copilot print a date.
"""

from __future__ import annotations

from typing import Any

from agentframes.engines.support import RawFrame, one_level, string
from agentframes.types import Transport


def recognize(frame: RawFrame) -> int:
    """Certain with the whole envelope, whatever the type; possible where it holds neither."""
    if not (string(frame, "type") and string(frame, "sessionID") and _number(frame)):
        return 0
    return 2 if _object(frame, "part") or _object(frame, "error") else 1


def _number(frame: RawFrame) -> bool:
    """Every version prints a whole number; with a fraction it is drift, and the frame its own."""
    return bytes(memoryview(frame.get("timestamp", b""))[:1]).isdigit()


def _object(frame: RawFrame, key: str) -> bool:
    return bytes(memoryview(frame.get(key, b""))[:1]) == b"{"


def certainty(raw: Any) -> int:
    """Rate a frame as it stands in its line: much hangs on those that begin or end a run."""
    return recognize(one_level(raw))


def session_id(frame: RawFrame) -> str | None:
    """Every frame tells the session."""
    return string(frame, "sessionID") if recognize(frame) else None


def cli_version(_: RawFrame) -> str | None:
    """No frame tells the version."""
    return None


def transport(_: RawFrame) -> Transport:
    """All versions print JSON lines."""
    return "jsonl"


def session_file(_: RawFrame) -> str | None:
    """A session is kept in many small files or a database, none of which is a stream."""
    return None
