# SPDX-License-Identifier: Apache-2.0
"""Tables of the README and the pages under docs/, made from the engines and the corpus.

cog calls these functions where the pages say so: ``make docs`` writes, ``make lint`` compares.
Those of docs/native-output.md stand in the package, where ``agentframes matrix`` writes them, too.
"""

from __future__ import annotations

from pathlib import Path

from agentframes import engines
from agentframes.commands._matrix import captured, native
from agentframes.commands._matrix.kinds import contract
from agentframes.commands._matrix.markdown import table
from agentframes.commands._matrix.native import native_sections

__all__ = ["CORPUS", "contract", "engine_table", "four_steps", "native_sections", "table"]

CORPUS = Path(__file__).parent.parent / "corpus"


def engine_table() -> str:
    """Tell each engine's invocation, forms and captured versions."""
    rows = [
        [
            f"`{name}`",
            told.title,
            told.invocation,
            told.forms,
            ", ".join(captured.versions(CORPUS, name)),
        ]
        for name in engines.names()
        for told in [contract(name)]
    ]
    return table(["engine", "CLI", "invocation", "what is read", "captured versions"], rows)


def four_steps() -> str:
    """Tell both accounts of the same four model steps, in the newest version of each engine."""
    return native.four_steps(CORPUS)
