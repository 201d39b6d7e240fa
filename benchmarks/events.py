# SPDX-License-Identifier: Apache-2.0
"""The conversation's events: how quick they are, what they hold, and that memory stays flat."""

from __future__ import annotations

import functools
import gc
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import agentframes as af
from agentframes.captures import CaptureFolder, open_folder
from agentframes.events.model import ToolBurst
from benchmarks import measure, rivals, streams
from benchmarks.bench import Bench, named, times
from benchmarks.measure import MB
from benchmarks.page import Check, Section
from benchmarks.streams import Stream

EVENTS, FACTS, ORJSON = "events", "facts", "orjson.loads"
RATIO = 0.6
GROWTH = 1.1
MEDIAN = 200  # microseconds
CONSUME = "import sys, agentframes as af\nfor event in af.stream(sys.argv[1]): pass"


# --- a stream to its events ----------------------------------------------------------------------


def projection(bench: Bench) -> Section:
    """Events against a decoder that tells nothing."""
    section = Section(
        f"Events against decoding alone, {named(bench.size)}",
        [
            "stream",
            "MB/s",
            "events",
            "events/s",
            "against facts alone",
            "against orjson.loads",
            "target",
            "reached",
        ],
        words="In one process, file in the page cache: `agentframes.stream(path)` to its end, "
        "which makes the facts, too, against `agentframes.read(path)` and against a loop over the "
        "lines that decodes each. An event that comes again with a higher revision counts once.",
    )
    for engine in bench.engines:
        stream = bench.stream(engine, bench.size)
        count = count_events(stream)
        bench.say(f"{stream.path.name}: {count:,} events with all tool calls")
        subjects: dict[str, Callable[[], object]] = {
            EVENTS: functools.partial(_consume, stream.path),
            FACTS: functools.partial(af.read, stream.path),
            ORJSON: functools.partial(rivals.loads, rivals.orjson_loads(), stream.path),
        }
        told = measure.best(subjects, bench.few)
        seconds = told[EVENTS]
        ratio = told[ORJSON] / seconds
        check = Check(f"facts with events / orjson.loads: {engine}, one long run", ratio, RATIO)
        section.checks.append(check)
        _, wanted, _, reached = check.row()
        section.rows.append([
            engine, f"{stream.size / seconds / MB:.1f}", f"{count:,}", f"{count / seconds:,.0f}",
            times(told[FACTS] / seconds), times(ratio), wanted, reached,
        ])  # fmt: skip
    return section


def _consume(path: Path) -> None:
    for _ in af.stream(path):
        pass


def count_events(stream: Stream) -> int:
    """Count the events of a stream, and hold the calls in them against what was put into it.

    Raises:
        ValueError: the events hold more calls, or fewer.
    """
    calls = {
        event.id: event.count if isinstance(event, ToolBurst) else 0
        for event in af.stream(stream.path)
    }
    found, wanted = sum(calls.values()), stream.expected.tool_calls
    if found != wanted:
        raise ValueError(f"{stream.path}: {found} tool calls in the events, made with {wanted}")
    return len(calls)


# --- memory --------------------------------------------------------------------------------------


def memory(bench: Bench) -> Section:
    """Peaks over file size, of a process that takes events and keeps none."""
    small, big = bench.size // 10, bench.size
    section = Section(
        "Peak memory while events are streamed",
        ["stream", f"{named(small)}, MiB", f"{named(big)}, MiB", "growth"],
        words="The largest resident set of a process that loops over `agentframes.stream(path)` "
        "and keeps no event, MiB.",
    )
    growths = []
    for engine in bench.engines:
        at = [_peak(bench, engine, size) for size in (small, big)]
        growths.append(at[1] / at[0])
        section.rows.append([engine, *(f"{peak:.1f}" for peak in at), times(growths[-1])])
    sizes = f"peak at {named(big)} / at {named(small)}"
    what = f"memory flat while events are streamed: {sizes}, the largest of all streams"
    section.checks.append(Check(what, max(growths), GROWTH, at_most=True))
    return section


def _peak(bench: Bench, engine: str, size: int) -> float:
    stream = bench.stream(engine, size)
    return measure.start(consumer(stream.path)).peak_mib


def consumer(path: Path) -> measure.Program:
    """Return a program that takes all events of a file."""
    return (measure.PYTHON, "-c", CONSUME, path)


# --- line by line --------------------------------------------------------------------------------


def live(bench: Bench) -> Section:
    """What a line costs that was just printed."""
    section = Section(
        "A live line becomes its event",
        [
            "captures of",
            "captures",
            "lines",
            "events given",
            "median, µs",
            "99th percentile, µs",
        ],
        words="`Reader.feed`, line by line, a Reader for each real capture that prints JSON lines "
        f"(jsonl). Of each line the least of {bench.rounds} rounds; then the median and the 99th "
        "percentile over the lines. An event that a line changes is given again.",
    )
    medians = []
    for engine in bench.engines:
        folders = captured(engine)
        rounds = []
        for _ in range(bench.rounds):
            gc.collect()
            rounds.append([fed for folder in folders for fed in feed(folder)])
        least = [min(seconds for seconds, _ in of_line) for of_line in zip(*rounds, strict=True)]
        told = sum(count for _, count in rounds[0])
        parts = statistics.quantiles(least, n=100)
        medians.append(parts[49] * 1e6)
        counts = [f"{number:,}" for number in (len(folders), len(least), told)]
        section.rows.append([engine, *counts, f"{medians[-1]:.1f}", f"{parts[98] * 1e6:.1f}"])
    what = "a live line becomes its event: the median, the largest of all engines"
    section.checks.append(Check(what, max(medians), MEDIAN, "µs", at_most=True))
    return section


def feed(folder: CaptureFolder) -> list[tuple[float, int]]:
    """Feed what was printed line by line; return the seconds and the number of events of each."""
    reader = af.Reader(af.FrameSource(str(folder.engine), str(folder.version), folder.transport))
    with Path(folder.stdout).open("rb") as file:
        lines = list(file)
    took = []
    for line in lines:
        begin = time.perf_counter()
        told = reader.feed(line)
        took.append((time.perf_counter() - begin, len(told)))
    return took


# --- the corpus ----------------------------------------------------------------------------------


def captured(engine: str) -> list[CaptureFolder]:
    """List an engine's real captures of all versions whose transport is jsonl.

    Compressed ones are left out: the programs that others are do not read them.
    """
    found = sorted((streams.CORPUS / engine).glob("*/*/capture.toml"))
    folders = [open_folder(str(path.parent)) for path in found]
    plain = (one for one in folders if not one.stdout.endswith(".gz"))
    return [one for one in plain if one.transport == "jsonl" and not one.synthetic]


def calls_wanted(folders: Sequence[CaptureFolder]) -> list[int]:
    """Return how many calls of tools the oracle counted in each; none where it knows of none."""
    paths = [Path(folder.stdout).with_name("expected.json") for folder in folders]
    return [json.loads(path.read_bytes())["tool_calls"] or 0 for path in paths]


def calls_found(folders: Sequence[CaptureFolder]) -> list[int]:
    """Return how many calls of tools the events of each file hold; nothing but the file is told."""
    return [
        sum(event.count for event in run.events if isinstance(event, ToolBurst))
        for run in (af.read(Path(folder.stdout), events=True) for folder in folders)
    ]
