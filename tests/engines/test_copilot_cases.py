# SPDX-License-Identifier: Apache-2.0
"""Copilot: the shapes that users trip over, with their right values (U and F cases)."""

from __future__ import annotations

import pytest

import agentframes as af
from agentframes.commands.table import table
from agentframes.signals import Text
from tests.captured import FIXTURES
from tests.engines.copilot_captures import frames, only, raw
from tests.frames import CORPUS, Frame, having, printed, without

SHELL = "1.0.102/s03-shell"


def ended(run: af.RunFacts) -> tuple[str, str]:
    """Return status and reason."""
    return run.outcome.status, run.outcome.reason


def kept(name: str, *kinds: str) -> list[Frame]:
    """Return a capture's frames without those of some kinds."""
    return [frame for frame in frames(name) if frame["type"] not in kinds]


class TestUsage:
    """What a run cost, as far as Copilot tells."""

    def test_fixture(self) -> None:
        """The named fixture: a time, a session, an answer; a request is no dollar."""
        run = af.read(FIXTURES["copilot"])
        assert af.NativeResources(wall_seconds=79.965) == run.resources
        assert ("19155765-1b22-4d6e-82b3-3276bff805d8", "ok", "last_message") == (
            run.session_id, run.final_text, run.final_text_source,
        )  # fmt: skip
        assert (1, None, None) == (
            run.usage.premium_requests, run.usage.cost_usd, run.usage.total_tokens,
        )  # fmt: skip

    def test_u12_premium_requests_only(self) -> None:
        """No tokens, no money: null, not zero; the requests are counted."""
        usage = af.read(raw(SHELL)).usage
        assert (None,) * 6 == (
            usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.cost_usd,
            usage.cache_read_tokens, usage.models,
        )  # fmt: skip
        assert (0, "run", ["result.usage"]) == (usage.premium_requests, usage.scope, usage.basis)

    def test_a_fraction_of_a_request(self) -> None:
        """Models count as parts of a request, too."""
        *before, end = frames(SHELL)
        run = af.read(printed(before, having(end, usage__premiumRequests=0.33)))
        assert 0.33 == run.usage.premium_requests

    @pytest.mark.parametrize(
        ("requests", "words"),
        [(0, "0 premium requests"), (1, "1 premium request"), (0.33, "0.33 premium requests")],
    )
    def test_the_table_tells_requests(self, requests: float, words: str) -> None:
        """People see the requests, and that no token was told."""
        *before, end = frames(SHELL)
        run = af.read(printed(before, having(end, usage__premiumRequests=requests)))
        rows = table(run).split("\n")
        assert [f"usage       total not known; {words} (scope run)"] == [
            row for row in rows if row.startswith("usage")
        ]

    def test_old_output_tokens(self) -> None:
        """Up to 1.0.30 each message tells its output: added, each message once."""
        found = frames("1.0.30/s16-multistep")
        outputs = [
            frame["data"]["outputTokens"] for frame in found if frame["type"] == "assistant.message"
        ]
        run = af.read(printed(found))
        assert (sum(outputs), None, "excluded") == (
            run.usage.output_tokens, run.usage.total_tokens, run.usage.subagents,
        )  # fmt: skip
        assert ["result.usage", "assistant.message.outputTokens"] == run.usage.basis
        twice = [
            frame for frame in found for _ in range(1 + (frame["type"] == "assistant.message"))
        ]
        assert run.usage == af.read(printed(twice)).usage

    def test_old_output_tokens_of_a_killed_run(self) -> None:
        """Without a terminal line, what the messages told still stands."""
        run = af.read(printed(frames("1.0.12/s03-shell")[:-1]))
        assert (39, ["assistant.message.outputTokens"]) == (
            run.usage.output_tokens, run.usage.basis,
        )  # fmt: skip
        assert (None, []) == (run.usage.premium_requests, run.caveats)

    @pytest.mark.parametrize("version", ["1.0.12", "1.0.30"])
    def test_old_sub_agents_are_left_out(self, version: str) -> None:
        """The account is the main agent's; a sub-agent's calls of the model are its messages."""
        run = af.read(raw(f"{version}/s17-subagent"))
        assert (39, ["subagents_excluded", "wall_may_span_session"]) == (
            run.usage.output_tokens, run.caveats,
        )  # fmt: skip
        assert (4, 2) == (run.model_calls, run.tool_calls)

    def test_new_sub_agents_are_counted(self) -> None:
        """Since each call of the model is told, those of sub-agents are, too."""
        run = af.read(raw("1.0.102/s17-subagent"))
        assert (4, 2, ["wall_may_span_session"]) == (run.model_calls, run.tool_calls, run.caveats)

    @pytest.mark.parametrize("version", ["1.0.12", "1.0.30", "1.0.83", "1.0.102"])
    def test_time_of_a_resumed_session(self, version: str) -> None:
        """It counts from the session's first run on, and the caveat says so."""
        first, second = (
            af.read(raw(f"{version}/{name}"))
            for name in ("s13a-first-resume", "s13b-second-resume")
        )
        assert first.session_id == second.session_id
        assert (first.resources.wall_seconds or 0) < (second.resources.wall_seconds or 0)
        assert ["wall_may_span_session"] == second.caveats

    def test_u14_nothing_of_one_run_leaks_into_the_next(self) -> None:
        """Two runs in one stream read as each of them alone, but for lines and the count."""
        one, two = raw("1.0.30/s17-subagent"), raw("1.0.102/s22-denied")
        for first, second in ((one, two), (two, one), (one, one)):
            together = [run.to_dict() for run in af.read_all(first + second)]
            alone = [af.read(printed_alone).to_dict() for printed_alone in (first, second)]
            alone[1]["outcome"]["line"] += first.count(b"\n")
            for run in alone:
                run["runs"] = 2
            assert alone == together


class TestOutcome:
    """How a run ended."""

    @pytest.mark.parametrize(
        ("name", "status", "reason"),
        [
            ("1.0.12/s08-http500", "failed", "api_error"),
            ("1.0.102/s08-http500", "failed", "api_error"),
            ("1.0.12/s09-http401", "failed", "auth"),
            ("1.0.102/s09-http401", "failed", "auth"),
            ("1.0.102/s10-http429", "success", "completed"),
            ("1.0.83/s22-denied", "success", "completed"),
            ("1.0.83/s23-maxtokens", "success", "completed"),
            ("1.0.83/s24-refusal", "success", "completed"),
            ("1.0.102/s27-empty", "failed", "api_error"),
            ("1.0.12/s27-empty", "success", "completed"),
            ("1.0.102/s24b-refusal-field", "failed", "api_error"),
            ("1.0.12/s25-sigterm-streaming--native", "incomplete", "no_terminal_frame"),
            ("1.0.12/s26-sigterm-tool--native", "failed", "interrupted"),
            ("1.0.30/s26-sigterm-tool", "failed", "interrupted"),
            ("1.0.83/s25-sigterm-streaming--native", "failed", "interrupted"),
            ("1.0.83/s26-sigterm-tool--group", "failed", "interrupted"),
            ("1.0.102/s26-sigterm-tool--native", "incomplete", "no_terminal_frame"),
            ("1.0.83/s26-sigterm-tool--launcher", "success", "completed"),
            ("1.0.83/s26-sigterm-tool", "incomplete", "no_terminal_frame"),
        ],
    )
    def test_how_real_runs_ended(self, name: str, status: str, reason: str) -> None:
        """Each run of the real CLI has its status and its reason."""
        assert (status, reason) == ended(af.read(raw(name)))

    def test_an_abort_that_exits_0(self) -> None:
        """The exit code is kept, and makes no success; the abort's reason is the message."""
        run = af.read(raw("1.0.83/s26-sigterm-tool--native"))
        assert (("failed", "interrupted"), 0, "user_initiated") == (
            ended(run), run.outcome.exit_code, run.outcome.message,
        )  # fmt: skip

    def test_an_abort_before_another_turn(self) -> None:
        """A turn that follows an abort is the one that counts; a sub-agent's abort is its own."""
        found = frames(SHELL)
        stop = having(found[-3], type="abort", data={"reason": "user_initiated"})
        turns = [n for n, frame in enumerate(found) if frame["type"] == "assistant.turn_start"]
        early = [*found[: turns[1]], stop, *found[turns[1] :]]
        assert ("success", "completed") == ended(af.read(printed(early)))
        assert ("failed", "interrupted") == ended(af.read(printed(found[:-1], stop, found[-1])))
        inner = having(stop, agentId="a")
        assert ("success", "completed") == ended(af.read(printed(found[:-1], inner, found[-1])))

    def test_f22_no_terminal_line(self) -> None:
        """A start that fails, or a run that is killed, has none: incomplete."""
        run = af.read(printed(kept(SHELL, "result")))
        assert (("incomplete", "no_terminal_frame"), None) == (ended(run), run.session_id)
        assert (None, "The command printed hello.") == (
            run.resources.wall_seconds, run.final_text,
        )  # fmt: skip

    def test_a_session_that_cannot_be_resumed(self) -> None:
        """Nothing is printed; what stderr says of trouble is the message."""
        run = af.read(CORPUS / "copilot/1.0.102/s13b-second-resume--not-found")
        assert (("incomplete", "empty"), 1) == (ended(run), run.outcome.exit_code)
        message = run.outcome.message or ""
        assert message.startswith("Error: No session, task, or name matched")
        assert (None, None) == (run.tool_calls, run.model_calls)

    def test_cut_line(self) -> None:
        """A slow reader's pipe loses the end of the last line: incomplete."""
        whole = raw(SHELL)
        assert ("incomplete", "cut_line") == ended(af.read(whole[:-40]))
        assert ("success", "completed") == ended(af.read(whole.rstrip(b"\n")))

    def test_a_main_turn_after_the_end(self) -> None:
        """The run goes on; a sub-agent that does is no turn of the run's."""
        found = frames("1.0.102/s17-subagent")
        starts = [frame for frame in found if frame["type"] == "assistant.turn_start"]
        main, inner = starts[0], starts[1]
        assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(found, main)))
        assert ("success", "completed") == ended(af.read(printed(found, inner)))

    def test_an_end_without_exit_code(self) -> None:
        """Nothing says how it ended, but whose it was and how long it took."""
        *before, end = frames(SHELL)
        run = af.read(printed(before, without(end, "exitCode")))
        assert (("incomplete", "no_terminal_frame"), end["sessionId"], 2.457) == (
            ended(run), run.session_id, run.resources.wall_seconds,
        )  # fmt: skip

    def test_f8_wrong_types_are_read_and_told(self) -> None:
        """A string for a number, null for an object: read, and told as drift."""
        *before, end = frames(SHELL)
        odd = having(end, exitCode="0", usage__sessionDurationMs="2457")
        run = af.read(printed(before, odd))
        assert (("success", "completed"), 2.457) == (ended(run), run.resources.wall_seconds)
        assert [
            ("type_changed", "result", "exitCode"),
            ("type_changed", "result", "usage.sessionDurationMs"),
        ] == sorted((one.what, one.kind, one.field) for one in run.drift)
        bare = having(end, usage=None)
        assert ("success", None) == (
            af.read(printed(before, bare)).outcome.status,
            af.read(printed(before, bare)).resources.wall_seconds,
        )


class TestAnswer:
    """The final text."""

    def test_f21_pieces_and_whole_are_one(self) -> None:
        """Deltas repeat the message: they change no fact, and are shown once."""
        whole = af.read(printed(kept(SHELL, "assistant.message_delta")))
        assert whole.final_text == af.read(raw(SHELL)).final_text
        told = {text.message_id for text in only(Text, raw(SHELL))}
        assert 2 == len(told)

    def test_last_message_that_calls_no_tool(self) -> None:
        """A later message that calls one is no answer; the native rule takes it."""
        found = frames(SHELL)
        calling, answer = (frame for frame in found if frame["type"] == "assistant.message")
        turned = printed(
            [frame for frame in found if frame is not calling][:-1], calling, found[-1]
        )
        assert "The command printed hello." == af.read(turned).final_text
        assert "I will run it." == af.parse_engine_final_text("copilot", turned)
        alone = printed([frame for frame in found if frame is not answer])
        assert "I will run it." == af.read(alone).final_text

    @pytest.mark.parametrize("blank", ["", " \n\t "])
    def test_blank_messages_say_nothing(self, blank: str) -> None:
        """An answer that is blank leaves the one before it in place."""
        found = frames(SHELL)
        answer = next(frame for frame in reversed(found) if frame["type"] == "assistant.message")
        more = having(answer, data__content=blank, data__messageId="another")
        run = af.read(printed(found[:-1], more, found[-1]))
        assert "The command printed hello." == run.final_text

    def test_never_a_sub_agents(self) -> None:
        """What a sub-agent says last is not the answer, wherever it stands."""
        found = frames("1.0.102/s17-subagent")
        inner = [
            frame for frame in found if frame["type"] == "assistant.message" and "agentId" in frame
        ]
        stream = printed(found[:-1], inner[-1], found[-1])
        assert "The sub-agent counted 3 lines." == af.read(stream).final_text
        assert "The sub-agent counted 3 lines." == af.parse_engine_final_text("copilot", stream)

    def test_ephemeral_is_skipped(self) -> None:
        """An ephemeral message is not the answer, by the contract's rule."""
        found = frames(SHELL)
        answer = next(frame for frame in reversed(found) if frame["type"] == "assistant.message")
        more = having(answer, ephemeral=True, data__content="passing", data__messageId="another")
        stream = printed(found[:-1], more, found[-1])
        assert "The command printed hello." == af.parse_engine_final_text("copilot", stream)

    def test_an_empty_answer(self) -> None:
        """1.0.12 exits 0 with nothing said: success, and no final text."""
        run = af.read(raw("1.0.12/s27-empty"))
        assert (("success", "completed"), None, None) == (
            ended(run), run.final_text, run.final_text_source,
        )  # fmt: skip

    def test_unicode(self) -> None:
        """A raw U+2028 ends no line."""
        run = af.read(raw("1.0.102/s02-unicode"))
        assert (True, 0) == ("\u2028" in (run.final_text or ""), run.frames.malformed)


class TestFourSteps:
    """The scenario of four model steps, by version."""

    @pytest.mark.parametrize(
        ("version", "wall", "output", "basis"),
        [
            ("1.0.12", 3.715, 194, ["result.usage", "assistant.message.outputTokens"]),
            ("1.0.30", 6.639, 194, ["result.usage", "assistant.message.outputTokens"]),
            ("1.0.83", 0.446, None, ["result.usage"]),
            ("1.0.102", 0.441, None, ["result.usage"]),
        ],
    )
    def test_account(self, version: str, wall: float, output: int | None, basis: list[str]) -> None:
        """Resources and usage side by side, with basis and scope."""
        run = af.read(raw(f"{version}/s16-multistep"))
        assert af.NativeResources(wall_seconds=wall) == run.resources
        assert (output, None, "run", basis) == (
            run.usage.output_tokens, run.usage.total_tokens, run.usage.scope, run.usage.basis,
        )  # fmt: skip
        assert (4, 3) == (run.model_calls, run.tool_calls)


class TestOdd:
    """What Copilot would not print so."""

    @pytest.mark.parametrize(
        "end",
        [
            {"type": "result", "exitCode": 0},
            {"type": "result", "exitCode": 0, "usage": {"premiumRequests": 1}},
            {"type": "result", "exitCode": 0, "sessionId": "s"},
        ],
    )
    def test_an_end_in_name_only(self, end: Frame) -> None:
        """What Copilot would not print so ends nothing, and is told as unknown."""
        *before, _ = frames(SHELL)
        run = af.read(printed(before, end))
        assert (("incomplete", "no_terminal_frame"), None, ["result"]) == (
            ended(run), run.session_id, [found.kind for found in run.drift],
        )  # fmt: skip

    def test_numbers_beyond_reason_are_absent(self) -> None:
        """Formats and sums of numbers of hundreds of digits would raise."""
        *before, end = frames(SHELL)
        huge = int("9" * 400)
        odd = having(end, usage__premiumRequests=huge, usage__codeChanges__linesAdded=huge)
        run = af.read(printed(before, odd))
        assert (("success", "completed"), None) == (ended(run), run.usage.premium_requests)
        assert "premium" not in table(run)
        old = [
            having(frame, data__outputTokens=huge) if "outputTokens" in str(frame) else frame
            for frame in frames("1.0.30/s03-shell")
        ]
        assert None is af.read(printed(old)).usage.output_tokens
