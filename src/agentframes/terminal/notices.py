# SPDX-License-Identifier: Apache-2.0
"""Everything beside messages and calls: statuses, plans, questions, images, tokens, drift."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from agentframes.events.model import (
    ConversationEvent,
    ImageArtifact,
    NeedsInput,
    ParserWarning,
    PlanUpdate,
    Status,
    TokenMetric,
    UnknownFrame,
    Wait,
)
from agentframes.terminal.paper import Look, Signs, hung, stacked
from agentframes.terminal.plain import amount, clean, dollars, duration, lines, one_line, size

DRIFT = "Protocol drift"

NOISE = "noise"
"""The category of lines beside the frames."""

_PLAN_STYLES = {
    "completed": "green", "in_progress": "bold yellow", "pending": "none", "cancelled": "dim",
}  # fmt: skip


def notice(event: ConversationEvent, signs: Signs, look: Look) -> RenderableType:
    """Paint an event that is neither a message nor a burst."""
    match event:
        case Status():
            return status(event, signs, look)
        case PlanUpdate():
            return plan(event, signs)
        case TokenMetric():
            return tokens(event, signs)
        case UnknownFrame():
            return unknown_frame(event, signs)
        case ParserWarning():
            return parser_warning(event, signs)
        case NeedsInput():
            return needs_input(event, signs)
        case ImageArtifact():
            return image(event, signs)
        case Wait():
            return wait(event, signs)
        case _:
            return Text(one_line(event.kind), "dim")


def status(event: Status, signs: Signs, look: Look) -> RenderableType:
    """Paint a status row: a line, unless it says that something is wrong."""
    severity = event.severity or "info"
    sign = signs.status if severity == "info" else signs.warn if severity == "warn" else signs.error
    style = {"info": "dim", "warn": "yellow", "error": "bold red"}[severity]
    text = Text.styled(one_line(event.label), style)
    if event.explanation:
        words = clean(event.explanation).strip() if look.verbose else one_line(event.explanation)
        text.append(f": {words}", "dim" if severity == "info" else style.removeprefix("bold "))
    if severity == "info" and not look.verbose:
        text.no_wrap, text.overflow = True, "ellipsis"
    step = None
    if event.next_step:
        step = Text(f"{signs.next_step} {one_line(event.next_step)}", "italic")
    return hung(stacked(text, step), sign, style)


def noise(events: list[Status], signs: Signs, look: Look) -> RenderableType:
    """Paint lines beside the frames, several of them as their number."""
    if len(events) == 1:
        return status(events[0], signs, look)
    return hung(
        Text(f"{amount(len(events), 'lines')} of text beside the frames", "dim"),
        signs.status,
        "dim",
    )


def plan(event: PlanUpdate, signs: Signs) -> RenderableType:
    """Paint a plan as a check list."""
    done = sum(item.status == "completed" for item in event.items)
    header = Text.styled("Plan", "bold").append(f" · {done} of {len(event.items)} done", "dim")
    rows = []
    for item in event.items:
        style = _PLAN_STYLES[item.status]
        title = Text.styled(
            one_line(item.title), "dim strike" if item.status == "cancelled" else "none"
        )
        if item.status == "in_progress":
            title.stylize("bold")
        rows.append(hung(title, str(getattr(signs, item.status)), style, indent=2))
    return Group(hung(header, signs.plan, "cyan"), *rows)


def unknown_frame(event: UnknownFrame, signs: Signs) -> RenderableType:
    """Paint what the protocol has that no captured version had: it is not to be missed."""
    style = "bold red" if event.severity == "error" else "bold yellow"
    at = event.raw_range
    text = Text(style=style).append(f"{DRIFT}:", "reverse")
    text.append(f" unknown frame, kind {one_line(event.frame_kind)}, {one_line(event.cli)}")
    text.append(f" {one_line(event.cli_version)}")
    text.append(f", line {at.start}" if at else "")
    return hung(text, signs.drift, style)


def parser_warning(event: ParserWarning, signs: Signs) -> RenderableType:
    """Paint that a line could not be read as it stands."""
    text = Text.styled("Parser warning", "bold yellow")
    where = f", line {event.raw_range.start}" if event.raw_range else ""
    text.append(f"{where}: {one_line(event.message)}", "yellow")
    text.append(f" (expected: {one_line(event.expected_kind)})", "dim")
    return hung(text, signs.warn, "yellow")


def needs_input(event: NeedsInput, signs: Signs) -> RenderableType:
    """Paint a question that waits for an answer."""
    title = Text.styled("The agent asks", "bold reverse yellow")
    if event.tool_name:
        title.append(f" {one_line(event.tool_name)}", "not reverse dim")
    return hung(stacked(title, Text(clean(event.question), "bold")), signs.asks, "bold yellow")


def wait(event: Wait, signs: Signs) -> RenderableType:
    """Paint that a live run says nothing, or speaks again."""
    after = duration(event.quiet_seconds * 1000)
    words = {
        "quiet": f"Nothing was printed for {after}",
        "resumed": f"Speaks again after {after}",
        "killed": f"Ended after {after} without a word",
    }[event.state]
    text = Text(words + (f": {one_line(event.reason)}" if event.reason else ""), "yellow")
    return hung(text, signs.status if event.state == "resumed" else signs.warn, "yellow")


def image(event: ImageArtifact, signs: Signs) -> RenderableType:
    """Name an image in a line; its data stays in the file."""
    text = Text(one_line(event.caption))
    parts = [
        event.media_type if event.media_type != event.caption else None,
        None if event.bytes is None else size(event.bytes),
        event.source_path if event.source_path != event.caption else None,
        lines((event.raw_range,)),
    ]
    for part in parts:
        text.append(f" · {one_line(part)}" if part else "", "dim")
    return hung(text, signs.image, "magenta")


def tokens(event: TokenMetric, signs: Signs) -> RenderableType:
    """Paint an account of tokens in a line."""
    buckets = (
        (event.input_tokens, "input"),
        (event.cache_read_tokens, "cache read"),
        (event.cache_write_tokens, "cache write"),
        (event.output_tokens, "output"),
    )
    words = [f"{count:,} {what}" for count, what in buckets if count is not None]
    if event.reasoning_tokens:
        words.append(f"{event.reasoning_tokens:,} of them reasoning")
    if event.cost is not None:
        words.append(dollars(event.cost))
    if event.premium_requests is not None:
        words.append(amount(event.premium_requests, "premium requests"))
    scope = f" ({event.account}, {event.scope})"
    return hung(
        Text(f"Tokens: {', '.join(words) or 'none told'}{scope}", "dim"), signs.tokens, "dim"
    )
