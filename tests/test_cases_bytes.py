# SPDX-License-Identifier: Apache-2.0
"""The cases of bytes and lines that users trip over (B1 to B10), on a real capture of each engine.

Each is done to output that a CLI printed, and the facts are held against those of the sound one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from tests.captured import capture

CAPTURES = {
    "claude": "claude/2.1.332/s03-shell",
    "codex": "codex/0.171.0/s03-shell",
    "copilot": "copilot/1.0.102/s03-shell",
    "gemini": "gemini/0.61.0/s03-shell",
    "opencode": "opencode/1.18.33/s03-shell",
}
# Where each of them prints what the command said, so that it can be made long or odd there.
OUTPUT = {
    "claude": b'"stdout":"hello"',
    "codex": b'"aggregated_output":"hello\\n"',
    "copilot": b'"content":"hello\\n',
    "gemini": b'"output":"hello"',
    "opencode": b'"output":"hello\\n"',
}
DEEP = b"[" * 10_000 + b"]" * 10_000

each_engine = pytest.mark.parametrize("engine", sorted(CAPTURES))


def facts(printed: bytes) -> dict[str, Any]:
    """Read the one run, without where it ended."""
    (run,) = af.read_all(printed)
    told = run.to_dict()
    told["outcome"].pop("line")
    return told


def damage(told: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Take out what is told of damaged lines: level, reason, line."""
    drift = told.pop("drift")
    told["drift"] = [one for one in drift if one["what"] != "damaged_line"]
    return [
        (one["level"], one["found"], one["line"]) for one in drift if one["what"] == "damaged_line"
    ]


def with_output(engine: str, output: bytes) -> tuple[bytes, int]:
    """Put bytes before the command's output in JSON; return the result and the line's number."""
    printed, marked = capture(CAPTURES[engine]), OUTPUT[engine]
    assert marked in printed
    name, _, value = marked.partition(b':"')
    at = printed.index(marked)
    odd = printed[:at] + name + b':"' + output + value + printed[at + len(marked) :]
    return odd, 1 + printed.count(b"\n", 0, at)


@each_engine
def test_a_line_of_1_300_000_bytes(engine: str) -> None:
    """B1: no line is too long."""
    printed, _ = with_output(engine, b"A" * 1_300_000)
    assert facts(capture(CAPTURES[engine])) == facts(printed)


@each_engine
@pytest.mark.parametrize("odd", [b"\xff", b"\xe2\x82", b"\xf0\x9f"])
def test_bad_utf8_in_what_a_tool_said(engine: str, odd: bytes) -> None:
    """B2: a lone byte or half a character in a tool's result costs nothing but itself."""
    printed, _ = with_output(engine, odd)
    told = facts(printed)
    assert [] == [one for one in damage(told) if one[0] != "note"]
    assert facts(capture(CAPTURES[engine])) == told


@each_engine
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n", b"\n \t\r\n"])
def test_marks_ends_and_blank_lines(engine: str, mark: bytes, end: bytes) -> None:
    """B3: a byte order mark, CRLF, blank lines and no final newline have no effect."""
    printed = capture(CAPTURES[engine])
    assert facts(printed) == facts(mark + printed.replace(b"\n", end))
    assert facts(printed) == facts(mark + printed.replace(b"\n", end).rstrip())


@each_engine
@pytest.mark.parametrize("escape", [b"\x1b[?25l\x1b[2K", b"\x1b]0;a title\x07", b"\x1b]2;t\x1b\\"])
def test_terminal_escapes_before_a_frame(engine: str, escape: bytes) -> None:
    """B4: the frame behind them is found, and that is said with its line."""
    first, rest = capture(CAPTURES[engine]).split(b"\n", 1)
    told = facts(first + b"\n" + escape + rest)
    assert [("note", "terminal_escape", 2)] == damage(told)
    assert facts(capture(CAPTURES[engine])) == told


@each_engine
def test_text_between_frames(engine: str) -> None:
    """B5: lines of text are counted, and never taken for frames."""
    first, rest = capture(CAPTURES[engine]).split(b"\n", 1)
    noise = b"Loaded cached credentials.\n" + first + b"\nRipgrep is not available. {so}\n" + rest
    told = facts(noise)
    assert 2 == told["frames"].pop("text_lines")
    sound = facts(capture(CAPTURES[engine]))
    sound["frames"].pop("text_lines")
    assert sound == told


@each_engine
def test_a_log_line_in_the_middle_of_a_frame(engine: str) -> None:
    """B6: the frames around survive, and the damaged line is told."""
    printed = capture(CAPTURES[engine])
    lines = printed.split(b"\n")
    where = len(lines) // 2
    lines[where] = lines[where][:20] + b"\nWARN slow\n" + lines[where][20:]
    told = facts(b"\n".join(lines))
    sound = facts(printed)
    assert sound["frames"]["known"] - 1 == told["frames"]["known"]
    assert 1 == told["frames"]["malformed"]
    assert [("warn", "not_json", where + 1)] == damage(told)
    assert sound["outcome"] == told["outcome"]


@each_engine
def test_a_log_text_before_and_behind_a_frame(engine: str) -> None:
    """B6: a frame with a log's text on its line is read, and that is said."""
    lines = capture(CAPTURES[engine]).split(b"\n")
    last = len(lines) - 2
    lines[last] = b"WARN slow " + lines[last] + b" done"
    told = facts(b"\n".join(lines))
    assert [("note", "mixed_with_text", last + 1)] == damage(told)
    assert facts(capture(CAPTURES[engine])) == told


@each_engine
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf_16(engine: str, encoding: str, mark: str) -> None:
    """B7: what PowerShell redirected is read as what it is."""
    printed = capture(CAPTURES[engine])
    text = printed.decode().replace("\n", "\r\n")
    assert facts(printed) == facts((mark + text).encode(encoding))


@each_engine
@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (b"NaN", "not_a_number"),
        (b"[Infinity,-Infinity]", "not_a_number"),
        (b'"\\ud800"', "lone_surrogate"),
        (b"7" * 400, None),
        (b"-1e400", None),
    ],
)
def test_values_that_json_does_not_have(engine: str, odd: bytes, reason: str | None) -> None:
    """B9: a frame with an odd value in a field of its own is kept, and what is odd is said."""
    lines = capture(CAPTURES[engine]).split(b"\n")
    lines[1] = b'{"brandNew":' + odd + b"," + lines[1][1:]
    told = facts(b"\n".join(lines))
    assert ([("note", reason, 2)] if reason else []) == damage(told)
    assert facts(capture(CAPTURES[engine])) == told


@each_engine
def test_depth(engine: str) -> None:
    """B9: a frame 10,000 levels deep is lost and told, and those around it are read."""
    lines = capture(CAPTURES[engine]).split(b"\n")
    lines.insert(1, b'{"type":"deep","value":' + DEEP + b"}")
    told = facts(b"\n".join(lines))
    assert 1 == told["frames"].pop("malformed")
    assert [("warn", "too_deep", 2)] == damage(told)
    sound = facts(capture(CAPTURES[engine]))
    sound["frames"].pop("malformed")
    assert sound == told


@each_engine
def test_a_last_line_that_was_cut(engine: str) -> None:
    """B10: a CLI that cuts its own last line and exits 0 has told no end."""
    printed = capture(CAPTURES[engine]).rstrip()
    run = af.read(printed[:-9], exit_code=0)
    assert ("incomplete", "cut_line") == (run.outcome.status, run.outcome.reason)
    assert ("damaged_line", "warn", 1 + printed.count(b"\n")) == (
        run.drift[-1].what, run.drift[-1].level, run.drift[-1].line,
    )  # fmt: skip


@pytest.mark.parametrize("size", [10_000_000])
def test_an_image_that_fills_a_line(size: int, tmp_path: Path) -> None:
    """B1: an image twice as base64 on one line, as claude prints it, is read from a file."""
    printed, _ = with_output("claude", b"A" * size)
    path = tmp_path / "run.jsonl"
    path.write_bytes(printed)
    assert facts(capture(CAPTURES["claude"])) == {**facts(printed), "source": None}
    assert "success" == af.read(path).outcome.status
    assert json.loads(printed.split(b"\n")[3])["tool_use_result"]["stdout"] == "A" * size + "hello"
