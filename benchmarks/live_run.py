# SPDX-License-Identifier: Apache-2.0
"""What a live run costs: a line's way from the pipe to its event, and a flood against `cat`.

``python benchmarks/live_run.py --write`` writes docs/performance-live.md. Both figures of a row are
taken side by side in one run, in turns, the best of several.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from agentframes.events.model import TaskAgentMessage
from agentframes.live.run import LiveRun

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance-live.md"
CAPTURE = ROOT / "corpus/claude/2.1.332/s16-multistep/stdout.jsonl"
LINES, PAUSE = 2000, 0.002
FLOOD = 50_000_000  # bytes

# A run of claude whose messages say when they were printed, by the clock of all processes.
SPEAKER = """#!{python}
import json, sys, time
if "--version" in sys.argv: print("2.1.332"); sys.exit()
frames = [json.loads(line) for line in open({capture!r}, "rb")]
said = next(frame for frame in frames if frame["type"] == "assistant")
print(json.dumps(frames[0]), flush=True)
for number in range({lines}):
    time.sleep({pause})
    said["message"]["id"] = f"msg_{{number}}"
    said["message"]["content"] = [dict(type="text", text=str(time.monotonic_ns()))]
    print(json.dumps(said), flush=True)
print(json.dumps(frames[-1]), flush=True)
"""
FLOODER = """#!/bin/sh
[ "$1" = --version ] && echo 2.1.332 && exit
exec cat {flood}
"""


def program(folder: Path, name: str, text: str) -> str:
    """Write an executable."""
    path = folder / name
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return str(path)


def run(cli: str, keep: Path, take: Callable[[Any], None] | None) -> None:
    """Run a stand-in for claude."""
    LiveRun("claude", "x", cli=cli, keep=keep, quiet_after=None).wait(take)


def through_a_run(cli: str, keep: Path) -> list[float]:
    """Return how long each message took to its event, in ms."""
    took: dict[str, float] = {}

    def take(events: Any) -> None:
        now = time.monotonic_ns()
        for event in events:
            if isinstance(event, TaskAgentMessage) and event.body.isdecimal():
                took.setdefault(event.id, (now - int(event.body)) / 1e6)

    run(cli, keep, take)
    return list(took.values())


def through_a_pipe(cli: str, _: Path) -> list[float]:
    """Return the same for a loop that decodes each line, and does nothing more."""
    took = []
    with subprocess.Popen([cli], stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            frame = msgspec.json.decode(line)
            now = time.monotonic_ns()
            if frame["type"] == "assistant":
                took.append((now - int(frame["message"]["content"][0]["text"])) / 1e6)
    return took


def percentiles(took: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    cuts = statistics.quantiles(took, n=100)
    return cuts[49], cuts[98]


def cpu(command: list[str], **options: Any) -> float:
    """Return the CPU seconds that a command and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(rounds: int) -> Iterator[list[str]]:
    """Measure; yield the rows of the table."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        told = {"python": sys.executable, "capture": str(CAPTURE), "lines": LINES, "pause": PAUSE}
        speaker = program(folder, "speaker", SPEAKER.format(**told))
        ways = {"run": through_a_run, "pipe": through_a_pipe}
        best: dict[str, tuple[float, float]] = {}
        for _ in range(rounds):
            for name, way in ways.items():
                found = percentiles(way(speaker, folder / "runs"))
                best[name] = min(best.get(name, found), found)
        for what, index in (("p50", 0), ("p99", 1)):
            mine, bare = best["run"][index], best["pipe"][index]
            label = f"a line from the CLI to its event, {what}"
            yield [label, f"{mine:.2f} ms", f"{bare:.2f} ms", f"{mine / bare:.1f} x"]
        yield from _flood(folder, rounds)


def _flood(folder: Path, rounds: int) -> Iterator[list[str]]:
    flood = folder / "flood"
    begin, *middle, end = CAPTURE.read_bytes().splitlines(keepends=True)
    body = b"".join(middle)
    with flood.open("wb") as file:
        file.write(begin)
        for _ in range(FLOOD // len(body)):
            file.write(body)
        file.write(end)
    cli = program(folder, "flooder", FLOODER.format(flood=flood))
    env = {**os.environ, "AGENTFRAMES_RUNS": str(folder / "runs")}
    own = [sys.executable, "-m", "agentframes", "run", "claude", "x", "--cli", cli]
    null = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subjects: dict[str, Callable[[], float]] = {
        "cat": lambda: cpu(["sh", "-c", f"{cli} | cat > /dev/null"]),
        "--quiet": lambda: cpu([*own, "--quiet"], env=env, **null),
        "as rows": lambda: cpu(own, env=env, **null),
    }
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, subject in subjects.items():
            best[name] = min(best.get(name, float("inf")), subject())
    for name in ("--quiet", "as rows"):
        mine, bare = best[name], best["cat"]
        label = f"CPU time of a flood of {FLOOD // 10**6} MB, {name}"
        yield [label, f"{mine:.2f} s", f"{bare:.2f} s (cat)", f"{mine / bare:.0f} x"]


def main(argv: list[str] | None = None) -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    lines = [
        "# Performance of live runs",
        "",
        "`python benchmarks/live_run.py --write` writes this page. The two figures of a row are",
        f"from one run on one machine ({os.cpu_count()} cores), in turns, the best of",
        f"{options.rounds}; the bare one is a loop that decodes each line, or `cat > /dev/null`.",
        "",
        "| what | agentframes | bare | ratio |",
        "| --- | ---: | ---: | ---: |",
        *("| " + " | ".join(row) + " |" for row in rows(options.rounds)),
        "",
    ]
    text = "\n".join(lines)
    if options.write:
        PAGE.write_text(text, "utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
