# SPDX-License-Identifier: Apache-2.0
"""The four wire forms between a CLI and its model, one module each.

Every module has the same functions: `asked` reads a request, `stream` and `document` write an
answer, `failure` writes an error. Ids, sizes of pieces and error texts are those of the server
that made the first captures (they stand in the corpus), so that captures made since compare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from agentframes.capturing.script import Reply
from agentframes.engines.offline import Asked, NativeCall

Chunk: TypeAlias = "tuple[bytes, bool]"
"""What is sent at once, and whether it is a piece of text, reasoning or refusal: one that is
paused at, counted and cut after."""

ARGUMENTS = 40  # characters in a piece of a call's arguments
FOUND_TITLE = "Example page"
FOUND_URL = "https://example.com/agent-output-formats"
REFUSAL = "I cannot help with that."  # where the form has no refusal without words
ERRORS = {
    400: "bad request",
    401: "invalid api key",
    403: "permission denied",
    429: "Rate limit exceeded",
    500: "Internal server error",
    503: "Service unavailable",
    529: "Overloaded",
}
RATE_LIMITED = 429
_DEPTH = 8  # of content within content; a result within a message is at 3
_QUERY = re.compile(r"query: *(.+)")


def event(data: object, name: str = "") -> bytes:
    """Return one server-sent event; ASCII, so no reader cuts its line at a U+2028."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str, size: int) -> Iterator[str]:
    """Cut a text; of an empty one there is no piece."""
    return (text[start : start + size] for start in range(0, len(text), max(size, 1)))


def json_of(call: NativeCall) -> str:
    """Return a call's arguments as the JSON text of a function call."""
    return json.dumps(inputs(call), ensure_ascii=False)


def inputs(call: NativeCall) -> dict[str, Any]:
    """Return a call's arguments as an object; free text is its `input`, as tools have it."""
    return {"input": call.arguments} if isinstance(call.arguments, str) else call.arguments


def said(call: NativeCall) -> str:
    """Return a call's arguments as free text."""
    return call.arguments if isinstance(call.arguments, str) else json_of(call)


def searches(reply: Reply, asked: Asked) -> list[str]:
    """Return what the provider has searched for: calls of that kind, else what a helper asks.

    A helper is offered the provider's own search and nothing else (Claude Code's `WebSearch`,
    Gemini's `google_web_search`), and finds its query in the last user message.
    """
    told = [str(inputs(call).get("query", "")) for call in reply.calls if _searched(call)]
    if told or reply.calls or set(asked.tools.values()) != {"web_search"}:
        return told
    last = next((turn.text for turn in reversed(asked.turns) if turn.role == "user"), "")
    found = _QUERY.search(last)
    return [found[1].strip() if found else last.strip()]


def client_calls(reply: Reply) -> list[NativeCall]:
    """Return the calls that the CLI is to carry out."""
    return [call for call in reply.calls if not _searched(call)]


def _searched(call: NativeCall) -> bool:
    return call.kind == "web_search"


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of an array; of anything else, none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def string(value: object) -> str:
    """Return a string; for anything else, an empty one."""
    return value if isinstance(value, str) else ""


def texts(content: object, depth: int = _DEPTH) -> str:
    """Return all texts of a message's content, joined by line breaks."""
    if not depth:
        return ""
    match content:
        case str():
            return content
        case list():
            return "\n".join(filter(None, (texts(one, depth - 1) for one in content)))
        case {"text": str(text)} | {"refusal": str(text)} | {"tool_name": str(text)}:
            return text  # tool_name: what Claude Code's ToolSearch has found
        case {"content": inner} | {"parts": inner}:
            return texts(inner, depth - 1)
    return ""
