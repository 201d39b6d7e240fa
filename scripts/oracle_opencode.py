# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `opencode run --format json`."""

from __future__ import annotations

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

ENDINGS = {"stop": "completed", "length": "max_tokens"}
STATUS_REASONS = {401: "auth", 403: "auth", 429: "rate_limit"}
NAME_REASONS = {
    "ProviderAuthError": "auth",
    "ContentFilterError": "content_filter",
    "MessageAbortedError": "interrupted",
    "APIError": "api_error",
}


def facts(capture: Capture) -> Facts:
    """Give the facts of the last run in the capture: another session is another run."""
    sessions = list(dict.fromkeys(line.frame.get("sessionID") for line in capture.lines))
    lines = [line for line in capture.lines if line.frame.get("sessionID") == sessions[-1]]
    found = envelope(capture, max(1, len(sessions)))
    if lines:
        found["session_id"] = lines[0].frame.get("sessionID")
    found["outcome"] = outcome(capture, lines)
    finishes = of_kind(lines, "step_finish")
    if finishes:
        last = finishes[-1]
        found["resources"] = {
            "tokens": last["part"]["tokens"].get("total"),
            "cost_usd": last["part"].get("cost"),
            "wall_seconds": (last["timestamp"] - lines[0].frame["timestamp"]) / 1000,
        }
        found["usage"] = usage(finishes)
        found["caveats"] = caveats(lines, finishes)
    text = final_text(lines)
    if text:
        found["final_text"] = text
        found["final_text_source"] = "last_step"
    if lines:
        calls = [frame["part"] for frame in of_kind(lines, "tool_use")]
        # `invalid` is the CLI's own answer to a call of a tool that there is not.
        found["tool_calls"] = len({call["callID"] for call in calls if call["tool"] != "invalid"})
        # The steps of a sub-agent are not printed, so with one nobody knows their number.
        if all(call["tool"] != "task" for call in calls):
            found["model_calls"] = steps(lines)
    return found


def steps(lines: list[Line]) -> int:
    """Count the begins of steps, and messages without one: 1.0.0 gives a summary none (s33)."""
    parts = [line.frame["part"] for line in lines if line.frame.get("part")]
    begins = [part["messageID"] for part in parts if part["type"] == "step-start"]
    said = {part["messageID"] for part in parts if not part.get("synthetic")}
    return len(begins) + len(said - set(begins))


def kind(line: Line) -> str:
    """Name a frame; the part's type has dashes and is of no use here."""
    return str(line.frame.get("type"))


def of_kind(lines: list[Line], name: str) -> list[Frame]:
    """Give the frames of one kind."""
    return [line.frame for line in lines if kind(line) == name]


def step(tokens: Frame) -> Facts:
    """Part the buckets of one step; with a total, it tells where the reasoning is."""
    read, written = tokens["cache"]["read"], tokens["cache"]["write"]
    inside = tokens["output"]
    if tokens.get("total") is not None:
        inside = tokens["total"] - tokens["input"] - read - written
    return {
        "input_tokens": tokens["input"],
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "output_tokens": inside,
        "reasoning_tokens": tokens["reasoning"],
    }


def usage(finishes: list[Frame]) -> Facts:
    """Add up the steps."""
    account = no_usage()
    for frame in finishes:
        part = step(frame["part"]["tokens"]) | {"cost_usd": frame["part"].get("cost")}
        for bucket, value in part.items():
            if frame is finishes[0]:
                account[bucket] = value
            elif account[bucket] is None or value is None:
                account[bucket] = None
            else:
                # One after the other: later Pythons' sum() rounds floats in another way.
                account[bucket] += value
    account["scope"] = "run"
    account["subagents"] = "excluded"
    account["basis"] = ["step_finish.part.tokens"]
    return with_total(account)


def caveats(lines: list[Line], finishes: list[Frame]) -> list[str]:
    """Say what a reader must know before comparing the numbers."""
    found = []
    tokens = [frame["part"]["tokens"] for frame in finishes]
    if any(count.get("total") is None and count["reasoning"] > 0 for count in tokens):
        found.append("reasoning_placement_unknown")
    if any(frame["part"]["tool"] == "task" for frame in of_kind(lines, "tool_use")):
        found.append("subagents_excluded")
    return found


def outcome(capture: Capture, lines: list[Line]) -> Facts:
    """Judge by an error anywhere, else by how the last step ended and that nothing follows."""
    errors = [line for line in lines if kind(line) == "error"]
    if errors:
        error = errors[-1].frame["error"]
        message = (error.get("data") or {}).get("message")
        return ended(capture, errors[-1], "failed", failure(error), message)
    finishes = [line for line in lines if kind(line) == "step_finish"]
    if not finishes or finishes[-1] is not lines[-1]:
        return incomplete(capture)
    reason = finishes[-1].frame["part"]["reason"]
    if reason in ENDINGS and not capture.cut_line:
        return ended(capture, finishes[-1], "success", ENDINGS[reason], None)
    result = incomplete(capture)
    if capture.cut_line:
        return result
    if reason == "tool-calls" and refused(lines, finishes[-1]):
        result["reason"] = "permission"
    if reason == "content-filter":
        # Up to 1.14.41 nothing more is said of it, and the CLI exits with 0.
        result["reason"] = "content_filter"
    return result


def ended(capture: Capture, end: Line, status: str, reason: str, message: str | None) -> Facts:
    """Give the outcome of a run whose last word is known."""
    return {
        "status": status,
        "reason": reason,
        "message": message,
        "exit_code": capture.exit_code,
        "line": end.number,
    }


def failure(error: Frame) -> str:
    """Find the reason of an error: the status says more than the name."""
    status = (error.get("data") or {}).get("statusCode")
    return STATUS_REASONS.get(status or 0) or NAME_REASONS.get(str(error.get("name"))) or "failed"


def refused(lines: list[Line], finish: Line) -> bool:
    """Tell whether a call of a step was refused for want of permission."""
    calls = [
        frame["part"]["state"]
        for frame in of_kind(lines, "tool_use")
        if frame["part"]["messageID"] == finish.frame["part"]["messageID"]
    ]
    errors = [str(call.get("error")) for call in calls if call["status"] == "error"]
    # 1.2.27 prints the name of the error, later versions a sentence.
    return any("permission" in error.lower() for error in errors)


def final_text(lines: list[Line]) -> str:
    """Join the texts of the last step that has any."""
    texts = [frame["part"] for frame in of_kind(lines, "text") if frame["part"]["text"]]
    # What the CLI said to the model by itself, after a compaction.
    texts = [part for part in texts if not part.get("synthetic")]
    return "\n".join(part["text"] for part in texts if part["messageID"] == texts[-1]["messageID"])
