# SPDX-License-Identifier: Apache-2.0
"""Tool bursts: one line for all calls, one for each, and more of those that did not go well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from agentframes.events.model import AgentTotals, Call, ToolBurst
from agentframes.terminal.inputs import input_lines
from agentframes.terminal.paper import Hung, Look, OneLine, Signs, hung, stacked
from agentframes.terminal.plain import amount, clean, dollars, duration, lines, one_line, size

TAIL = 5  # lines of output, of a call that did not go well
MAX_LINES = 60  # of an input or an output under --verbose

_STYLES = {
    "ok": "green", "failed": "bold red", "denied": "bold yellow", "unfinished": "yellow",
    "running": "dim",
}  # fmt: skip
_WORDS = {"failed": "red", "denied": "yellow", "unfinished": "yellow", "running": "dim"}


def burst(event: ToolBurst, signs: Signs, look: Look) -> RenderableType:
    """Paint a burst."""
    calls = [_call(call, signs, look) for call in event.calls]
    return Group(hung(_header(event), signs.burst, "cyan"), *calls)


def _header(event: ToolBurst) -> Text:
    families = sorted(event.families.items(), key=lambda item: -item[1])
    if len(families) == 1:
        words = one_line(families[0][0])
    else:
        words = ", ".join(f"{count} {one_line(family)}" for family, count in families)
    header = Text.styled(f"{amount(event.count, 'calls')}: {words}", "cyan")
    statuses = Counter(call.status for call in event.calls)
    for status, style in _WORDS.items():
        if statuses[status]:  # type: ignore[index]
            header.append(" · ", "dim").append(f"{statuses[status]} {status}", style)  # type: ignore[index]
    if event.duration_ms is not None:
        header.append(f" · {duration(event.duration_ms)}", "dim")
    return header


def _call(call: Call, signs: Signs, look: Look) -> RenderableType:
    sign = signs.unfinished if call.status == "running" else str(getattr(signs, call.status))
    name = f"{call.server}/{call.tool or call.name}" if call.server else call.name
    head = Text.styled(one_line(name), "bold")
    about = one_line(call.subject or "")
    line = OneLine(head.append("  " if about else ""), Text(about), _meta(call, look))
    details = list(_whole(call)) if look.verbose else _what_went_wrong(call, signs)
    return hung(stacked(line, *details), sign, _STYLES[call.status], indent=2)


def _meta(call: Call, look: Look) -> Text:
    """Tell how a call ended and what it took, and where it stands if asked to."""
    meta = Text()
    for words, style in (*_end(call), *_figures(call, look)):
        meta.append(" · ", "dim").append(words, style)
    return meta


def _end(call: Call) -> Iterator[tuple[str, str]]:
    if call.exit_code is not None:
        yield f"exit {call.exit_code}", "dim" if call.exit_code == 0 else "red"
    if call.status in {"denied", "unfinished", "running"}:
        yield call.status, _WORDS[call.status]
    if call.output_truncated:
        yield "output cut", "yellow"


def _figures(call: Call, look: Look) -> Iterator[tuple[str, str]]:
    told: list[str] = []
    if call.agent is not None:
        told += _totals(call.agent, call.name)
    elif call.duration_ms is not None:
        told.append(duration(call.duration_ms))
    if call.cost_usd is not None:
        told.append(dollars(call.cost_usd))
    if call.images:
        told.append(amount(len(call.images), "images"))
    if look.verbose and call.output_bytes is not None:
        told.append(size(call.output_bytes))
    if look.trace:
        told.append(lines(call.raw_ranges))
    yield from ((words, "dim") for words in told)


def _totals(agent: AgentTotals, tool: str) -> Iterator[str]:
    """Tell who a sub-agent is and what it took, by the engine's own count."""
    if agent.name and agent.name != tool:
        yield one_line(agent.name)
    if agent.status not in {None, "ok", "success", "completed"}:
        yield one_line(agent.status or "")
    if agent.background:
        yield "in the background"
    if agent.total_tokens is not None:
        yield amount(agent.total_tokens, "tokens")
    elif agent.context_tokens is not None:
        yield amount(agent.context_tokens, "context tokens")
    if agent.tool_calls is not None:
        yield amount(agent.tool_calls, "tool calls")
    if agent.duration_ms is not None:
        yield duration(agent.duration_ms)


# --- details -------------------------------------------------------------------------------------


def _what_went_wrong(call: Call, signs: Signs) -> list[RenderableType]:
    """Show the error of a call, or the last lines of its output, unless it went well."""
    told = call.error or call.output_preview
    if call.status in {"ok", "running"} or told is None or not told.strip():
        return []
    shown = clean(told).strip("\n").split("\n")
    left_out = len(shown) - TAIL
    style = "red" if call.status == "failed" else "yellow"
    if left_out <= 1:  # the line that says so is one itself
        return [_quoted(shown, signs, style)]
    note = Text.styled(
        f"{signs.unfinished} {amount(left_out, 'lines')} more; --verbose shows them", "dim"
    )
    if call.error:  # it begins with what matters, an output ends with it
        return [_quoted(shown[:TAIL], signs, style), note]
    return [note, _quoted(shown[-TAIL:], signs, style)]


def _quoted(shown: list[str], signs: Signs, style: str) -> RenderableType:
    bar = Text.styled(f"{signs.quoted} ", style)
    return Hung(Text("\n".join(shown)), bar)


def _whole(call: Call) -> Iterator[RenderableType]:
    """Show what a call was given, what came of it, and what it touched."""
    given = list(input_lines(call.input))
    if given:
        yield _labelled("in", _bounded(given))
    if call.error:
        yield _labelled("err", _bounded(clean(call.error).split("\n")), "red")
    output = call.output_preview
    if output and output.strip() and output != call.error:
        yield _labelled("out", _bounded(clean(output).strip("\n").split("\n")))
    for file in call.files:
        yield _labelled("file", Text(f"{file.change} {one_line(file.path)}"))
    if call.agent is not None and call.agent.summary:
        yield _labelled("says", Text(clean(call.agent.summary).strip()))


def _labelled(label: str, body: Text, style: str = "dim") -> RenderableType:
    return Hung(body, Text.styled(f"{label:<5}", style), Text(" " * 5))


def _bounded(shown: list[str]) -> Text:
    left_out = len(shown) - MAX_LINES
    if left_out <= 1:
        return Text("\n".join(shown))
    text = Text("\n".join(shown[:MAX_LINES]))
    return text.append(f"\n({amount(left_out, 'lines')} more in the file)", "dim")
