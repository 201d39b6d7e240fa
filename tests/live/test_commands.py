# SPDX-License-Identifier: Apache-2.0
"""``run``, ``runs`` and ``doctor`` as their users see them."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentframes import engines
from agentframes.commands import main
from agentframes.live import keeping
from agentframes.live.keeping import KeepingError
from tests.live.fakes import NEWEST, Done, Fake, arguments, kept

Capsys = pytest.CaptureFixture[str]
DAY = 86_400
SESSION = "01a22de7-356c-7101-adf9-5babaeda7cd9"  # of the codex capture
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["answer", "n"],
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder below which runs are kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTFRAMES_RUNS", str(tmp_path / "runs"))
    for name in ("DAYS", "MB"):
        monkeypatch.delenv(f"AGENTFRAMES_RUNS_{name}", raising=False)
    return tmp_path


def told(capsys: Capsys, command: Sequence[str]) -> Done:
    """Run the command here."""
    capsys.readouterr()
    status = main(command)
    return Done(status, *capsys.readouterr())


def nothing_kept(home: Path) -> bool:
    """Tell whether no run is kept."""
    base = home / "runs"
    return not base.exists() or not [path for path in base.iterdir() if path.is_dir()]


class TestDryRun:
    """What would be run."""

    def test_the_command_is_printed(self, home: Path, capsys: Capsys) -> None:
        """For a shell; nothing is started, and nothing kept."""
        fake = Fake(home, "opencode")
        done = told(capsys, arguments(fake, "--dry-run", prompt="it's $HOME"))
        shell = f"{fake.path} run --format json 'it'\"'\"'s $HOME'\n"
        assert Done(0, shell, "") == done
        assert (False, True) == (fake.started(), nothing_kept(home))

    def test_what_goes_to_stdin_is_told_apart(self, home: Path, capsys: Capsys) -> None:
        """Its length, beside the command; options of the CLI's own stand in it."""
        fake = Fake(home, "codex")
        options = ("--permission", "all", "--dry-run", "--", "--skip-git-repo-check")
        done = told(capsys, arguments(fake, *options))
        flags = "--dangerously-bypass-approvals-and-sandbox --skip-git-repo-check"
        line = f"{fake.path} exec --json {flags} -\n"
        assert Done(0, line, "agentframes: run: stdin: 14 characters of prompt\n") == done


class TestShown:
    """What is printed."""

    def test_json(self, home: Path, capsys: Capsys) -> None:
        """Each line is an object, the last one the facts, as they are kept."""
        done = told(capsys, arguments(Fake(home, "codex"), "--json"))
        values = [json.loads(line) for line in done.out.splitlines()]
        assert "message.user" in {value.get("kind") for value in values[:-1]}
        assert all("kind" in value for value in values[:-1])
        assert json.loads((kept(home) / "facts.json").read_bytes()) == values[-1]
        assert (kept(home) / "facts.json").read_text("utf-8") == done.out.splitlines(True)[-1]  # noqa: FBT003
        where = f"kept in {kept(home)}; to go on: --resume {SESSION}"
        assert (0, f"agentframes: run: {where}\n") == (done.status, done.err)

    def test_quiet(self, home: Path, capsys: Capsys) -> None:
        """The facts alone, as `read` tells them."""
        done = told(capsys, arguments(Fake(home, "codex"), "--quiet"))
        again = told(capsys, ["read", str(kept(home))])
        assert (0, 0, again.out) == (done.status, again.status, done.out)

    def test_rows(self, home: Path, capsys: Capsys) -> None:
        """Without a terminal the conversation, as `show` shows it, and no line at the foot."""
        done = told(capsys, arguments(Fake(home, "codex"), "--color", "never"))
        again = told(capsys, ["show", str(kept(home)), "--color", "never"])
        assert sorted(again.out.splitlines()) == sorted(done.out.splitlines())
        assert "\x1b" not in done.out

    def test_another_version(self, home: Path, capsys: Capsys) -> None:
        """It is warned of, and run."""
        words = {
            "0.171.9": "run: codex 0.171.9 is none of the versions tested; the nearest is 0.171.0",
            "dev": f"run: {home}/bin/codex does not tell its version",
        }
        for version, warning in words.items():
            done = told(capsys, arguments(Fake(home, "codex", version=version), "--quiet"))
            assert (0, f"agentframes: {warning}") == (done.status, done.err.splitlines()[0])


class TestPrompt:
    """What is asked, and of whom."""

    def test_from_stdin(self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
        """All of it, to the last line end."""
        fake = Fake(home, "claude")
        given = io.TextIOWrapper(io.BytesIO("Grüße\n--all\n".encode()))
        monkeypatch.setattr(sys, "stdin", given)
        assert 0 == told(capsys, arguments(fake, "--quiet", prompt="-")).status
        assert "Grüße\n--all\n" == fake.asked()["stdin"]
        given.close()

    def test_from_no_stdin(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is one line, and nothing is started."""
        fake = Fake(home, "claude")
        monkeypatch.setattr(sys, "stdin", None)
        done = told(capsys, arguments(fake, prompt="-"))
        why = "run: - stands for stdin, and nothing is piped in"
        assert Done(2, "", f"agentframes: {why}\n") == done
        assert not fake.started()

    @pytest.mark.parametrize(
        ("engine", "argv"),
        [
            ("claude", ["-r", "s-1"]),
            ("codex", ["resume", "s-1"]),
            ("copilot", ["--resume=s-1"]),
            ("gemini", ["--resume", "s-1"]),
            ("opencode", ["-s", "s-1"]),
        ],
    )
    def test_resume(self, home: Path, capsys: Capsys, engine: str, argv: list[str]) -> None:
        """Each engine is told of the session in its own words."""
        fake = Fake(home, engine)
        assert 0 == told(capsys, arguments(fake, "--quiet", "--resume", "s-1")).status
        asked = fake.asked()["argv"]
        at = asked.index(argv[0])
        assert argv == asked[at : at + len(argv)]

    def test_continue(self, home: Path, capsys: Capsys) -> None:
        """The session of the engine's last run in this folder, and in no other."""
        fake = Fake(home, "codex")
        (home / "other").mkdir()
        assert 0 == told(capsys, arguments(fake, "--quiet")).status
        elsewhere = ("--continue", "--cwd", "other")
        done = told(capsys, arguments(fake, *elsewhere))
        why = f"run: --continue: no codex run in {home}/other is kept in {home}/runs"
        assert Done(2, "", f"agentframes: {why}\n") == done
        assert 2 == told(capsys, arguments(Fake(home, "gemini"), "--continue")).status
        assert 0 == told(capsys, arguments(fake, "--quiet", "--continue")).status
        assert ["exec", "--json", "resume", SESSION, "-"] == fake.asked()["argv"]

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--timeout", "0"], "argument --timeout: no number above 0: '0'"),
            (["--timeout", "nan"], "argument --timeout: no number above 0: 'nan'"),
            (["--max-tokens", "1.5"], "argument --max-tokens: no whole number above 0: '1.5'"),
            (["--resume", "a", "--continue"], "not allowed with argument"),
            (["--json", "--quiet"], "not allowed with argument"),
        ],
    )
    def test_arguments_that_make_no_sense(
        self, home: Path, capsys: Capsys, options: list[str], why: str
    ) -> None:
        """One line."""
        fake = Fake(home, "codex")
        done = told(capsys, arguments(fake, *options))
        assert (2, "", 1) == (done.status, done.out, done.err.count("\n"))
        assert why in done.err
        assert not fake.started()

    def test_a_folder_that_is_not_there(self, home: Path, capsys: Capsys) -> None:
        """It is one line; of a run that never was, nothing is kept."""
        fake = Fake(home, "codex")
        done = told(capsys, arguments(fake, "--cwd", "nowhere"))
        why = f"cannot start codex: {home}/nowhere: no such file or directory"
        assert Done(2, "", f"agentframes: {why}\n") == done
        assert nothing_kept(home)

    @pytest.mark.parametrize("engine", list(NEWEST))
    def test_not_installed(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch, engine: str
    ) -> None:
        """How to install it."""
        monkeypatch.setenv("PATH", str(home))
        done = told(capsys, ["run", engine, "hi"])
        one = engines.installation(engine)
        why = f"{one.program} is not installed: npm install -g {one.package}"
        assert Done(2, "", f"agentframes: {why}\n") == done
        assert nothing_kept(home)

    def test_no_place_to_keep_it(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing is started that would not be kept."""
        (home / "file").touch()
        monkeypatch.setenv("AGENTFRAMES_RUNS", str(home / "file"))
        fake = Fake(home, "codex")
        done = told(capsys, arguments(fake))
        assert Done(2, "", f"agentframes: cannot keep runs in {home}/file: file exists\n") == done
        assert not fake.started()


class TestSchema:
    """`--expect-schema`."""

    @pytest.mark.parametrize("engine", list(NEWEST))
    def test_a_valid_answer(self, home: Path, capsys: Capsys, engine: str) -> None:
        """Status 0; engines that take a schema are told of it."""
        fake = Fake(home, engine, scenario="s18-schema")
        assert 0 == told(capsys, self.expecting(home, fake, SCHEMA)).status
        flags = {"claude": "--json-schema", "codex": "--output-schema"}
        assert flags.get(engine) == next(
            (flag for flag in flags.values() if flag in fake.asked()["argv"]), None
        )

    @pytest.mark.parametrize("engine", ["claude", "opencode"])
    def test_an_answer_that_is_another(self, home: Path, capsys: Capsys, engine: str) -> None:
        """Status 5, and what is wrong with it."""
        fake = Fake(home, engine, scenario="s18-schema")
        done = told(capsys, self.expecting(home, fake, {"properties": {"n": {"maximum": 2}}}))
        why = "run: the answer is not what --expect-schema asks for: $.n: 3 is greater than"
        assert 5 == done.status
        assert f"agentframes: {why} the maximum of 2" == done.err.splitlines()[-1]

    def test_no_answer_at_all(self, home: Path, capsys: Capsys) -> None:
        """Status 5, too."""
        done = told(capsys, self.expecting(home, Fake(home, "codex"), SCHEMA))
        assert 5 == done.status
        assert done.err.endswith("asks for: no JSON answer was found\n")

    @pytest.mark.parametrize(
        ("fake", "status"),
        [({"scenario": "s09-http401"}, 1), ({"does": "lacks_the_end"}, 3)],
        ids=["failed", "incomplete"],
    )
    def test_a_run_that_is_no_success(
        self, home: Path, capsys: Capsys, fake: dict[str, Any], status: int
    ) -> None:
        """The run's own status counts; its answer is looked at no more."""
        done = told(capsys, self.expecting(home, Fake(home, "claude", **fake), {}))
        assert status == done.status
        assert "--expect-schema" not in done.err

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("{", "Input data was truncated"),
            ("[]", "Expected `object`, got `array`"),
            ('{"type": 3}', "3 is not valid under any of the given schemas"),
            (None, "schema.json: no such file"),
        ],
    )
    def test_a_broken_one(self, home: Path, capsys: Capsys, text: str | None, why: str) -> None:
        """One line, and nothing is started."""
        if text is not None:
            (home / "schema.json").write_text(text, "utf-8")
        fake = Fake(home, "codex")
        done = told(capsys, arguments(fake, "--expect-schema", "schema.json"))
        assert (2, "", 1) == (done.status, done.out, done.err.count("\n"))
        assert why in done.err
        assert (False, True) == (fake.started(), nothing_kept(home))

    @staticmethod
    def expecting(home: Path, fake: Fake, schema: dict[str, Any]) -> list[str]:
        """Write a command that expects an answer."""
        (home / "schema.json").write_text(json.dumps(schema), "utf-8")
        return arguments(fake, "--quiet", "--expect-schema", "schema.json")


def run_of(base: Path, name: str, *, mb: int = 0, age: float = 0, **told: str) -> Path:
    """Write down a run as it would be kept, which may be old."""
    folder = base / name
    folder.mkdir(parents=True)
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in told.items())
    (folder / "capture.toml").write_text(rows, "utf-8")
    (folder / "stdout.jsonl").write_bytes(b"\n" * mb * 1_000_000)
    os.utime(folder, (time.time() - age, time.time() - age))
    return folder


def name_of(number: int) -> str:
    """Return the name of a run's folder; the higher the number, the newer."""
    return f"20260101-0000{number:02}-codex-0123abcd"


class TestRuns:
    """What was run."""

    def test_the_newest_comes_first(self, home: Path, capsys: Capsys) -> None:
        """How it ended, what it cost, what was asked, and how to go on."""
        for engine, scenario in (("codex", "s16-multistep"), ("opencode", "s09-http401")):
            told(capsys, arguments(Fake(home, engine, scenario=scenario), "--quiet"))
            (folder,) = (home / "runs").glob(f"*-{engine}-*")
            folder.rename(folder.with_name(f"2026-{engine}"))
        done = told(capsys, ["runs"])
        lines = done.out.splitlines()
        assert (0, "") == (done.status, done.err)
        assert "opencode 1.18.33  failed (auth)" in lines[0]
        assert [f"  {home}/runs/2026-{engine}" for engine in ("opencode", "codex")] == [
            line for line in lines if line.startswith("  /")
        ]
        at = next(number for number, line in enumerate(lines) if "codex 0.171.0" in line)
        assert "codex 0.171.0  success  21,233 tokens" in lines[at]
        assert [
            "  Do four steps.",
            f"  agentframes run codex PROMPT --resume {SESSION}",
        ] == lines[at + 1 : at + 3]

    def test_json(self, home: Path, capsys: Capsys) -> None:
        """An object a run, with what the facts say."""
        assert 0 == told(capsys, arguments(Fake(home, "opencode"), "--quiet")).status
        done = told(capsys, ["runs", "--json"])
        (row,) = (json.loads(line) for line in done.out.splitlines())
        facts = json.loads((kept(home) / "facts.json").read_bytes())
        assert {
            "folder": str(kept(home)),
            "engine": "opencode",
            "version": "1.18.33",
            "session_id": facts["session_id"],
            "cwd": str(home),
            "prompt": "Do four steps.",
            "status": "success",
            "reason": "completed",
            "cost_usd": facts["usage"]["cost_usd"],
            "total_tokens": 21233,
            "wall_seconds": facts["resources"]["wall_seconds"],
        } == {name: value for name, value in row.items() if name != "started"}
        assert "T" in row["started"]

    def test_some_of_them(self, home: Path, capsys: Capsys) -> None:
        """Of an engine alone, and no more than so many: the newest."""
        for number in range(30):
            run_of(home / "runs", name_of(number), engine="codex" if number % 3 else "claude")
        wanted = {
            (): [name_of(number) for number in range(29, 9, -1)],
            ("--limit", "2"): [name_of(29), name_of(28)],
            ("--engine", "claude", "--limit", "2"): [name_of(27), name_of(24)],
            ("--engine", "gemini"): [],
        }
        for options, names in wanted.items():
            done = told(capsys, ["runs", "--json", *options])
            rows = [json.loads(line)["folder"] for line in done.out.splitlines()]
            assert (0, [str(home / "runs" / name) for name in names]) == (done.status, rows)

    def test_states(self, home: Path, capsys: Capsys) -> None:
        """One that goes on, one whose recorder has died, and what is no run at all."""
        for number, pid in ((1, str(os.getpid())), (2, "999999999"), (3, ""), (4, "x")):
            folder = run_of(home / "runs", name_of(number), engine="codex")
            if pid:
                (folder / "running").write_text(pid, "ascii")
        (home / "runs/empty").mkdir()
        (home / "runs/file").touch()
        (home / "runs/link").symlink_to(home / "runs" / name_of(1))
        done = told(capsys, ["runs", "--json"])
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert [(4, "unread"), (3, "unread"), (2, "unread"), (1, "running")] == [
            (int(row["folder"][-16:].partition("-")[0][-2:]), row["status"]) for row in rows
        ]

    def test_damaged_ones(self, home: Path, capsys: Capsys) -> None:
        """What can be told is told, in either form."""
        for number, text in enumerate(("{", "[]", '{"outcome": 3, "usage": null}', '{"runs":')):
            folder = run_of(home / "runs", name_of(number), engine="codex", prompt="hi")
            (folder / "facts.json").write_text(text, "utf-8")
        broken = run_of(home / "runs", name_of(5))
        (broken / "capture.toml").write_text("= no TOML", "utf-8")
        assert 4 == told(capsys, ["runs", "--json"]).out.count('"status":"unread"')
        done = told(capsys, ["runs"])
        assert (0, 4, "") == (done.status, done.out.count("codex  unread"), done.err)

    def test_none(self, home: Path, capsys: Capsys) -> None:
        """Nothing is said, and nothing made."""
        assert Done(0, "", "") == told(capsys, ["runs"])
        assert not (home / "runs").exists()
        assert 2 == told(capsys, ["runs", "--limit", "0"]).status


class TestRetention:
    """What is kept, and for how long."""

    @staticmethod
    def left(base: Path) -> list[str]:
        """Return what is left after a look at all of it."""
        keeping.prune(str(base), time.time())
        return sorted(path.name for path in base.iterdir())

    def test_by_age(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Thirty days, or as many as are asked for; 0 is for ever."""
        base = home / "runs"
        for number, days in enumerate((40, 29, 10, 2)):
            run_of(base, name_of(number), age=days * DAY)
        monkeypatch.setenv("AGENTFRAMES_RUNS_DAYS", "0")
        assert 4 == len(self.left(base))
        monkeypatch.setenv("AGENTFRAMES_RUNS_DAYS", "")
        assert [name_of(1), name_of(2), name_of(3)] == self.left(base)
        monkeypatch.setenv("AGENTFRAMES_RUNS_DAYS", "9.5")
        assert [name_of(3)] == self.left(base)

    def test_by_size(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The oldest go until the rest fits; the young stay, however big they are."""
        base = home / "runs"
        for number, age in enumerate((5 * DAY, 4 * DAY, 3 * DAY, 60)):
            run_of(base, name_of(number), age=age, mb=2)
        monkeypatch.setenv("AGENTFRAMES_RUNS_MB", "0")
        assert 4 == len(self.left(base))
        monkeypatch.setenv("AGENTFRAMES_RUNS_MB", "7")
        assert [name_of(1), name_of(2), name_of(3)] == self.left(base)
        monkeypatch.setenv("AGENTFRAMES_RUNS_MB", "1")
        assert [name_of(3)] == self.left(base)

    def test_what_is_never_taken_away(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that goes on, a foreign folder, captures of another sort, a link."""
        base = home / "runs"
        running = run_of(base, name_of(1), age=90 * DAY)
        (running / "running").write_text(str(os.getpid()), "ascii")
        os.utime(running, (0, 0))
        run_of(base, "s16-multistep", age=90 * DAY)
        foreign = base / name_of(2)
        foreign.mkdir()
        (foreign / "thesis.txt").write_text("all of it", "utf-8")
        os.utime(foreign, (0, 0))
        (base / "notes").touch()
        outside = run_of(home, name_of(3), age=90 * DAY)
        (base / name_of(4)).symlink_to(outside)
        before = sorted(path.name for path in base.iterdir())
        monkeypatch.setenv("AGENTFRAMES_RUNS_MB", "0.000001")
        assert before == self.left(base)
        assert (outside / "capture.toml").exists()

    def test_a_run_takes_the_old_away(self, home: Path, capsys: Capsys) -> None:
        """Before it starts."""
        old = run_of(home / "runs", name_of(1), age=31 * DAY)
        assert 0 == told(capsys, arguments(Fake(home, "codex"), "--quiet")).status
        assert not old.exists()

    @pytest.mark.parametrize("value", ["a month", "-1", "nan"])
    def test_a_bad_setting(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        """One line, and nothing is started or taken away."""
        old = run_of(home / "runs", name_of(1), age=31 * DAY)
        monkeypatch.setenv("AGENTFRAMES_RUNS_DAYS", value)
        fake = Fake(home, "codex")
        done = told(capsys, arguments(fake))
        why = f"AGENTFRAMES_RUNS_DAYS is no number from 0 up: {value}"
        assert Done(2, "", f"agentframes: {why}\n") == done
        assert (True, False) == (old.exists(), fake.started())
        with pytest.raises(KeepingError):
            keeping.prune(str(home / "runs"), time.time())

    def test_where(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """As asked, else where the system keeps such things."""
        assert str(home / "runs") == keeping.place()
        monkeypatch.delenv("AGENTFRAMES_RUNS")
        monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
        assert str(home / "state/agentframes/runs") == keeping.place()
        monkeypatch.delenv("XDG_STATE_HOME")
        monkeypatch.setenv("HOME", str(home))
        assert str(home / ".local/state/agentframes/runs") == keeping.place()

    def test_nothing_lies_beside_them(self, home: Path, capsys: Capsys) -> None:
        """The folder that runs are kept in holds all that is written."""
        fake = Fake(home, "codex")
        before = set(home.iterdir())
        told(capsys, arguments(fake, "--quiet", "--keep-in", "here/runs"))
        assert {home / "here"} == set(home.iterdir()) - before
        assert ["runs"] == [path.name for path in (home / "here").iterdir()]


def clis(home: Path, monkeypatch: pytest.MonkeyPatch, **helps: str) -> None:
    """Put CLIs into an otherwise bare PATH: a version, and behind a colon what the help says."""
    folder = home / "path"
    folder.mkdir()
    for engine, told in helps.items():
        version, _, words = told.partition(":")
        path = folder / engines.installation(engine).program
        answer = (
            f'case "$*" in *--help) {words or "exit 1"};; *) echo {shlex.quote(version)};; esac'
        )
        path.write_text(f"#!/bin/sh\n{answer}\n", "utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


class TestDoctor:
    """Which CLIs are here."""

    def test_what_can_be_used(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A tested version and another one; those that are not here are no problem."""
        clis(
            home,
            monkeypatch,
            claude="2.1.332 (Claude Code):echo --output-format",
            codex="codex-cli 0.171.9:echo --json",
        )
        how = {name: engines.installation(name).package for name in NEWEST}
        assert Done(
            0,
            f"claude    2.1.332 (tested)\n          {home}/path/claude\n"
            f"codex     0.171.9 (not tested; the nearest is 0.171.0)\n"
            f"          {home}/path/codex\n"
            f"copilot   not installed: npm install -g {how['copilot']}\n"
            f"gemini    not installed: npm install -g {how['gemini']}\n"
            f"opencode  not installed: npm install -g {how['opencode']}\n",
            "",
        ) == told(capsys, ["doctor"])
        assert 0 == told(capsys, ["doctor", "codex"]).status
        assert 1 == told(capsys, ["doctor", "codex", "gemini"]).status

    def test_what_cannot(self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without the option, without a version, without help."""
        clis(
            home,
            monkeypatch,
            claude="2.1.332:echo nothing",
            codex="dev:echo --json",
            gemini="0.61.0",
        )
        done = told(capsys, ["doctor", "--json"])
        rows = {row["engine"]: row for row in map(json.loads, done.out.splitlines())}
        latest = "npm install -g @anthropic-ai/claude-code@latest"
        assert 1 == done.status
        assert {
            "claude": (False, False, f"it does not know --output-format: {latest}"),
            "codex": (False, True, "it does not tell its version"),
            "gemini": (False, None, "it does not tell its options"),
        } == {
            name: (rows[name]["usable"], rows[name]["flag_known"], rows[name]["problem"])
            for name in ("claude", "codex", "gemini")
        }
        assert (None, False) == (rows["opencode"]["path"], rows["opencode"]["usable"])
        lines = told(capsys, ["doctor", "codex"]).out.splitlines()
        assert ["codex     version not told (not tested)", f"          {home}/path/codex"] == lines[
            :2
        ]

    def test_nothing_is_here(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Status 1; an engine that there is not is a misuse."""
        clis(home, monkeypatch)
        assert (1, 5) == (
            (done := told(capsys, ["doctor"])).status,
            done.out.count("not installed"),
        )
        done = told(capsys, ["doctor", "nobody"])
        assert (2, "", 1) == (done.status, done.out, done.err.count("\n"))

    def test_nothing_is_left(
        self, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No run is kept of it, and no place made."""
        clis(home, monkeypatch, codex="0.171.0:echo --json")
        assert 0 == told(capsys, ["doctor", "codex"]).status
        assert nothing_kept(home)
        assert shutil.which("codex") == str(home / "path/codex")
