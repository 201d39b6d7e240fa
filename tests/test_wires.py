# SPDX-License-Identifier: Apache-2.0
"""What a CLI is answered, held against what real CLIs printed of such answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentframes.capturing.scenario import MAIN_USAGE
from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.wires import Chunk, anthropic, chat, gemini, responses
from agentframes.engines.offline import Asked, NativeCall

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
RUN = NativeCall(name="Bash", arguments={"command": "echo hello", "description": "Print hello"})
PATCH = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-beta\n+BETA\n*** End Patch\n"


def parsed(chunks: Iterator[Chunk]) -> list[dict[str, Any]]:
    """Return the JSON of a stream's events, without the word that ends a chat."""
    lines = b"".join(data for data, _ in chunks).decode().split("\n")
    told = (line.removeprefix("data: ") for line in lines if line.startswith("data: "))
    return [json.loads(one) for one in told if one != "[DONE]"]


def printed(name: str) -> list[dict[str, Any]]:
    """Return the frames of a capture."""
    lines = (CORPUS / name / "stdout.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


class TestAnthropicEvents:
    """Claude Code prints the events of its provider, so a capture shows them."""

    @staticmethod
    def asked() -> Asked:
        """Return what the capture's CLI asked, as far as it matters."""
        return anthropic.asked("/v1/messages", {"model": "claude-opus-5-5"})

    def told(self, *replies: Reply) -> list[dict[str, Any]]:
        """Return the events of several answers."""
        return [
            event for reply in replies for event in parsed(anthropic.stream(reply, self.asked()))
        ]

    def test_text_and_a_call(self) -> None:
        """Every event of a run with a shell call is the captured one, to its usage and ids."""
        frames = printed("claude/2.1.332/s03-shell--partial")
        assert [frame["event"] for frame in frames if frame["type"] == "stream_event"] == self.told(
            Reply(number=1, text="I will run it.", calls=[RUN], usage=MAIN_USAGE[0]),
            Reply(number=2, text="The command printed hello.", usage=MAIN_USAGE[1]),
        )

    def test_reasoning(self) -> None:
        """A thinking block is signed at its end."""
        frames = printed("claude/2.1.332/s06-reasoning--partial")
        assert [frame["event"] for frame in frames if frame["type"] == "stream_event"] == self.told(
            Reply(
                number=1,
                reasoning="First I consider which command to run.",
                calls=[RUN],
                usage=MAIN_USAGE[0],
            ),
            Reply(
                number=2,
                reasoning="The output says hello, so I can answer now.",
                text="Done: hello.",
                usage=MAIN_USAGE[1],
            ),
        )

    def test_a_token_limit(self) -> None:
        """The same in pieces of another size."""
        frames = printed("claude/2.1.332/s23-maxtokens--partial")
        events = [frame["event"] for frame in frames if frame["type"] == "stream_event"]
        end = next(at for at, event in enumerate(events) if event["type"] == "message_stop")
        reply = Reply(
            number=1,
            text="This is the first half of a long",
            stop="length",
            piece=16,
            usage=MAIN_USAGE[0],
        )
        assert events[: end + 1] == self.told(reply)

    def test_the_body_of_an_error(self) -> None:
        """Claude Code 1.0.128 prints it as it came."""
        told = next(
            frame["result"]
            for frame in printed("claude/1.0.128/s08-http500")
            if frame["type"] == "result"
        )
        body, _ = anthropic.failure(Failure(500, 500))
        assert body == json.loads(told.removeprefix("API Error: 500 "))


class TestChatDeltas:
    """Copilot prints the pieces of a call's arguments and the ids of its answers."""

    def test_free_text_goes_where_it_is_asked_for(self) -> None:
        """A custom tool's input comes in the captured pieces, under the captured id."""
        deltas = [
            frame["data"]
            for frame in printed("copilot/1.0.102/s05-edit")
            if frame["type"] == "assistant.tool_call_delta"
        ]
        reply = Reply(
            number=2, calls=[NativeCall(name="apply_patch", kind="custom", arguments=PATCH)]
        )
        offered = [{"type": "custom", "custom": {"name": "apply_patch"}}]
        asked = chat.asked("", {"tools": offered})
        calls = [
            call
            for chunk in parsed(chat.stream(reply, asked))
            for choice in chunk["choices"]
            for call in choice["delta"].get("tool_calls", [])
        ]
        assert [one["inputDelta"] for one in deltas if one["toolCallId"] == "call_fake002_0"] == [
            call["custom"]["input"] for call in calls if "id" not in call
        ]
        assert ("call_fake002_0", "custom", "apply_patch") == (
            calls[0]["id"],
            calls[0]["type"],
            calls[0]["custom"]["name"],
        )

    def test_free_text_becomes_json_where_no_such_tool_is_offered(self) -> None:
        """A function has it as its `input`."""
        reply = Reply(
            number=1, calls=[NativeCall(name="apply_patch", kind="custom", arguments=PATCH)]
        )
        offered = [{"type": "function", "function": {"name": "apply_patch"}}]
        told = chat.document(reply, chat.asked("", {"tools": offered}))
        call = told["choices"][0]["message"]["tool_calls"][0]
        assert {"input": PATCH} == json.loads(call["function"]["arguments"])

    def test_the_body_of_an_error(self) -> None:
        """Opencode prints it."""
        frame = printed("opencode/1.18.33/s09-http401")[0]
        body, headers = chat.failure(Failure(401, 401))
        assert frame["error"]["data"]["responseBody"] == json.dumps(body)
        assert (
            headers["x-request-id"] == (frame["error"]["data"]["responseHeaders"]["x-request-id"])
        )


class TestResponsesItems:
    """What Codex and Copilot print of the items of an answer."""

    def test_a_reasoning_item_is_the_captured_one(self) -> None:
        """Copilot prints it whole, with what it is encrypted to."""
        message = next(
            frame["data"]
            for frame in printed("copilot/1.0.102/s06-reasoning--stream-responses")
            if frame["type"] == "assistant.message"
        )
        reply = Reply(number=1, reasoning="First I consider which command to run.", calls=[RUN])
        told = responses.document(reply, responses.asked("", {}))
        assert message["reasoningBlocks"]["blocks"] == told["output"][:1]
        assert (message["toolRequests"][0]["toolCallId"], message["apiCallId"]) == (
            told["output"][1]["call_id"],
            told["id"],
        )

    def test_calls_of_every_kind(self) -> None:
        """Free text, a search for tools, a tool in a namespace; the items count on."""
        calls = [
            NativeCall(name="apply_patch", kind="custom", arguments=PATCH),
            NativeCall(name="tool_search", kind="tool_search", arguments={"query": "add"}),
            NativeCall(name="add", namespace="mcp__tiny", arguments={"a": 2}),
        ]
        told = responses.document(Reply(number=7, text="So.", calls=calls), responses.asked("", {}))
        patch, search, add = told["output"][1:]
        assert ("custom_tool_call", PATCH, "call_fake007_1") == (
            patch["type"],
            patch["input"],
            patch["call_id"],
        )
        assert ("tool_search_call", "client", {"query": "add"}, "call_fake007_2") == (
            search["type"],
            search["execution"],
            search["arguments"],
            search["call_id"],
        )
        assert ("function_call", "add", "mcp__tiny", '{"a": 2}', "call_fake007_3") == (
            add["type"],
            add["name"],
            add["namespace"],
            add["arguments"],
            add["call_id"],
        )

    def test_a_search_of_the_provider_comes_before_what_it_found(self) -> None:
        """Its id and action are those that Codex 0.171.0 prints."""
        item = next(
            frame["item"]
            for frame in printed("codex/0.171.0/s31-websearch")
            if frame["type"] == "item.completed"
        )
        search = NativeCall(
            name="web_search", kind="web_search", arguments={"query": "agent output formats"}
        )
        told = responses.document(
            Reply(number=1, text="I found one page.", calls=[search]), responses.asked("", {})
        )
        assert ["web_search_call", "message"] == [one["type"] for one in told["output"]]
        assert (item["id"], item["action"]) == (
            told["output"][0]["id"],
            told["output"][0]["action"],
        )

    def test_a_refusal_has_words_of_its_own(self) -> None:
        """Where the script has none, some are said: the form has no refusal without."""
        events = parsed(responses.stream(Reply(number=1, stop="refusal"), responses.asked("", {})))
        deltas = [one["delta"] for one in events if one["type"] == "response.refusal.delta"]
        assert "I cannot help with that." == "".join(deltas)
        assert {"type": "refusal", "refusal": "I cannot help with that."} == (
            events[-1]["response"]["output"][0]["content"][0]
        )


class TestProvidersSearch:
    """A helper that is offered the provider's search alone gets a result, not just a text."""

    def test_claude_codes_helper(self) -> None:
        """The query stands in what it says to the user's place; the search is counted."""
        asked = anthropic.asked(
            "",
            {
                "tools": [{"type": "web_search_20250305", "name": "web_search"}],
                "messages": [
                    {"role": "user", "content": "Perform a web search for the query: frames"}
                ],
            },
        )
        told = anthropic.document(Reply(number=3, text="One page."), asked)
        use, result, text = told["content"]
        assert ("server_tool_use", {"query": "frames"}) == (use["type"], use["input"])
        assert ("web_search_tool_result", use["id"]) == (result["type"], result["tool_use_id"])
        assert ("One page.", "end_turn") == (text["text"], told["stop_reason"])
        assert {"web_search_requests": 1} == told["usage"]["server_tool_use"]
        events = parsed(anthropic.stream(Reply(number=3, text="One page."), asked))
        starts = [one["content_block"] for one in events if one["type"] == "content_block_start"]
        assert [{**use, "input": {}}, result, {"type": "text", "text": ""}] == starts

    def test_gemini_clis_helper(self) -> None:
        """The whole message is the query; the text rests on the one page."""
        contents = [{"role": "user", "parts": [{"text": "frames"}]}]
        asked = gemini.asked("", {"tools": [{"googleSearch": {}}], "contents": contents})
        told = gemini.document(Reply(number=3, text="Grüße."), asked)
        found = told["candidates"][0]["groundingMetadata"]
        assert ["frames"] == found["webSearchQueries"]
        assert 8 == found["groundingSupports"][0]["segment"]["endIndex"]

    def test_a_main_agent_that_may_search_has_not_searched(self) -> None:
        """Beside other tools the provider's search is only an offer."""
        offered = [{"type": "web_search"}, {"type": "function", "name": "shell"}]
        asked = responses.asked("", {"tools": offered, "input": "Do it."})
        told = responses.document(Reply(number=1, text="Done."), asked)
        assert ["message"] == [one["type"] for one in told["output"]]
