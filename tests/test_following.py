# SPDX-License-Identifier: Apache-2.0
"""A file that grows is read as it grows, and what becomes of it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentframes.errors import SourceError
from agentframes.following import Anew, follow
from agentframes.lines import CHUNK_BYTES

Step = Callable[[Path], object]


def followed(path: Path, *steps: Step) -> list[bytes | Anew]:
    """Follow a file; each time all of it was read, the next step happens, then the end."""
    waiting = iter(steps)

    def stop() -> bool:
        step = next(waiting, None)
        if step is None:
            return True
        step(path)
        return False

    return list(follow(path, poll=0, stop=stop))


def append(data: bytes) -> Step:
    """Append to the file."""

    def step(path: Path) -> None:
        with path.open("ab") as file:
            file.write(data)

    return step


def write(data: bytes) -> Step:
    """Write the same file from its start."""
    return lambda path: path.write_bytes(data)


def replace(data: bytes) -> Step:
    """Put another file in the place of this one."""

    def step(path: Path) -> None:
        other = path.with_suffix(".new")
        other.write_bytes(data)
        other.replace(path)

    return step


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a line and a half."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"one\ntw")
    return path


def test_half_a_line_is_waited_for(path: Path) -> None:
    """A line comes when it is whole, in however many pieces it was written."""
    steps = (append(b"o"), append(b"\nthree"), append(b"\n"))
    assert [b"one\n", b"two\n", b"three\n"] == followed(path, *steps)


def test_several_lines_come_at_once(path: Path) -> None:
    """What was written at once is one chunk."""
    assert [b"one\n", b"two\nthree\n"] == followed(path, append(b"o\nthree\n"))


def test_the_end(path: Path) -> None:
    """At the end half a line comes as it is."""
    assert [b"one\n", b"tw"] == followed(path)


def test_a_line_longer_than_a_chunk(path: Path) -> None:
    """A long line comes whole."""
    line = b"x" * 2 * CHUNK_BYTES + b"\n"
    assert [b"one\n", b"two\n", line] == followed(path, write(b"one\ntwo\n" + line))


def test_truncation(path: Path) -> None:
    """A file that has become shorter is read from its start."""
    told = [b"one\n", b"tw", Anew.TRUNCATED, b"1\n", b"2\n"]
    assert told == followed(path, write(b"1\n"), append(b"2\n"))


def test_truncation_to_nothing(path: Path) -> None:
    """A file that was emptied is waited for."""
    assert [b"one\n", b"tw", Anew.TRUNCATED, b"1\n"] == followed(path, write(b""), append(b"1\n"))


def test_overwriting(path: Path) -> None:
    """A file written anew is read from its start, even if it is longer than before."""
    told = [b"one\n", b"tw", Anew.OVERWRITTEN, b"another line\n"]
    assert told == followed(path, write(b"another line\n"))


def test_rotation(path: Path) -> None:
    """Another file under the same name is read from its start."""
    told = [b"one\n", b"tw", Anew.REPLACED, b"1\n", b"2\n"]
    assert told == followed(path, replace(b"1\n"), append(b"2\n"))


def test_what_was_written_before_the_rotation(path: Path) -> None:
    """The old file is read to its end."""

    def step(path: Path) -> None:
        append(b"o\nthree\n")(path)
        replace(b"1\n")(path)

    assert [b"one\n", b"two\nthree\n", Anew.REPLACED, b"1\n"] == followed(path, step)


def test_a_file_that_goes_and_comes(path: Path) -> None:
    """A file that is gone is waited for."""
    steps = (lambda path: path.unlink(), lambda _: None, write(b"1\n"))
    assert [b"one\n", b"tw", Anew.REPLACED, b"1\n"] == followed(path, *steps)


def test_no_such_file(tmp_path: Path) -> None:
    """A file must be there to begin with."""
    with pytest.raises(SourceError, match=r"nowhere: no such file$"):
        followed(tmp_path / "nowhere")
