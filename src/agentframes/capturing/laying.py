# SPDX-License-Identifier: Apache-2.0
"""Laying a recording down as a capture folder: described, sanitized, compressed where large."""

from __future__ import annotations

import datetime as dt
import gzip
import os
import shutil

from msgspec import Struct

from agentframes import engines
from agentframes.capturing.compare import kinds
from agentframes.capturing.inside import Result
from agentframes.capturing.sanitizing import Known, sanitize_folder
from agentframes.lines import as_unicode
from agentframes.reading import observe
from agentframes.toml import to_toml

LARGE = 64 * 1024  # bytes of output above which it is stored compressed


class Origin(Struct, kw_only=True, frozen=True):
    """Where a recording comes from."""

    engine: str
    version: str
    name: str
    shows: str
    isolated: str
    """How it was shut in; "none": it was not."""
    variant: str = ""
    live: bool = False
    """Whether the user's own CLI, account and model were at work."""


def describe(origin: Origin, result: Result, date: dt.date) -> dict[str, object]:
    """Gather the keys of `capture.toml`, in the order in which they are written."""
    recording = result.recording
    return {
        "engine": origin.engine,
        "version": origin.version,
        "family": ".".join(origin.version.split(".")[:2]) + ".x",
        "argv": [as_unicode(part) for part in result.argv],
        "stdin": None if result.stdin is None else as_unicode(result.stdin),
        "exit_code": recording.exit_code,
        "signal": recording.signal or recording.stopped,
        "date": date,
        "transport": None,
        "sanitized": False,
        "scrubbed": [],
        "synthetic": False,
        "notes": _notes(origin, result),
        "claims": [origin.shows, *_ending(result)],
        "expected_kinds": [],
        "lab": f"capture-{origin.engine}-{origin.version}-{origin.name}",
    }


def _notes(origin: Origin, result: Result) -> str:
    if origin.live:
        parts = ["real CLI with its user's own account"]
    else:
        parts = ["real CLI against a scripted model server on loopback"]
        parts.append("no network" if origin.isolated != "none" else "the network was not shut off")
    if origin.variant:
        variants = engines.capture_setup(origin.engine).variants
        parts += [variants[part] for part in origin.variant.split("--")]
    if result.changed:
        parts.append("files afterwards: " + ", ".join(line.strip() for line in result.changed))
    return "; ".join(parts)


def _ending(result: Result) -> list[str]:
    recording = result.recording
    found = []
    if not recording.stdout_bytes:
        found.append("nothing was printed")
    code = recording.exit_code
    found.append("ended by a signal" if code is None else f"exit status {code}")
    if recording.over:
        found.append("the CLI did not end by itself, the recorder's SIGTERM ended it")
    if recording.problem:
        found.append(recording.problem)
    return found


def lay(source: str, target: str, table: dict[str, object], known: Known) -> None:
    """Write a recording to its place, sanitized; what was there is replaced at the end."""
    _describe_in(source, table)
    told = observe(source)
    transport = _silent(source) or told[-1].transport or "text"
    _describe_in(source, {**table, "transport": transport, "expected_kinds": kinds(told)})
    beside = f"{target}.new"
    shutil.rmtree(beside, ignore_errors=True)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    sanitize_folder(source, beside, known)
    compress(beside)
    shutil.rmtree(target, ignore_errors=True)
    os.rename(beside, target)


def _silent(folder: str) -> str | None:
    """Return how a CLI was to print that printed nothing: its file was named for that."""
    for name, transport in (("stdout.json", "json"), ("stdout.jsonl", "jsonl")):
        path = os.path.join(folder, name)
        if os.path.exists(path) and not os.path.getsize(path):
            return transport
    return None


def _describe_in(folder: str, table: dict[str, object]) -> None:
    with open(os.path.join(folder, "capture.toml"), "w", encoding="utf-8", newline="\n") as file:
        file.write(to_toml(table))


def compress(folder: str) -> None:
    """Compress outputs that are large; the same bytes give the same file."""
    for name in ("stdout.jsonl", "stdout.json", "stderr.txt"):
        path = os.path.join(folder, name)
        if not os.path.exists(path) or os.path.getsize(path) <= LARGE:
            continue
        with (
            open(path, "rb") as plain,
            open(f"{path}.gz", "wb") as packed,
            gzip.GzipFile("", "wb", 9, packed, mtime=0) as file,
        ):
            shutil.copyfileobj(plain, file)
        os.remove(path)
