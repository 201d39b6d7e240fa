# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer starts from: the smallest captures of each sort, and the words in frames."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CAPTURES = ROOT / "corpus"
ENGINE_FILES = ROOT / "src" / "agentframes" / "engines"
MAX_SEED = 8 * 1024  # a longer one slows every input that is made of it
MAX_FRAME = 4 * 1024
_VARIANT = re.compile(r"--.*")
_WORD = re.compile(r"[A-Za-z_][\w./:-]{1,30}")


def captures() -> list[Path]:
    """List the smallest capture of each engine, scenario, transport and version family."""
    smallest: dict[tuple[str, ...], Path] = {}
    for path in sorted(CAPTURES.glob("*/*/*/stdout.jso*[nl]")):
        engine, version, scenario = path.parts[-4:-1]
        family = ".".join(version.split(".")[:2])
        key = (engine, family, _VARIANT.sub("", scenario), path.suffix)
        size = path.stat().st_size
        if size <= MAX_SEED and (key not in smallest or size < smallest[key].stat().st_size):
            smallest[key] = path
    return sorted(smallest.values())


def write(folder: Path) -> int:
    """Write the seeds into a folder, and tell how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = captures()
    for path in seeds:
        (folder / "-".join(path.parts[-4:-1])).write_bytes(path.read_bytes())
    return len(seeds)


def frames(folder: Path) -> list[bytes]:
    """Give the distinct frames of the seeds, none of them long: the stock of the mutator."""
    lines = {
        line
        for path in folder.iterdir()
        for line in path.read_bytes().split(b"\n")
        if line.startswith(b"{") and line.rstrip().endswith(b"}") and len(line) <= MAX_FRAME
    }
    return sorted(lines)


def write_dictionary(path: Path) -> None:
    """Write libFuzzer's dictionary: the engines' kinds, field names, and odd bytes."""
    words = {word for engine in sorted(ENGINE_FILES.iterdir()) for word in _words(engine)}
    quoted = {f'\\"{word}\\"' for word in words}
    odd = {"\\xef\\xbb\\xbf", "\\xff", "\\x00", "\\x1b[2J", "\\x1b]0;t\\x07", "\\\\ud800", "NaN",
           "null", "true", "1e999", "\\xe2\\x80\\xa8", "}\\x0a{", "```json\\x0a"}  # fmt: skip
    path.write_text("".join(f'"{entry}"\n' for entry in sorted(quoted | odd)), "utf-8")


def _words(engine: Path) -> Iterator[str]:
    kinds, fields = engine / "kinds.toml", engine / "fields.json"
    if kinds.exists():
        for kind in tomllib.loads(kinds.read_text("utf-8"))["kinds"]:
            yield from kind.split("/")
    if fields.exists():
        yield from _names(json.loads(fields.read_text("utf-8")))


def _names(value: Any) -> Iterator[str]:
    """Yield what looks like the name of a field: parts of the keys, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (name for name in re.split(r"[.\[\]]+", key) if _WORD.fullmatch(name))
            yield from _names(item)
