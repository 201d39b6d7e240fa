# SPDX-License-Identifier: Apache-2.0
"""``agentframes sanitize`` as its users see it, and capture folders sanitized as a whole."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentframes.capturing.known import Known
from agentframes.capturing.sanitizing import sanitize_folder
from agentframes.commands import main
from agentframes.commands.sanitize import run
from agentframes.errors import SourceError
from tests.captured import ROOT

CODEX = ROOT / "corpus/codex/0.171.0/s03-shell"
MORE = " (agentframes sanitize --help tells more)"
KEY = "sk-ant-" + "api03-" + "aB3dE5gH7" * 4
KNOWN = Known({"/home/nora": "~", "/home/nora/shop": "/workspace/project"}, ("nora",))
LINE = json.dumps({"type": "x", "text": f"{KEY} in /home/alice/x"}) + "\n"
CLEAN = '{"type": "x", "text": "[anthropic-key-1] in ~user1/x"}\n'


class Outcome:
    """What the command gave back."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *arguments: str | Path) -> None:
        self.status = run([*map(str, arguments)])
        sys.stdout.flush()
        self.out, self.err = capfd.readouterr()


def folder(path: Path, **changed: Any) -> Path:
    """Copy a real capture, as it was before it was sanitized, with secrets in all of its files."""
    shutil.copytree(CODEX, path)
    with path.joinpath("stdout.jsonl").open("a", encoding="utf-8") as file:
        file.write(LINE)
    path.joinpath("stderr.txt").write_text(f"warn: {KEY}\nin /home/nora/shop/x\n", "utf-8")
    told: dict[str, Any] = {
        "engine": "codex",
        "argv": ["codex", "exec", "--api-key", "zork99x", "/home/alice/x"],
        "stdin": f"say {KEY}",
        "date": tomllib.loads("d = 2026-11-30")["d"],
        "sanitized": False,
        "scrubbed": ["temp dir -> /tmp"],
        "notes": "by alice.b@corp.org",
        **changed,
    }
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in told.items())
    path.joinpath("capture.toml").write_text(text + "\n", "utf-8")
    path.joinpath("expected.json").unlink()
    return path


def _toml(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else json.dumps(value)


def contents(path: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


class TestFolder:
    """A capture folder, sanitized as a whole."""

    def test_into_another(self, tmp_path: Path) -> None:
        """All files have one account of placeholders; the description tells what was done."""
        source, target = folder(tmp_path / "a"), tmp_path / "b"
        source.joinpath("result.json").write_text(KEY)
        before = contents(source)
        report = sanitize_folder(str(source), str(target), KNOWN)
        assert contents(source) == before
        after = contents(target)
        assert set(before) - {"result.json"} == set(after)
        assert ["result.json"] == report.left
        assert before["timing.jsonl"] == after["timing.jsonl"]
        printed = before["stdout.jsonl"].removesuffix(LINE.encode())
        assert printed + CLEAN.encode() == after["stdout.jsonl"]
        assert b"warn: [anthropic-key-1]\nin /workspace/project/x\n" == after["stderr.txt"]
        told = tomllib.loads(after["capture.toml"].decode())
        assert told == tomllib.loads(before["capture.toml"].decode()) | {
            "argv": ["codex", "exec", "--api-key", "[secret-field-1]", "~user1/x"],
            "stdin": "say [anthropic-key-1]",
            "notes": "by user1@example.com",
            "sanitized": True,
            "scrubbed": [
                "temp dir -> /tmp",
                "anthropic-key -> [anthropic-key-1]",
                "home -> ~user1",
                "project directory -> /workspace/project",
                "secret-field -> [secret-field-1]",
                "e-mail -> user1@example.com",
            ],
        }

    def test_in_place(self, tmp_path: Path) -> None:
        """The same, over what was there; the second time nothing changes."""
        source = folder(tmp_path / "a")
        sanitize_folder(str(source), str(tmp_path / "b"), KNOWN)
        sanitize_folder(str(source), str(source), KNOWN)
        assert contents(tmp_path / "b") == contents(source)
        report = sanitize_folder(str(source), str(source), KNOWN)
        assert ({}, 0) == (report.found, report.changed)
        assert contents(tmp_path / "b") == contents(source)
        assert {"a", "b"} == {path.name for path in tmp_path.iterdir()}

    def test_compressed(self, tmp_path: Path) -> None:
        """A compressed output is unpacked for it; one without a secret stays, byte by byte."""
        source = folder(tmp_path / "a")
        for name in ("stdout.jsonl", "stderr.txt"):
            data = source.joinpath(name).read_bytes()
            source.joinpath(f"{name}.gz").write_bytes(gzip.compress(data, 3))
            source.joinpath(name).unlink()
        source.joinpath("stderr.txt.gz").write_bytes(gzip.compress(b"fine\n", 1))
        sanitize_folder(str(source), str(tmp_path / "b"), KNOWN)
        after = contents(tmp_path / "b")
        assert gzip.decompress(after["stdout.jsonl.gz"]).endswith(CLEAN.encode())
        assert source.joinpath("stderr.txt.gz").read_bytes() == after["stderr.txt.gz"]

    def test_a_sanitized_capture(self, tmp_path: Path) -> None:
        """A capture of the corpus comes out as it is, all of it."""
        sanitize_folder(str(CODEX), str(tmp_path / "b"))
        assert contents(CODEX) == contents(tmp_path / "b")

    @pytest.mark.parametrize(
        ("description", "problem"),
        [
            ("engine = ", "not TOML"),
            ("duration = 1.5\n", "not a description that can be written"),
            ("scrubbed = 1\n", "not a description that can be written"),
        ],
    )
    def test_failure(self, tmp_path: Path, description: str, problem: str) -> None:
        """Where one file cannot be done, none is written, and nothing is left over."""
        source = folder(tmp_path / "a")
        source.joinpath("capture.toml").write_text(description)
        before = contents(source)
        for target in ("a", "b"):
            with pytest.raises(SourceError, match=problem):
                sanitize_folder(str(source), str(tmp_path / target), KNOWN)
            assert contents(source) == before
            assert ["a"] == [path.name for path in tmp_path.iterdir()]

    def test_targets(self, tmp_path: Path) -> None:
        """An empty folder will do; one with something in it is nobody's to write over."""
        source, target = folder(tmp_path / "a"), tmp_path / "b"
        target.mkdir()
        sanitize_folder(str(source), str(target), KNOWN)
        with pytest.raises(SourceError, match="b: not empty"):
            sanitize_folder(str(source), str(target), KNOWN)
        with pytest.raises(SourceError, match="cannot be written"):
            sanitize_folder(str(source), str(tmp_path / "none" / "b"), KNOWN)
        with pytest.raises(SourceError, match="without a capture"):
            sanitize_folder(str(tmp_path), str(tmp_path / "c"), KNOWN)


class TestCommand:
    """The command on files, folders and stdin."""

    def test_a_file_to_stdout(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """The lines go to stdout, what was done to stderr, and never a value."""
        path = tmp_path / "run.jsonl"
        path.write_text('{"type": "y"}\n' + LINE)
        done = Outcome(capfd, path)
        assert (0, '{"type": "y"}\n' + CLEAN) == (done.status, done.out)
        told = "1 of 2 lines changed: anthropic-key 1, home 1"
        assert f"agentframes: sanitize: {path}: {told}\n" == done.err

    def test_stdin(self) -> None:
        """What is piped in comes out sanitized, whatever its encoding."""
        command = [sys.executable, "-m", "agentframes", "sanitize", "-", "--user", "marlow"]
        text = f"\ufeff{LINE}marlow\r\n"
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            done = subprocess.run(
                command, input=text.encode(encoding), capture_output=True, check=False, cwd=ROOT
            )
            assert 0 == done.returncode
            assert f"\ufeff{CLEAN}user2\r\n" == done.stdout.decode(encoding)

    def test_check(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """Nothing is written; the exit status says whether something would be replaced."""
        path = tmp_path / "run.jsonl"
        path.write_text(LINE * 3)
        done = Outcome(capfd, path, "--check")
        assert (1, "", LINE * 3) == (done.status, done.out, path.read_text())
        assert "3 of 3 lines would be changed: anthropic-key 3 (1 different), home 3" in done.err
        source = folder(tmp_path / "a")
        before = contents(source)
        assert 1 == Outcome(capfd, source, "--check").status
        assert before == contents(source)
        done = Outcome(capfd, CODEX, "--check")
        assert (0, "") == (done.status, done.out)
        assert "nothing was found" in done.err

    def test_in_place_and_into(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """A file is written over, through a link too, or into a folder that is made."""
        path, link = tmp_path / "run.jsonl", tmp_path / "link.jsonl"
        path.write_text(LINE)
        link.symlink_to(path)
        assert "" == Outcome(capfd, path, "--into", tmp_path / "new").out
        assert (LINE, CLEAN) == (path.read_text(), (tmp_path / "new/run.jsonl").read_text())
        path.chmod(0o640)
        assert "" == Outcome(capfd, link, "--in-place").out
        assert (CLEAN, True) == (path.read_text(), link.is_symlink())
        assert 0o640 == path.stat().st_mode & 0o777
        assert {"run.jsonl", "link.jsonl", "new"} == {file.name for file in tmp_path.iterdir()}

    def test_json(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """The report as an object, where stdout is free."""
        source = folder(tmp_path / "a")
        source.joinpath("x.log").touch()
        done = Outcome(capfd, source, "--in-place", "--json", "--home", "/home/nora")
        told = json.loads(done.out)
        assert ["x.log"] == told["left"]
        assert {"anthropic-key": 1, "home": 1} == {
            name: told["values"][name] for name in ("anthropic-key", "home")
        }
        assert 1 == told["found"]["home directory"]
        assert ("", True) == (done.err, KEY not in done.out)

    def test_options(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """Folders and names that are given are taken out; that a common word is not is said."""
        path = tmp_path / "run.txt"
        path.write_text("/srv/h/x /srv/h/shop/y /usr/lib/a/b C:\\Work\\x marlow@buildbox7 dev\n")
        options = (
            "--home", "/srv/h", "--project", "/srv/h/shop", "--replace", "/usr/lib/a=/opt/cli",
            "--project", "C:\\Work", "--user", "marlow", "--user", "dev", "--host", "buildbox7",
        )  # fmt: skip
        done = Outcome(capfd, path, *options)
        shown = "~/x /workspace/project/y /opt/cli/b /workspace/project\\x user1@host1 dev\n"
        assert shown == done.out
        assert "sanitize: a name that is a common word" in done.err

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ([str(CODEX)], "a folder needs --into DIR or --in-place (or --check)"),
            (["-", "--in-place"], "what comes from stdin goes to stdout"),
            (["x", "--json"], "--json needs --check, --into or --in-place: stdout is taken"),
            (["none.jsonl"], "none.jsonl: no such file"),
            (["none.jsonl", "--in-place"], "none.jsonl: no such file"),
            ([str(ROOT / "src"), "--check"], f"{ROOT}/src: a folder without a capture"),
            (["-", "--replace", "/x=é"], "a placeholder of plain characters is needed, not 'é'"),
            (["-", "--replace", "x"], f"argument --replace: not PATH=PLACEHOLDER: 'x'{MORE}"),
            (["x", "--check", "--in-place"], "argument --in-place: not allowed with"),
            ([], f"the following arguments are required: PATH{MORE}"),
        ],
    )
    def test_misuse(
        self, arguments: list[str], problem: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """One line that says what is wrong, and the exit status for it."""
        assert 2 == main(["sanitize", *arguments])
        out, err = capfd.readouterr()
        assert "" == out
        assert 1 == err.count("\n")
        if "not allowed" not in problem:
            assert err.startswith(f"agentframes: sanitize: {problem}")

    def test_damaged_utf16(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Half a character at the end cannot be written back as it was, and is refused."""
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfea\0b")))
        assert 2 == main(["sanitize", "-"])
        assert "agentframes: sanitize: stdin: damaged UTF-16\n" == capfd.readouterr().err
