# SPDX-License-Identifier: Apache-2.0
"""Turn recorded runs (`<cli>/<version>/<scenario>/` with a meta.json) into corpus folders.

Output bytes are copied as they are; only `capture.toml` is written anew. Of the recorded
environment nothing is kept: what a reader needs is the command line and what came out.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentframes.toml import to_toml
from scripts import capture_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Frame: TypeAlias = dict[str, Any]
Kinds: TypeAlias = "Callable[[Frame], Iterator[str]]"

COPIED = ("stderr.txt", "timing.jsonl")


def claude_kinds(frame: Frame) -> Iterator[str]:
    """Name a claude frame, once for each content block: that is where it can drift."""
    kind = str(frame.get("type"))
    if kind in ("assistant", "user"):
        content = frame["message"]["content"]
        blocks = [{"type": "text"}] if isinstance(content, str) else content
        yield from (f"{kind}/{block['type']}" for block in blocks) if blocks else (kind,)
    elif kind == "stream_event":
        event = frame["event"]
        inner = event.get("delta") or event.get("content_block") or {}
        # message_delta has a delta too, but an untyped one.
        yield "/".join(part for part in (kind, event["type"], inner.get("type")) if part)
    elif "subtype" in frame:
        yield f"{kind}/{frame['subtype']}"
    else:
        yield kind


def codex_kinds(frame: Frame) -> Iterator[str]:
    """Name a codex frame; lines of the legacy transport carry their kind in `msg`."""
    if "msg" in frame:
        yield f"legacy/{frame['msg']['type']}"
    elif "item" in frame:
        item = frame["item"]
        # The experimental form has another name for the item's type.
        yield f"{frame['type']}/{item.get('type') or item['item_type']}"
    elif "type" in frame:
        yield str(frame["type"])
    elif set(frame) == {"prompt"}:
        yield "legacy/(prompt)"
    else:
        yield "legacy/(summary)" if "workdir" in frame else "(untyped)"


def gemini_kinds(frame: Frame) -> Iterator[str]:
    """Name a gemini frame by its role, too; the json mode's one object has no type."""
    if "type" not in frame:
        yield "(document)" if {"response", "stats", "error"} & set(frame) else "(untyped)"
    elif frame["type"] == "message":
        yield f"message/{frame.get('role')}"
    else:
        yield str(frame["type"])


def typed_kinds(frame: Frame) -> Iterator[str]:
    """Name a frame of copilot or opencode: the type says it all."""
    yield str(frame.get("type", "(untyped)"))


# One function an engine: this table is all that a new one needs here.
KINDS: dict[str, Kinds] = {
    "claude": claude_kinds,
    "codex": codex_kinds,
    "copilot": typed_kinds,
    "gemini": gemini_kinds,
    "opencode": typed_kinds,
}


def read_frames(stdout: bytes, *, single: bool) -> list[Frame]:
    """Decode what can be decoded; text lines and cut lines have no kind to record."""
    if single:
        try:
            document = json.loads(stdout)
        except ValueError:
            return []
        found = document if isinstance(document, list) else [document]
    else:
        found = []
        for line in stdout.split(b"\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return [frame for frame in found if isinstance(frame, dict)]


def transport_of(stdout: bytes, frames: list[Frame], *, single: bool) -> str:
    """Name the transport by what was printed, not by what the recorder called it."""
    if single:
        return "json-array" if stdout.lstrip().startswith(b"[") else "json"
    return "legacy" if any("msg" in frame for frame in frames) else "jsonl"


def describe(engine: str, folder: Path, meta: dict[str, Any], stdout: Path) -> dict[str, object]:
    """Gather the keys of `capture.toml` in the order in which they are written."""
    version, scenario = str(meta["version"]), folder.name
    raw, single = stdout.read_bytes(), stdout.suffix == ".json"
    frames = read_frames(raw, single=single)
    transport = transport_of(raw, frames, single=single)
    killed = meta.get("killed") or {}
    return {
        "engine": engine,
        "version": version,
        "family": ".".join(version.split(".")[:2]) + ".x",
        "argv": list(meta["argv"]),
        "stdin": meta["stdin"],
        "exit_code": meta["exit_code"],
        "signal": meta.get("exit_signal") or killed.get("signal"),
        "date": dt.date.fromisoformat(meta["captured"]),
        "transport": transport,
        "sanitized": True,
        "scrubbed": list(meta["scrubbing"]),
        "synthetic": False,
        "notes": capture_notes.notes(scenario, meta),
        "claims": capture_notes.claims(engine, version, scenario, transport, meta),
        "expected_kinds": sorted({kind for frame in frames for kind in KINDS[engine](frame)}),
        "lab": f"capture-{engine}-{version}-{scenario}",
    }


def stdout_of(folder: Path) -> Path:
    """Find the one file of recorded output."""
    sources = [path for path in (folder / "stdout.jsonl", folder / "stdout.json") if path.exists()]
    if len(sources) != 1:
        raise ValueError(f"{folder.name}: expected exactly one stdout file")
    return sources[0]


def wanted(folders: list[Path], skip: list[str]) -> Iterator[Path]:
    """Leave out what was asked for, and empty outputs that ended like another of the version."""
    empty: set[tuple[str, object]] = set()
    for folder in folders:
        if any(fnmatch(folder.name, pattern) for pattern in skip):
            continue
        if stdout_of(folder).stat().st_size == 0:
            meta = json.loads((folder / "meta.json").read_text("utf-8"))
            ending = folder.parent.name, meta["exit_code"]
            if ending in empty:
                continue
            empty.add(ending)
        yield folder


def import_capture(engine: str, folder: Path, into: Path) -> Path:
    """Write one corpus folder and return it."""
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    if meta["cli"] != engine:
        raise ValueError(f"{folder.name}: meta.json says {meta['cli']}, the folder {engine}")
    stdout = stdout_of(folder)
    target = into / engine / str(meta["version"]) / folder.name
    target.mkdir(parents=True, exist_ok=True)
    for name in (stdout.name, *COPIED):
        # The bytes alone: the source's file mode is of no interest here.
        (target / name).write_bytes((folder / name).read_bytes())
    (target / "capture.toml").write_text(
        to_toml(describe(engine, folder, meta, stdout)), "utf-8", newline="\n"
    )
    return target


def main(argv: list[str] | None = None) -> int:
    """Import every capture below SRC_ROOT of the engines asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", metavar="SRC_ROOT", type=Path)
    parser.add_argument("--engine", action="append", choices=sorted(KINDS), help="default: all")
    parser.add_argument(
        "--skip", action="append", default=[], metavar="GLOB", help="scenarios to leave out"
    )
    parser.add_argument("--into", required=True, type=Path, metavar="CORPUS")
    options = parser.parse_args(argv)
    total = 0
    for engine in options.engine or sorted(KINDS):
        folders = sorted(meta.parent for meta in (options.source / engine).glob("*/*/meta.json"))
        kept = list(wanted(folders, options.skip))
        for folder in kept:
            import_capture(engine, folder, options.into)
        print(f"{engine}: {len(kept)} of {len(folders)} captures", file=sys.stderr)
        total += len(kept)
    return 0 if total else 2


if __name__ == "__main__":
    sys.exit(main())
