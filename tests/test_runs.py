# SPDX-License-Identifier: Apache-2.0
"""Several runs in one stream: concatenated files, further turns, resumed processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes.facts.usage import UsageFold
from agentframes.signals import Buckets, Usage
from agentframes.types import Span
from tests.frames import CORPUS, capture, having, printed, without

OLD = "claude/2.1.220"
NEW = "claude/2.1.332"


def alone(*frames: Any, after: int = 0, runs: int = 1) -> dict[str, Any]:
    """Return the facts of a run by itself, as it would read behind `after` lines of others."""
    facts = af.read(printed(*frames)).to_dict()
    if facts["outcome"]["line"] is not None:
        facts["outcome"]["line"] += after
    return facts | {"runs": runs}


def parts(*names: str) -> None:
    """Assert that captures in one stream read as each of them alone."""
    streams = [capture(name) for name in names]
    before = 0
    expected = []
    for frames in streams:
        expected.append(alone(frames, after=before, runs=len(streams)))
        before += len(frames)
    assert expected == [run.to_dict() for run in af.read_all(printed(*streams))]


@pytest.mark.parametrize(
    "names",
    [
        (f"{OLD}/s03-shell", f"{OLD}/s01-text"),
        (f"{NEW}/s17-subagent", f"{NEW}/s22-denied", f"{NEW}/s08-http500"),
        ("codex/0.171.0/s03-shell", "codex/0.171.0/s08-http500"),
        ("codex/0.42.0/s03-shell", "codex/0.42.0/s12-mcp", "codex/0.42.0/s01-text"),
    ],
)
def test_runs_of_several_sessions(names: tuple[str, ...]) -> None:
    """A file of concatenated runs reads as each of them alone, lines aside."""
    parts(*names)


@pytest.mark.parametrize(
    "names",
    [
        (f"{OLD}/s13a-first-resume", f"{OLD}/s13b-second-resume"),
        (f"{NEW}/s13a-first-resume", f"{NEW}/s13b-second-resume"),
        ("codex/0.45.0/s13a-first-resume", "codex/0.45.0/s13b-second-resume"),
        ("codex/0.171.0/s13a-first-resume", "codex/0.171.0/s13b-second-resume"),
    ],
)
def test_a_resumed_process_is_a_run_of_its_own(names: tuple[str, ...]) -> None:
    """The same session in another process: its totals, and its results, begin anew."""
    parts(*names)


@pytest.mark.parametrize("version", [OLD, NEW])
def test_turns_of_one_process_are_one_run(version: str) -> None:
    """Claude announces its session for each turn; totals that go on tell one process."""
    (run,) = af.read_all(printed(capture(f"{version}/s30-two-turns")))
    inits = [
        frame for frame in capture(f"{version}/s30-two-turns") if frame.get("subtype") == "init"
    ]
    assert (1, 2, ("success", "completed")) == (
        run.runs, len(inits), (run.outcome.status, run.outcome.reason),
    )  # fmt: skip


def test_a_resumed_process_that_was_killed_leaves_the_run_open() -> None:
    """Without the second end nothing tells a turn from a process; the run did not end."""
    frames = printed(capture(f"{OLD}/s13a-first-resume"), capture(f"{OLD}/s13b-second-resume")[:-1])
    run = af.read(frames)
    assert (1, "incomplete", "no_terminal_frame") == (
        run.runs, run.outcome.status, run.outcome.reason,
    )  # fmt: skip


def test_envelopes_one_after_another() -> None:
    """Each json envelope is a run, of the same session or not."""
    first, second = capture(f"{OLD}/s03-shell--json"), capture(f"{OLD}/s09-http401--json")
    runs = af.read_all(printed(first, second, first))
    assert [("json", "success", None), ("json", "failed", None), ("json", "success", None)] == [
        (run.transport, run.outcome.status, run.tool_calls) for run in runs
    ]


def test_a_stream_and_then_an_envelope() -> None:
    """Each run has the transport it was printed in, and what that transport tells."""
    stream, envelope = capture(f"{NEW}/s03-shell"), capture(f"{NEW}/s03-shell--json")
    runs = af.read_all(printed(stream, envelope))
    assert [("jsonl", 1, "2.1.332"), ("json", None, None)] == [
        (run.transport, run.tool_calls, run.cli_version) for run in runs
    ]


def test_each_run_has_its_version() -> None:
    """A log over an upgrade names each run's own version."""
    runs = af.read_all(printed(capture(f"{OLD}/s01-text"), capture(f"{NEW}/s01-text")))
    assert ["2.1.220", "2.1.332"] == [run.cli_version for run in runs]
    init, *rest = capture("claude/1.0.128/s01-text")
    runs = af.read_all(printed(capture(f"{NEW}/s01-text"), without(init), rest))
    assert ["2.1.332", None] == [run.cli_version for run in runs]


def test_runs_of_several_engines() -> None:
    """Where another engine's frames begin, another run does, and is read as its own."""
    parts("codex/0.171.0/s03-shell", "claude/2.1.332/s17-subagent", "gemini/0.61.0/s03-shell",
          "opencode/1.18.33/s16-multistep", "copilot/1.0.102/s03-shell")  # fmt: skip
    parts("claude/2.1.332/s03-shell", "codex/0.42.0/s03-shell", "claude/2.1.220/s26-sigterm-tool")


def test_an_engine_that_is_asked_for_reads_alone() -> None:
    """With an engine given, another's frames are unknown, not another run."""
    source = printed(capture("codex/0.171.0/s03-shell"), capture(f"{NEW}/s01-text"))
    (run,) = af.read_all(source, engine="codex")
    assert (7, 3) == (run.frames.known, run.frames.unknown)


def test_a_cut_file_cuts_the_last_run_only() -> None:
    """What comes before keeps its outcome."""
    whole = printed(capture(f"{NEW}/s01-text"), capture(f"{NEW}/s03-shell"))
    first, last = af.read_all(whole[:-20])
    assert (("success", "completed"), ("incomplete", "cut_line")) == (
        (first.outcome.status, first.outcome.reason), (last.outcome.status, last.outcome.reason),
    )  # fmt: skip


def test_read_gives_the_last_run() -> None:
    """`read` is the last of `read_all`, and says how many there are."""
    source = printed(capture(f"{NEW}/s01-text"), capture(f"{NEW}/s03-shell"))
    assert af.read_all(source)[-1].to_dict() == af.read(source).to_dict()
    assert 2 == af.read(source).runs


def test_exit_status_and_stderr_are_the_last_runs() -> None:
    """What is told of the process beside its output belongs to the run at its end."""
    source = printed(capture(f"{NEW}/s01-text"), capture(f"{NEW}/s03-shell")[:-1])
    first, last = af.read_all(source, exit_code=143, stderr="killed\n")
    assert [(None, None), (143, "killed")] == [
        (run.outcome.exit_code, run.outcome.message) for run in (first, last)
    ]


def test_reset_conversations_are_one_run() -> None:
    """`conversation_reset` gives the session another id in the middle of a run."""
    init, *rest = capture(f"{NEW}/s01-text")
    reset = {
        "type": "conversation_reset", "new_conversation_id": "n", "trigger": "clear",
        "session_id": init["session_id"], "uuid": "u",
    }  # fmt: skip
    again = [having(frame, session_id="n") for frame in (init, *rest)]
    (run,) = af.read_all(printed(init, reset, again))
    assert ("n", "success") == (run.session_id, run.outcome.status)


def usage(given: int, out: int) -> Usage:
    """Build a running total."""
    buckets = Buckets(input=given, output=out, cache_read=0, cache_write=0)
    return Usage(
        at=Span(1, 1), kind="k", account="running", scope="run", buckets=buckets,
        native_path="p", cost_usd=float(given),
    )  # fmt: skip


def test_a_running_total_that_falls_begins_a_segment() -> None:
    """The end of each segment is added: 5, 9, 3, 4 is 13."""
    fold = UsageFold()
    for given in (5, 9, 3, 4):
        fold.usage(usage(given, given))
    told, _ = fold.result()
    assert (13, 13, 26, 13.0) == (
        told.input_tokens, told.output_tokens, told.total_tokens, told.cost_usd,
    )  # fmt: skip


def test_a_capture_folder_is_one_source() -> None:
    """Folders are read by their description: engine, version and exit status."""
    (run,) = af.read_all(Path(CORPUS) / "claude/1.0.128/s03-shell")
    assert ("1.0.128", 0, "run") == (run.cli_version, run.outcome.exit_code, run.usage.scope)
