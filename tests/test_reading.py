# SPDX-License-Identifier: Apache-2.0
"""`read` takes every kind of source, and says what it cannot read in one line."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes.errors import SessionFileError, SourceError, UnknownEngineError
from agentframes.facts.model import FrameCounts

CORPUS = Path(__file__).parent.parent / "corpus"
FOLDER = CORPUS / "codex/0.171.0/s03-shell"
OUTPUT = FOLDER / "stdout.jsonl"
DATA = OUTPUT.read_bytes()
TEXT = DATA.decode()
ARRAY = (CORPUS / "claude/2.1.332/s03-shell--json-verbose/stdout.json").read_bytes()
CUT = DATA[:-20]


def facts(source: Any, **options: Any) -> dict[str, Any]:
    """Read a source and leave out where it lies."""
    told = af.read(source, **options).to_dict()
    del told["source"]
    return told


EXPECTED = facts(DATA)


class Drip:
    """A file that gives a byte or seven at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, _: int) -> bytes:
        """Read a little."""
        return self._file.read(self._size)


def generated() -> Iterator[str]:
    """Generate lines without their ends."""
    yield from TEXT.splitlines()


@pytest.mark.parametrize(
    "source",
    [
        lambda: OUTPUT,
        lambda: str(OUTPUT),
        lambda: bytearray(DATA),
        lambda: memoryview(DATA),
        lambda: TEXT,
        lambda: TEXT.rstrip("\n"),
        lambda: "\ufeff" + TEXT.replace("\n", "\r\n"),
        lambda: "\n\n" + TEXT.replace("\n", "\n \n"),
        lambda: io.BytesIO(DATA),
        lambda: io.StringIO(TEXT),
        lambda: io.TextIOWrapper(io.BytesIO(DATA), "utf-8"),
        lambda: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(DATA))),
        lambda: Drip(DATA, 1),
        lambda: Drip(TEXT.encode("utf-16"), 7),
        lambda: TEXT.encode("utf-16-le"),
        TEXT.splitlines,
        lambda: DATA.splitlines(keepends=True),
        generated,
    ],
    ids=range(18),
)
def test_every_source_reads_the_same(source: Callable[[], Any]) -> None:
    """A path, content, file or lines, of bytes or text, in any encoding, gives equal facts."""
    told = facts(source())
    assert EXPECTED["outcome"]["status"] == told["outcome"]["status"] == "success"
    told["outcome"]["line"] = EXPECTED["outcome"]["line"]  # blank lines move it
    assert EXPECTED == told


def test_open_files_are_left_open() -> None:
    """A caller's file stays the caller's."""
    with OUTPUT.open("rb") as file:
        assert EXPECTED == facts(file)
        assert not file.closed


def test_source_is_named_where_it_is_a_path() -> None:
    """Only a path is named, as it was given."""
    assert str(OUTPUT) == af.read(OUTPUT).source
    assert str(FOLDER) == af.read(str(FOLDER)).source
    assert af.read(DATA).source is None
    with OUTPUT.open("rb") as file:
        assert af.read(file).source is None


@pytest.mark.parametrize(
    "shape",
    [
        json.dumps,
        lambda frames: json.dumps(frames, indent=2),
        lambda frames: json.dumps(frames, indent="\t").replace("\n", "\r\n"),
        lambda frames: "\n".join(json.dumps(frame, indent=2) for frame in frames),
        lambda frames: "warn\n" + json.dumps(frames, indent=1) + "\n",
    ],
    ids=range(5),
)
def test_pretty_printed_output_reads_the_same(
    shape: Callable[[list[Any]], str], tmp_path: Path
) -> None:
    """Documents and arrays over several lines are recognized, however long they are."""
    frames = [json.loads(line) for line in DATA.splitlines()]
    frames[3:3] = [
        {
            "type": "item.completed",
            "item": {"id": "big", "type": "reasoning", "text": "x" * 300_000},
        }
    ]
    path = tmp_path / "run.json"
    path.write_text(shape(frames), encoding="utf-8", newline="")
    for told in (af.read(path), af.read(path.read_bytes())):
        assert "codex" == told.engine
        assert "success" == told.outcome.status
        assert (len(frames), 0, 0) == (
            told.frames.known,
            told.frames.unknown,
            told.frames.malformed,
        )


def test_capture_folder() -> None:
    """A folder reads with what is known of it; an argument is stronger."""
    told = af.read(FOLDER)
    assert ("codex", "0.171.0", 0) == (told.engine, told.cli_version, told.outcome.exit_code)
    told = af.read(FOLDER, cli_version="0.1.0", exit_code=7, stderr="ignored")
    assert ("0.1.0", 7) == (told.cli_version, told.outcome.exit_code)
    told = af.read(CORPUS / "codex/0.171.0/s25-sigterm-streaming")
    assert ("no_terminal_frame", None) == (told.outcome.reason, told.outcome.message)


def test_folder_with_a_broken_description(tmp_path: Path) -> None:
    """A folder that does not say what it is cannot be read."""
    shutil.copy(OUTPUT, tmp_path)
    assert "success" == af.read(tmp_path).outcome.status
    (tmp_path / "capture.toml").write_text("engine = ", encoding="utf-8")
    with pytest.raises(SourceError, match=r"capture\.toml: not TOML"):
        af.read(tmp_path)
    (tmp_path / "capture.toml").write_text("engine = 'nobody'", encoding="utf-8")
    with pytest.raises(UnknownEngineError, match="nobody"):
        af.read(tmp_path)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing, empty, broken or captureless path is an error of one line that names it."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    expected: dict[Any, str] = {
        "no-such-run.jsonl": "no-such-run.jsonl: no such file",
        Path("no-such-run.jsonl"): "no-such-run.jsonl: no such file",
        "a\0b": "'a\\x00b': not a file name (embedded null byte)",
        tmp_path: f"{tmp_path}: a folder without a capture"
        " (none of stdout.jsonl, stdout.json, stdout.txt)",
        tmp_path / "loop": f"{tmp_path / 'loop'}: too many levels of symbolic links",
    }
    for source, message in expected.items():
        with pytest.raises(SourceError) as caught:
            af.read(source)
        assert message == str(caught.value)


@pytest.mark.parametrize("source", [None, 7, {"type": "result"}, [{"type": "result"}], object()])
def test_what_is_no_source(source: Any) -> None:
    """A value that holds no output is refused."""
    with pytest.raises(SourceError, match="give a path, bytes, text, a file or lines"):
        af.read(source)


def test_options() -> None:
    """The caller's word fills in what the frames do not tell."""
    assert "0.171.0" == af.read(DATA, cli_version="0.171.0").cli_version
    assert "codex" == af.read(b"", engine="codex").engine
    assert "jsonl" == af.read(DATA, transport="stream-json").transport
    assert "mixed" == af.read(DATA, transport="mixed").transport
    assert 3 == af.read(DATA, exit_code=3).outcome.exit_code
    assert "success" == af.read(DATA, exit_code=3).outcome.status
    with pytest.raises(UnknownEngineError, match="known engines: claude, codex"):
        af.read(DATA, engine="nobody")


def test_stderr(tmp_path: Path) -> None:
    """The last line of stderr tells why nothing came, and nothing of a run that succeeded."""
    path = tmp_path / "stderr.txt"
    path.write_text("warning\nNot logged in\n\n", encoding="utf-8")
    for stderr in (
        path,
        str(path),
        path.read_bytes(),
        path.read_text(encoding="utf-8"),
        ["Not logged in"],
    ):
        assert "Not logged in" == af.read(b"", stderr=stderr).outcome.message
    with path.open("rb") as file:
        # A run that printed frames is only explained by a line that names trouble.
        assert af.read(CUT, stderr=file).outcome.message is None
    assert "error: killed" == af.read(CUT, stderr="error: killed\nbye\n").outcome.message
    assert "Not logged in" == af.read(b"", stderr="Not logged in").outcome.message
    assert af.read(DATA, stderr="Not logged in").outcome.message is None
    with pytest.raises(SourceError, match="no such file"):
        af.read(DATA, stderr=tmp_path / "none")


@pytest.mark.parametrize(
    ("printed", "reason", "counts"),
    [
        (b"", "empty", (0, 0, 0)),
        (b"\n \r\n", "empty", (0, 0, 0)),
        (b"\x1b[?25h\n", "empty", (0, 0, 0)),
        (b"\xff\xfe", "empty", (0, 0, 0)),
        (b"[]\n", "not_agent_output", (0, 0, 1)),
        (b"Not logged in\n[INFO] x\n", "not_agent_output", (0, 0, 2)),
        (b'{"type":\n', "not_agent_output", (0, 1, 0)),
        (b'{"type":', "cut_line", (0, 1, 0)),
        (b"{}", "not_agent_output", (1, 0, 0)),
        (CUT, "cut_line", (6, 1, 0)),
        (CUT + b"\n", "no_terminal_frame", (6, 1, 0)),
        (CUT.splitlines(), "cut_line", (6, 1, 0)),
        (DATA.rstrip() + b"WARN", "completed", (7, 0, 0)),
        (b"WARN " + DATA.rstrip() + b"\x1b[0m", "completed", (7, 0, 0)),
        (ARRAY[:-9], "cut_line", (5, 0, 0)),
    ],
    ids=range(15),
)  # fmt: skip
def test_content_always_gives_facts(
    printed: Any, reason: str, counts: tuple[int, int, int]
) -> None:
    """Whatever was printed, the facts say how far it could be read."""
    told = af.read(printed)
    assert reason == told.outcome.reason
    assert counts == (told.frames.total, told.frames.malformed, told.frames.text_lines)


def test_one_line_of_text_as_bytes_is_content() -> None:
    """Bytes are never a path."""
    told = af.read(os.fsencode(OUTPUT))
    assert FrameCounts(total=0, known=0, unknown=0, malformed=0, text_lines=1) == told.frames


def test_surrogateescape_text_reads_like_its_bytes() -> None:
    """Text that smuggles bad bytes gives what the bytes give (B2)."""
    damaged = DATA.replace(b"hello", b"he\xffo")
    expected = facts(damaged)
    assert expected == facts(damaged.decode("utf-8", "surrogateescape"))
    assert (0, 7) == (expected["frames"]["malformed"], expected["frames"]["known"])


def test_session_files_are_refused() -> None:
    """A CLI's own session file is named as such."""
    line = b'{"sessionId":"x","parentUuid":null,"isSidechain":false,"type":"user"}\n'
    with pytest.raises(SessionFileError, match=r"^a Claude session file, not print-mode output$"):
        af.read(line)


NASTY = [
    b"\xff", b"\x00", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b'"', b"\\ud800", b"NaN", b"1e400",
    b"9" * 5000, b"null", b"[]", b"{}", b"[" * 2000 + b"]" * 2000, b"\x1b[0m", b"\xef\xbb\xbf",
    b'{"type":"turn.started"}', b"WARN\n", b"\xe2\x80\xa8",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_mutated_output_raises_nothing(seed: int) -> None:
    """Real output with bytes lost, doubled, and put where a value stood, always reads."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for data in (DATA, ARRAY):
        for _ in range(20):
            damaged = bytearray(data)
            for _ in range(chance.randrange(1, 5)):
                where = chance.randrange(len(damaged))
                damaged[where : where + chance.choice([0, 0, 1, 9, 99])] = chance.choice(NASTY)
            runs = af.read_all(bytes(damaged))
            json.dumps(runs[-1].to_dict())
            assert len(runs) == runs[-1].runs
            af.detect(bytes(damaged))


def test_memory_for_a_long_line(tmp_path: Path) -> None:
    """A long tool output costs little more than its line."""
    size = 8_000_000
    wanted = next(line for line in DATA.splitlines() if b"aggregated_output" in line)
    frame = json.loads(wanted)
    frame["item"]["aggregated_output"] = "x" * size
    path = tmp_path / "run.jsonl"
    path.write_bytes(DATA.replace(wanted, json.dumps(frame).encode()))
    af.read(DATA)
    tracemalloc.start()
    told = af.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "success" == told.outcome.status
    assert peak < 2.5 * size
