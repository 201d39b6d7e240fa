# SPDX-License-Identifier: Apache-2.0
"""What real CLIs printed, for tests that read it: the corpus and the native contract's fixtures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NATIVE = ROOT / "tests/fixtures/native"

FIXTURES = {
    "claude": NATIVE / "claude-p-json.txt",
    "codex": NATIVE / "codex-exec-json.jsonl",
    "opencode": NATIVE / "opencode-format-json.jsonl",
    "copilot": NATIVE / "copilot-json.jsonl",
}


def fixture(engine: str) -> bytes:
    """Return the native fixture of an engine."""
    return FIXTURES[engine].read_bytes()


def capture(name: str) -> bytes:
    """Return what a run of the corpus printed."""
    path = next((ROOT / "corpus" / name).glob("stdout.json*"))
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def base(name: str) -> bytes:
    """Return a capture of an engine that the corpus does not hold yet."""
    return (NATIVE / "base" / f"{name}.jsonl").read_bytes()


def frames(printed: bytes) -> list[dict[str, Any]]:
    """Decode lines of frames by the standard library alone."""
    return [json.loads(line) for line in printed.split(b"\n") if line]


def lines(*wanted: dict[str, Any]) -> str:
    """Write frames as a CLI prints them."""
    return "".join(f"{json.dumps(frame, ensure_ascii=False)}\n" for frame in wanted)


def claude(**changed: Any) -> str:
    """Return claude's fixture with fields of its envelope changed; None leaves a field out."""
    envelope = frames(fixture("claude"))[0] | changed
    return lines({key: value for key, value in envelope.items() if value is not None})


def codex(*answers: str) -> str:
    """Return codex's fixture with an agent message for each answer in place of its one."""
    wanted = []
    for frame in frames(fixture("codex")):
        item = frame.get("item", {})
        if item.get("type") == "agent_message":
            wanted += [frame | {"item": item | {"text": answer}} for answer in answers]
        else:
            wanted.append(frame)
    return lines(*wanted)
