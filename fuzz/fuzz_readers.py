# SPDX-License-Identifier: Apache-2.0
"""Fuzz the readers, guided by coverage: `python fuzz/fuzz_readers.py --seconds 60`.

This program writes the seeds and starts one fuzzer (`worker.py`) a job. An input that breaks a
property is kept in fuzz/.finds, one for each way to break it, and the fuzzer goes on; at the end
each is made smaller and told. The exit status is 0 without a find, 1 with some, 2 where atheris
is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(HERE.parent))

from fuzz import finds, properties, seeds  # noqa: E402 - the path comes first

SEEDS = HERE / ".corpus" / "seeds"
GROWN = HERE / ".corpus" / "grown"
DICTIONARY = HERE / ".corpus" / "frames.dict"
FINDS = HERE / ".finds"
NEEDED = "fuzz: atheris is not installed here; `make fuzz` sets it up in .venv-fuzz (Linux only)"

MAX_BYTES = 8 * 1024  # an input's; nine captures of ten are no longer
HANG_SECONDS = 120  # of the clock: a shared machine may give a process little of it
MEMORY_MB = 2048
GRACE_SECONDS = 60  # a fuzzer that has not ended by then hangs

_STATS = re.compile(rb"^#(\d+)\s.*\bcov: (\d+) .*\bcorp: (\d+)", re.MULTILINE)


@dataclass
class Job:
    """One fuzzer at work, and where it writes what it says."""

    process: subprocess.Popen[bytes]
    log: Path

    def stats(self) -> tuple[int, int, int]:
        """Give executions, coverage and size of the corpus, as it said last."""
        lines = _STATS.findall(self.log.read_bytes())
        executions, coverage, inputs = lines[-1] if lines else (0, 0, 0)
        return int(executions), int(coverage), int(inputs)


def start(number: int, seconds: int, seed: int) -> Job:
    """Start one fuzzer; jobs find each other's inputs in the folder of grown ones."""
    log = HERE / ".corpus" / f"job-{number}.log"
    command = [
        sys.executable, str(HERE / "worker.py"), str(GROWN), str(SEEDS),
        f"-max_total_time={seconds}", f"-max_len={MAX_BYTES}", f"-timeout={HANG_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}", f"-dict={DICTIONARY}", f"-artifact_prefix={FINDS}/",
        f"-seed={seed + number}", "-reload=1", "-print_final_stats=1", "-verbosity=1",
    ]  # fmt: skip
    with log.open("wb") as out:
        return Job(subprocess.Popen(command, stdout=out, stderr=out), log)


def wait(job: Job, until: float) -> bool:
    """Wait for a fuzzer to end; tell whether it ended as it should."""
    try:
        return job.process.wait(max(1.0, until - time.monotonic())) == 0
    except subprocess.TimeoutExpired:
        job.process.kill()
        job.process.wait()
        return False


def fuzz(seconds: int, jobs: int, seed: int) -> int:
    """Fuzz for as long as asked, and report."""
    for folder in (GROWN, FINDS):
        folder.mkdir(parents=True, exist_ok=True)
    count = seeds.write(SEEDS)
    seeds.write_dictionary(DICTIONARY)
    before = finds.listed(FINDS)
    print(f"fuzz: {count} seeds, {jobs} job(s), {seconds} s, seed {seed}", flush=True)
    until = time.monotonic() + seconds + GRACE_SECONDS
    running = [start(number, seconds, seed) for number in range(jobs)]
    died = [job for job in running if not wait(job, until)]
    found = [path for path, size in finds.listed(FINDS).items() if before.get(path) != size]
    for path in found:
        finds.report(path)
    for job in died:
        print(f"fuzz: a fuzzer ended before its time; the end of {job.log}:")
        print(job.log.read_text("utf-8", "replace")[-2000:])
    stats = [job.stats() for job in running]
    print(
        f"fuzz: {seconds} s, {sum(executions for executions, _, _ in stats)} executions,"
        f" corpus {max(inputs for _, _, inputs in stats)} inputs,"
        f" coverage {max(coverage for _, coverage, _ in stats)}, {len(found)} finds"
    )
    return 1 if found or died else 0


def reproduce(path: Path) -> int:
    """Hold one input against every property, without a fuzzer; its error shows as it is."""
    properties.check_all(path.read_bytes())
    print(f"fuzz: {path}: every property holds")
    return 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="how long (default: 60)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument("--seed", type=int, help="of the random choices (default: the clock)")
    parser.add_argument("--reproduce", type=Path, metavar="FILE", help="check this input only")
    options = parser.parse_args()
    if options.reproduce is not None:
        return reproduce(options.reproduce)
    if importlib.util.find_spec("atheris") is None:
        print(NEEDED, file=sys.stderr)
        return 2
    seed = int(time.time()) % 2**31 if options.seed is None else options.seed
    return fuzz(options.seconds, options.jobs, seed)


if __name__ == "__main__":
    sys.exit(main())
