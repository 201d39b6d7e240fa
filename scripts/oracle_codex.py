# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `codex exec --json`; the legacy lines have a reader of their own."""

from __future__ import annotations

import re

from scripts import oracle_codex_legacy
from scripts.oracle_common import (
    Capture,
    Facts,
    Line,
    envelope,
    incomplete,
    no_usage,
    with_total,
)

TOOLS = ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search")
# The names of the experimental form stand second.
STARTS = {"thread.started": "thread_id", "session.created": "session_id"}
# The first that matches; the order matters.
REASONS = {
    "auth": r"\b40[13]\b|Unauthorized|Forbidden",
    "rate_limit": r"\b429\b|Too Many Requests|rate limit",
    "max_tokens": r"max_output_tokens|context window|token limit",
    "content_filter": r"content_filter",
    "api_error": r"\b(stream|status)\b|\b5\d\d\b",
}
ANSWERS = ("agent_message", "assistant_message")


def facts(capture: Capture) -> Facts:
    """Give the facts of the last run in the capture."""
    if capture.transport == "legacy":
        return oracle_codex_legacy.facts(capture, failure)
    starts = [index for index, line in enumerate(capture.lines) if line.frame.get("type") in STARTS]
    lines = capture.lines[starts[-1] :] if starts else capture.lines
    found = envelope(capture, max(1, len(starts)))
    if starts:
        found["session_id"] = lines[0].frame[STARTS[lines[0].frame["type"]]]
    completed = [line for line in lines if line.frame.get("type") == "turn.completed"]
    if completed:
        native = completed[-1].frame["usage"]
        found["resources"]["tokens"] = native["input_tokens"] + native["output_tokens"]
    found["outcome"] = outcome(capture, lines)
    found["usage"] = usage(completed)
    if completed:
        found["caveats"].append("cache_in_input")
        if any(item_type(line) == "collab_tool_call" for line in lines):
            found["caveats"].append("subagents_excluded")
    answers = [
        line.frame["item"]["text"]
        for line in lines
        if line.frame.get("type") == "item.completed" and item_type(line) in ANSWERS
    ]
    if answers and answers[-1]:
        found["final_text"] = answers[-1]
        found["final_text_source"] = "last_message"
    found["tool_calls"] = len(
        {line.frame["item"]["id"] for line in lines if item_type(line) in TOOLS}
    )
    return found


def item_type(line: Line) -> str | None:
    """Name the item a line carries, if any."""
    item = line.frame.get("item")
    return (item.get("type") or item["item_type"]) if item else None


def usage(completed: list[Line]) -> Facts:
    """Take the last turn's account, which covers the whole thread, and part its buckets."""
    account = no_usage()
    if not completed:
        return account
    native = completed[-1].frame["usage"]
    cached = native.get("cached_input_tokens")
    written = native.get("cache_write_input_tokens")
    account["input_tokens"] = native["input_tokens"] - (cached or 0) - (written or 0)
    account["cache_read_tokens"] = cached
    account["cache_write_tokens"] = written
    account["output_tokens"] = native["output_tokens"]
    account["reasoning_tokens"] = native.get("reasoning_output_tokens")
    account["scope"] = "thread"
    account["subagents"] = "excluded"
    account["basis"] = ["turn.completed.usage"]
    return with_total(account)


def outcome(capture: Capture, lines: list[Line]) -> Facts:
    """Judge by how the last turn ended: a turn that was only begun is no ending."""
    turns = [line for line in lines if str(line.frame.get("type")).startswith("turn.")]
    last = turns[-1] if turns else None
    if last is None or last.frame["type"] == "turn.started":
        return incomplete(capture)
    result: Facts = {
        "status": "success",
        "reason": "completed",
        "message": None,
        "exit_code": capture.exit_code,
        "line": last.number,
    }
    if last.frame["type"] == "turn.failed":
        message = last.frame["error"]["message"]
        begun = max(
            (turn.number for turn in turns if turn.frame["type"] == "turn.started"), default=0
        )
        before = [
            line.frame["message"]
            for line in lines
            if line.frame.get("type") == "error" and begun < line.number < last.number
        ]
        result.update(status="failed", reason=failure(message, before), message=message)
    return result


def failure(message: str, errors_before: list[str]) -> str:
    """Find the reason in the words of a failed turn: there is no field for it."""
    for reason, words in REASONS.items():
        if re.search(words, message):
            return reason
    # A retry's line puts words of its own around the message.
    return "api_error" if any(message in told for told in errors_before) else "failed"
