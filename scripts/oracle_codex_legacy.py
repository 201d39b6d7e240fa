# SPDX-License-Identifier: Apache-2.0
"""The oracle's opinion on `codex exec --json` before 0.43: settings, prompt, `msg` lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = ("exec_command", "patch_apply", "mcp_tool_call", "web_search")
TOOLS = (*(f"{call}_{end}" for call in CALLS for end in ("begin", "end")), "view_image_tool_call")
ACTIVITY = ("agent_message", "agent_reasoning", "plan_update", "token_count")
TROUBLE = ("error", "stream_error", "background_event")
NATIVE = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")


def facts(capture: Capture, failure: Callable[[str, list[str]], str]) -> Facts:
    """Give the facts of the one run that such a stream holds; no line names its session."""
    found = envelope(capture, 1)
    settings = [line.frame for line in capture.lines if not {"msg", "prompt"} & line.frame.keys()]
    if settings:
        found["model"] = settings[0].get("model")
    messages = [
        Line(line.number, line.frame["msg"]) for line in capture.lines if "msg" in line.frame
    ]
    found["outcome"] = outcome(capture, messages, failure)
    native, basis = total([line.frame for line in messages])
    if native:
        found["resources"]["tokens"] = native["input_tokens"] + native["output_tokens"]
        found["usage"] = usage(native, basis)
        found["caveats"].append("cache_in_input")
    answers = [msg.frame["message"] for msg in messages if msg.frame["type"] == "agent_message"]
    if answers and answers[-1]:
        found["final_text"] = answers[-1]
        found["final_text_source"] = "last_message"
    found["tool_calls"] = len(
        {msg.frame["call_id"] for msg in messages if msg.frame["type"] in TOOLS}
    )
    return found


def total(messages: list[Frame]) -> tuple[Facts | None, str]:
    """Add the accounts of the model calls, or the ends of a running total's segments."""
    counts = [msg for msg in messages if msg["type"] == "token_count"]
    flat = [msg for msg in counts if "info" not in msg]
    if flat:
        return add(flat), "msg.token_count"
    running = [msg["info"]["total_token_usage"] for msg in counts if msg["info"]]
    if not running:
        return None, ""
    ends = [was for was, now in pairwise(running) if any(now[name] < was[name] for name in NATIVE)]
    return add([*ends, running[-1]]), "msg.token_count.info.total_token_usage"


def add(parts: list[Frame]) -> Facts:
    """Add native accounts name by name."""
    return {name: sum(part[name] for part in parts) for name in NATIVE}


def usage(native: Facts, basis: str) -> Facts:
    """Part the buckets: the native input holds what was read from the cache."""
    account = no_usage()
    account["input_tokens"] = native["input_tokens"] - native["cached_input_tokens"]
    account["cache_read_tokens"] = native["cached_input_tokens"]
    account["output_tokens"] = native["output_tokens"]
    account["reasoning_tokens"] = native["reasoning_output_tokens"]
    account["scope"] = "run"
    account["subagents"] = "excluded"
    account["basis"] = [basis]
    return with_total(account)


def outcome(
    capture: Capture, messages: list[Line], failure: Callable[[str, list[str]], str]
) -> Facts:
    """Judge by the last word: only an error after which nothing was done is an ending."""
    ends = [msg for msg in messages if msg.frame["type"] in ("error", "task_complete")]
    last = ends[-1] if ends else None
    if last is None or any(acts(msg) for msg in messages if msg.number > last.number):
        return incomplete(capture)
    result: Facts = {
        "status": "success",
        "reason": "completed",
        "message": None,
        "exit_code": capture.exit_code,
        "line": last.number,
    }
    if last.frame["type"] == "error":
        begun = [msg.number for msg in messages if msg.frame["type"] == "task_started"]
        before = [
            msg.frame["message"]
            for msg in messages
            if msg.frame["type"] in TROUBLE and max(begun, default=0) < msg.number < last.number
        ]
        message = last.frame["message"]
        result.update(status="failed", reason=failure(message, before), message=message)
    return result


def acts(msg: Line) -> bool:
    """Tell whether a line shows the agent at work."""
    kind = msg.frame["type"]
    return kind in ACTIVITY or kind.endswith(("_begin", "_end"))
