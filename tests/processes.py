# SPDX-License-Identifier: Apache-2.0
"""Processes to be recorded, and what there is to see of them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 20  # seconds for what takes a tenth of one

# What a child begins with that prints bytes.
PRINT = """
import os, signal, subprocess, sys, time
def say(data):
    os.write(1, data if isinstance(data, bytes) else data.encode())
"""


def python(code: str) -> list[str]:
    """Write a command that runs code which can `say` something."""
    return [sys.executable, "-c", PRINT + code]


def times(folder: Path) -> list[float]:
    """Return the times of a recording, the lines of which must be numbered from 1 on."""
    rows = [json.loads(row) for row in (folder / "timing.jsonl").read_bytes().splitlines()]
    assert list(range(1, len(rows) + 1)) == [row["line"] for row in rows]
    assert all(row.keys() == {"line", "ms"} for row in rows)
    return [row["ms"] for row in rows]


def files(folder: Path) -> set[str]:
    """Return the names of what stands in a folder."""
    return {path.name for path in folder.iterdir()}


def until(happened: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pid: int) -> None:
    """Wait until a process is gone; it was killed, but need not have ended yet."""
    until(lambda: not runs(pid))
