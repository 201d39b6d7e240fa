# SPDX-License-Identifier: Apache-2.0
"""OpenAI Responses, as Codex and Copilot ask it.

Pinned to corpus/codex/0.171.0 (s03-shell, s06-reasoning, s23-maxtokens, s31-websearch) and
corpus/copilot/1.0.102 (s06-reasoning--stream-responses, s16-multistep--stream-responses).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from agentframes.capturing.script import Reply
from agentframes.capturing.wires import (
    ARGUMENTS,
    REFUSAL,
    Chunk,
    chat,
    client_calls,
    event,
    inputs,
    json_of,
    objects,
    pieces,
    said,
    searches,
    string,
    texts,
)
from agentframes.engines.offline import Asked, NativeCall, Turn

REQUEST_ID = chat.REQUEST_ID
failure = chat.failure
_CREATED = 1_700_000_000
_ENCRYPTED = "ZmFrZQ=="
_SYSTEM = {"system", "developer"}
_INCOMPLETE = {"length": "max_output_tokens", "filter": "content_filter"}


def asked(_path: str, body: dict[str, Any]) -> Asked:
    """Read a request.

    Tools are those of the body, of `additional_tools` items (codex's code mode) and of
    `tool_search_output` items (what a search has loaded). Of a namespace both its own name is
    listed, of kind "namespace", and those within, of kind "namespace:NAME"; a tool that is
    offered for itself goes before one of the same name within a namespace. Every item whose type
    ends with `_output` is a "tool" turn; the texts of system and developer messages stand with
    the instructions in the system text.
    """
    items = objects(body.get("input"))
    system = [item for item in items if item.get("role") in _SYSTEM]
    given = body.get("input")
    turns = [Turn("user", given)] if isinstance(given, str) else list(_turns(items))
    return Asked(
        api="responses",
        model=string(body.get("model")),
        tools=_tools(body, items),
        system=texts([body.get("instructions"), *system]),
        turns=turns,
        stream=body.get("stream") is True,
        body=body,
    )


def _turns(items: list[dict[str, Any]]) -> Iterator[Turn]:
    for item in items:
        role, kind = string(item.get("role")), string(item.get("type"))
        if kind.endswith("_output"):
            yield Turn("tool", texts(item.get("output")) or " ".join(_names(item.get("tools"))))
        elif role and role not in _SYSTEM and kind in {"message", ""}:
            yield Turn(role, texts(item.get("content")))
        elif kind == "agent_message":  # a sub-agent's task, where codex keeps it encrypted
            parts = objects(item.get("content"))
            told = [string(part.get("encrypted_content")) or texts(part) for part in parts]
            yield Turn("user", "\n".join(told))


def _tools(body: dict[str, Any], items: list[dict[str, Any]]) -> dict[str, str]:
    offered = objects(body.get("tools"))
    for item in items:
        if item.get("type") in {"additional_tools", "tool_search_output"}:
            offered += objects(item.get("tools"))
    found = {_name(tool): string(tool.get("type")) for tool in offered}
    for tool in offered:
        if tool.get("type") == "namespace":
            for inner in objects(tool.get("tools")):
                found.setdefault(_name(inner), f"namespace:{_name(tool)}")
    return found


def _name(tool: dict[str, Any]) -> str:
    """Return a tool's name; one of the provider's own is named by its type."""
    return string(tool.get("name")) or string(tool.get("type"))


def _names(tools: object) -> Iterator[str]:
    for tool in objects(tools):
        yield _name(tool)
        yield from _names(tool.get("tools"))


def stream(reply: Reply, asked: Asked) -> Iterator[Chunk]:
    """Yield the events of an answer."""
    numbers = count()
    items = _items(reply, asked)
    begun = {**_response(reply, asked), "status": "in_progress"}
    told: list[tuple[str, dict[str, Any]]] = [
        ("created", {"response": begun}),
        ("in_progress", {"response": begun}),
    ]
    for index, item in enumerate(items):
        told += _item_events(item, index, reply.piece)
    response = _ended(reply, asked, items)
    told.append((response["status"], {"response": response}))
    for name, data in told:
        kind = f"response.{name}"
        piece = name in {"output_text.delta", "refusal.delta", "reasoning_summary_text.delta"}
        yield event({"type": kind, "sequence_number": next(numbers), **data}, kind), piece


def document(reply: Reply, asked: Asked) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    return _ended(reply, asked, _items(reply, asked))


def _response(reply: Reply, asked: Asked) -> dict[str, Any]:
    return {
        "id": f"resp_fake{reply.number:03d}",
        "object": "response",
        "created_at": _CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": asked.model,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }


def _ended(reply: Reply, asked: Asked, items: list[dict[str, Any]]) -> dict[str, Any]:
    usage = reply.usage
    read = usage.input + usage.cached
    ended = _response(reply, asked) | {
        "output": items,
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": read + usage.output,
        },
    }
    why = _INCOMPLETE.get(reply.stop)
    if why:
        ended |= {"status": "incomplete", "incomplete_details": {"reason": why}}
    return ended


def _items(reply: Reply, asked: Asked) -> list[dict[str, Any]]:
    """Return the items of the output; their place is in their ids, from 0."""
    items: list[dict[str, Any]] = []
    number = f"{reply.number:03d}"
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        item = {"id": f"rs_{number}_0", "type": "reasoning", "summary": summary}
        items.append({**item, "encrypted_content": _ENCRYPTED})
    for place, query in enumerate(searches(reply, asked)):
        ident = f"ws_fake{number}" + (f"_{place}" if place else "")
        action = {"type": "search", "query": query, "queries": [query]}
        item = {"id": ident, "type": "web_search_call", "status": "completed"}
        items.append({**item, "action": action})
    content = _content(reply)
    if content:
        item = {"id": f"msg_{number}_{len(items)}", "type": "message", "status": "completed"}
        items.append({**item, "role": "assistant", "content": content})
    for call in client_calls(reply):
        items.append(_call(call, asked, f"{number}_{len(items)}"))
    return items


def _content(reply: Reply) -> list[dict[str, Any]]:
    """Return a message's parts; what a refusal says is no text."""
    refusal, text = reply.refusal, reply.text
    if reply.stop == "refusal" and not refusal:
        refusal, text = text or REFUSAL, ""
    parts: list[dict[str, Any]] = []
    if text:
        parts.append({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
    if refusal:
        parts.append({"type": "refusal", "refusal": refusal})
    return parts


def _call(call: NativeCall, asked: Asked, place: str) -> dict[str, Any]:
    """Return a call as its tool was offered."""
    called = {"status": "completed", "call_id": f"call_fake{place}"}
    if call.kind == "tool_search":
        item = {"id": f"tsc_{place}", "type": "tool_search_call", "execution": "client"}
        return {**item, **called, "arguments": inputs(call)}
    named = {**called, "name": call.name}
    if call.namespace:
        named["namespace"] = call.namespace
    if "custom" in {call.kind, asked.tools.get(call.name)}:
        return {"id": f"ctc_{place}", "type": "custom_tool_call", **named, "input": said(call)}
    return {"id": f"fc_{place}", "type": "function_call", **named, "arguments": json_of(call)}


def _item_events(
    item: dict[str, Any], index: int, size: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an item's events: added empty, filled in pieces, done."""
    at: dict[str, Any] = {"item_id": item["id"], "output_index": index}
    kind = item["type"]
    empty = {"message": "content", "reasoning": "summary", "function_call": "arguments"}
    added = {**item, "status": "in_progress"} if "status" in item else dict(item)
    field = empty.get(kind, "input")
    if field in added:
        added[field] = type(added[field])()
    added.pop("action", None)
    yield "output_item.added", {"output_index": index, "item": added}
    if kind == "message":
        for place, part in enumerate(item["content"]):
            yield from _part_events(part, {**at, "content_index": place}, size)
    elif kind == "reasoning":
        yield from _summary_events(item["summary"][0], {**at, "summary_index": 0}, size)
    elif kind == "function_call":
        yield from _filled("function_call_arguments", "arguments", item["arguments"], at)
    elif kind == "custom_tool_call":
        yield from _filled("custom_tool_call_input", "input", item["input"], at)
    elif kind == "web_search_call":
        for state in ("in_progress", "searching", "completed"):
            yield f"web_search_call.{state}", at
    yield "output_item.done", {"output_index": index, "item": item}


def _part_events(
    part: dict[str, Any], at: dict[str, Any], size: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    name, field = ("refusal", "refusal") if part["type"] == "refusal" else ("output_text", "text")
    yield "content_part.added", {**at, "part": {**part, field: ""}}
    extra: dict[str, Any] = {} if name == "refusal" else {"logprobs": []}
    yield from _filled(name, field, part[field], {**at, **extra}, size)
    yield "content_part.done", {**at, "part": part}


def _summary_events(
    part: dict[str, Any], at: dict[str, Any], size: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "reasoning_summary_part.added", {**at, "part": {**part, "text": ""}}
    yield from _filled("reasoning_summary_text", "text", part["text"], at, size)
    yield "reasoning_summary_part.done", {**at, "part": part}


def _filled(
    name: str, field: str, text: str, at: dict[str, Any], size: int = ARGUMENTS
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a text's pieces, then all of it."""
    for piece in pieces(text, size):
        yield f"{name}.delta", {**at, "delta": piece}
    yield f"{name}.done", {**at, field: text}
