# SPDX-License-Identifier: Apache-2.0
"""Frames and outcome: the shapes that public bug reports describe (F cases)."""

from __future__ import annotations

import pytest

import agentframes as af
from tests.frames import capture, having, printed

CLAUDE = "claude/2.1.332/s03-shell"
CODEX = "codex/0.171.0/s03-shell"


def ended(run: af.RunFacts) -> tuple[str, str]:
    """Return status and reason."""
    return run.outcome.status, run.outcome.reason


def test_f1_hooks_before_init() -> None:
    """Frames before `system/init` are no error, and init is found all the same."""
    session = capture(CLAUDE)[0]["session_id"]
    hook = {
        "type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "SessionStart",
        "hook_event": "SessionStart", "session_id": session, "uuid": "u",
    }  # fmt: skip
    run = af.read(printed(hook, capture(CLAUDE)))
    assert ("2.1.332", "claude-opus-5-5", 7) == (run.cli_version, run.model, run.frames.known)
    assert (1, ("success", "completed")) == (run.runs, ended(run))


def test_f2_a_rate_limit_event_is_a_known_frame() -> None:
    """Signed-in sessions begin with one; it is neither drift nor an outcome."""
    init, *frames = capture(CLAUDE)
    limit = {
        "type": "rate_limit_event", "rate_limit_info": {"status": "allowed"},
        "session_id": init["session_id"], "uuid": "u",
    }  # fmt: skip
    run = af.read(printed(init, limit, frames))
    assert (7, 0, []) == (run.frames.known, run.frames.unknown, run.drift)


def test_f4_an_empty_result_after_text() -> None:
    """`result` is empty although the agent spoke: its last message is the answer."""
    *frames, end = capture(CLAUDE)
    run = af.read(printed(frames, having(end, result="")))
    assert ("The command printed hello.", "last_message") == (
        run.final_text, run.final_text_source,
    )  # fmt: skip
    assert ("success", "completed") == ended(run)


def test_f5_structured_output_without_text() -> None:
    """`structured_output` is given, and is the final text where `result` is empty."""
    *frames, end = capture("claude/2.1.332/s18-schema")
    run = af.read(printed(frames, having(end, result="")))
    assert {"answer": "ok", "n": 3} == run.structured_output
    assert ('{"answer": "ok", "n": 3}', "structured_output") == (
        run.final_text, run.final_text_source,
    )  # fmt: skip


@pytest.mark.parametrize("version", ["2.1.220", "2.1.332"])
def test_f6_an_answer_in_several_messages_is_whole(version: str) -> None:
    """At the token limit claude goes on in a second message; `result` holds only that one."""
    frames = capture(f"claude/{version}/s23-maxtokens")
    run = af.read(printed(frames))
    texts = [
        block["text"]
        for frame in frames if frame["type"] == "assistant"
        for block in frame["message"]["content"] if block["type"] == "text"
    ]  # fmt: skip
    assert 2 == len(texts)
    assert ("".join(texts), "joined_messages") == (run.final_text, run.final_text_source)


def test_f6_a_trailing_empty_block_takes_nothing_away() -> None:
    """The last message's pieces stand, whatever empty block follows them."""
    *frames, last, end = capture(CLAUDE)
    empty = having(last, message__content__0__text="")
    more = having(last, message__content__0__text=" And more.")
    run = af.read(printed(frames, last, more, empty, end))
    assert ("The command printed hello. And more.", "joined_messages") == (
        run.final_text, run.final_text_source,
    )  # fmt: skip


def test_f7_compaction_is_one_run() -> None:
    """Compaction, its summary and a second init do not open another run."""
    frames = capture("claude/2.1.332/s29-compact")
    run = af.read(printed(frames))
    assert 1 == run.runs
    assert ("success", "completed") == ended(run)


def test_f8_wrong_types_are_read_and_told() -> None:
    """A string for a boolean, numbers as strings, null for an object: read, and told as drift."""
    *frames, end = capture(CLAUDE)
    odd = having(end, is_error="false", num_turns="2", usage=None, modelUsage="none")
    run = af.read(printed(frames, odd))
    assert (("success", "completed"), 2) == (ended(run), run.turns)
    assert [
        ("is_error", "boolean | null", "string"),
        ("modelUsage", "object | null", "string"),
        ("num_turns", "integer | null", "string"),
    ] == sorted((finding.field, finding.expected, finding.found) for finding in run.drift)
    assert {("type_changed", "result/success", 6)} == {
        (finding.what, finding.kind, finding.line) for finding in run.drift
    }


def test_f8_a_string_that_says_true_is_an_error() -> None:
    """``"is_error": "true"`` is believed."""
    *frames, end = capture(CLAUDE)
    assert "failed" == af.read(printed(frames, having(end, is_error="true"))).outcome.status


def test_f9_partial_messages_are_read_once() -> None:
    """Deltas beside whole frames change no fact."""
    for name in ("s03-shell", "s16-multistep", "s06-reasoning"):
        whole, partial = (
            af.read(printed(capture(f"claude/2.1.332/{name}{form}"))) for form in ("", "--partial")
        )
        for fact in ("final_text", "tool_calls", "model_calls", "turns"):
            assert getattr(whole, fact) == getattr(partial, fact)
        assert whole.usage.total_tokens == partial.usage.total_tokens


def test_f10_retries_make_no_failure() -> None:
    """`Reconnecting… 2/5`, then an answer: success."""
    run = af.read(printed(capture("codex/0.171.0/s10-http429")))
    assert (("success", "completed"), "ok after retry") == (ended(run), run.final_text)


def test_f11_error_items_are_warnings() -> None:
    """An `error` item in a run that succeeds is no failure and never the answer."""
    run = af.read(printed(capture("codex/0.171.0/s01-text--unknown-model")))
    assert (("success", "completed"), "ok", None) == (
        ended(run), run.final_text, run.outcome.message,
    )  # fmt: skip


def test_f12_sub_agents_of_codex_are_seen() -> None:
    """`collab_tool_call` items count as calls, and the account says what it leaves out."""
    run = af.read(printed(capture("codex/0.171.0/s17-subagent")))
    assert (2, "excluded") == (run.tool_calls, run.usage.subagents)
    assert ["cache_in_input", "subagents_excluded"] == run.caveats


def test_f13_the_legacy_transport_is_read() -> None:
    """``{"id","msg"}`` lines are named as legacy and read."""
    run = af.read(printed(capture("codex/0.42.0/s04-parallel")))
    assert ("codex", "legacy", "gpt-5-codex", 3) == (
        run.engine, run.transport, run.model, run.tool_calls,
    )  # fmt: skip
    assert (3754, "Two commands worked, one exited with 3.") == (
        run.resources.tokens, run.final_text,
    )  # fmt: skip
    assert ("incomplete", "no_terminal_frame") == ended(run)


def test_f14_a_turn_without_an_answer() -> None:
    """`turn.completed` without any agent_message: success, and no final text."""
    run = af.read(printed(capture("codex/0.171.0/s27-empty")))
    assert (("success", "completed"), None, None) == (
        ended(run), run.final_text, run.final_text_source,
    )  # fmt: skip


def test_f15_a_key_told_twice() -> None:
    """A web_search item holds `id` twice; its start and its end are one call."""
    path = af.read(str(next_path("codex/0.171.0/s31-websearch")))
    assert (1, ("success", "completed")) == (path.tool_calls, ended(path))


def next_path(name: str) -> str:
    """Return the path of a capture's output, whose bytes must not be rebuilt."""
    from tests.frames import CORPUS

    return str(CORPUS / name / "stdout.jsonl")


def test_f23_withdrawn_messages_do_not_answer() -> None:
    """A message that a later frame supersedes is not the final text."""
    init, *_, last, end = capture(CLAUDE)
    first = having(last, uuid="w", message__id="m1", message__content__0__text="Taken back.")
    second = having(last, supersedes=["w"])
    run = af.read(printed(init, second, having(end, result="")))
    assert "The command printed hello." == run.final_text
    run = af.read(printed(init, last, first, having(end, result="", type="result")))
    assert "Taken back." == run.final_text
    gone = having(last, supersedes=["w"], message__content__0__text="")
    run = af.read(printed(init, last, first, gone, having(end, result="")))
    assert "The command printed hello." == run.final_text


def test_f23_aborted_text_does_not_answer() -> None:
    """The partial text of a killed run (2.1.220) is withdrawn by its own frame."""
    run = af.read(printed(capture("claude/2.1.220/s25-sigterm-streaming")))
    assert (("failed", "interrupted"), None) == (ended(run), run.final_text)


def test_f24_a_background_task_after_the_result() -> None:
    """A task's notification after the result leaves the outcome as it is."""
    frames = capture("claude/2.1.332/s17-subagent")
    note = next(frame for frame in frames if frame.get("subtype") == "task_notification")
    run = af.read(printed(frames, note))
    assert (("success", "completed"), 13) == (ended(run), run.outcome.line)


def test_a_stream_without_its_head_has_its_session() -> None:
    """Every frame of claude carries the session, so a lost init costs only what it told."""
    run = af.read(printed(capture(CLAUDE)[1:2]))
    assert ("claude", capture(CLAUDE)[0]["session_id"], None) == (
        run.engine, run.session_id, run.model,
    )  # fmt: skip
    assert run.session_id == af.parse_engine_session_id("claude", printed(capture(CLAUDE)[1:2]))


@pytest.mark.parametrize("index", [0, 1])
def test_a_main_turn_after_the_result_is_open(index: int) -> None:
    """Init or text after the last result: the run goes on, and did not end."""
    frames = capture(CLAUDE)
    assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(frames, frames[index])))


def test_a_turn_begun_after_the_last_end() -> None:
    """`turn.started` after `turn.completed`: incomplete."""
    frames = capture(CODEX)
    assert ("incomplete", "no_terminal_frame") == ended(af.read(printed(frames, frames[1])))


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("claude/2.1.332/s08-http500", "failed", "api_error"),
        ("claude/1.0.128/s08-http500", "failed", "api_error"),
        ("claude/2.1.332/s09-http401", "failed", "auth"),
        ("claude/2.1.220/s24-refusal", "failed", "refusal"),
        ("claude/2.1.332/s24-refusal", "success", "completed"),
        ("claude/2.1.220/s21-maxturns", "failed", "max_turns"),
        ("claude/2.1.220/s26-sigterm-tool", "failed", "interrupted"),
        ("claude/2.1.332/s26-sigterm-tool", "incomplete", "no_terminal_frame"),
        ("codex/0.171.0/s08-http500", "failed", "api_error"),
        ("codex/0.146.0/s09-http401", "failed", "auth"),
        ("codex/0.171.0/s23-maxtokens", "failed", "max_tokens"),
        ("codex/0.146.0/s25-sigterm-streaming", "incomplete", "no_terminal_frame"),
        ("codex/0.20.0/s08-http500", "failed", "api_error"),
    ],
)
def test_how_real_runs_ended(name: str, status: str, reason: str) -> None:
    """Failures of the real CLIs have their status and their reason."""
    assert (status, reason) == ended(af.read(printed(capture(name))))


def test_terminal_frames_by_type_not_by_place() -> None:
    """`type` stands near the end of a 2.1.332 result, and anywhere in this one."""
    *frames, end = capture(CLAUDE)
    assert "type" != next(iter(end))
    turned = dict(reversed(end.items()))
    assert af.read(printed(frames, end)).to_dict() == af.read(printed(frames, turned)).to_dict()


def test_u2028_stands_in_a_string() -> None:
    """A raw U+2028 ends no line."""
    for name in ("codex/0.171.0/s02-unicode", "claude/2.1.332/s02-unicode"):
        frames = capture(name)
        run = af.read(printed(frames))
        assert ("\u2028" in (run.final_text or ""), 0) == (True, run.frames.malformed)


def test_an_unfinished_last_line_is_not_a_success() -> None:
    """A cut line after the terminal frame may be the begin of another turn."""
    whole = printed(capture(CLAUDE))
    assert ("incomplete", "cut_line") == ended(af.read(whole + b'{"type":"assi'))
    assert ("success", "completed") == ended(af.read(whole + b"[done]"))


def test_the_message_of_stderr_has_no_escapes() -> None:
    """A coloured last line of stderr is told in plain words."""
    stderr = "starting\n\x1b[93m\x1b[1m! \x1b[0mpermission rejected\x1b[0m\nbye\n\n"
    run = af.read(printed(capture(CODEX)[:2]), stderr=stderr)
    assert (("incomplete", "no_terminal_frame"), "! permission rejected") == (
        ended(run), run.outcome.message,
    )  # fmt: skip
