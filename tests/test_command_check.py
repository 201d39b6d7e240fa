# SPDX-License-Identifier: Apache-2.0
"""``agentframes check`` as its users see it: three formats, one exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentframes.commands import check, main
from tests.frames import CORPUS, Frame, capture, having, printed, without
from tests.novel import IDS, PLANTED, SECRET

ROOT = Path(__file__).parent.parent
CLAUDE = CORPUS / "claude/2.1.332/s03-shell"
FORMATS = ("text", "json", "github")
# They print their help: `--thinking` came later.
NO_AGENT, NO_AGENT_EITHER = (
    CORPUS / f"opencode/{version}/s06-reasoning--thinking" for version in ("1.0.185", "1.0.0")
)
CAPTURES = sorted(path.parent for path in CORPUS.glob("*/*/*/capture.toml"))

Capsys = pytest.CaptureFixture[str]


def checked(capsys: Capsys, *arguments: str | Path) -> tuple[int, str, str]:
    """Run the command; return its exit status and what it wrote."""
    status = main(["check", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def drifted(tmp_path: Path, *frames: Frame) -> Path:
    """Write a claude run with frames put in before its last."""
    *begin, end = capture("claude/2.1.332/s03-shell")
    path = tmp_path / "run.jsonl"
    path.write_bytes(printed(*begin, *frames, end))
    return path


NOVEL = {"type": "brand_new", "session_id": "s"}


class TestCorpus:
    """What was captured is what is expected."""

    def test_no_error_and_no_warning(self, capsys: Capsys) -> None:
        """Over the whole corpus nothing is told at all."""
        inputs = [path for path in CAPTURES if path not in {NO_AGENT, NO_AGENT_EITHER}]
        status, out, err = checked(capsys, "--format", "json", *inputs)
        assert (0, "") == (status, err)
        reports = [json.loads(line) for line in out.splitlines()]
        assert [[]] == [
            list(one) for one in {tuple(map(str, report["drift"])) for report in reports}
        ]
        assert {True} == {report["captured"] for report in reports}
        assert {str(path) for path in inputs} == {report["source"] for report in reports}

    def test_a_capture_that_is_no_output(self, capsys: Capsys) -> None:
        """A CLI that printed its help printed no frames."""
        assert (2, "", f"agentframes: check: {NO_AGENT}: not agent output\n") == checked(
            capsys, NO_AGENT
        )


class TestText:
    """The report for people."""

    def test_nothing_differs(self, capsys: Capsys) -> None:
        """Input, version, and the protocol in one line."""
        expected = (
            f"{CLAUDE}\n"
            "  claude 2.1.332: this version was captured\n"
            "  6 frames, 5 kinds, 0 unknown, 0 malformed, 0 text lines\n"
        )
        assert (0, expected, "") == checked(capsys, CLAUDE)

    def test_drift(self, capsys: Capsys, tmp_path: Path) -> None:
        """The gravest comes first, and each line says what, where and how often."""
        *_, end = capture("claude/2.1.332/s03-shell")
        odd = without(having(end, brandNew=1, num_turns="2"), "duration_ms")
        path = drifted(tmp_path, NOVEL, NOVEL, odd)
        with path.open("a") as file:
            file.write("text\n{broken\n" + '{"cut\n')
        expected = (
            f"{path}\n"
            "  claude 2.1.332: this version was captured\n"
            "  error  unknown_kind brand_new (line 6, 2x)\n"
            "  error  missing_field result/success duration_ms: integer -> absent (line 8, 1x)\n"
            "  error  type_changed result/success num_turns: integer -> string (line 8, 1x)\n"
            "  warn   damaged_line (line): one JSON object -> not_json (line 12, 1x)\n"
            "  warn   unknown_field result/success brandNew: integer (line 8, 1x)\n"
            "  9 frames, 6 kinds, 2 unknown, 1 malformed, 2 text lines\n"
        )
        assert (1, expected, "") == checked(capsys, path)

    def test_another_version(self, capsys: Capsys, tmp_path: Path) -> None:
        """The nearest captured version is named, and it is no error that it is another."""
        init, *rest = capture("claude/2.1.332/s03-shell")
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed(having(init, claude_code_version="2.1.340"), *rest))
        expected = (
            f"{path}\n"
            "  claude 2.1.340: the nearest captured version is 2.1.332\n"
            "  note   other_version (version): 2.1.332 -> 2.1.340\n"
            "  6 frames, 5 kinds, 0 unknown, 0 malformed, 0 text lines\n"
        )
        assert (0, expected, "") == checked(capsys, path)

    def test_a_version_that_nothing_tells(self, capsys: Capsys) -> None:
        """All captured versions count together; the option tells one."""
        path = CORPUS / "codex/0.171.0/s01-text/stdout.jsonl"
        told = "  codex (version not told): held against all captured versions\n"
        assert told in checked(capsys, path)[1]
        told = "  codex 0.171.0: this version was captured\n"
        assert told in checked(capsys, "--cli-version", "0.171.0", path)[1]

    def test_a_field_of_another_version(self, capsys: Capsys, tmp_path: Path) -> None:
        """A note says which captured versions have it."""
        init, *rest = capture("claude/2.1.220/s03-shell")
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed(having(init, sandbox_enabled=True), *rest))
        told = "  note   unknown_field system/init sandbox_enabled: boolean (line 1, 1x)"
        assert f"{told}; so in 2.1.332\n" in checked(capsys, path)[1]

    def test_several_runs(self, capsys: Capsys, tmp_path: Path) -> None:
        """Each run of an input has its own report."""
        path = tmp_path / "runs.jsonl"
        path.write_bytes(
            printed(capture("claude/2.1.220/s03-shell"), capture("claude/2.1.332/s03-shell"))
        )
        rows = checked(capsys, path)[1].splitlines()
        assert [f"{path} (run 1 of 2)", f"{path} (run 2 of 2)"] == [rows[0], rows[3]]

    def test_one_of_each(self, capsys: Capsys, tmp_path: Path) -> None:
        """One frame is not several."""
        path = tmp_path / "one.jsonl"
        path.write_bytes(printed(capture("codex/0.171.0/s01-text")[0]))
        assert (
            "  1 frame, 1 kind, 0 unknown, 0 malformed, 0 text lines\n" in checked(capsys, path)[1]
        )


class TestJson:
    """One object a run."""

    def test_drift(self, capsys: Capsys, tmp_path: Path) -> None:
        """The whole report, with the findings as facts have them."""
        path = drifted(tmp_path, NOVEL)
        status, out, _ = checked(capsys, "--format", "json", path)
        finding: dict[str, Any] = {
            "what": "unknown_kind", "level": "error", "kind": "brand_new", "field": None,
            "expected": None, "found": None, "line": 6, "count": 1, "seen_in": [],
        }  # fmt: skip
        frames = {
            "total": 7, "known": 6, "unknown": 1, "malformed": 0, "text_lines": 0, "kinds": 6,
        }  # fmt: skip
        expected: dict[str, Any] = {
            "source": str(path), "runs": 1, "run": 1, "engine": "claude", "cli_version": "2.1.332",
            "baseline": "2.1.332", "captured": True, "frames": frames, "drift": [finding],
        }  # fmt: skip
        assert (1, expected) == (status, json.loads(out))
        assert 1 == out.count("\n")


class TestGithub:
    """Workflow commands, which GitHub shows beside the file."""

    def test_levels(self, capsys: Capsys, tmp_path: Path) -> None:
        """An error, a warning and a notice, each on its line of the file."""
        init, *rest = capture("claude/2.1.220/s03-shell")
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed(having(init, sandbox_enabled=True, brandNew=[]), NOVEL, *rest))
        expected = (
            f"::error file={path},line=2,title=unknown_kind::brand_new (line 2, 1x)\n"
            f"::warning file={path},line=1,title=unknown_field::"
            "system/init brandNew: array (line 1, 1x)\n"
            f"::notice file={path},line=1,title=unknown_field::"
            "system/init sandbox_enabled: boolean (line 1, 1x); so in 2.1.332\n"
            f"checked {path}: claude 2.1.220: this version was captured;"
            " 7 frames, 6 kinds, 1 unknown, 0 malformed, 0 text lines\n"
        )
        assert (1, expected, "") == checked(capsys, "--format", "github", path)

    def test_names_are_escaped(self, capsys: Capsys, tmp_path: Path) -> None:
        """A file's name breaks no command."""
        path = tmp_path / "a,b:c%.jsonl"
        path.write_bytes(printed(capture("codex/0.171.0/s01-text")[0], {"type": "brand_new"}))
        out = checked(capsys, "--format", "github", path)[1]
        assert f"::error file={tmp_path}/a%2Cb%3Ac%25.jsonl,line=2,title=" in out

    def test_a_name_is_no_workflow_command(self, capsys: Capsys, tmp_path: Path) -> None:
        """A line that begins with an input's name would be one, for some names."""
        path = tmp_path / "run"
        path.write_bytes(printed(*capture("claude/2.1.332/s03-shell")))
        _, out, _ = checked(capsys, "--format", "github", path)
        assert out.startswith(f"checked {path}: claude 2.1.332: ")

    def test_a_capture_folder_names_its_file(self, capsys: Capsys) -> None:
        """An annotation stands beside the output, not the folder."""
        assert (
            f"file={CLAUDE}/stdout.jsonl,"
            in checked(capsys, "--format", "github", "--engine", "codex", CLAUDE)[1]
        )


class TestInputs:
    """What can be checked, and what cannot."""

    def test_stdin(self) -> None:
        """What is piped in is read, with and without a dash."""
        command = [sys.executable, "-m", "agentframes", "check"]
        printed_run = (CLAUDE / "stdout.jsonl").read_bytes()
        for arguments in ([], ["-"]):
            done = subprocess.run(
                [*command, *arguments], input=printed_run, capture_output=True, check=False
            )
            assert (0, b"") == (done.returncode, done.stderr)
            assert done.stdout.startswith(b"-\n  claude 2.1.332")

    @pytest.mark.parametrize(
        ("content", "status"), [(b"just words\n", 2), (b"", 2), (b'{"ok": true}\n', 2)]
    )
    def test_no_agent_output(
        self, capsys: Capsys, tmp_path: Path, content: bytes, status: int
    ) -> None:
        """What no engine printed is no drift: it is the wrong file."""
        path = tmp_path / "words.txt"
        path.write_bytes(content)
        expected = f"agentframes: check: {path}: not agent output\n"
        assert (status, "", expected) == checked(capsys, path)

    def test_an_empty_run_of_a_known_engine(self, capsys: Capsys, tmp_path: Path) -> None:
        """A run that printed nothing did not drift."""
        path = tmp_path / "empty.jsonl"
        path.touch()
        status, out, _ = checked(capsys, "--engine", "codex", path)
        assert (0, True) == (status, "0 frames, 0 kinds" in out)

    def test_unreadable(self, capsys: Capsys, tmp_path: Path) -> None:
        """One line says what is wrong, and the other inputs are checked."""
        status, out, err = checked(capsys, tmp_path / "none", CLAUDE)
        assert (2, f"agentframes: check: {tmp_path}/none: no such file\n") == (status, err)
        assert out.startswith(str(CLAUDE))

    def test_misuse_is_worse_than_drift(self, capsys: Capsys, tmp_path: Path) -> None:
        """With several inputs the worst counts."""
        path = drifted(tmp_path, NOVEL)
        assert 1 == checked(capsys, path, CLAUDE)[0]
        assert 2 == checked(capsys, path, tmp_path / "none")[0]

    @pytest.mark.parametrize(
        "arguments", [["--format", "xml", "x"], ["--engine", "nobody", str(CLAUDE)], ["-", "-"]]
    )
    def test_usage(self, capsys: Capsys, arguments: list[str]) -> None:
        """A misuse is one line and exit status 2."""
        status, out, err = checked(capsys, *arguments)
        assert (2, "", 1) == (status, out, err.count("\n"))

    def test_help(self, capsys: Capsys) -> None:
        """The command is listed, and tells its exit statuses."""
        assert 0 == main(["--help"])
        assert "  check " in capsys.readouterr().out
        with pytest.raises(SystemExit):
            main(["check", "--help"])
        assert "exit status: 0 no drift of level error; 1 some;" in capsys.readouterr().out


class TestSecrets:
    """Nothing that a frame holds comes out of any form, whatever its manifest does not know."""

    @pytest.mark.parametrize(("engine", "kind", "frame"), PLANTED, ids=IDS)
    def test_of_an_unknown_frame(
        self, capsys: Capsys, tmp_path: Path, engine: str, kind: str, frame: Frame
    ) -> None:
        """Every format of check, and every form of read, tells the kind and no more."""
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed(frame))
        for form in FORMATS:
            status, out, err = checked(capsys, "--format", form, "--engine", engine, path)
            assert kind in out
            assert SECRET not in out + err
            assert status in {0, 1}
        for forms in (["--json"], [], ["--strict"], ["--json", "--strict"]):
            main(["read", *forms, "--engine", engine, str(path)])
            out, err = capsys.readouterr()
            assert kind in out
            assert SECRET not in out + err

    def test_of_an_unknown_field(self, capsys: Capsys, tmp_path: Path) -> None:
        """A field's name and type are told, never what it holds, at any depth."""
        *_, end = capture("claude/2.1.332/s03-shell")
        value = {"deep": [{SECRET: SECRET}], SECRET: SECRET}
        odd = having(end, brandNew=value, num_turns=[SECRET], usage__brandNew=SECRET)
        odd["usage"][f"{SECRET} {'x' * 60}"] = 1
        path = drifted(tmp_path, odd)
        for form in FORMATS:
            _, out, err = checked(capsys, "--format", form, path)
            assert "brandNew" in out
            assert SECRET not in out + err
        for forms in (["--strict"], ["--json", "--strict"]):
            main(["read", *forms, str(path)])
            out, err = capsys.readouterr()
            assert "brandNew" in out
            assert SECRET not in out + err


class TestReadStrict:
    """``agentframes read --strict`` looks at every field."""

    def test_fields(self, capsys: Capsys, tmp_path: Path) -> None:
        """A field that is gone is drift of level error, and is seen under --strict alone."""
        *_, end = capture("claude/2.1.332/s03-shell")
        path = drifted(tmp_path, without(end, "duration_api_ms"))
        assert 0 == main(["read", str(path)])
        assert "drift" not in capsys.readouterr().out
        assert 4 == main(["read", "--strict", str(path)])
        row = "error: missing_field result/success duration_api_ms: integer -> absent (line 6, 1x)"
        assert row in capsys.readouterr().out

    def test_a_warning_is_told_and_passes(self, capsys: Capsys, tmp_path: Path) -> None:
        """A new field alone leaves the exit status as it was."""
        *_, end = capture("claude/2.1.332/s03-shell")
        path = drifted(tmp_path, having(end, brandNew=1))
        assert 0 == main(["read", "--strict", str(path)])
        assert "drift       warn: unknown_field result/success brandNew" in capsys.readouterr().out


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_that_is_no_text(capsys: Capsys, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """A file's name is bytes, and every format can write it; not every file system takes it."""
    monkeypatch.setattr(check, "source", lambda _: printed(*capture("claude/2.1.332/s03-shell")))
    status, out, err = checked(capsys, "--format", form, "bad\udcff.jsonl")
    assert (0, "") == (status, err)
    assert ("bad\ufffd.jsonl" if form == "json" else "'bad\\udcff.jsonl'") in out


def test_a_list_that_is_cut_says_so(capsys: Capsys, tmp_path: Path) -> None:
    """What is left out is counted, and so is what is known of the kinds."""
    strange = [{"type": f"new_{number}", "session_id": "s"} for number in range(1100)]
    path = drifted(tmp_path, *strange, *strange)
    status, out, _ = checked(capsys, path)
    assert 1 == status
    assert "  error  left_out (more): 200\n" in out
    assert "  2206 frames, at least 1005 kinds, 2200 unknown, 0 malformed, 0 text lines\n" in out


class TestVersions:
    """The version that the caller tells."""

    CODEX = CORPUS / "codex/0.146.0/s03-shell/stdout.jsonl"

    @pytest.mark.parametrize("told", ["0.146.0", "v0.146.0", "codex-cli 0.146.0", "0.146.0 (x)"])
    def test_as_the_cli_prints_it(self, capsys: Capsys, told: str) -> None:
        """`--version` of a CLI prints a word beside the number."""
        _, out, _ = checked(capsys, "--cli-version", told, self.CODEX)
        assert "  codex 0.146.0: this version was captured\n" in out

    @pytest.mark.parametrize("suffix", ["-alpha.3", "+b1"])
    def test_a_build_of_a_version(self, capsys: Capsys, suffix: str) -> None:
        """What stands behind the numbers does not keep it from having a nearest one."""
        _, out, _ = checked(capsys, "--cli-version", f"0.147.0{suffix}", self.CODEX)
        assert f"  codex 0.147.0{suffix}: the nearest captured version is 0.1" in out

    @pytest.mark.parametrize("command", ["check", "read"])
    def test_no_version(self, capsys: Capsys, command: str) -> None:
        """What holds no number is refused, not passed over."""
        assert 2 == main([command, "--cli-version", "garbage", str(self.CODEX)])
        out, err = capsys.readouterr()
        assert not out
        assert "no version number in 'garbage'" in err
        assert 1 == err.count("\n")

    def test_an_endless_one(self, capsys: Capsys, tmp_path: Path) -> None:
        """A version in a frame is told only where it can be one."""
        init, *rest = capture("claude/2.1.332/s03-shell")
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed(init | {"claude_code_version": "9" * 5000 + ".1.1"}, *rest))
        _, out, _ = checked(capsys, path)
        assert "claude ?: held against all captured versions" in out
