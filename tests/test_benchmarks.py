# SPDX-License-Identifier: Apache-2.0
"""The streams that are measured on: one long run each, as the corpus's runs are."""

from __future__ import annotations

import re
import statistics
import sys
from collections import Counter
from pathlib import Path

import pytest

import agentframes as af
from benchmarks import measure, streams
from benchmarks.page import Check
from benchmarks.streams import ENGINES, Scenario

SIZE = 200_000


def median_length(lines: list[bytes]) -> float:
    """Return the median length of lines."""
    return statistics.median(map(len, lines))


def ids(engine: str, printed: bytes, session_id: str) -> Counter[bytes]:
    """Count how often each id but the session's stands in what was printed."""
    found = Counter(re.findall(streams.RECIPES[engine].ids.encode(), printed))
    del found[session_id.encode()]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_stream_is_one_successful_run(engine: str, tmp_path: Path) -> None:
    """A stream is one run with the calls of all its parts, and nothing in it is unknown."""
    stream = streams.make(engine, SIZE, tmp_path)
    facts = af.read(stream.path)
    assert (1, "success", 0, 0) == (
        facts.runs, facts.outcome.status, facts.frames.unknown, facts.frames.malformed,
    )  # fmt: skip
    assert stream.expected.frames == facts.frames.total == stream.path.read_bytes().count(b"\n")
    assert stream.expected.tool_calls == facts.tool_calls
    assert "one run, success" in stream.verify()
    assert SIZE < stream.size < 1.2 * SIZE


@pytest.mark.parametrize("engine", ENGINES)
def test_line_lengths_are_the_corpus_s(engine: str, tmp_path: Path) -> None:
    """The median line is as long as in the captures that a stream is made of, within 15 %."""
    printed = streams.make(engine, SIZE, tmp_path).path.read_bytes()
    corpus = [line for name in streams.ordinary(engine) for line in Scenario(engine, name).body]
    want = median_length(corpus)
    assert abs(median_length(printed.splitlines(keepends=True)) - want) <= 0.15 * want


@pytest.mark.parametrize("engine", ENGINES)
def test_each_repetition_has_ids_of_its_own(engine: str, tmp_path: Path) -> None:
    """No id stands in a stream more often than in the capture it came from."""
    scenarios = [Scenario(engine, name) for name in streams.ordinary(engine)]
    parts = [ids(engine, b"".join(part.body), part.session_id) for part in scenarios]
    stream = streams.make(engine, SIZE, tmp_path)
    found = ids(engine, stream.path.read_bytes(), stream.expected.session_id)
    assert max(found.values()) <= max(max(part.values(), default=1) for part in parts)


def test_stream_is_made_the_same_again(tmp_path: Path) -> None:
    """The same captures make the same stream, byte for byte; one on disk is reused."""
    one, two = (streams.make("codex", SIZE, tmp_path / name) for name in ("one", "two"))
    assert one.path.read_bytes() == two.path.read_bytes()
    made = one.path.stat().st_mtime_ns
    assert one == streams.make("codex", SIZE, tmp_path / "one")
    assert made == one.path.stat().st_mtime_ns


def test_long_line_is_read_whole(tmp_path: Path) -> None:
    """A frame of any length is a frame like others."""
    stream = streams.long_line(SIZE, tmp_path)
    assert SIZE < max(map(len, stream.path.read_bytes().splitlines()))
    assert "1 tool calls" in stream.verify()


def test_captures_verbatim(tmp_path: Path) -> None:
    """A file of many captures holds the frames of each."""
    path = streams.verbatim("claude", SIZE, tmp_path)
    assert "runs" in streams.verify_verbatim("claude", path)


def test_failed_program_is_not_measured() -> None:
    """A program that breaks off is quick; its time counts for nothing."""
    with pytest.raises(RuntimeError, match="status 3: gone"):
        measure.start((sys.executable, "-c", "import sys; print('gone', file=sys.stderr); exit(3)"))
    assert measure.start((sys.executable, "-c", "pass")).peak_mib > 1


def test_target_is_held_against_the_unrounded_number() -> None:
    """A target that is missed by less than is printed is missed."""
    assert ["x", "≥ 1.3 x", "1.30 x", "**no**"] == Check("x", 1.2999, 1.3).row()
    assert ["x", "≤ 6 x", "6.00 x", "yes"] == Check("x", 6.0, 6, at_most=True).row()


def test_wrong_expectation_is_told(tmp_path: Path) -> None:
    """A stream that does not hold what it should is no ground to measure on."""
    stream = streams.make("gemini", SIZE, tmp_path)
    with stream.path.open("ab") as file:
        file.write(b'{"type":"brand_new"}\n')
    with pytest.raises(ValueError, match="read as"):
        stream.verify()
