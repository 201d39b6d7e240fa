# SPDX-License-Identifier: Apache-2.0
"""The user cases that concern events, each on the smallest input that shows it.

Where no capture shows a shape (hooks, rate limits, control requests, retractions), the frames are
the typings' own, put into a capture.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import agentframes as af
from agentframes.events.model import (
    ConversationEvent,
    ImageArtifact,
    NeedsInput,
    ParserWarning,
    PlanUpdate,
    RunMarker,
    Status,
    SupportingAgentMessage,
    TaskAgentMessage,
    ToolBurst,
    UserMessage,
)
from tests.captured import ROOT, capture, frames

CLAUDE = "claude/2.1.332"
CODEX = "codex/0.171.0"
COPILOT = "copilot/1.0.102"
GEMINI = "gemini/0.61.0"
OPENCODE = "opencode/1.18.33"


def of(name: str) -> list[ConversationEvent]:
    """Return the events of a capture."""
    return af.read(ROOT / "corpus" / name).events


def made(printed: bytes) -> list[ConversationEvent]:
    """Return the events of all runs in what was printed."""
    return [event for run in af.read_all(printed, events=True) for event in run.events]


def within(name: str, frame: dict[str, Any], behind: int) -> bytes:
    """Put a frame into a capture, behind a line of it."""
    lines = capture(name).splitlines(keepends=True)
    line = json.dumps(frame).encode() + b"\n"
    return b"".join([*lines[:behind], line, *lines[behind:]])


def said(told: list[ConversationEvent]) -> list[str]:
    """List what the main agent said."""
    return [event.body for event in told if isinstance(event, TaskAgentMessage)]


def rows(told: list[ConversationEvent], category: str) -> list[Status]:
    """List the status rows of a category."""
    return [one for one in told if isinstance(one, Status) and one.category == category]


def statuses(told: list[ConversationEvent], category: str) -> list[tuple[str | None, str]]:
    """List the severity and label of the status rows of a category."""
    return [(row.severity, row.label) for row in rows(told, category)]


def bursts(told: list[ConversationEvent]) -> list[ToolBurst]:
    """List the bursts."""
    return [event for event in told if isinstance(event, ToolBurst)]


class TestFrames:
    """F: frames and outcome."""

    def test_hooks_before_init_are_rows(self) -> None:
        """F1: hook frames before `system/init` are rows, and init is still found."""
        session = frames(capture(f"{CLAUDE}/s01-text"))[0]["session_id"]
        hook = {"type": "system", "subtype": "hook_response", "hook_id": "h", "hook_name": "Start",
                "hook_event": "SessionStart", "output": "", "stdout": "", "stderr": "",
                "exit_code": 0, "outcome": "success", "session_id": session,
                "uuid": "u"}  # fmt: skip
        told = made(within(f"{CLAUDE}/s01-text", hook, 0))
        assert [("info", "Hook finished")] == statuses(told, "hook")
        assert ("info", "Session started") == statuses(told, "lifecycle")[0]

    def test_a_rate_limit_that_is_far_is_a_quiet_row(self) -> None:
        """F2: `rate_limit_event` with status allowed is a known frame, a collapsed row."""
        limit = {"type": "rate_limit_event", "session_id": "s", "uuid": "u",
                 "rate_limit_info": {"status": "allowed",
                                     "rateLimitType": "five_hour"}}  # fmt: skip
        told = made(within(f"{CLAUDE}/s01-text", limit, 1))
        (row,) = rows(told, "rate_limit")
        assert (True, "info") == (row.collapsed_by_default, row.severity)

    def test_a_control_request_needs_input(self) -> None:
        """F3: `can_use_tool` on stdout asks somebody."""
        request = {"type": "control_request", "request_id": "r1", "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"},
            "tool_use_id": "t1"}}  # fmt: skip
        told = made(within(f"{CLAUDE}/s01-text", request, 1))
        (asked,) = [event for event in told if isinstance(event, NeedsInput)]
        assert ("May the agent use Bash?", "Bash", "r1") == (
            asked.question,
            asked.tool_name,
            asked.request_id,
        )

    def test_compaction(self) -> None:
        """F7: a warning, the summary and the CLI's own words no human turns, one run."""
        told = of(f"{CLAUDE}/s29-compact")
        assert [("warn", "Output truncated")] == statuses(told, "truncation")
        assert ["/compact"] == [event.body for event in told if isinstance(event, UserMessage)]
        assert not [event for event in told if isinstance(event, RunMarker)]
        assert ("info", "Summary of the conversation before") in statuses(told, "compaction")

    def test_a_retyped_field_is_told_once(self) -> None:
        """F8: `is_error` as a string is read, and told as a warning."""
        lines = capture(f"{CLAUDE}/s01-text").replace(b'"is_error":false', b'"is_error":"false"')
        (row,) = [event for event in made(lines) if isinstance(event, ParserWarning)]
        assert "is_error is string, not boolean | null" == row.message
        assert "type_changed:result/success:is_error" == row.dedupe_key

    @pytest.mark.parametrize("name", [f"{CLAUDE}/s16-multistep", f"{CLAUDE}/s04-parallel"])
    def test_partial_messages_are_shown_once(self, name: str) -> None:
        """F9: with partial messages the same is said as without."""
        assert said(of(name)) == said(of(f"{name}--partial"))
        assert [burst.count for burst in bursts(of(name))] == [
            burst.count for burst in bursts(of(f"{name}--partial"))
        ]

    def test_reconnecting_is_a_row(self) -> None:
        """F10: codex's retries are rows of a run that succeeds."""
        told = of(f"{CODEX}/s10-http429")
        retries = [("warn", "Trying again, 1 of 5"), ("warn", "Trying again, 2 of 5")]
        assert retries == statuses(told, "retry")
        assert ("info", "Run completed") == statuses(told, "lifecycle")[-1]

    def test_error_items_are_rows(self) -> None:
        """F11: a warning of codex is a row, not a failure."""
        told = of(f"{CODEX}/s01-text--unknown-model")
        assert ["warn"] == [severity for severity, _ in statuses(told, "warning")]
        assert ("info", "Run completed") == statuses(told, "lifecycle")[-1]

    def test_collaboration_is_shown(self) -> None:
        """F12: codex's sub-agents are calls, with what became of the agent."""
        (burst,) = bursts(of(f"{CODEX}/s17-subagent"))
        spawned = burst.calls[0]
        assert ["spawn_agent", "wait"] == [call.name for call in burst.calls]
        assert spawned.agent is not None
        assert ("completed", "notes.txt has 3 lines.") == (
            spawned.agent.status,
            spawned.agent.summary,
        )

    def test_legacy_lines_are_shown(self) -> None:
        """F13: the conversation of codex's legacy lines is that of the new ones."""
        old, new = of("codex/0.42.0/s03-shell"), of(f"{CODEX}/s03-shell")
        assert said(new) == said(old)
        assert [burst.count for burst in bursts(new)] == [burst.count for burst in bursts(old)]

    def test_two_ids_in_one_object(self) -> None:
        """F15: codex's web search has `id` twice, and still its two frames are one call."""
        (burst,) = bursts(of(f"{CODEX}/s31-websearch"))
        assert [("web_search", "ok", 3, 4)] == [
            (call.name, call.status, call.raw_ranges[0].start, call.raw_ranges[0].end)
            for call in burst.calls
        ]

    def test_deltas_on_both_sides_of_a_call(self) -> None:
        """F18: gemini's deltas before and behind a call are two messages."""
        told = of(f"{GEMINI}/s17-subagent")
        assert ["I delegate this.", "The sub-agent counted 3 lines."] == said(told)

    def test_deltas_and_the_whole(self) -> None:
        """F21: copilot's deltas and the message they make are one row over all their lines."""
        told = of(f"{COPILOT}/s04-parallel")
        assert ["Two commands worked, one exited with 3."] == said(told)

    def test_what_is_taken_back_is_marked(self) -> None:
        """F23: a message that a later frame retracts stays, marked, and comes again for it."""
        whole = frames(capture(f"{CLAUDE}/s16-multistep"))
        first = next(one for one in whole if one["type"] == "assistant")
        later = whole[-2] | {"supersedes": [first["uuid"]]}
        printed = b"".join(json.dumps(one).encode() + b"\n" for one in [*whole[:-2], later])
        (message,) = [
            event
            for event in made(printed)
            if isinstance(event, TaskAgentMessage) and event.withdrawn
        ]
        text = next(one["text"] for one in first["message"]["content"] if one["type"] == "text")
        assert (text, 1) == (message.body, message.revision)

    def test_a_task_that_ends_behind_the_result(self) -> None:
        """F24: the row is shown, and the run stays what it was."""
        printed = capture(f"{CLAUDE}/s17-subagent").splitlines(keepends=True)
        told_of = next(line for line in printed if b"task_notification" in line)
        runs = af.read_all(b"".join([*printed, told_of]), events=True)
        assert ["success"] == [run.outcome.status for run in runs]
        assert [("info", "Sub-agent general-purpose ended")] == statuses(runs[0].events, "agent")


class TestAgents:
    """Sub-agents: nested, with their totals on the call that spawned them."""

    @pytest.mark.parametrize("name", [f"{CLAUDE}/s17-subagent", f"{COPILOT}/s17-subagent"])
    def test_they_are_nested(self, name: str) -> None:
        """What a sub-agent says and does bears the id of the call that spawned it."""
        told = of(name)
        spawning = next(burst for burst in bursts(told) if burst.parent_call_id is None)
        inner = [event for event in told if event.parent_call_id is not None]
        assert {spawning.calls[0].id} == {event.parent_call_id for event in inner}
        assert ["wc -l notes.txt"] == [
            command.command for burst in bursts(inner) for command in burst.commands
        ]
        assert [] == said(inner)

    def test_their_totals_stand_on_the_call(self) -> None:
        """U6: tokens, calls and time, as copilot and claude tell them."""
        (copilot,) = bursts(of(f"{COPILOT}/s17-subagent"))[0].calls
        (claude,) = bursts(of(f"{CLAUDE}/s17-subagent"))[0].calls
        assert copilot.agent is not None
        assert claude.agent is not None
        assert (1411, 1, 248) == (
            copilot.agent.total_tokens,
            copilot.agent.tool_calls,
            copilot.agent.duration_ms,
        )
        assert (797, 1, 989) == (
            claude.agent.context_tokens,
            claude.agent.tool_calls,
            claude.agent.duration_ms,
        )

    def test_an_inner_burst_does_not_end_the_outer_one(self) -> None:
        """The spawning call's burst lasts until the call ends."""
        outer, inner = bursts(of(f"{CLAUDE}/s17-subagent"))
        assert outer.raw_range is not None
        assert inner.raw_range is not None
        assert (3, 11, 7, 8) == (
            outer.raw_range.start,
            outer.raw_range.end,
            inner.raw_range.start,
            inner.raw_range.end,
        )


class TestCalls:
    """Calls: paired by id in any order, each kept whole."""

    def test_parallel_calls_in_any_order(self) -> None:
        """Copilot ends three calls in another order than it began them."""
        (burst,) = bursts(of(f"{COPILOT}/s04-parallel"))
        assert [
            ("echo one", "ok", 0),
            ("echo out; echo bad >&2; exit 3", "failed", 3),
            ("echo three", "ok", 0),
        ] == [(one.command, one.status, one.exit_code) for one in burst.commands]
        assert (3, 1, {"execute": 3}) == (burst.count, burst.failures, burst.families)

    def test_an_exit_code_only_where_one_is_told(self) -> None:
        """Gemini tells none, and nothing is made up."""
        (burst,) = bursts(of(f"{GEMINI}/s04-parallel"))
        assert [None, None, None] == [one.exit_code for one in burst.commands]
        assert 0 == burst.failures

    def test_a_killed_run_leaves_its_call_unfinished(self) -> None:
        """The call stays visible, and the last row says that no terminal frame came."""
        told = of(f"{CODEX}/s26-sigterm-tool")
        (burst,) = bursts(told)
        assert [("unfinished", False)] == [(call.status, burst.open) for call in burst.calls]
        assert ("warn", "The output ends without a terminal frame") == statuses(told, "lifecycle")[
            -1
        ]

    @pytest.mark.parametrize("name", [f"{CLAUDE}/s22-denied", f"{COPILOT}/s22-denied"])
    def test_denied_calls(self, name: str) -> None:
        """A refused permission is a call's status and a row of its own."""
        told = of(name)
        assert ["denied", "denied"] == [call.status for one in bursts(told) for call in one.calls]
        assert 2 == len(statuses(told, "permission"))

    def test_files(self) -> None:
        """Codex tells which files a patch changed, and how."""
        (burst,) = bursts(of(f"{CODEX}/s05-edit"))
        assert ["/workspace/project/notes.txt", "/workspace/project/new.txt"] == burst.files
        assert ["update", "add"] == [file.change for call in burst.calls for file in call.files]

    def test_images_are_references(self) -> None:
        """An image is a row and stands on its call, and its data in neither."""
        told = of(f"{OPENCODE}/s20-image")
        assert [("image/png", 69, "/part/state/attachments/0/url")] * 2 == [
            (event.media_type, event.bytes, event.pointer)
            for event in told
            if isinstance(event, ImageArtifact)
        ]
        assert 2 == sum(len(call.images) for burst in bursts(told) for call in burst.calls)
        assert not [event for event in told if b"iVBOR" in event.to_json()]

    def test_a_call_without_a_tool_is_none(self) -> None:
        """Opencode's `invalid` is a row: the model called what there is not."""
        told = of(f"{OPENCODE}/s32-unknown-tool")
        assert [] == bursts(told)
        assert [("warn", "The model called a tool that is not available")] == statuses(
            told, "tools"
        )

    def test_a_long_output_keeps_its_ends(self) -> None:
        """Of an output of 100,000 characters the first and the last 2 KiB are kept."""
        output = "a" * 50_000 + "b" * 50_000
        printed = capture(f"{CODEX}/s03-shell").replace(
            b'"aggregated_output":"hello\\n"', f'"aggregated_output":"{output}"'.encode()
        )
        (call,) = bursts(made(printed))[0].calls
        assert 100_000 == call.output_bytes
        assert "a" * 2048 + "\n… 95904 bytes left out …\n" + "b" * 2048 == call.output_preview


class TestPlans:
    """Plans: full snapshots whose items keep their ids."""

    @pytest.mark.parametrize(
        "name", ["codex/0.146.0/s07-todo", f"{GEMINI}/s07-todo", f"{OPENCODE}/s07-todo"]
    )
    def test_snapshots(self, name: str) -> None:
        """Each update holds all items, under the ids they began with."""
        plans = [event for event in of(name) if isinstance(event, PlanUpdate)]
        assert 2 == len(plans)
        for plan in plans:
            titles = [(item.id, item.title) for item in plan.items]
            assert [("1", "Read the notes"), ("2", "Change the notes"), ("3", "Report")] == titles

    def test_patches_become_snapshots(self) -> None:
        """Claude tells a task at a time; each row has all there are."""
        told = of(f"{CLAUDE}/s07-todo--sonnet-4-5")
        plans = [event for event in told if isinstance(event, PlanUpdate)]
        assert [["1"], ["1", "2"]] == [[item.id for item in plan.items] for plan in plans]


class TestMessages:
    """Who speaks."""

    def test_reasoning_is_collapsed_and_never_the_answer(self) -> None:
        """Reasoning comes as a supporting agent's, collapsed."""
        told = of(f"{CLAUDE}/s06-reasoning")
        thought = [event for event in told if isinstance(event, SupportingAgentMessage)]
        assert ["reasoning"] == list(dict.fromkeys(event.origin for event in thought))
        assert all(event.collapsed_by_default for event in thought)
        assert ["Done: hello."] == said(told)

    def test_the_answer_that_stands_in_the_result_alone(self) -> None:
        """In json mode nothing else tells what was said."""
        told = of(f"{CLAUDE}/s03-shell--json")
        assert ["The command printed hello."] == said(told)

    def test_the_prompt_of_the_capture(self) -> None:
        """What was asked is known from the command line where the stream does not tell it."""
        first = next(event for event in of(f"{CLAUDE}/s03-shell") if "message" in event.kind)
        assert isinstance(first, UserMessage)
        assert ("Run echo hello and report.", None, "capture") == (
            first.body,
            first.raw_range,
            first.origin,
        )

    def test_the_prompt_that_the_stream_tells(self) -> None:
        """It is shown once, with its line."""
        asked = [event for event in of(f"{COPILOT}/s03-shell") if isinstance(event, UserMessage)]
        assert ["human"] == [event.origin for event in asked]

    def test_what_the_cli_says_for_the_model(self) -> None:
        """An API error in an answer's place is an error row, not the agent's word."""
        told = of(f"{CLAUDE}/s08-http500")
        assert [] == said(told)
        assert [("error", "The CLI answered in the model's place")] == statuses(told, "error")


class TestBytes:
    """B: bytes and lines."""

    def test_text_between_frames(self) -> None:
        """B5: a line of text is a collapsed row with its line."""
        printed = capture(f"{GEMINI}/s01-text").split(b"\n")
        told = made(b"\n".join([b"Loaded cached credentials.", *printed]))
        (row,) = rows(told, "noise")
        assert "Loaded cached credentials." == row.explanation
        assert "-:1.0.0" == row.id

    def test_a_frame_behind_escapes(self) -> None:
        """B4: the frame is read, and a warning says that the line was odd."""
        printed = b"\x1b[?25l\x1b]0;title\x07" + capture(f"{CODEX}/s01-text")
        told = made(printed)
        (row,) = [event for event in told if isinstance(event, ParserWarning)]
        assert row.message.endswith("its frames were read")
        assert said(of(f"{CODEX}/s01-text")) == said(told)

    def test_a_log_line_in_the_middle_of_a_frame(self) -> None:
        """B6: the frames around survive, and the broken line is a warning that names it."""
        lines = capture(f"{CODEX}/s03-shell").splitlines(keepends=True)
        lines[2] = lines[2][:40] + b"WARN something happened\n" + lines[2][40:]
        told = made(b"".join(lines))
        assert "warn" in {event.severity for event in told if isinstance(event, ParserWarning)}
        assert ["The command printed hello."] == said(told)[-1:]

    def test_utf_16(self) -> None:
        """B7: PowerShell's redirect makes the same conversation."""
        printed = capture(f"{CODEX}/s05-edit")
        wide = printed.decode().encode("utf-16")
        assert [event.to_dict() for event in made(printed)] == [
            event.to_dict() for event in made(wide)
        ]
