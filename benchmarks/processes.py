# SPDX-License-Identifier: Apache-2.0
"""Whole processes: against jq, at their peaks of memory, and from start to end."""

from __future__ import annotations

from benchmarks import measure, rivals, streams
from benchmarks.bench import NONE, Bench, named, times
from benchmarks.measure import MB, MIB, Process
from benchmarks.page import Check, Section

DEMO = rivals.DEMO / "claude.jsonl"
OUTPUT = 16_000  # characters that each command prints in one of the streams
LONG_LINE = 100 * MB
VERY_LONG_LINE = 2**30


def _process(bench: Bench, engine: str, size: int, *, with_jq: bool) -> dict[str, Process]:
    """Measure a whole process once for all sections that ask."""
    key = (engine, size)
    if key not in bench.whole or (with_jq and "jq" not in bench.whole[key]):
        stream = bench.stream(engine, size)
        measure.warm(stream.path)
        programs = {"agentframes": measure.agentframes(stream.path)}
        if with_jq:
            programs["jq"] = measure.jq(stream.path)
        bench.whole[key] = measure.best_start(programs, bench.few if size <= bench.size else 2)
        if size == bench.large:
            bench.let_go(stream)
    return bench.whole[key]


def _sizes(bench: Bench) -> list[int]:
    return [bench.size] if bench.large is None else [bench.size, bench.large]


def whole(bench: Bench) -> Section:
    """The command against jq."""
    section = Section(
        "Whole process against jq",
        ["stream", "size", "agentframes, s", "jq, s", "ratio", "target", "reached"],
        words="`agentframes read --json FILE` against `jq 'select(.type==\"result\")' FILE`, from "
        "start to end, file in the page cache.",
    )
    for engine in bench.engines:
        for size in _sizes(bench) if engine == "claude" else [bench.size]:
            told = _process(bench, engine, size, with_jq=True)
            ours, theirs = told["agentframes"].seconds, told["jq"].seconds
            wanted, reached = NONE, NONE
            if engine == "claude":
                target = 6.0 if size >= 1000 * MB else 5.0
                check = Check(f"whole process / jq: claude, {named(size)}", theirs / ours, target)
                section.checks.append(check)
                _, wanted, _, reached = check.row()
            cells = [f"{ours:.2f}", f"{theirs:.2f}", times(theirs / ours), wanted, reached]
            section.rows.append([engine, named(size), *cells])
    if "claude" in bench.engines:
        stream = streams.make("claude", bench.size, output=OUTPUT)
        measure.warm(stream.path)
        programs = {"ours": measure.agentframes(stream.path), "jq": measure.jq(stream.path)}
        told = measure.best_start(programs, bench.few)
        ours, theirs = told["ours"].seconds, told["jq"].seconds
        cells = [f"{ours:.2f}", f"{theirs:.2f}", times(theirs / ours), NONE, NONE]
        label = f"claude, where each command prints {OUTPUT // 1000} kB"
        section.rows.append([label, named(bench.size), *cells])
    return section


def memory(bench: Bench) -> Section:
    """Peaks: over file size, and for one long line."""
    small, big = bench.small_and_big
    section = Section(
        "Peak memory",
        ["stream", f"{named(small)}, MiB", f"{named(big)}, MiB", "growth"],
        words="The largest resident set of `agentframes read --json FILE`, MiB.",
    )
    peaks = []
    for engine in bench.engines:
        at = [
            _process(bench, engine, size, with_jq=False)["agentframes"].peak_mib
            for size in (small, big)
        ]
        peaks.append(at)
        section.rows.append([engine, *(f"{peak:.1f}" for peak in at), f"{at[1] / at[0]:.2f}"])
    largest = max(peak for at in peaks for peak in at)
    growth = max(at[1] / at[0] for at in peaks)
    sizes = f"peak at {named(big)} / at {named(small)}"
    section.checks += [
        Check("peak memory: the largest of all streams", largest, 32, "MiB", at_most=True),
        Check(f"memory flat: {sizes}, the largest of all streams", growth, 1.1, at_most=True),
    ]
    _long_line(bench, section, LONG_LINE)
    if bench.large:
        _long_line(bench, section, VERY_LONG_LINE)
    return section


def _long_line(bench: Bench, section: Section, size: int) -> None:
    stream = streams.long_line(size)
    bench.say(stream.verify())
    told = measure.best_start(
        {"idle": measure.agentframes(DEMO), "long": measure.agentframes(stream.path)}, 2
    )
    idle, peak = told["idle"].peak_mib, told["long"].peak_mib
    length = stream.size / MIB  # but for the few short lines around the long one
    multiple = (peak - idle) / length
    section.notes.append(
        f"One line of {length:.0f} MiB: peak {peak:.0f} MiB, of a file of a few lines "
        f"{idle:.1f} MiB; the line costs {multiple:.2f} times its length."
    )
    what = f"memory of one line of {length:.0f} MiB, in multiples of its length"
    section.checks.append(Check(what, multiple, 2.5, at_most=True))
    bench.let_go(stream)


def startup(bench: Bench) -> Section:
    """From nothing to the facts of a file of a few lines."""
    python = measure.PYTHON
    programs: dict[str, measure.Program] = {
        "python -c pass": (python, "-c", "pass"),
        "python -m agentframes read FILE": (python, "-m", "agentframes", "read", DEMO),
        "agentframes read FILE": (measure.SCRIPTS / "agentframes", "read", DEMO),
        "agentframes read --json FILE": measure.agentframes(DEMO),
    }
    measure.best_start(programs, 1)  # writes the bytecode
    told = measure.best_start(programs, bench.rounds * 8)
    section = Section(
        "Start-up",
        ["command", "ms", "in multiples of bare Python", "peak, MiB"],
        words="Bytecode cached, all that the benchmarks need installed; the file is the demo's "
        f"claude run. {bench.rounds * 8} rounds.",
    )
    bare = told["python -c pass"].seconds
    for name, process in told.items():
        cells = [f"{process.seconds * 1000:.1f}", times(process.seconds / bare)]
        section.rows.append([f"`{name}`", *cells, f"{process.peak_mib:.1f}"])
    slowest = max(process.seconds for process in told.values()) / bare
    section.checks.append(
        Check("start-up of `read`, in multiples of bare Python", slowest, 6, at_most=True)
    )
    return section
