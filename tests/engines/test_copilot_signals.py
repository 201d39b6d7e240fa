# SPDX-License-Identifier: Apache-2.0
"""What Copilot's frames mean: the signals of its captures, by their values."""

from __future__ import annotations

import pytest

from agentframes.signals import (
    Agent,
    Begin,
    End,
    Input,
    ModelCall,
    Notice,
    Reasoning,
    Retry,
    Signal,
    Text,
    Usage,
)
from tests.engines.copilot_captures import data, frames, only, raw, signals
from tests.frames import having, printed

NEW = ["1.0.83", "1.0.102"]
OLD = ["1.0.12", "1.0.30"]
new = pytest.mark.parametrize("version", NEW)
every = pytest.mark.parametrize("version", [*OLD, *NEW])


class TestSession:
    """The begin and the end of a run."""

    @every
    def test_begin_names_the_model(self, version: str) -> None:
        """The run begins once, with the main agent's model; the session is not known yet."""
        [begin] = only(Begin, raw(f"{version}/s03-shell"))
        assert ("session.tools_updated", "gpt-5.4", "start") == (
            begin.kind, begin.model, begin.why,
        )  # fmt: skip
        assert None is begin.session_id

    def test_tools_that_change_do_not_begin_anew(self) -> None:
        """A background shell that ends loads the tools again (1.0.12): no second begin."""
        assert 1 == len(only(Begin, raw("1.0.12/s26-sigterm-tool")))

    def test_end(self) -> None:
        """The terminal line tells exit code, times and changes; the turns it does not."""
        [end] = only(End, raw("1.0.102/s05-edit"))
        assert ("success", "completed", 0, 0) == (
            end.status, end.reason, end.exit_code, end.denials,
        )  # fmt: skip
        assert (1712, None, 1796066246491) == (end.wall_ms, end.turns, end.time_ms)
        assert {"lines_added": 4, "lines_removed": 1, "files_modified": 2} == end.code_changes

    def test_account(self) -> None:
        """Requests are counted, money and tokens are not."""
        [usage] = only(Usage, raw("1.0.102/s03-shell"))
        assert (0, None, None, None) == (
            usage.premium_requests, usage.cost_usd, usage.buckets.output, usage.subagents,
        )  # fmt: skip
        assert ["wall_may_span_session"] == usage.caveats


class TestMessages:
    """What was said."""

    @every
    def test_prompt_is_a_humans(self, version: str) -> None:
        """The prompt is printed; what the CLI adds to it for the model is left out."""
        [prompt] = only(Input, raw(f"{version}/s03-shell"))
        assert ("Run echo hello and report.", "human") == (prompt.text.text(), prompt.origin)

    @new
    def test_prompt_of_a_sub_agent(self, version: str) -> None:
        """What a sub-agent is told comes from the agent above it."""
        _, prompt = only(Input, raw(f"{version}/s17-subagent"))
        assert ("agent_prompt", "call_fake001_0") == (prompt.origin, prompt.agent)

    def test_notification_is_synthetic(self) -> None:
        """What the CLI tells the agent in the middle of a run is no human's word."""
        _, told = only(Input, raw("1.0.12/s26-sigterm-tool--launcher"))
        assert "synthetic" == told.origin
        assert told.text.text().startswith("<system_notification>\nShell command")

    def test_text_once_in_pieces_once_whole(self) -> None:
        """Two pieces, then the whole under the same id."""
        *_, first, second, whole = only(Text, raw("1.0.102/s03-shell"))
        assert ["delta", "delta", "whole"] == [first.mode, second.mode, whole.mode]
        assert 1 == len({first.message_id, second.message_id, whole.message_id})
        assert "The command printed hello." == whole.text.text()

    def test_a_message_that_the_next_call_goes_on_with(self) -> None:
        """1.0.83 keeps the id after the token limit: both halves stay, each a part."""
        texts = only(Text, raw("1.0.83/s23-maxtokens"))
        assert [(0, "delta"), (0, "delta"), (1, "delta"), (1, "delta"), (1, "whole")] == [
            (text.part, text.mode) for text in texts
        ]
        assert " answer, and this is the rest." == texts[-1].text.text()
        assert 1 == len({text.message_id for text in texts})

    @pytest.mark.parametrize("wire", ["", "--stream-anthropic", "--stream-responses"])
    @new
    def test_reasoning_under_one_name(self, version: str, wire: str) -> None:
        """Pieces, the message's own repetition and the whole after it are one reasoning."""
        found = only(Reasoning, raw(f"{version}/s06-reasoning{wire}"))
        wholes = {}
        for reasoning in found:
            if reasoning.mode == "whole":
                wholes[reasoning.message_id] = reasoning.text.text()
        assert [
            "First I consider which command to run.",
            "The output says hello, so I can answer now.",
        ] == list(wholes.values())
        assert wholes.keys() == {reasoning.message_id for reasoning in found}
        assert 2 * len(wholes) == len([one for one in found if one.mode == "whole"])

    def test_reasoning_without_pieces(self) -> None:
        """Without its deltas, the message's reasoning has the message's name, and still one."""
        found = [
            frame for frame in frames("1.0.102/s06-reasoning")
            if frame["type"] != "assistant.reasoning_delta"
        ]  # fmt: skip
        told = only(Reasoning, printed(found))
        messages = data("1.0.102/s06-reasoning", "assistant.message")
        assert [message["messageId"] for message in messages for _ in "12"] == [
            reasoning.message_id for reasoning in told
        ]

    def test_hidden_reasoning(self) -> None:
        """Reasoning that is told as a cipher alone is told as redacted."""
        found = frames("1.0.102/s06-reasoning--stream-anthropic")
        [position, _] = [n for n, one in enumerate(found) if one["type"] == "assistant.message"]
        hidden = having(found[position], data__reasoningText=None)
        [reasoning] = only(Reasoning, printed(hidden))
        assert (True, "") == (reasoning.redacted, reasoning.text.text())

    def test_ephemeral_message_is_no_text(self) -> None:
        """By the contract it is skipped; people still see it."""
        *_, answer, _, _, _ = frames("1.0.83/s01-text")
        found = signals(printed(having(answer, ephemeral=True)))
        assert ([], ["ok"]) == (only(Text, found), [one.text for one in only(Notice, found)])


class TestModelCalls:
    """Calls of the model."""

    def test_each_call_begins_and_ends(self) -> None:
        """A turn and its call are one call; the end tells how long it took."""
        found = only(ModelCall, raw("1.0.83/s03-shell"))
        assert ["start", "start", "end", "start", "end"] == [call.phase for call in found]
        assert 2 == len({call.id for call in found})
        assert (None, "gpt-5.4", 19.0) == (
            found[0].model, found[1].model, found[2].duration_ms,
        )  # fmt: skip

    def test_retries_are_calls(self) -> None:
        """Two tries fail with 429, the third succeeds: three calls, two retries (1.0.102)."""
        found = signals(raw("1.0.102/s10-http429"))
        calls = only(ModelCall, found)
        assert 3 == len({call.id for call in calls})
        assert 2 == len({call.id for call in calls if call.phase == "failed"})
        assert [(1, 429, "rate_limit"), (2, 429, "rate_limit")] == [
            (retry.attempt, retry.status, retry.reason) for retry in only(Retry, found)
        ]

    @pytest.mark.parametrize(("version", "count"), [("1.0.12", 5), ("1.0.30", 5), ("1.0.102", 5)])
    def test_a_retry_is_told_once(self, version: str, count: int) -> None:
        """Old versions tell it by a message alone, new ones by a frame and a message."""
        assert count == len(only(Retry, raw(f"{version}/s08-http500")))

    def test_final_result(self) -> None:
        """After all tries, 1.0.102 names the class of the failure."""
        *_, last = only(ModelCall, raw("1.0.102/s08-http500"))
        assert ("failed", "http_5xx") == (last.phase, last.error)

    @pytest.mark.parametrize("version", OLD)
    def test_output_tokens_of_old_messages(self, version: str) -> None:
        """Each message told its output tokens; the run's are those of the main agent."""
        found = signals(raw(f"{version}/s17-subagent"))
        told = [(call.usage.output, call.agent) for call in only(ModelCall, found) if call.usage]
        spawning = "call_fake001_0"
        assert [(11, None), (20, spawning), (26, spawning), (28, None)] == told
        _, account = only(Usage, found)
        assert (39, "excluded", "assistant.message.outputTokens") == (
            account.buckets.output, account.subagents, account.native_path,
        )  # fmt: skip


class TestAgents:
    """Sub-agents."""

    @new
    def test_start_settings_and_end(self, version: str) -> None:
        """Three frames, one spawning call."""
        found = only(Agent, raw(f"{version}/s17-subagent"))
        assert [("start", None), ("progress", None), ("end", "completed")] == [
            (agent.phase, agent.status) for agent in found
        ]
        assert {("call_fake001_0", None)} == {(agent.call_id, agent.agent) for agent in found}
        start, _, end = found
        assert ("task", False, "gpt-5.4") == (start.name, start.background, start.model)
        assert (1411, 1) == (end.total_tokens, end.tool_calls)

    @pytest.mark.parametrize("version", OLD)
    def test_old_versions_tell_start_and_end(self, version: str) -> None:
        """Without `agentId`, the spawning call alone names a sub-agent."""
        found = only(Agent, raw(f"{version}/s17-subagent"))
        assert [("start", None), ("end", None)] == [
            (agent.phase, agent.agent_id) for agent in found
        ]

    def test_a_sub_agents_sub_agent(self) -> None:
        """The call that spawns it is the outer sub-agent's, and so is the telling of it."""
        start = next(
            one for one in frames("1.0.102/s17-subagent") if one["type"] == "subagent.started"
        )
        inner = having(start, agentId="inner", data__toolCallId="call_fake002_0")
        found: list[Signal] = []
        stream = frames("1.0.102/s17-subagent")
        found = signals(printed(stream[:-20], inner))
        assert ("call_fake002_0", "call_fake001_0") == (
            only(Agent, found)[-1].call_id, only(Agent, found)[-1].agent,
        )  # fmt: skip


class TestNotices:
    """Rows, and nothing more."""

    def test_noise_is_silent(self) -> None:
        """Bursts of empty frames, and those that announce a message, tell nothing."""
        kinds = {signal.kind for signal in signals(raw("1.0.102/s03-shell"))}
        assert set() == kinds & {"session.background_tasks_changed", "assistant.message_start"}

    def test_words(self) -> None:
        """A server's status and an error have their words; a todo list has a row."""
        told = [
            (one.label, one.text)
            for one in only(Notice, raw("1.0.102/s12-mcp"))
            if one.kind == "session.mcp_server_status_changed"
        ]
        assert ("Session MCP server status changed", "tiny: connected") in told
        assert "Session todos changed" in {
            one.label for one in only(Notice, raw("1.0.83/s07-todo"))
        }
        [error] = [
            one for one in only(Notice, raw("1.0.83/s09-http401")) if one.severity == "error"
        ]
        assert (error.text or "").startswith("Authentication failed with provider")

    def test_interruption(self) -> None:
        """An abort is a warning, with the reason it gives."""
        found = only(Notice, raw("1.0.83/s26-sigterm-tool--native"))
        assert [
            ("Interrupted", None),
            ("Aborted", "user_abort"),
            ("Aborted", "user_initiated"),
        ] == [(one.label, one.text) for one in found if one.severity == "warn"]
