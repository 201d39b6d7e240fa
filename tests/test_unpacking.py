# SPDX-License-Identifier: Apache-2.0
"""Compressed output is read as what is in it."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import agentframes as af
from agentframes.errors import SourceError

CAPTURE = Path(__file__).resolve().parent.parent / "corpus/codex/0.171.0/s04-parallel"
OUTPUT = (CAPTURE / "stdout.jsonl").read_bytes()


def packed(tmp_path: Path, content: bytes) -> Path:
    """Write a compressed file."""
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(content, mtime=0))
    return path


def test_a_compressed_file_reads_as_the_plain_one(tmp_path: Path) -> None:
    """Facts and events are those of the content."""
    one = af.read(packed(tmp_path, OUTPUT), events=True)
    other = af.read(CAPTURE / "stdout.jsonl", events=True)
    assert one.final_text == other.final_text == "Two commands worked, one exited with 3."
    assert one.usage == other.usage
    assert [event.kind for event in one.events] == [event.kind for event in other.events]


def test_a_capture_may_hold_compressed_output(tmp_path: Path) -> None:
    """A folder's `stdout.jsonl.gz` and `stderr.txt.gz` stand for the plain files; play unpacks."""
    folder = Path(shutil.copytree(CAPTURE, tmp_path / "capture"))
    for name in ("stdout.jsonl", "stderr.txt"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    assert af.read(folder).resources == af.read(CAPTURE).resources
    command = [sys.executable, "-m", "agentframes", "play", "--fast", str(folder)]
    assert subprocess.run(command, check=True, capture_output=True).stdout == OUTPUT


def test_a_compressed_file_that_is_cut_gives_what_comes_before(tmp_path: Path) -> None:
    """Nothing raises: the lines that are whole are read, and the run is incomplete."""
    path = packed(tmp_path, OUTPUT)
    path.write_bytes(path.read_bytes()[:-200])
    run = af.read(path)
    assert (run.engine, run.outcome.status) == ("codex", "incomplete")
    assert 0 < run.frames.total < OUTPUT.count(b"\n")


def test_what_is_not_compressed_is_refused_in_one_line(tmp_path: Path) -> None:
    """A name that promises more than the file holds."""
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(OUTPUT)
    with pytest.raises(SourceError, match=r"run\.jsonl\.gz.*: no gzip file, or a damaged one"):
        af.read(path)


def test_damage_in_the_middle_is_told_in_one_line(tmp_path: Path) -> None:
    """The archive is damaged, not what the CLI printed."""
    path = packed(tmp_path, OUTPUT * 50)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 8] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"run\.jsonl\.gz.*: no gzip file, or a damaged one"):
        af.read(path)
