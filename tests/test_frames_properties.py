# SPDX-License-Identifier: Apache-2.0
"""What holds for every input: how it is cut into chunks and which way it is read never shows."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from agentframes import frames as frames_module
from agentframes import lines as lines_module
from agentframes.lines import chunks
from tests.recorded import Recorder, record, rows

EXAMPLES = settings(max_examples=100, derandomize=True, deadline=None, database=None)

TEXTS = st.text(
    st.sampled_from([*'ab{}[]":,\\ \t\r', "\u2028", "\x85", "\xe4", "\U0001f600"]), max_size=8
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.fixed_dictionaries(
    {}, optional={"n": st.integers(0, 9), "text": TEXTS, "heavy": VALUES, "other": VALUES}
)


@st.composite
def printed(draw: st.DrawFn) -> bytes:
    """Print an object in one of the ways that programs do, or break it off."""
    value = draw(OBJECTS)
    shape = draw(st.sampled_from(["line", "line", "spaced", "pretty", "array", "cut", "twice"]))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), separators=(",", ":"))
    match shape:
        case "spaced":
            text = f" {json.dumps(value)}\t"
        case "pretty":
            text = json.dumps(value, indent=draw(st.just("\t") | st.integers(1, 2)))
        case "array":
            text = json.dumps([value, draw(OBJECTS)], indent=draw(st.none() | st.just(1)))
        case "cut":
            text = text[: draw(st.integers(0, len(text)))]
        case "twice":
            text += draw(st.sampled_from(["", " ", ","])) + json.dumps(draw(OBJECTS))
        case _:
            pass
    return text.encode()


PIECES = st.sampled_from([
    b"{", b"}", b"[", b"]", b'{"n":', b"1", b"1}", b'{"n":1}', b"{}", b",", b'"', b" ", b"\r", b"",
    b"WARN ", b"\xff", b"\x00\x00", b"\x1b[0m", b"\xef\xbb\xbf", b"\n", b'"n":2', b"\n}", b"\n]",
    b"\n{",
])  # fmt: skip
LINES = st.one_of(printed(), printed(), st.lists(PIECES, max_size=5).map(b"".join))
ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n"])


@st.composite
def outputs(draw: st.DrawFn) -> bytes:
    """Print several lines, the last with or without its end."""
    lines = draw(st.lists(st.tuples(LINES, ENDS), max_size=6))
    data = b"".join(line + end for line, end in lines)
    return data if draw(st.booleans()) else data.rstrip(b"\n")


class Pipe:
    """A file of which each read returns as much as it happens to have."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes
        self._turn = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them."""
        self._turn += 1
        size = min(size, self._sizes[self._turn % len(self._sizes)])
        piece, self._data = self._data[:size], self._data[size:]
        return piece


def told(recorder: Recorder) -> tuple[Any, ...]:
    """Return all that a reader told."""
    return (recorder.rows, recorder.raws, recorder.in_array, recorder.lines, recorder.cut)


@EXAMPLES
@given(outputs())
def test_short_way_and_long_way_agree(data: bytes) -> None:
    """Decoding a chunk at once gives what its lines give one by one; `rows` compares."""
    rows(data)


@EXAMPLES
@given(st.lists(printed(), min_size=1, max_size=5))
def test_frames_that_json_reads_are_read(lines: list[bytes]) -> None:
    """Each line that the standard library reads as one object is one frame on that line."""
    data = b"\n".join(lines) + b"\n"
    expected = []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and line[:1] == b"{" and line != b"{}":
            expected.append((number, value.get("n")))
    found = [(row.at[0], row.told) for row in record(data).rows if row.what == "frame"]
    assert [] == [row for row in expected if row not in found]


@EXAMPLES
@given(outputs(), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(4, 40))
def test_borders_of_chunks_do_not_show(data: bytes, sizes: list[int], chunk_bytes: int) -> None:
    """However a pipe hands the bytes out, frames, spans and damage are those of the whole."""
    whole = told(record(data.removeprefix(b"\xef\xbb\xbf")))
    with (
        patch.object(lines_module, "CHUNK_BYTES", chunk_bytes),
        patch.object(frames_module, "PART_BYTES", chunk_bytes),
    ):
        assert whole == told(record(*chunks(Pipe(data, sizes))))


@EXAMPLES
@given(outputs(), st.sampled_from(["utf-16-le", "utf-16-be"]), st.booleans(), st.integers(1, 9))
def test_utf_16_reads_like_utf_8(data: bytes, encoding: str, mark: bool, size: int) -> None:  # noqa: FBT001 - drawn
    """What PowerShell wrote is read as what it is, wherever its bytes are parted (B7)."""
    text = '{"n":0}\n' + data.decode("utf-8", "replace").replace("\ufeff", "")
    written = ("\ufeff" * mark + text).encode(encoding)
    with patch.object(lines_module, "CHUNK_BYTES", 4):
        assert told(record(text.encode())) == told(record(*chunks(Pipe(written, [size, 1]))))


@EXAMPLES
@given(outputs())
def test_chunks_are_whole_lines_and_whole_documents(data: bytes) -> None:
    """Nothing is lost between chunks; each ends at a line end, and outside of a document."""
    with patch.object(lines_module, "CHUNK_BYTES", 4):
        parts = list(chunks(Pipe(data, [5, 3])))
    assert data.removeprefix(b"\xef\xbb\xbf") == b"".join(parts)
    for part in parts[:-1]:
        flush = [line for line in part.split(b"\n") if line[:1] not in (b" ", b"\t", b"\r", b"")]
        assert part.endswith(b"\n")
        assert not flush or flush[-1].rstrip() not in (b"{", b"[")


@EXAMPLES
@given(outputs())
def test_every_line_is_accounted_for(data: bytes) -> None:
    """Each line that shows something is told, by a frame, a text or damage that covers it."""
    covered: set[int] = set()
    for row in record(data).rows:
        covered.update(range(row.at[0], row.at[1] + 1))
    bare = b" \t\r\x0b\x0c\x00,[]\xef\xbb\xbf"
    showing = {
        number
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.replace(b"\x1b[0m", b"").strip(bare)
    }
    assert set() == showing - covered
