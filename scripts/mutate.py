# SPDX-License-Identifier: Apache-2.0
"""Read every capture cut at every byte, and damaged in every way that `tests.mutations` knows.

Reading must return, must not call a run a success whose terminal frame is gone, and must tell the
same facts whichever way the bytes are read. Exits 1 where anything else was found; the smallest
input of each sort of find is written down.

    python scripts/mutate.py                       # everything
    python scripts/mutate.py --engine codex --each 100 --seed 7 --cuts 50
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

# Run as a program, this folder alone would be searched.
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import agentframes as af  # noqa: E402
from tests.mutations import MUTATIONS, Printed, cut, dice, mutant  # noqa: E402
from tests.readings import (  # noqa: E402
    Cuts,
    Find,
    at_once,
    disagreements,
    false_successes,
    other_doors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WHATS = ("exception", "false success", "full", "watched", "lines", "chunks", "signals", "events")
CUT = "cut"
PLAIN = "stdout.jso*[nl]"  # what is not compressed
EVERY = 997  # of so many cuts one is read in every way: a prime, to come by all columns
DOORS = 5  # of so many mutants one is given to the other functions, which cost more
SIZES = (1, 7, 64, 300, 4096)  # bytes, of parts and pieces
TRIES = 400  # readings that making a find smaller may take


class Task(NamedTuple):
    """One capture, and what is to be done to it."""

    name: str
    each: int
    seed: int
    cuts: int | None
    others: tuple[bytes, ...]


class Case(NamedTuple):
    """A find, and the bytes that show it."""

    find: Find
    data: bytes
    where: str


class Report:
    """What came of some captures: tried and found by (engine, sort), the smallest case of each."""

    def __init__(self) -> None:
        self.tried: Counter[tuple[str, str]] = Counter()
        self.found: Counter[tuple[str, str, str]] = Counter()
        self.cases: dict[tuple[str, str, str], Case] = {}

    def add(self, engine: str, sort: str, case: Case) -> None:
        """Count a find and keep it if it is the smallest of its sort."""
        key = (engine, sort, case.find.what)
        self.found[key] += 1
        if key not in self.cases or len(case.data) < len(self.cases[key].data):
            self.cases[key] = case

    def merge(self, other: Report) -> None:
        """Take in what came of other captures."""
        self.tried.update(other.tried)
        counts = other.found
        for (engine, sort, _), case in other.cases.items():
            self.add(engine, sort, case)
        self.found.update({key: count - 1 for key, count in counts.items()})


def capture(name: str) -> bytes:
    """Return what a capture's CLI printed."""
    return next((ROOT / "corpus" / name).glob(PLAIN)).read_bytes()


def captures(engine: str) -> list[str]:
    """Name the captures, the largest first, so that no job is left with it at the end.

    Those that are stored compressed are left out: cut at every byte, each would take hours.
    """
    paths = (ROOT / "corpus").glob(f"{engine}/*/*/{PLAIN}")
    ordered = sorted(paths, key=lambda path: (-path.stat().st_size, path))
    return [str(path.parent.relative_to(ROOT / "corpus")) for path in ordered]


def lines_to_graft() -> tuple[bytes, ...]:
    """Return the first and the last line of every capture: these begin and end runs."""
    lines: set[bytes] = set()
    for name in captures("*"):
        printed = capture(name).rstrip(b"\n").split(b"\n")
        lines.update((printed[0], printed[-1]))
    return tuple(sorted(lines))


# --- one capture ---------------------------------------------------------------------------------


def run(task: Task) -> Report:
    """Cut and mutate one capture."""
    report = Report()
    data = capture(task.name)
    _cut(task, data, report)
    engine = task.name.split("/")[0]
    printed = Printed(data, task.others)
    for sort in MUTATIONS:
        for number in range(task.seed, task.seed + task.each):
            damaged = mutant(printed, sort, task.name, number)
            report.tried[engine, sort] += 1
            doors = number % DOORS == 0
            for find in finds(damaged, engine, sizes(number), doors=doors):
                report.add(engine, sort, Case(find, damaged, f"{task.name} number {number}"))
    return report


def sizes(number: int) -> list[int]:
    """Choose two sizes of parts for a mutant."""
    return dice(str(number)).sample(SIZES, 2)


def finds(data: bytes, engine: str, parts: list[int], *, doors: bool = True) -> Iterator[Find]:
    """Yield all that is wrong with how some bytes are read."""
    try:
        runs = at_once(data)
        yield from false_successes(runs, data)
        yield from disagreements(runs, data, parts, engine)
        if doors:
            other_doors(data, engine)
    except Exception:  # noqa: BLE001 - whatever it is, it is a find
        yield Find("exception", traceback.format_exc()[-1500:])


def _cut(task: Task, data: bytes, report: Report) -> None:
    """Cut a capture; all that a cut costs is one reading, for most of them."""
    engine = task.name.split("/")[0]
    places: Sequence[int] = range(len(data) + 1)
    if task.cuts is not None and task.cuts < len(places):
        places = dice(f"{task.name} {task.seed}").sample(places, task.cuts)
    rule = Cuts(data)
    for at in places:
        rest = cut(data, at)
        report.tried[engine, CUT] += 1
        try:
            found = list(rule.false_successes(af.read_all(rest), at))
        except Exception:  # noqa: BLE001 - whatever it is, it is a find
            found = [Find("exception", traceback.format_exc()[-1500:])]
        if at % EVERY == 0:
            found += finds(rest, engine, sizes(at))
        for find in found:
            report.add(engine, CUT, Case(find, rest, f"{task.name} cut at {at}"))


# --- the answer ----------------------------------------------------------------------------------


def smaller(data: bytes, shows: Callable[[bytes], bool]) -> bytes:
    """Take lines out, then bytes, as long as the find still shows."""
    tries = TRIES
    for unit in (b"\n", b",", b""):
        pieces = data.split(unit) if unit else [data[at : at + 1] for at in range(len(data))]
        size = len(pieces) // 2
        while size and tries:
            at = 0
            while at < len(pieces) and tries:
                fewer = pieces[:at] + pieces[at + size :]
                tries -= 1
                if shows(unit.join(fewer)):
                    pieces = fewer
                else:
                    at += size
            size //= 2
        data = unit.join(pieces)
    return data


def write(case: Case, key: tuple[str, str, str], folder: Path) -> Path:
    """Make a find's input as small as it goes, and write it down."""
    engine, sort, what = key
    data = case.data
    if sort != CUT:  # that a frame was cut does not show in what is left
        for parts in ([1, 300], [7, 64], [4096, 1]):
            shown = data

            def shows(tried: bytes, parts: list[int] = parts) -> bool:
                return any(find.what == what for find in finds(tried, engine, parts))

            if shows(shown):
                data = smaller(data, shows)
                break
    path = folder / f"{engine}-{sort}-{what.replace(' ', '-')}.txt"
    path.write_bytes(data)
    return path


def table(report: Report) -> str:
    """Print what was tried and found, a row for each engine and sort of mutation."""
    rows = [f"{'engine':9}{'mutation':10}{'tried':>9}" + "".join(f"{what:>15}" for what in WHATS)]
    for (engine, sort), tried in sorted(report.tried.items()):
        counts = (report.found[engine, sort, what] for what in WHATS)
        rows.append(f"{engine:9}{sort:10}{tried:9,}" + "".join(f"{count:15,}" for count in counts))
    total = f"{'all':19}{report.tried.total():9,}"
    for what in WHATS:
        total += f"{sum(n for (_, _, found), n in report.found.items() if found == what):15,}"
    return "\n".join([*rows, total])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--engine", default="*", help="one engine's captures (default: all)")
    parser.add_argument("--each", type=int, default=10, help="mutants of a sort and capture")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--cuts", default="all", help="cuts of a capture: a number, or all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, help="where inputs that show a find are written")
    return parser.parse_args()


def _progress(report: Report, count: int, of: int, seconds: float) -> None:
    """Tell how far it is: at a terminal on one line, in a log now and then."""
    live = sys.stderr.isatty()
    if live or count % 50 == 0 or count == of:
        words = f"{count} of {of} captures, {report.tried.total():,} inputs, "
        end = "\r" if live and count < of else "\n"
        sys.stderr.write(f"{words}{report.found.total()} finds, {seconds:.0f} s{end}")
        sys.stderr.flush()


def main() -> int:
    """Try all captures; tell what was found."""
    options = arguments()
    cuts = None if options.cuts == "all" else int(options.cuts)
    others = lines_to_graft()
    names = captures(options.engine)
    report, begun = Report(), time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = (Task(name, options.each, options.seed, cuts, others) for name in names)
        for count, done in enumerate(as_completed([pool.submit(run, task) for task in tasks]), 1):
            report.merge(done.result())
            _progress(report, count, len(names), time.monotonic() - begun)
    print(table(report))
    if not report.cases:
        return 0
    folder = options.keep or Path(tempfile.mkdtemp(prefix="mutants-"))
    folder.mkdir(parents=True, exist_ok=True)
    for key, case in sorted(report.cases.items()):
        path = write(case, key, folder)
        print(f"\n{' '.join(key)}: {case.where}\n  {path}\n  {case.find.words}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
