# SPDX-License-Identifier: Apache-2.0
"""What tests of drift share: the corpus, its manifests, and findings in short."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import agentframes as af
from agentframes import engines, manifests
from agentframes.facts.model import Finding
from agentframes.manifests import Manifest
from tests.engines.support import drive
from tests.frames import CORPUS

CAPTURES = sorted(path.parent for path in CORPUS.glob("*/*/*/capture.toml"))
FRAMES = [
    path
    for path in CAPTURES
    if json.loads((path / "expected.json").read_bytes())["frames"]["total"]
]


@functools.cache
def kinds_of(path: Path) -> list[list[str]]:
    """Return the kinds of each frame of a capture."""
    return drive(path).kinds


def manifest(engine: str) -> Manifest:
    """Return a built-in engine's manifest."""
    found = manifests.of(engines.get(engine))
    assert found is not None
    return found


def told(source: bytes, **options: Any) -> list[tuple[Any, ...]]:
    """Read with drift, and return what was found without lines and versions."""
    return [brief(finding) for finding in af.read(source, drift=True, **options).drift]


def brief(finding: Finding) -> tuple[Any, ...]:
    """Reduce a finding to what it says."""
    return (
        finding.what, finding.level, finding.kind, finding.field, finding.expected, finding.found,
    )  # fmt: skip
