# SPDX-License-Identifier: Apache-2.0
"""Anthropic Messages, as Claude Code and Copilot ask it.

The events are those that Claude Code prints with --include-partial-messages
(corpus/claude/2.1.332/s03-shell--partial, s06-reasoning--partial).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.wires import (
    ARGUMENTS,
    ERRORS,
    FOUND_TITLE,
    FOUND_URL,
    RATE_LIMITED,
    Chunk,
    client_calls,
    event,
    inputs,
    json_of,
    objects,
    pieces,
    searches,
    string,
    texts,
)
from agentframes.engines.offline import Asked, NativeCall, Turn

REQUEST_ID = "request-id"
_SIGNATURE = "RmFrZVNpZ25hdHVyZQ=="
_STOPS = {"length": "max_tokens", "refusal": "refusal", "filter": "refusal"}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def asked(_path: str, body: dict[str, Any]) -> Asked:
    """Read a request.

    A user message with results is a "tool" turn, then one of its own texts. Claude Code (2.1.332)
    has messages of the role "system", too: their texts stand in the system text.
    """
    messages = objects(body.get("messages"))
    system = [message for message in messages if message.get("role") == "system"]
    rest = [message for message in messages if message.get("role") != "system"]
    return Asked(
        api="anthropic",
        model=string(body.get("model")),
        tools={string(tool.get("name")): _kind(tool) for tool in objects(body.get("tools"))},
        system=texts([body.get("system"), *system]),
        turns=[turn for message in rest for turn in _turns(message)],
        stream=body.get("stream") is True,
        body=body,
    )


def _kind(tool: dict[str, Any]) -> str:
    """Return "function" for a CLI's own tool, "web_search", else what the provider calls it."""
    kind = string(tool.get("type"))
    if kind in {"", "custom"}:
        return "function"
    return "web_search" if kind.startswith("web_search") else kind


def _turns(message: dict[str, Any]) -> Iterator[Turn]:
    role, content = string(message.get("role")), message.get("content")
    results = [block for block in objects(content) if block.get("type") == "tool_result"]
    if not results:
        yield Turn(role, texts(content))
        return
    yield Turn("tool", texts(results))
    rest = texts([block for block in objects(content) if block.get("type") != "tool_result"])
    if rest:
        yield Turn(role, rest)


def stream(reply: Reply, asked: Asked) -> Iterator[Chunk]:
    """Yield the events of an answer."""
    message = {**_message(reply, asked), "content": [], "stop_reason": None}
    message["usage"] = _usage(reply, output=1)  # what it starts with; the end tells the rest
    yield _event("message_start", message=message)
    for index, block in enumerate(_blocks(reply, asked)):
        start, deltas = _in_pieces(block, reply.piece)
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            piece = delta["type"] in {"text_delta", "thinking_delta"}
            yield _event("content_block_delta", piece=piece, index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    usage = _usage(reply, output=reply.usage.output)
    usage = {key: value for key, value in usage.items() if key.endswith("_tokens")}
    if count := len(searches(reply, asked)):
        usage["server_tool_use"] = {"web_search_requests": count}
    yield _event("message_delta", delta=_ending(reply), usage=usage)
    yield _event("message_stop")


def _event(kind: str, *, piece: bool = False, **data: object) -> Chunk:
    return event({"type": kind, **data}, kind), piece


def document(reply: Reply, asked: Asked) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    usage = _usage(reply, output=reply.usage.output)
    if count := len(searches(reply, asked)):
        usage["server_tool_use"] = {"web_search_requests": count}
    blocks = _blocks(reply, asked)
    return {**_message(reply, asked), "content": blocks, **_ending(reply), "usage": usage}


def _message(reply: Reply, asked: Asked) -> dict[str, Any]:
    return {
        "id": f"msg_fake{reply.number:03d}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {},
    }


def _ending(reply: Reply) -> dict[str, Any]:
    called = "tool_use" if client_calls(reply) else "end_turn"
    ending: dict[str, Any] = {
        "stop_reason": _STOPS.get(reply.stop) or ("refusal" if reply.refusal else called),
        "stop_sequence": None,
    }
    if reply.refusal:
        details = {"type": "refusal", "category": None, "explanation": reply.refusal}
        ending["stop_details"] = details
    return ending


def _usage(reply: Reply, *, output: int) -> dict[str, Any]:
    usage = reply.usage
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.cached,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.written,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": output,
        "service_tier": "standard",
    }


def _blocks(reply: Reply, asked: Asked) -> list[dict[str, Any]]:
    """Return the content, in the order in which models give it."""
    blocks: list[dict[str, Any]] = []
    if reply.reasoning:
        blocks.append({"type": "thinking", "thinking": reply.reasoning, "signature": _SIGNATURE})
    for query in searches(reply, asked):
        blocks += _search(f"srvtoolu_fake{reply.number:03d}_{len(blocks)}", query)
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for call in client_calls(reply):
        blocks.append(_tool_use(call, f"toolu_fake{reply.number:03d}_{len(blocks)}"))
    return blocks


def _tool_use(call: NativeCall, ident: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": call.name, "input": inputs(call)}


def _search(ident: str, query: str) -> list[dict[str, Any]]:
    """Return the provider's own search and its result."""
    found = {
        "type": "web_search_result",
        "title": FOUND_TITLE,
        "url": FOUND_URL,
        "encrypted_content": "ZmFrZQ==",
        "page_age": None,
    }
    use = {"type": "server_tool_use", "id": ident, "name": "web_search"}
    result = {"type": "web_search_tool_result", "tool_use_id": ident, "content": [found]}
    return [{**use, "input": {"query": query}}, result]


def _in_pieces(block: dict[str, Any], size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block as it starts, and the deltas that fill it; a search's result has none."""
    match block:
        case {"type": "text", "text": text}:
            told = [{"type": "text_delta", "text": piece} for piece in pieces(text, size)]
            return {**block, "text": ""}, told
        case {"type": "thinking", "thinking": text, "signature": signature}:
            told = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(text, size)]
            told.append({"type": "signature_delta", "signature": signature})
            return {**block, "thinking": "", "signature": ""}, told
        case {"name": name, "input": dict() as arguments}:
            text = json_of(NativeCall(name=name, arguments=arguments))
            cut = pieces(text, ARGUMENTS)
            told = [{"type": "input_json_delta", "partial_json": piece} for piece in cut]
            return {**block, "input": {}}, told
    return block, []


def failure(failure: Failure) -> tuple[dict[str, Any], dict[str, str]]:
    """Return an error's body and headers (body as in corpus/claude/1.0.128/s08-http500)."""
    status = failure.status
    error = {
        "type": _ERROR_TYPES.get(status, "api_error"),
        "message": ERRORS.get(status, f"status {status}"),
    }
    ident = f"req_fake_{failure.number:03d}"
    headers = {REQUEST_ID: ident} | ({"retry-after": "1"} if status == RATE_LIMITED else {})
    return {"type": "error", "error": error, "request_id": ident}, headers
