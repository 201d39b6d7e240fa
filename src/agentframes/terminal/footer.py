# SPDX-License-Identifier: Apache-2.0
"""The last lines: what the facts tell of each run."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from agentframes.facts.model import RunFacts
from agentframes.terminal.plain import amount, dollars, duration, one_line

_STYLES = {"success": "bold green", "failed": "bold red", "incomplete": "bold yellow"}


def title(facts: RunFacts, number: int) -> Text:
    """Say which run of what it is, and how it ended."""
    text = Text()
    if facts.runs > 1:
        text.append(f"run {number} of {facts.runs} · ", "dim")
    text.append(one_line(facts.engine or "no engine recognized"), "bold")
    text.append(f" {one_line(facts.cli_version or '(version not told)')}" if facts.engine else "")
    text.append(" · ", "dim").append(facts.outcome.status, _STYLES[facts.outcome.status])
    if facts.outcome.reason != "completed":
        text.append(f" ({facts.outcome.reason})")
    return text


def summary(facts: RunFacts) -> Iterator[Text]:
    """Tell the session, and what the run took."""
    session = [facts.session_id and f"session {facts.session_id}", facts.model]
    told = [one_line(part) for part in session if part]
    if told:
        yield Text(" · ".join(told), "dim")
    took = list(_took(facts))
    if took:
        yield Text(" · ".join(took), "dim")


def _took(facts: RunFacts) -> Iterator[str]:
    usage, resources = facts.usage, facts.resources
    if usage.total_tokens is not None:
        scope = "" if usage.scope in {None, "run"} else f" of the {usage.scope}"
        yield amount(usage.total_tokens, "tokens") + scope
    elif resources.tokens is not None:
        yield amount(resources.tokens, "tokens")
    cost = resources.cost_usd if usage.cost_usd is None else usage.cost_usd
    if cost is not None:
        yield dollars(cost)
    if usage.premium_requests is not None:
        yield amount(usage.premium_requests, "premium requests")
    if resources.wall_seconds is not None:
        yield duration(resources.wall_seconds * 1000)
    if facts.turns is not None:
        yield amount(facts.turns, "turns")
    if facts.tool_calls is not None:
        yield amount(facts.tool_calls, "tool calls")
