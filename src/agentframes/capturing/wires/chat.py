# SPDX-License-Identifier: Apache-2.0
"""OpenAI Chat Completions, as Copilot and opencode ask it.

Pinned to corpus/copilot/1.0.102 and corpus/opencode/1.18.33: s03-shell, s05-edit (free-text
calls), s06-reasoning, s24-refusal, s24b-refusal-field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.wires import (
    ARGUMENTS,
    ERRORS,
    RATE_LIMITED,
    Chunk,
    client_calls,
    event,
    json_of,
    objects,
    pieces,
    said,
    string,
    texts,
)
from agentframes.engines.offline import Asked, NativeCall, Turn

REQUEST_ID = "x-request-id"
_CREATED = 1_700_000_000
_STOPS = {"length": "length", "refusal": "content_filter", "filter": "content_filter"}
_SYSTEM = {"system", "developer"}
_ROLES = {"function": "tool"}  # what results were called at first
# Type and code. The first captures saw 429 with either word as its type.
_ERROR_TYPES = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    429: ("rate_limit_exceeded", "rate_limit_exceeded"),
}


def asked(_path: str, body: dict[str, Any]) -> Asked:
    """Read a request; the texts of system and developer messages are its system text."""
    messages = objects(body.get("messages"))
    turns = [
        Turn(_ROLES.get(role, role), texts(message.get("content")))
        for message in messages
        if (role := string(message.get("role"))) not in _SYSTEM
    ]
    system = [message for message in messages if message.get("role") in _SYSTEM]
    return Asked(
        api="chat",
        model=string(body.get("model")),
        tools=dict(_tool(tool) for tool in objects(body.get("tools"))),
        system=texts(system),
        turns=turns,
        stream=body.get("stream") is True,
        body=body,
    )


def _tool(tool: dict[str, Any]) -> tuple[str, str]:
    """Return an offered tool's name and kind, "function" or "custom"."""
    kind = string(tool.get("type"))
    told = tool.get(kind)
    return string(told.get("name") if isinstance(told, dict) else None), kind


def stream(reply: Reply, asked: Asked) -> Iterator[Chunk]:
    """Yield the chunks of an answer; the last before ``[DONE]`` has no choice but the usage."""
    yield _chunk(reply, asked, {"role": "assistant", "content": ""})
    for key, text in _spoken(reply).items():
        for piece in pieces(text, reply.piece):
            yield _chunk(reply, asked, {key: piece}, piece=True)
    for index, call in enumerate(_calls(reply, asked)):
        kind = call["type"]
        field = "input" if kind == "custom" else "arguments"
        text = call[kind][field]
        head = {**call, kind: {**call[kind], field: ""}}
        yield _chunk(reply, asked, {"tool_calls": [{"index": index, **head}]})
        for piece in pieces(text, ARGUMENTS):
            part = {"index": index, kind: {field: piece}}
            yield _chunk(reply, asked, {"tool_calls": [part]})
    yield _chunk(reply, asked, {}, finish=_finish(reply))
    yield event({**_head(reply, asked, ".chunk"), "choices": [], "usage": _usage(reply)}), False
    yield b"data: [DONE]\n\n", False


def _chunk(
    reply: Reply,
    asked: Asked,
    delta: dict[str, Any],
    *,
    piece: bool = False,
    finish: str | None = None,
) -> Chunk:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({**_head(reply, asked, ".chunk"), "choices": [choice]}), piece


def document(reply: Reply, asked: Asked) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": None, **_spoken(reply)}
    calls = _calls(reply, asked)
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_head(reply, asked), "choices": [choice], "usage": _usage(reply)}


def _head(reply: Reply, asked: Asked, suffix: str = "") -> dict[str, Any]:
    return {
        "id": f"chatcmpl-fake{reply.number:03d}",
        "object": f"chat.completion{suffix}",
        "created": _CREATED,
        "model": asked.model,
    }


def _spoken(reply: Reply) -> dict[str, str]:
    """Return what is said, by the field it is said in; `reasoning_content` is DeepSeek's word."""
    told = {
        "reasoning_content": reply.reasoning,
        "content": reply.text,
        "refusal": reply.refusal,
    }
    return {key: text for key, text in told.items() if text}


def _calls(reply: Reply, asked: Asked) -> list[dict[str, Any]]:
    return [
        {"id": f"call_fake{reply.number:03d}_{index}", **_call(call, asked)}
        for index, call in enumerate(client_calls(reply))
    ]


def _call(call: NativeCall, asked: Asked) -> dict[str, Any]:
    """Return a call as its tool was offered: with free text, where it is text, or with JSON.

    Copilot up to 1.0.24 offers a tool for free text, but reads no such call from this form's
    stream: there the text is an object's `input` (corpus/copilot/1.0.12/s05-edit).
    """
    text = isinstance(call.arguments, str)
    if text and asked.tools.get(call.name, call.kind) == "custom":
        return {"type": "custom", "custom": {"name": call.name, "input": said(call)}}
    return {"type": "function", "function": {"name": call.name, "arguments": json_of(call)}}


def _finish(reply: Reply) -> str:
    return _STOPS.get(reply.stop) or ("tool_calls" if client_calls(reply) else "stop")


def _usage(reply: Reply) -> dict[str, Any]:
    """Return the tokens; none is told as written to a cache, as in the first captures."""
    usage = reply.usage
    prompt = usage.input + usage.cached
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def failure(failure: Failure) -> tuple[dict[str, Any], dict[str, str]]:
    """Return an error's body and headers (body as in corpus/opencode/1.18.33/s09-http401)."""
    status = failure.status
    kind, code = _ERROR_TYPES.get(status, ("server_error", None))
    message = ERRORS.get(status, f"status {status}")
    error = {"message": message, "type": kind, "param": None, "code": code}
    headers = {REQUEST_ID: f"req_fake_{failure.number:03d}"}
    return {"error": error}, headers | ({"retry-after": "1"} if status == RATE_LIMITED else {})
