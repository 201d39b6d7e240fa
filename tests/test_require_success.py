# SPDX-License-Identifier: Apache-2.0
"""`require_success`: only the engine's own word lets a run pass, and only the run asked for."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import agentframes as af
from agentframes.facts.model import RunFacts
from tests.captured import FIXTURES, ROOT, capture, claude, fixture, frames

STREAM = "claude/2.1.220/s03-shell"
CLAUDE_SESSION = "b16a3c25-918e-4b9f-a7b0-a38b2aa485df"
HOUR = 3600


def refusal(facts: RunFacts, **asked: object) -> af.RunFailedError:
    """Return the error that these facts raise."""
    with pytest.raises(af.RunFailedError) as caught:
        facts.require_success(**asked)  # type: ignore[arg-type]
    return caught.value


def told_time() -> datetime:
    """Return the time of the stream's last frame that carries one."""
    times = [frame["timestamp"] for frame in frames(capture(STREAM)) if "timestamp" in frame]
    return datetime.fromisoformat(times[-1])


def written(tmp_path: Path, seconds: float) -> RunFacts:
    """Read a file that was last written at a time; its frames carry none."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(fixture("codex"))
    os.utime(path, (seconds, seconds))
    return af.read(path)


@pytest.mark.parametrize("engine", ["claude", "codex", "copilot"])
def test_success_returns_the_facts(engine: str) -> None:
    """A run that succeeded is handed back, so that the call can stand in a chain."""
    facts = af.read(FIXTURES[engine])
    assert facts is facts.require_success()
    assert facts is facts.require_success(session_id=facts.session_id)


def test_failed_run_is_refused() -> None:
    """The engine's own word for a failure is kept, and its message."""
    facts = af.read(ROOT / "corpus/claude/2.1.220/s21-maxturns")
    error = refusal(facts)
    assert facts is error.facts
    assert facts.outcome is error.outcome
    assert ("failed", "max_turns") == (error.outcome.status, error.outcome.reason)
    assert "claude: run failed (max_turns): Reached maximum number of turns (2)" == str(error)


def test_error_is_one_line() -> None:
    """A message of several lines, as claude's refusals have, stays whole in the outcome alone."""
    error = refusal(af.read(ROOT / "corpus/claude/2.1.220/s24-refusal"))
    assert "\n" in (error.outcome.message or "")
    assert "\n" not in str(error)


def test_without_text_the_time_is_kept() -> None:
    """Facts without the model's words are of the same run, and as old."""
    facts = af.read(capture(STREAM)).without_text()
    assert facts is facts.require_success(not_before=told_time())


def test_incomplete_run_is_refused() -> None:
    """A stream without a terminal frame is no success, whatever the exit status was."""
    cut = b"".join(fixture("codex").splitlines(keepends=True)[:-1])
    error = refusal(af.read(cut, exit_code=0))
    assert ("incomplete", "no_terminal_frame") == (error.outcome.status, error.outcome.reason)
    assert "codex: run incomplete (no_terminal_frame)" == str(error)


@pytest.mark.parametrize(
    ("printed", "reason"),
    [(b"", "empty"), (b"\n \n", "empty"), (b"Approved.\n", "not_agent_output")],
)
def test_what_no_engine_printed_is_refused(printed: bytes, reason: str) -> None:
    """Absent output and other people's text are no success."""
    error = refusal(af.read(printed))
    assert ("incomplete", reason) == (error.outcome.status, error.outcome.reason)
    assert f"no engine recognized: run incomplete ({reason}): nothing native to read" == str(error)


def test_another_session_is_stale() -> None:
    """A success of a session that was not asked for is refused, and says so."""
    facts = af.read(FIXTURES["claude"])
    error = refusal(facts, session_id="another")
    assert ("incomplete", "stale") == (error.outcome.status, error.outcome.reason)
    assert f"the result is of session {CLAUDE_SESSION}, not another" == error.outcome.message
    assert "success" == error.facts.outcome.status
    assert "\n" not in str(error)


def test_no_session_is_not_the_session_asked_for() -> None:
    """A success that names no session cannot be known to be the one asked for."""
    facts = af.read(claude(session_id=None))
    assert facts is facts.require_success()
    error = refusal(facts, session_id=CLAUDE_SESSION)
    assert "stale" == error.outcome.reason
    assert f"the result is of session None, not {CLAUDE_SESSION}" == error.outcome.message


def test_failure_is_told_before_staleness() -> None:
    """A run that failed keeps its own reason, even if it is another session's too."""
    facts = af.read(ROOT / "corpus/claude/2.1.220/s21-maxturns")
    assert "max_turns" == refusal(facts, session_id="another").outcome.reason


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30))])
def test_aware_time_is_held_against_the_frames(zone: timezone) -> None:
    """A run passes if it ended at the time or later, in whatever zone that is written."""
    facts = af.read(capture(STREAM))
    ended = told_time().astimezone(zone)
    assert facts is facts.require_success(not_before=ended)
    assert facts is facts.require_success(not_before=ended - timedelta(hours=1))
    error = refusal(facts, not_before=ended + timedelta(milliseconds=1))
    assert ("incomplete", "stale") == (error.outcome.status, error.outcome.reason)
    assert "the result is older than asked for" == error.outcome.message


def test_seconds_since_the_epoch_do_as_well() -> None:
    """The time may be what `time.time()` returned."""
    facts = af.read(capture(STREAM))
    ended = told_time().timestamp()
    assert facts is facts.require_success(not_before=ended)
    assert "stale" == refusal(facts, not_before=ended + 0.001).outcome.reason


def test_naive_time_is_an_error_of_the_caller() -> None:
    """A time without a zone could mean any of two days: it is refused, not guessed."""
    facts = af.read(capture(STREAM))
    with pytest.raises(ValueError, match="not_before must be an aware datetime"):
        facts.require_success(not_before=told_time().replace(tzinfo=None))


def test_the_frames_are_believed_before_the_file(tmp_path: Path) -> None:
    """A copy made today does not make the run newer."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(capture(STREAM))
    later = told_time().timestamp() + 24 * HOUR
    os.utime(path, (later, later))
    assert "stale" == refusal(af.read(path), not_before=later - HOUR).outcome.reason


def test_the_file_speaks_where_no_frame_tells_a_time(tmp_path: Path) -> None:
    """Codex's frames carry no time: when the file was last written stands for it."""
    facts = written(tmp_path, 1_700_000_000.0)
    assert facts is facts.require_success(not_before=1_700_000_000.0)
    assert facts is facts.require_success(not_before=1_700_000_000.0 - HOUR)
    assert "stale" == refusal(facts, not_before=1_700_000_000.0 + HOUR).outcome.reason


@pytest.mark.parametrize("engine", ["claude", "codex"])
def test_a_run_whose_time_nothing_tells_does_not_pass(engine: str) -> None:
    """Bytes have no time of their own: asked for a fresh run, they are no proof of one."""
    error = refusal(af.read(fixture(engine)), not_before=0.0)
    assert ("incomplete", "stale") == (error.outcome.status, error.outcome.reason)
    assert "nothing tells when the run ended" == error.outcome.message
