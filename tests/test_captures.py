# SPDX-License-Identifier: Apache-2.0
"""A capture folder tells where its output is, and what is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentframes.captures import CaptureFolder, open_folder
from agentframes.errors import SourceError


def test_described_capture(tmp_path: Path) -> None:
    """Engine, version, transport and exit status come from the description."""
    for name in ("stdout.jsonl", "stdout.json", "stderr.txt"):
        (tmp_path / name).touch()
    (tmp_path / "capture.toml").write_text(
        'engine = "codex"\nversion = "0.171.0"\ntransport = "jsonl"\nexit_code = 1\n',
        encoding="utf-8",
    )
    expected = CaptureFolder(
        stdout=str(tmp_path / "stdout.jsonl"),
        stderr=str(tmp_path / "stderr.txt"),
        engine="codex",
        version="0.171.0",
        transport="jsonl",
        exit_code=1,
    )
    assert expected == open_folder(str(tmp_path))


@pytest.mark.parametrize("name", ["stdout.jsonl", "stdout.json", "stdout.txt"])
def test_output_alone(tmp_path: Path, name: str) -> None:
    """An output is enough; what nobody tells is None."""
    (tmp_path / name).touch()
    expected = CaptureFolder(str(tmp_path / name), None, None, None, None, None)
    assert expected == open_folder(str(tmp_path))


def test_odd_types_are_not_told(tmp_path: Path) -> None:
    """A description's value of another type is left out, a truth for an exit status too."""
    (tmp_path / "stdout.txt").touch()
    description = "engine = 3\nversion = 2.1\ntransport = []\nexit_code = true\nargv = 1\n"
    (tmp_path / "capture.toml").write_text(description, encoding="utf-8")
    assert (None, None, None, None, False, (), None, None) == open_folder(str(tmp_path))[2:]


def test_folder_without_output(tmp_path: Path) -> None:
    """A folder without an output is no capture, whatever else it holds."""
    (tmp_path / "stdout.jsonl").mkdir()
    with pytest.raises(SourceError) as caught:
        open_folder(str(tmp_path))
    expected = "a folder without a capture (none of stdout.jsonl, stdout.json, stdout.txt)"
    assert f"{tmp_path}: {expected}" == str(caught.value)


@pytest.mark.parametrize(
    "description",
    [b"engine = [", b"engine = \xff", b"a = " + b"[" * 5000, b"a = 1\na = 2", b"a = " + b"9" * 5000,
     b"\xef\xbb\xbfengine = 'codex'", b"\0"],
    ids=range(7),
)  # fmt: skip
def test_broken_description(tmp_path: Path, description: bytes) -> None:
    """A description that is no TOML is an error of one line that names it."""
    (tmp_path / "stdout.jsonl").touch()
    path = tmp_path / "capture.toml"
    path.write_bytes(description)
    with pytest.raises(SourceError) as caught:
        open_folder(str(tmp_path))
    assert str(caught.value).startswith(f"{path}: not TOML (")
    assert "\n" not in str(caught.value)
