# SPDX-License-Identifier: Apache-2.0
"""The shapes of public bug reports (U, F, B cases) and the native contract, for opencode."""

from __future__ import annotations

import tracemalloc

import pytest

import agentframes as af
from agentframes.engines.opencode.texts import Texts
from agentframes.lazy import Lazy
from tests.captured import fixture, lines
from tests.captured import frames as decoded
from tests.engines.opencode import NEW, VERSIONS, ended, frames, raw, read
from tests.frames import CORPUS, Frame, having, printed, without

every_version = pytest.mark.parametrize("version", VERSIONS)


class TestUsage:
    """Tokens and money."""

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_u11_reasoning_in_every_version(self, version: str) -> None:
        """One answer: 28 output tokens, 5 of them reasoning, wherever the version prints these."""
        run = read("s06-reasoning", version)
        printed_output = decoded(raw(f"opencode/{version}/s06-reasoning"))[-1]["part"]["tokens"]
        assert (28 if version == "1.2.27" else 23, 5) == (
            printed_output["output"], printed_output["reasoning"],
        )  # fmt: skip
        # The first step has 11 and no reasoning.
        assert (39, 5, []) == (run.usage.output_tokens, run.usage.reasoning_tokens, run.caveats)

    def test_u11_without_a_total(self) -> None:
        """1.0.185 does not let us tell, and the caveat says so; without reasoning all is well."""
        run = read("s06-reasoning", "1.0.185")
        assert (39, 5, ["reasoning_placement_unknown"]) == (
            run.usage.output_tokens, run.usage.reasoning_tokens, run.caveats,
        )  # fmt: skip
        assert [] == read("s01-text", "1.0.185").caveats

    def test_u14_nothing_leaks_into_the_next_run(self) -> None:
        """Two runs in one stream have their own session, account, texts and outcome."""
        alone = [read(name) for name in ("s16-multistep", "s22-denied", "s09-http401")]
        names = ("s16-multistep", "s22-denied", "s09-http401")
        together = af.read_all(b"".join(raw(f"{NEW}/{name}") for name in names))
        assert 3 == len(together)
        for one, other in zip(alone, together, strict=True):
            for fact in ("session_id", "resources", "usage", "final_text", "tool_calls", "caveats"):
                assert getattr(one, fact) == getattr(other, fact)
            assert ended(one) == ended(other)

    @every_version
    def test_steps_are_added_and_the_contract_is_the_last_step(self, version: str) -> None:
        """Four steps: `usage` is their sum, `resources` what the last one says."""
        run = read("s16-multistep", version)
        usage = run.usage
        assert (16431, 4608, 0, 194, 18, 21233) == (
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens,
            usage.output_tokens, usage.reasoning_tokens, usage.total_tokens,
        )  # fmt: skip
        assert ("run", "excluded", ["step_finish.part.tokens"]) == (
            usage.scope, usage.subagents, usage.basis,
        )  # fmt: skip
        assert (None if version == "1.0.185" else 11743) == run.resources.tokens
        # The price follows the output that the version prints.
        step, total = {
            "1.0.185": (0.0291168, 0.0538554), "1.2.27": (0.0291168, 0.0538554),
        }.get(version, (0.0289218, 0.0535854))  # fmt: skip
        assert step == run.resources.cost_usd
        assert total == pytest.approx(usage.cost_usd)
        assert (4, 3) == (run.model_calls, run.tool_calls)

    @every_version
    def test_sub_agents_are_left_out(self, version: str) -> None:
        """Nothing of a sub-agent is printed: its model calls are unknown, its tokens left out."""
        run = read("s17-subagent", version)
        assert "subagents_excluded" in run.caveats
        assert (None, 1, "excluded") == (run.model_calls, run.tool_calls, run.usage.subagents)

    @every_version
    def test_a_resumed_run_counts_itself(self, version: str) -> None:
        """A resumed run has the session's id, and the account of its own steps."""
        first, second = read("s13a-first-resume", version), read("s13b-second-resume", version)
        assert first.session_id == second.session_id
        assert (1011, 2743) == (first.usage.total_tokens, second.usage.total_tokens)


class TestOutcome:
    """How a run ended, by the engine's own word."""

    def test_f8_wrong_types_are_read_and_told(self) -> None:
        """Numbers as strings: read, and told as drift."""
        start, text, finish = frames("s01-text")
        odd = having(finish, part__cost="0.5", part__tokens__input="1000")
        run = af.read(printed(start, text, odd))
        assert (0.5, 1011, ("success", "completed")) == (
            run.resources.cost_usd, run.usage.total_tokens, ended(run),
        )  # fmt: skip
        assert ["part.cost", "part.tokens.input"] == sorted(str(f.field) for f in run.drift)

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_f19_a_run_that_stops_in_the_middle(self, count: int) -> None:
        """A step begun and not finished: incomplete, whatever the exit status."""
        run = af.read(printed(frames("s03-shell")[:count]), exit_code=0)
        assert (("incomplete", "no_terminal_frame"), 0) == (ended(run), run.outcome.exit_code)

    def test_f19_after_a_step_that_called_tools(self) -> None:
        """`tool-calls` is no end, unless a refused permission made it one."""
        found = [ended(af.read(printed(frames("s03-shell")[:count]))) for count in (4, 5, 6, 7)]
        assert [("incomplete", "no_terminal_frame")] * 3 + [("success", "completed")] == found

    def test_f20_nothing_printed(self) -> None:
        """No ripgrep: zero bytes and exit status 0."""
        run = af.read(CORPUS / "opencode/1.0.185/s01-text--no-ripgrep")
        assert (("incomplete", "empty"), 0) == (ended(run), run.outcome.exit_code)
        assert (None, None, None) == (run.model_calls, run.tool_calls, run.usage.total_tokens)
        bare = af.read(b"", engine="opencode")
        assert ("incomplete", "empty", "nothing native to read") == (
            *ended(bare), bare.outcome.message,
        )  # fmt: skip

    @pytest.mark.parametrize("version", VERSIONS[1:])
    def test_a_refused_permission(self, version: str) -> None:
        """The run ends after the refused call; stderr has the words for people, escapes or not."""
        run = af.read(CORPUS / f"opencode/{version}/s22-denied")
        message = "! permission requested: edit (forbidden2.txt); auto-rejecting"
        assert (("incomplete", "permission"), message, None, 0) == (
            ended(run), run.outcome.message, run.outcome.line, run.outcome.exit_code,
        )  # fmt: skip
        alone = read("s22-denied", version).outcome
        assert "rejected" in (alone.message or "").lower()
        with pytest.raises(af.RunFailedError):
            run.require_success()

    def test_a_refusal_beside_other_calls(self) -> None:
        """Whichever call of the step was refused, it ended the run."""
        *before, start, denied, finish = frames("s22-denied")
        other = having(frames("s03-shell")[2], sessionID=start["sessionID"],
                       part__messageID=start["part"]["messageID"])  # fmt: skip
        assert ("incomplete", "permission") == ended(
            af.read(printed(before, start, denied, other, finish))
        )

    def test_a_refusal_that_the_run_survived(self) -> None:
        """A step after the refused one: the refusal does not say how the run ended."""
        session = frames("s22-denied")[0]["sessionID"]
        more = [having(frame, sessionID=session) for frame in frames("s01-text")]
        denied = frames("s22-denied")
        assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(denied, more[:2])))
        assert ("success", "completed") == ended(af.read(printed(denied, more)))

    def test_a_menu_on_stdout(self) -> None:
        """1.0.185 asks in a menu of its own, and waits: lines of text, and no end."""
        run = read("s22-denied", "1.0.185")
        assert (("incomplete", "no_terminal_frame"), 3, 6) == (
            ended(run), run.frames.known, run.frames.text_lines,
        )  # fmt: skip

    def test_a_step_after_the_end(self) -> None:
        """A step begun after `stop`: incomplete, and the end that follows it ends it."""
        whole = frames("s01-text")
        for more in (whole[:1], whole[:2]):
            assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(whole, more)))
        assert (("success", "completed"), 6) == (
            ended(af.read(printed(whole, whole))), af.read(printed(whole, whole)).outcome.line,
        )  # fmt: skip

    @pytest.mark.parametrize("version", ["1.2.27", "1.14.41"])
    def test_an_exit_status_of_0(self, version: str) -> None:
        """A refused key exits with 0 in these versions, and failed all the same."""
        run = af.read(CORPUS / f"opencode/{version}/s09-http401")
        assert (("failed", "auth"), "invalid api key", 0) == (
            ended(run), run.outcome.message, run.outcome.exit_code,
        )  # fmt: skip

    @pytest.mark.parametrize("version", VERSIONS)
    @pytest.mark.parametrize("name", ["s25-sigterm-streaming", "s26-sigterm-tool"])
    def test_a_killed_run(self, version: str, name: str) -> None:
        """A run that was killed has no end; where the signal met the launcher alone, it has one."""
        assert ("incomplete", "no_terminal_frame") == ended(read(name, version))
        if version in ("1.2.27", "1.14.41"):
            assert ("success", "completed") == ended(read(f"{name}--launcher", version))
            assert ("incomplete", "no_terminal_frame") == ended(read(f"{name}--native", version))

    @every_version
    def test_retries_and_empty_answers(self, version: str) -> None:
        """429 twice is no failure and prints nothing; an answer without a word is a success."""
        run = read("s10-http429", version)
        assert (("success", "completed"), "ok after retry", 3) == (
            ended(run), run.final_text, run.frames.total,
        )  # fmt: skip
        empty = read("s27-empty", version)
        assert (("success", "completed"), None, None) == (
            ended(empty), empty.final_text, empty.final_text_source,
        )  # fmt: skip

    def test_when_it_ended(self) -> None:
        """`not_before` is held against the last step's own time."""
        at = frames("s01-text")[-1]["timestamp"] / 1000
        run = af.read(CORPUS / f"{NEW}/s01-text")
        assert run is run.require_success(not_before=at)
        with pytest.raises(af.RunFailedError):
            run.require_success(not_before=at + 1)


class TestBytes:
    """Bytes and lines."""

    @pytest.mark.parametrize("name", ["s03-shell", "s23-maxtokens", "s22-denied", "s24-refusal"])
    def test_cut_anywhere_it_is_no_success(self, name: str) -> None:
        """Up to the last byte of the line of the last step, no cut makes a success."""
        printed_all = raw(f"{NEW}/{name}")
        whole = ended(af.read(printed_all))
        for cut in range(len(printed_all) - 1):
            run = af.read(printed_all[:cut], engine="opencode")
            assert "incomplete" == run.outcome.status
        assert whole == ended(af.read(printed_all[:-1]))

    def test_a_cut_line_after_the_end(self) -> None:
        """A line that was begun after the last step may be another step's."""
        run = af.read(raw(f"{NEW}/s01-text") + b'{"type":"step_st')
        assert ("incomplete", "cut_line") == ended(run)

    def test_b1_a_long_line(self) -> None:
        """An image of some megabytes in one line is read like any other."""
        call = frames("s20-image")[1]
        url = "data:image/png;base64," + "A" * 4_000_000
        big = having(call, part__state__attachments=[{"mime": "image/png", "url": url}])
        run = af.read(printed(frames("s20-image")[0], big, frames("s20-image")[2:]))
        assert (("success", "completed"), 3) == (ended(run), run.tool_calls)

    def test_b3_line_ends_do_not_matter(self) -> None:
        """A mark, carriage returns, blank lines and a missing end yield the same facts."""
        printed_all = raw(f"{NEW}/s03-shell")
        expected = af.read(printed_all).to_dict()
        for other in (
            b"\xef\xbb\xbf" + printed_all,
            printed_all.replace(b"\n", b"\r\n\n"),
            printed_all.rstrip(b"\n"),
        ):
            found = af.read(other).to_dict()
            found["outcome"]["line"] = expected["outcome"]["line"]
            assert expected == found

    def test_b4_b5_b6_other_output_between(self) -> None:
        """Escapes before a frame, text between, two frames on one line: each frame is found."""
        start, text, finish = raw(f"{NEW}/s01-text").splitlines()
        mixed = b"\n".join([b"\x1b[?25l" + start, b"INFO ready", text + finish])
        run = af.read(mixed)
        assert (("success", "completed"), "ok", 3, 1) == (
            ended(run), run.final_text, run.frames.known, run.frames.text_lines,
        )  # fmt: skip

    def test_u2028_stands_in_a_string(self) -> None:
        """A raw U+2028 ends no line."""
        run = read("s02-unicode")
        assert ("\u2028" in (run.final_text or ""), 0, 3) == (
            True, run.frames.malformed, run.frames.total,
        )  # fmt: skip

    def test_keys_in_any_order(self) -> None:
        """Frames are told by their type, wherever it stands."""
        turned: list[Frame] = [dict(reversed(frame.items())) for frame in frames("s16-multistep")]
        assert read("s16-multistep").to_dict() == af.read(printed(turned)).to_dict()


class TestNative:
    """The native contract beyond its fixture's values, which `test_native` holds."""

    def test_without_a_total(self) -> None:
        """Tokens are absent, never input + output; what an earlier step told does not stand in."""
        *before, last = frames("s16-multistep")
        tokens = without(last["part"]["tokens"], "total")
        found = af.parse_engine_resources(
            "opencode", printed(before, having(last, part__tokens=tokens))
        )
        assert af.NativeResources(cost_usd=0.0289218, wall_seconds=0.975) == found

    def test_without_a_step_finish(self) -> None:
        """Frames were read and told no figure."""
        found = af.parse_engine_resources("opencode", printed(frames("s01-text")[:2]))
        assert af.NativeResources() == found

    def test_a_cost_of_0_is_a_value(self) -> None:
        """Zero dollars are what the engine says."""
        found = af.parse_engine_resources("opencode", fixture("opencode"))
        assert found is not None
        assert 0 == found.cost_usd

    def test_all_texts_against_the_last_step(self) -> None:
        """The contract joins all texts; the facts answer with the last step's."""
        printed_all = raw(f"{NEW}/s03-shell")
        assert "I will run it.\nThe command printed hello." == af.parse_engine_final_text(
            "opencode", printed_all
        )
        run = af.read(printed_all)
        assert ("The command printed hello.", "last_step") == (
            run.final_text, run.final_text_source,
        )  # fmt: skip

    def test_several_texts_of_one_step(self) -> None:
        """They are one answer, joined by newlines."""
        start, text, finish = frames("s01-text")
        said = [having(text, part__text=words) for words in ("one", "two")]
        run = af.read(printed(start, *said, finish))
        assert ("one\ntwo", "last_step") == (run.final_text, run.final_text_source)

    def test_reasoning_is_never_the_answer(self) -> None:
        """Reasoning is no text, neither to the contract nor to the facts."""
        printed_all = raw(f"{NEW}/s06-reasoning--thinking")
        assert "Done: hello." == af.parse_engine_final_text("opencode", printed_all)
        assert "Done: hello." == af.read(printed_all).final_text

    def test_a_summary_spread_over_texts(self) -> None:
        """A fenced block may begin in one text and end in another."""
        start, text, finish = frames("s01-text")
        pieces = ["Here it is:", "```json", '{"ok": [1,', "2]}", "```"]
        said = [having(text, part__text=piece) for piece in pieces]
        found = af.extract_summary(lines(start, *said, finish))
        assert ("valid", {"ok": [1, 2]}) == (found.status, found.value)

    def test_an_error_has_no_text(self) -> None:
        """The words of a failure are no answer; the session is told all the same."""
        printed_all = raw(f"{NEW}/s08-http500")
        assert None is af.parse_engine_final_text("opencode", printed_all)
        assert "ses_dd226904dffeMHfNesimPL4G09" == af.parse_session_id(printed_all)


def test_many_texts_take_little_memory() -> None:
    """Texts are joined as they come."""
    texts = Texts()
    tracemalloc.start()
    for _ in range(50_000):
        texts.add("msg_1", Lazy(b'"abcd"'), keep_all=True)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
    assert texts.native() == texts.answer() == Lazy.of("\n".join(["abcd"] * 50_000))
