# SPDX-License-Identifier: Apache-2.0
"""The three tiers of fixtures are what is committed; `make render-fixtures` writes them.

A change here is a change of what users see: look at the difference before it is committed, and
say it in the changelog.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentframes import engines
from scripts.fixture_content import BODIES
from scripts.render_fixtures import SNAPSHOTS, TIERS, stale
from tests.captured import ROOT

CAPTURES = sorted(path.parent for path in (ROOT / "corpus").glob("*/*/*/capture.toml"))


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_is_what_is_committed(tier: str) -> None:
    """No file of a tier would change."""
    assert {} == stale(tier, TIERS[tier]())


def test_there_are_exactly_three() -> None:
    """Content, events and novelty, on disk as in the program."""
    assert ["content", "events", "novelty"] == list(TIERS)
    assert sorted(TIERS) == sorted(path.name for path in SNAPSHOTS.iterdir())


def test_every_capture_has_its_section() -> None:
    """No capture of the corpus is left out."""
    sections = {
        f"{path.stem}/{line.removeprefix('## ')}"
        for path in (SNAPSHOTS / "events").glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    }
    assert {f"{path.parts[-3]}-{path.parts[-2]}/{path.name}" for path in CAPTURES} == sections


def test_every_body_yields_the_same_in_all_engines() -> None:
    """What a model writes is told apart the same way, whichever CLI printed it."""
    matrix = (SNAPSHOTS / "content" / "matrix.txt").read_text(encoding="utf-8")
    heads = [line for line in matrix.splitlines() if line.startswith("## ")]
    assert [f"## {name} (all engines)" for name in BODIES] == heads


def test_every_probe_is_named_in_every_engine() -> None:
    """Each novel frame is one row that names it."""
    probes = (SNAPSHOTS / "novelty" / "probes.txt").read_text(encoding="utf-8")
    sections = probes.split("## ")[1:]
    assert set(engines.names()) == {section.split(" ", 1)[0] for section in sections}
    assert [1] * len(sections) == [section.count("system.unknownFrame") for section in sections]
    assert "s3cr3t" not in probes


def test_a_change_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is missing, another, or one too many: each is told."""
    monkeypatch.setattr("scripts.render_fixtures.SNAPSHOTS", tmp_path)
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "old.txt").write_text("x", encoding="utf-8")
    (tmp_path / "content" / "same.txt").write_text("y", encoding="utf-8")
    told = stale("content", {"new.txt": "a", "same.txt": "z"})
    assert {"new.txt": "a", "old.txt": None, "same.txt": "z"} == {
        path.name: text for path, text in told.items()
    }
