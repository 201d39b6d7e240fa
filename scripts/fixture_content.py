# SPDX-License-Identifier: Apache-2.0
"""The content matrix: what agents write, to be put into each engine's own envelope."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"
ANSWER = "s03-shell"
SAID = "The command printed hello."
"""What the model said in that scenario, in every engine's capture."""

LONG = "x" * 12_000

BODIES = {
    "csharp": "Here:\n\n```csharp\npublic sealed record Point(int X, int Y);\n```\n",
    "python": '```python\ndef hello() -> str:\n    """Say it."""\n    return "hello"\n```',
    "typescript": "```ts\nexport const id = <T,>(x: T): T => x;\n```\nThat is all.",
    "git-diff": (
        "diff --git a/notes.txt b/notes.txt\nindex 1..2 100644\n--- a/notes.txt\n+++ b/notes.txt\n"
        "@@ -1,2 +1,2 @@\n alpha\n-beta\n+delta\n"
    ),
    "fenced-diff": "```diff\n-beta\n+delta\n```",
    "html-file": "<!DOCTYPE html>\n<html>\n<head><title>t</title></head>\n<body/>\n</html>\n",
    "markdown": "# Title\n\n- one\n- **two**\n\nA [link](https://example.org).\n",
    "image-reference": "Look:\n\n![one red pixel](pixel.png)\n\nRed.",
    "nested-json": '{"a": {"b": [1, 2, {"c": "}"}]}, "d": null}',
    "json-lines": '{"a": 1}\n{"a": 2}\n{"a": 3}\n',
    "raw-log": (
        "2026-11-30 19:11:45 INFO start\n2026-11-30 19:11:46 WARN slow\n"
        "2026-11-30 19:11:47 ERROR stop\n2026-11-30 19:11:48 INFO end\n"
    ),
    "ansi": "\x1b[32mPASS\x1b[0m tests/a.py\n\x1b[31mFAIL\x1b[0m tests/b.py\n",
    "long-line": LONG,
    "table": "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
    "mermaid": "```mermaid\ngraph TD; A-->B;\n```",
    "mixed": "First prose.\n\n```python\nx = 1\n```\n\nThen more.\n\n```\nno language\n```\n",
    "fence-in-a-list": "- item\n\n  ```sh\n  ls\n  ```\n\n- other\n",
    "unclosed-fence": "It breaks off:\n\n```python\nx = [1,\n",
}


def newest(engine: str) -> Path:
    """Return the folder of an engine's newest captured version."""
    folders = [path for path in (CORPUS / engine).iterdir() if path.is_dir()]
    return max(folders, key=lambda path: [int(part) for part in path.name.split(".")])


def enveloped(engine: str, body: str) -> bytes:
    """Return what the engine would have printed, had the model said `body` in its answer."""
    printed = (newest(engine) / ANSWER / "stdout.jsonl").read_bytes()
    lines, put = [], False
    for line in printed.splitlines():
        frame, put = _said(json.loads(line), body, put=put)
        lines.append(json.dumps(frame, ensure_ascii=False).encode("utf-8"))
    return b"".join(line + b"\n" for line in lines)


def _said(value: Any, body: str, *, put: bool) -> tuple[Any, bool]:
    """Replace the answer wherever a frame holds it; of deltas the first becomes all of it."""
    if isinstance(value, str):
        if value == SAID:
            return body, put
        if value and SAID.startswith(value) and len(value) > len("The "):
            return ("" if put else body), True
        if put and value.endswith(".") and SAID.endswith(value):
            return "", put
        return value, put
    if isinstance(value, list):
        items = []
        for item in value:
            told, put = _said(item, body, put=put)
            items.append(told)
        return items, put
    if isinstance(value, dict):
        fields = {}
        for key, item in value.items():
            fields[key], put = _said(item, body, put=put)
        return fields, put
    return value, put
