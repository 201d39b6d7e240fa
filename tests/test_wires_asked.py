# SPDX-License-Identifier: Apache-2.0
"""What a CLI asks its model is read in one form, whatever the wire form."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentframes.capturing.wires import anthropic, chat, gemini, responses
from agentframes.engines.offline import Turn

GEMINI = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"
WIRES = (anthropic, responses, chat, gemini)


class TestAskedAnthropic:
    """A Messages request."""

    def test_results_and_words_of_one_message_are_two_turns(self) -> None:
        """A user message with results is a tool turn, and its own text a user turn after it."""
        asked = anthropic.asked(
            "/v1/messages",
            {
                "model": "claude-x",
                "stream": True,
                "system": [{"type": "text", "text": "You are."}, {"type": "text", "text": "So."}],
                "tools": [
                    {"name": "Bash", "input_schema": {}},
                    {"type": "web_search_20250305", "name": "web_search"},
                    {"type": "bash_20250124", "name": "bash"},
                ],
                "messages": [
                    {"role": "user", "content": "Do it."},
                    {"role": "system", "content": "Mind the date."},
                    {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]},
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "content": "one"},
                            {
                                "type": "tool_result",
                                "content": [
                                    {"type": "text", "text": "two"},
                                    {"type": "tool_reference", "tool_name": "TaskCreate"},
                                ],
                            },
                            {"type": "text", "text": "Go on."},
                        ],
                    },
                ],
            },
        )
        assert ("anthropic", "claude-x", True) == (asked.api, asked.model, asked.stream)
        assert {"Bash": "function", "web_search": "web_search", "bash": "bash_20250124"} == (
            asked.tools
        )
        assert "You are.\nSo.\nMind the date." == asked.system
        assert [
            Turn("user", "Do it."),
            Turn("assistant", ""),
            Turn("tool", "one\ntwo\nTaskCreate"),
            Turn("user", "Go on."),
        ] == asked.turns


class TestAskedResponses:
    """A Responses request."""

    def test_tools_are_gathered_from_where_they_are_offered(self) -> None:
        """Those of the body, of code mode's item and of a search; of a namespace what is in it."""
        space = {
            "type": "namespace",
            "name": "mcp__tiny",
            "tools": [
                {"type": "function", "name": "add"},
                {"type": "function", "name": "wait"},
            ],
        }
        asked = responses.asked(
            "/v1/responses",
            {
                "model": "gpt-x",
                "instructions": "You are.",
                "tools": [{"type": "tool_search"}, {"type": "custom", "name": "apply_patch"}],
                "input": [
                    {"type": "message", "role": "developer", "content": "Rules."},
                    {
                        "type": "additional_tools",
                        "tools": [
                            {"type": "custom", "name": "exec"},
                            {"type": "function", "name": "wait"},
                        ],
                    },
                    {"role": "user", "content": [{"type": "input_text", "text": "Do it."}]},
                    {"type": "tool_search_call", "arguments": {}},
                    {"type": "tool_search_output", "tools": [space]},
                    {"type": "function_call", "name": "add", "arguments": "{}"},
                    {"type": "function_call_output", "output": "5"},
                    {
                        "type": "custom_tool_call_output",
                        "output": [{"type": "input_text", "text": "ok"}],
                    },
                ],
            },
        )
        assert {
            "tool_search": "tool_search",
            "apply_patch": "custom",
            "exec": "custom",
            "wait": "function",
            "mcp__tiny": "namespace",
            "add": "namespace:mcp__tiny",
        } == asked.tools
        assert "You are.\nRules." == asked.system
        assert [
            Turn("user", "Do it."),
            Turn("tool", "mcp__tiny add wait"),
            Turn("tool", "5"),
            Turn("tool", "ok"),
        ] == asked.turns

    def test_an_input_may_be_a_string(self) -> None:
        """It is what the user says."""
        asked = responses.asked("/v1/responses", {"input": "Do it.", "stream": False})
        assert ([Turn("user", "Do it.")], False) == (asked.turns, asked.stream)


class TestAskedChat:
    """A Chat Completions request."""

    def test_system_messages_are_no_turns(self) -> None:
        """Their texts are the system text; a tool's result is a tool turn."""
        asked = chat.asked(
            "/v1/chat/completions",
            {
                "model": "gpt-x",
                "stream": True,
                "tools": [
                    {"type": "function", "function": {"name": "bash"}},
                    {"type": "custom", "custom": {"name": "apply_patch"}},
                ],
                "messages": [
                    {"role": "system", "content": "You are."},
                    {"role": "user", "content": [{"type": "text", "text": "Do it."}]},
                    {"role": "assistant", "content": None, "tool_calls": []},
                    {"role": "tool", "content": "hello"},
                ],
            },
        )
        assert {"bash": "function", "apply_patch": "custom"} == asked.tools
        assert "You are." == asked.system
        assert [Turn("user", "Do it."), Turn("assistant", ""), Turn("tool", "hello")] == asked.turns


class TestAskedGemini:
    """A generateContent request."""

    def test_model_and_stream_stand_in_the_path(self) -> None:
        """Roles are named as elsewhere, results are a tool turn."""
        result = {"name": "run_shell_command", "response": {"output": "hello"}}
        asked = gemini.asked(
            GEMINI,
            {
                "systemInstruction": {"parts": [{"text": "You are."}]},
                "tools": [
                    {"functionDeclarations": [{"name": "run_shell_command"}]},
                    {"googleSearch": {}},
                ],
                "contents": [
                    {"role": "user", "parts": [{"text": "Do it."}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command"}}]},
                    {"role": "user", "parts": [{"functionResponse": result}]},
                ],
            },
        )
        assert ("gemini-2.5-pro", True) == (asked.model, asked.stream)
        assert {"run_shell_command": "function", "googleSearch": "web_search"} == asked.tools
        assert "You are." == asked.system
        assert [Turn("user", "Do it."), Turn("assistant", ""), Turn("tool", "hello")] == asked.turns

    def test_a_whole_answer_is_asked_by_another_path(self) -> None:
        """`generateContent` wants no stream."""
        assert not gemini.asked("/v1beta/models/m:generateContent", {}).stream


# What stands in some request, in some place; here it stands in any.
_WORDS = ["tool_result", "namespace", "function", "user", "message", "tool_search_output"]
_FIELDS = ["type", "role", "content", "parts", "text", "tools", "name", "output", "response"]
_FIELDS += ["function", "functionResponse", "functionDeclarations"]
_BODY = ["model", "messages", "input", "contents", "tools", "system", "instructions"]
_BODY += ["stream", "systemInstruction"]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(_WORDS),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_FIELDS), inner, max_size=4)
    ),
    max_leaves=15,
)


class TestOddBodies:
    """What no CLI sends."""

    @settings(
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(body=st.dictionaries(st.sampled_from(_BODY), _JSON, max_size=5))
    def test_nothing_raises(self, body: dict[str, Any]) -> None:
        """Whatever stands where, it is read."""
        for wire in WIRES:
            assert wire.asked(GEMINI, body).body is body

    @pytest.mark.parametrize("wire", WIRES)
    def test_content_without_end_is_not_followed(self, wire: ModuleType) -> None:
        """Content nested a thousand deep is no reason to fail."""
        content: Any = "deep"
        for _ in range(1000):
            content = [{"type": "tool_result", "content": content}]
        messages = [{"role": "user", "content": content, "parts": content}]
        body = {"messages": messages, "input": messages, "contents": messages}
        assert wire.asked(GEMINI, body).turns
