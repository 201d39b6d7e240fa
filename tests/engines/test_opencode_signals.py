# SPDX-License-Identifier: Apache-2.0
"""What opencode's frames mean, by the captures that show it."""

from __future__ import annotations

import pytest

from agentframes.signals import (
    Begin,
    Buckets,
    End,
    ModelCall,
    Native,
    Reasoning,
    Signal,
    Text,
    Usage,
)
from tests.engines.opencode import VERSIONS, among, frames, only, signals
from tests.engines.support import told as values
from tests.frames import having, without

every_version = pytest.mark.parametrize("version", VERSIONS)


def types(found: list[Signal]) -> list[str]:
    """Name the types of signals."""
    return [type(signal).__name__ for signal in found]


class TestRun:
    """How a run begins, and how it ends."""

    def test_the_first_frame_begins_it(self) -> None:
        """The session is all that is told; no frame names a model, a version or a folder."""
        (begin,) = only("s03-shell", Begin)
        assert (1, "step_start", 1796065863828, "ses_dd221ee30ffeEw6EK69E0eHTEC") == (
            begin.at.first, begin.kind, begin.time_ms, begin.session_id,
        )  # fmt: skip
        assert (None, None, None, "start") == values(begin, "model", "cli_version", "cwd", "why")

    def test_the_order_of_a_step(self) -> None:
        """What a step tells comes in its order, and facts need less of it."""
        first, text, call, finish, *_ = frames("s03-shell")
        step = ["ModelCall", "Text", "ToolCall", "ToolEnd", "ModelCall", "Usage", "Native"]
        assert ["Begin", "Native", *step, "Native"] == types(signals(first, text, call, finish))
        lean = ["ModelCall", "Text", "ToolCall", "Usage", "Native"]
        assert ["Begin", "Native", *lean, "Native"] == types(
            signals(first, text, call, finish, full=False)
        )

    @every_version
    def test_stop_ends_it(self, version: str) -> None:
        """The last step's reason is the engine's last word, on its own line."""
        (end,) = only("s03-shell", End, version)
        assert ("success", "completed", None, 7) == (*values(end, "status", "reason", "message"),
                                                     end.at.first)  # fmt: skip
        assert end.time_ms is not None

    @every_version
    def test_length_ends_it_too(self, version: str) -> None:
        """An answer that ran into the token limit is the run's answer."""
        (end,) = only("s23-maxtokens", End, version)
        assert ("success", "max_tokens") == values(end, "status", "reason")

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_a_refused_call_ends_it(self, version: str) -> None:
        """The step ends as any that calls tools; that it was the last is known at the end."""
        (end,) = only("s22-denied", End, version)
        status, reason, message = values(end, "status", "reason", "message")
        assert ("incomplete", "permission") == (status, reason)
        assert "rejected" in message.lower()

    @pytest.mark.parametrize("version", VERSIONS[:3])
    def test_a_content_filter_ends_it(self, version: str) -> None:
        """Up to 1.14.41 the step's reason is all that is told of a refusal."""
        (end,) = only("s24-refusal", End, version)
        assert ("incomplete", "content_filter") == values(end, "status", "reason")

    @pytest.mark.parametrize("name", ["s24-refusal", "s24c-safety-partial"])
    def test_a_content_filter_fails_it(self, name: str) -> None:
        """1.18.33 follows it with an error."""
        (end,) = only(name, End)
        message = "The response was blocked by the provider's content filter"
        assert ("failed", "content_filter", message) == values(end, "status", "reason", "message")

    def test_another_session_is_another_run(self) -> None:
        """What only the end of the first tells is told before the second begins."""
        found = signals(frames("s22-denied"), frames("s01-text"))
        assert 2 == len(among(found, Begin))
        (broken, done) = among(found, End)
        assert (6, "permission") == (broken.at.first, broken.reason)
        assert (9, "completed") == (done.at.first, done.reason)
        assert found.index(broken) < found.index(among(found, Begin)[1])


class TestErrors:
    """`error` frames."""

    @every_version
    def test_a_refused_key(self, version: str) -> None:
        """A status says more than the error's name, which is the same for all of them."""
        (end,) = only("s09-http401", End, version)
        assert ("failed", "auth", "invalid api key") == values(end, "status", "reason", "message")

    def test_a_server_that_fails(self) -> None:
        """Only 1.18.33 gives up."""
        (end,) = only("s08-http500", End)
        assert ("failed", "api_error") == values(end, "status", "reason")

    @pytest.mark.parametrize(
        ("name", "status", "reason"),
        [
            ("APIError", 403, "auth"),
            ("APIError", 429, "rate_limit"),
            ("APIError", None, "api_error"),
            ("ProviderAuthError", None, "auth"),
            ("MessageAbortedError", None, "interrupted"),
            ("MessageOutputLengthError", None, "max_tokens"),
            ("ContextOverflowError", None, "max_tokens"),
            ("UnknownError", None, "failed"),
            ("NewError", None, "failed"),
        ],
    )
    def test_reasons(self, name: str, status: int | None, reason: str) -> None:
        """Each status and each name of the typings has its reason; a new name is just a failure."""
        error = having(frames("s09-http401")[0], error__name=name, error__data__statusCode=status)
        (end,) = among(signals(error), End)
        assert ("failed", reason) == values(end, "status", "reason")

    def test_an_error_without_words(self) -> None:
        """What an error does not say is not made up out of its headers or its name."""
        error = having(frames("s09-http401")[0], error__data={"responseBody": "secret"})
        (end,) = among(signals(error), End)
        assert ("failed", "api_error", None) == values(end, "status", "reason", "message")
        bare = having(error, error=None)
        assert ("failed", "failed") == values(among(signals(bare), End)[0], "status", "reason")

    def test_whatever_comes_after_it(self) -> None:
        """An error fails the run, even where the CLI goes on to an end that looks good."""
        error = having(frames("s09-http401")[0], sessionID=frames("s01-text")[0]["sessionID"])
        found = signals(error, frames("s01-text"))
        assert ["failed", "failed"] == [end.status for end in among(found, End)]
        assert {1} == {end.at.first for end in among(found, End)}

    def test_the_step_at_hand_fails(self) -> None:
        """An error inside a step is that model call's, too."""
        start = frames("s01-text")[0]
        error = having(frames("s09-http401")[0], sessionID=start["sessionID"])
        begun, failed = among(signals(start, error), ModelCall)
        assert (begun.id, "failed", "invalid api key") == (failed.id, failed.phase, failed.error)


class TestSteps:
    """Model calls, and what they cost."""

    @every_version
    def test_a_step_is_a_model_call(self, version: str) -> None:
        """Each step begins and ends under its message's name."""
        calls = only("s16-multistep", ModelCall, version)
        assert ["start", "end"] * 4 == [call.phase for call in calls]
        assert 4 == len({call.id for call in calls})
        assert ["tool-calls"] * 3 + ["stop"] == [c.stop_reason for c in calls if c.stop_reason]

    def test_a_message_of_two_steps(self) -> None:
        """A second step of one message is another model call."""
        start, text, finish = frames("s01-text")
        found = signals(start, text, having(start, part__id="prt_2"), finish)
        assert ["start", "start", "end"] == [call.phase for call in among(found, ModelCall)]
        assert [start["part"]["messageID"], "prt_2", "prt_2"] == [
            call.id for call in among(found, ModelCall)
        ]

    def test_a_step_that_lost_its_begin(self) -> None:
        """A damaged line takes no model call away."""
        start, text, finish = frames("s01-text")
        for left in ([text, finish], [finish]):
            calls = among(signals(left), ModelCall)
            assert [(start["part"]["messageID"], "start"), (start["part"]["messageID"], "end")] == [
                (call.id, call.phase) for call in calls
            ]

    @pytest.mark.parametrize(
        ("version", "cost"),
        [("1.0.185", 0.0072576), ("1.2.27", 0.0072576), ("1.14.41", 0.0071826),
         ("1.18.33", 0.0071826)],
    )  # fmt: skip
    def test_usage_of_one_step(self, version: str, cost: float) -> None:
        """28 tokens of output, 5 of them reasoning, wherever the version puts these."""
        usage = only("s03-shell", Usage, version)[-1]
        expected = Buckets(input=2203, cache_read=512, cache_write=0, output=28, reasoning=5)
        assert (expected, cost, "step", "run", "excluded", "step_finish.part.tokens") == values(
            usage, "buckets", "cost_usd", "account", "scope", "subagents", "native_path"
        )
        unknown = ["reasoning_placement_unknown"] if version == "1.0.185" else []
        assert unknown == usage.caveats
        (*_, call) = only("s03-shell", ModelCall, version)
        assert (expected, cost) == (call.usage, call.cost_usd)

    def test_a_total_that_is_too_small(self) -> None:
        """A total that does not even hold what was printed tells nothing about the output."""
        finish = having(frames("s03-shell")[-1], part__tokens__total=2000)
        (usage,) = among(signals(finish), Usage)
        assert (23, ["reasoning_placement_unknown"]) == (usage.buckets.output, usage.caveats)

    def test_a_step_without_an_account(self) -> None:
        """Absent is None, and makes the run's sums unknown."""
        finish = frames("s03-shell")[-1]
        bare = having(finish, part=without(finish["part"], "tokens", "cost"))
        (usage,) = among(signals(bare), Usage)
        assert (Buckets(), None, []) == values(usage, "buckets", "cost_usd", "caveats")


class TestNative:
    """The native contract."""

    def test_the_last_step_speaks(self) -> None:
        """Each step's word replaces the one before, with all that it lacks."""
        told = [native for native in only("s16-multistep", Native) if native.terminal]
        assert [1011, 2743, 5736, 11743] == [native.tokens for native in told]
        assert [0.003165, 0.0071826, 0.014316, 0.0289218] == [native.cost_usd for native in told]
        assert 0.975 == told[-1].wall_seconds

    def test_1_0_185_tells_no_tokens(self) -> None:
        """Input and output are no total."""
        told = [native for native in only("s03-shell", Native, "1.0.185") if native.terminal]
        assert [None, None] == [native.tokens for native in told]

    def test_all_texts_and_the_answer(self) -> None:
        """The contract joins all texts by newlines; the answer is the last step's."""
        *_, last = only("s03-shell", Native)
        texts = "I will run it.\nThe command printed hello."
        assert (texts, "The command printed hello.", "last_step") == values(
            last, "final_text", "answer", "final_text_source"
        )

    def test_texts_of_a_broken_run(self) -> None:
        """A run that was killed has said something all the same."""
        *_, last = only("s26-sigterm-tool", Native)
        assert ("I will wait.", "I will wait.", "last_step", False) == values(
            last, "final_text", "answer", "final_text_source", "terminal"
        )

    def test_blank_texts(self) -> None:
        """A blank text stands in the contract's text, and does not answer."""
        start, text, finish = frames("s01-text")
        other = having(start, part__messageID="msg_2")
        blank = having(text, part__messageID="msg_2", part__text="\n")
        found = signals(start, text, other, blank, having(finish, part__messageID="msg_2"))
        assert ("ok\n\n", "ok") == values(among(found, Native)[-1], "final_text", "answer")

    def test_a_null_text(self) -> None:
        """A text that is null is none."""
        start, text, finish = frames("s01-text")
        found = signals(start, having(text, part__text=None), finish)
        assert [] == among(found, Text)
        assert (None, None) == values(among(found, Native)[-1], "final_text", "answer")

    def test_the_contracts_text_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of more text than is kept, the end is kept, and the answer whole."""
        monkeypatch.setattr("agentframes.engines.opencode.texts.MAX_TEXT", 8)
        start, text, finish = frames("s01-text")
        said = [having(text, part__text=words) for words in ("one", "two", "three")]
        found = signals(start, *said, finish)
        assert ("three", "one\ntwo\nthree") == values(
            among(found, Native)[-1], "final_text", "answer"
        )


class TestWords:
    """Text and reasoning."""

    @every_version
    def test_texts_are_whole(self, version: str) -> None:
        """A text is printed when it is complete, under its message."""
        texts = only("s03-shell", Text, version)
        assert ["I will run it.", "The command printed hello."] == [
            text.text.text() for text in texts
        ]
        assert {("whole", 0)} == {(text.mode, text.part) for text in texts}
        assert 2 == len({text.message_id for text in texts})

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_reasoning(self, version: str) -> None:
        """``--thinking`` prints reasoning; 1.0.185 does not know it."""
        first, second = only("s06-reasoning--thinking", Reasoning, version)
        assert "First I consider which command to run." == first.text.text()
        assert first.duration_ms is not None
        (text,) = only("s06-reasoning--thinking", Text, version)
        assert (second.message_id, 0, 1) == (text.message_id, second.part, text.part)

    def test_no_reasoning_unasked(self) -> None:
        """Without the flag it is counted, and not printed."""
        assert [] == only("s06-reasoning", Reasoning)
        assert 5 == only("s06-reasoning", Usage)[-1].buckets.reasoning
