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
from agentframes.captures import open_folder
from agentframes.events.model import ToolBurst
from benchmarks import events, measure, others, streams
from benchmarks.bench import Bench
from benchmarks.page import Check
from benchmarks.streams import ENGINES, Scenario

SIZE = 200_000
# By the oracle, in all captures that print JSON lines; a new capture may add to its engine's.
CALLS = {"claude": 318, "codex": 173, "copilot": 237, "gemini": 279, "opencode": 159}


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


@pytest.mark.parametrize("engine", ENGINES)
def test_real_tool_calls_are_found(engine: str) -> None:
    """The events of each capture hold as many calls as the oracle counted, from the file alone."""
    folders = events.captured(engine)
    wanted, found = events.calls_wanted(folders), events.calls_found(folders)
    assert wanted == found
    assert CALLS[engine] == sum(found)
    assert [
        f"real tool calls found in all captures: {engine}",
        f"= {CALLS[engine]} calls", f"{CALLS[engine]} calls", "yes",
    ] == others.calls_check(engine, wanted, found).row()  # fmt: skip
    assert f"{CALLS[engine]} ({len(folders)})" == others.calls_cell(wanted, found)


def test_captures_are_real_and_print_json_lines() -> None:
    """Documents, arrays, older protocols, help texts and what is made up are left out alone."""
    found = [open_folder(str(path.parent)) for path in streams.CORPUS.glob("*/*/*/capture.toml")]
    every = [folder for folder in found if not folder.stdout.endswith(".gz")]
    taken = {folder for engine in ENGINES for folder in events.captured(engine)}
    left = {(folder.transport, folder.synthetic) for folder in every if folder not in taken}
    kinds = "json", "json-array", "legacy", "text"
    assert {(kind, False) for kind in kinds} == left
    assert {("jsonl", False)} == {(folder.transport, folder.synthetic) for folder in taken}


def test_a_count_is_reached_by_itself_alone() -> None:
    """One call too many is as wrong as one too few, and what evens out is told."""
    assert ["x", "= 1,089 calls", "1,089 calls", "yes"] == Check(
        "x", 1089, 1089, "calls", exactly=True
    ).row()
    for other in (1088, 1090):
        assert not Check("x", other, 1089, "calls", exactly=True).reached
    assert "4 (1)" == others.calls_cell([1, 1, 2], [2, 0, 2])
    assert "-" == others.calls_cell([1], None)


@pytest.mark.parametrize("engine", ENGINES)
def test_events_of_a_stream_hold_its_calls(engine: str, tmp_path: Path) -> None:
    """An event counts once, however often it comes, and its calls are those put into the stream."""
    stream = streams.make(engine, SIZE, tmp_path)
    run = af.read(stream.path, events=True)
    assert len(run.events) == events.count_events(stream)
    calls = sum(event.count for event in run.events if isinstance(event, ToolBurst))
    assert stream.expected.tool_calls == calls


def test_events_without_a_call_are_no_ground(tmp_path: Path) -> None:
    """A stream whose events lack a call that it was made with is not measured on."""
    stream = streams.make("codex", SIZE, tmp_path)
    lines = stream.path.read_bytes().splitlines(keepends=True)
    call = next(line for line in lines if b'"command_execution"' in line)
    id_ = re.search(rb"item_\d+", call)
    assert id_ is not None
    stream.path.write_bytes(b"".join(line for line in lines if id_[0] + b'"' not in line))
    with pytest.raises(ValueError, match="tool calls in the events"):
        events.count_events(stream)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_line_is_fed(engine: str) -> None:
    """Each line of a capture is fed on its own, and events come while it is read."""
    for folder in events.captured(engine):
        fed = events.feed(folder)
        printed = Path(folder.stdout).read_bytes()
        assert printed.count(b"\n") == len(fed) - (printed[-1:] not in {b"", b"\n"})
        assert bool(printed) == any(count for _, count in fed)


def test_consumer_takes_all_events(tmp_path: Path) -> None:
    """The program whose memory is measured reads to the end."""
    stream = streams.make("gemini", SIZE, tmp_path)
    assert measure.start(events.consumer(stream.path)).peak_mib > 1
    with pytest.raises(RuntimeError, match="status 1"):
        measure.start(events.consumer(tmp_path / "missing.jsonl"))


def test_sizes_that_memory_is_compared_at() -> None:
    """The large size where there is one, else a tenth of the size."""
    bench = Bench(engines=ENGINES, size=1000, large=None, rounds=1, say=print)
    assert (100, 1000) == bench.small_and_big
    bench.large = 5000
    assert (1000, 5000) == bench.small_and_big
