# SPDX-License-Identifier: Apache-2.0
"""Markdown, as the generated pages have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Print a table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    text = "null" if value is None else f"{value:.7g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|")


def code(names: Iterable[str]) -> str:
    """List names, sorted, each as code."""
    return ", ".join(f"`{name}`" for name in sorted(names))


def bullets(sentences: Iterable[str]) -> str:
    """Print a list."""
    return "".join(f"- {sentence}\n" for sentence in sentences)
