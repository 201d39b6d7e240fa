# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/captures.md: which version shows which scenario, and why one does not.

cog calls `sections` where the page says so: ``make docs`` writes, ``make lint`` compares.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentframes import engines
from agentframes.capturing.capture import reasons
from agentframes.capturing.chains import Task
from agentframes.capturing.isolation import Isolation
from agentframes.capturing.machine import Machine
from agentframes.capturing.scenario import Scenario, load_all
from agentframes.manifests import in_order
from scripts.docs import CORPUS, contract, table


def scenario_table() -> str:
    """Tell what each scenario shows."""
    rows = [[f"`{one.name}`", one.shows] for one in load_all().values()]
    return table(["scenario", "shows"], rows)


def sections() -> str:
    """Tell, engine by engine, what the corpus holds of each version."""
    return "\n".join(_section(engine.name) for engine in engines.built_in())


def _section(name: str) -> str:
    versions = in_order(path.name for path in (CORPUS / name).iterdir() if path.is_dir())
    scenarios = load_all()
    why: dict[str, list[str]] = {}
    rows = [
        [f"`{scenario.name}`", *(_cell(name, version, scenario, why) for version in versions)]
        for scenario in scenarios.values()
    ]
    others = _others(name, versions, scenarios)
    parts = [f"### {contract(name).title}\n", table(["scenario", *versions], rows)]
    notes = [
        f"{number}. {reason} ({', '.join(f'`{one}`' for one in of)})\n"
        for number, (reason, of) in enumerate(why.items(), 1)
    ]
    parts.append("".join(notes) or "Each scenario can be run.\n")
    if others:
        names = ", ".join(f"`{one}`" for one in others)
        parts.append(f"Recorded in another way, by hand: {names}.\n")
    return "\n".join(parts)


def _cell(name: str, version: str, scenario: Scenario, why: dict[str, list[str]]) -> str:
    """Say what there is: the plain capture, how many variants, or the number of the reason."""
    folder = CORPUS / name / version
    variants = len(list(folder.glob(f"{scenario.name}--*")))
    if (folder / scenario.name).is_dir():
        return f"yes, {variants} more" if variants else "yes"
    if variants:
        return f"{variants} of its variants"
    machine = Machine(name, "", version, Isolation((), "none", isolated=False))
    reason = next(told for _, told in reasons(machine, [Task(scenario)], load_all()))
    if reason is None:
        return "-"
    of = why.setdefault(reason, [])
    if scenario.name not in of:
        of.append(scenario.name)
    return f"no ({[*why].index(reason) + 1})"


def _others(name: str, versions: Iterable[str], scenarios: Iterable[str]) -> list[str]:
    """List captures of no scenario file: recorded by hand, or before there were any."""
    known = set(scenarios)
    found = {
        path.name
        for version in versions
        for path in (CORPUS / name / version).iterdir()
        if path.name.split("--")[0] not in known
    }
    return sorted(found)
