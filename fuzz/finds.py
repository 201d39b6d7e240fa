# SPDX-License-Identifier: Apache-2.0
"""Inputs that break a property: kept once each, made smaller, and reported."""

from __future__ import annotations

import re
import time
from pathlib import Path

from fuzz.properties import check_all, signature

SHRINK_SECONDS = 10.0
SHOWN_BYTES = 400
BY_LIBFUZZER = ("timeout-", "oom-", "crash-", "leak-", "slow-unit-")

_smallest: dict[str, int] = {}


def keep(folder: Path, printed: bytes, error: Exception) -> None:
    """Write an input down under the name of what it breaks, if it is the smallest that does."""
    name = signature(error)
    if len(printed) >= _smallest.get(name, len(printed) + 1):
        return
    _smallest[name] = len(printed)
    (folder / re.sub(r"[^\w.]+", "-", name)).write_bytes(printed)


def listed(folder: Path) -> dict[Path, int]:
    """List the kept inputs and when each was written; a slow one alone is no find."""
    return {
        path: path.stat().st_mtime_ns
        for path in sorted(folder.iterdir())
        if not path.name.startswith("slow-unit-")
    }


def report(path: Path) -> None:
    """Make an input smaller and tell what it breaks, and how to see it again."""
    if not path.name.startswith(BY_LIBFUZZER):
        error = _failure(path.read_bytes())
        if error is not None:
            path.write_bytes(shrunk(path.read_bytes(), signature(error)))
            error = _failure(path.read_bytes()) or error
        told = "it does not break again" if error is None else f"{type(error).__name__}: {error}"
        print(f"find: {told[:600]}")
    else:
        print(f"find: {path.name.partition('-')[0]}")
    shown = path.read_bytes()
    print(f"  input ({len(shown)} bytes): {shown[:SHOWN_BYTES]!r}")
    print(f"  python fuzz/fuzz_readers.py --reproduce {path}")


def shrunk(printed: bytes, name: str) -> bytes:
    """Leave out lines, then pieces of bytes, for as long as the same property breaks."""
    until = time.monotonic() + SHRINK_SECONDS
    lines = [line + b"\n" for line in printed.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    kept = _without(lines, name, until)
    return b"".join(_without([bytes((byte,)) for byte in b"".join(kept)], name, until))


def _without(parts: list[bytes], name: str, until: float) -> list[bytes]:
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts) and time.monotonic() < until:
            fewer = parts[:at] + parts[at + size :]
            error = _failure(b"".join(fewer))
            if error is not None and signature(error) == name:
                parts = fewer
            else:
                at += size
        size //= 2
    return parts


def _failure(printed: bytes) -> Exception | None:
    try:
        check_all(printed)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        return error
    return None
