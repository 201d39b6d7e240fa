# SPDX-License-Identifier: Apache-2.0
"""The facts of one run as a small table for people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentframes.facts.model import Finding, RunFacts

LABEL = 12  # characters of the first column
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # a terminal must not obey printed text


def table(facts: RunFacts) -> str:
    """Render the facts, one row a line, the final text last."""
    rows = [f"{label:<{LABEL}}{_plain(value)}" for label, value in _rows(facts)]
    text = facts.final_text
    if text is not None:
        rows.append(f"{'final text':<{LABEL}}from {facts.final_text_source}:")
        rows += [f"  {line}" for line in _plain(text).split("\n")]
    return "\n".join(rows) + "\n"


def _plain(text: str) -> str:
    return re.sub(_CONTROL, "\ufffd", text.replace("\r\n", "\n"))


def _rows(facts: RunFacts) -> Iterator[tuple[str, str]]:
    yield "source", facts.source or "-"
    if facts.runs > 1:
        yield "runs", f"{facts.runs} in this source"
    yield "engine", _engine(facts)
    yield "session", facts.session_id or "not told"
    yield "model", facts.model or "not told"
    yield "outcome", _outcome(facts)
    if facts.outcome.message and facts.outcome.message != facts.final_text:
        yield "message", " ".join(facts.outcome.message.split())
    yield "native", _native(facts)
    yield "usage", _usage(facts)
    yield "calls", _calls(facts)
    if facts.caveats:
        yield "caveats", ", ".join(facts.caveats)
    yield "frames", _frames(facts)
    for finding in facts.drift:
        yield "drift", f"{finding.level}: {drift_words(finding)}"
    if facts.structured_output is not None:
        yield "structured", "yes"


def drift_words(finding: Finding) -> str:
    """Say what differs, and where it was first seen."""
    types = [name for name in (finding.expected, finding.found) if name]
    name = f"{finding.kind} {finding.field}" if finding.field else finding.kind
    words = f"{finding.what} {name}" + (f": {' -> '.join(types)}" if types else "")
    if finding.line is not None:
        words += f" (line {finding.line}, {finding.count}x)"
    elif finding.what == "left_out":
        words += f": {finding.count}"
    if finding.seen_in:
        words += f"; so in {', '.join(finding.seen_in)}"
    return words


def _engine(facts: RunFacts) -> str:
    if facts.engine is None:
        return "not recognized"
    version = facts.cli_version or "(version not told)"
    return f"{facts.engine} {version}" + (f", {facts.transport}" if facts.transport else "")


def _outcome(facts: RunFacts) -> str:
    outcome = facts.outcome
    words = f"{outcome.status} ({outcome.reason})"
    if outcome.line is not None:
        words += f", told on line {outcome.line:,}"
    return words if outcome.exit_code is None else f"{words}, exit status {outcome.exit_code}"


def _native(facts: RunFacts) -> str:
    resources = facts.resources
    parts = [
        _amount(resources.tokens, "tokens"),
        _dollars(resources.cost_usd),
        "" if resources.wall_seconds is None else f"{resources.wall_seconds:g} s",
    ]
    return ", ".join(part for part in parts if part) or "nothing reported"


def _usage(facts: RunFacts) -> str:
    usage = facts.usage
    if not usage.basis:
        return "nothing reported"
    parts = [
        _amount(usage.input_tokens, "input"),
        _amount(usage.cache_read_tokens, "cache read"),
        _amount(usage.cache_write_tokens, "cache write"),
        _amount(usage.output_tokens, "output"),
    ]
    total = _amount(usage.total_tokens, "tokens") or "total not known"
    counts = ", ".join(part for part in parts if part)
    requests = usage.premium_requests
    words = [
        f"{total}: {counts}" if counts else total,
        _dollars(usage.cost_usd),
        "" if requests is None else f"{requests:g} premium request{'' if requests == 1 else 's'}",
    ]
    return f"{'; '.join(word for word in words if word)} (scope {usage.scope})"


def _calls(facts: RunFacts) -> str:
    parts = [
        _amount(facts.turns, "turns"),
        _amount(facts.model_calls, "model calls"),
        _amount(facts.tool_calls, "tool calls"),
        _amount(facts.permission_denials, "denied"),
    ]
    return ", ".join(part for part in parts if part) or "not told"


def _frames(facts: RunFacts) -> str:
    frames = facts.frames
    parts = [
        f"{frames.total:,}" + (f" ({frames.unknown:,} unknown)" if frames.unknown else ""),
        _amount(frames.malformed or None, "malformed lines"),
        _amount(frames.text_lines or None, "text lines"),
    ]
    return ", ".join(part for part in parts if part)


def _amount(count: int | None, what: str) -> str:
    """Say how many; `what` is the plural of words that have one."""
    if count is None:
        return ""
    return f"{count:,} {what.removesuffix('s') if count == 1 else what}"


def _dollars(amount: float | None) -> str:
    return "" if amount is None else f"${amount:.6f}" if amount else "$0"
