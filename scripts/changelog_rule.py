# SPDX-License-Identifier: Apache-2.0
"""Holds the rule that nobody changes how a known capture is rendered without saying so.

Held against the last release's tag, every section of an event snapshot that is not what it was, or
is gone, needs a bullet under ``### Changed`` in the part of the changelog that is newer than that
release; and the matrix must differ, too. New captures and new sections need nothing.

A bullet covers the engines that it names, if it says that their *rendering* changed. It may name
scenarios (``s16``, ``s25-sigterm-streaming``), and covers only those then.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SNAPSHOTS = "tests/snapshots/events"
MATRIX = "docs/cli-frame-compatibility.md"
CHANGELOG = "CHANGELOG.md"

NO_GIT = "git is not installed"
NO_CHECKOUT = "this is no checkout of its own"
NO_TAG = "no tag v* is in reach"

_SECTION = re.compile(r"^## (s\d\S*)$", re.MULTILINE)
_RELEASE = re.compile(r"^## \[?v?(?P<name>[\w.+-]+)\]?.*$", re.MULTILINE)
_CHANGED = re.compile(r"^### Changed\b.*\n(?P<body>(?:(?!##).*\n?)*)", re.MULTILINE)
_BULLET = re.compile(r"^[-*] ", re.MULTILINE)
_SCENARIO = re.compile(r"(?<![\w-])s\d+[a-z]?(?:-[\w-]*\w)?(?![\w-])")

Snapshots = dict[str, dict[str, str]]
"""The sections of each file, which is named after engine and version."""


class State(NamedTuple):
    """What the rule looks at, at one time."""

    snapshots: Snapshots
    matrix: str | None


class Release(NamedTuple):
    """The last release, or why there is none to compare with."""

    tag: str | None
    why_none: str | None = None


# --- the rule ------------------------------------------------------------------------------------


def violations(before: State, after: State, changelog: str, tag: str) -> list[str]:
    """Say what is missing, a sentence each."""
    changed = list(_changed(before.snapshots, after.snapshots))
    bullets = list(_bullets(newer(changelog, tag)))
    problems = [
        f"{name}, {scenario}: its rendering is not that of {tag}, and no bullet under "
        f"'### Changed' in {CHANGELOG} says so of {_engine(name)}"
        for name, scenario in changed
        if not any(_covers(bullet, _engine(name), scenario) for bullet in bullets)
    ]
    if changed and before.matrix == after.matrix:
        problems.append(f"{MATRIX} is still that of {tag}, though renderings changed")
    return problems


def _changed(before: Snapshots, after: Snapshots) -> Iterator[tuple[str, str]]:
    for name, sections in sorted(before.items()):
        now = after.get(name, {})
        for scenario, text in sorted(sections.items()):
            if now.get(scenario) != text:
                yield name, scenario


def _engine(name: str) -> str:
    return re.split(r"[^a-z]", name, maxsplit=1)[0]


def newer(changelog: str, tag: str) -> str:
    """Return what the changelog says since a release: all above it; or its first section."""
    headings = list(_RELEASE.finditer(changelog))
    released = [one for one in headings if one["name"] == tag.removeprefix("v")]
    end = released[0] if released else headings[1] if len(headings) > 1 else None
    return changelog if end is None else changelog[: end.start()]


def _bullets(text: str) -> Iterator[str]:
    for part in _CHANGED.finditer(text):
        yield from _BULLET.split(part["body"])[1:]


def _covers(bullet: str, engine: str, scenario: str) -> bool:
    words = set(re.findall(r"[a-z]+", bullet.lower()))
    named = _SCENARIO.findall(bullet)
    return (
        "rendering" in words
        and engine in words
        and (not named or any(f"{scenario}-".startswith(f"{one}-") for one in named))
    )


# --- now, and at a tag ---------------------------------------------------------------------------


def sections(snapshot: str) -> dict[str, str]:
    """Part a snapshot into its scenarios."""
    _, *parts = _SECTION.split(snapshot)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def on_disk(root: Path) -> State:
    """Read what is there now."""
    files = sorted((root / SNAPSHOTS).glob("*.txt"))
    matrix = root / MATRIX
    return State(
        {path.stem: sections(path.read_text(encoding="utf-8")) for path in files},
        matrix.read_text(encoding="utf-8") if matrix.exists() else None,
    )


def at(root: Path, tag: str) -> State:
    """Read what was there at a tag."""
    listed = _git(root, "ls-tree", "-r", "-z", "--name-only", tag, SNAPSHOTS, MATRIX) or ""
    text = {path: _git(root, "show", f"{tag}:{path}") or "" for path in listed.split("\0") if path}
    snapshots = {
        Path(path).stem: sections(shown) for path, shown in text.items() if path.endswith(".txt")
    }
    return State(snapshots, text.get(MATRIX))


def last_release(root: Path) -> Release:
    """Find the last tag that a release bears, in a checkout whose top is `root`."""
    try:
        inside = _git(root, "rev-parse", "--show-prefix")
    except FileNotFoundError:
        return Release(None, NO_GIT)
    if inside is None or inside.strip():  # none, or somebody else's with a source archive in it
        return Release(None, NO_CHECKOUT)
    tag = _git(root, "describe", "--tags", "--abbrev=0", "--match", "v*")
    return Release(tag.strip()) if tag else Release(None, NO_TAG)


def _git(root: Path, *arguments: str) -> str | None:
    """Ask git; None where it has no answer. A hook's own repository is not meant."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=own, check=False)
    return None if done.returncode else done.stdout


def check(root: Path) -> tuple[Release, list[str]]:
    """Hold a checkout against its last release; without one there is nothing to say."""
    release = last_release(root)
    if release.tag is None:
        return release, []
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    return release, violations(at(root, release.tag), on_disk(root), changelog, release.tag)


def main() -> int:
    """Check this checkout."""
    release, problems = check(ROOT)
    print(f"compared with {release.tag}" if release.tag else f"not compared: {release.why_none}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
