# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `copilot --output-format json`."""

from __future__ import annotations

import re

from scripts.oracle_common import Capture, Facts, Frame, Line, envelope, incomplete, no_usage

STATUS_REASONS = {401: "auth", 403: "auth", 429: "rate_limit"}
TYPE_REASONS = {"authentication": "auth", "authorization": "auth", "rate_limit": "rate_limit"}


def facts(capture: Capture) -> Facts:
    """Give the facts of the last run in the capture: each one ends with its result."""
    ends = [index for index, line in enumerate(capture.lines) if kind(line) == "result"]
    lines = capture.lines[ends[-2] + 1 :] if len(ends) > 1 else capture.lines
    found = envelope(capture, max(1, len(ends)))
    found["outcome"] = outcome(capture, lines)
    found["model"] = model(lines)
    results = [line.frame for line in lines if kind(line) == "result"]
    if results:
        found["session_id"] = results[-1]["sessionId"]
        found["resources"]["wall_seconds"] = results[-1]["usage"]["sessionDurationMs"] / 1000
        found["caveats"].append("wall_may_span_session")
    found["usage"] = usage(lines, results)
    text = final_text(lines)
    if text:
        found["final_text"] = text
        found["final_text_source"] = "last_message"
    if not lines:
        return found  # nothing was printed, so nothing can be counted
    delegated = any(not is_main(line.frame) for line in lines) or of_kind(lines, "subagent.started")
    if delegated and found["usage"]["subagents"] == "excluded":
        found["caveats"].insert(0, "subagents_excluded")
    found["model_calls"] = model_calls(lines)
    found["tool_calls"] = len(tool_calls(lines))
    if results:
        found["permission_denials"] = sum(
            1
            for frame in of_kind(lines, "tool.execution_complete")
            if (frame["data"].get("error") or {}).get("code") == "denied"
        )
    return found


def kind(line: Line) -> str:
    """Name a frame."""
    return str(line.frame.get("type"))


def of_kind(lines: list[Line], name: str) -> list[Frame]:
    """Give the frames of one kind."""
    return [line.frame for line in lines if kind(line) == name]


def is_main(frame: Frame) -> bool:
    """Tell the main agent's frames from a sub-agent's: versions mark those in one way or both."""
    data = frame.get("data") or {}
    return frame.get("agentId") is None and data.get("parentToolCallId") is None


def messages(lines: list[Line]) -> list[Frame]:
    """Give the data of the main agent's full messages."""
    return [
        frame["data"]
        for frame in of_kind(lines, "assistant.message")
        if is_main(frame) and frame.get("ephemeral") is not True
    ]


def model(lines: list[Line]) -> str | None:
    """Find the main agent's model: its messages name it, or the list of tools does."""
    named = [message.get("model") for message in messages(lines)]
    listed = [frame["data"].get("model") for frame in of_kind(lines, "session.tools_updated")]
    for names in (named, listed):
        known = [name for name in names if name]
        if known:
            return str(known[-1])
    return None


def model_calls(lines: list[Line]) -> int:
    """Count the model's calls.

    Versions that print none print each turn of the main agent, and of a sub-agent the messages;
    with an Anthropic provider of the main agent, too, nothing but the messages.
    """
    calls = of_kind(lines, "model.call_start")
    if calls:
        return len(calls)
    turns = of_kind(lines, "assistant.turn_start")
    answers = {
        frame["data"]["messageId"]
        for frame in of_kind(lines, "assistant.message")
        if not (turns and is_main(frame))
    }
    return len(turns) + len(answers)


def tool_calls(lines: list[Line]) -> set[str]:
    """Gather the ids of the calls: a message asks for most of them, the CLI makes some itself."""
    started = {frame["data"]["toolCallId"] for frame in of_kind(lines, "tool.execution_start")}
    asked = {
        request["toolCallId"]
        for frame in of_kind(lines, "assistant.message")
        for request in frame["data"]["toolRequests"]
    }
    written = {frame["data"]["toolCallId"] for frame in of_kind(lines, "assistant.tool_call_delta")}
    return started | asked | written


def usage(lines: list[Line], results: list[Frame]) -> Facts:
    """Give the premium requests, and the output where the version prints it."""
    account = no_usage()
    if results:
        account["premium_requests"] = results[-1]["usage"]["premiumRequests"]
        account["scope"] = "run"
        account["basis"].append("result.usage")
    output = {
        message["messageId"]: message["outputTokens"]
        for message in messages(lines)
        if "outputTokens" in message
    }
    if output:
        account["output_tokens"] = sum(output.values())
        account["scope"] = "run"
        account["subagents"] = "excluded"
        account["basis"].append("assistant.message.outputTokens")
    return account


def outcome(capture: Capture, lines: list[Line]) -> Facts:
    """Judge by the exit code that the result gives, unless a turn was begun after it.

    A run that was aborted says 0 as well: whoever sent the signal "initiated" that.
    """
    ends = [index for index, line in enumerate(lines) if kind(line) == "result"]
    if not ends or any(
        kind(line) == "assistant.turn_start" and is_main(line.frame)
        for line in lines[ends[-1] + 1 :]
    ):
        return incomplete(capture)
    end = lines[ends[-1]]
    errors = [frame["data"] for frame in of_kind(lines, "session.error")]
    abort = aborted(lines)
    reason, message = "completed", None
    if abort is not None:
        reason, message = "interrupted", abort.get("reason")
    elif end.frame["exitCode"] != 0:
        reason, message = "failed", None
        if errors:
            reason, message = failure(errors[-1]), errors[-1]["message"]
    return {
        "status": "success" if reason == "completed" else "failed",
        "reason": reason,
        "message": message,
        "exit_code": end.frame["exitCode"],
        "line": end.number,
    }


def aborted(lines: list[Line]) -> Frame | None:
    """Give the data of what aborted the main agent's last turn, if anything did."""
    found = None
    for line in lines:
        if not is_main(line.frame):
            continue
        if kind(line) == "assistant.turn_start":
            found = None
        elif kind(line) == "abort":
            found = line.frame["data"]
    return found


def failure(error: Frame) -> str:
    """Find the reason of an error; versions that have no field for the status say it."""
    status = error.get("statusCode")
    if status is None:
        said = re.search(r"Last error: (?:\w+: )?(\d{3})\b", error["message"])
        status = int(said.group(1)) if said else None
    return STATUS_REASONS.get(status or 0) or TYPE_REASONS.get(error["errorType"]) or "api_error"


def final_text(lines: list[Line]) -> str | None:
    """Find the last message that calls no tool, else the last that says anything."""
    spoken = [message for message in messages(lines) if message["content"].strip()]
    closing = [message for message in spoken if not message["toolRequests"]]
    chosen = closing or spoken
    return str(chosen[-1]["content"]) if chosen else None
