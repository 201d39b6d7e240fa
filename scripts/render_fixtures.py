# SPDX-License-Identifier: Apache-2.0
"""Render the fixtures of the conversation, in exactly three tiers, under tests/snapshots/.

content   each body of the content matrix, through each engine's envelope: its typed payloads
events    every event of every capture, a line each
novelty   frames that no manifest names, put into captures: a row that names them, and nothing more

`make render-fixtures` writes them; `--check`, and a test, tell which are not what is committed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

# Run as a program, this folder alone would be searched.
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

import agentframes as af  # noqa: E402
from agentframes import engines  # noqa: E402
from agentframes.captures import open_folder  # noqa: E402
from agentframes.conversation import EventStream  # noqa: E402
from agentframes.events.model import ConversationEvent, TaskAgentMessage, UnknownFrame  # noqa: E402
from agentframes.lines import chunks, open_path  # noqa: E402
from scripts.fixture_content import ANSWER, BODIES, enveloped, newest  # noqa: E402
from scripts.fixture_rows import row, rows  # noqa: E402
from tests.novel import PLANTED  # noqa: E402

SNAPSHOTS = ROOT / "tests" / "snapshots"
CORPUS = ROOT / "corpus"
WIDTH = 200  # characters of a payload's text

Files = dict[str, str]
"""What each file of a tier holds, by its name."""


def events_of(folder: Path) -> list[ConversationEvent]:
    """Project a capture under a name that is the same everywhere."""
    capture = open_folder(str(folder))
    name = str(folder.relative_to(CORPUS))
    prompt = None
    if capture.engine is not None:
        prompt = engines.get(capture.engine).prompt(capture.argv, capture.stdin)
    stream = EventStream(
        engine=capture.engine, cli_version=capture.version, label=name, prompt=prompt
    )
    with open_path(capture.stdout) as file:
        for chunk in chunks(file):
            stream.feed(chunk)
    stream.close(exit_code=capture.exit_code, stderr=None)
    return stream.drain()


def events() -> Files:
    """Render every capture: a file for each version, a section for each scenario."""
    folders = sorted(path.parent for path in CORPUS.glob("*/*/*/capture.toml"))
    files = {}
    for version, captures in groupby(folders, lambda folder: folder.parent):
        sections = [f"## {folder.name}\n\n{rows(events_of(folder))}" for folder in captures]
        files[f"{version.parent.name}-{version.name}.txt"] = "\n".join(sections)
    return files


def content() -> Files:
    """Render the content matrix; where all engines yield the same payloads, they are named once."""
    sections = []
    for name, body in BODIES.items():
        told: dict[str, list[str]] = {}
        for engine in engines.names():
            told.setdefault(_payloads(engine, body), []).append(engine)
        for payloads, named in told.items():
            who = "all engines" if len(named) == len(engines.names()) else ", ".join(named)
            sections.append(f"## {name} ({who})\n\n{payloads}")
    return {"matrix.txt": "\n".join(sections)}


def _payloads(engine: str, body: str) -> str:
    told = af.read(enveloped(engine, body), events=True).events
    said = [event for event in told if isinstance(event, TaskAgentMessage)]
    lines = [_payload(payload) for payload in said[-1].content] if said else ["(nothing was said)"]
    return "".join(f"{line}\n" for line in lines)


def _payload(payload: msgspec.Struct) -> str:
    fields = msgspec.to_builtins(payload)
    kind = fields.pop("type")
    for key, value in fields.items():
        if isinstance(value, str) and len(value) > WIDTH:
            fields[key] = f"{value[:WIDTH]}… ({len(value)} characters)"
    return f"{kind} {json.dumps(fields, ensure_ascii=True)}"


def novelty() -> Files:
    """Render each novel frame between the first frame of a capture and its second."""
    sections = []
    for engine, kind, frame in PLANTED:
        folder = newest(engine) / ANSWER
        printed = (folder / "stdout.jsonl").read_bytes()
        first, _, rest = printed.partition(b"\n")
        planted = b"\n".join((first, json.dumps(frame).encode(), rest))
        before = af.read(printed, engine=engine, cli_version=folder.parent.name, events=True)
        after = af.read(planted, engine=engine, cli_version=folder.parent.name, events=True)
        unknown = [event for event in after.events if isinstance(event, UnknownFrame)]
        more = len(after.events) - len(before.events) - len(unknown)
        told = "".join(f"{row(event)}\n" for event in unknown) + f"{more} other events more\n"
        sections.append(f"## {engine} {kind}\n\n{told}")
    return {"probes.txt": "\n".join(sections)}


TIERS: dict[str, Callable[[], Files]] = {"content": content, "events": events, "novelty": novelty}


def stale(tier: str, files: Files) -> dict[Path, str | None]:
    """Return the files of a tier that are not what is on disk, with what they must hold."""
    folder = SNAPSHOTS / tier
    wanted: dict[Path, str | None] = {folder / name: text for name, text in files.items()}
    kept = {path: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
    gone: dict[Path, str | None] = dict.fromkeys(kept.keys() - wanted.keys())
    return gone | {path: text for path, text in wanted.items() if kept.get(path) != text}


def main() -> int:
    """Write all tiers, or tell which files would change."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on a change")
    options = parser.parse_args()
    changed = 0
    for tier, render in TIERS.items():
        wanted = render()
        files = stale(tier, wanted)
        changed += len(files)
        print(f"{tier}: {len(files)} of {len(wanted)} files changed")
        for path, text in files.items():
            print(f"  {path.relative_to(ROOT)}")
            if options.check:
                continue
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    return int(options.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
