# SPDX-License-Identifier: Apache-2.0
"""Usage and cost: the shapes of public bug reports (U cases), with their right values."""

from __future__ import annotations

import agentframes as af
from tests.frames import capture, having, printed, without

CLAUDE = "claude/2.1.332/s03-shell"
MULTI = "claude/2.1.220/s30-two-turns"


def buckets(run: af.RunFacts) -> tuple[int | None, ...]:
    """Return uncached input, cache read, cache write, output and total."""
    usage = run.usage
    return (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.total_tokens,
    )


def test_u1_one_message_of_several_frames_counts_once() -> None:
    """Frames of one message repeat its usage; without a result each message is counted once."""
    init, text, call, result_of_call, *_ = capture(CLAUDE)
    assert text["message"]["id"] == call["message"]["id"]
    run = af.read(printed(init, text, call, result_of_call))
    assert (1000, 0, 301, None, None) == buckets(run)
    assert 1 == run.model_calls


def test_u2_the_last_word_on_a_message_counts() -> None:
    """The same message again with a larger output count replaces the earlier one (1.0.128)."""
    init, text, call, *_ = capture("claude/1.0.128/s03-shell")
    grown = having(call, message__usage__output_tokens=25)
    run = af.read(printed(init, text, grown), cli_version="1.0.128")
    assert (1000, 0, 301, 25, 1326) == buckets(run)


def test_u3_a_missing_request_id_makes_no_second_message() -> None:
    """Gateways leave the request id out; the message id alone tells messages apart."""
    init, text, call, *_ = capture("claude/2.1.220/s03-shell")
    run = af.read(printed(init, without(text, "request_id"), without(call, "request_id")))
    assert (1000, 0, 301, None, None) == buckets(run)


def test_u4_of_several_results_the_last_total_counts() -> None:
    """`total_cost_usd` and `modelUsage` grow over the results of a process: never their sum."""
    run = af.read(printed(capture(MULTI)))
    results = [frame for frame in capture(MULTI) if frame["type"] == "result"]
    assert 2 == len(results)
    (total,) = results[1]["modelUsage"].values()
    assert (total["inputTokens"], total["outputTokens"]) == (
        run.usage.input_tokens,
        run.usage.output_tokens,
    )
    assert results[1]["total_cost_usd"] == run.usage.cost_usd == run.resources.cost_usd
    assert (1, ["result.modelUsage"]) == (run.runs, run.usage.basis)


def test_u4_increments_are_added() -> None:
    """Where every result tells what it adds (2.1.332), the increments are added."""
    frames = capture("claude/2.1.332/s30-two-turns")
    added = [
        frame["model_usage_since_last_result"] for frame in frames if frame["type"] == "result"
    ]
    costs = [use["costUSD"] for table in added for use in table.values()]
    run = af.read(printed(frames))
    assert (2, sum(costs)) == (len(added), run.usage.cost_usd)
    assert ["result.model_usage_since_last_result"] == run.usage.basis


def test_u5_sub_agents_are_in_the_account_where_the_engine_counts_them() -> None:
    """`modelUsage` includes the sub-agent, the native tokens do not."""
    run = af.read(printed(capture("claude/2.1.332/s17-subagent")))
    assert (4504, 576, 442, 85, 5607) == buckets(run)
    assert ("included", 3242) == (run.usage.subagents, run.resources.tokens)


def test_u5_frames_of_sub_agents_do_not_stand_for_the_main_agent() -> None:
    """Without a result, the account by messages is the main agent's and says so."""
    frames = capture("claude/2.1.332/s17-subagent")[:-1]
    run = af.read(printed(frames))
    assert (3203, 512, 338, None, None) == buckets(run)
    assert ["output_not_final", "subagents_excluded"] == run.caveats


def test_u7_cached_tokens_are_inside_codex_input() -> None:
    """3715 with 512 cached are 3203 uncached and 512 read, never 4227."""
    run = af.read(printed(capture("codex/0.45.0/s03-shell")))
    assert (3203, 512, None, 39, 3754) == buckets(run)
    assert (3754, ["cache_in_input"]) == (run.resources.tokens, run.caveats)


def test_u8_written_and_reasoning_tokens_have_buckets_of_their_own() -> None:
    """Cache writes are inside codex's input, reasoning inside its output."""
    *frames, end = capture("codex/0.171.0/s06-reasoning")
    told = having(end, usage__cache_write_input_tokens=100)
    run = af.read(printed(frames, told))
    assert (3103, 512, 100, 39, 3754) == buckets(run)
    assert 5 == run.usage.reasoning_tokens


def test_u9_an_interrupted_turn_has_no_usage() -> None:
    """`turn.started`, then nothing: incomplete, and no figure is made up."""
    run = af.read(printed(capture("codex/0.171.0/s01-text")[:2]))
    assert ("incomplete", "no_terminal_frame") == (run.outcome.status, run.outcome.reason)
    assert (None,) * 5 == buckets(run)
    assert (None, None, []) == (run.resources.tokens, run.usage.scope, run.usage.basis)


def test_u13_a_subscription_pays_no_list_price() -> None:
    """With `apiKeySource` none the number is kept and labelled."""
    init, *frames = capture("claude/2.1.220/s03-shell")
    run = af.read(printed(having(init, apiKeySource="none"), frames))
    assert (0.0193585, ["cost_is_list_price"]) == (run.usage.cost_usd, run.caveats)
    assert [] == af.read(printed(init, frames)).caveats


def test_u14_nothing_of_one_run_leaks_into_the_next() -> None:
    """Two runs in one stream read as each of them alone, but for lines and the count."""
    one, two = capture("claude/2.1.332/s17-subagent"), capture("claude/2.1.332/s22-denied")
    alone = [af.read(printed(frames)) for frames in (one, two)]
    together = af.read_all(printed(one, two))
    assert [2, 2] == [run.runs for run in together]
    for single, run in zip(alone, together, strict=True):
        told, expected = run.to_dict(), single.to_dict()
        line = expected["outcome"]["line"] + (len(one) if run is together[1] else 0)
        assert line == told["outcome"]["line"]
        for facts in (told, expected):
            del facts["outcome"]["line"], facts["runs"]
        assert expected == told


def test_a_session_is_not_the_run() -> None:
    """A resumed run of 2.1.332 reports the session's cost; the account is this run's."""
    run = af.read(printed(capture("claude/2.1.332/s13b-second-resume")))
    assert (0.0153844, 0.0096594) == (run.resources.cost_usd, run.usage.cost_usd)
    assert ("run", 2203) == (run.usage.scope, run.usage.input_tokens)
    assert "cost_may_span_session" in run.caveats


def test_an_unknown_version_may_span_the_session() -> None:
    """The json envelope names no version, so its totals may be the session's."""
    envelope = printed(capture("claude/2.1.220/s03-shell--json"))
    unknown, known = af.read(envelope), af.read(envelope, cli_version="2.1.220")
    assert ("session", ["cost_may_span_session"]) == (unknown.usage.scope, unknown.caveats)
    assert ("run", []) == (known.usage.scope, known.caveats)


def test_a_killed_run_has_no_final_output_count() -> None:
    """The output count of a message's first frame is not final; it is null, not 1."""
    run = af.read(CAPTURES_KILLED)
    assert (1000, 0, 301, None, None) == buckets(run)
    assert ["output_not_final"] == run.caveats


CAPTURES_KILLED = printed(capture("claude/2.1.332/s26-sigterm-tool"))
