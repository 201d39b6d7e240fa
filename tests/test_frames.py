# SPDX-License-Identifier: Apache-2.0
"""Lines, documents and arrays become frames, each with its place and its bytes."""

from __future__ import annotations

import json

import pytest

from agentframes.frames import FrameReader, Place
from agentframes.types import Span
from tests.recorded import (
    Numbered,
    Recorder,
    Row,
    frame,
    has_number,
    lost,
    partly,
    record,
    rows,
    text,
)

NOTHING: list[Row] = []
PRETTY = json.dumps([{"n": 1, "text": "a"}, {"n": 2, "heavy": [1]}], indent=2).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", NOTHING),
        (b"\n", NOTHING),
        (b'{"n":1}\n{"n":2}\n', [frame(1, 1), frame(2, 2)]),
        (b'{"n":1}\n{"n":2}', [frame(1, 1), frame(2, 2)]),
        (b'{"n":1}\r\n{"n":2}\r\n', [frame(1, 1), frame(2, 2)]),
        (b'{"n":1}\n{"n":2}\r\n{"n":3}', [frame(1, 1), frame(2, 2), frame(3, 3)]),
        (b'\n\n{"n":1}\n \t\r\n\n{"n":2}\n\n', [frame(1, 3), frame(2, 6)]),
        (b'  {"n":1}\t\n', [frame(1, 1)]),
        (b"{}\n", [frame(None, 1)]),
        (b'{"n":1,"text":"a\xe2\x80\xa8b"}\n{"n":2}\n', [frame(1, 1), frame(2, 2)]),
        (b'{"n":1,"text":"}\\n{"}\n{"n":2}\n', [frame(1, 1), frame(2, 2)]),
        (b'{"n":1,"n":2}\n', [frame(2, 1)]),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_lines(data: bytes, expected: list[Row]) -> None:
    """A line of JSON is a frame, whatever ends the line and whatever blank lines stand around."""
    assert expected == rows(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"hello\n", [text("hello", 1)]),
        (b"[INFO] started\n", [text("[INFO] started", 1)]),
        (b"[1/3] started\n", [text("[1/3] started", 1)]),
        (b"{braces} and more\n", [text("{braces} and more", 1)]),
        (b"{'n': 1}\n", [text("{'n': 1}", 1)]),
        (b'"n"\n1\nnull\n', [text('"n"', 1), text("1", 2), text("null", 3)]),
        (b"[]\n", [text("[]", 1)]),
        (b"[1, 2]\n", [text("[1, 2]", 1)]),
        (b'["a", {"b": 1}]\n', [text('["a", {"b": 1}]', 1)]),
        (b"[\n]\n", [text("[", 1), text("]", 2)]),
        (b"[\n  1,\n\n  2\n]\n", [text("[", 1), text("1,", 2), text("2", 4), text("]", 5)]),
        (b'say {"a": 1} twice\n', [text('say {"a": 1} twice', 1)]),
        (b"\x1b[31mred\x1b[0m \xff\n", [text("red \ufffd", 1)]),
        (b"a\x00b\x07\rc\td\n", [text("ab c\td", 1)]),
        (b"\x1b[?25h\n\x00\x00\n", NOTHING),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_text(data: bytes, expected: list[Row]) -> None:
    """What holds no object is text, a row for each line that shows something; nothing is lost."""
    assert expected == rows(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'[{"n":1},{"n":2}]\n{"n":3}\n', [frame(1, 1), frame(2, 1, 1, 1), frame(3, 2)]),
        (b'[ {"n":1} , {"n":2} ]', [frame(1, 1), frame(2, 1, 1, 1)]),
        (PRETTY, [frame(1, 2, 5), frame(2, 6, 11)]),
        (PRETTY.replace(b"\n", b"\r\n"), [frame(1, 2, 5), frame(2, 6, 11)]),
        (b"hi\n\n" + PRETTY + b"\nbye\n",
         [text("hi", 1), frame(1, 4, 7), frame(2, 8, 13), text("bye", 15)]),
        (b'[\n  {\n   "n": 1\n  }, {\n   "n": 2\n  }, {"n": 3},\n  {"n": 4}, {"n": 5}\n]\n',
         [frame(1, 2, 4), frame(2, 4, 6), frame(3, 6), frame(4, 7), frame(5, 7, 7, 1)]),
        (b'[{"n":1}, 7, {"n":2}]\n',
         [frame(1, 1), partly("not_an_object", 1), frame(2, 1, 1, 1)]),
    ],
    ids=range(7),
)  # fmt: skip
def test_arrays(data: bytes, expected: list[Row]) -> None:
    """Each object of an array is a frame with its lines, counted among those that begin there."""
    assert expected == rows(data)
    assert not record(data).cut


def test_elements_of_an_array_are_told() -> None:
    """A place says whether its frame is an element of an array, damaged arrays included."""
    assert [True, True, False] == record(b'[{"n":1},{"n":2}]\n{"n":3}\n').in_array
    assert [True, True] == record(PRETTY).in_array
    assert [True, True, False] == record(b'[{"n":1},{"n":NaN}]\n{"n":3}\n').in_array
    assert [True, True] == record(b'[{"n":1},{"n":"\xff"},').in_array
    assert [False] == record(b'[INFO] {"n":1}\n').in_array
    assert [False, False] == record(b'{"n":1}{"n":2}\n').in_array


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{\n  "n": 1\n}\n{\n  "n": 2\n}\n', [frame(1, 1, 3), frame(2, 4, 6)]),
        (b'{\r\n  "n": 1\r\n}\r\n{"n":2}', [frame(1, 1, 3), frame(2, 4)]),
        (b'{\n\t"n": 1,\n\n\t"heavy": {\n\t}\n}', [frame(1, 1, 6)]),
        (b'{\n "n": 1\n }\n', [frame(1, 1, 3)]),
        (b"{\n}\n", [frame(None, 1, 2)]),
        (b'warn\n{\n "n": 1\n}\n', [text("warn", 1), frame(1, 2, 4)]),
        (b'{\n "n": "x"\n}\n', [frame(None, 1, 3)]),
    ],
    ids=range(7),
)
def test_documents(data: bytes, expected: list[Row]) -> None:
    """A document printed over several lines is one frame with all of its lines."""
    assert expected == rows(data)
    assert not record(data).cut


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{\n{"n":1}\n', [lost("unfinished", 1), frame(1, 2)]),
        (b'[\n{"n":1}\n', [lost("unfinished", 1), frame(1, 2)]),
        (b'{\n  indented\n{"n":1}\n', [lost("not_json", 1, 2), frame(1, 3)]),
        (b"{\n  code: 'E1',\n  errno: -2\n}\n{\"n\":1}\n", [lost("not_json", 1, 4), frame(1, 5)]),
        (b'{\n "n": 1,\nWARN\n "a": 2\n}\n',
         [lost("not_json", 1, 2), text("WARN", 3), text('"a": 2', 4), text("}", 5)]),
        (b'[\n{"n":1},\n{"n":2}\n]\n',
         [lost("unfinished", 1), frame(1, 2), partly("stray_bytes", 2), frame(2, 3), text("]", 4)]),
        (b'{\n "n": NaN,\n "n": 1\n}\n', [frame(1, 1, 4), partly("not_a_number", 1, 4)]),
        (b'[\n {"n": 1},\n {"n": 2, "heavy": "\\ud800"},\n {\n  "n": 3\n }\n]\n',
         [frame(1, 2), frame(2, 3), frame(3, 4, 6), partly("lone_surrogate", 1, 7)]),
        (b'{\n "n": 1,\n "text": "\xff"\n}\n', [frame(1, 1, 4), partly("bad_utf8", 1, 4)]),
        (b'[\n{\n "n": 1\n},\n{\n "n": 2\n}\n]\n',
         [lost("unfinished", 1), frame(1, 2, 4), partly("stray_bytes", 2, 4), frame(2, 5, 7),
          text("]", 8)]),
    ],
    ids=range(10),
)  # fmt: skip
def test_damaged_documents(data: bytes, expected: list[Row]) -> None:
    """A document that is none, or is damaged, is told once, and the frames around it survive."""
    assert expected == rows(data)
    assert not record(data).cut


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"n":1}\n\n{"n":2}{"n":3}\n',
         [frame(1, 1), frame(2, 3), frame(3, 3, 3, 1), partly("spliced", 3)]),
        (b'{"n":1}{"n":2}\n{"n":3,\n"text":"a"}\n',
         [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1), lost("not_json", 2),
          text('"text":"a"}', 3)]),
        (b'{"n":1}{"n":2}\r\n\r\n{"n":3}\r\n',
         [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1), frame(3, 3)]),
        (b'{"n":1,"heavy":\n{"n":2}}{"n":3}\n',
         [lost("not_json", 1), frame(3, 2), partly("mixed_with_text", 2)]),
    ],
    ids=range(4),
)  # fmt: skip
def test_as_many_objects_as_lines_is_not_one_on_each(data: bytes, expected: list[Row]) -> None:
    """Two objects on a line and one over two lines are not taken for three lines of one each."""
    assert expected == rows(data)


def test_raw_is_what_stands_there() -> None:
    """A frame's bytes are its JSON as printed, on every way it can be read."""
    assert [b'{"n":1}', b'{ "n": 2 }'] == record(b'{"n":1}\n{ "n": 2 }\n').raws
    assert [b'{"n":1}', b'{"n":2}'] == record(b'{"n":1}\r\n{"n":2}\r\n').raws
    assert [b'{"n":1}', b'{"n":2}'] == record(b'{"n":1}\n{"n":2}').raws
    assert [b'{"n":1}', b'{"n":2}'] == record(b' {"n":1}\n\n{"n":2}\t\n').raws
    assert [b'{"n":1}', b'{"n": 2}'] == record(b'[{"n":1}, {"n": 2}]').raws
    assert [b'{\n "n": 1\n}'] == record(b'{\n "n": 1\n}\n').raws
    assert [b'{"n": 1,\n  "text": "a"}'] == record(b'[\n {"n": 1,\n  "text": "a"}\n]').raws
    assert [b'{"n":1}', b'{"n":2}'] == record(b'x {"n": 1} y {"n": 2}').raws
    assert ['{"n":1,"text":"\ufffd"}'.encode()] == record(b'{"n": 1, "text": "\xff"}').raws


def test_raw_is_let_go_of() -> None:
    """After a chunk its place keeps no bytes, so that a long line is not kept beside the next."""
    reader = FrameReader(Numbered, Recorder(), has_number)
    reader.feed(b'{"n":1}\n')
    assert reader._place._part == b""
    reader.feed(b'[{"n":1}]\n')
    assert reader._place._raw is None


def test_a_large_chunk_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk of many lines is decoded in parts, with the same places."""
    monkeypatch.setattr("agentframes.frames.PART_BYTES", 20)
    data = b"".join(b'{"n":%d}\n' % n for n in range(100))
    told = record(data)
    assert [frame(n, n + 1) for n in range(100)] == told.rows
    assert [b'{"n":%d}' % n for n in range(100)] == told.raws


@pytest.mark.parametrize("data", [b'{"n":1,"text":"\xc3\xa4"}', b'[{"n":1},{"n":2}]', PRETTY])
def test_cut_at_every_byte(data: bytes) -> None:
    """An input that breaks off inside a frame is told as cut, wherever that is."""
    assert not record(data).cut
    for end in range(1, len(data)):
        told = record(data[:end])
        assert told.cut, data[:end]
        assert {"lost", "partly"} & {row.what for row in told.rows}, data[:end]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'[{"n":1},{"n":2},{"n":3', [frame(1, 1), frame(2, 1, 1, 1), partly("unfinished", 1)]),
        (b'[{"n":1},', [frame(1, 1), partly("stray_bytes", 1)]),
        (b'[{"b":1},{"c":{"n":2},', [frame(None, 1), partly("unfinished", 1)]),
        (PRETTY[:-40], [frame(1, 2, 5), partly("unfinished", 1, 7)]),
        (PRETTY.replace(b"\n", b"\r\n")[:-44], [frame(1, 2, 5), partly("unfinished", 1, 7)]),
        (b'[{"n":1} WARN', [frame(1, 1), partly("unfinished", 1)]),
        (b'{"b":1}{"n":2', [frame(None, 1), partly("unfinished", 1)]),
        (b'{\n "n": 1,\n', [lost("not_json", 1, 2)]),
    ],
    ids=range(8),
)  # fmt: skip
def test_cut_input_yields_what_was_whole(data: bytes, expected: list[Row]) -> None:
    """Of an array or a line that breaks off, the objects that stand before the break are read."""
    assert expected == rows(data)
    assert record(data).cut


@pytest.mark.parametrize(
    "data",
    [
        b'log {"n":1}', b'{"n":1} log', b'{"n":1}\x1b[0m', b'{"n":1},', b'[{"n":1}] log',
        b'{"n":1}{"n":2}', b'log {"a', b"{braces", b'{"n":1,"text":"\xff"}', b'log {"a":1} {"n":1}',
    ],
)  # fmt: skip
def test_an_input_without_a_last_line_end_is_not_cut(data: bytes) -> None:
    """Text beside a whole frame, or damage inside one, does not make a last line a cut one."""
    assert not record(data).cut


def test_ended_line_is_never_cut() -> None:
    """A damaged line that has its line end was not cut off by the end of the input."""
    assert [lost("not_json", 1)] == rows(b'{"n":1,"te\n')
    assert not record(b'{"n":1,"te\n').cut


def test_lines_are_counted() -> None:
    """Every line counts, blank ones and a last one without its end too."""
    assert 0 == record(b"").lines
    assert 3 == record(b'{"n":1}\n\nx').lines
    assert 3 == record(b'{"n":1}\n', b"\n", b"x\n").lines
    assert 5 == record(b"{\n\n\n\n}").lines


def test_place_of_a_frame_on_the_short_way() -> None:
    """A frame that is read on the short way after one on the long way has its own place only."""
    told = record(b'[{"n":1},{"n":2}]\n', b'{"n":3}\n')
    assert [frame(1, 1), frame(2, 1, 1, 1), frame(3, 2)] == told.rows
    assert [True, True, False] == told.in_array
    assert Span(0, 0) == Place().span()
