# SPDX-License-Identifier: Apache-2.0
"""Damaged lines: what can be read of them is read, what is wrong with them is told."""

from __future__ import annotations

import pytest

from agentframes.lenient import Change
from tests.recorded import Row, frame, lost, partly, record, rows, text

AFTER = b'{"n":9}\n'


def deep(depth: int) -> bytes:
    """Return a frame with nested arrays."""
    return b'{"n":1,"other":' + b"[" * depth + b"]" * depth + b"}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # Two frames on a line, and one inside another.
        (b'{"n":1}{"n":2}', [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1)]),
        (b'{"n":1} {"b":2}', [frame(1, 1), frame(None, 1, 1, 1), partly("spliced", 1)]),
        (b'{"n":1{"n":2},"text":"a"}',
         [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1)]),
        (b'{"n":1,"text":"a{"n":2}b"}',
         [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1)]),
        (b'{"n":1,"t{"n":2}{"n":3}ext":"a"}',
         [frame(1, 1), frame(2, 1, 1, 1), frame(3, 1, 1, 2), partly("spliced", 1)]),
        (b'{"n":1,"heavy":[{"b":1},{"b":2}],{"n":2}"text":"a"}',
         [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1)]),
        # Text around frames.
        (b'WARN slow {"n":1}', [frame(1, 1), partly("mixed_with_text", 1)]),
        (b'{"n":1}WARN slow', [frame(1, 1), partly("mixed_with_text", 1)]),
        (b'WARN {"n":1} and {"n":2} so',
         [frame(1, 1), frame(2, 1, 1, 1), partly("mixed_with_text", 1)]),
        (b'WARN {"a":1} {"n":1}', [frame(1, 1), partly("mixed_with_text", 1)]),
        (b'WARN {"a":{"n":1}}', [text('WARN {"a":{"n":1}}', 1)]),
        (b'{"a":1}WARN slow', [lost("not_json", 1)]),
        (b'[WARN] {"n":1}', [frame(1, 1), partly("mixed_with_text", 1)]),
        # Text or a break in the middle of a frame.
        (b'{"n":1,WARN slow"text":"a"}', [lost("not_json", 1)]),
        (b'{"n":1,"te{"n":2}', [frame(2, 1), partly("unfinished", 1)]),
        (b'{"n":1,"heavy":{"b":1},"te', [lost("not_json", 1)]),
        # Terminal escapes and stray bytes before and behind.
        (b'\x1b[?25l{"n":1}', [frame(1, 1), partly("terminal_escape", 1)]),
        (b'\x1b]0;title\x07{"n":1}', [frame(1, 1), partly("terminal_escape", 1)]),
        (b'\x1b]0;title\x1b\\\x1b(B{"n":1}', [frame(1, 1), partly("terminal_escape", 1)]),
        (b'{"n":1}\x1b[0m\x1b[?25h', [frame(1, 1), partly("terminal_escape", 1)]),
        (b'{"b":1}\x1b[0m{"n":2}',
         [frame(None, 1), frame(2, 1, 1, 1), partly("terminal_escape+spliced", 1)]),
        (b'\xef\xbb\xbf{"n":1}', [frame(1, 1), partly("stray_bytes", 1)]),
        (b'\x00\x00{"n":1}', [frame(1, 1), partly("stray_bytes", 1)]),
        (b'{"n":1}\x00', [frame(1, 1), partly("stray_bytes", 1)]),
        # What strict JSON refuses.
        (b'{"n":1,"text":"a\tb"}', [frame(1, 1), partly("stray_bytes", 1)]),
        (b'{"n":1,"text":"\xff"}', [frame(1, 1), partly("bad_utf8", 1)]),
        (b'{"n":1,"text":"\xe2\x82"}', [frame(1, 1), partly("bad_utf8", 1)]),
        (b'{"n":1,"text":"\\ud800"}', [frame(1, 1), partly("lone_surrogate", 1)]),
        (b'{"n":1,"\\udfff":"a"}', [frame(1, 1), partly("lone_surrogate", 1)]),
        (b'{"n":1,"a":NaN}', [frame(1, 1), partly("not_a_number", 1)]),
        (b'{"n":1,"a":[Infinity,-Infinity]}', [frame(1, 1), partly("not_a_number", 1)]),
        (b'[{"n":1},{"n":2,"a":NaN}]',
         [frame(1, 1), frame(2, 1, 1, 1), partly("not_a_number", 1)]),
        (b'{"n":1,"a":}', [lost("not_json", 1)]),
        (b'{"n":1,}', [lost("not_json", 1)]),
    ],
    ids=range(34),
)  # fmt: skip
def test_damaged_line(line: bytes, expected: list[Row]) -> None:
    """A damaged line yields its frames in the order they begin, then says what is wrong."""
    assert [*expected, frame(9, 2)] == rows(line + b"\n" + AFTER)


@pytest.mark.parametrize(
    ("line", "expected", "told"),
    [
        (b'{"n":1,"a\xff":2}', [frame(1, 1)], None),
        (b'{"n":1,"a":"\xff"}', [frame(1, 1)], None),
        (b'{"n":1,"a":1e400}', [frame(1, 1)], None),
        (b'{"n":1,"a":' + b"7" * 5000 + b"}", [frame(1, 1)], None),
        (b'{"n":' + b"7" * 400 + b"}", [frame(int("7" * 400), 1)], None),
    ],
    ids=range(5),
)
def test_what_nobody_reads_does_no_harm(line: bytes, expected: list[Row], told: None) -> None:
    """Bad bytes and huge numbers in fields that are not read leave a frame undamaged."""
    assert [*expected, frame(9, 2)] == rows(line + b"\n" + AFTER)
    assert told is record(line).frames[0].text


@pytest.mark.parametrize("depth", [20_000, 100_000])
@pytest.mark.parametrize(
    ("before", "after"), [(b"", b""), (b"[", b"]"), (b"log ", b""), (b"", b'{"n":2}')]
)
def test_depth(depth: int, before: bytes, after: bytes) -> None:
    """A line too deep for any parser is told as lost; the next line is read."""
    line = before + deep(depth).rstrip() + after + b"\n"
    told = rows(line + AFTER)
    assert frame(9, 2) == told[-1]
    assert [("lost", "too_deep")] == [
        (row.what, row.told) for row in told[:-1]
    ] or before == b"log "
    assert len(told) == 2


@pytest.mark.parametrize("depth", [10_000, 100_000])
def test_depth_that_never_ends(depth: int) -> None:
    """Brackets that only open are lost, or text, and raise nothing."""
    for opening in (b"[", b"{", b'{"a":', b"[{", b'[{"a":'):
        assert frame(9, 2) == rows(opening * depth + b"\n" + AFTER)[-1]


@pytest.mark.parametrize(
    ("line", "expected", "changes"),
    [
        (b'{"n":"7"}', [frame(7, 1)], [Change("n", "integer | null", "string")]),
        (b'{"n":7.0}', [frame(7, 1)], [Change("n", "integer | null", "number")]),
        (b'{"n":[7]}', [frame(None, 1)], [Change("n", "integer | null", "array")]),
        (b'{"n":"7"}{"n":8}', [frame(7, 1), frame(8, 1, 1, 1), partly("spliced", 1)],
         [Change("n", "integer | null", "string")]),
        (b'{"n":"7","text":"\xff"}', [frame(7, 1), partly("bad_utf8", 1)],
         [Change("n", "integer | null", "string")]),
        (b'{"n":"7","tex', [lost("not_json", 1)], []),
        (b'{"n":"7","a":tru}', [lost("not_json", 1)], []),
        (b'{"n":"7","a":' + b"[" * 20_000 + b"]" * 20_000 + b"}", [lost("too_deep", 1)], []),
        (b'[{"n":"7"}]', [frame(7, 1)], [Change("n", "integer | null", "string")]),
        (b'{"n":' + b"7" * 5000 + b"}", [frame(None, 1)],
         [Change("n", "integer | null", "unreadable")]),
    ],
    ids=range(10),
)  # fmt: skip
def test_odd_types(line: bytes, expected: list[Row], changes: list[Change]) -> None:
    """A field of another type costs only itself, and broken JSON behind it raises nothing."""
    assert [*expected, frame(9, 2)] == rows(line + b"\n" + AFTER)
    assert changes == record(line).changes


def test_bad_bytes_are_replaced_in_text() -> None:
    """Text with bad bytes is kept, also where another field has an odd type before it (B2)."""
    assert "a\ufffdb" == record(b'{"n":1,"text":"a\xffb"}').frames[0].text
    assert "a\ufffdb" == record(b'{"n":"1","text":"a\xffb"}').frames[0].text
    assert "a\ufffdb" == record(b'{"n":1,"text":"a\\ud83db"}').frames[0].text


def test_escaped_pair_is_one_character() -> None:
    """Two escaped surrogates that belong together are no damage."""
    told = record(b'{"n":1,"text":"\\ud83d\\ude00"}')
    assert [frame(1, 1)] == told.rows
    assert "\U0001f600" == told.frames[0].text


@pytest.mark.parametrize(
    "piece",
    [b'{"', b"[{", b'{"a":', b'{"x" ', b'{"a":1', b'{"a":1,', b'{"a":[1,', b'{"a":"x{"}', b"{ \t",
     b"\x1b]", b"\x1b[1;", b"{\n", b"[\n", b'{"a":"', b'\\{"', b'{"a":{"b":1}'],
)  # fmt: skip
@pytest.mark.parametrize("before", [b"", b"log ", b'{"n":1,"heavy":'])
def test_work_on_a_line_is_bounded(piece: bytes, before: bytes) -> None:
    """A long line of begun objects, brackets or escapes is read in linear time."""
    data = before + piece * (200_000 // len(piece)) + b"\n" + AFTER
    assert 9 == record(data).frames[-1].n


def test_a_frame_is_found_behind_many_objects() -> None:
    """However many objects a broken frame holds, a frame spliced in behind them is found (B6)."""
    parts = b",".join(b'{"b":{"c":%d}}' % n for n in range(500))
    line = b'{"n":1,"heavy":[' + parts + b'],{"n":2}"text":"a"}\n'
    assert [frame(1, 1), frame(2, 1, 1, 1), partly("spliced", 1)] == rows(line)
    # Where the open frame cannot be mended, an object in the place of a value is its content.
    assert [lost("not_json", 1)] == rows(line.replace(b'"text"', b"text"))
