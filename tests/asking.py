# SPDX-License-Identifier: Apache-2.0
"""Asking a scripted model server over real connections."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from typing import Any

import pytest

from agentframes.capturing.scenario import MAIN_USAGE
from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.server import ModelServer
from agentframes.engines.offline import Asked, NativeCall

REASONING = "First I consider which command to run."
TEXT = "Grüße: the line\u2028separator is no end of a line."
ARGUMENTS = {"command": "echo hällo", "description": "Print hällo to the terminal"}
CALLS = [NativeCall(name="run", arguments=ARGUMENTS), NativeCall(name="look", arguments={})]
PATHS = {
    "anthropic": "/v1/messages?beta=true",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
}
# What stands at the end of a stream, and nowhere else in it.
ENDS = {
    "anthropic": b"message_stop",
    "responses": b"response.completed",
    "chat": b"[DONE]",
    "gemini": b"finishReason",
}
EVERY = pytest.mark.parametrize("api", list(PATHS))


def full(**changes: Any) -> Reply:
    """Return an answer with something of everything."""
    told = {"text": TEXT, "reasoning": REASONING, "calls": CALLS, "usage": MAIN_USAGE[1]}
    return Reply(number=1, **{**told, **changes})


def always(reply: Reply | Failure) -> Callable[[Asked], Reply | Failure]:
    """Return a model that always says the same."""
    return lambda _asked: reply


def request(
    server: ModelServer, path: str, body: object = None, *, method: str = "POST", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask, on a connection of its own, and read all of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    packed = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, packed, named)
    response = connection.getresponse()
    try:
        return response, response.read()
    finally:
        connection.close()


def whole(server: ModelServer, api: str) -> dict[str, Any]:
    """Ask for an answer in one piece."""
    path = PATHS[api].replace(":streamGenerateContent?alt=sse", ":generateContent")
    response, body = request(server, path, {"model": "m"})
    assert (200, "application/json") == (response.status, response.headers["content-type"])
    told: dict[str, Any] = json.loads(body)
    return told


def stream(server: ModelServer, api: str) -> list[dict[str, Any]]:
    """Ask for a stream, and return its events; a chat's last word is no JSON."""
    response, body = request(server, PATHS[api], {"model": "m", "stream": True})
    assert (200, "text/event-stream") == (response.status, response.headers["content-type"])
    lines = [line.removeprefix("data: ") for line in body.decode().split("\n")]
    return [json.loads(line) for line in lines if line.startswith("{")]
