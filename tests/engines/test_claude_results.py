# SPDX-License-Identifier: Apache-2.0
"""How Claude Code's calls and runs end."""

from __future__ import annotations

from typing import Any

import pytest

from agentframes.signals import (
    Buckets,
    End,
    Native,
    Permission,
    ToolCall,
    ToolEnd,
    Truncated,
    Turn,
    Usage,
)
from tests.engines.support import drive, drive_frames, every, only, told
from tests.frames import capture, having

OLD, MIDDLE, NEW = "claude/1.0.128", "claude/2.1.220", "claude/2.1.332"
INIT = {"type": "system", "subtype": "init", "session_id": "s1"}
ENDED = ("status", "exit_code", "output", "error")


def ended(*results: dict[str, Any]) -> list[ToolEnd]:
    """Read user frames, and return the ends of calls."""
    sink = drive_frames("claude", INIT, *results)
    return [signal for signal in sink.signals if isinstance(signal, ToolEnd)]


class TestToolEnds:
    """Status, exit code, output and files."""

    @pytest.mark.parametrize("version", [MIDDLE, NEW])
    def test_a_failed_command_tells_its_exit_code(self, version: str) -> None:
        """Since 2.0 the code stands before the output of a failed command; success has none."""
        words = "Exit code 3\nout\nbad"
        assert [
            ("ok", None, "one", None),
            ("failed", 3, words, words),
            ("ok", None, "three", None),
        ] == every(f"{version}/s04-parallel", ToolEnd, *ENDED)

    def test_1_0_128_tells_no_exit_code(self) -> None:
        """The oldest version prints the output of a failed command and no code."""
        found = every(f"{OLD}/s04-parallel", ToolEnd, *ENDED)
        assert ("failed", None, "bad\n\nout", "bad\n\nout") == found[1]

    def test_mcp_results(self) -> None:
        """A tool's failure has its words; a structured result stands beside the text."""
        names = ("status", "output", "error", "structured")
        assert [
            ("ok", "5", None, None),
            ("failed", "this tool always fails", "this tool always fails", None),
            ("ok", '{"n":42}', None, {"n": 42}),
        ] == every(f"{MIDDLE}/s12-mcp", ToolEnd, *names)

    def test_refused_calls_are_denied(self) -> None:
        """The result's mark tells a refusal, whatever the words."""
        assert ["denied", "denied"] == [end.status for end in only(f"{MIDDLE}/s22-denied", ToolEnd)]
        assert ["denied", "denied"] == [end.status for end in only(f"{NEW}/s22-denied", ToolEnd)]

    def test_a_refusal_is_known_by_its_words_too(self) -> None:
        """Versions before the mark had the same words."""
        refused = having(capture(f"{MIDDLE}/s22-denied")[4], tool_result_meta=None)
        assert ["denied"] == [end.status for end in ended(refused)]

    def test_a_stopped_run_cancels_its_open_call(self) -> None:
        """SIGTERM on 2.1.220 marks the open call as rejected, though nobody refused it."""
        assert [("cancelled", None)] == every(
            f"{MIDDLE}/s26-sigterm-tool", ToolEnd, "status", "exit_code"
        )
        assert [] == only(f"{MIDDLE}/s26-sigterm-tool", Permission)
        assert [("failed", 137)] == every(f"{NEW}/s26-sigterm-tool", ToolEnd, "status", "exit_code")

    def test_a_call_that_was_no_good_is_invalid(self) -> None:
        """A call of no tool, or with a wrong input, never ran; an edit that failed did."""
        frame = capture(f"{MIDDLE}/s22-denied")[4]
        frame["tool_result_meta"] = None
        said = (
            "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
            "<tool_use_error>Error: No such tool available: nope</tool_use_error>",
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
        )
        results = [having(frame, message__content__0__content=words) for words in said]
        assert ["invalid", "invalid", "failed"] == [end.status for end in ended(*results)]

    def test_output_without_text_is_none(self) -> None:
        """A result of an image alone has no output, one with text has that."""
        assert [None, "one red pixel"] == [
            end.output and end.output.text() for end in only(f"{MIDDLE}/s20-image", ToolEnd)[:2]
        ]

    def test_output_that_was_saved_is_truncated(self) -> None:
        """Long output is kept in a file, as the typings have it; no capture shows it."""
        frame = having(
            capture(f"{NEW}/s03-shell")[3],
            tool_use_result={"persistedOutputPath": "/out.txt", "persistedOutputSize": 99},
        )
        sink = drive_frames("claude", INIT, frame)
        (end,) = (signal for signal in sink.signals if isinstance(signal, ToolEnd))
        assert (True, 99, "/out.txt") == told(end, "truncated", "full_bytes", "saved_to")
        assert [("tool_output", end.call_id, 99)] == [
            told(s, "what", "call_id", "before") for s in sink.signals if isinstance(s, Truncated)
        ]

    def test_the_end_bears_the_frames_time(self) -> None:
        """A result comes with its time where the version prints it."""
        (end,) = only(f"{NEW}/s26-sigterm-tool", ToolEnd)
        assert (1796131983670, 1796131983670, None) == told(
            end, "time_ms", "ended_ms", "started_ms"
        )

    def test_a_schemas_answer_is_a_call(self) -> None:
        """Structured output is asked for as a tool, and the result frame repeats it."""
        assert [("StructuredOutput", "output")] == every(
            f"{NEW}/s18-schema", ToolCall, "name", "family"
        )
        assert [({"answer": "ok", "n": 3},)] == every(f"{NEW}/s18-schema", End, "structured")


class TestRunEnds:
    """The terminal frame."""

    @pytest.mark.parametrize(
        ("name", "status", "reason"),
        [
            (f"{NEW}/s03-shell", "success", "completed"),
            (f"{NEW}/s22-denied", "success", "completed"),
            (f"{NEW}/s27-empty", "success", "completed"),
            (f"{OLD}/s08-http500", "failed", "api_error"),
            (f"{NEW}/s08-http500", "failed", "api_error"),
            (f"{NEW}/s09-http401", "failed", "auth"),
            (f"{NEW}/s10-http429", "success", "completed"),
            (f"{MIDDLE}/s21-maxturns", "failed", "max_turns"),
            ("claude/2.0.77/s24-refusal", "failed", "refusal"),  # told by the text alone
            (f"{MIDDLE}/s24-refusal", "failed", "refusal"),
            (f"{NEW}/s24-refusal", "success", "completed"),
            (f"{MIDDLE}/s25-sigterm-streaming", "failed", "interrupted"),
            (f"{MIDDLE}/s26-sigterm-tool", "failed", "interrupted"),
        ],
    )
    def test_outcomes(self, name: str, status: str, reason: str) -> None:
        """The result frame tells how it went, and the turn ends as the run does."""
        (end,) = only(name, End)
        assert (status, reason) == told(end, "status", "reason")
        (turn,) = only(name, Turn)
        assert ("end" if status == "success" else "failed") == turn.phase
        assert end.kind == turn.kind

    def test_a_killed_run_may_tell_no_end(self) -> None:
        """On 2.1.332 SIGTERM leaves no terminal frame."""
        assert [] == only(f"{NEW}/s26-sigterm-tool", End)

    def test_numbers_of_the_run(self) -> None:
        """Turns, times and denials are the frame's own."""
        names = ("turns", "wall_ms", "api_ms", "denials", "kind")
        assert [(3, 553.0, 304.0, 2, "result/success")] == every(f"{NEW}/s22-denied", End, *names)

    def test_the_end_bears_the_last_time_that_was_told(self) -> None:
        """The terminal frame has no time of its own."""
        (end,) = only(f"{NEW}/s22-denied", End)
        (last,) = only(f"{NEW}/s22-denied", ToolEnd)[-1:]
        assert end.last_ms is not None
        assert last.time_ms is not None
        assert end.last_ms > last.time_ms

    def test_errors_are_told_in_their_words(self) -> None:
        """An error has its text in the result, or in a list of errors."""
        (end,) = only(f"{MIDDLE}/s21-maxturns", End)
        assert "Reached maximum number of turns (2)" == end.message
        (end,) = only(f"{MIDDLE}/s09-http401", End)
        assert "Failed to authenticate. API Error: 401 invalid api key" == end.message

    def test_each_turn_of_a_process_has_its_account(self) -> None:
        """Totals run over the process, and 2.1.332 tells each turn's share beside them."""
        names = ("account", "scope", "buckets", "of_total")
        first = Buckets(input=1000, cache_read=0, cache_write=301, output=11, reasoning=0)
        second = Buckets(input=6612, cache_read=1792, cache_write=78, output=75, reasoning=0)
        both = Buckets(input=7612, cache_read=1792, cache_write=379, output=86, reasoning=0)
        assert [
            ("running", "session", first, False),
            ("step", "run", first, True),
            ("running", "session", both, False),
            ("step", "run", second, True),
        ] == every(f"{NEW}/s30-two-turns", Usage, *names)

    def test_the_native_contract_is_verbatim(self) -> None:
        """Tokens are those of `usage`, seconds those of `duration_ms`."""
        names = ("tokens", "cost_usd", "wall_seconds", "final_text", "final_text_source")
        assert [(2231 + 1011, 0.0153844, 1.39, "I can help with something else.", "result")] == (
            every(f"{NEW}/s24-refusal", Native, *names)
        )

    def test_an_envelope_alone_tells_no_calls(self) -> None:
        """`--output-format json` prints the result only: what was called is not known."""
        interpreter = drive(f"{NEW}/s03-shell--json").interpreter
        assert "json" == interpreter.transport
        assert (False, False) == (interpreter.tells_tool_calls, interpreter.tells_model_calls)
        array = drive(f"{NEW}/s03-shell--json-verbose").interpreter
        assert ("json-array", True) == (array.transport, array.tells_tool_calls)

    def test_an_envelope_tells_denials(self) -> None:
        """Refused calls stand in the envelope too."""
        assert [("denied", "Bash"), ("denied", "Write")] == every(
            f"{MIDDLE}/s22-denied--json", Permission, "phase", "tool"
        )
