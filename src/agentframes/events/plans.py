# SPDX-License-Identifier: Apache-2.0
"""Plans: each update a full snapshot, its items with ids that stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentframes.events.model import PlanEntry, PlanUpdate
from agentframes.events.rows import Rows, times

if TYPE_CHECKING:
    from agentframes.signals import Plan


class Plans:
    """The plan of each agent, as it stands."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._plans: dict[str | None, dict[str, PlanEntry]] = {}

    def begin_run(self) -> None:
        """Forget the run before."""
        self._plans.clear()

    def forget(self, agent: str) -> None:
        """Forget a sub-agent that has ended."""
        self._plans.pop(agent, None)

    def take(self, signal: Plan, model: str | None) -> bool:
        """Take a plan or a change of it; tell whether that made it another."""
        before = self._plans.get(signal.agent, {})
        plan = dict(before) if signal.mode == "patch" else {}
        for item in signal.items:
            known = before.get(item.key)
            title = item.title if item.title is not None else known.title if known else ""
            status = item.status or (known.status if known else "pending")
            plan[item.key] = PlanEntry(id=item.key, title=title, status=status)
        if plan == before and list(plan) == list(before):
            return False
        self._plans[signal.agent] = plan
        self._rows.add(
            PlanUpdate(
                id=self._rows.name(signal.at),
                **times(signal),  # type: ignore[arg-type]
                model=model,
                raw_range=self._rows.range(signal.at),
                parent_call_id=signal.agent,
                items=list(plan.values()),
            )
        )
        return True
