# SPDX-License-Identifier: Apache-2.0
"""How Copilot's frames are told from all others."""

from __future__ import annotations

from typing import Any

from agentframes.engines.support import RawFrame, one_level, string
from agentframes.types import Transport

# What stands before the first dot of a kind: the areas of npm SDK 1.0.14, `agent` (1.0.83), and
# `workflow`, which a later SDK has in the place of `factory`. Within them kinds come and go.
PREFIXES = frozenset({
    "agent", "assistant", "auto_mode_switch", "capabilities", "command", "commands", "elicitation",
    "exit_plan_mode", "external_tool", "factory", "hook", "mcp", "mcp_app", "model",
    "pending_messages", "permission", "sampling", "session", "session_limits_exhausted", "skill",
    "subagent", "system", "tool", "tool_search", "ui", "user", "user_input", "workflow",
})  # fmt: skip

_ENVELOPE = {"type", "data", "id", "timestamp", "parentId"}
_RESULT = {"type", "sessionId", "exitCode", "usage"}


def recognize(frame: RawFrame) -> int:
    """Certain with the envelope around a kind of a known area, or with the terminal line."""
    kind = string(frame, "type")
    if kind is None or session_file(frame):
        return 0
    if kind == "result":
        return 2 if frame.keys() >= _RESULT else 0
    if not frame.keys() >= _ENVELOPE:
        return 0
    return 2 if kind == "abort" or kind.partition(".")[0] in PREFIXES else 1


def certainty(raw: Any) -> int:
    """Rate a frame as it stands in its line: much hangs on those that begin or end a run."""
    return recognize(one_level(raw))


def session_id(frame: RawFrame) -> str | None:
    """Only the terminal line tells the session."""
    return string(frame, "sessionId") if "data" not in frame and recognize(frame) else None


def cli_version(_: RawFrame) -> str | None:
    """No frame tells the version."""
    return None


def transport(_: RawFrame) -> Transport:
    """There is one form."""
    return "jsonl"


def session_file(frame: RawFrame) -> str | None:
    """`events.jsonl` under ``~/.copilot/session-state`` begins with what is never printed."""
    started = string(frame, "type") == "session.start" and "data" in frame
    return "a GitHub Copilot session file" if started else None
