# SPDX-License-Identifier: Apache-2.0
"""What the scripted model server answers in each wire form, as a client reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentframes.capturing.scenario import MAIN_USAGE
from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.server import ModelServer
from agentframes.engines.offline import Asked
from tests.asking import (
    ARGUMENTS,
    ENDS,
    EVERY,
    PATHS,
    REASONING,
    TEXT,
    always,
    full,
    request,
    stream,
    whole,
)


class TestAnthropic:
    """POST /v1/messages."""

    def test_streamed(self) -> None:
        """Pieces join to the texts and the arguments; tokens and stop reason come at the end."""
        with ModelServer(always(full())) as server:
            events = stream(server, "anthropic")
        deltas = [one["delta"] for one in events if one["type"] == "content_block_delta"]

        def joined(kind: str) -> str:
            return "".join(one.get(kind, "") for one in deltas)

        assert (REASONING, TEXT) == (joined("thinking"), joined("text"))
        inputs = [
            "".join(
                one["delta"]["partial_json"]
                for one in events
                if one["type"] == "content_block_delta" and one["index"] == index
            )
            for index in (2, 3)
        ]
        assert [ARGUMENTS, {}] == [json.loads(one) for one in inputs]
        assert "tool_use" == events[-2]["delta"]["stop_reason"]
        usage = {"input_tokens": 2203, "cache_creation_input_tokens": 37}
        usage |= {"cache_read_input_tokens": 512, "output_tokens": 28}
        assert usage == events[-2]["usage"]
        assert 1 == events[0]["message"]["usage"]["output_tokens"]

    def test_whole(self) -> None:
        """The same in one document."""
        with ModelServer(always(full())) as server:
            told = whole(server, "anthropic")
        thinking, text, run, look = told["content"]
        assert (REASONING, TEXT) == (thinking["thinking"], text["text"])
        assert ("run", ARGUMENTS, "toolu_fake001_2") == (run["name"], run["input"], run["id"])
        assert ("look", {}, "toolu_fake001_3") == (look["name"], look["input"], look["id"])
        assert ("msg_fake001", "tool_use", 28) == (
            told["id"],
            told["stop_reason"],
            told["usage"]["output_tokens"],
        )

    def test_counts_tokens(self) -> None:
        """Roughly."""
        with ModelServer(always(full())) as server:
            _, body = request(server, "/v1/messages/count_tokens", {"messages": []})
        assert {"input_tokens": 4} == json.loads(body)

    def test_says_hello(self) -> None:
        """Claude Code 2.1.220 looks whether somebody is there."""
        with ModelServer(always(full())) as server:
            response, body = request(server, "/api/hello", method="HEAD")
        assert (200, b"") == (response.status, body)


class TestResponses:
    """POST /v1/responses."""

    def test_streamed(self) -> None:
        """Pieces join to what each item holds when it is done; all is in the last event."""
        with ModelServer(always(full())) as server:
            events = stream(server, "responses")
        deltas: dict[str, str] = {}
        for one in events:
            if one["type"].endswith(".delta"):
                deltas[one["item_id"]] = deltas.get(one["item_id"], "") + one["delta"]
        reasoning, message, run, look = events[-1]["response"]["output"]
        assert deltas[reasoning["id"]] == REASONING == reasoning["summary"][0]["text"]
        assert deltas[message["id"]] == TEXT == message["content"][0]["text"]
        assert deltas[run["id"]] == run["arguments"]
        assert (ARGUMENTS, {}) == (json.loads(run["arguments"]), json.loads(look["arguments"]))
        done = [one["item"] for one in events if one["type"] == "response.output_item.done"]
        assert [reasoning, message, run, look] == done
        assert list(range(len(events))) == [one["sequence_number"] for one in events]

    def test_whole(self) -> None:
        """What was cached is in the input, what was thought in the output."""
        with ModelServer(always(full())) as server:
            told = whole(server, "responses")
        assert ("resp_fake001", "completed") == (told["id"], told["status"])
        assert {
            "input_tokens": 2715,
            "input_tokens_details": {"cached_tokens": 512},
            "output_tokens": 28,
            "output_tokens_details": {"reasoning_tokens": 5},
            "total_tokens": 2743,
        } == told["usage"]

    @pytest.mark.parametrize(
        ("stop", "reason"), [("length", "max_output_tokens"), ("filter", "content_filter")]
    )
    def test_incomplete(self, stop: Any, reason: str) -> None:
        """An answer that ends too early is incomplete."""
        with ModelServer(always(Reply(number=1, text="half", stop=stop))) as server:
            last = stream(server, "responses")[-1]
        assert "response.incomplete" == last["type"]
        assert ("incomplete", {"reason": reason}) == (
            last["response"]["status"],
            last["response"]["incomplete_details"],
        )


class TestChat:
    """POST /v1/chat/completions."""

    def test_streamed(self) -> None:
        """Pieces join; tokens come in a last chunk that has no choice."""
        with ModelServer(always(full())) as server:
            chunks = stream(server, "chat")
        deltas = [one["choices"][0]["delta"] for one in chunks[:-1]]
        assert TEXT == "".join(one.get("content", "") for one in deltas)
        assert REASONING == "".join(one.get("reasoning_content", "") for one in deltas)
        calls = [call for one in deltas for call in one.get("tool_calls", [])]
        assert [
            "".join(one["function"]["arguments"] for one in calls if one["index"] == index)
            for index in (0, 1)
        ] == ['{"command": "echo hällo", "description": "Print hällo to the terminal"}', "{}"]
        assert ["run", "look"] == [one["function"]["name"] for one in calls if "id" in one]
        assert ("tool_calls", []) == (
            chunks[-2]["choices"][0]["finish_reason"],
            chunks[-1]["choices"],
        )
        assert {
            "prompt_tokens": 2715,
            "completion_tokens": 28,
            "total_tokens": 2743,
            "prompt_tokens_details": {"cached_tokens": 512},
            "completion_tokens_details": {"reasoning_tokens": 5},
        } == chunks[-1]["usage"]

    def test_whole(self) -> None:
        """The same in one document."""
        with ModelServer(always(full())) as server:
            told = whole(server, "chat")
        message = told["choices"][0]["message"]
        assert (TEXT, REASONING) == (message["content"], message["reasoning_content"])
        assert ["call_fake001_0", "call_fake001_1"] == [one["id"] for one in message["tool_calls"]]
        assert ("chatcmpl-fake001", 2743) == (told["id"], told["usage"]["total_tokens"])

    def test_a_refusal_in_its_own_field(self) -> None:
        """It is no content, and by itself no reason to stop early."""
        with ModelServer(always(Reply(number=1, refusal="I cannot.", piece=4))) as server:
            chunks = stream(server, "chat")
        choices = [one["choices"][0] for one in chunks[:-1]]
        assert "I cannot." == "".join(one["delta"].get("refusal", "") for one in choices)
        assert "stop" == choices[-1]["finish_reason"]

    def test_lists_no_models(self) -> None:
        """Whoever asks for models gets none."""
        with ModelServer(always(full())) as server:
            _, body = request(server, "/v1/models", method="GET")
        assert [] == json.loads(body)["data"]


class TestGemini:
    """POST /v1beta/models/…."""

    def test_streamed(self) -> None:
        """Pieces join; tokens without thoughts, and the end, stand in the last chunk alone."""
        with ModelServer(always(full())) as server:
            chunks = stream(server, "gemini")
        parts = [one["candidates"][0]["content"]["parts"][0] for one in chunks]
        thoughts = [one for one in parts if one.get("thought")]
        assert REASONING == "".join(one["text"] for one in thoughts)
        assert ["thoughtSignature" in one for one in thoughts] == [False, True]
        assert TEXT == "".join(one.get("text", "") for one in parts if "thought" not in one)
        calls = [one["functionCall"] for one in parts if "functionCall" in one]
        assert [{"name": "run", "args": ARGUMENTS}, {"name": "look", "args": {}}] == calls
        assert [None] * (len(chunks) - 1) + ["STOP"] == [
            one["candidates"][0].get("finishReason") for one in chunks
        ]
        assert {
            "promptTokenCount": 2715,
            "candidatesTokenCount": 23,
            "totalTokenCount": 2743,
            "cachedContentTokenCount": 512,
            "thoughtsTokenCount": 5,
        } == chunks[-1]["usageMetadata"]

    def test_whole(self) -> None:
        """The texts are parts of their own, uncut."""
        with ModelServer(always(full())) as server:
            told = whole(server, "gemini")
        parts = told["candidates"][0]["content"]["parts"]
        assert [REASONING, TEXT] == [one["text"] for one in parts[:2]]
        assert ["run", "look"] == [one["functionCall"]["name"] for one in parts[2:]]
        assert "gemini-2.5-pro" == told["modelVersion"]

    def test_counts_tokens(self) -> None:
        """Roughly."""
        with ModelServer(always(full())) as server:
            _, body = request(server, "/v1beta/models/m:countTokens", {"contents": []})
        assert {"totalTokens": 4} == json.loads(body)


STOPS = {
    "anthropic": lambda told: told["stop_reason"],
    "chat": lambda told: told["choices"][0]["finish_reason"],
    "gemini": lambda told: told["candidates"][0]["finishReason"],
}


class TestStops:
    """Why an answer ended, in each provider's word."""

    @pytest.mark.parametrize(
        ("api", "words"),
        [
            ("anthropic", ["end_turn", "max_tokens", "refusal", "refusal"]),
            ("chat", ["stop", "length", "content_filter", "content_filter"]),
            ("gemini", ["STOP", "MAX_TOKENS", "SAFETY", "SAFETY"]),
        ],
    )
    def test_words(self, api: str, words: list[str]) -> None:
        """The end, the token limit, a refusal, a filter."""
        stops: list[Any] = ["end", "length", "refusal", "filter"]
        replies = iter(Reply(number=1, text="So.", stop=stop) for stop in stops)
        with ModelServer(lambda _asked: next(replies)) as server:
            assert words == [STOPS[api](whole(server, api)) for _ in stops]

    @EVERY
    def test_an_empty_answer(self, api: str) -> None:
        """No text and no call is an answer that ends like others."""
        with ModelServer(always(Reply(number=1, usage=MAIN_USAGE[0]))) as server:
            _, body = request(server, PATHS[api], {"stream": True})
        assert ENDS[api] in body
        assert b'"text": "ok"' not in body

    def test_what_a_refusal_says_has_a_place_of_its_own(self) -> None:
        """Anthropic explains, Gemini adds a message."""
        with ModelServer(always(Reply(number=1, refusal="I cannot."))) as server:
            told, other = whole(server, "anthropic"), whole(server, "gemini")
        assert ("refusal", "I cannot.") == (
            told["stop_reason"],
            told["stop_details"]["explanation"],
        )
        assert ("SAFETY", "I cannot.") == (
            other["candidates"][0]["finishReason"],
            other["candidates"][0]["finishMessage"],
        )


class TestFailures:
    """An HTTP status in place of an answer."""

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (400, "invalid_request_error"),
            (401, "authentication_error"),
            (403, "permission_error"),
            (429, "rate_limit_error"),
            (500, "api_error"),
            (503, "api_error"),
            (529, "overloaded_error"),
        ],
    )
    def test_anthropic(self, status: int, kind: str) -> None:
        """The error has a type, the request an id."""
        with ModelServer(always(Failure(status, 7))) as server:
            response, body = request(server, PATHS["anthropic"], {})
        told = json.loads(body)
        assert (status, "error", kind) == (response.status, told["type"], told["error"]["type"])
        assert "req_fake_007" == told["request_id"] == response.headers["request-id"]
        assert response.headers["retry-after"] == ("1" if status == 429 else None)

    @pytest.mark.parametrize("api", ["responses", "chat"])
    @pytest.mark.parametrize(
        ("status", "kind", "code"),
        [
            (400, "invalid_request_error", None),
            (401, "invalid_request_error", "invalid_api_key"),
            (429, "rate_limit_exceeded", "rate_limit_exceeded"),
            (500, "server_error", None),
            (503, "server_error", None),
        ],
    )
    def test_openai(self, api: str, status: int, kind: str, code: str | None) -> None:
        """The error has a type and a code."""
        with ModelServer(always(Failure(status, 7))) as server:
            response, body = request(server, PATHS[api], {})
        error = json.loads(body)["error"]
        assert (status, kind, code, None) == (
            response.status,
            error["type"],
            error["code"],
            error["param"],
        )
        assert "req_fake_007" == response.headers["x-request-id"]

    @pytest.mark.parametrize(
        ("status", "word"),
        [
            (400, "INVALID_ARGUMENT"),
            (401, "UNAUTHENTICATED"),
            (403, "PERMISSION_DENIED"),
            (429, "RESOURCE_EXHAUSTED"),
            (500, "INTERNAL"),
            (503, "UNAVAILABLE"),
        ],
    )
    def test_gemini(self, status: int, word: str) -> None:
        """The error has the status in numbers and in a word; one of 429 says when to come back."""
        with ModelServer(always(Failure(status))) as server:
            response, body = request(server, PATHS["gemini"], {})
        error = json.loads(body)["error"]
        assert (status, status, word) == (response.status, error["code"], error["status"])
        assert ("details" in error) == (status == 429)

    def test_a_script_that_raises(self) -> None:
        """It is answered with a status that no CLI asks again for, and kept."""

        def answer(_asked: Asked) -> Reply:
            raise LookupError("no such tool")

        told: list[dict[str, Any]] = []
        with ModelServer(answer, log=told.append) as server:
            response, _ = request(server, PATHS["chat"], {})
        assert 400 == response.status
        assert [True] == ["LookupError: no such tool" in one for one in server.problems]
        assert "no such tool" in told[0]["problem"]
