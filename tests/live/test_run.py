# SPDX-License-Identifier: Apache-2.0
"""Runs from Python: the facts and events of a live run are those of reading what it left."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import agentframes as af
from agentframes import recording
from agentframes.errors import CommandError
from agentframes.events.model import ConversationEvent, Wait
from agentframes.facts.model import RunFacts
from agentframes.live import installed, listening
from agentframes.live.api import arun, run
from agentframes.live.installed import NotInstalledError
from agentframes.live.run import LiveRun
from agentframes.recording import RecordingError
from tests.live.fakes import NEWEST, Fake, recorded
from tests.processes import gone, times

PROMPT = "Do four steps."


class Told(NamedTuple):
    """One run, and what was handed on of it."""

    fake: Fake
    folder: Path
    facts: RunFacts
    events: list[dict[str, Any]]


@pytest.fixture(scope="module", params=list(NEWEST))
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Run each engine's newest version once."""
    home = tmp_path_factory.mktemp(request.param)
    fake = Fake(home, request.param)
    events: list[dict[str, Any]] = []
    facts = run(
        request.param,
        PROMPT,
        cli=str(fake.path),
        keep=home / "runs",
        on_event=lambda event: events.append(event.to_dict()),
    )
    return Told(fake, only(home / "runs"), facts, events)


def only(base: Path) -> Path:
    """Return the one run that is kept."""
    (folder,) = (path for path in base.iterdir() if path.is_dir())
    return folder


def final(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Keep the last revision of each, without the times at which they came, and no silences."""
    last = {event["id"]: {**event} for event in events if event["kind"] != "supervisor.wait"}
    for event in last.values():
        if event.get("timestampSource") == "arrival":
            event["timestamp"] = None
            del event["timestampSource"]
    return last


def known(value: dict[str, Any]) -> dict[str, Any]:
    """Return facts without the name of their source."""
    return {name: told for name, told in value.items() if name != "source"}


class TestPlayed:
    """A capture that comes once more."""

    def test_facts_are_those_of_the_folder(self, told: Told) -> None:
        """Field by field; those that are kept, too."""
        again = af.read(told.folder)
        assert known(again.to_dict()) == known(told.facts.to_dict())
        assert told.facts.to_dict() == json.loads((told.folder / "facts.json").read_bytes())

    def test_facts_are_those_of_the_capture(self, told: Told) -> None:
        """What the engine told then."""
        before = af.read(told.fake.plays)
        for name in ("outcome", "resources", "usage", "session_id", "final_text", "frames"):
            assert getattr(before, name) == getattr(told.facts, name), name
        assert ("success", told.fake.engine, NEWEST[told.fake.engine]) == (
            told.facts.outcome.status,
            told.facts.engine,
            told.facts.cli_version,
        )

    def test_events_are_those_of_the_folder(self, told: Told) -> None:
        """By id and last revision; only the times of arrival are the run's own."""
        again = final([event.to_dict() for event in af.read(told.folder, events=True).events])
        assert again == final(told.events)

    def test_events_have_a_time(self, told: Told) -> None:
        """The engine's own, or that of their arrival; the later revisions keep it."""
        first: dict[str, str] = {}
        for event in told.events:
            if event["timestampSource"] == "arrival":
                assert event["timestamp"] == first.setdefault(event["id"], event["timestamp"])

    def test_the_bytes_are_kept(self, told: Told) -> None:
        """To the last one, with a time a line, and stderr beside them."""
        assert told.fake.printed() == recorded(told.folder)
        assert (told.fake.plays / "stdout.jsonl").read_bytes() == (
            told.folder / "stdout.jsonl"
        ).read_bytes()
        assert (told.fake.plays / "stderr.txt").read_bytes() == (
            told.folder / "stderr.txt"
        ).read_bytes()
        assert told.facts.frames.total == len(times(told.folder))

    def test_for_their_owner_alone(self, told: Told) -> None:
        """A folder that only they enter; nothing else stands there when the run is over."""
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in told.folder.iterdir()}
        names = ("capture.toml", "facts.json", "stderr.txt", "stdout.jsonl", "timing.jsonl")
        assert dict.fromkeys(names, 0o600) == modes
        assert 0o700 == stat.S_IMODE(told.folder.stat().st_mode)
        assert 0o700 == stat.S_IMODE(told.folder.parent.stat().st_mode)

    def test_nothing_is_left(self, told: Told) -> None:
        """The CLI has ended."""
        told.fake.ended()

    def test_the_prompt_got_there(self, told: Told) -> None:
        """As an argument or on stdin, as the engine takes it."""
        asked = told.fake.asked()
        assert PROMPT in (asked["stdin"], asked["argv"][-1])
        assert [] != [event for event in told.events if event["kind"] == "message.user"]


class TestAsync:
    """The same, asynchronously."""

    def test_for_gives_the_events(self, tmp_path: Path) -> None:
        """Those of reading the folder, and the facts at the end."""
        fake = Fake(tmp_path, "codex")

        async def all_of_it() -> tuple[list[dict[str, Any]], RunFacts | None]:
            going = arun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs")
            assert going.facts is None
            return [event.to_dict() async for event in going], going.facts

        events, facts = asyncio.run(all_of_it())
        again = af.read(only(tmp_path / "runs"), events=True)
        assert final([event.to_dict() for event in again.events]) == final(events)
        assert facts is not None
        assert known(again.to_dict()) == known(facts.to_dict())

    def test_await_gives_the_facts(self, tmp_path: Path) -> None:
        """Of several at once, each its own."""
        engines = ("opencode", "codex", "gemini")

        async def facts(engine: str) -> RunFacts:
            fake = Fake(tmp_path / engine, engine)
            return await arun(engine, PROMPT, cli=str(fake.path), keep=tmp_path / "runs")

        async def together() -> list[RunFacts]:
            return await asyncio.gather(*(facts(engine) for engine in engines))

        told = asyncio.run(together())
        assert [(engine, "success", 21233) for engine in engines] == [
            (one.engine, one.outcome.status, one.usage.total_tokens) for one in told
        ]
        assert 3 == len([path for path in (tmp_path / "runs").iterdir() if path.is_dir()])

    @pytest.mark.parametrize("does", ["waits", "floods"])
    def test_who_leaves_the_loop_ends_the_cli(self, tmp_path: Path, does: str) -> None:
        """Even where nothing else waits for it, and events come on and on."""
        fake = Fake(tmp_path, "codex", does, size=20_000_000)

        async def begin() -> str:
            async for event in arun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs"):
                if does == "waits":
                    fake.printed()
                return event.kind
            return "nothing"

        assert "system.status" == asyncio.run(begin())
        fake.ended(2 if does == "waits" else 1)
        assert not (only(tmp_path / "runs") / "running").exists()

    def test_who_leaves_in_order_waits_for_the_end(self, tmp_path: Path) -> None:
        """`aclose` returns when the CLI is gone, and the capture tells why."""
        fake = Fake(tmp_path, "codex", "waits")

        async def begin() -> None:
            events = aiter(arun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs"))
            await anext(events)
            await asyncio.to_thread(fake.printed)
            await events.aclose()  # type: ignore[attr-defined]
            fake.ended(2)

        asyncio.run(begin())
        outcome = af.read(only(tmp_path / "runs")).outcome
        assert ("incomplete", "interrupted", 130) == (
            outcome.status,
            outcome.reason,
            outcome.exit_code,
        )

    def test_a_cancelled_one_ends_the_cli(self, tmp_path: Path) -> None:
        """As by a time that is over outside."""
        fake = Fake(tmp_path, "codex", "waits")

        async def cancelled() -> None:
            task = asyncio.ensure_future(
                arun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs")._waited()
            )
            await asyncio.to_thread(fake.printed)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            fake.ended(2)

        asyncio.run(cancelled())

    def test_what_cannot_start(self, tmp_path: Path) -> None:
        """It is raised where somebody waits."""
        fake = Fake(tmp_path, "codex")
        nowhere = tmp_path / "nowhere"

        async def facts() -> RunFacts:
            return await arun("codex", PROMPT, cli=str(fake.path), keep=tmp_path, cwd=nowhere)

        with pytest.raises(RecordingError, match="nowhere: no such file or directory"):
            asyncio.run(facts())


class TestOnEvent:
    """A function of the caller's."""

    def test_what_it_raises_ends_the_run(self, tmp_path: Path) -> None:
        """It is raised here; nothing goes on, and what came is kept."""
        fake = Fake(tmp_path, "codex", "waits")

        def divide(event: ConversationEvent) -> None:
            fake.printed()
            raise ZeroDivisionError(event.kind)

        with pytest.raises(ZeroDivisionError, match=r"system\.status"):
            run("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs", on_event=divide)
        fake.ended(2)
        folder = only(tmp_path / "runs")
        assert not (folder / "running").exists()
        assert fake.printed() == recorded(folder)

    def test_what_it_raises_at_the_last_event(self, tmp_path: Path) -> None:
        """It is raised, too."""
        fake = Fake(tmp_path, "codex", "lacks_the_end")

        going = LiveRun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs")

        def take(_: list[ConversationEvent]) -> None:
            if going.recording is not None:  # the process has ended: these are the rest
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            going.wait(take)
        fake.ended()

    def test_a_slow_one_holds_nothing_up(self, tmp_path: Path) -> None:
        """The CLI ends while the first event is looked at; none is lost."""
        fake = Fake(tmp_path, "copilot")
        events: list[dict[str, Any]] = []

        def look(event: ConversationEvent) -> None:
            gone(fake.pids()[0])
            events.append(event.to_dict())

        run("copilot", PROMPT, cli=str(fake.path), keep=tmp_path / "runs", on_event=look)
        folder = only(tmp_path / "runs")
        again = [event.to_dict() for event in af.read(folder, events=True).events]
        assert final(again) == final(events)


class TestSilence:
    """A CLI that says nothing."""

    @pytest.fixture(autouse=True)
    def look_often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """See a silence soon."""
        monkeypatch.setattr(listening, "TICK", 0.02)

    def test_it_is_told_and_its_end(self, tmp_path: Path) -> None:
        """Two revisions of one event; the facts are none of its business."""
        fake = Fake(tmp_path, "codex", "asks_back")
        waits: list[dict[str, Any]] = []

        def take(event: ConversationEvent) -> None:
            if isinstance(event, Wait):
                waits.append(event.to_dict())
                (fake.notes / "go").touch()

        keep = tmp_path / "runs"
        facts = run("codex", PROMPT, cli=str(fake.path), keep=keep, on_event=take, quiet_after=0.3)
        told = [(one["id"], one["state"], one.get("open"), one["revision"]) for one in waits]
        assert [("wait-1", "quiet", True, 1), ("wait-1", "resumed", None, 2)] == told[:2]
        assert all(one["quietSeconds"] >= 0.3 for one in waits)
        assert "success" == facts.outcome.status

    def test_one_that_is_ended_for_it(self, tmp_path: Path) -> None:
        """The last word is why."""
        fake = Fake(tmp_path, "codex", "stops_in_a_line")
        waits: list[Wait] = []
        facts = run(
            "codex",
            PROMPT,
            cli=str(fake.path),
            keep=tmp_path / "runs",
            on_event=lambda event: waits.append(event) if isinstance(event, Wait) else None,
            quiet_after=0.2,
            idle_timeout=1.5,
        )
        assert ("killed", "idle", "warn") == (
            waits[-1].state,
            waits[-1].reason,
            waits[-1].severity,
        )
        assert ("incomplete", "idle") == (facts.outcome.status, facts.outcome.reason)

    def test_what_is_raised_about_it_ends_the_run(self, tmp_path: Path) -> None:
        """As about any other event."""
        fake = Fake(tmp_path, "codex", "stops_in_a_line")

        def take(event: ConversationEvent) -> None:
            if isinstance(event, Wait):
                fake.printed()
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            run(
                "codex",
                PROMPT,
                cli=str(fake.path),
                keep=tmp_path / "runs",
                on_event=take,
                quiet_after=0.1,
            )
        fake.ended()

    def test_none_is_told_where_none_is_wanted(self, tmp_path: Path) -> None:
        """No thread looks out for it."""
        fake = Fake(tmp_path, "codex", "stops_in_a_line")
        kinds: list[str] = []
        run(
            "codex",
            PROMPT,
            cli=str(fake.path),
            keep=tmp_path / "runs",
            on_event=lambda event: kinds.append(event.kind),
            quiet_after=None,
            idle_timeout=0.5,
        )
        assert "supervisor.wait" not in kinds

    def test_none_is_told_of_a_run_that_failed(self, tmp_path: Path) -> None:
        """When the caller's function has raised, it is called no more."""
        fake = Fake(tmp_path, "codex", "waits")
        before = threading.active_count()
        calls: list[str] = []

        def take(event: ConversationEvent) -> None:
            calls.append(event.kind)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            run(
                "codex",
                PROMPT,
                cli=str(fake.path),
                keep=tmp_path / "runs",
                on_event=take,
                quiet_after=0.01,
            )
        for thread in threading.enumerate():
            if thread.daemon and thread is not threading.current_thread():
                thread.join(20)
        assert before >= threading.active_count()
        assert 1 == len(calls)


class TestStop:
    """A run that its caller ends."""

    def test_from_another_thread(self, tmp_path: Path) -> None:
        """All of the group get the signal, and the outcome says who it was."""
        fake = Fake(tmp_path, "codex", "waits")
        going = LiveRun("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs")

        def stop() -> None:
            fake.printed()
            going.stop()

        thread = threading.Thread(target=stop)
        thread.start()
        facts = going.wait()
        thread.join()
        assert ("incomplete", "interrupted", 130) == (
            facts.outcome.status,
            facts.outcome.reason,
            facts.outcome.exit_code,
        )
        assert {f"{pid} SIGINT" for pid in fake.pids()} == set(
            fake.note("signals").read_text("utf-8").splitlines()
        )
        fake.ended(2)

    def test_what_ignores_the_signal_is_killed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """When a time is over, after a grace; the reason is the time."""
        monkeypatch.setattr(recording, "TIMEOUT_GRACE", 0.3)
        fake = Fake(tmp_path, "codex", "is_deaf")
        facts = run("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs", timeout=3)
        assert ("incomplete", "timeout", None) == (
            facts.outcome.status,
            facts.outcome.reason,
            facts.outcome.exit_code,
        )
        assert "SIGTERM\n" == fake.note("signals").read_text("utf-8")
        fake.ended()
        assert facts.outcome == af.read(only(tmp_path / "runs")).outcome


class TestPrepared:
    """What is known before anything runs."""

    def test_a_forgotten_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its facts are told, and nothing is kept."""
        monkeypatch.setenv("AGENTFRAMES_RUNS", str(tmp_path / "runs"))
        fake = Fake(tmp_path, "codex")
        assert "success" == run("codex", PROMPT, cli=str(fake.path), keep=False).outcome.status
        assert [] == [path for path in (tmp_path / "runs").iterdir() if path.is_dir()]

    def test_the_folder_to_work_in(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """By whatever name it is given, the CLI works there, and finds what it is told of."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "work").mkdir()
        (tmp_path / "schema.json").write_text("{}", "utf-8")
        fake = Fake(tmp_path, "codex")
        run(
            "codex",
            PROMPT,
            cli="bin/codex",
            keep="runs",
            cwd="work",
            schema="schema.json",
        )
        asked = fake.asked()
        assert str(tmp_path / "work") == asked["cwd"]
        argv = ["exec", "--json", "-C", str(tmp_path / "work")]
        assert [*argv, "--output-schema", str(tmp_path / "schema.json"), "-"] == asked["argv"]

    def test_its_own_environment(self, tmp_path: Path) -> None:
        """Nothing else of this process's gets there."""
        fake = Fake(tmp_path, "codex")
        text = fake.path.read_text("utf-8").replace("exec ", f"env > {tmp_path}/env\nexec ")
        fake.path.write_text(text, "utf-8")
        env = {"PATH": os.environ["PATH"], "ONLY": "this"}
        run("codex", PROMPT, cli=str(fake.path), keep=tmp_path / "runs", env=env)
        names = {row.partition("=")[0] for row in (tmp_path / "env").read_text().splitlines()}
        assert {"PATH", "ONLY"} <= names
        assert "HOME" not in names

    def test_a_cli_that_is_not_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """How to install it is told."""
        monkeypatch.setenv("PATH", str(tmp_path))
        how = "npm install -g @openai/codex"
        with pytest.raises(NotInstalledError, match=f"^codex is not installed: {how}$"):
            LiveRun("codex", PROMPT)
        with pytest.raises(NotInstalledError, match=f"^no executable nobody: {how}$"):
            LiveRun("codex", PROMPT, cli="nobody")

    @pytest.mark.parametrize("engine", ["claude", "codex", "copilot", "gemini"])
    def test_a_limit_that_cannot_be_held(self, engine: str) -> None:
        """An engine that tells what it took at the end alone is refused before it is looked for."""
        for limit, words in (({"max_cost_usd": 1.0}, "cost"), ({"max_tokens": 1}, "tokens")):
            told = f"^{engine} tells its {words} at the end of a run, if at all: no limit can"
            with pytest.raises(CommandError, match=told):
                run(engine, PROMPT, cli="nobody", **limit)

    def test_a_version_is_asked_for_once(self, tmp_path: Path) -> None:
        """Until the executable is another one."""
        fake = Fake(tmp_path, "codex")
        text = fake.path.read_text("utf-8").replace("#!/bin/sh", f"#!/bin/sh\necho >>{tmp_path}/n")
        fake.path.write_text(text, "utf-8")
        for _ in range(3):
            found = installed.find("codex", str(fake.path), remember=str(tmp_path / "cache"))
            assert ("0.171.0", True, "0.171.0") == (found.version, found.captured, found.nearest)
        assert "\n" == (tmp_path / "n").read_text()
        fake.path.write_text(text.replace("echo 0.171.0", "echo codex-cli 0.171.1"), "utf-8")
        found = installed.find("codex", str(fake.path), remember=str(tmp_path / "cache"))
        assert ("0.171.1", False, "0.171.0") == (found.version, found.captured, found.nearest)

    def test_a_version_that_does_not_come(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The CLI and its children are ended."""
        pids = tmp_path / "pids"
        path = tmp_path / "codex"
        path.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {pids}\nwait\n", "utf-8")
        path.chmod(0o755)
        monkeypatch.setattr(installed, "VERSION_SECONDS", 1)
        assert installed.ask_version(str(path)) is None
        gone(int(pids.read_text()))

    def test_a_version_that_leaves_somebody_behind(self, tmp_path: Path) -> None:
        """Who holds the pipe holds nothing up for long, and is ended."""
        pids = tmp_path / "pids"
        path = tmp_path / "codex"
        path.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {pids}\necho v1.2.3\n", "utf-8")
        path.chmod(0o755)
        assert "1.2.3" == installed.ask_version(str(path))
        gone(int(pids.read_text()))
