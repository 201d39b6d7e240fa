# SPDX-License-Identifier: Apache-2.0
"""One account of tokens and money, whatever the engine reports.

Steps are added; of running totals the last counts, and one that falls begins a new segment, whose
end is added; a final account stands alone. Where each running total has its step beside it, the
steps are exact. Where nothing of all this was told (a killed run), the model calls are added, each
once, however many frames repeated it.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from agentframes.facts.flat import Flat
from agentframes.facts.model import Caveat, RunUsage, TokenCounts, bounded
from agentframes.signals import Buckets, Counts, ModelUsage, Usage

REMEMBERED = 256  # model calls at least that may be told again
NOTHING = Buckets()


class UsageFold:
    """Folds `Usage` and `ModelCall` signals of one run."""

    def __init__(self) -> None:
        self._final: Usage | None = None
        self._steps: Usage | None = None
        self._increments: Usage | None = None
        self._closed: Usage | None = None
        self._running: Usage | None = None
        self._totals = self._increment_count = 0
        self._basis: dict[str, list[str]] = {}
        self._last: Usage | None = None
        self._caveats: list[Any] = []
        self.calls = _Calls()

    def usage(self, signal: Usage) -> None:
        """Take one account."""
        if not signal.of_total:
            self._last = signal
        self._caveats += [caveat for caveat in signal.caveats if caveat not in self._caveats]
        if signal.account == "final":
            self._final = signal
            self._note("final", signal, anew=True)
        elif signal.account == "running":
            self._totals += 1
            if self._running is not None and _falls(self._running, signal):
                self._closed = added(self._closed, self._running)
            self._running = signal
            self._note("running", signal)
        elif signal.of_total:
            self._increment_count += 1
            self._increments = added(self._increments, signal)
            self._note("increments", signal)
        else:
            self._steps = added(self._steps, signal)
            self._note("steps", signal)

    def _note(self, account: str, signal: Usage, *, anew: bool = False) -> None:
        paths = self._basis.setdefault(account, [])
        if anew:
            paths.clear()
        if signal.native_path not in paths:
            paths.append(signal.native_path)

    def result(self) -> tuple[RunUsage, list[Caveat]]:
        """Return the account, and what must be known to use it."""
        account, chosen = self._chosen()
        if chosen is None:
            return self.calls.result()
        caveats: list[Caveat] = []
        told = self._last or chosen
        if told.cache_in_input:
            caveats.append("cache_in_input")
        if told.cost_may_span_session:
            caveats.append("cost_may_span_session")
        if told.cost_is_list_price:
            caveats.append("cost_is_list_price")
        caveats += [caveat for caveat in self._caveats if caveat not in caveats]
        counts = counted(chosen.buckets, chosen.cost_usd)
        usage = RunUsage(
            **msgspec.structs.asdict(counts),
            total_tokens=total(chosen.buckets),
            premium_requests=chosen.premium_requests,
            models=_models(chosen.models),
            scope=chosen.scope,
            subagents=chosen.subagents,
            basis=self._basis[account],
        )
        return usage, caveats

    def _chosen(self) -> tuple[str, Usage | None]:
        if self._final is not None:
            return "final", self._final
        if self._running is not None:
            if self._increment_count == self._totals:
                return "increments", self._increments
            return "running", added(self._closed, self._running)
        return "steps", self._steps


class _Calls(Flat):
    """Usage by model call, for runs that end without an account: the sum of what is known.

    A call that is told again is counted anew, as long as it is among the recent ones.
    """

    def __init__(self) -> None:
        self._sums = [0] * len(_NAMES)
        self._unknown = [0] * len(_NAMES)  # calls that do not tell a bucket
        self._recent: dict[str, Counts] = {}
        self._before: dict[str, Counts] = {}
        self._paths: list[str] = []

    def take(self, calls: Mapping[str, Counts | None], path: str | None) -> None:
        """Take what frames tell of calls; what a later one tells of a call replaces it."""
        told = {name: counts for name, counts in calls.items() if counts is not None}
        if not told:
            return
        if path and path not in self._paths:
            self._paths.append(path)
        room = REMEMBERED - len(self._recent)
        while len(told) > room:  # the same calls are remembered as if they had come one by one
            some = dict(itertools.islice(told.items(), room))
            told = dict(itertools.islice(told.items(), room, None))
            self._take(some)
            room = REMEMBERED - len(self._recent)
        self._take(told)

    def _take(self, told: dict[str, Counts]) -> None:
        recent, before = self._recent, self._before
        if not (recent.keys().isdisjoint(told) and before.keys().isdisjoint(told)):
            for name, counts in told.items():
                known = recent.pop(name, None) or before.pop(name, None)
                if known is not None:
                    self._count([known], -1)
                    told[name] = _merged(known, counts)
        self._count(told.values(), 1)
        recent.update(told)
        if len(recent) >= REMEMBERED:
            self._before, self._recent = recent, {}

    def _count(self, told: Iterable[Counts], sign: int) -> None:
        for index, column in enumerate(zip(*told, strict=True)):
            known = [count for count in column if count is not None] if None in column else column
            self._sums[index] += sign * sum(known)
            self._unknown[index] += sign * (len(column) - len(known))

    def result(self) -> tuple[RunUsage, list[Caveat]]:
        """Return the sum; an output count that is not final is unknown."""
        if not (self._recent or self._before):
            return RunUsage(), []
        pairs = zip(self._sums, self._unknown, strict=True)
        buckets = Buckets(*(None if unknown else count for count, unknown in pairs))
        usage = RunUsage(
            **msgspec.structs.asdict(counted(buckets, None)),
            total_tokens=total(buckets),
            scope="run",
            subagents="excluded",
            basis=self._paths,
        )
        return usage, ["output_not_final"] if buckets.output is None else []


def total(buckets: Buckets) -> int | None:
    """Add the disjoint buckets; a cache that was not told counts nothing."""
    if buckets.input is None or buckets.output is None:
        return None
    cached = (buckets.cache_read or 0) + (buckets.cache_write or 0)
    return bounded(buckets.input + cached + buckets.output)


def counted(buckets: Buckets, cost_usd: float | None) -> TokenCounts:
    """Name buckets as the wire does."""
    return TokenCounts(
        input_tokens=bounded(buckets.input),
        cache_read_tokens=bounded(buckets.cache_read),
        cache_write_tokens=bounded(buckets.cache_write),
        output_tokens=bounded(buckets.output),
        reasoning_tokens=bounded(buckets.reasoning),
        cost_usd=cost_usd,
    )


def _models(models: dict[str, ModelUsage] | None) -> dict[str, TokenCounts] | None:
    if models is None:
        return None
    return {name: counted(model.buckets, model.cost_usd) for name, model in models.items()}


_NAMES = ("input", "cache_read", "cache_write", "output", "reasoning")
_COUNTS = operator.attrgetter(*_NAMES)


def counts_of(buckets: Buckets | None) -> Counts | None:
    """Return buckets as their bare counts."""
    counts: Counts | None = None if buckets is None else _COUNTS(buckets)
    return counts


def _falls(before: Usage, now: Usage) -> bool:
    pairs = [(getattr(before.buckets, name), getattr(now.buckets, name)) for name in _NAMES]
    pairs.append((before.cost_usd, now.cost_usd))
    return any(old is not None and new is not None and new < old for old, new in pairs)


def _merged(known: Counts, told: Counts) -> Counts:
    input_, read, write, output, reasoning = (
        old if new is None else new for old, new in zip(known, told, strict=True)
    )
    return input_, read, write, output, reasoning


def _plus(one: Buckets, other: Buckets) -> Buckets:
    return Buckets(*map(_sum, _COUNTS(one), _COUNTS(other)))


def _sum(one: int | None, other: int | None) -> int | None:
    """A sum with an unknown part is unknown."""
    return None if one is None or other is None else one + other


def _money(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def added(one: Usage | None, other: Usage) -> Usage:
    """Add two accounts, model by model."""
    if one is None:
        return other
    models = dict(one.models or {})
    for name, model in (other.models or {}).items():
        known = models.get(name)
        if known is not None:
            model = ModelUsage(  # noqa: PLW2901 - the sum takes its place
                buckets=_plus(known.buckets, model.buckets),
                cost_usd=_money(known.cost_usd, model.cost_usd),
            )
        models[name] = model
    return msgspec.structs.replace(
        other,
        buckets=_plus(one.buckets, other.buckets),
        cost_usd=_money(one.cost_usd, other.cost_usd),
        premium_requests=_money(one.premium_requests, other.premium_requests),
        models=models or None,
    )
