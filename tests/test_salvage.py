# SPDX-License-Identifier: Apache-2.0
"""The second and the third try on what does not decode as it stands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw, Struct

from agentframes.lenient import Change, lenient
from agentframes.salvage import (
    MAX_MISSES,
    Found,
    Salvaged,
    plain_text,
    salvage,
    salvage_value,
    starts_as_json,
)
from tests.recorded import has_number

EXAMPLES = settings(max_examples=200, derandomize=True, deadline=None, database=None)


class Part(Struct):
    """A part of a frame."""

    size: int | None = None
    name: str = "none"


class Strict(Struct):
    """A part that must have a name."""

    name: str


class Wanted(Struct):
    """A frame with a field of each sort."""

    n: int | None = None
    ratio: float | None = None
    ok: bool | None = None
    text: str | None = None
    either: int | str | None = None
    part: Part | None = None
    parts: list[Part] = []
    named: dict[str, Part] = {}
    strict: Strict | None = None
    heavy: Raw = Raw()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"a"', True), (b"{}", True), (b"{ }", True), (b"{", True), (b'{ "', True),
        (b"[", True), (b"[{", True), (b'[ {"a"', True), (b"[ ", True),
        (b'\xef\xbb\xbf{"a":1}', True), (b'\x1b[?25l\x1b]0;t\x07{"a":1}', True),
        (b'\x1b]8;;http://x\x1b\\{"a":1}', True), (b'\x1b(B\x00 {"a":1}', True),
        (b"", False), (b"text", False), (b"[INFO] x", False), (b"[1]", False), (b"[]", False),
        (b"{braces}", False), (b"{'a': 1}", False), (b'x {"a":1}', False), (b'"a"', False),
        (b"\x1b[31mred", False), (b'\x1b]0;never ends {"a":1}', False),
    ],
)  # fmt: skip
def test_begin_of_json(line: bytes, expected: bool) -> None:  # noqa: FBT001 - a table
    """A line begins as JSON with an object, or an array of them; marks and escapes are passed."""
    assert expected is starts_as_json(line)


def test_text_for_people() -> None:
    """Escapes and control bytes are taken out, bad bytes replaced, tabs kept."""
    assert "red text" == plain_text(b" \x1b[1;31mred\x1b[0m\x1b(B text\x07\x00\n")
    assert "title" == plain_text(b"\x1b]0;window\x1b\\title")
    assert "10% 20%\tä\ufffd" == plain_text(b"10%\r20%\t\xc3\xa4\xff")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"n":1,"a":NaN}',
         Salvaged([Found(b'{"n":1,"a":null}')], "not_a_number", whole=True)),
        (b'{"n":1,"a":1e400,"b":' + b"9" * 5000 + b"}",
         Salvaged([Found(b'{"n":1,"a":null,"b":null}')], "number_too_large", whole=True)),
        (b'{"n":1,"a":' + b"9" * 400 + b',"b":"\t"}',
         Salvaged([Found(b'{"n":1,"a":' + b"9" * 400 + b',"b":"\\t"}')], "stray_bytes",
                  whole=True)),
        (b'\x1b[0m{"n":1,"a":"\xff\\ud800"}',
         Salvaged([Found('{"n":1,"a":"\ufffd\ufffd"}'.encode())],
                  "terminal_escape+bad_utf8+lone_surrogate", whole=True)),
        ('{"n":1,"a":"\ufffd\t"}'.encode(),
         Salvaged([Found('{"n":1,"a":"\ufffd\\t"}'.encode())], "stray_bytes", whole=True)),
        (b'{"n":1,"a":[1{"n":2}, 2, 3]}',
         Salvaged([Found(b'{"n":1,"a":[1,2,3]}'), Found(b'{"n":2}')], "spliced", whole=True)),
        (b'{"n":1,"a":"b {"n":2}  c"}',
         Salvaged([Found(b'{"n":1,"a":"b   c"}'), Found(b'{"n":2}')], "spliced", whole=True)),
        (b'[\n {"n":1},\n {\n"n":2}, {"n":3},\n {"n',
         Salvaged([Found(b'{"n":1}', 1, 1), Found(b'{"n":2}', 2, 3), Found(b'{"n":3}', 3, 3)],
                  "unfinished", whole=False)),
        (b'{\n"n":1,\n{"n":2}\n"a":3\n}',
         Salvaged([Found(b'{"n":1,"a":3}', 0, 4), Found(b'{"n":2}', 2, 2)], "spliced",
                  whole=True)),
        (b"{braces}", Salvaged([], "not_json", whole=True)),
        (b'{"n"', Salvaged([], "not_json", whole=False)),
        (b"[{", Salvaged([], "not_json", whole=False)),
        (b'{"n":1,"a":' + b"[" * 20_000, Salvaged([], "too_deep", whole=False)),
        (b'{"n":1,"a":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
         Salvaged([], "too_deep", whole=True)),
        (b"", Salvaged([], "not_json", whole=True)),
    ],
    ids=range(15),
)  # fmt: skip
def test_salvage(line: bytes, expected: Salvaged) -> None:
    """Frames come as clean JSON in the order they begin; the reason names each damage."""
    assert expected == salvage(line, has_number)


def test_search_for_frames_is_bounded() -> None:
    """A frame is looked for behind a bounded number of objects that were begun in vain."""
    begun = b'{"x '
    expected = Salvaged([Found(b'{"n":1}')], "unfinished", whole=False)
    assert expected == salvage(begun * (MAX_MISSES - 1) + b'{"n":1}', has_number)
    assert [] == salvage(begun * MAX_MISSES + b'{"n":1}', has_number).frames


@EXAMPLES
@given(st.binary(max_size=60), st.binary(max_size=20))
@example(b"\x1b", b"\x1b[")
def test_salvage_never_raises(before: bytes, behind: bytes) -> None:
    """Whatever bytes stand around a frame, they raise nothing."""
    found = salvage(before + b'{"n":1}' + behind, has_number).frames
    assert found == [] or all(item.raw.startswith(b"{") for item in found)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"n":3.0,"ratio":"2.5","ok":"False","text":7,"either":"x"}',
         Wanted(n=3, ratio=2.5, ok=False, text="7", either="x")),
        (b'{"n":" 12 ","ratio":"3","ok":1,"text":true}', Wanted(n=12, ratio=3.0, ok=True)),
        (b'{"n":"12345678901234567890123"}', Wanted(n=12345678901234567890123)),
        (b'{"n":"1_000","ratio":"nan"}', Wanted()),
        (b'{"n":"","ratio":"Infinity","text":["a"]}', Wanted()),
        (b'{"n":2.5,"ratio":"1e400"}', Wanted()),
        (b'{"n":"12a","text":2.10}', Wanted(text="2.10")),
        (b'{"n":1e3,"text":123456789012345678901}', Wanted(n=1000, text="123456789012345678901")),
        (b'{"ratio":"' + b"9" * 400 + b'"}', Wanted()),
        (b'{"text":' + b"9" * 5000 + b"}", Wanted()),
        (b'{"part":{"size":"4","name":"a"}}', Wanted(part=Part(4, "a"))),
        (b'{"part":"none","n":1}', Wanted(n=1)),
        (b'{"parts":[{"size":1},7,{"size":"x"}]}', Wanted(parts=[Part(1), Part()])),
        (b'{"parts":{"size":1}}', Wanted()),
        (b'{"named":{"a":{"size":"2"},"b":1}}', Wanted(named={"a": Part(2)})),
        (b'{"strict":{},"n":1}', Wanted(n=1)),
        (b'{"parts":null,"n":1}', Wanted(n=1)),
        (b'{"n":"1","text":"a\xff","part":{"size":[],"b\xed\xa0":2,"name":"c"}}',
         Wanted(n=1, text="a\ufffd", part=Part(None, "c"))),
    ],
    ids=range(18),
)  # fmt: skip
def test_lenient(raw: bytes, expected: Wanted) -> None:
    """An odd field is converted where its meaning is plain, else it keeps its default."""
    value, changes = lenient(raw, Wanted)
    assert expected == value
    assert changes or raw == b'{"strict":{},"n":1}'


def test_lenient_names_changes() -> None:
    """Each change is named by its path and types; keys of a mapping are values, so not named."""
    raw = b'{"n":"x","part":{"size":[]},"parts":[1],"named":{"k":{"name":2}},"either":1.5}'
    assert [
        Change("n", "integer | null", "string"),
        Change("part.size", "integer | null", "array"),
        Change("parts[]", "object", "integer"),
        Change("named.*.name", "string", "integer"),
        Change("either", "integer | string | null", "number"),
    ] == lenient(raw, Wanted)[1]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"n":"1","text":"', b'{"n":"1","a":tru}', b"", b"{", b'{"n":"1","a":\xff}',
        b'{"n":"1","a":' + b"[" * 20_000 + b"]" * 20_000 + b"}", b"[" * 20_000,
        b'{"n":"1","\\ud800":1}',
    ],
    ids=range(8),
)  # fmt: skip
def test_lenient_never_raises(raw: bytes) -> None:
    """What is no well-formed JSON, or too deep, is None."""
    assert lenient(raw, Wanted)[0] is None


def test_lenient_without_a_required_field() -> None:
    """A struct that misses what it requires is None."""
    assert (None, []) == lenient(b"{}", Strict)
    assert (None, [Change("name", "string", "null")]) == lenient(b'{"name":null}', Strict)
    assert (None, [Change("(frame)", "object", "integer")]) == lenient(b"7", Strict)


@EXAMPLES
@given(st.binary(max_size=40))
def test_lenient_takes_any_bytes(raw: bytes) -> None:
    """No bytes raise."""
    value, _ = lenient(b'{"n":"1",' + raw, Wanted)
    assert value is None or isinstance(value, Wanted)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b'"\\ud800"', "\ufffd"), (b"[NaN,1e999]", [None, None]), (b" {} ", {}), (b"nul", "nul"),
     (b"[" * 20_000, "[" * 20_000), (b"\xff", "\ufffd")],
    ids=range(6),
)  # fmt: skip
def test_salvaged_value(raw: bytes, expected: Any) -> None:
    """A value that is no strict JSON is read patiently, or comes as its text."""
    assert expected == salvage_value(raw)
