# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI: the shapes that users trip over (U and F cases), and the native contract's values."""

from __future__ import annotations

from typing import Any

import pytest

import agentframes as af
from agentframes.commands.table import table
from tests import captured
from tests.frames import CORPUS, Frame, capture, having, printed, without

NOW = "gemini/0.61.0"
SHELL = f"{NOW}/s03-shell"
VERSIONS = ["0.15.4", "0.24.5", "0.38.2", "0.47.0", "0.51.0", "0.61.0"]


def facts(*frames: Frame | list[Frame]) -> af.RunFacts:
    """Read frames that are printed as a stream."""
    return af.read(printed(*frames))


def ended(run: af.RunFacts) -> tuple[str, str]:
    """Return status and reason."""
    return run.outcome.status, run.outcome.reason


def answer(run: af.RunFacts) -> tuple[str | None, str | None]:
    """Return the final text and where it came from."""
    return run.final_text, run.final_text_source


RESUMED = ("s13a-first-resume", "s13b-second-resume")


def capture_document(name: str) -> Frame:
    """Return the document of a capture in json mode."""
    (value,) = capture(f"{NOW}/{name}--json")
    return value


class TestNative:
    """The native contract, verbatim."""

    def test_stream(self) -> None:
        """Total tokens, the duration, the session of `init`, and the joined pieces."""
        raw = captured.capture(SHELL)
        assert af.NativeResources(tokens=3754, wall_seconds=1.649) == af.parse_engine_resources(
            "gemini", raw
        )
        assert "The command printed hello." == af.parse_engine_final_text("gemini", raw)
        session = "2f92ff83-d1ca-4bf7-ab26-f3945b8e7b20"
        assert session == af.parse_engine_session_id("gemini", raw) == af.parse_session_id(raw)

    def test_document(self) -> None:
        """Tokens of all models added; a document has no duration."""
        raw = captured.capture(f"{NOW}/s16-multistep--default-model--json")
        assert af.NativeResources(tokens=21307) == af.parse_engine_resources("gemini", raw)
        assert "Four steps are done." == af.parse_engine_final_text("gemini", raw)
        session = "254c6bdb-8941-4676-b0b0-f2060360b2ea"
        assert session == af.parse_engine_session_id("gemini", raw) == af.parse_session_id(raw)

    @pytest.mark.parametrize("name", ["s08-http500", "s09-http401", "s21-maxturns"])
    @pytest.mark.parametrize("version", ["0.15.4", "0.24.5", "0.38.2", "0.61.0"])
    def test_no_time_is_not_zero_seconds(self, version: str, name: str) -> None:
        """A run that failed says ``duration_ms: 0``: that is absent."""
        run = facts(capture(f"gemini/{version}/{name}"))
        assert (None, None) == (run.resources.wall_seconds, run.resources.cost_usd)

    def test_result_without_stats(self) -> None:
        """The typings leave `stats` out; nothing is made up for it."""
        *frames, end = capture(SHELL)
        run = facts(frames, without(end, "stats"))
        assert (af.NativeResources(), None, []) == (
            run.resources, run.usage.scope, run.usage.basis,
        )  # fmt: skip
        assert ("success", "completed") == ended(run)

    def test_null_content_is_no_text(self) -> None:
        """A null is absent: never the word."""
        *frames, last, end = capture(f"{NOW}/s01-text")
        run = facts(frames, having(last, content=None), end)
        assert (None, None) == answer(run)
        assert None is af.parse_engine_final_text("gemini", printed(having(last, content=None)))

    def test_summary_from_pieces(self) -> None:
        """The JSON answer of a run is the final text of the stream (s18)."""
        found = af.extract_summary(captured.capture(f"{NOW}/s18-schema"))
        assert ("valid", {"answer": "ok", "n": 3}, "final_text") == (
            found.status, found.value, found.source,
        )  # fmt: skip

    def test_summary_from_a_fence(self) -> None:
        """A fenced block that comes in pieces is one block (s02)."""
        found = af.extract_summary(captured.capture(f"{NOW}/s02-unicode"))
        assert ("valid", "fenced_block") == (found.status, found.source)


class TestUsage:
    """One account, of a whole run."""

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_u10_thoughts_are_what_the_total_has_besides(self, version: str) -> None:
        """3754 is 3715 in (512 of it cached) and 34 out: 5 tokens are thoughts."""
        usage = facts(capture(f"gemini/{version}/s03-shell")).usage
        assert (3203, 512, None, 39, 5, 3754) == (
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens,
            usage.output_tokens, usage.reasoning_tokens, usage.total_tokens,
        )  # fmt: skip

    def test_without_cached_the_input_cannot_be_parted(self) -> None:
        """0.15.4 does not say how much of the input was cached."""
        run = facts(capture("gemini/0.15.4/s16-multistep"))
        usage = run.usage
        assert (None, None, 194, 18, None) == (
            usage.input_tokens, usage.cache_read_tokens, usage.output_tokens,
            usage.reasoning_tokens, usage.total_tokens,
        )  # fmt: skip
        assert 21233 == run.resources.tokens

    def test_a_total_below_its_parts_tells_no_thoughts(self) -> None:
        """A provider's other total makes no negative count."""
        *frames, end = capture(SHELL)
        usage = facts(frames, having(end, stats__total_tokens=3000)).usage
        assert (34, None) == (usage.output_tokens, usage.reasoning_tokens)

    def test_more_cached_than_read_tells_no_input(self) -> None:
        """A prompt that does not hold its cached tokens makes no negative count, and no total."""
        *frames, end = capture(SHELL)
        stats = without(end["stats"], "input", "models") | {"cached": 10**6}
        value = capture_document("s03-shell")
        tokens = value["stats"]["models"]["gemini-2.5-pro"]["tokens"]
        del tokens["input"]
        tokens["cached"] = 10**6
        for run in (facts(frames, having(end, stats=stats)), facts(value)):
            assert (None, 10**6, None) == (
                run.usage.input_tokens, run.usage.cache_read_tokens, run.usage.total_tokens,
            )  # fmt: skip

    def test_numbers_beyond_reason_are_absent(self) -> None:
        """Sums and formats of numbers of thousands of digits would raise."""
        *frames, end = capture(SHELL)
        value = capture_document("s03-shell")
        model = value["stats"]["models"]["gemini-2.5-pro"]
        huge = int("9" * 4300)
        model["tokens"] = dict.fromkeys(model["tokens"], huge)
        model["api"]["totalRequests"] = huge
        stats = dict.fromkeys(("total_tokens", "input_tokens", "output_tokens", "cached"), huge)
        for run in (facts(frames, having(end, stats=stats)), facts(value)):
            assert (None, None, None) == (
                run.usage.output_tokens, run.resources.tokens, run.model_calls,
            )  # fmt: skip
            assert "success" in table(run)

    def test_what_tools_add_to_the_prompt_is_input(self) -> None:
        """A document tells it apart; its total then is the sum of the buckets."""
        value = capture_document("s03-shell")
        tokens = value["stats"]["models"]["gemini-2.5-pro"]["tokens"]
        tokens["tool"], tokens["total"] = 100, 3854
        usage = facts(value).usage
        assert (3303, 3854) == (usage.input_tokens, usage.total_tokens)

    def test_all_models_are_in_it(self) -> None:
        """The model that routes is in the account, beside the one that answers."""
        run = facts(capture(f"{NOW}/s16-multistep--default-model"))
        assert {"gemini-3.5-flash-lite": 3, "gemini-3.8-flash": 194} == {
            name: counts.output_tokens for name, counts in (run.usage.models or {}).items()
        }
        assert ("auto", 21307, "run", "included") == (
            run.model, run.usage.total_tokens, run.usage.scope, run.usage.subagents,
        )  # fmt: skip

    def test_sub_agents_are_in_it(self) -> None:
        """The stats count the sub-agent, so nothing is said to be missing."""
        run = facts(capture(f"{NOW}/s17-subagent"))
        assert (5165, "included", ["cache_in_input"]) == (
            run.usage.total_tokens, run.usage.subagents, run.caveats,
        )  # fmt: skip

    def test_a_resumed_run_counts_itself(self) -> None:
        """The second run of a session is told alone, so both may be added."""
        runs = [facts(capture(f"{NOW}/{name}")) for name in RESUMED]
        assert [1011, 2743] == [run.usage.total_tokens for run in runs]
        assert 1 == len({run.session_id for run in runs})

    def test_calls_that_a_document_counts(self) -> None:
        """A document shows no calls and counts them all; a stream shows those of tools."""
        stream, document = facts(capture(SHELL)), facts(capture_document("s03-shell"))
        assert [(None, 1), (2, 1)] == [
            (run.model_calls, run.tool_calls) for run in (stream, document)
        ]
        silent = facts(without(capture_document("s03-shell"), "stats"))
        assert (None, None) == (silent.model_calls, silent.tool_calls)


class TestOutcome:
    """How runs ended."""

    @pytest.mark.parametrize(
        ("name", "status", "reason"),
        [
            ("s01-text", "success", "completed"),
            ("s08-http500", "failed", "api_error"),
            ("s09-http401", "failed", "auth"),
            ("s10-http429", "success", "completed"),
            ("s21-maxturns", "failed", "max_turns"),
            ("s22-denied", "success", "completed"),
            ("s25-sigterm-streaming", "incomplete", "no_terminal_frame"),
            ("s32-unknown-tool", "success", "completed"),
        ],
    )
    @pytest.mark.parametrize("version", VERSIONS)
    def test_real_runs(self, version: str, name: str, status: str, reason: str) -> None:
        """Every version tells these ends alike."""
        assert (status, reason) == ended(facts(capture(f"gemini/{version}/{name}")))

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_killed_while_a_tool_runs(self, version: str) -> None:
        """No result is incomplete, exit status 0 or not; what came before the call is no answer."""
        run = af.read(CORPUS / f"gemini/{version}/s26-sigterm-tool")
        code = None if version == "0.24.5" else 0  # that one died by the signal
        assert (("incomplete", "no_terminal_frame"), code) == (ended(run), run.outcome.exit_code)
        assert ((None, None), 1) == (answer(run), run.tool_calls)

    @pytest.mark.parametrize("version", VERSIONS)
    def test_killed_while_it_answers(self, version: str) -> None:
        """The text so far is the final text, and the outcome says that it is not all."""
        run = facts(capture(f"gemini/{version}/s25-sigterm-streaming"))
        text, source = answer(run)
        assert ("word1 word2 word3 ", "joined_deltas") == ((text or "")[:18], source)
        assert None is run.resources.tokens

    def test_a_killed_run_before_another(self) -> None:
        """What a killed run said stays its own where another run follows in the same stream."""
        killed, whole = capture(f"{NOW}/s25-sigterm-streaming"), capture(SHELL)
        first, second = af.read_all(printed(killed, whole))
        assert ("word1", "joined_deltas") == ((first.final_text or "")[:5], first.final_text_source)
        assert ("incomplete", "no_terminal_frame") == ended(first)
        assert facts(whole).to_dict() | {"runs": 2, "outcome": second.to_dict()["outcome"]} == (
            second.to_dict()
        )

    def test_u14_documents_after_each_other(self) -> None:
        """Each document is a run of its own."""
        names = ("s03-shell", "s27-empty")
        raw = b"\n".join(captured.capture(f"{NOW}/{name}--json") for name in names)
        assert [("success", "completed"), ("failed", "failed")] == [
            ended(run) for run in af.read_all(raw)
        ]

    def test_a_document_between_streams(self) -> None:
        """What each mode tells of calls stays with its own run."""
        document = captured.capture(f"{SHELL}--json") + b"\n"
        stream = captured.capture(SHELL)
        runs = af.read_all(stream + document + stream)
        told = [("jsonl", None, 1), ("json", 2, 1), ("jsonl", None, 1)]
        assert told == [(run.transport, run.model_calls, run.tool_calls) for run in runs]

    def test_f16_nothing_but_a_line_on_stderr(self) -> None:
        """Empty output is incomplete; stderr tells why where it is given."""
        stderr = "Please set an Auth method in your settings.json\n"
        run = af.read(b"", engine="gemini", stderr=stderr, exit_code=41)
        assert (("incomplete", "empty"), 41, stderr.strip()) == (
            ended(run), run.outcome.exit_code, run.outcome.message,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("name", "begins", "code"),
        [
            ("0.61.0/s09-http401--json", '{"error":{"code":401,', 145),
            ("0.61.0/s21-maxturns--json", "Reached max session turns", 53),  # told twice
            ("0.38.2/s21-maxturns--json", "Reached max session turns", 53),  # … on one line
            ("0.61.0/s13b-second-resume--not-found", "Error resuming session", 42),  # no document
        ],
    )
    def test_f16_a_document_on_stderr(self, name: str, begins: str, code: int) -> None:
        """Json mode fails behind the log lines of stderr: the document's message is the words."""
        run = af.read(CORPUS / "gemini" / name)
        assert (("incomplete", "empty"), code) == (ended(run), run.outcome.exit_code)
        assert (run.outcome.message or "").startswith(begins)
        assert None is run.tool_calls

    def test_an_error_document_is_a_failure(self) -> None:
        """Where both outputs went to one place the document is read as any other."""
        stderr = (CORPUS / f"{NOW}/s09-http401--json/stderr.txt").read_bytes()
        run = af.read(stderr)
        assert ("gemini", ("failed", "auth"), "json") == (run.engine, ended(run), run.transport)
        assert "fc6ec27b-6d8c-4ee4-9186-0f49c94bac53" == run.session_id

    @pytest.mark.parametrize(
        ("error", "message"),
        [("no quota", "no quota"), (["x"], None), (True, None), (1, None), ("", ""), (False, None)],
    )
    def test_an_error_of_another_type(self, error: Any, message: str | None) -> None:
        """An error that is no object is one all the same, and its type is told."""
        run = facts(capture_document("s03-shell") | {"error": error})
        assert (("failed", "failed"), message) == (ended(run), run.outcome.message)
        assert [("type_changed", "(document)", "error", 1)] == [
            (found.what, found.kind, found.field, found.count) for found in run.drift
        ]

    def test_f17_an_error_before_a_success(self) -> None:
        """The result's word counts: the error before it is a row."""
        error = capture(f"{NOW}/s27-empty")[2]
        loop = having(error, severity="warning", message="Loop detected, stopping execution")
        *frames, end = capture(SHELL)
        run = facts(frames, loop, error, end)
        assert (("success", "completed"), None) == (ended(run), run.outcome.message)
        assert (10, 0) == (run.frames.known, run.frames.unknown)

    @pytest.mark.parametrize("version", ["0.47.0", "0.51.0", "0.61.0"])
    def test_a_failed_result_without_an_error(self, version: str) -> None:
        """The error frame before it tells why (s27)."""
        frames = capture(f"gemini/{version}/s27-empty")
        run = facts(frames)
        assert (("failed", "failed"), frames[2]["message"]) == (ended(run), run.outcome.message)
        assert "error" not in frames[-1]

    def test_f18_two_messages(self) -> None:
        """Only what was said after the last call is the answer."""
        assert ("The command printed hello.", "joined_deltas") == answer(facts(capture(SHELL)))

    def test_a_message_after_the_result(self) -> None:
        """The run went on: it did not end there."""
        frames = capture(SHELL)
        assert ("incomplete", "no_terminal_frame") == ended(facts(frames, frames[5]))
        assert ("incomplete", "no_terminal_frame") == ended(facts(frames, frames[3]))

    def test_a_cut_line(self) -> None:
        """Output that breaks off in a line is incomplete, whatever the exit status."""
        raw = captured.capture(SHELL)
        run = af.read(raw[:-40], exit_code=0)
        assert (("incomplete", "cut_line"), "The command printed hello.") == (
            ended(run), run.final_text,
        )  # fmt: skip

    def test_a_cut_document(self) -> None:
        """So is a document that was never closed."""
        raw = captured.capture(f"{NOW}/s03-shell--json")
        run = af.read(raw[:-40], engine="gemini", exit_code=0)
        assert (("incomplete", "cut_line"), None) == (ended(run), run.final_text)

    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            ({"type": "FatalAuthenticationError", "message": "no"}, "auth"),
            ({"type": "FatalCancellationError", "message": "Operation cancelled."}, "interrupted"),
            ({"type": "unknown", "message": '[API Error: {"error":{"code":429}}]'}, "rate_limit"),
            ({"type": "unknown", "message": "[API Error: RESOURCE_EXHAUSTED]"}, "rate_limit"),
            ({"type": "unknown", "message": "[API Error: terminated]"}, "api_error"),
            ({"type": "no_space_left", "message": "Error executing tool"}, "failed"),
            ({"message": "The model response was blocked due to safety settings."},
             "content_filter"),
            ({"message": "… truncated because it exceeded the token limit."}, "max_tokens"),
            ({}, "failed"),
        ],
    )  # fmt: skip
    def test_reasons(self, error: Frame, reason: str) -> None:
        """The error's type, its code or its words name the reason."""
        *frames, end = capture(f"{NOW}/s08-http500")
        run = facts(frames, having(end, error=error))
        assert (("failed", reason), error.get("message")) == (ended(run), run.outcome.message)

    def test_freshness_by_the_frames_own_time(self) -> None:
        """`result` carries a time, so an old result does not pass for a new one."""
        run = af.read(captured.capture(SHELL))
        assert run is run.require_success(not_before=1796065644.0)
        with pytest.raises(af.RunFailedError, match="older than asked for"):
            run.require_success(not_before=1796065645.0)
