# SPDX-License-Identifier: Apache-2.0
"""How Claude Code's frames are told from all others."""

from __future__ import annotations

from agentframes.engines.support import RawFrame, string
from agentframes.types import Transport

# Top-level types of 2.1.332, typings and wire together. All but the control frames and
# keep_alive carry `session_id`.
TYPES = frozenset({
    "active_goal", "assistant", "auth_status", "autocompact_state", "command_lifecycle",
    "control_cancel_request", "control_request", "control_response", "conversation_reset",
    "keep_alive", "prompt_suggestion", "rate_limit_event", "result", "stream_event", "system",
    "tool_progress", "tool_use_summary", "transcript_mirror", "user",
})  # fmt: skip
# A result without its session is one by what it accounts for.
RESULT_HAS = frozenset({"usage", "total_cost_usd", "duration_ms", "modelUsage"})
_CONTROL = {"control_request": "request", "control_response": "response"}


def recognize(frame: RawFrame) -> int:
    """Certain with a known type and `session_id`; a result must also say how it went."""
    kind = string(frame, "type")
    if kind not in TYPES or session_file(frame):
        return 0
    if kind == "result":
        if "subtype" not in frame or "is_error" not in frame:
            return 0
        return 2 if "session_id" in frame else int(not RESULT_HAS.isdisjoint(frame))
    if kind in _CONTROL:
        return 2 if _CONTROL[kind] in frame else 0
    if "session_id" not in frame:
        # 1.0.113's typings have messages without it; no capture does.
        return 1 if kind in ("assistant", "user") and "message" in frame else 0
    return 2


def session_id(frame: RawFrame) -> str | None:
    """Every frame that carries a session carries its id."""
    return string(frame, "session_id") if recognize(frame) else None


def cli_version(frame: RawFrame) -> str | None:
    """`system/init` tells the version since 2.0."""
    return string(frame, "claude_code_version")


def transport(frame: RawFrame) -> Transport:
    """A stream begins with other frames; a result at its head is the json envelope."""
    return "json" if string(frame, "type") == "result" else "jsonl"


def session_file(frame: RawFrame) -> str | None:
    """Transcripts under ``~/.claude/projects`` link their records by `parentUuid`."""
    if "sessionId" in frame and ("parentUuid" in frame or "isSidechain" in frame):
        return "a Claude session file"
    if string(frame, "type") == "summary" and "leafUuid" in frame:
        return "a Claude session file"
    return None
