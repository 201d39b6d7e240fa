# SPDX-License-Identifier: Apache-2.0
"""Frames that opencode would not print so: look-alikes, repetitions, odd numbers."""

from __future__ import annotations

import pytest

import agentframes as af
from agentframes.commands.table import table
from agentframes.signals import ToolEnd
from tests.engines.opencode import ended, frames, signals
from tests.frames import Frame, having, printed, without


class TestLookAlikes:
    """Frames that opencode would not print so."""

    @pytest.mark.parametrize("lost", ["sessionID", "timestamp"])
    def test_an_end_in_name_only(self, lost: str) -> None:
        """A step's end without the envelope ends nothing, counts nothing, and is unknown.

        Only a part that names the session at hand stands for the time.
        """
        *before, finish = frames("s01-text")
        finish = finish | {"part": without(finish["part"], "sessionID")}
        run = af.read(printed(before, without(finish, lost)))
        assert (("incomplete", "no_terminal_frame"), None, ["step_finish/(untyped)"]) == (
            ended(run), run.usage.total_tokens, [found.kind for found in run.drift],
        )  # fmt: skip

    def test_an_error_in_name_only(self) -> None:
        """An error without a session is not opencode's, whatever else it holds."""
        error = without(frames("s09-http401")[0], "sessionID")
        run = af.read(printed(frames("s01-text"), error))
        assert (("success", "completed"), ["error/(untyped)"]) == (
            ended(run), [found.kind for found in run.drift],
        )  # fmt: skip

    def test_words_in_name_only(self) -> None:
        """A text without a session is no part of the answer."""
        start, text, finish = frames("s01-text")
        other = without(having(text, part__text="approved"), "sessionID")
        run = af.read(printed(start, text, other, finish))
        assert ("ok", ["text/(untyped)"]) == (run.final_text, [found.kind for found in run.drift])

    def test_another_session_in_name_only(self) -> None:
        """A frame that names another session begins its run only with the whole envelope."""
        other = {"type": "build", "sessionID": "ses_2", "part": {}}
        run = af.read(printed(frames("s01-text"), other))
        assert (1, ("success", "completed")) == (run.runs, ended(run))


class TestRepetition:
    """A step that is printed again."""

    def counted(self, *told: Frame | list[Frame]) -> tuple[object, ...]:
        """Return all that is counted of a run."""
        run = af.read(printed(*told))
        native = af.parse_engine_final_text("opencode", printed(*told))
        return run.usage, run.model_calls, run.tool_calls, run.final_text, native

    def test_it_counts_once(self) -> None:
        """Part ids that were told before add no tokens, no money, no text and no model call."""
        whole = frames("s03-shell")
        once = self.counted(whole)
        assert once == self.counted(whole[:4], whole)
        assert once == self.counted(whole, whole)
        assert once == self.counted(whole, whole[-1])
        assert once == self.counted([frame for frame in whole for _ in range(2)])
        assert 3754 == af.read(printed(whole, whole)).usage.total_tokens

    def test_a_second_step_of_a_message_counts_once(self) -> None:
        """Nor does a step whose own part names it."""
        start, text, finish = frames("s01-text")
        second = [having(start, part__id="prt_2"), having(finish, part__id="prt_3")]
        assert self.counted(start, text, finish, second) == self.counted(
            start, text, finish, second, second
        )

    def test_its_last_word_counts(self) -> None:
        """How a run ended is told by its last step, repeated or not."""
        whole = frames("s03-shell")
        assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(whole, whole[:4])))


class TestOddNumbers:
    """Times and counts that no run has."""

    @pytest.mark.parametrize("position", [0, 1, -1])
    def test_a_time_beyond_reason(self, position: int) -> None:
        """It is absent, and so is what would be reckoned with it."""
        told = frames("s01-text")
        told[position] = having(told[position], timestamp=int("9" * 400))
        run = af.read(printed(told))
        assert (("success", "completed"), position == 1) == (
            ended(run), run.resources.wall_seconds is not None,
        )  # fmt: skip

    def test_counts_beyond_reason(self) -> None:
        """They are absent: sums and formats of thousands of digits would raise."""
        start, text, finish = frames("s01-text")
        huge = int("9" * 4300)
        odd = having(finish, part__tokens__total=huge, part__tokens__input=huge,
                     part__tokens__cache__read=huge)  # fmt: skip
        run = af.read(printed(start, text, odd))
        assert (None, None, None) == (
            run.usage.total_tokens, run.usage.cache_read_tokens, run.resources.tokens,
        )  # fmt: skip
        assert "total not known" in table(run)

    def test_the_time_of_a_call_beyond_reason(self) -> None:
        """A call's duration is reckoned with two times of this world."""
        call = having(frames("s03-shell")[2], part__state__time__end=int("9" * 400))
        end = next(s for s in signals(call) if isinstance(s, ToolEnd))
        assert (False, None, None) == (end.started_ms is None, end.ended_ms, end.duration_ms)

    def test_times_that_fall(self) -> None:
        """A run takes no negative time."""
        *before, finish = frames("s01-text")
        run = af.read(printed(before, having(finish, timestamp=before[0]["timestamp"] - 1)))
        assert None is run.resources.wall_seconds

    @pytest.mark.parametrize(("beyond", "wall"), [(0.0, 0.168), (0.5, None)])
    def test_times_with_a_fraction(self, beyond: float, wall: float | None) -> None:
        """They are opencode's frames all the same; the type is told, and no part is made up."""
        told = [having(one, timestamp=one["timestamp"] + beyond) for one in frames("s01-text")]
        run = af.read(printed(told))
        assert ("opencode", ("success", "completed"), wall) == (
            run.engine, ended(run), run.resources.wall_seconds,
        )  # fmt: skip
        assert {("type_changed", "timestamp")} == {(one.what, one.field) for one in run.drift}
