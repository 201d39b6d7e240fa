# SPDX-License-Identifier: Apache-2.0
"""What `check` tells of each captured version had that version not been captured.

Writes tests/drift/leave_one_out.json, which is to be read through when it changes: each line is
a difference that really exists between the version and the ones it is held against.

    python scripts/leave_one_out.py            # write
    python scripts/leave_one_out.py --table    # print how many of each
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from agentframes import engines, manifests
from agentframes.commands.table import drift_words
from agentframes.drift import baseline
from agentframes.facts.model import Finding
from agentframes.manifests import Manifest
from agentframes.reading import read_against

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus"
SNAPSHOT = ROOT / "tests/drift/leave_one_out.json"

Versions = dict[str, dict[str, Any]]


def left_out(manifest: Manifest, version: str) -> dict[str, Any]:
    """Tell what the captures of a version differ in from all others."""
    others = manifests.without(manifest, version)
    scenarios: dict[Finding, set[str]] = {}
    for capture in sorted((CORPUS / manifest.engine / version).iterdir()):
        for facts in read_against(capture, others):
            for finding in facts.drift:
                scenarios.setdefault(_fact(finding), set()).add(capture.name)
    return {
        "held against": baseline(others, version).version,
        "kinds captured nowhere else": sorted(manifest.fields.keys() - others.fields.keys()),
        "differences": sorted(_line(one, len(where)) for one, where in scenarios.items()),
    }


def _fact(finding: Finding) -> Finding:
    """Strip a finding of where and how often it was found."""
    return msgspec.structs.replace(finding, line=None, count=1, seen_in=tuple(finding.seen_in))


def _line(finding: Finding, captures: int) -> str:
    return f"{finding.level} {drift_words(finding)} (captures: {captures})"


def snapshot() -> dict[str, Versions]:
    """Leave out each version of each engine."""
    told = {}
    for engine in engines.built_in():
        manifest = manifests.of(engine)
        if manifest is not None:
            told[engine.name] = {
                version: left_out(manifest, version) for version in manifest.versions()
            }
    return told


def table(told: dict[str, Versions]) -> str:
    """Count the differences by level and kind."""
    lines = []
    for engine, versions in told.items():
        for version, found in versions.items():
            counts = Counter(" ".join(line.split(" ")[:2]) for line in found["differences"])
            words = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
            lines.append(f"{engine} {version} against {found['held against']}: {words}")
    return "\n".join(lines) + "\n"


def written(told: dict[str, Versions]) -> str:
    """Write the snapshot as it stands in the file."""
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the snapshot, or print its numbers."""
    told = snapshot()
    if "--table" in sys.argv[1:]:
        sys.stdout.write(table(told))
    else:
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(written(told), encoding="utf-8")


if __name__ == "__main__":
    main()
