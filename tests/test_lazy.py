# SPDX-License-Identifier: Apache-2.0
"""A heavy value is decoded when somebody asks, and never raises."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import Raw

from agentframes.lazy import Lazy, present

DEEP = b"[" * 10_000 + b"]" * 10_000


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a":[1,2.5,null,true]}', {"a": [1, 2.5, None, True]}),
        (b'"a\\ud800b"', "a\ufffdb"),
        (b'"a\xffb"', "a\ufffdb"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'{"\\ud800":1}', {"\ufffd": 1}),
        (b"NaN", None),
        (b"[1e400,-1e400,1]", [None, None, 1]),
        (b"9" * 400, int("9" * 400)),
        (b"[" + b"9" * 5000 + b",1]", [None, 1]),
        (b"", ""),
        (b'{"a":', '{"a":'),
        (DEEP, DEEP.decode()),
        (DEEP * 10, (DEEP * 10).decode()),
    ],
    ids=range(13),
)
def test_decode(raw: bytes, value: Any) -> None:
    """A value decodes; what cannot be read is replaced, or comes as its text."""
    assert value == Lazy(raw).decode()


def test_text() -> None:
    """A string comes as itself, any other value as the JSON that stands there."""
    assert "a\nb" == Lazy(b'"a\\nb"').text()
    assert '{"a": 1.50}' == Lazy(b'{"a": 1.50}').text()
    assert '"a\ufffd"' == Lazy(b'"a\xff"').json()


def test_view_into_a_chunk_and_copy_of_it() -> None:
    """A value is a view until it is kept."""
    raw = msgspec.json.decode(b'{"a": "xyz"}', type=dict[str, Raw])["a"]
    assert 5 == len(Lazy(raw))
    kept = Lazy(raw).kept()
    assert b'"xyz"' == kept.raw
    assert type(kept.raw) is bytes
    assert kept == Lazy(raw)


def test_equal_by_meaning() -> None:
    """Values are equal where they mean the same; so they have no hash."""
    assert Lazy(b'{"a": 1}') == Lazy(b'{ "a":1 }')
    assert Lazy(b"1") != Lazy(b"2")
    assert Lazy(b"1") != 1
    assert Lazy(DEEP) == Lazy(DEEP)
    with pytest.raises(TypeError):
        hash(Lazy(b"1"))


def test_wrapped_value() -> None:
    """A value at hand is wrapped as its JSON."""
    assert b'{"a":"\xc3\xa4"}' == Lazy.of({"a": "ä"}).raw


def test_shown_without_its_content() -> None:
    """What a model said does not stand in a log."""
    assert "Lazy(8 bytes)" == repr(Lazy(b'"secret"'))


def test_absent_field() -> None:
    """A raw field that was not there is empty; null is there."""
    assert not present(Raw())
    assert present(Raw(b"null"))
