# SPDX-License-Identifier: Apache-2.0
"""Streams to measure on: one long run of an engine, made of what its newest version printed.

A stream opens and ends with the frames of a real capture. In between stand the frames of the
ordinary scenarios, over and over, each time with ids of its own: line lengths and the mix of
kinds are the corpus's, and still it is one run. What agentframes must read in it follows from
the captures' own `expected.json`, so `Stream.verify` tells whether it reads all of it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import agentframes as af

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"
SCRATCH = ROOT / "benchmarks" / ".streams"
MADE_BY = b"2"  # raise it when the same captures yield another stream

ENGINES = ("claude", "codex", "copilot", "gemini", "opencode")
ORDINARY = (
    "s01-text", "s02-unicode", "s03-shell", "s04-parallel", "s05-edit", "s06-reasoning",
    "s07-todo", "s07-todo--sonnet-4-5", "s12-mcp", "s16-multistep", "s17-subagent",
)  # fmt: skip
TEXT, SHELL = "s01-text", "s03-shell"
PROSE = ROOT / "LICENSE"

UUID = r"(?:[0-9a-f]{4,12}-){4}[0-9a-f]{12}"


@dataclass(frozen=True)
class Recipe:
    """Where the parts of an engine's runs begin, and what its ids look like.

    `opening` and `closing` are beginnings of kinds: what a run prints once, before and after.
    """

    opening: tuple[str, ...]
    closing: tuple[str, ...]
    ids: str


# The ids that the scripted model server gave out begin with "fake".
RECIPES = {
    "claude": Recipe(
        ("system/init",),
        ("result",),
        rf"{UUID}|(?:msg|toolu|req)_fake\w+|\ba[0-9a-f]{{16}}\b|\b[0-9a-z]{{9}}-[0-9a-f]{{8}}\b",
    ),
    "codex": Recipe(("thread.started", "turn.started"), ("turn.completed",), rf"{UUID}|item_\d+"),
    "copilot": Recipe(
        ("session.", "user.message"),
        ("assistant.idle", "session.", "result"),
        rf"{UUID}|(?:call|toolu|msg|resp)_fake\w+|chatcmpl-fake\w+",
    ),
    "gemini": Recipe(("init", "message/user"), ("result",), rf"{UUID}|(?<=_)\d{{13}}(?=_\d)"),
    "opencode": Recipe((), (), rf"{UUID}|(?:prt|msg|ses)_\w+|call_fake\w+"),
}


@dataclass(frozen=True)
class Expected:
    """What agentframes must read in a stream."""

    engine: str
    session_id: str
    frames: int
    tool_calls: int
    made_of: str
    """Which captures and which program it was made by; another stream is not reused."""


@dataclass(frozen=True)
class Stream:
    """A stream on disk."""

    path: Path
    expected: Expected

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self.path.stat().st_size

    def verify(self) -> str:
        """Read it, and say in a sentence that all of it was read as it must be.

        Raises:
            ValueError: it was read otherwise.
        """
        runs = af.read_all(self.path)
        facts, frames = runs[-1], runs[-1].frames
        told = (len(runs), facts.engine, facts.session_id, facts.outcome.status, frames.total,
                frames.unknown, frames.malformed, frames.text_lines, facts.tool_calls)  # fmt: skip
        want = self.expected
        wanted = (1, want.engine, want.session_id, "success", want.frames, 0, 0, 0, want.tool_calls)
        if told != wanted:
            raise ValueError(f"{self.path}: read as {told}, made as {wanted}")
        return (
            f"{self.path.name}: {self.size:,} bytes, one run, success, {frames.total:,} frames, "
            f"{facts.tool_calls:,} tool calls, 0 unknown, 0 malformed"
        )


class Scenario:
    """The frames of one capture, parted into what a run prints once and what it may repeat."""

    def __init__(self, engine: str, name: str, output: int = 0) -> None:
        folder = newest(engine) / name
        recipe = RECIPES[engine]
        expected = json.loads((folder / "expected.json").read_bytes())
        lines = (folder / "stdout.jsonl").read_bytes().splitlines(keepends=True)
        if output:
            lines = [_lengthened(line, output) for line in lines]
        kinds = [_kind(line) for line in lines]
        begin = _leading(kinds, recipe.opening)
        end = len(lines) - _leading(kinds[begin:][::-1], recipe.closing)
        self.opening, self.body, self.closing = lines[:begin], lines[begin:end], lines[end:]
        self.session_id: str = expected["session_id"]
        self.tool_calls: int = expected["tool_calls"]


def _lengthened(line: bytes, output: int) -> bytes:
    """Let a tool of claude have printed prose of that many characters, twice as the CLI does."""
    frame = json.loads(line)
    result = frame.get("tool_use_result")
    if not isinstance(result, dict) or "stdout" not in result:
        return line
    text = PROSE.read_text()
    text = (text * (output // len(text) + 1))[:output]
    frame["message"]["content"][0]["content"] = result["stdout"] = text
    return json.dumps(frame, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def newest(engine: str) -> Path:
    """Return the corpus folder of an engine's newest captured version."""
    folders = (path for path in (CORPUS / engine).iterdir() if path.is_dir())
    return max(folders, key=lambda path: [int(part) for part in path.name.split(".")])


def ordinary(engine: str) -> list[str]:
    """List the ordinary scenarios that the newest version was captured in."""
    return [name for name in ORDINARY if (newest(engine) / name / "stdout.jsonl").exists()]


def _kind(line: bytes) -> str:
    frame = json.loads(line)
    return "/".join(str(frame[key]) for key in ("type", "subtype", "role") if key in frame)


def _leading(kinds: Iterable[str], beginnings: tuple[str, ...]) -> int:
    return sum(1 for _ in itertools.takewhile(lambda kind: kind.startswith(beginnings), kinds))


class Template:
    """A scenario's frames with slots for the ids."""

    def __init__(self, engine: str, scenario: Scenario, session_id: str) -> None:
        body = b"".join(scenario.body).replace(scenario.session_id.encode(), session_id.encode())
        parts = re.split(b"(%b)" % RECIPES[engine].ids.encode(), body)
        self._parts = parts
        kept = session_id.encode()
        self._ids = list(dict.fromkeys(id_ for id_ in parts[1::2] if id_ != kept))
        self._slots = parts[1::2]
        self._kept = {kept: kept}
        self.frames, self.tool_calls = len(scenario.body), scenario.tool_calls

    def fill(self, numbers: Iterator[int]) -> bytes:
        """Return the frames, with ids that no other call returns."""
        fresh = self._kept | {id_: _fresh(id_, next(numbers)) for id_ in self._ids}
        self._parts[1::2] = [fresh[id_] for id_ in self._slots]
        return b"".join(self._parts)


def _fresh(id_: bytes, number: int) -> bytes:
    """Put a number in the place of an id's own part; the length stays."""
    if id_.startswith(b"item_"):
        return b"item_%d" % number  # codex counts its items, so these grow as they do there
    if id_.isdigit():
        return b"%0*d" % (len(id_), number)
    head, separator, tail = id_.rpartition(b"-") if b"-" in id_ else id_.partition(b"_")
    if not separator:
        head, tail = id_[:1], id_[1:]
    return head + separator + b"%0*x" % (len(tail), number)


def make(engine: str, size: int, folder: Path = SCRATCH, *, output: int = 0) -> Stream:
    """Return a stream of about `size` bytes: the one on disk, or a new one.

    With `output`, each command of claude's has printed that many characters: the captures' own
    commands print a word or two.
    """
    first = Scenario(engine, TEXT)
    templates = [
        Template(engine, Scenario(engine, name, output), first.session_id)
        for name in ordinary(engine)
    ]
    made_of = _fingerprint(
        newest(engine) / name / "stdout.jsonl" for name in [TEXT, *ordinary(engine)]
    )
    length = f"-output-{output}" if output else ""
    path = folder / f"{engine}-{newest(engine).name}{length}-{size}.jsonl"
    found = _on_disk(path, made_of)
    if found is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    numbers = itertools.count(1)
    written = frames = tool_calls = 0
    with path.open("wb") as file:
        written += file.write(b"".join(first.opening))
        frames += len(first.opening) + len(first.closing)
        # The plain answer stands at the end of every round, so it is what the run answers.
        for count, template in enumerate(itertools.cycle([*templates[1:], templates[0]]), 1):
            written += file.write(template.fill(numbers))
            frames, tool_calls = frames + template.frames, tool_calls + template.tool_calls
            if written >= size and count >= len(templates):
                break
        file.write(templates[0].fill(numbers))
        file.write(b"".join(first.closing))
    expected = Expected(engine, first.session_id, frames + templates[0].frames, tool_calls, made_of)
    return _kept(path, expected)


def long_line(size: int, folder: Path = SCRATCH) -> Stream:
    """Return a claude run in which a tool printed so much that its frame is `size` bytes long."""
    capture = newest("claude") / SHELL / "stdout.jsonl"
    scenario, made_of = Scenario("claude", SHELL), _fingerprint([capture])
    path = folder / f"long-line-{size}.jsonl"
    found = _on_disk(path, made_of)
    if found is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    lines = [*scenario.opening, *scenario.body, *scenario.closing]
    piece = b"test_%d of a very long log passed\\n" * 1000
    with path.open("wb") as file:
        for line in lines:
            frame = json.loads(line)
            if frame["type"] != "user":
                file.write(line)
                continue
            frame["message"]["content"][0]["content"] = "\0"
            before, after = json.dumps(frame, separators=(",", ":")).encode().split(b"\\u0000")
            file.write(before)
            for _ in range((size - len(before) - len(after)) // len(piece) + 1):
                file.write(piece)
            file.write(after + b"\n")
    expected = Expected("claude", scenario.session_id, len(lines), scenario.tool_calls, made_of)
    return _kept(path, expected)


# --- captures as they are ------------------------------------------------------------------------


def captures(engine: str) -> list[bytes]:
    """Return the JSON lines that an engine's captures hold, every version's, verbatim."""
    found = sorted((CORPUS / engine).glob("*/*/stdout.jsonl"))
    return [printed for path in found if (printed := path.read_bytes())]


def verbatim(engine: str, size: int, folder: Path = SCRATCH) -> Path:
    """Return a file of about `size` bytes: an engine's captures one behind the other, many runs.

    Where a capture breaks off inside a line, a line end is put behind it.
    """
    ended = [
        printed if printed.endswith(b"\n") else printed + b"\n" for printed in captures(engine)
    ]
    whole = b"".join(ended)
    path = folder / f"{engine}-captures-{size}.jsonl"
    times = size // len(whole) + 1
    if not path.exists() or path.stat().st_size != times * len(whole):
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for _ in range(times):
                file.write(whole)
    return path


def verify_verbatim(engine: str, path: Path) -> str:
    """Read a file of captures, and say that as many frames were known as in each on its own.

    Raises:
        ValueError: it was read otherwise.
    """
    alone = [facts.frames for printed in captures(engine) for facts in af.read_all(printed)]
    once = sum(len(printed) + (not printed.endswith(b"\n")) for printed in captures(engine))
    times = path.stat().st_size // once
    runs = af.read_all(path)
    told = (sum(run.frames.total for run in runs), sum(run.frames.unknown for run in runs))
    wanted = (times * sum(f.total for f in alone), times * sum(f.unknown for f in alone))
    if told != wanted:
        raise ValueError(f"{path}: {told} frames and unknown frames, {wanted} in its parts")
    return f"{path.name}: {path.stat().st_size:,} bytes, {len(runs):,} runs, {told[0]:,} frames"


# --- on disk -------------------------------------------------------------------------------------


def _fingerprint(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256(MADE_BY)
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _beside(path: Path) -> Path:
    return path.with_suffix(".expected.json")


def _on_disk(path: Path, made_of: str) -> Stream | None:
    """Return the stream at a path, unless it is not there or other captures made it."""
    if not (path.exists() and _beside(path).exists()):
        return None
    told: dict[str, Any] = json.loads(_beside(path).read_bytes())
    return Stream(path, Expected(**told)) if told["made_of"] == made_of else None


def _kept(path: Path, expected: Expected) -> Stream:
    # Written last: a stream that was broken off has none and is made anew.
    _beside(path).write_text(json.dumps(asdict(expected), indent=1) + "\n")
    return Stream(path, expected)
