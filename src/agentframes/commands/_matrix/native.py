# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/native-output.md; its prose is written by hand, around them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from agentframes import engines
from agentframes.commands._matrix import captured
from agentframes.commands._matrix.kinds import contract
from agentframes.commands._matrix.markdown import bullets, table
from agentframes.errors import SourceError
from agentframes.reading import read

FOUR_STEPS = "s16-multistep"
QUANTITIES = (
    "invocation", "resumed", "success", "session_id", "tokens", "cost_usd", "wall_seconds",
    "final_text", "usage",
)  # fmt: skip

# A part as cog marks it, so that cog and `matrix` write the same page: `make docs` runs cog over
# all pages that have such parts.
_PART = re.compile(
    r"(?P<head>cog\.out\((?P<name>\w+)\(\)\)\n\]\]\] -->\n).*?(?P<end><!-- \[\[\[end\]\]\] -->)",
    re.DOTALL,
)


def filled(page: str, corpus: Path) -> str:
    """Return the page with its tables as they should be.

    Raises:
        SourceError: it has no marked part, or one that nobody writes.
    """
    writers: dict[str, Callable[[], str]] = {
        "four_steps": functools.partial(four_steps, corpus),
        "native_sections": native_sections,
    }

    def part(found: re.Match[str]) -> str:
        writer = writers.get(found["name"])
        if writer is None:
            raise SourceError(f"native-output.md: nothing writes {found['name']}()")
        return found["head"] + writer() + found["end"]

    text, count = _PART.subn(part, page)
    if not count:
        raise SourceError("native-output.md: the marks of its tables are gone")
    return text


def native_sections() -> str:
    """Tell, engine by engine, where each fact comes from and what trips readers up."""
    parts = []
    for name in engines.names():
        told = contract(name)
        rows = [[field.replace("_", " "), getattr(told, field)] for field in QUANTITIES]
        facts = table(["fact", "where it comes from"], rows)
        parts.append(f"### {told.title}\n\n{facts}\n{bullets(told.caveats)}")
    return "\n".join(parts)


def four_steps(corpus: Path) -> str:
    """Tell both accounts of the same four model steps, in the newest version of each engine."""
    rows = []
    for name in captured.names(corpus):
        version = captured.versions(corpus, name)[-1]
        run = read(corpus / name / version / FOUR_STEPS)
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
