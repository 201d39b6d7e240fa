# SPDX-License-Identifier: Apache-2.0
"""Gemini generateContent, as Gemini CLI asks it.

Pinned to corpus/gemini/0.61.0: s03-shell and s16-multistep--json (tokens, and pieces of text),
s08-http500, s09-http401, s10-http429 (errors), s24-refusal, s24c-safety-partial.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.wires import (
    ERRORS,
    FOUND_TITLE,
    FOUND_URL,
    RATE_LIMITED,
    Chunk,
    client_calls,
    event,
    inputs,
    objects,
    pieces,
    searches,
    string,
    texts,
)
from agentframes.engines.offline import Asked, Turn

REQUEST_ID = "x-request-id"
_MODEL = re.compile(r"models/([^/:]+):")
_ROLES = {"model": "assistant", "": "user"}
_SIGNATURE = "ZmFrZQ=="
_STOPS = {"length": "MAX_TOKENS", "refusal": "SAFETY", "filter": "SAFETY"}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


def asked(path: str, body: dict[str, Any]) -> Asked:
    """Read a request. A message with results is a "tool" turn, then one of its own texts."""
    model = _MODEL.search(path)
    return Asked(
        api="gemini",
        model=model[1] if model else "",
        tools=dict(_tools(objects(body.get("tools")))),
        system=texts(body.get("systemInstruction")),
        turns=[turn for message in objects(body.get("contents")) for turn in _turns(message)],
        stream=":streamGenerateContent" in path,
        body=body,
    )


def _tools(offered: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield functions, and by its field what the provider does itself ("web_search")."""
    for tool in offered:
        for key, value in tool.items():
            if key == "functionDeclarations":
                yield from ((string(one.get("name")), "function") for one in objects(value))
            else:
                yield key, "web_search" if key == "googleSearch" else key


def _turns(message: dict[str, Any]) -> Iterator[Turn]:
    parts = objects(message.get("parts"))
    results = [_result(part["functionResponse"]) for part in parts if "functionResponse" in part]
    if results:
        yield Turn("tool", "\n".join(results))
    told = texts([part for part in parts if "functionResponse" not in part])
    if told or not results:
        role = string(message.get("role"))
        yield Turn(_ROLES.get(role, role), told)


def _result(result: object) -> str:
    """Return a result's texts, else its JSON."""
    told = result.get("response") if isinstance(result, dict) else None
    if not isinstance(told, dict):
        return ""
    found = [value for value in told.values() if isinstance(value, str)]
    return "\n".join(found) if found else json.dumps(told, ensure_ascii=False)


def stream(reply: Reply, asked: Asked) -> Iterator[Chunk]:
    """Yield the chunks of an answer; the last one tells how it ended, and the tokens."""
    told = [(part, True) for part in _texts(reply)]
    calls = [(part, False) for part in _calls(reply)]
    chunks = told + calls or [({"text": ""}, False)]
    # An answer that is to be cut has no end, however early the last piece of its text comes.
    last = len(chunks) - 1 if reply.cut_after is None else -1
    for place, (part, piece) in enumerate(chunks):
        ending = _ending(reply, asked) if place == last else {}
        candidate = {"content": {"role": "model", "parts": [part]}, **ending, "index": 0}
        yield event(_response(reply, asked, candidate, ended=place == last)), piece


def document(reply: Reply, asked: Asked) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    whole = Reply(
        number=reply.number,
        text=reply.text,
        reasoning=reply.reasoning,
        piece=max(len(reply.text), len(reply.reasoning)),
    )
    parts = [*_texts(whole), *_calls(reply)]
    candidate = {"content": {"role": "model", "parts": parts}, **_ending(reply, asked), "index": 0}
    return _response(reply, asked, candidate, ended=True)


def _response(
    reply: Reply, asked: Asked, candidate: dict[str, Any], *, ended: bool
) -> dict[str, Any]:
    usage = {"usageMetadata": _usage(reply)} if ended else {}
    ident = f"resp_fake{reply.number:03d}"
    told = {"candidates": [candidate], **usage}
    return {**told, "modelVersion": asked.model, "responseId": ident}


def _texts(reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the parts of reasoning, the last of which is signed, then those of the text."""
    thoughts = [{"text": piece, "thought": True} for piece in pieces(reply.reasoning, reply.piece)]
    if thoughts:
        thoughts[-1]["thoughtSignature"] = _SIGNATURE
    yield from thoughts
    yield from ({"text": piece} for piece in pieces(reply.text, reply.piece))


def _calls(reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the calls; they have no ids, the CLI gives them its own."""
    for call in client_calls(reply):
        yield {"functionCall": {"name": call.name, "args": inputs(call)}}


def _ending(reply: Reply, asked: Asked) -> dict[str, Any]:
    refused = "SAFETY" if reply.refusal else "STOP"
    ending: dict[str, Any] = {"finishReason": _STOPS.get(reply.stop, refused)}
    if reply.refusal:
        ending["finishMessage"] = reply.refusal
    found = searches(reply, asked)
    if found:
        ending["groundingMetadata"] = _grounding(found, reply.text)
    return ending


def _grounding(found: list[str], text: str) -> dict[str, Any]:
    """Return what was searched for, and the one page that all of the text rests on."""
    segment = {"startIndex": 0, "endIndex": len(text.encode()), "text": text}
    return {
        "webSearchQueries": found,
        "groundingChunks": [{"web": {"uri": FOUND_URL, "title": FOUND_TITLE}}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }


def _usage(reply: Reply) -> dict[str, Any]:
    """Return the tokens: thoughts are not among the candidates', and none stands for no field."""
    usage = reply.usage
    prompt, visible = usage.input + usage.cached, usage.output - usage.reasoning
    told = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": visible,
        "totalTokenCount": prompt + usage.output,
    }
    if usage.cached:
        told["cachedContentTokenCount"] = usage.cached
    if usage.reasoning:
        told["thoughtsTokenCount"] = usage.reasoning
    return told


def failure(failure: Failure) -> tuple[dict[str, Any], dict[str, str]]:
    """Return an error's body and headers (body as in corpus/gemini/0.61.0/s08-http500)."""
    status = failure.status
    error: dict[str, Any] = {
        "code": status,
        "message": ERRORS.get(status, f"status {status}"),
        "status": _STATUSES.get(status, "UNAVAILABLE"),
    }
    if status == RATE_LIMITED:
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}
        error["details"] = [retry]
    return {"error": error}, {REQUEST_ID: f"req_fake_{failure.number:03d}"}
