# SPDX-License-Identifier: Apache-2.0
"""Defects found by somebody who set out to break the readers, each with its smallest input."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from tests.frames import CORPUS, capture, having, printed, without

ROOT = Path(__file__).parent.parent
CLAUDE = "claude/2.1.332/s03-shell"
WHOLE = {
    "claude": CLAUDE, "codex": "codex/0.171.0/s03-shell", "copilot": "copilot/1.0.102/s03-shell",
    "gemini": "gemini/0.61.0/s03-shell", "opencode": "opencode/1.18.33/s03-shell",
}  # fmt: skip


def ended(source: Any, **options: Any) -> tuple[str, str]:
    """Read a source and return its status and reason."""
    outcome = af.read(source, **options).outcome
    return outcome.status, outcome.reason


class TestFalseSuccess:
    """Nothing but an engine's own whole word is a success."""

    @pytest.mark.parametrize("engine", WHOLE)
    @pytest.mark.parametrize("end", [b"", b"\n", b"\nKilled\n"])
    def test_a_frame_that_breaks_off_behind_the_end(self, engine: str, end: bytes) -> None:
        """A wrapper adds a line end, or its own words; the frame has broken off all the same."""
        whole = printed(capture(WHOLE[engine]))
        assert ("success", "completed") == ended(whole)
        assert ("incomplete", "cut_line") == ended(whole + b'{"type":"user","mess' + end)

    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_a_frame_inside_the_result_of_a_tool(self, end: bytes) -> None:
        """A tool that drives another agent quotes its frames: they are content of its line."""
        stream = printed(capture("codex/0.171.0/s03-shell")[:2]) + (
            b'{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","result":'
            b'{"structured_content":{"type":"turn.completed","usage":{"input_tokens":9,'
            b'"output_tokens":9}},"content":[{"te'
        )
        run = af.read(stream + end)
        assert ("incomplete", None) == (run.outcome.status, run.resources.tokens)
        assert (2, 1) == (run.frames.total, run.frames.malformed)

    @pytest.mark.parametrize(
        "printed",
        [
            '{"type":"result","subtype":"success","num_turns":3,"result":"chess won"}',
            '{"type":"turn.started"}\n{"type":"turn.completed"}\n',
        ],
    )
    def test_json_that_looks_like_frames(self, printed: str) -> None:
        """Other programs' JSON is no agent's success."""
        assert "incomplete" == af.read(printed).outcome.status

    @pytest.mark.parametrize(
        ("stream", "frame"),
        [
            (capture("claude/2.1.332/s26-sigterm-tool"), {"type": "result", "subtype": "success"}),
            (
                capture("codex/0.171.0/s26-sigterm-tool"),
                {"id": "1", "msg": {"type": "task_complete"}},
            ),
        ],
    )
    def test_a_terminal_frame_in_name_only(self, stream: list[Any], frame: Any) -> None:
        """A frame that the engine would not print so ends nothing, and is told as unknown."""
        run = af.read(printed(stream, frame))
        assert ("incomplete", 1) == (run.outcome.status, run.frames.unknown)

    @pytest.mark.parametrize(("told", "status"), [(1, "failed"), ("1", "failed"), ("yes", "failed"),
                                                  ({}, "failed"), ("maybe", "failed"),
                                                  (0, "success"), ("no", "success")])  # fmt: skip
    def test_an_error_flag_of_another_type(self, told: Any, status: str) -> None:
        """An `is_error` whose meaning is not plain is never an approval."""
        *frames, end = capture(CLAUDE)
        assert status == af.read(printed(frames, having(end, is_error=told))).outcome.status


class TestNumbersAndAnswers:
    """What counts once is told once, and nothing is less than zero."""

    def test_a_frame_printed_twice(self) -> None:
        """The same frame again, or a longer one of its message, says its text once."""
        init, *_, last, end = capture(CLAUDE)
        words = end["result"]
        shorter = having(last, message__content__0__text=words[:5])
        for frames in ([last, last], [shorter, last]):
            run = af.read(printed(init, frames, end))
            assert (words, "result") == (run.final_text, run.final_text_source)
            run = af.read(printed(init, frames, having(end, result="")))
            assert (words, "last_message") == (run.final_text, run.final_text_source)

    def test_a_result_printed_twice(self) -> None:
        """The same result again adds nothing."""
        frames = capture(CLAUDE)
        run = af.read(printed(frames, frames[-1]))
        assert (3203, "success", 1) == (run.usage.input_tokens, run.outcome.status, run.runs)

    def test_words_of_the_cli_itself(self) -> None:
        """What claude writes under `<synthetic>` is no part of the answer."""
        init, *_, last, end = capture(CLAUDE)
        error = having(last, message__model="<synthetic>", message__id="s", uuid="s",
                       message__content__0__text="API Error: 529 overloaded")  # fmt: skip
        run = af.read(printed(init, error, last, end))
        assert (end["result"], "result") == (run.final_text, run.final_text_source)

    def test_a_cache_that_is_not_inside_the_input(self) -> None:
        """A gateway that counts otherwise gives no uncached input, and so no total."""
        *frames, end = capture("codex/0.171.0/s03-shell")
        odd = having(end, usage__input_tokens=100, usage__cached_input_tokens=500)
        usage = af.read(printed(frames, odd)).usage
        assert (None, 500, None) == (
            usage.input_tokens, usage.cache_read_tokens, usage.total_tokens,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("message", "reason"),
        [
            ("You've hit your usage limit. Try again later.", "rate_limit"),
            ("I read 401 lines", "failed"),
            ("unexpected status 401 Unauthorized: invalid api key", "auth"),
        ],
    )
    def test_why_a_turn_of_codex_failed(self, message: str, reason: str) -> None:
        """Numbers in prose are no status."""
        stream = capture("codex/0.171.0/s01-text")[:2]
        failed = {"type": "turn.failed", "error": {"message": message}}
        assert ("failed", reason) == ended(printed(stream, failed))


class TestNoException:
    """Content never raises."""

    def test_a_version_of_thousands_of_digits(self) -> None:
        """What is no version is unknown."""
        init, *frames = capture(CLAUDE)
        version = "9" * 5000
        run = af.read(printed(having(init, claude_code_version=version), frames))
        assert ("session" if run.usage.basis == ["result.modelUsage"] else "run") == run.usage.scope
        assert "success" == af.read(printed(init, frames), cli_version=version).outcome.status

    def test_foreign_lines_before_the_first_frame(self) -> None:
        """Hundreds of another program's JSON lines hide no engine."""
        foreign = b"".join(b'{"jsonrpc":"2.0","id":%d}\n' % number for number in range(1000))
        run = af.read(foreign + printed(capture(CLAUDE)))
        assert ("claude", "success", 1000) == (run.engine, run.outcome.status, run.frames.unknown)

    def test_errors_cross_processes(self) -> None:
        """Errors survive pickling, as a process pool needs."""
        with pytest.raises(af.RunFailedError) as failed:
            af.read(b"").require_success()
        with pytest.raises(af.UnknownEngineError) as unknown:
            af.read(b"", engine="omp")
        for error in (failed.value, unknown.value):
            again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
            assert (type(error), str(error)) == (type(again), str(again))

    @pytest.mark.parametrize("piece", ["a", "`", "~", " ", "\t"])
    def test_fences_that_never_are(self, piece: str) -> None:
        """A long line that begins like a fence is looked at once."""
        assert "missing" == af.extract_summary("```" + piece * 200_000 + "`").status

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ({"resume": "--dangerous"}, "resume cannot be empty or begin with a dash"),
            ({"resume": ""}, "resume cannot be empty or begin with a dash"),
            ({"max_turns": 0}, "max_turns is at least 1"),
            ({"extra": "--ab"}, "extra is a list of options, not one text"),
        ],
    )
    @pytest.mark.parametrize("engine", WHOLE)
    def test_what_no_command_line_may_hold(
        self, engine: str, asked: dict[str, Any], message: str
    ) -> None:
        """An id that would be read as a flag, and what says nothing, is refused."""
        with pytest.raises(af.CommandError, match=message):
            af.command(engine, "hi", **asked)


class TestDoors:
    """The command line in bad company."""

    def shell(self, script: str) -> tuple[int, str]:
        """Run a script with the command as $A; return its status and what went to stderr."""
        command = f"A='{sys.executable} -m agentframes'; set -o pipefail; {script}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=ROOT)
        return done.returncode, done.stderr.decode()

    def test_a_reader_that_leaves_changes_no_outcome(self) -> None:
        """A failed run fails, whether or not anybody reads of it."""
        failed = CORPUS / "claude/2.1.220/s21-maxturns"
        assert (1, "") == self.shell(f"$A read {failed} {failed} | true; exit ${{PIPESTATUS[0]}}")

    @pytest.mark.parametrize(
        ("script", "line"),
        [
            ("$A read - <&-", "agentframes: read: stdin is closed\n"),
            (
                f"$A read {CORPUS / CLAUDE} >&-",
                "agentframes: stdout is closed: there is nowhere to write to\n",
            ),
        ],
    )
    def test_closed_streams(self, script: str, line: str) -> None:
        """A closed stream is a misuse in one line."""
        assert (2, line) == self.shell(script)

    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        """A file name of other bytes is read, and told as far as it is text."""
        name = tmp_path / "bad\udcff.jsonl"
        name.write_bytes(printed(capture(CLAUDE)))
        done = subprocess.run(
            [sys.executable, "-m", "agentframes", "read", "--json", str(name)],
            capture_output=True, check=False,
        )  # fmt: skip
        assert 0 == done.returncode
        assert str(tmp_path / "bad\ufffd.jsonl") == json.loads(done.stdout)["source"]

    def test_a_folder_of_an_unknown_engine(self, tmp_path: Path) -> None:
        """One folder's description spoils no other input."""
        (tmp_path / "stdout.jsonl").write_bytes(b"{}\n")
        (tmp_path / "capture.toml").write_text('engine = "omp"\n')
        status, told = self.shell(f"$A read {tmp_path} {CORPUS / CLAUDE} > /dev/null")
        assert 2 == status
        assert told.startswith(
            f"agentframes: read: {tmp_path}: unknown engine 'omp'; known engines"
        )

    def test_a_stream_without_usage_of_a_thread(self) -> None:
        """A turn of a thread is over without its usage, too."""
        *frames, end = capture("codex/0.171.0/s03-shell")
        assert ("success", "completed") == ended(printed(frames, without(end, "usage")))


class TestDriftTold:
    """What is told without `drift` is told with it, and no frame is lost over a small change."""

    def test_a_kind_that_was_never_captured(self) -> None:
        """Two kinds may share a field that changed its type."""
        *begin, end = capture(CLAUDE)
        strange = [end | {"subtype": "error_max_budget_usd", "num_turns": "x"}]
        strange.append(end | {"num_turns": "x"})
        for drift in (False, True):
            runs = af.read_all(printed(*begin, *strange), drift=drift)
            changed = [one.kind for run in runs for one in run.drift if one.what == "type_changed"]
            assert ["result/error_max_budget_usd", "result/success"] == changed

    @pytest.mark.parametrize("timestamp", [None, "2026-01-01T00:00:00Z"])
    def test_a_step_of_opencode_whose_time_changed(self, timestamp: str | None) -> None:
        """A step of the session at hand counts, and its field is named."""
        *begin, end = capture(WHOLE["opencode"])
        run = af.read(printed(*begin, end | {"timestamp": timestamp}), drift=True)
        whole = af.read(printed(*begin, end))
        assert ("success", "completed") == (run.outcome.status, run.outcome.reason)
        assert whole.usage == run.usage
        assert [("type_changed", "step_finish", "timestamp")] == [
            (one.what, one.kind, one.field) for one in run.drift
        ]

    def test_a_step_of_opencode_without_its_time(self) -> None:
        """The same where the field is gone."""
        *begin, end = capture(WHOLE["opencode"])
        run = af.read(printed(*begin, without(end, "timestamp")), drift=True)
        assert "success" == run.outcome.status
        assert [("missing_field", "error", "timestamp")] == [
            (one.what, one.level, one.field) for one in run.drift
        ]

    def test_nothing_at_all(self) -> None:
        """Absent input is no frame and nobody's output."""
        assert af.inspect_frame(None) is None
        assert af.detect(None) is None
