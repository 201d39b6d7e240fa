# SPDX-License-Identifier: Apache-2.0
"""Compiles each engine's `kinds.toml` to the `_kinds.py` that its reader imports.

``make kinds`` writes, ``make lint`` compares: reading parses no TOML, and what it imports is
never behind what was written by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ENGINES = Path(__file__).parent.parent / "src" / "agentframes" / "engines"
FAMILIES = frozenset({"lifecycle", "message", "tool-call", "structured-runtime", "truncation"})
SOURCES = frozenset({"capture", "typings", "binary", "sources", "issue"})
FIELDS = {"family": str, "since": str, "source": str, "captured": bool}
HEAD = '''\
# SPDX-License-Identifier: Apache-2.0
"""What `kinds.toml` names, for readers. Written by ``make kinds``; edit the TOML."""

from __future__ import annotations
'''


def manifests() -> list[Path]:
    """List the manifests, one for each engine."""
    return sorted(ENGINES.glob("*/kinds.toml"))


def load(path: Path) -> dict[str, Any]:
    """Read a manifest.

    Raises:
        ValueError: a kind says too little, too much or something that is not in a closed list.
    """
    manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    if manifest["engine"] != path.parent.name:
        raise ValueError(f"{path}: written for another engine, {manifest['engine']}")
    for name, kind in manifest["kinds"].items():
        if wrong := _wrong(kind):
            raise ValueError(f"{path}: {name}: {wrong}")
    return manifest


def _wrong(kind: dict[str, Any]) -> str | None:
    if {key: type(value) for key, value in kind.items() if key != "quirks"} != FIELDS:
        return f"wants exactly {', '.join(FIELDS)}, and quirks if there are any"
    if kind["family"] not in FAMILIES:
        return f"no such family: {kind['family']}"
    if kind["source"] not in SOURCES:
        return f"no such source: {kind['source']}"
    if kind["captured"] is not (kind["source"] == "capture"):
        return "the source of what is captured, and of nothing else, is the capture"
    return None if kind.get("quirks", "none") else "empty quirks"


def compiled(manifest: dict[str, Any]) -> str:
    """Write the module that holds what readers need of a manifest."""
    kinds: dict[str, dict[str, Any]] = manifest["kinds"]
    families = [f"{_text(name)}: {_text(kind['family'])}" for name, kind in kinds.items()]
    captured = sorted(name for name, kind in kinds.items() if kind["captured"])
    prefixes = [_text(prefix) for prefix in manifest["open_prefixes"]]
    return "\n".join([
        HEAD,
        f"KINDS: dict[str, str] = {_lines('{', families, '}')}",
        f"OPEN_PREFIXES: tuple[str, ...] = {_lines('(', prefixes, ')')}",
        f"BLOCKS: str = {_text(manifest['blocks'])}",
        f"OPAQUE: frozenset[str] = {_set(sorted(manifest['opaque']))}",
        f"MAPS: frozenset[str] = {_set(sorted(manifest['maps']))}",
        f"CAPTURED: frozenset[str] = {_set(captured)}",
    ]) + "\n"  # fmt: skip


def _text(value: str) -> str:
    return json.dumps(value)  # a Python string, too, and in the quotes that ruff wants


def _lines(begin: str, entries: Iterable[str], end: str, indent: str = "") -> str:
    body = "".join(f"{indent}    {entry},\n" for entry in entries)
    return f"{begin}\n{body}{indent}{end}" if body else begin + end


def _set(entries: list[str]) -> str:
    if not entries:
        return "frozenset()"
    return f"frozenset(\n    {_lines('{', map(_text, entries), '}', '    ')}\n)"


def main(argv: list[str] | None = None) -> int:
    """Write the modules, or with ``--check`` name those that are not as they should be."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args(argv).check
    stale = []
    for path in manifests():
        target, text = path.with_name("_kinds.py"), compiled(load(path))
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target)
        if not check:
            target.write_text(text, encoding="utf-8")
    word = "is not what `make kinds` writes" if check else "written"
    for target in stale:
        print(f"{target.relative_to(ENGINES)} {word}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
