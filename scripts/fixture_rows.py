# SPDX-License-Identifier: Apache-2.0
"""Events as lines that a reviewer can read, each with a digest that pins all the rest of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from agentframes.events.model import (
    Call,
    ConversationEvent,
    ImageArtifact,
    Message,
    NeedsInput,
    ParserWarning,
    PlanUpdate,
    RunMarker,
    Status,
    TokenMetric,
    ToolBurst,
    UnknownFrame,
)

DIGITS = 8
WIDTH = 90  # characters of a text
_SIGNS = {"pending": " ", "in_progress": ">", "completed": "x", "cancelled": "-"}


def rows(events: Iterable[ConversationEvent]) -> str:
    """Write events, a line each."""
    return "".join(f"{row(event)}\n" for event in events)


def row(event: ConversationEvent) -> str:
    """Write an event: its lines, its kind, what it says, and a digest of its wire form."""
    lines = event.raw_range
    where = "-" if lines is None else f"{lines.start}-{lines.end}"
    marks = [mark for mark in (event.severity, event.parent_call_id and "nested") if mark]
    if event.collapsed_by_default:
        marks.append("collapsed")
    digest = hashlib.sha256(event.to_json()).hexdigest()[:DIGITS]
    parts = (where, event.kind, f"[{' '.join(marks)}]" if marks else "", says(event), f"#{digest}")
    return " ".join(part for part in parts if part)


def says(event: ConversationEvent) -> str:
    """Say what an event is about."""
    if isinstance(event, Message):
        payloads = "+".join(payload.type for payload in event.content)
        taken = " withdrawn" if event.withdrawn else ""
        return f"{event.actor}/{event.origin}{taken} {short(event.body)} ({payloads})"
    if isinstance(event, ToolBurst):
        calls = " | ".join(call(one) for one in event.calls)
        return f"{event.count} calls, {event.failures} failed: {calls}"
    if isinstance(event, PlanUpdate):
        return " ".join(f"{one.id}[{_SIGNS[one.status]}] {one.title};" for one in event.items)
    if isinstance(event, TokenMetric):
        return _account(event)
    if isinstance(event, Status):
        words = f": {short(event.explanation)}" if event.explanation else ""
        return f"{event.category}: {event.label}{words}"
    if isinstance(event, UnknownFrame | ParserWarning):
        return event.message
    if isinstance(event, NeedsInput):
        return short(event.question)
    if isinstance(event, ImageArtifact):
        return f"{event.caption} {event.media_type} {event.bytes} {event.pointer}"
    if isinstance(event, RunMarker):
        return f"{event.status}: {event.label}"
    return event.state


def call(told: Call) -> str:
    """Say what became of a call."""
    code = "" if told.exit_code is None else f" {told.exit_code}"
    size = "" if told.output_bytes is None else f" {told.output_bytes}B"
    images = f" {len(told.images)} images" if told.images else ""
    agent = " agent" if told.agent else ""
    return f"{told.name} ({told.family}) {told.status}{code}{size}{images}{agent}"


def _account(event: TokenMetric) -> str:
    told = {
        "in": event.input_tokens, "read": event.cache_read_tokens,
        "write": event.cache_write_tokens, "out": event.output_tokens,
        "reasoning": event.reasoning_tokens, "$": event.cost, "requests": event.premium_requests,
    }  # fmt: skip
    figures = " ".join(f"{name} {value}" for name, value in told.items() if value is not None)
    return f"{event.account} of {event.scope}: {figures}"


def short(text: str) -> str:
    """Write the begin of a text on one line."""
    return repr(text if len(text) <= WIDTH else f"{text[:WIDTH]}…")
