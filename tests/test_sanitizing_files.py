# SPDX-License-Identifier: Apache-2.0
"""What is refused before it is read, what is written over, and the description of a capture."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from agentframes.capturing.sanitizing import sanitize_folder
from tests.test_command_sanitize import CLEAN, CODEX, KEY, KNOWN, LINE, Outcome, contents, folder


class TestRefused:
    """That nothing was found would be no answer."""

    @pytest.mark.parametrize(
        ("data", "problem"),
        [
            (gzip.compress(LINE.encode()), "compressed with gzip: name it .gz, or unpack it first"),
            (lzma.compress(LINE.encode()), "compressed with xz: unpack it first (unxz)"),
            (bz2.compress(LINE.encode()), "compressed with bzip2: unpack it first (bunzip2)"),
            (LINE.encode("utf-32"), "UTF-32: write it as UTF-8 first"),
            (LINE.encode("utf-32-le"), "UTF-32: write it as UTF-8 first"),
            (LINE.encode("utf-32-be"), "UTF-32: write it as UTF-8 first"),
            (LINE.encode("utf-16-le"), "UTF-16 without a byte order mark: write it as UTF-8 first"),
            (LINE.encode("utf-16-be"), "UTF-16 without a byte order mark: write it as UTF-8 first"),
            (b"\x7fELF\1\1\0\0" + bytes(99), "binary data: only text can be sanitized"),
            (b"text\n" + bytes(99), "binary data: only text can be sanitized"),
        ],
    )
    def test_what_is_no_text(
        self,
        data: bytes,
        problem: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        """One line says what it is and what to do; nothing is written."""
        path = tmp_path / "run.jsonl"
        path.write_bytes(data)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        for name, *options in (
            (path,), (path, "--check"), (path, "--in-place"), (path, "--into", tmp_path / "b"),
            ("-",),
        ):  # fmt: skip
            done = Outcome(capfd, name, *options)
            assert (2, "") == (done.status, done.out)
            shown = "stdin" if name == "-" else name
            assert done.err.startswith(f"agentframes: sanitize: {shown}: {problem}")
            assert 1 == done.err.count("\n")
        assert data == path.read_bytes()
        assert not (tmp_path / "b/run.jsonl").exists()

    def test_a_cut_file(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """A compressed file without its end is left as it is, alone and in a folder."""
        source = folder(tmp_path / "a")
        path = source / "stdout.jsonl.gz"
        path.write_bytes(gzip.compress(source.joinpath("stdout.jsonl").read_bytes())[:-20])
        source.joinpath("stdout.jsonl").unlink()
        before = contents(source)
        for given in (path, source):
            done = Outcome(capfd, given, "--in-place")
            assert (2, "") == (done.status, done.out)
            assert f"{path}: cut off: unpack what is left of it first (gunzip -c)\n" in done.err
        assert before == contents(source)

    def test_what_cannot_be_written_over(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """A pipe stays one; a file is no folder to write into."""
        pipe, path = tmp_path / "pipe", tmp_path / "run.jsonl"
        os.mkfifo(pipe)
        done = Outcome(capfd, pipe, "--in-place")
        assert (2, True) == (done.status, pipe.is_fifo())
        assert f"agentframes: sanitize: {pipe}: not a regular file\n" == done.err
        path.write_text(LINE)
        done = Outcome(capfd, path, "--into", path)
        assert 2 == done.status
        assert f"agentframes: sanitize: --into {path}: file exists\n" == done.err


class TestWritten:
    """What is written, and where."""

    def test_numbers_that_are_taken(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """However far behind a placeholder stands in a file, no other value has it."""
        path = tmp_path / "run.txt"
        path.write_text("to petra@acme.com\n" + "x y z\n" * 300_000 + "user1@example.com\n")
        assert Outcome(capfd, path).out.startswith("to user2@example.com\n")

    def test_links(self, tmp_path: Path) -> None:
        """What a link leads to is written over, and the link stays."""
        source, real = folder(tmp_path / "a"), tmp_path / "real.jsonl"
        source.joinpath("stdout.jsonl").rename(real)
        source.joinpath("stdout.jsonl").symlink_to(real)
        sanitize_folder(str(source), str(source), KNOWN)
        assert source.joinpath("stdout.jsonl").is_symlink()
        assert real.read_bytes().endswith(CLEAN.encode())


class TestDescription:
    """All texts of a `capture.toml`, and its comments."""

    def test_texts(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """In lists and tables, too; times and numbers stay."""
        source, target = folder(tmp_path / "a"), tmp_path / "b"
        path = source / "capture.toml"
        path.write_text(
            f'engine = "codex"  # by petra@acme.com\nlab = "{KEY}"\ndate = 2026-11-30\n'
            f'more = [["{KEY}"], {{ at = 07:30:00, who = "petra@acme.com" }}]\n'
            'n = "# no comment"\n[env]\nDB_PASSWORD = "sw0rdfish"\n"a b" = "x"\n'
        )
        assert 1 == Outcome(capfd, source, "--check").status
        sanitize_folder(str(source), str(target), KNOWN)
        shown = target.joinpath("capture.toml").read_text()
        told, before = tomllib.loads(shown), tomllib.loads(path.read_text())
        assert "petra" not in shown
        assert ("codex", before["date"]) == (told["engine"], told["date"])
        assert "[anthropic-key-1]" == told["lab"]
        assert {"DB_PASSWORD": "[secret-field-1]", "a b": "x"} == told["env"]
        who = {"at": before["more"][1]["at"], "who": "user1@example.com"}
        assert [["[anthropic-key-1]"], who] == told["more"]
        assert ("# no comment", True) == (told["n"], told["sanitized"])
        assert 0 == Outcome(capfd, target, "--check").status

    def test_comments(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """They are found where nothing else is."""
        source = tmp_path / "a"
        shutil.copytree(CODEX, source)
        path = source / "capture.toml"
        path.write_text(f"# by petra@acme.com\n{path.read_text()}# fine\n")
        assert 1 == Outcome(capfd, source, "--check").status
        sanitize_folder(str(source), str(source), KNOWN)
        assert "e-mail -> user1@example.com" in tomllib.loads(path.read_text())["scrubbed"]
        assert "petra" not in path.read_text()
        assert 0 == Outcome(capfd, source, "--check").status
