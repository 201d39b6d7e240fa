# SPDX-License-Identifier: Apache-2.0
"""The libraries that read such frames, on the same files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import events, measure, rivals
from benchmarks.bench import NONE, Bench, named, times
from benchmarks.page import Check, Section

OURS = "agentframes"


def others(bench: Bench) -> Section:
    """The libraries that read such frames, on the same files."""
    section = Section(
        f"Other readers, {named(bench.size)}",
        ["stream", "reader", "s", "agentframes is faster by", "peak, MiB", "tool calls seen"],
        words="Each in a process of its own, called as its users would (`benchmarks/rivals.py`), "
        "imports not timed. They make objects of the frames, or of some. A tool call is seen "
        "where a reader tells its beginning or its end.",
    )
    for engine in bench.engines:
        stream = bench.stream(engine, bench.size)
        told = {reader: _tell(reader, engine, stream.path)[0] for reader in rivals.READERS}
        readable = [reader for reader, said in told.items() if "unreadable" not in said]
        took = _take(bench, engine, stream.path, readable)
        for reader, said in told.items():
            section.rows.append(_other(engine, reader, said, took, stream.expected.tool_calls))
            section.notes += _remarks(engine, reader, said)
    return section


def calls(bench: Bench) -> Section:
    """The calls of tools in the real captures, by the oracle and by each reader."""
    readers = [reader for reader in rivals.READERS if reader != OURS]
    section = Section(
        "Real tool calls found",
        ["captures of", "captures", "oracle", OURS, *readers, "target", "reached"],
        words="In all captures of the corpus that print JSON lines (jsonl), of every version. The "
        "oracle (`scripts/oracle.py`) counts the calls in the raw frames and shares no code with "
        f"{OURS}, whose number here is that of the calls in its events; of the other readers it "
        "is that of the tool calls seen, as above. In brackets: in how many captures the number "
        "is the oracle's. Opencode's `invalid`, its answer to a call of a tool that there is not, "
        "is no call by the oracle.",
    )
    for engine in bench.engines:
        folders = events.captured(engine)
        wanted = events.calls_wanted(folders)
        paths = [Path(folder.stdout) for folder in folders]
        found: dict[str, list[int]] = {OURS: events.calls_found(folders)}
        for reader in readers:
            said = _tell(reader, engine, *paths)
            if all("unreadable" in one for one in said):
                continue
            found[reader] = [one.get("tool_calls", 0) for one in said]
            section.notes += _remarks(engine, reader, _together(said))
        check = calls_check(engine, wanted, found[OURS])
        section.checks.append(check)
        _, target, _, reached = check.row()
        told = [calls_cell(wanted, found.get(reader)) for reader in (OURS, *readers)]
        section.rows.append([engine, str(len(folders)), f"{sum(wanted):,}", *told, target, reached])
    return section


def calls_check(engine: str, wanted: Sequence[int], found: Sequence[int]) -> Check:
    """Hold the calls that were found in an engine's captures against the oracle's."""
    what = f"real tool calls found in all captures: {engine}"
    return Check(what, sum(found), sum(wanted), "calls", exactly=True)


def calls_cell(wanted: Sequence[int], found: Sequence[int] | None) -> str:
    """Say how many calls were found in the captures, and in how many of these all and no more."""
    if found is None:
        return NONE
    right = sum(one == other for one, other in zip(wanted, found, strict=True))
    return f"{sum(found):,} ({right})"


def _together(said: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add what a reader said of several files."""
    errors = dict.fromkeys(error for one in said for error in one.get("errors", ()))
    amounts = {name: sum(one.get(name, 0) for one in said) for name in ("refused", "skipped")}
    return amounts | {"errors": list(errors)[:3]}


def _reader(reader: str, engine: str, *paths: Path) -> measure.Program:
    return (measure.PYTHON, rivals.__file__, reader, engine, *paths)


def _tell(reader: str, engine: str, *paths: Path) -> list[dict[str, Any]]:
    """Return what a reader makes of each file."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "told"
        printed = measure.start([*_reader(reader, engine, *paths), "--tell"], output).printed
    return [json.loads(line) for line in printed.splitlines()]


def _take(
    bench: Bench, engine: str, path: Path, readers: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Return the least seconds and the largest peak of each reader, measured in turns."""
    took: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "told"
        for _, reader in _turns(min(bench.rounds, 2), readers):
            once = measure.start(_reader(reader, engine, path), output)
            seconds, peak = json.loads(once.printed)["seconds"], once.peak_mib
            before = took.get(reader, (seconds, peak))
            took[reader] = (min(before[0], seconds), max(before[1], peak))
    return took


def _turns(rounds: int, readers: Sequence[str]) -> Iterator[tuple[int, str]]:
    return ((number, reader) for number in range(rounds) for reader in readers)


def _other(
    engine: str, reader: str, said: dict[str, Any], took: dict[str, tuple[float, float]], calls: int
) -> list[str]:
    if reader not in took:
        return [engine, reader, NONE, NONE, NONE, NONE]
    seconds, peak = took[reader]
    faster = NONE if reader == OURS else times(seconds / took[OURS][0])
    seen = f"{said['tool_calls']:,} of {calls:,}"
    return [engine, reader, f"{seconds:.2f}", faster, f"{peak:.0f}", seen]


def _remarks(engine: str, reader: str, said: dict[str, Any]) -> list[str]:
    """Say where a reader does not read a file, or not all of it."""
    what = f"{reader} on {engine}"
    if "unreadable" in said:
        return [f"{what}: {said['unreadable']}."]
    remarks = []
    if said["refused"]:
        errors = "; ".join(f"`{error}`" for error in said["errors"])
        remarks.append(
            f"{what}: raises on {said['refused']:,} frames ({errors}); here the next frame is "
            "read all the same."
        )
    if said["skipped"]:
        remarks.append(
            f"{what}: skips {said['skipped']:,} pieces of lines with a warning each; it cuts "
            "lines at U+2028, too."
        )
    return remarks
