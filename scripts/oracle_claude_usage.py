# SPDX-License-Identifier: Apache-2.0
"""The oracle's count of what a claude run used."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scripts.oracle_common import (
    Capture,
    Facts,
    Frame,
    Line,
    no_usage,
    version_number,
    with_total,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Wire name, and the name in claude's modelUsage.
BUCKETS = {
    "input_tokens": "inputTokens",
    "cache_read_tokens": "cacheReadInputTokens",
    "cache_write_tokens": "cacheCreationInputTokens",
    "output_tokens": "outputTokens",
    "reasoning_tokens": "thinkingTokens",
    "cost_usd": "costUSD",
}
# Wire name, and the name in a message's usage.
NATIVE = {
    "input_tokens": "input_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
    "output_tokens": "output_tokens",
}
SESSION_TOTALS_SINCE = (2, 1, 277)
START_VALUES_SINCE = (2, 1, 50)


def usage(capture: Capture, lines: list[Line], results: list[Frame]) -> tuple[Facts, bool]:
    """Give the account, and whether its output is final."""
    if not results or falls_back(lines, results):
        return from_messages(capture, lines)
    increments = [frame.get("model_usage_since_last_result") for frame in results]
    stepwise = all(increment is not None for increment in increments)
    before = version_number(capture.version) < SESSION_TOTALS_SINCE
    scope = "run" if stepwise or before else "session"
    if stepwise and any(increments):
        account = from_models(increments)
        account["cost_usd"] = add(model["cost_usd"] for model in account["models"].values())
        account["basis"] = ["result.model_usage_since_last_result"]
    elif results[-1].get("modelUsage") and not stepwise:
        segments = last_of_segments(results)
        account = from_models([frame["modelUsage"] for frame in segments])
        account["cost_usd"] = add(frame.get("total_cost_usd") for frame in segments)
        account["basis"] = ["result.modelUsage"]
    else:
        account = from_result(results[-1])
    account["scope"] = scope if account["basis"] else None
    return with_total(account), True


def add(values: Iterable[float | None]) -> float | None:
    """Add numbers; one that is missing makes the sum unknown, and so does having none."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) if known and len(known) == len(listed) else None


def from_models(parts: list[Any]) -> Facts:
    """Add model accounts, first by model over the parts, then over the models."""
    models: dict[str, Facts] = {}
    for part in parts:
        for name, native in part.items():
            row = {bucket: native.get(key) for bucket, key in BUCKETS.items()}
            if name in models:
                row = {bucket: add([models[name][bucket], row[bucket]]) for bucket in BUCKETS}
            models[name] = row
    account = no_usage()
    for bucket in BUCKETS:
        account[bucket] = add(model[bucket] for model in models.values())
    account["models"] = models
    account["subagents"] = "included"
    return account


def last_of_segments(results: list[Frame]) -> list[Frame]:
    """Find where the running total fell: each result before a fall closes a segment."""
    closing = []
    for earlier, later in pairwise(results):
        was, now = from_models([earlier["modelUsage"]]), from_models([later["modelUsage"]])
        if any((now[bucket] or 0) < (was[bucket] or 0) for bucket in NATIVE):
            closing.append(earlier)
    return [*closing, results[-1]]


def from_result(last: Frame) -> Facts:
    """Take the main agent's own account, where no model's is given."""
    native = last.get("usage")
    account = no_usage()
    if native is None:
        return account
    for bucket, key in NATIVE.items():
        account[bucket] = native.get(key)
    details = native.get("output_tokens_details") or {}
    account["reasoning_tokens"] = details.get("thinking_tokens")
    account["cost_usd"] = last.get("total_cost_usd")
    account["subagents"] = "excluded"
    account["basis"] = ["result.usage"]
    return account


def falls_back(lines: list[Line], results: list[Frame]) -> bool:
    """Tell whether no result counts what the stream shows to have been used."""
    counted = any(
        result.get("modelUsage")
        or any((result.get("usage") or {}).get(key) for key in NATIVE.values())
        for result in results
    )
    return not counted and any(
        usage for line in lines for _, message_id, usage in reports(line.frame) if message_id
    )


def message_of(frame: Frame) -> Frame | None:
    """Give the message that a frame holds or begins."""
    if frame.get("type") == "assistant":
        message: Frame = frame["message"]
        return message
    if frame.get("type") == "stream_event" and frame["event"]["type"] == "message_start":
        begun: Frame = frame["event"]["message"]
        return begun
    return None


def reports(frame: Frame) -> Iterator[tuple[str, str | None, Facts]]:
    """Give a main agent's account in a frame: native path, message id where it names one."""
    if frame.get("parent_tool_use_id") is not None:
        return
    message = message_of(frame)
    if message and message.get("usage") and message.get("model") != "<synthetic>":
        whole = frame["type"] == "assistant"
        path = "assistant.message.usage" if whole else "stream_event.message_start.usage"
        yield path, message["id"], message["usage"]
    event = frame["event"] if frame.get("type") == "stream_event" else {}
    if event.get("type") == "message_delta" and event.get("usage"):
        yield "stream_event.message_delta.usage", None, event["usage"]


def by_message(lines: list[Line]) -> Iterator[tuple[str, str, Facts]]:
    """Give each account with its path and message: a delta belongs to the one begun last."""
    begun = None
    for line in lines:
        for path, named, native in reports(line.frame):
            if named and path.startswith("stream_event"):
                begun = named
            if message_id := named or begun:
                yield path, message_id, native


def from_messages(capture: Capture, lines: list[Line]) -> tuple[Facts, bool]:
    """Add up the main agent's messages of a run that never gave its result."""
    messages: dict[str, Facts] = {}  # the native account of each message id
    ended: dict[str, int | None] = {}  # the output, where it is final
    paths = {path: None for path, _, _ in by_message(lines)}  # in the order of the stream
    # Later versions' full frames print the value of the message's start.
    old = version_number(capture.version) < START_VALUES_SINCE
    for final in ("assistant.message.usage",) * old + ("stream_event.message_delta.usage",):
        for path, message_id, native in by_message(lines):
            if path == final:
                ended[message_id] = native.get("output_tokens")
    for _, message_id, native in by_message(lines):
        known = {key: value for key, value in native.items() if value is not None}
        messages.setdefault(message_id, {}).update(known)
    account = no_usage()
    if not messages:
        return account, True
    for bucket in ("input_tokens", "cache_read_tokens", "cache_write_tokens"):
        account[bucket] = add(native.get(NATIVE[bucket]) for native in messages.values())
    account["output_tokens"] = add(ended.get(message_id) for message_id in messages)
    account["scope"] = "run"
    account["subagents"] = "excluded"
    account["basis"] = list(paths)
    return with_total(account), account["output_tokens"] is not None


def caveats(capture: Capture, lines: list[Line], account: Facts, *, final: bool) -> list[str]:
    """Say what a reader must know before comparing the numbers."""
    results = [line.frame for line in lines if line.frame.get("type") == "result"]
    last: Frame = results[-1] if results else {}
    found = []
    if not final:
        found.append("output_not_final")
    if account["subagents"] == "excluded" and any(shows_subagent(line.frame) for line in lines):
        found.append("subagents_excluded")
    if last.get("total_cost_usd") is not None and not falls_back(lines, results):
        if version_number(capture.version) >= SESSION_TOTALS_SINCE:
            found.append("cost_may_span_session")
        bases = [model.get("costBasis") for model in (last.get("modelUsage") or {}).values()]
        subscribed = any(line.frame.get("apiKeySource") == "none" for line in lines)
        if subscribed or "list" in bases:
            found.append("cost_is_list_price")
    return found


def shows_subagent(frame: Frame) -> bool:
    """Tell whether a frame gives a sub-agent away."""
    if frame.get("parent_tool_use_id") is not None:
        return True
    if frame.get("type") == "system":
        # A command in the background is a task, too.
        return frame.get("subtype") == "task_started" and frame.get("task_type") != "local_bash"
    if frame.get("type") != "assistant" or isinstance(frame["message"]["content"], str):
        return False
    return any(
        block["type"] == "tool_use" and block["name"] in ("Task", "Agent")
        for block in frame["message"]["content"]
    )
