# SPDX-License-Identifier: Apache-2.0
"""What the oracle's engines share: a capture, its lines, and facts with nothing in them.

The oracle is a second opinion on the package, so it shares no code with it. It reads whole
files and loops over them as often as it likes: here only obviousness counts.
"""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Frame: TypeAlias = dict[str, Any]
Facts: TypeAlias = dict[str, Any]

# What colours a terminal.
TROUBLE = re.compile(
    r"\b(error|fatal|failed|failure|exception|panic|panicked|denied|reject(s|ed|ing|ion)?|refused|"
    r"unauthori[sz]ed|forbidden|killed|aborted)\b"
)
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Line:
    """A frame and the 1-based line of stdout where it starts."""

    number: int
    frame: Frame


@dataclass
class Capture:
    """A corpus folder, read."""

    folder: Path
    engine: str
    version: str
    transport: str
    exit_code: int | None
    stderr: str
    lines: list[Line] = field(default_factory=list)
    malformed: int = 0
    text_lines: int = 0
    cut_line: bool = False


def printed(folder: Path, name: str) -> bytes:
    """Give what a file of the capture holds; large ones are stored compressed."""
    packed = folder / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()


def read_capture(folder: Path) -> Capture:
    """Read the capture that stands in a folder with a capture.toml."""
    meta = tomllib.loads((folder / "capture.toml").read_text("utf-8"))
    capture = Capture(
        folder=folder,
        engine=meta["engine"],
        version=meta["version"],
        transport=meta["transport"],
        exit_code=meta.get("exit_code"),
        stderr=printed(folder, "stderr.txt").decode("utf-8", errors="replace"),
    )
    if capture.transport in ("json", "json-array"):
        read_document(capture, printed(folder, "stdout.json").decode("utf-8", errors="replace"))
    else:
        read_lines(capture, printed(folder, "stdout.jsonl"))
    return capture


def read_document(capture: Capture, text: str) -> None:
    """Read one JSON object, or the objects of one array with the line each starts on."""
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text):
        if text[position] != "{":  # the array's own brackets, commas and blanks
            position += 1
            continue
        try:
            frame, end = decoder.raw_decode(text, position)
        except ValueError:
            capture.malformed += 1
            capture.cut_line = True
            return
        capture.lines.append(Line(text.count("\n", 0, position) + 1, frame))
        position = end
    if not capture.lines:
        capture.text_lines = sum(1 for piece in text.split("\n") if piece.strip())


def read_lines(capture: Capture, raw: bytes) -> None:
    """Read a frame a line; a line feed alone ends a line, since texts may hold U+2028."""
    pieces = raw.decode("utf-8-sig", errors="replace").split("\n")
    for number, piece in enumerate(pieces, start=1):
        text = piece.strip()
        if not text:
            continue
        try:
            frame = json.loads(text)
        except ValueError:
            frame = None
        if isinstance(frame, dict):
            capture.lines.append(Line(number, frame))
        elif text.startswith("{"):
            capture.malformed += 1
            # Only the last piece has no line break after it.
            capture.cut_line = number == len(pieces)
        else:
            capture.text_lines += 1


def version_number(version: str) -> tuple[int, ...]:
    """Make versions comparable: 2.1.50 comes before 2.1.277."""
    return tuple(int(part) for part in version.split("."))


def last_stderr_line(capture: Capture) -> str | None:
    """Take the last word of stderr, the only message of a run that never ended."""
    text = ANSI.sub("", capture.stderr)
    spoken = [line.strip() for line in text.split("\n") if line.strip()]
    if spoken and spoken[-1] == "}":
        # gemini's json mode writes its document there when it fails.
        # Two of them may stand there, with no line break between them.
        for start in re.finditer(r"(?:^|(?<=\}))(?:\[ERROR\] )?(?=\{$)", text, re.MULTILINE):
            try:
                document = json.loads(text[start.end() :])
                return str(document["error"]["message"])
            except (ValueError, KeyError, TypeError):
                continue  # more than one document, or something else in braces
    for line in reversed(spoken):
        source_or_stack = line.startswith("at ") or re.match(r"[0-9]+ [|]", line)
        if TROUBLE.search(line.lower()) and not source_or_stack:
            return line
    if capture.lines:
        return None  # a banner explains nothing, unless it is all that came
    words = [line for line in spoken if re.search("[A-Za-z]{2}", line)]
    words = [line for line in words if not re.match(r"at |[0-9]+ [|]", line)]
    return words[-1] if words else None


def incomplete(capture: Capture) -> Facts:
    """Give the outcome of a run whose last frame is not a terminal one."""
    message = last_stderr_line(capture)
    if capture.cut_line:
        reason = "cut_line"
    elif capture.lines:
        reason = "no_terminal_frame"
    else:
        reason = "not_agent_output" if capture.malformed or capture.text_lines else "empty"
        message = message or "nothing native to read"
    return {
        "status": "incomplete",
        "reason": reason,
        "message": message,
        "exit_code": capture.exit_code,
        "line": None,
    }


def no_usage() -> Facts:
    """Give an account in which nothing was reported."""
    return {
        "input_tokens": None,
        "cache_read_tokens": None,
        "cache_write_tokens": None,
        "output_tokens": None,
        "reasoning_tokens": None,
        "total_tokens": None,
        "cost_usd": None,
        "premium_requests": None,
        "models": None,
        "scope": None,
        "subagents": None,
        "basis": [],
    }


def with_total(usage: Facts) -> Facts:
    """Add the four disjoint buckets; without input or output there is no total."""
    if usage["input_tokens"] is None or usage["output_tokens"] is None:
        usage["total_tokens"] = None
    else:
        usage["total_tokens"] = (
            usage["input_tokens"]
            + (usage["cache_read_tokens"] or 0)
            + (usage["cache_write_tokens"] or 0)
            + usage["output_tokens"]
        )
    return usage


def envelope(capture: Capture, runs: int) -> Facts:
    """Lay out the facts in wire order, filled with what holds for every engine."""
    return {
        "schema_version": 1,
        "runs": runs,
        "engine": capture.engine,
        "cli_version": capture.version,
        "transport": capture.transport,
        "model": None,
        "session_id": None,
        "outcome": None,
        "resources": {"tokens": None, "cost_usd": None, "wall_seconds": None},
        "usage": no_usage(),
        "caveats": [],
        "final_text": None,
        "final_text_source": None,
        "structured_output": None,
        "turns": None,
        "model_calls": None,
        "tool_calls": None,
        "permission_denials": None,
        "frames": {
            "total": len(capture.lines),
            "known": len(capture.lines),
            "unknown": 0,
            "malformed": capture.malformed,
            "text_lines": capture.text_lines,
        },
        "drift": [],
    }
