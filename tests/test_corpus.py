# SPDX-License-Identifier: Apache-2.0
"""Every capture of the corpus reads to the facts that the oracle, sharing no code, expects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agentframes as af

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus"
CAPTURES = sorted(path.parent for path in CORPUS.glob("*/*/*/expected.json"))


def expected(capture: Path) -> dict[str, Any]:
    """Load what a capture must yield."""
    value: dict[str, Any] = json.loads((capture / "expected.json").read_bytes())
    return value


def facts(source: Any, **options: Any) -> dict[str, Any]:
    """Read a source and leave out where it lies."""
    value = af.read(source, **options).to_dict()
    del value["source"]
    return value


def test_every_capture_has_its_expected_facts() -> None:
    """No capture stands in the corpus without saying what it must yield."""
    described = {path.parent for path in CORPUS.glob("*/*/*/capture.toml")}
    assert described == set(CAPTURES)
    assert len(CAPTURES) >= 120


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_capture_reads_to_its_expected_facts(capture: Path) -> None:
    """A capture folder reads to exactly the expected facts."""
    assert expected(capture) == facts(capture)


def test_oracle_agrees_with_what_is_committed() -> None:
    """The expected facts are what the oracle computes, not what somebody typed."""
    done = subprocess.run(
        [sys.executable, "scripts/oracle.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
