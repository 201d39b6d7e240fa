# SPDX-License-Identifier: Apache-2.0
"""Tables of the README and the pages under docs/, made from the engines and the corpus.

cog calls these functions where the pages say so: ``make docs`` writes, ``make lint`` compares.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import agentframes as af
from agentframes import engines
from agentframes.engines.contract import NativeContract

CORPUS = Path(__file__).parent.parent / "corpus"
FOUR_STEPS = "s16-multistep"


def contract(name: str) -> NativeContract:
    """Return what an engine's package says of its native output."""
    module = importlib.import_module(f"agentframes.engines.{name}.contract")
    found: NativeContract = module.CONTRACT
    return found


def versions(name: str) -> list[str]:
    """List the captured versions of an engine, oldest first."""
    folders = (path.name for path in (CORPUS / name).iterdir() if path.is_dir())
    return sorted(folders, key=lambda version: [int(part) for part in version.split(".")])


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Print a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    text = "null" if value is None else f"{value:.7g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|")


def engine_table() -> str:
    """Tell each engine's invocation, forms and captured versions."""
    rows = [
        [f"`{name}`", told.title, told.invocation, told.forms, ", ".join(versions(name))]
        for name in engines.names()
        for told in [contract(name)]
    ]
    return table(["engine", "CLI", "invocation", "what is read", "captured versions"], rows)


QUANTITIES = (
    "invocation", "resumed", "success", "session_id", "tokens", "cost_usd", "wall_seconds",
    "final_text", "usage",
)  # fmt: skip


def native_sections() -> str:
    """Tell, engine by engine, where each fact comes from and what trips readers up."""
    parts = []
    for name in engines.names():
        told = contract(name)
        rows = [[field.replace("_", " "), getattr(told, field)] for field in QUANTITIES]
        caveats = "\n".join(f"- {caveat}" for caveat in told.caveats)
        parts.append(
            f"### {told.title}\n\n{table(['fact', 'where it comes from'], rows)}\n{caveats}\n"
        )
    return "\n".join(parts)


def four_steps() -> str:
    """Tell both accounts of the same four model steps, in the newest version of each engine."""
    rows = []
    for name in engines.names():
        version = versions(name)[-1]
        run = af.read(CORPUS / name / version / FOUR_STEPS)
        native, usage = run.resources, run.usage
        rows.append([
            f"`{name}` {version}", native.tokens, native.cost_usd, native.wall_seconds,
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens,
            usage.output_tokens, usage.reasoning_tokens, usage.total_tokens, usage.cost_usd,
            usage.scope, ", ".join(f"`{path}`" for path in usage.basis),
        ])  # fmt: skip
    header = (
        "engine", "native tokens", "native USD", "native s", "input", "cache read", "cache write",
        "output", "of it reasoning", "total", "USD", "scope", "basis",
    )  # fmt: skip
    return table(header, rows)
