# SPDX-License-Identifier: Apache-2.0
"""Measure agentframes, and hold it against its targets and against other readers.

    .venv-bench/bin/python benchmarks/run.py [--large] [--write] [--page facts]

Prints a table a section; with --write, a page of docs/ is written when all its sections are
measured: performance.md of the facts, performance-events.md of the conversation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import decoding, events, measure, others, processes, streams
from benchmarks.bench import Bench
from benchmarks.measure import MB
from benchmarks.page import Section, page

DOCS = streams.ROOT / "docs"
UNITS = {"": 1, "KB": 1000, "MB": MB, "GB": 1000 * MB}

Sections = dict[str, Callable[[Bench], Section]]

# Start-up first, while the machine is cool; `limits` works on what `decode` measured.
FACTS: Sections = {
    "startup": processes.startup,
    "decode": decoding.decode,
    "limits": decoding.limits,
    "whole": processes.whole,
    "memory": processes.memory,
    "others": others.others,
}
EVENTS: Sections = {
    "events": events.projection,
    "live": events.live,
    "events-memory": events.memory,
    "calls": others.calls,
}
PAGES: dict[str, tuple[str, str, Sections]] = {
    "facts": ("performance.md", "Performance", FACTS),
    "events": ("performance-events.md", "Performance of the conversation", EVENTS),
}
SECTIONS: Sections = FACTS | EVENTS


def size(text: str) -> int:
    """Read a size: 100MB, 1GB."""
    told = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]B|)", text.upper())
    if told is None:
        raise argparse.ArgumentTypeError(f"not a size: {text!r} (100MB, 1GB)")
    return int(float(told[1]) * UNITS[told[2]])


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add("--size", type=size, default=100 * MB, help="bytes of each stream (100MB)")
    add("--large", action="store_true", help="measure whole processes on 1 GB, too")
    add("--engine", action="append", choices=streams.ENGINES, help="this engine only; repeatable")
    add("--rounds", type=int, default=5, help="rounds of what is quick (5); 2 or 3 of the rest")
    add("--only", action="append", choices=SECTIONS, help="this section only; repeatable")
    add("--page", action="append", choices=PAGES, help="this page's sections only; repeatable")
    add("--write", action="store_true", help="write the pages")
    return made


def main() -> int:
    """Measure what is asked for; return the exit status."""
    options = parser().parse_args()
    if options.write and (options.only or options.engine):
        parser().error("--write takes all sections and engines: no --only and no --engine")
    pages = [PAGES[name] for name in options.page or PAGES]
    wanted = set(options.only or (name for *_, sections in pages for name in sections))
    if "limits" in wanted:
        wanted.add("decode")
    bench = Bench(
        engines=options.engine or streams.ENGINES,
        size=options.size,
        large=1000 * MB if options.large else None,
        rounds=options.rounds,
        say=lambda told: print(told, file=sys.stderr),
    )
    told_machine = measure.machine()
    command = " ".join(["benchmarks/run.py", *sys.argv[1:]])
    for file, title, sections in pages:
        told = []
        for name, make in sections.items():
            if name in wanted:
                told.append(make(bench))
                print(told[-1].text(), flush=True)
        whole = page(title, told_machine, told, f"`{command}`, best of {options.rounds}.")
        if options.write:
            (DOCS / file).write_text(whole, encoding="utf-8")
        elif told:
            print(whole.partition("## Measured on")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
