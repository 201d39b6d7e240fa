# SPDX-License-Identifier: Apache-2.0
"""Whatever a caller has becomes chunks of whole lines, and nothing of it is lost."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentframes import lines
from agentframes.errors import SourceError
from agentframes.lines import chunks, looks_like_content, open_path, read_text

DATA = '{"a":"ä\u2028b"}\r\n\n{"b":1}\nlast'.encode()
TEXT = DATA.decode()


def joined(source: Any) -> bytes:
    """Read a source to its end."""
    return b"".join(chunks(source))


def generated() -> Iterator[bytes]:
    """Generate the lines of the data, ends included."""
    yield from DATA.splitlines(keepends=True)


@pytest.mark.parametrize(
    "source",
    [
        lambda: DATA,
        lambda: bytearray(DATA),
        lambda: memoryview(DATA),
        lambda: TEXT,
        lambda: "\ufeff" + TEXT,
        lambda: b"\xef\xbb\xbf" + DATA,
        lambda: io.BytesIO(DATA),
        lambda: io.StringIO(TEXT, newline=""),
        lambda: io.TextIOWrapper(io.BytesIO(DATA), "utf-8"),
        lambda: io.TextIOWrapper(io.BytesIO(DATA), "ascii"),
        lambda: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(DATA))),
        lambda: DATA.split(b"\n"),
        lambda: TEXT.split("\n"),
        lambda: tuple(bytearray(line) for line in DATA.split(b"\n")),
        generated,
        lambda: iter(TEXT.split("\n")),
        lambda: TEXT.encode("utf-16"),
        lambda: io.BytesIO(TEXT.encode("utf-16-le")),
        lambda: "\ufeff".encode("utf-16-be") + TEXT.encode("utf-16-be"),
        lambda: TEXT.encode("utf-16-be"),
    ],
    ids=range(20),
)
def test_every_kind_of_source_gives_the_same_bytes(source: Callable[[], Any]) -> None:
    """Content, files and lines, as bytes or text, in UTF-8 or UTF-16, come out as UTF-8."""
    assert DATA == joined(source())


@pytest.mark.parametrize("source", [b"", "", [], (), io.BytesIO(), [b""], "\ufeff", b"\xff\xfe"])
def test_nothing_gives_no_chunk(source: Any) -> None:
    """An empty source has no chunk."""
    assert [] == list(chunks(source))


def test_lines_without_ends_get_them() -> None:
    """Lines are parted, and the last one ends as it does in the source."""
    assert b"a\nb\nc" == joined(["a", "b\n", "c"])
    assert b"a\nb\n" == joined([b"a", "b\n"])
    assert b"a\n\nb" == joined(["a", "", "b"])
    assert b"a\r\nb\r\n" == joined(["a\r\n", "b\r\n"])


def test_smuggled_bytes_come_out_as_they_were() -> None:
    """Text that was decoded by `surrogateescape` gives its bytes, other lone surrogates U+FFFD."""
    raw = b'{"a":"\xff\xe2\x82"}'
    assert raw + b"\n" == joined(raw.decode("utf-8", "surrogateescape") + "\n")
    assert "a\ufffdb".encode() + b"\xffc\n" == joined("a\ud800b\udcffc\n")


def test_damaged_utf_16_is_replaced() -> None:
    """Half a character at the end, and a lone surrogate inside, become U+FFFD."""
    written = '{"a":1}'.encode("utf-16-le")
    assert '{"a":1}\ufffd'.encode() == joined(written + b"x")
    assert '{"a":1}\ufffdx'.encode() == joined(written + b"\x00\xd8x\x00")


def test_text_files_are_read_by_their_bytes(tmp_path: Path) -> None:
    """A text file with bytes that do not decode, or in another encoding, is read all the same."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"a":"\xff"}\r\n')
    with path.open(encoding="utf-8") as file:
        assert b'{"a":"\xff"}\r\n' == joined(file)
    with path.open(encoding="utf-16") as file:
        assert b'{"a":"\xff"}\r\n' == joined(file)


def test_text_files_are_read_on_from_where_they_stand(tmp_path: Path) -> None:
    """A text file that was read from already gives the rest of its text."""
    path = tmp_path / "run.jsonl"
    path.write_text("first\nsecond\nthird\n", encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        assert "first\n" == file.readline()
        assert b"second\nthird\n" == joined(file)


def test_lines_are_cut_at_line_feeds_only() -> None:
    """U+2028, U+0085, vertical tabs and lone carriage returns do not end a line."""
    data = "a\u2028b\x85c\x0bd\x0ce\rf\n".encode()
    assert [data] == list(chunks(io.BytesIO(data)))


def test_chunks_end_at_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk ends at a line end, a long line is one chunk, and only the last may have no end."""
    monkeypatch.setattr(lines, "CHUNK_BYTES", 4)
    expected = [b"a\n", b"bcdefghijk\nl\n\n", b"m"]
    assert expected == list(chunks(io.BytesIO(b"a\nbcdefghijk\nl\n\nm")))


def test_a_document_stands_in_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document printed over several lines is not parted, with or without a last line end."""
    monkeypatch.setattr(lines, "CHUNK_BYTES", 4)
    document = b'{\r\n  "a": 1,\n\n\t"b": {\n  }\n}'
    assert [document] == list(chunks(io.BytesIO(document)))
    assert [b"a\n\n\n", document] == list(chunks(io.BytesIO(b"a\n\n\n" + document)))
    assert [b"{\n {\n"] == list(chunks(io.BytesIO(b"{\n {\n")))
    assert 50 == len(list(chunks(io.BytesIO(b"x\n" * 100))))


def test_small_reads_are_put_together() -> None:
    """A source that hands out a line at a time is read in chunks like a file."""
    assert [b"x\n" * 999 + b"x"] == list(chunks(["x"] * 1000))


def test_the_rest_joins_the_last_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A last line without its end is no chunk of its own, unless it is a long one."""
    monkeypatch.setattr(lines, "CHUNK_BYTES", 4)
    assert [b"a\nb\n", b"c\nd\ne"] == list(chunks(io.BytesIO(b"a\nb\nc\nd\ne")))
    assert [b"a\nb\n", b"c" * 9] == list(chunks(io.BytesIO(b"a\nb\n" + b"c" * 9)))


@pytest.mark.parametrize("size", [1, 3])
def test_byte_order_mark_in_pieces(size: int) -> None:
    """A mark, or UTF-16, that arrives byte by byte is known."""

    class Drip(io.BytesIO):
        def read(self, _: int | None = -1) -> bytes:
            return super().read(size)

    assert DATA == joined(Drip(b"\xef\xbb\xbf" + DATA))
    assert DATA == joined(Drip(TEXT.encode("utf-16")))
    assert DATA == joined(Drip(TEXT.encode("utf-16-le")))


@pytest.mark.parametrize(
    ("source", "named"),
    [(None, "NoneType"), (7, "int"), (object(), "object"), ({"a": 1}, "dict"), ([1], "int"),
     ([{"a": 1}], "dict"), ([None], "NoneType")],
)  # fmt: skip
def test_what_is_no_source_is_refused(source: Any, named: str) -> None:
    """What holds neither bytes nor text is refused by name, not read as something else."""
    with pytest.raises(SourceError) as caught:
        joined(source)
    expected = f"cannot read from {named}: give a path, bytes, text, a file or lines"
    assert expected == str(caught.value)


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that is closed, write-only, or fails on the way is an error of one line."""
    path = tmp_path / "run.jsonl"
    with path.open("wb") as file, pytest.raises(SourceError, match=r"run\.jsonl: not open for"):
        joined(file)
    with path.open("rb") as closed:
        pass
    with pytest.raises(SourceError, match=r"run\.jsonl: .*closed"):
        joined(closed)

    class Failing:
        def read(self, _: int) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(SourceError) as caught:
        joined(Failing())
    assert "Failing: input/output error" == str(caught.value)


def test_text_file_that_does_not_decode(tmp_path: Path) -> None:
    """Where it is too late to read a text file by its bytes, the error says what to do."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"first\n" + b"x" * 20_000 + b"\xff\n")
    with path.open(encoding="utf-8") as file:
        file.readline()
        with pytest.raises(SourceError) as caught:
            joined(file)
    assert f"{path}: not all of it is utf-8; open it in binary mode" == str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("run.jsonl", False), ("", True), (" ", False), ("a b.json", False), ("hello", False),
     ("{", True), ('{"a":1}', True), (" \t[1]", True), ("\ufeff{}", True), ("a\nb", True),
     ("\n", True), ("\x1b[?25l{}", True)],
)  # fmt: skip
def test_content_is_told_from_a_path(text: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """Text is content where it has several lines, begins as JSON, or carries escapes."""
    assert expected is looks_like_content(text)


def test_paths_that_cannot_be_opened(tmp_path: Path) -> None:
    """A path that cannot be opened is an error of one line that names it."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    expected: dict[str | Path, str] = {
        tmp_path / "none": f"{tmp_path / 'none'}: no such file",
        tmp_path: f"{tmp_path}: is a directory",
        tmp_path / "file" / "x": f"{tmp_path / 'file' / 'x'}: not a directory",
        tmp_path / "loop": f"{tmp_path / 'loop'}: too many levels of symbolic links",
        "": "'': no such file",
        "a\0b": "'a\\x00b': not a file name (embedded null byte)",
        Path("a\nb"): "'a\\nb': no such file",
        "x" * 9999: f"{'x' * 200}…: file name too long",
    }
    for path, message in expected.items():
        with pytest.raises(SourceError) as caught:
            open_path(path)
        assert message == str(caught.value)


def test_side_text(tmp_path: Path) -> None:
    """A side source is read whole: a path, text, bytes, lines or a file, whatever its encoding."""
    path = tmp_path / "stderr.txt"
    path.write_bytes("fehlt: ä\n".encode("utf-16"))
    assert "fehlt: ä\n" == read_text(path)
    assert "fehlt: ä\n" == read_text(str(path))
    assert "not logged in" == read_text("not logged in")
    assert "one\ntwo" == read_text("one\ntwo")
    assert "" == read_text("")
    assert "a\ufffdb" == read_text(b"\xef\xbb\xbfa\xffb")
    assert "one\ntwo" == read_text(["one", "two"])
    assert "one" == read_text(io.StringIO("one"))
    with pytest.raises(SourceError, match="no such file"):
        read_text(tmp_path / "none")


@pytest.mark.parametrize("before", [b"", b'{"a":1}\n', b'{"a":1}\n' + b"x" * 8_000_000 + b"\n"])
def test_memory_for_a_long_line(tmp_path: Path, before: bytes) -> None:
    """A line of any length takes little more than itself, also behind another one (B1)."""
    path = tmp_path / "run.jsonl"
    size = 8_000_000
    path.write_bytes(before + b"x" * size + b"\n")
    longest = 0
    with open_path(path) as file:
        tracemalloc.start()
        for chunk in chunks(file):
            longest = max(longest, len(chunk))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert size + 1 == longest
    assert peak < (2.5 if len(before) > size else 1.5) * size
