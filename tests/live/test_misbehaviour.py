# SPDX-License-Identifier: Apache-2.0
"""``agentframes run`` with CLIs that misbehave: the truth is told, and nobody is left behind."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import agentframes as af
from tests.live.fakes import Done, Fake, arguments, done, kept, ran, recorded, started
from tests.processes import PATIENCE, until

AUTH = "s09-http401"


class Case(NamedTuple):
    """A misbehaviour, and what is told of it."""

    does: str
    status: int
    outcome: tuple[str, str, int | None]
    """Status, reason, the CLI's exit status."""
    engine: str = "codex"
    scenario: str = "s16-multistep"
    arguments: tuple[str, ...] = ()
    processes: int = 1
    size: int = 0
    said: str | None = None
    """What stands on stderr before the place where the run is kept."""


SUCCESS = ("success", "completed", 0)
IDLE = "run: incomplete (idle): it was ended: it had printed nothing for too long"
OVER = "run: incomplete (timeout): it was ended: its time was over"
SPENT = "run: incomplete (budget): it was ended: what it might spend was spent"
LOGIN = "run `claude` and /login, or set ANTHROPIC_API_KEY"
CASES = {
    "plays": Case("plays", 0, SUCCESS),
    "floods": Case(
        "floods", 0, SUCCESS, engine="claude", scenario="s14-large-output", size=50_000_000
    ),
    "widens": Case("widens", 0, SUCCESS, size=20_000_000),
    "half a line": Case(
        "stops_in_a_line",
        3,
        ("incomplete", "idle", None),
        arguments=("--idle-timeout", "2"),
        said=IDLE,
    ),
    "half a line, for too long": Case(
        "stops_in_a_line",
        3,
        ("incomplete", "timeout", None),
        engine="claude",
        arguments=("--timeout", "3"),
        said=OVER,
    ),
    "holds the pipe": Case("holds_the_pipe", 0, SUCCESS, processes=2),
    "leaves a daemon": Case("leaves_a_daemon", 0, SUCCESS, processes=3),
    "leaves a daemon with the pipe": Case("leaves_a_daemon_with_the_pipe", 0, SUCCESS, processes=3),
    "closes stdout": Case("closes_stdout", 0, SUCCESS),
    "lacks the end": Case(
        "lacks_the_end",
        3,
        ("incomplete", "no_terminal_frame", 0),
        engine="claude",
        said="run: incomplete (no_terminal_frame)",
    ),
    "is no UTF-8": Case("is_no_utf8", 0, SUCCESS),
    "says nothing": Case(
        "is_not_logged_in",
        3,
        ("incomplete", "empty", 1),
        engine="claude",
        said=f"run: claude is not logged in: Not logged in. Please run /login: {LOGIN}",
    ),
    "is not logged in": Case(
        "plays",
        1,
        ("failed", "auth", 1),
        engine="claude",
        scenario=AUTH,
        said=f"run: claude is not logged in: Failed to authenticate. API Error: 401 invalid api"
        f" key: {LOGIN}",
    ),
    "costs too much": Case(
        "steps",
        3,
        ("incomplete", "budget", 143),
        engine="opencode",
        arguments=("--max-cost-usd", "0.01"),
        said=SPENT,
    ),
    "takes too much": Case(
        "steps",
        3,
        ("incomplete", "budget", 143),
        engine="opencode",
        arguments=("--max-tokens", "5000"),
        said=SPENT,
    ),
}


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="run it on Linux: it needs /proc")
class TestMisbehaviour:
    """Each of them once, as a user runs it."""

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_the_truth_is_told(self, tmp_path: Path, case: Case) -> None:
        """Outcome and exit status, the capture to the last byte, and no process that is left."""
        fake = Fake(tmp_path, case.engine, case.does, scenario=case.scenario, size=case.size)
        told = ran(tmp_path, *arguments(fake, "--quiet", *case.arguments))
        folder = kept(tmp_path)
        fake.ended(case.processes)
        facts = self.facts(folder)
        outcome = facts["outcome"]
        assert case.outcome == (outcome["status"], outcome["reason"], outcome["exit_code"])
        assert case.status == told.status
        assert fake.printed() == recorded(folder)
        assert af.read(folder).to_dict()["outcome"] == outcome
        resume = f"; to go on: --resume {facts['session_id']}" if facts["session_id"] else ""
        said = [case.said] if case.said else []
        said.append(f"run: kept in {folder}{resume}")
        assert [f"agentframes: {line}" for line in said] == told.err.splitlines()

    @staticmethod
    def facts(folder: Path) -> dict[str, Any]:
        """Return the facts that are kept with a run."""
        facts: dict[str, Any] = json.loads((folder / "facts.json").read_bytes())
        return facts

    def test_what_is_no_utf8_is_read(self, tmp_path: Path) -> None:
        """With a sign in place of what is none; the capture has the bytes."""
        fake = Fake(tmp_path, "codex", "is_no_utf8")
        told = ran(tmp_path, *arguments(fake, "--json"))
        events = [json.loads(line) for line in told.out.splitlines()]
        assert "Four �� steps." == events[-1]["final_text"]
        assert 1 == events[-1]["frames"]["text_lines"]
        assert b"Four \xff\xc3 steps." in (kept(tmp_path) / "stdout.jsonl").read_bytes()

    def test_stderr_is_kept(self, tmp_path: Path) -> None:
        """Also what comes when stdout is closed already."""
        fake = Fake(tmp_path, "codex", "closes_stdout")
        assert 0 == ran(tmp_path, *arguments(fake, "--quiet")).status
        lines = [f"still here {number}" for number in range(20)]
        assert lines == (kept(tmp_path) / "stderr.txt").read_text("utf-8").splitlines()


class TestBudget:
    """What a run may spend."""

    def test_it_is_ended_with_the_step_that_spent_it(self, tmp_path: Path) -> None:
        """Its account says by how much; 0.003165 dollars a step."""
        fake = Fake(tmp_path, "opencode", "steps")
        told = ran(tmp_path, *arguments(fake, "--json", "--max-cost-usd", "0.01"))
        facts = json.loads(told.out.splitlines()[-1])
        assert facts["usage"]["cost_usd"] >= 0.01
        assert "interrupted" != facts["outcome"]["reason"]
        assert 'ended_by = "budget"' in (kept(tmp_path) / "capture.toml").read_text("utf-8")

    def test_within_it_nothing_happens(self, tmp_path: Path) -> None:
        """A run that ends in time is what it is."""
        fake = Fake(tmp_path, "opencode")
        limits = ("--max-cost-usd", "0.06", "--max-tokens", "30000")
        assert 0 == ran(tmp_path, *arguments(fake, "--quiet", *limits)).status

    @pytest.mark.parametrize("engine", ["claude", "codex", "copilot", "gemini"])
    def test_others_are_refused(self, tmp_path: Path, engine: str) -> None:
        """In one line; nothing is started, and nothing kept."""
        fake = Fake(tmp_path, engine)
        told = ran(tmp_path, *arguments(fake, "--max-tokens", "5"))
        why = f"{engine} tells its tokens at the end of a run, if at all: no limit can be held"
        assert Done(2, "", f"agentframes: {why}\n") == told
        assert not fake.started()
        assert not (tmp_path / "runs").exists()


class TestSignals:
    """^C and its like, to agentframes."""

    @pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
    def test_all_of_the_group_get_it(self, tmp_path: Path, name: str, status: int) -> None:
        """The CLI may say its last words; the outcome tells who ended it."""
        fake = Fake(tmp_path, "codex", "waits")
        with started(tmp_path, *arguments(fake, "--quiet")) as process:
            fake.printed()
            process.send_signal(signal.Signals[name])
            told = done(process)
        assert status == told.status
        assert {f"{pid} {name}" for pid in fake.pids()} == set(
            fake.note("signals").read_text("utf-8").splitlines()
        )
        fake.ended(2)
        folder = kept(tmp_path)
        outcome = af.read(folder).outcome
        assert ("incomplete", "interrupted", status) == (
            outcome.status,
            outcome.reason,
            outcome.exit_code,
        )
        assert fake.printed() == recorded(folder)
        first, last = told.err.splitlines()
        assert "agentframes: run: incomplete (interrupted): it was ended by who ran it" == first
        assert last.startswith(f"agentframes: run: kept in {folder}; to go on: --resume ")

    def test_the_second_kills_who_ignores_the_first(self, tmp_path: Path) -> None:
        """And the run is told of like any other."""
        fake = Fake(tmp_path, "codex", "is_deaf")
        with started(tmp_path, *arguments(fake, "--quiet")) as process:
            fake.printed()
            process.send_signal(signal.SIGINT)
            fake.note("signals")
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert 130 == done(process).status
        assert "SIGINT\n" == fake.note("signals").read_text("utf-8")
        fake.ended()
        folder = kept(tmp_path)
        outcome = af.read(folder).outcome
        assert ("incomplete", "interrupted", None) == (
            outcome.status,
            outcome.reason,
            outcome.exit_code,
        )
        assert fake.printed() == recorded(folder)

    def test_a_success_that_comes_all_the_same(self, tmp_path: Path) -> None:
        """The engine's word is told, and the exit status says that somebody wanted the end."""
        fake = Fake(tmp_path, "codex", "asks_back")
        with started(tmp_path, *arguments(fake, "--quiet")) as process:
            until(lambda: (tmp_path / "runs").exists() and _holds(tmp_path, 3))
            process.send_signal(signal.SIGINT)
            (fake.notes / "go").touch()
            assert 130 == done(process).status
        assert "success" == af.read(kept(tmp_path)).outcome.status


def _holds(home: Path, lines: int) -> bool:
    """Tell whether a run has so many lines by now."""
    paths = [path / "stdout.jsonl" for path in (home / "runs").iterdir() if path.is_dir()]
    return any(path.exists() and path.read_bytes().count(b"\n") == lines for path in paths)


class TestReaderGone:
    """Whoever reads what agentframes prints does not want all of it."""

    @pytest.mark.parametrize("how", ["--json", "--verbose", "--quiet"])
    @pytest.mark.parametrize(("does", "status"), [("asks_back", 0), ("asks_in_vain", 3)])
    def test_the_run_goes_on(self, tmp_path: Path, how: str, does: str, status: int) -> None:
        """It is kept to its end, and the exit status tells how that was."""
        fake = Fake(tmp_path, "codex", does)
        with started(tmp_path, *arguments(fake, how)) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            fake.asked()
            process.stdout.close()
            (fake.notes / "go").touch()
            err = process.stderr.read()
            assert status == process.wait(PATIENCE)
        folder = kept(tmp_path)
        assert fake.printed() == recorded(folder)
        assert f"agentframes: run: kept in {folder}" in err
        assert ("Traceback" in err, "Exception" in err) == (False, False)
        assert (folder / "facts.json").exists()


class TestDiskFull:
    """A disk that takes no more."""

    @staticmethod
    def limited(size: int) -> str:
        """Write what has no file grow beyond a size."""
        limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"
        return f"import resource\n{limit}"

    def test_the_outcome_is_still_told(self, tmp_path: Path) -> None:
        """From what was printed, not from what was kept; and that not all of it was."""
        limit = 64 * 1024
        fake = Fake(tmp_path, "codex", "floods", size=300_000)
        told = ran(tmp_path, *arguments(fake, "--json"), before=self.limited(limit))
        facts = json.loads(told.out.splitlines()[-1])
        folder = kept(tmp_path)
        assert (0, "success", 21233) == (
            told.status,
            facts["outcome"]["status"],
            facts["usage"]["total_tokens"],
        )
        first, last = told.err.splitlines()
        assert (
            "agentframes: run: the capture is not whole: stdout.jsonl: file too large;"
            " not all of it was kept"
        ) == first
        assert last.startswith(f"agentframes: run: kept in {folder}")
        kept_bytes = (folder / "stdout.jsonl").read_bytes()
        assert limit == len(kept_bytes) < fake.printed().bytes
        assert facts == json.loads((folder / "facts.json").read_bytes())

    def test_not_even_its_description(self, tmp_path: Path) -> None:
        """What can be told is told all the same."""
        fake = Fake(tmp_path, "codex")
        told = ran(tmp_path, *arguments(fake, "--json"), before=self.limited(300))
        facts = json.loads(told.out.splitlines()[-1])
        assert (0, "success", 21233) == (
            told.status,
            facts["outcome"]["status"],
            facts["usage"]["total_tokens"],
        )
        assert "run: the capture is not whole: " in told.err
        assert not (kept(tmp_path) / "facts.json").exists()

    def test_an_answer_that_is_not_kept(self, tmp_path: Path) -> None:
        """It meets no schema."""
        fake = Fake(tmp_path, "codex", scenario="s18-schema")
        (tmp_path / "schema.json").write_text("{}", "utf-8")
        command = arguments(fake, "--quiet", "--expect-schema", "schema.json")
        assert 5 == ran(tmp_path, *command, before=self.limited(300)).status
