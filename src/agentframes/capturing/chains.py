# SPDX-License-Identifier: Apache-2.0
"""Which captures are made in which order: a scenario that resumes comes behind its first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from agentframes.capturing.scenario import Scenario, ScenarioError
from agentframes.engines.offline import Ask, Offline, Site


class Task(Struct, frozen=True):
    """One capture to make."""

    scenario: Scenario
    variant: str = ""
    """Variants joined by "--"; empty: the plain one."""

    @property
    def name(self) -> str:
        """The capture's folder name."""
        return f"{self.scenario.name}--{self.variant}" if self.variant else self.scenario.name

    def ask(self, resume: str | None = None) -> Ask:
        """Return what the scenario wants of the CLI."""
        scenario = self.scenario
        return Ask(
            prompt=scenario.prompt,
            variant=self.variant,
            permission=scenario.permission,
            resume=resume,
            schema=scenario.schema,
            max_turns=scenario.max_turns,
            mcp=scenario.mcp,
            search=scenario.search,
            http=scenario.http,
            cut=scenario.cut,
            full=scenario.full,
            inputs=scenario.inputs,
        )


def tasks(scenarios: Iterable[Scenario], engine: Offline) -> Iterator[Task]:
    """Yield all captures of some scenarios that an engine has variants for."""
    for scenario in scenarios:
        yield Task(scenario)
        for variant in scenario.variants:
            if all(part in engine.variants for part in variant.split("--")):
                yield Task(scenario, variant)


def named(name: str, scenarios: Mapping[str, Scenario], engine: Offline | None = None) -> Task:
    """Return the capture of a name: a scenario's, or one with its variants behind it.

    Raises:
        ScenarioError: there is no such scenario, or `engine` has no such variant.
    """
    scenario, _, variant = name.partition("--")
    if scenario not in scenarios:
        raise ScenarioError(
            f"unknown scenario {scenario!r}; there are {', '.join(sorted(scenarios))}"
        )
    for part in filter(None, variant.split("--")):
        if engine is not None and part not in engine.variants:
            raise ScenarioError(
                f"{name}: no variant {part!r}; there are {', '.join(sorted(engine.variants))}"
            )
    return Task(scenarios[scenario], variant)


def why_not(task: Task, name: str, engine: Offline, site: Site) -> str | None:
    """Return why an engine's CLI cannot make a capture, or None where it can."""
    scenario = task.scenario
    if scenario.only and name not in scenario.only:
        return scenario.why_only or f"it is made for {', '.join(scenario.only)} alone"
    for part in filter(None, task.variant.split("--")):
        if part not in engine.variants:
            return f"{name} has no variant {part!r}; it has {', '.join(sorted(engine.variants))}"
    resume = "" if scenario.after else None
    return engine.cannot(task.ask(resume), scenario.calls, site)


def chains(wanted: Iterable[Task], scenarios: Mapping[str, Scenario]) -> list[list[Task]]:
    """Return what is run in one home each, in order, with the predecessors that it needs."""
    found: list[list[Task]] = []
    for task in wanted:
        chain = list(_before(task, scenarios))
        # A longer chain makes the captures of a shorter one, too.
        found = [one for one in found if one != chain[: len(one)]]
        if not any(chain == one[: len(chain)] for one in found):
            found.append(chain)
    return found


def _before(task: Task, scenarios: Mapping[str, Scenario]) -> Iterator[Task]:
    if task.scenario.after is not None:
        yield from _before(named(task.scenario.after, scenarios), scenarios)
    yield task
