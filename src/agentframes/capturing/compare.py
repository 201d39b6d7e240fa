# SPDX-License-Identifier: Apache-2.0
"""Two captures of one scenario held against each other, ids, times and counts of chunks aside.

What a run made again must have in common with the first: the facts, the messages in their order,
the calls by what they did, and the kinds of frame as a set.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from agentframes.facts.model import RunFacts
from agentframes.reading import observe, read

_VARYING = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
    (r"\b(?:ses|prt|msg|call|toolu|req|chatcmpl|resp)_[A-Za-z0-9_]+", "<id>"),
    (r"(?<![\w.])[0-9a-f]{16,64}\b", "<hex>"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?", "<time>"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:<port>"),
    (r"\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?)\b", "<duration>"),
    (r"(?<=duration_ms: )\d+", "<number>"),
    (r"\b(?:[Pp]id|PID)[: ]+\d+", "<pid>"),
    (r"\b(?:gemini|toolu|bash|shell|cmd)-\d{6,}[\w-]*", "<name>"),
)
_PATTERNS = [(re.compile(pattern), told) for pattern, told in _VARYING]
DIGITS = 9  # behind the point
SHOWN = 300  # characters of a value or a message

# What differs from run to run, or counts frames that come as often as it takes.
_FACTS_ASIDE = ("source", "session_id", "cli_version")


def differences(new: str, old: str) -> Iterator[str]:
    """Yield in a line each what two capture folders do not have in common; nothing: the same."""
    yield from _listed("facts", _facts(read(new)), _facts(read(old)))
    one, other = read(new, events=True).events, read(old, events=True).events
    yield from _ordered("message", list(_messages(one)), list(_messages(other)))
    yield from _counted("call", _calls(one), _calls(other))
    yield from _counted("kind", _kinds(new), _kinds(old))


def kinds(runs: Sequence[RunFacts]) -> list[str]:
    """List the kinds of frame in observed runs, those that no manifest names among them."""
    known = {kind for run in runs for kind in getattr(run, "seen", {})}
    unknown = {one.kind for run in runs for one in run.drift if one.what == "unknown_kind"}
    return sorted(known | unknown)


def _facts(run: RunFacts) -> dict[str, Any]:
    told: dict[str, Any] = _rounded(msgspec.to_builtins(run))
    for name in _FACTS_ASIDE:
        told.pop(name, None)
    told["resources"].pop("wall_seconds")
    outcome, frames = told["outcome"], told.pop("frames")
    outcome.pop("line")
    told["frames"] = {name: frames[name] for name in ("unknown", "malformed", "text_lines")}
    told["drift"] = sorted({f"{one['what']} {one['kind']} {one['field']}" for one in told["drift"]})
    return {name: _plain(value) for name, value in told.items()}


def _rounded(value: Any) -> Any:
    """Round money: sums of the same parts in another order differ in their last digit."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def _plain(value: Any) -> str:
    """Write a value down without what differs from run to run."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    for pattern, told in _PATTERNS:
        text = pattern.sub(told, text)
    return text


def _messages(events: Iterable[Any]) -> Iterator[str]:
    for event in events:
        if event.kind.startswith("message."):
            yield f"{event.kind} {_plain(event.body)}"


def _calls(events: Iterable[Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for event in events:
        if event.kind == "toolBurst":
            for call in event.calls:
                done = f"{call.name} {call.family} {call.status} exit {call.exit_code}"
                found[f"{done} {_plain(call.input)}"] += 1
    return found


def _kinds(folder: str) -> Counter[str]:
    return Counter(kinds(observe(folder)))


def _listed(what: str, new: dict[str, Any], old: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*new, *old}):
        if new.get(name) != old.get(name):
            yield f"{what}: {name} is {_short(new.get(name))}, was {_short(old.get(name))}"


def _ordered(what: str, new: list[str], old: list[str]) -> Iterator[str]:
    if new != old:
        yield from _counted(what, Counter(new), Counter(old))
        if Counter(new) == Counter(old):
            yield f"{what}s come in another order"


def _counted(what: str, new: Counter[str], old: Counter[str]) -> Iterator[str]:
    for text, count in (new - old).items():
        yield f"{what} that was not there: {_short(text)}" + (f" ({count} times)" * (count > 1))
    for text, count in (old - new).items():
        yield f"{what} that is missing: {_short(text)}" + (f" ({count} times)" * (count > 1))


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
