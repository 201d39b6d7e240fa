# SPDX-License-Identifier: Apache-2.0
"""What Claude Code's frames mean, by the captures that show it."""

from __future__ import annotations

from typing import Any

import pytest

from agentframes.signals import (
    Agent,
    Begin,
    FileChange,
    Input,
    Limit,
    Media,
    ModelCall,
    Notice,
    Permission,
    Plan,
    PlanItem,
    Reasoning,
    Retry,
    Text,
    ToolCall,
    ToolEnd,
    Truncated,
    Withdrawn,
)
from tests.engines.support import drive_frames, every, only, told
from tests.frames import capture, having

NEW = "claude/2.1.332"
MIDDLE = "claude/2.1.220"
OLD = "claude/1.0.128"
INIT = {"type": "system", "subtype": "init", "session_id": "s1"}


def system(subtype: str, **fields: Any) -> dict[str, Any]:
    """Write a system frame that no capture shows, as the typings of 2.1.332 have it."""
    return {"type": "system", "subtype": subtype, "session_id": "s1", "uuid": "u1", **fields}


class TestMessages:
    """Text, reasoning and calls of the model."""

    def test_a_message_is_one_call_of_the_model_in_parts(self) -> None:
        """Blocks of one message id come in frames of their own and are counted as its parts."""
        name = f"{NEW}/s06-reasoning"
        assert [("msg_fake001", 0), ("msg_fake002", 0)] == every(
            name, Reasoning, "message_id", "part"
        )
        assert [("msg_fake002", 1, "Done: hello.")] == every(
            name, Text, "message_id", "part", "text"
        )
        assert ["msg_fake001", "msg_fake002"] == [call.id for call in only(name, ModelCall)]

    def test_times_are_the_frames_own(self) -> None:
        """A message bears the time of its frame, and none where the version prints none."""
        assert [(1796065886259,)] == every(f"{NEW}/s06-reasoning", Text, "time_ms")
        assert [(None,)] == every(f"{OLD}/s06-reasoning", Text, "time_ms")

    def test_reasoning_tells_its_tokens_and_time(self) -> None:
        """The last estimate before a thinking block is its count; 2.1.332 times it too."""
        assert [(10, 6.0), (11, 10.0)] == every(
            f"{NEW}/s06-reasoning", Reasoning, "tokens", "duration_ms"
        )
        assert [(10, None), (11, None)] == every(
            f"{MIDDLE}/s06-reasoning", Reasoning, "tokens", "duration_ms"
        )
        assert [(None, None)] * 2 == every(
            f"{OLD}/s06-reasoning", Reasoning, "tokens", "duration_ms"
        )

    def test_an_estimate_without_a_block_is_dropped(self) -> None:
        """An estimate is not carried over to a later message's reasoning."""
        frames = capture(f"{NEW}/s06-reasoning")
        init, estimate, text, thinking = frames[0], frames[1], frames[9], frames[8]
        sink = drive_frames("claude", init, estimate, text, thinking)
        assert [None] == [s.tokens for s in sink.signals if isinstance(s, Reasoning)]

    def test_a_stop_reason_on_a_later_frame_is_told(self) -> None:
        """1.0.128 prints the stop reason on a later frame of the message, with the same usage."""
        assert [
            ("msg_fake001", None),
            ("msg_fake001", "tool_use"),
            ("msg_fake009", "end_turn"),
        ] == every(f"{OLD}/s04-parallel", ModelCall, "id", "stop_reason")

    @pytest.mark.parametrize(
        "name",
        [f"{OLD}/s08-http500", f"{NEW}/s08-http500", f"{MIDDLE}/s24-refusal",
         f"{MIDDLE}/s29-compact--too-short"],
    )  # fmt: skip
    def test_words_of_the_cli_are_no_models(self, name: str) -> None:
        """An error in the place of an answer is marked, and no call of the model."""
        assert [(True,)] == every(name, Text, "synthetic")
        assert [] == only(name, ModelCall)

    def test_an_aborted_message_is_taken_back(self) -> None:
        """SIGTERM on 2.1.220 prints what there was of the message, marked as aborted."""
        name = f"{MIDDLE}/s25-sigterm-streaming"
        assert [(["msg_fake001"], "aborted")] == every(name, Withdrawn, "ids", "reason")
        assert [("msg_fake001", False)] == every(name, Text, "message_id", "synthetic")

    def test_a_text_that_is_null_says_nothing(self) -> None:
        """A block without its text is no text, and keeps its place among the parts."""
        init, first, *_ = capture(f"{NEW}/s01-text")
        null = {"type": "text", "text": None}
        blocks = [null, {"type": "text"}, {"type": "text", "text": "ok"}]
        frame = having(first, message__content=blocks)
        said = {"type": "user", "message": {"role": "user", "content": [null]}}
        sink = drive_frames("claude", init, frame, said)
        texts = [s for s in sink.signals if isinstance(s, Text | Input)]
        assert [(2, "ok")] == [told(text, "part", "text") for text in texts]

    def test_superseded_frames_are_named_by_their_message(self) -> None:
        """`supersedes` names frames, and what is withdrawn are their messages."""
        init, first, *_ = capture(f"{NEW}/s01-text")
        second = having(first, uuid="u2", message__id="msg_2", supersedes=[first["uuid"], "gone"])
        sink = drive_frames("claude", init, first, second)
        assert [["msg_fake001", "gone"]] == [s.ids for s in sink.signals if type(s) is Withdrawn]


class TestInputs:
    """What was said to the agent."""

    @pytest.mark.parametrize(
        ("name", "origins"),
        [
            (f"{MIDDLE}/s25-sigterm-streaming", ["synthetic"]),
            (f"{MIDDLE}/s26-sigterm-tool", ["synthetic"]),
            (f"{NEW}/s23-maxtokens", ["synthetic"]),
            (f"{NEW}/s24-refusal", ["synthetic"]),
            (f"{NEW}/s27-empty", ["synthetic"]),
            (f"{NEW}/s29-compact", ["compaction", "synthetic"]),
            (f"{NEW}/s17-subagent", ["agent_prompt"]),
            (f"{NEW}/s03-shell", []),
        ],
    )
    def test_origins(self, name: str, origins: list[str]) -> None:
        """Nothing that the CLI says in the user's place is a human's word."""
        assert origins == [signal.origin for signal in only(name, Input)]

    def test_a_users_own_frame_is_a_humans(self) -> None:
        """A user frame without a mark is what a human said."""
        frame = having(capture(f"{NEW}/s24-refusal")[2], isSynthetic=False)
        del frame["refused_message_id"], frame["refusal_retry"]
        sink = drive_frames("claude", INIT, frame)
        assert ["human"] == [s.origin for s in sink.signals if isinstance(s, Input)]

    def test_a_refused_message_is_withdrawn(self) -> None:
        """2.1.332 withholds a refused message and names it in the frame that asks again."""
        assert [(["msg_fake001"], "refusal", "user/text")] == every(
            f"{NEW}/s24-refusal", Withdrawn, "ids", "reason", "kind"
        )


class TestAgents:
    """Sub-agents and other tasks."""

    def test_a_sub_agent_is_paired_to_its_call(self) -> None:
        """All that is told of a sub-agent names the call that spawned it."""
        names = ("phase", "status", "name", "context_tokens", "tool_calls", "duration_ms")
        assert [
            ("start", None, "general-purpose", None, None, None),
            ("progress", None, "general-purpose", 703, 1, 367.0),
            ("progress", "completed", None, None, None, None),
            ("end", "completed", None, 797, 1, 980.0),
            ("end", "completed", "general-purpose", 797, 1, 989.0),
        ] == every(f"{NEW}/s17-subagent", Agent, *names)
        assert {("toolu_fake001_1", "a1d11b53048d27e63")} == set(
            every(f"{NEW}/s17-subagent", Agent, "call_id", "agent_id")
        )

    def test_what_a_sub_agent_does_bears_its_call(self) -> None:
        """Frames with a parent call are the sub-agent's, all others the main agent's."""
        assert [("Agent", None), ("Bash", "toolu_fake001_1")] == every(
            f"{NEW}/s17-subagent", ToolCall, "name", "agent"
        )

    def test_a_launched_sub_agent_has_not_ended(self) -> None:
        """The result of a call that only launches a sub-agent ends the call alone."""
        frame = capture(f"{NEW}/s17-subagent")[10]
        frame["tool_use_result"] = {"status": "async_launched", "agentId": "a1"}
        sink = drive_frames("claude", INIT, frame)
        agents = [told(s, "phase", "background") for s in sink.signals if isinstance(s, Agent)]
        assert [("progress", True)] == agents

    def test_a_shell_command_in_the_background_is_no_sub_agent(self) -> None:
        """A task of another type is told as a status row, from its start to its end."""
        sink = drive_frames(
            "claude",
            INIT,
            system("task_started", task_id="b1", tool_use_id="t1", task_type="local_bash",
                   description="sleep 60"),
            system("task_updated", task_id="b1", patch={"status": "failed"}),
            system("task_notification", task_id="b1", status="completed", summary="done"),
        )  # fmt: skip
        assert [] == [s for s in sink.signals if isinstance(s, Agent)]
        assert [
            ("Background task started", "sleep 60", "t1", "info"),
            ("Background task goes on", "failed", "t1", "warn"),
            ("Background task ended", "done", "t1", "info"),
        ] == notices(sink.signals, "label", "text", "call_id", "severity")


def notices(signals: list[Any], *names: str) -> list[tuple[Any, ...]]:
    """Return some fields of each notice."""
    return [told(signal, *names) for signal in signals if isinstance(signal, Notice)]


class TestSystem:
    """System frames, and the small top-level ones."""

    def test_the_session_is_announced(self) -> None:
        """`system/init` tells session, model, version, folder, tools and permissions."""
        (begin,) = only(f"{NEW}/s22-denied", Begin)
        assert ("start", "claude-opus-5-5", "2.1.332", "/workspace/project", "default") == told(
            begin, "why", "model", "cli_version", "cwd", "permission_mode"
        )
        assert begin.tools is not None
        assert len(begin.tools) == 22
        assert [("start",), ("reinit",)] == every(f"{NEW}/s30-two-turns", Begin, "why")

    def test_retries(self) -> None:
        """`system/api_retry` tells the attempt, the delay, the status and the cause."""
        names = ("attempt", "max", "delay_ms", "status", "reason")
        assert [(1, 10, 1039.0, 429, "rate_limit"), (2, 10, 1094.0, 429, "rate_limit")] == every(
            f"{NEW}/s10-http429", Retry, *names
        )
        assert list(range(1, 11)) == [s.attempt for s in only(f"{NEW}/s09-http401", Retry)]

    @pytest.mark.parametrize("version", [MIDDLE, NEW])
    def test_a_denial_is_told_once(self, version: str) -> None:
        """A refused call is told once, by its own frame or, without one, by the result."""
        name = f"{version}/s22-denied"
        calls = [call.call_id for call in only(name, ToolCall)]
        assert calls == [signal.call_id for signal in only(name, Permission)]
        kind = "system/permission_denied" if version == NEW else "result/success"
        assert [("denied", "Bash", kind), ("denied", "Write", kind)] == every(
            name, Permission, "phase", "tool", "kind"
        )

    def test_compaction(self) -> None:
        """The boundary tells the context before and after; the status says how it went."""
        name = f"{MIDDLE}/s29-compact"
        assert [("context", 11786, 551)] == every(name, Truncated, "what", "before", "after")
        assert [
            ("compaction", "Compacting the conversation", "info"),
            ("compaction", "Conversation compacted", "info"),
        ] == every(name, Notice, "category", "label", "severity")
        assert ("The conversation could not be compacted", "Not enough messages to compact.") == (
            every(f"{name}--too-short", Notice, "label", "text")[1]
        )

    def test_status_rows_have_plain_words(self) -> None:
        """Labels are words, and the frame's own text stands beside them."""
        assert [("Notice", "info")] == every(f"{NEW}/s24-refusal", Notice, "label", "severity")
        assert [("The model refused", "warn", "refusal")] == every(
            f"{MIDDLE}/s24-refusal", Notice, "label", "severity", "category"
        )
        assert ("Asking the model", "requesting") == (
            every(f"{NEW}/s01-text--partial", Notice, "label", "text")[0]
        )

    def test_frames_that_no_capture_shows(self) -> None:
        """Hooks, progress, limits and questions are read as the typings have them."""
        sink = drive_frames(
            "claude",
            system("hook_started", hook_name="SessionStart:startup"),
            system("hook_response", hook_name="Lint", exit_code=2, stderr="no"),
            system("session_state_changed", state="idle"),
            {"type": "tool_progress", "tool_use_id": "t1", "tool_name": "Bash",
             "elapsed_time_seconds": 61.4, "parent_tool_use_id": "t0", "session_id": "s1"},
            {"type": "rate_limit_event", "session_id": "s1", "rate_limit_info":
             {"status": "allowed", "rateLimitType": "five_hour", "resetsAt": 1800000000}},
            {"type": "control_request", "request_id": "r1", "request":
             {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t2"}},
        )  # fmt: skip
        assert [
            ("Hook started", "SessionStart:startup", "info", None, None),
            ("Hook failed", "Lint\nno", "warn", None, None),
            ("Session state changed", "idle", "info", None, None),
            ("Tool is running", "Bash, 61 s", "info", "t1", "t0"),
        ] == notices(sink.signals, "label", "text", "severity", "call_id", "agent")
        assert [("five_hour", "allowed", 1800000000000)] == [
            told(s, "what", "status", "resets_ms") for s in sink.signals if isinstance(s, Limit)
        ]
        assert [("asked", "t2", "Bash", "r1")] == [
            told(s, "phase", "call_id", "tool", "request_id")
            for s in sink.signals
            if isinstance(s, Permission)
        ]


class TestPlans:
    """The plan tools, by their calls or their results."""

    def test_a_new_item_gets_its_id_from_the_result(self) -> None:
        """TaskCreate is told when its result names the item."""
        assert [
            ("patch", [PlanItem(key="1", title="Read the notes", status="pending")]),
            ("patch", [PlanItem(key="2", title="Read the notes", status="pending")]),
        ] == every(f"{NEW}/s07-todo--sonnet-4-5", Plan, "mode", "items")

    def test_a_failed_change_is_none(self) -> None:
        """A result with an error changes nothing of the plan."""
        frames = capture(f"{MIDDLE}/s07-todo")
        failed = having(frames[2], message__content__0__is_error=True)
        sink = drive_frames("claude", frames[0], frames[1], failed)
        assert [] == [s for s in sink.signals if isinstance(s, Plan)]

    def test_a_written_plan_is_told_whole(self) -> None:
        """TodoWrite has no ids, so the position is the key; an empty list clears the plan."""
        call = capture(f"{MIDDLE}/s07-todo")[1]
        todo = {"content": "Read", "status": "in_progress", "activeForm": "Reading"}
        inputs: list[dict[str, Any]] = [{"todos": [todo]}, {"todos": []}, {}]
        frames = [
            having(call, message__content__0__name="TodoWrite", message__content__0__input=given)
            for given in inputs
        ]
        sink = drive_frames("claude", INIT, *frames)
        assert [
            ("snapshot", [PlanItem(key="1", title="Read", status="in_progress")]),
            ("snapshot", []),
        ] == [told(s, "mode", "items") for s in sink.signals if isinstance(s, Plan)]


class TestMedia:
    """Images and binaries."""

    def test_of_a_result(self) -> None:
        """An image stays in the raw line; what was saved to a file has its path."""
        names = ("owner", "media_type", "bytes", "pointer", "kind")
        base = "/message/content/0/content"
        kind = "user/tool_result"
        found = every(f"{MIDDLE}/s20-image", Media, *names)
        assert [
            ("toolu_fake002_0", "image/png", 69, f"{base}/0/source/data", kind),
            ("toolu_fake003_0", "image/png", 69, f"{base}/1/source/data", kind),
            ("toolu_fake004_0", "application/octet-stream", 16, None, kind),
        ] == found
        (*_, saved) = only(f"{MIDDLE}/s20-image", Media)
        assert saved.path is not None
        assert saved.path.endswith("/tool-results/mcp-tiny-blob-1796065536838-ksrteu.bin")

    def test_of_what_was_said(self) -> None:
        """An image that was given to the agent belongs to the frame, one by its URL has no data."""
        source = {"type": "base64", "media_type": "image/png", "data": "AAEC"}
        linked = {"type": "url", "url": "https://example.org/a.png"}
        content = [{"type": "text", "text": "see"}, {"type": "image", "source": source},
                   {"type": "image", "source": linked}]  # fmt: skip
        frame = {"type": "user", "message": {"role": "user", "content": content}, "uuid": "u1"}
        sink = drive_frames("claude", INIT, frame)
        assert [
            ("u1", 3, "/message/content/1/source/data", None),
            ("u1", None, None, "https://example.org/a.png"),
        ] == [
            told(s, "owner", "bytes", "pointer", "url")
            for s in sink.signals
            if isinstance(s, Media)
        ]


class TestCalls:
    """Calls of tools; how they end stands in `test_claude_results`."""

    def test_mcp_calls_name_server_tool_and_title(self) -> None:
        """The wire name holds server and tool, `tool_use_meta` what people are shown."""
        names = ("name", "family", "server", "tool", "title", "input")
        assert ("mcp__tiny__add", "mcp", "tiny", "add", "Add", {"a": 2, "b": 3}) == (
            every(f"{NEW}/s12-mcp", ToolCall, *names)[1]
        )

    def test_calls_name_their_message(self) -> None:
        """Three parallel calls are of one message."""
        assert [("msg_fake001",)] * 3 == every(f"{NEW}/s04-parallel", ToolCall, "message_id")

    def test_files_of_a_call(self) -> None:
        """The result's own word tells what was read, changed and created."""
        notes = "/workspace/project/notes.txt"
        assert [
            ([FileChange(path=notes, change="read")],),
            ([FileChange(path=notes, change="update")],),
            ([FileChange(path="/workspace/project/new.txt", change="add")],),
        ] == every(f"{NEW}/s05-edit", ToolEnd, "files")
