# SPDX-License-Identifier: Apache-2.0
"""The native-output contract: its values on the named fixtures, and each of its rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentframes as af
from tests.captured import FIXTURES, base, capture, claude, codex, fixture, frames, lines

READ = ("claude", "codex", "copilot", "opencode")
NO_READER = ("omp", "", "Claude", "claude ", "../claude")

RESOURCES = {
    "claude": af.NativeResources(tokens=157, cost_usd=0.008567100000000001, wall_seconds=2.907),
    "codex": af.NativeResources(tokens=19661),
    "opencode": af.NativeResources(tokens=28887, cost_usd=0, wall_seconds=0.717),
    "copilot": af.NativeResources(wall_seconds=79.965),
}
SESSIONS = {
    "claude": "b16a3c25-918e-4b9f-a7b0-a38b2aa485df",
    "codex": "01a12b0c-dc30-73a1-92d0-962cef0acd45",
    "copilot": "19155765-1b22-4d6e-82b3-3276bff805d8",
    "opencode": "ses_ed4eaccdbffef47D85FxXY0hU3",
}
ANSWERS = {"claude": '{"ok":true}', "codex": "ok", "copilot": "ok", "opencode": "ok"}

# Other engines' records of a session, each a line of a real capture.
OTHERS = {
    "gemini": base("gemini-0.61.0-s01-text").split(b"\n")[0],
    "opencode": fixture("opencode").split(b"\n")[0],
    "copilot": fixture("copilot").split(b"\n")[-2],
}

ABSENT: list[str | bytes | None] = [None, "", b"", "   ", b" \r\n\t\n", "\ufeff", b"\xef\xbb\xbf"]
MALFORMED: list[str | bytes | None] = [
    "{", "[", "}", "null", "[]", "{}", "[[]]", '"ok"', "17", '{"type":', '{"type":null}',
    '{"type":"result"}', '{"type":"item.completed","item":null}', '{"type":["result"]}',
    b"\xff\xfe\xff", b"\x00" * 40, b"\x1b[31mok\x1b[0m", "[" * 5000, '{"a":' * 5000, "\ud800",
    "ok\n", "Error: not logged in\n", "# done\n\nAll tests pass.\n",
]  # fmt: skip


def asked(engine: str, printed: str | bytes | None) -> tuple[object, object, object]:
    """Ask the three functions that are told the engine."""
    return (
        af.parse_engine_resources(engine, printed),
        af.parse_engine_final_text(engine, printed),
        af.parse_engine_session_id(engine, printed),
    )


NOTHING = (None, None, None)


class TestFixtures:
    """The values that the contract names."""

    @pytest.mark.parametrize("engine", READ)
    def test_functions(self, engine: str) -> None:
        """Each function yields the contract's value on its engine's fixture."""
        printed = fixture(engine)
        assert RESOURCES[engine] == af.parse_engine_resources(engine, printed)
        assert ANSWERS[engine] == af.parse_engine_final_text(engine, printed)
        assert SESSIONS[engine] == af.parse_engine_session_id(engine, printed)
        assert SESSIONS[engine] == af.parse_session_id(printed)
        assert ANSWERS[engine] == af.extract_engine_response_text(printed, engine)

    @pytest.mark.parametrize("engine", READ)
    def test_read(self, engine: str) -> None:
        """`read` tells the same values among its facts."""
        facts = af.read(FIXTURES[engine])
        assert engine == facts.engine
        assert RESOURCES[engine] == facts.resources
        assert SESSIONS[engine] == facts.session_id
        assert ANSWERS[engine] == facts.final_text
        assert ("success", "completed") == (facts.outcome.status, facts.outcome.reason)
        assert (0, 0, 0) == (facts.frames.unknown, facts.frames.malformed, facts.frames.text_lines)


class TestResources:
    """Tokens, dollars and seconds by the engine's own fields."""

    @pytest.mark.parametrize("field", ["cache_creation_input_tokens", "cache_read_input_tokens"])
    def test_claude_cache_is_never_added(self, field: str) -> None:
        """However many tokens came from the cache, they are no part of the sum."""
        usage = frames(fixture("claude"))[0]["usage"]
        found = af.parse_engine_resources("claude", claude(usage=usage | {field: 1_000_000}))
        assert RESOURCES["claude"] == found

    def test_codex_cache_is_inside(self) -> None:
        """Cached and reasoning tokens are part of what codex counts, so nothing is added."""
        *before, last = frames(fixture("codex"))
        more = {"cached_input_tokens": 19000, "reasoning_output_tokens": 20}
        printed = lines(*before, last | {"usage": last["usage"] | more})
        assert af.NativeResources(tokens=19661) == af.parse_engine_resources("codex", printed)

    def test_model_usage_is_not_asked(self) -> None:
        """Claude's `modelUsage` counts helper calls too: the contract takes `usage` alone."""
        assert RESOURCES["claude"] == af.parse_engine_resources("claude", claude(modelUsage={}))

    @pytest.mark.parametrize(
        ("left_out", "expected"),
        [
            ("usage", af.NativeResources(cost_usd=0.008567100000000001, wall_seconds=2.907)),
            ("total_cost_usd", af.NativeResources(tokens=157, wall_seconds=2.907)),
            ("duration_ms", af.NativeResources(tokens=157, cost_usd=0.008567100000000001)),
        ],
    )
    def test_absent_is_none(self, left_out: str, expected: af.NativeResources) -> None:
        """A figure that is not reported is not made up, and the others are kept."""
        assert expected == af.parse_engine_resources("claude", claude(**{left_out: None}))

    def test_half_a_sum_is_none(self) -> None:
        """Input tokens without output tokens are no sum."""
        found = af.parse_engine_resources("claude", claude(usage={"input_tokens": 10}))
        assert found is not None
        assert None is found.tokens

    def test_zero_is_a_value(self) -> None:
        """A run that failed before any model answered cost nothing, by the engine's own word."""
        found = af.parse_engine_resources("claude", capture("claude/2.1.220/s09-http401--json"))
        assert af.NativeResources(tokens=0, cost_usd=0.0, wall_seconds=187.938) == found

    def test_frames_without_figures(self) -> None:
        """Frames were read but told no figure: that is not the same as no frames."""
        found = af.parse_engine_resources("codex", capture("codex/0.171.0/s08-http500"))
        assert af.NativeResources() == found

    def test_last_of_several_results(self) -> None:
        """One process with two turns prints two results: the last one counts."""
        printed = capture("claude/2.1.220/s30-two-turns")
        expected = af.NativeResources(tokens=6687, cost_usd=0.04347475, wall_seconds=0.083)
        assert expected == af.parse_engine_resources("claude", printed)
        assert "second answer" == af.parse_engine_final_text("claude", printed)

    @pytest.mark.parametrize("engine", READ)
    def test_last_of_several_runs(self, engine: str) -> None:
        """Output of two runs in one file: the last run counts, its session too."""
        first = {
            "claude": "claude/2.1.220/s01-text--json",
            "codex": "codex/0.171.0/s06-reasoning",
            "opencode": "opencode/1.18.33/s16-multistep",
            "copilot": "copilot/1.0.83/s06-reasoning",
        }[engine]
        printed = capture(first) + fixture(engine)
        assert (RESOURCES[engine], ANSWERS[engine], SESSIONS[engine]) == asked(engine, printed)


class TestFinalText:
    """The engine's final answer by its own rule."""

    def test_claude_result_is_text(self) -> None:
        """A result that happens to be JSON comes as the text it is, spaces and all."""
        text = ' {"ok": true}\n'
        assert text == af.parse_engine_final_text("claude", claude(result=text))

    def test_claude_error_envelope(self) -> None:
        """The words of a failure are text too: who wants an answer looks at the outcome first."""
        printed = capture("claude/2.1.220/s09-http401--json")
        words = "Failed to authenticate. API Error: 401 invalid api key"
        assert words == af.parse_engine_final_text("claude", printed)
        assert words == af.extract_engine_response_text(printed, "claude")
        assert "failed" == af.read(printed).outcome.status

    def test_claude_last_of_several_without_result(self) -> None:
        """A second turn that failed without a word does not answer with the first turn's words."""
        *before, second = frames(capture("claude/2.1.220/s30-two-turns"))
        failed = frames(capture("claude/2.1.220/s21-maxturns"))[-1]
        printed = lines(*before, failed | {"session_id": second["session_id"]})
        assert "failed" == af.read(printed).outcome.status
        assert None is af.parse_engine_final_text("claude", printed)

    def test_claude_without_result(self) -> None:
        """The envelope of a run that met its turn limit has no `result`."""
        printed = capture("claude/2.1.220/s21-maxturns--json")
        assert None is af.parse_engine_final_text("claude", printed)
        assert printed is af.extract_engine_response_text(printed, "claude")

    def test_never_empty(self) -> None:
        """An empty answer is none, so that `or raw` does what it says."""
        printed = claude(result="")
        assert None is af.parse_engine_final_text("claude", printed)
        assert printed is af.extract_engine_response_text(printed, "claude")
        assert None is af.parse_engine_final_text("codex", codex(""))
        assert None is af.parse_engine_final_text("codex", capture("codex/0.171.0/s27-empty"))

    def test_codex_last_message(self) -> None:
        """Of several agent messages the last one is the answer."""
        printed = capture("codex/0.171.0/s16-multistep")
        told = [
            frame["item"]["text"]
            for frame in frames(printed)
            if frame.get("item", {}).get("type") == "agent_message"
        ]
        assert 4 == len(told)
        assert told[-1] == af.parse_engine_final_text("codex", printed)

    def test_codex_message_before_other_items(self) -> None:
        """Error and reasoning items after the answer do not take its place."""
        started, error, turn, reasoning, answer, completed = frames(fixture("codex"))
        printed = lines(started, turn, answer, error, reasoning, completed)
        assert "ok" == af.parse_engine_final_text("codex", printed)

    def test_codex_reasoning_is_never_the_answer(self) -> None:
        """Without an agent message there is no answer, whatever the reasoning echoes."""
        printed = codex()
        assert '\\"ok\\":true' in printed
        assert None is af.parse_engine_final_text("codex", printed)
        assert None is af.read(printed).final_text
        assert printed is af.extract_engine_response_text(printed, "codex")

    def test_codex_null_text(self) -> None:
        """A message whose text is null has none."""
        answer = frames(fixture("codex"))[4]
        printed = codex() + lines(answer | {"item": answer["item"] | {"text": None}})
        assert None is af.parse_engine_final_text("codex", printed)

    def test_codex_started_message_is_no_answer(self) -> None:
        """Only a completed item counts."""
        answer = frames(fixture("codex"))[4]
        printed = codex() + lines(answer | {"type": "item.started"})
        assert None is af.parse_engine_final_text("codex", printed)


class TestSessionId:
    """Whose session it was."""

    @pytest.mark.parametrize(
        ("engine", "other"),
        [(engine, other) for engine in READ for other in OTHERS if engine != other],
    )
    def test_no_look_alike(self, engine: str, other: str) -> None:
        """Another engine's session record in the same text is not taken, before or after."""
        for printed in (
            OTHERS[other] + b"\n" + fixture(engine),
            fixture(engine) + OTHERS[other] + b"\n",
        ):
            assert SESSIONS[engine] == af.parse_engine_session_id(engine, printed)
            assert ANSWERS[engine] == af.parse_engine_final_text(engine, printed)
            assert RESOURCES[engine] == af.parse_engine_resources(engine, printed)

    @pytest.mark.parametrize("first", READ)
    def test_two_engines_in_one_text(self, first: str) -> None:
        """Each engine finds its own record; without an engine the first in the stream counts."""
        second = "codex" if first == "claude" else "claude"
        printed = fixture(first) + fixture(second)
        assert SESSIONS[first] == af.parse_engine_session_id(first, printed)
        assert SESSIONS[second] == af.parse_engine_session_id(second, printed)
        assert SESSIONS[first] == af.parse_session_id(printed)

    @pytest.mark.parametrize("other", OTHERS)
    def test_look_alike_alone(self, other: str) -> None:
        """A look-alike alone is nobody's but its own engine's."""
        record = OTHERS[other]
        for engine in READ:
            own = SESSIONS[engine] if engine == other else None
            assert own == af.parse_engine_session_id(engine, record)

    def test_look_alike_of_a_legacy_line(self) -> None:
        """Only a whole legacy line of codex is its record, not any frame with a `msg`."""
        record = '{"type":"log","msg":{"type":"note","session_id":"x"}}'
        assert None is af.parse_session_id(record)

    def test_killed_run(self) -> None:
        """A run that was killed has told its session in its first frame."""
        first = capture("claude/2.1.220/s03-shell").split(b"\n")[0]
        assert frames(first)[0]["session_id"] == af.parse_engine_session_id("claude", first)


class TestNothingNative:
    """What a reader does not find it says so."""

    @pytest.mark.parametrize("printed", ABSENT + MALFORMED, ids=lambda raw: repr(raw)[:20])
    @pytest.mark.parametrize("engine", READ)
    def test_absent_or_malformed(self, engine: str, printed: str | bytes | None) -> None:
        """Output that is absent or no frame yields None, never an exception."""
        assert NOTHING == asked(engine, printed)
        assert None is af.parse_session_id(printed)

    @pytest.mark.parametrize("printed", [None, "", b"", "not JSON", b"\xff"])
    def test_raw_is_given_back(self, printed: str | bytes | None) -> None:
        """The caller's own text comes back as the very object it was."""
        for engine in (*READ, *NO_READER):
            assert printed is af.extract_engine_response_text(printed, engine)

    @pytest.mark.parametrize("engine", NO_READER)
    def test_unknown_engine(self, engine: str) -> None:
        """An engine without a reader is no error, and nobody else's reader steps in."""
        for printed in (*map(fixture, FIXTURES), "", None):
            assert NOTHING == asked(engine, printed)

    @pytest.mark.parametrize("engine", READ)
    def test_other_engines_output(self, engine: str) -> None:
        """The output of any other engine holds nothing of this one."""
        others = [fixture(other) for other in FIXTURES if other != engine]
        others.append(base("gemini-0.61.0-s01-text"))
        if engine != "opencode":
            # opencode's `error` line has the type of codex's, and no more than that.
            others.append(base("opencode-1.18.33-s08-http500"))
        assert [NOTHING] * len(others) == [asked(engine, printed) for printed in others]

    def test_session_file_is_none(self) -> None:
        """A session file is no output; here, unlike at `read`, that is no exception either."""
        record = '{"type":"user","sessionId":"s","parentUuid":null,"message":{"content":"ok"}}'
        assert NOTHING == asked("claude", record)
        assert NOTHING == asked("", record)
        assert None is af.parse_session_id(record)

    @pytest.mark.parametrize("engine", READ)
    def test_retyped_and_cut(self, engine: str) -> None:
        """A line with a field of another type that breaks off is damage like any other."""
        assert NOTHING == asked(engine, b'{"type":1')

    @given(cut=st.integers(0, 1200), tail=st.binary(max_size=40))
    def test_damage_never_raises(self, cut: int, tail: bytes) -> None:
        """However a fixture is cut and whatever follows, there is an answer or None, never ''."""
        for engine in READ:
            printed = fixture(engine)[:cut] + tail
            resources, text, session_id = asked(engine, printed)
            assert resources is None or isinstance(resources, af.NativeResources)
            assert text in {None, ANSWERS[engine]}
            assert session_id in {None, SESSIONS[engine]}
            assert af.parse_session_id(printed) in {None, SESSIONS[engine]}


@pytest.mark.parametrize("engine", READ)
class TestForms:
    """The same output in other clothes."""

    @staticmethod
    def same(engine: str, printed: str | bytes) -> None:
        """Hold the contract's values against output."""
        assert (RESOURCES[engine], ANSWERS[engine], SESSIONS[engine]) == asked(engine, printed)
        assert SESSIONS[engine] == af.parse_session_id(printed)

    def test_text_and_bytes(self, engine: str) -> None:
        """Text yields what its bytes yield."""
        self.same(engine, fixture(engine).decode())

    def test_byte_order_mark(self, engine: str) -> None:
        """A byte order mark does not matter, nor does what PowerShell writes on `>`."""
        text = fixture(engine).decode()
        self.same(engine, "\ufeff" + text)
        self.same(engine, text.encode("utf-8-sig"))
        self.same(engine, text.encode("utf-16"))

    def test_line_ends(self, engine: str) -> None:
        """Carriage returns, blank lines and a missing last line end do not matter."""
        printed = fixture(engine)
        self.same(engine, printed.replace(b"\n", b"\r\n"))
        self.same(engine, printed.replace(b"\n", b"\n\n"))
        self.same(engine, printed.rstrip(b"\n"))

    def test_text_around(self, engine: str) -> None:
        """Lines that are no frame do not matter, before, between or after."""
        printed = fixture(engine)
        noisy = b"npm warn deprecated\n" + printed.replace(b"\n", b"\n\x1b[2Kworking {ok}\n")
        self.same(engine, noisy + b"[INFO] done\n")

    def test_other_json_around(self, engine: str) -> None:
        """JSON that is no frame does not matter, even where it has the fields of one."""
        log = b'{"level":"info","session_id":"x","usage":{"input_tokens":1},"result":"no"}\n'
        self.same(engine, log + fixture(engine) + log)
