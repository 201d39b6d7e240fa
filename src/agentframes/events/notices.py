# SPDX-License-Identifier: Apache-2.0
"""Status rows: what signals say beside the conversation, in plain words."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from agentframes.events.model import Severity
from agentframes.events.rows import stamp
from agentframes.signals import (
    Agent,
    Begin,
    End,
    Input,
    Limit,
    Media,
    ModelCall,
    Noise,
    Notice,
    Permission,
    Reasoning,
    Retry,
    Text,
    ToolEnd,
    Truncated,
    Turn,
    Withdrawn,
)

MAX_WORDS = 2000  # characters of an explanation; the raw line has all of it


class _Told(msgspec.Struct):
    message: str | None = None


class Words(NamedTuple):
    """What a status row says."""

    category: str
    label: str
    explanation: str | None = None
    severity: Severity = "info"
    next_step: str | None = None
    collapsed: bool = False


def bounded(text: str | None) -> str | None:
    """Bound an explanation, and drop one that says nothing."""
    if text is None or not text.strip():
        return None
    return text if len(text) <= MAX_WORDS else text[:MAX_WORDS] + "…"


def _joined(*parts: str | None) -> str | None:
    return ", ".join(part for part in parts if part) or None


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3g} s"


# --- the run -------------------------------------------------------------------------------------

_BEGINS = {
    "start": "Session started",
    "reinit": "Session announced again",
    "reset": "Conversation reset",
    "resumed": "Session resumed",
}


def begin(signal: Begin) -> Words:
    """A session announces itself."""
    version = signal.cli_version and f"version {signal.cli_version}"
    mode = signal.permission_mode and f"permissions {signal.permission_mode}"
    words = _joined(signal.model, version, signal.cwd, mode)
    return Words("lifecycle", _BEGINS[signal.why], words, collapsed=True)


def turn(_: Turn) -> Words:
    """A turn of the main agent begins."""
    return Words("lifecycle", "Turn started", collapsed=True)


_ENDS: dict[str, tuple[str, Severity]] = {
    "success": ("Run completed", "info"),
    "failed": ("Run failed", "error"),
    "incomplete": ("Run did not finish", "warn"),
}
_REASONS = {
    "max_turns": "It reached the limit of turns",
    "max_tokens": "The answer reached the limit of tokens",
    "budget": "It reached its budget",
    "refusal": "The model refused",
    "content_filter": "A content filter stopped the answer",
    "api_error": "The model's API failed",
    "auth": "The API did not accept the credentials",
    "rate_limit": "A rate limit was reached",
    "permission": "A permission was refused",
    "interrupted": "It was interrupted",
    "timeout": "It took too long",
    "idle": "It said nothing for too long",
}
_NEXT_STEPS = {
    "max_turns": "Raise the limit of turns, or resume the session.",
    "auth": "Log in, or check the API key.",
    "rate_limit": "Wait until the limit is reset, then resume the session.",
    "permission": "Grant the permission, then resume the session.",
    "interrupted": "Resume the session to go on.",
}


def end(signal: End) -> Words:
    """The engine's own terminal word."""
    label, severity = _ENDS[signal.status]
    if signal.status == "success" and signal.reason != "completed":
        severity = "warn"
    took = f"It took {_seconds(signal.wall_ms)}." if signal.wall_ms else None
    why = _REASONS.get(signal.reason)
    if why is None:
        words = signal.message or took
    else:
        words = f"{why}: {signal.message}" if signal.message else f"{why}."
    return Words("lifecycle", label, words, severity, _NEXT_STEPS.get(signal.reason))


NO_END = Words(
    "lifecycle",
    "The output ends without a terminal frame",
    "Nothing tells how the run ended.",
    "warn",
    "Read the CLI's stderr and exit status.",
)


def model_call(signal: ModelCall) -> Words:
    """A call of the model failed."""
    return Words("error", "Model call failed", _message(signal.error), "warn")


def _message(error: str | None) -> str | None:
    """Take the message out of an error that is told as a JSON object."""
    if error is None or not error.startswith("{"):
        return error
    try:
        told = msgspec.json.decode(error, type=_Told).message
    except (msgspec.DecodeError, RecursionError):
        return error
    return told or error


def retry(signal: Retry) -> Words:
    """A model call is tried again."""
    of = f" of {signal.max}" if signal.max is not None else ""
    label = "Trying again" if signal.attempt is None else f"Trying again, {signal.attempt}{of}"
    said = signal.status is not None and str(signal.status) in (signal.reason or "")
    status = None if signal.status is None or said else f"status {signal.status}"
    delay = None if signal.delay_ms is None else f"in {_seconds(signal.delay_ms)}"
    return Words("retry", label, _joined(signal.reason, status, delay), "warn")


def limit(signal: Limit) -> Words:
    """A rate limit was told; that nothing is near it is told, too."""
    fine = signal.status in {None, "allowed"}
    resets = stamp(signal.resets_ms)
    words = _joined(signal.what, signal.status, resets and f"resets {resets}")
    return Words("rate_limit", "Rate limit", words, "info" if fine else "warn", collapsed=fine)


_TRUNCATED = {
    "context": "Earlier turns were summarized or dropped to make room; the agent has them no more.",
    "answer": "The answer was cut off; what is shown is not all of it.",
    "tool_output": "A tool's output was cut; what is shown is not all of it.",
}


def truncated(signal: Truncated) -> Words:
    """Something is incomplete."""
    words = _TRUNCATED[signal.what]
    if signal.before is not None:
        unit = "tokens" if signal.what == "context" else "bytes"
        words += f" Before: {signal.before} {unit}"
        words += "." if signal.after is None else f", after: {signal.after}."
    return Words("truncation", "Output truncated", words, "warn")


_WITHDRAWN = {
    "refusal": "The model refused, and its answer was taken back",
    "aborted": "A message was broken off",
    "superseded": "A message was replaced by a later one",
}


def withdrawn(signal: Withdrawn) -> Words:
    """The engine took messages back."""
    label = _WITHDRAWN.get(signal.reason, "Messages were taken back")
    return Words("withdrawn", label, None, "warn")


# --- tools and agents ----------------------------------------------------------------------------


def permission(signal: Permission) -> Words:
    """A permission was denied or granted."""
    denied = signal.phase == "denied"
    label = f"Permission {signal.phase}" + (f": {signal.tool}" if signal.tool else "")
    step = "Allow the tool or the path, and run again." if denied else None
    severity: Severity = "warn" if denied else "info"
    return Words("permission", label, signal.reason, severity, step)


def no_tool(signal: ToolEnd) -> Words:
    """The model called a tool that there is not; no call comes of it."""
    words = signal.error or (signal.output.text() if signal.output is not None else None)
    return Words("tools", "The model called a tool that is not available", words, "warn")


def attachment(signal: Media) -> Words:
    """Something that is no image came along."""
    size = None if signal.bytes is None else f"{signal.bytes} bytes"
    words = _joined(signal.media_type, size, signal.path or signal.url)
    return Words("attachment", "Attachment", words)


def agent(signal: Agent, name: str | None) -> Words:
    """A sub-agent ended after its call did."""
    who = f" {name}" if name else ""
    bad = signal.status in {"failed", "error", "errored", "killed", "stopped"}
    label = f"Sub-agent{who} {'failed' if bad else 'ended'}"
    words = _joined(signal.summary, signal.status if signal.status != "completed" else None)
    return Words("agent", label, words, "warn" if bad else "info")


# --- what was said that no human and no model said -----------------------------------------------


def synthetic_input(signal: Input) -> Words:
    """The CLI speaks in the user's place."""
    if signal.origin == "compaction":
        label = "Summary of the conversation before"
        return Words("compaction", label, signal.text.text(), collapsed=True)
    return Words("synthetic", "The CLI told the agent", signal.text.text(), collapsed=True)


def synthetic_text(signal: Text) -> Words:
    """The CLI speaks in the model's place: an error."""
    return Words("error", "The CLI answered in the model's place", signal.text.text(), "error")


def redacted(_: Reasoning) -> Words:
    """Reasoning that nobody may read."""
    return Words("thinking", "Reasoning, redacted by the API", collapsed=True)


def notice(signal: Notice) -> Words:
    """What the engine itself put into words."""
    quiet = signal.severity == "info"
    return Words(signal.category, signal.label, signal.text, signal.severity, collapsed=quiet)


def noise(signal: Noise) -> Words:
    """A line that is no frame."""
    return Words("noise", "Text beside the frames", signal.text, collapsed=True)
