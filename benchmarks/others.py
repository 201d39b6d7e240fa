# SPDX-License-Identifier: Apache-2.0
"""The libraries that read such frames, on the same files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import measure, rivals
from benchmarks.bench import NONE, Bench, named, times
from benchmarks.page import Section


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
        told = {reader: _tell(reader, engine, stream.path) for reader in rivals.READERS}
        readable = [reader for reader, said in told.items() if "unreadable" not in said]
        took = _take(bench, engine, stream.path, readable)
        for reader, said in told.items():
            section.rows.append(_other(engine, reader, said, took, stream.expected.tool_calls))
            section.notes += _remarks(engine, reader, said)
    return section


def _reader(reader: str, engine: str, path: Path) -> measure.Program:
    return (measure.PYTHON, rivals.__file__, reader, engine, path)


def _tell(reader: str, engine: str, path: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "told"
        printed = measure.start([*_reader(reader, engine, path), "--tell"], output).printed
    said: dict[str, Any] = json.loads(printed)
    return said


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
    faster = NONE if reader == "agentframes" else times(seconds / took["agentframes"][0])
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
