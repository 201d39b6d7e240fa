# SPDX-License-Identifier: Apache-2.0
"""Build the named fixtures of the native-output contract from real captures.

The recipe is `tests/fixtures/native/fixtures.toml`. A value can only be set where the capture has
one, so that no field is invented; whatever is not set stays as the CLI printed it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests/fixtures/native"

ACTIONS = {
    "review": "Review {} for correctness, naming and missing tests, and list findings by severity",
    "migrate": "Migrate {} to the project's current conventions, one small commit at a time",
    "benchmark": "Write repeatable benchmarks for {} and record a baseline before anything changes",
    "deprecate": "Plan how {} are phased out: callers, replacements, warnings and a removal date",
    "document": "Write or refresh the reference documentation of {}, with an example each",
    "profile": "Measure where {} spend their time and memory, and propose the cheapest improvement",
    "harden": "Look for unsafe input handling in {} and mend it, with a regression test for each",
    "scaffold": "Create the files, tests and wiring that new {} need, following existing ones",
}
SUBJECTS = (
    "api-routes", "background-jobs", "build-scripts", "cli-commands", "config-files",
    "container-images", "data-models", "database-schemas", "error-pages", "feature-flags",
    "form-validators", "graphql-resolvers", "log-pipelines", "message-queues", "ui-components",
    "release-notes", "search-indexes", "test-fixtures", "translation-files", "web-hooks",
)  # fmt: skip


def skills() -> Iterator[tuple[str, str]]:
    """Make up names and descriptions of skills, always the same ones."""
    for (action, sentence), subject in itertools.product(ACTIONS.items(), SUBJECTS):
        does = sentence.format(subject.replace("-", " "))
        when = f"Use when the user asks to {action} {subject.replace('-', ' ')}"
        yield f"{action}-{subject}", f"{does}. {when}, or mentions them in a pull request."


def encode(frame: dict[str, Any]) -> bytes:
    """Write a frame as the CLIs do."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode()


def load(reference: str) -> Iterator[dict[str, Any]]:
    """Read lines of a capture; it must be possible to write them back as they were."""
    name, _, numbers = reference.rpartition(":")
    first, _, last = numbers.partition("-")
    for line in (ROOT / name).read_bytes().split(b"\n")[int(first) - 1 : int(last or first)]:
        frame: dict[str, Any] = json.loads(line)
        if encode(frame) != line:
            raise ValueError(f"{reference}: does not survive decoding and encoding")
        yield frame


def holder(frame: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    """Find the object that has the field at a dotted path."""
    *parents, key = path.split(".")
    for parent in parents:
        frame = frame[parent]
    if key not in frame:
        raise KeyError(path)
    return frame, key


def grow(frame: dict[str, Any], path: str, size: int) -> None:
    """Add skills like the last one there is until the line has the size."""
    target, key = holder(frame, path)
    pattern = target[key][-1]
    for name, description in skills():
        if len(encode(frame)) >= size:
            return
        changed = {
            "name": name,
            "commandName": name,
            "description": description,
            "path": pattern["path"].replace(pattern["name"], name),
        }
        target[key].append(pattern | changed)
    raise ValueError(f"too few skills for {size} bytes")


def build(recipe: dict[str, Any]) -> bytes:
    """Give the bytes of one fixture."""
    frames = [frame for reference in recipe["from"] for frame in load(reference)]
    for place, value in recipe["set"].items():
        line, _, path = place.partition(" ")
        target, key = holder(frames[int(line) - 1], path)
        target[key] = value
    if "grow" in recipe:
        wanted = recipe["grow"]
        grow(frames[wanted["line"] - 1], wanted["field"], wanted["bytes"])
    return b"".join(encode(frame) + b"\n" for frame in frames)


def main(argv: list[str] | None = None) -> int:
    """Write the fixtures, or compare them with what is committed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, exit 1 on a difference")
    options = parser.parse_args(argv)
    differing = 0
    for recipe in tomllib.loads((FIXTURES / "fixtures.toml").read_text("utf-8"))["fixture"]:
        path, built = FIXTURES / recipe["name"], build(recipe)
        if not options.check:
            path.write_bytes(built)
        elif not path.exists() or path.read_bytes() != built:
            differing += 1
            print(f"{path.relative_to(ROOT)}: not what the recipe builds")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
