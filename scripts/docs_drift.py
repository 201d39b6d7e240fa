# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/drift.md, made from the learned fields and the corpus.

cog calls these functions where the page says so: ``make docs`` writes, ``make lint`` compares.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from agentframes import engines, manifests
from agentframes.manifests import Field, Manifest, parent
from scripts.docs import CORPUS, contract, table

Change = tuple[str, str, str]
"""What happened, to which field, and of which types."""

_A_VERSION = re.compile(r"\b\d+\.\d+(\.\d+)?\b")
_ORDER = ("appeared", "vanished", "type changed")


def sections() -> str:
    """Tell, engine by engine, how the captured versions differ."""
    return "\n".join(
        _section(engine.name, manifest)
        for engine in engines.built_in()
        for manifest in [manifests.of(engine)]
        if manifest is not None
    )


def _section(name: str, manifest: Manifest) -> str:
    parts = [f"### {contract(name).title}\n"]
    for older, newer in pairwise(manifest.versions()):
        parts += [f"#### {older} to {newer}\n", _step(manifest, older, newer)]
    parts += ["#### Ends that differ\n", _ends(name, manifest.versions())]
    parts += ["#### Behaviour\n", _behaviour(name)]
    return "\n".join(parts)


# --- kinds and fields ----------------------------------------------------------------------------


def _step(manifest: Manifest, older: str, newer: str) -> str:
    kinds = manifest.fields
    before = {name for name, kind in kinds.items() if older in kind.versions}
    after = {name for name, kind in kinds.items() if newer in kind.versions}
    lines = [
        f"- Kinds that {what}: {_names(some)}.\n"
        for what, some in (("appeared", after - before), ("vanished", before - after))
        if some
    ]
    changes: dict[Change, list[str]] = {}
    for name in sorted(before & after):
        for change in _changes(kinds[name].fields, older, newer):
            changes.setdefault(change, []).append(name)
    if changes:
        rows = [
            [what, f"`{field}`", types, _names(changes[what, field, types])]
            for what, field, types in sorted(changes, key=_place)
        ]
        lines.append(("\n" if lines else "") + table(["change", "field", "types", "in"], rows))
    return "".join(lines) or "No kind and no field differs.\n"


def _place(change: Change) -> tuple[int, str, str]:
    return _ORDER.index(change[0]), change[1], change[2]


def _changes(fields: dict[str, Field], older: str, newer: str) -> Iterator[Change]:
    """List a kind's changes; what stands below a field that came or went is not told again."""
    for path, field in sorted(fields.items()):
        was, now = (_types(field, version) for version in (older, newer))
        if was == now or _came_or_went(fields.get(parent(path)), older, newer):
            continue
        if path.endswith(("[]", ".*")) and not (was and now):
            continue  # an array or map that was empty: no change of the program
        what = "type changed" if was and now else "appeared" if now else "vanished"
        types = " → ".join(" or ".join(some) for some in (was, now) if some)
        yield what, path, types


def _types(field: Field, version: str) -> list[str]:
    """List the types in one version; a whole number is a number."""
    types = field.types_in(frozenset((version,)))
    return [name for name in types if name != "integer" or "number" not in types]


def _came_or_went(holder: Field | None, older: str, newer: str) -> bool:
    return holder is not None and (older in holder.shown) != (newer in holder.shown)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


# --- behaviour -----------------------------------------------------------------------------------


def _ends(name: str, versions: list[str]) -> str:
    """Tell the scenarios that end otherwise in some version: exit status and outcome."""
    rows = []
    for scenario in sorted({path.name for path in (CORPUS / name).glob("*/*")}):
        ends = [_end(name, version, scenario) for version in versions]
        if len({end for end in ends if end}) > 1:
            rows.append([f"`{scenario}`", *(end or "-" for end in ends)])
    if not rows:
        return "None.\n"
    return table(["scenario", *versions], rows)


def _end(name: str, version: str, scenario: str) -> str | None:
    folder = CORPUS / name / version / scenario
    if not folder.is_dir():
        return None
    told: dict[str, Any] = tomllib.loads((folder / "capture.toml").read_text("utf-8"))
    outcome = json.loads((folder / "expected.json").read_text("utf-8"))["outcome"]
    code, signal = told.get("exit_code"), told.get("signal")
    left = f"exit {code}" if code is not None else f"killed by {signal}" if signal else "no exit"
    return f"{left}: {outcome['status']} ({outcome['reason']})"


def _behaviour(name: str) -> str:
    """Repeat what the engine's package says of single versions."""
    caveats = [caveat for caveat in contract(name).caveats if _A_VERSION.search(caveat)]
    return "".join(f"- {caveat}\n" for caveat in caveats)
