# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `claude -p` in its three forms; its counting stands apart."""

from __future__ import annotations

import json
import re
from typing import Any

from scripts import oracle_claude_usage
from scripts.oracle_common import Capture, Facts, Frame, Line, envelope, incomplete

HTTP_REASONS = {401: "auth", 403: "auth", 429: "rate_limit"}


def facts(capture: Capture) -> Facts:
    """Give the facts of the last run in the capture."""
    runs, lines = last_run(capture.lines)
    found = envelope(capture, runs)
    inits = [line.frame for line in lines if is_init(line.frame)]
    results = [line.frame for line in lines if line.frame.get("type") == "result"]
    last: Frame = results[-1] if results else {}

    found["usage"], final = oracle_claude_usage.usage(capture, lines, results)
    models = found["usage"]["models"]
    if inits:
        found["model"] = inits[0].get("model")
    elif models and len(models) == 1:
        found["model"] = next(iter(models))
    if last:
        found["session_id"] = last.get("session_id")
    elif inits:
        found["session_id"] = inits[-1]["session_id"]
    found["outcome"] = outcome(capture, lines)
    found["resources"] = resources(last)
    found["caveats"] = oracle_claude_usage.caveats(capture, lines, found["usage"], final=final)
    found["final_text"], found["final_text_source"] = final_text(lines, last)
    found["structured_output"] = last.get("structured_output")
    found["turns"] = last.get("num_turns")
    if "permission_denials" in last:
        found["permission_denials"] = len(last["permission_denials"])
    if capture.transport != "json":
        assistants = [line.frame for line in lines if line.frame.get("type") == "assistant"]
        # A sub-agent's last message is never printed.
        if not any(oracle_claude_usage.shows_subagent(line.frame) for line in lines):
            found["model_calls"] = len(message_ids(lines))
        found["tool_calls"] = len(
            {
                block["id"]
                for frame in assistants
                for block in blocks(frame)
                if block["type"] == "tool_use"
            }
        )
    return found


def is_init(frame: Frame) -> bool:
    """Tell the frame that opens a run, or goes on with it after a compaction."""
    return frame.get("type") == "system" and frame.get("subtype") == "init"


def message_ids(lines: list[Line]) -> set[str]:
    """Find the messages of a model; one that was only begun counts, too."""
    messages = [oracle_claude_usage.message_of(line.frame) for line in lines]
    return {
        message["id"] for message in messages if message and message.get("model") != "<synthetic>"
    }


def last_run(lines: list[Line]) -> tuple[int, list[Line]]:
    """Count the runs and cut out the last: a new one begins where an init names a new session."""
    runs, start, session = 1, 0, None
    for index, line in enumerate(lines):
        if is_init(line.frame):
            if session is not None and line.frame["session_id"] != session:
                runs, start = runs + 1, index
            session = line.frame["session_id"]
    return runs, lines[start:]


def blocks(frame: Frame) -> list[dict[str, Any]]:
    """Give the content blocks of a message; content that is a string is one text block."""
    content = frame["message"]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def is_main(frame: Frame) -> bool:
    """Tell the main agent's frames from a sub-agent's."""
    return frame.get("parent_tool_use_id") is None


def resources(last: Frame) -> Facts:
    """Give the native contract: the last result's own numbers, never the cache's."""
    tokens = None
    if "usage" in last:
        tokens = last["usage"]["input_tokens"] + last["usage"]["output_tokens"]
    wall = last["duration_ms"] / 1000 if "duration_ms" in last else None
    return {"tokens": tokens, "cost_usd": last.get("total_cost_usd"), "wall_seconds": wall}


def outcome(capture: Capture, lines: list[Line]) -> Facts:
    """Judge by the last result, unless the main agent went on after it."""
    ends = [index for index, line in enumerate(lines) if line.frame.get("type") == "result"]
    if not ends:
        return incomplete(capture)
    human = human_input(lines)
    for line in lines[ends[-1] + 1 :]:
        # An assistant frame, or the event that begins one.
        speaks = oracle_claude_usage.message_of(line.frame) and is_main(line.frame)
        if speaks or is_init(line.frame) or id(line) in human:
            return incomplete(capture)
    end = lines[ends[-1]]
    frame = end.frame
    success = frame.get("is_error") is not True and frame.get("subtype") == "success"
    message = None
    if not success:
        message = frame.get("result") or (frame.get("errors") or [None])[0]
    return {
        "status": "success" if success else "failed",
        "reason": "completed" if success else failure(frame),
        "message": message,
        "exit_code": capture.exit_code,
        "line": end.number,
    }


def failure(frame: Frame) -> str:
    """Find the reason of a failed result."""
    subtype = frame.get("subtype")
    ended = frame.get("terminal_reason") or ""
    if subtype == "error_max_turns":
        return "max_turns"
    if subtype == "error_max_budget_usd":
        return "budget"
    if subtype == "error_during_execution":
        return "interrupted" if ended.startswith("aborted_") else "failed"
    if frame.get("is_error") is not True:
        return "failed"
    if "api_error_status" in frame:
        status = frame["api_error_status"]
    else:
        # Versions that have no field for it say it in the text.
        said = re.search(r"API Error: (\d{3})", frame.get("result") or "")
        status = int(said.group(1)) if said else None
    if status in HTTP_REASONS:
        return HTTP_REASONS[status]
    # Up to 2.1.50 nothing but the text tells a refusal.
    refused = "violate our Usage Policy" in (frame.get("result") or "")
    if frame.get("stop_reason") == "refusal" or (status is None and refused):
        return "refusal"
    if status is not None or ended == "api_error":
        return "api_error"
    return "failed"


def final_text(lines: list[Line], last: Frame) -> tuple[str | None, str | None]:
    """Find the answer: the result, or what it leaves out of the main agent's last words."""
    human = human_input(lines)
    withdrawn = taken_back(lines)
    spoken = ""  # the main agent's text since the last turn's end, tool result or human input
    message_id, message = None, ""  # its last message that has text
    for line in lines:
        frame = line.frame
        earlier = frame.get("type") == "result" and frame is not last
        if earlier or has_tool_result(frame) or id(line) in human:
            spoken = ""
        if frame.get("type") != "assistant" or not is_main(frame):
            continue
        if frame["message"]["id"] in withdrawn or frame["message"].get("model") == "<synthetic>":
            continue
        text = "".join(block["text"] for block in blocks(frame) if block["type"] == "text")
        spoken += text
        if text:
            same = frame["message"]["id"] == message_id
            message_id, message = frame["message"]["id"], message + text if same else text
    result = last.get("result")
    if result:
        if len(spoken) > len(result) and (spoken.endswith(result) or spoken.startswith(result)):
            return spoken, "joined_messages"
        return result, "result"
    if last.get("structured_output") is not None:
        return json.dumps(last["structured_output"], ensure_ascii=False), "structured_output"
    if message:
        return message, "last_message"
    return None, None


def taken_back(lines: list[Line]) -> set[str]:
    """Find the messages that count no more: broken off, or refused in their middle."""
    frames = [line.frame for line in lines]
    found = {frame["message"]["id"] for frame in frames if frame.get("aborted") is True}
    return found | {
        frame["refused_message_id"] for frame in frames if "refused_message_id" in frame
    }


def has_tool_result(frame: Frame) -> bool:
    """Tell a tool's answer, after which the agent answers anew."""
    return frame.get("type") == "user" and any(
        block["type"] == "tool_result" for block in blocks(frame)
    )


def human_input(lines: list[Line]) -> set[int]:
    """Find the user frames that a human wrote, by `id()` of their lines.

    Not the CLI's own texts, nor a sub-agent's prompt, nor the summary after a compaction.
    """
    found = set()
    summary = False  # whether the next text is one
    for line in lines:
        frame = line.frame
        if frame.get("type") == "system" and frame.get("subtype") == "compact_boundary":
            summary = True
        if frame.get("type") != "user":
            continue
        if not any(block["type"] == "text" for block in blocks(frame)):
            continue
        made_up = frame.get("isSynthetic") is True or frame.get("isReplay") is True
        if is_main(frame) and not made_up and not summary:
            found.add(id(line))
        summary = False
    return found
