# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `gemini --output-format stream-json`, and on its `json` mode."""

from __future__ import annotations

import re

from scripts.oracle_common import (
    Capture,
    Facts,
    Frame,
    Line,
    envelope,
    incomplete,
    no_usage,
    with_total,
)

BUCKETS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_usd",
)
# The first that matches; the order matters.
REASONS = {
    "max_turns": r"TurnLimited|max(imum)? session turns",
    "auth": r"\b40[13]\b|UNAUTHENTICATED|PERMISSION_DENIED|Authentication",
    "rate_limit": r"\b429\b|RESOURCE_EXHAUSTED",
    "api_error": r"API Error|\b[45]\d\d\b",
}


def facts(capture: Capture) -> Facts:
    """Give the facts of the last run in the capture."""
    if capture.transport == "json":
        return of_document(capture)
    starts = [index for index, line in enumerate(capture.lines) if kind(line) == "init"]
    lines = capture.lines[starts[-1] :] if starts else capture.lines
    found = envelope(capture, max(1, len(starts)))
    if starts:
        found["session_id"] = lines[0].frame["session_id"]
        found["model"] = lines[0].frame["model"]
    found["outcome"] = outcome(capture, lines)
    results = [line.frame for line in lines if kind(line) == "result"]
    if results and results[-1].get("stats"):
        stats = results[-1]["stats"]
        found["resources"]["tokens"] = stats.get("total_tokens")
        # A run that failed prints 0, however long it took.
        if stats["duration_ms"] or results[-1]["status"] == "success":
            found["resources"]["wall_seconds"] = stats["duration_ms"] / 1000
        found["usage"] = usage(stats)
        found["caveats"].append("cache_in_input")
    text = final_text(lines)
    if text:
        found["final_text"] = text
        found["final_text_source"] = "joined_deltas"
    if lines:  # a run that printed nothing tells of no calls, not of none
        calls = {line.frame["tool_id"] for line in lines if kind(line) == "tool_use"}
        found["tool_calls"] = len(calls)
    return found


def kind(line: Line) -> str:
    """Name a frame; messages of the user and of the assistant are two kinds."""
    name = str(line.frame.get("type"))
    return f"message/{line.frame.get('role')}" if name == "message" else name


def outcome(capture: Capture, lines: list[Line]) -> Facts:
    """Judge by the last result, unless the run went on after it."""
    ends = [index for index, line in enumerate(lines) if kind(line) == "result"]
    if not ends or any(
        kind(line).startswith(("message/", "tool_")) for line in lines[ends[-1] + 1 :]
    ):
        return incomplete(capture)
    end = lines[ends[-1]]
    if end.frame["status"] == "success":
        return ended(capture, end, None)
    return ended(capture, end, end.frame.get("error") or error_before(lines[: ends[-1]]))


def error_before(lines: list[Line]) -> Frame:
    """Take the last error frame for the error of a result that has none of its own."""
    told = [line.frame for line in lines if kind(line) == "error"]
    return {"message": [frame["message"] for frame in told if frame["severity"] == "error"][-1]}


def ended(capture: Capture, end: Line, error: Frame | None) -> Facts:
    """Give the outcome of a run that came to its end, with an error or without."""
    return {
        "status": "success" if error is None else "failed",
        "reason": "completed" if error is None else failure(error),
        "message": None if error is None else error.get("message"),
        "exit_code": capture.exit_code,
        "line": end.number,
    }


def failure(error: Frame) -> str:
    """Find the reason in the error's type, its words and its code, where it has one."""
    said = " ".join(str(error.get(key)) for key in ("type", "message", "code", "status"))
    for reason, words in REASONS.items():
        if re.search(words, said):
            return reason
    return "failed"


def final_text(lines: list[Line]) -> str:
    """Join what the assistant said after the last user or tool frame."""
    spoken = ""
    for line in lines:
        if kind(line) in ("message/user", "tool_use", "tool_result"):
            spoken = ""
        elif kind(line) == "message/assistant":
            spoken += line.frame["content"]
    return spoken


def usage(stats: Frame) -> Facts:
    """Give the account of all model calls, from the stats of a result frame."""
    account = no_usage()
    account.update(of_stats(stats))
    if stats.get("models"):
        account["models"] = {name: of_stats(model) for name, model in stats["models"].items()}
    account["scope"] = "run"
    account["subagents"] = "included"
    account["basis"] = ["result.stats"]
    return with_total(account)


def of_stats(stats: Frame) -> Facts:
    """Part the buckets of a model, or of all: thoughts are in the total and nowhere else."""
    row: Facts = dict.fromkeys(BUCKETS)
    # Without `cached` nothing tells how much of the input was read from the cache.
    if "cached" in stats:
        row["cache_read_tokens"] = stats["cached"]
        row["input_tokens"] = stats.get("input", stats["input_tokens"] - stats["cached"])
    row["output_tokens"] = stats.get("output_tokens")
    if "total_tokens" in stats:
        thoughts = stats["total_tokens"] - stats["input_tokens"] - stats["output_tokens"]
        row["output_tokens"] = stats["output_tokens"] + thoughts
        row["reasoning_tokens"] = thoughts
    return row


def of_document(capture: Capture) -> Facts:
    """Give the facts of the one object that the json mode prints."""
    found = envelope(capture, 1)
    found["outcome"] = incomplete(capture)
    if not capture.lines:
        found["tool_calls"] = None
        return found
    line = capture.lines[-1]
    document = line.frame
    found["session_id"] = document.get("session_id")
    if document.get("error"):
        found["outcome"] = ended(capture, line, document["error"])
    elif document.get("response") is not None:
        found["outcome"] = ended(capture, line, None)
    if document.get("response"):
        found["final_text"] = document["response"]
        found["final_text_source"] = "result"
    stats = document.get("stats")
    if not stats:
        return found
    models = stats["models"]
    found["resources"]["tokens"] = sum(model["tokens"]["total"] for model in models.values())
    found["usage"] = document_usage(models)
    found["caveats"].append("cache_in_input")
    if len(models) == 1:
        found["model"] = next(iter(models))
    found["model_calls"] = sum(model["api"]["totalRequests"] for model in models.values())
    found["tool_calls"] = stats["tools"]["totalCalls"]
    return found


def document_usage(models: Frame) -> Facts:
    """Give the account that the document keeps by model."""
    rows = {}
    for name, model in models.items():
        tokens = model["tokens"]
        rows[name] = dict.fromkeys(BUCKETS) | {
            "input_tokens": tokens.get("input", tokens["prompt"] - tokens["cached"]),
            "cache_read_tokens": tokens["cached"],
            "output_tokens": tokens["candidates"] + tokens["thoughts"],
            "reasoning_tokens": tokens["thoughts"],
        }
    account = no_usage()
    for bucket in ("input_tokens", "cache_read_tokens", "output_tokens", "reasoning_tokens"):
        account[bucket] = sum(row[bucket] for row in rows.values())
    account["models"] = rows or None
    account["scope"] = "run"
    account["subagents"] = "included"
    account["basis"] = ["stats.models"]
    return with_total(account)
