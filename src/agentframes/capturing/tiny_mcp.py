# SPDX-License-Identifier: Apache-2.0
"""A tiny MCP server on stdio, for scenarios: `add`, `fail`, `structured`, `picture`, `blob`.

Run as a program of its own, by any Python: it imports the standard library alone.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from typing import Any

NO_METHOD = -32601


def red_pixel() -> bytes:
    """Return a PNG of one red pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


TOOLS: list[dict[str, Any]] = [
    {
        "name": "add",
        "title": "Add",
        "description": "Adds two numbers.",
        "inputSchema": _schema(a="number", b="number"),
    },
    {"name": "fail", "description": "Always fails.", "inputSchema": _schema()},
    {
        "name": "structured",
        "description": "Returns a structured result.",
        "inputSchema": _schema(),
        "outputSchema": _schema(n="number"),
    },
    {"name": "picture", "description": "Returns an image.", "inputSchema": _schema()},
    {"name": "blob", "description": "Returns a binary resource.", "inputSchema": _schema()},
]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's result."""
    if name == "add":
        return {"content": [_text(str(arguments.get("a", 0) + arguments.get("b", 0)))]}
    if name == "structured":
        return {"content": [_text('{"n": 42}')], "structuredContent": {"n": 42}}
    if name == "picture":
        data = base64.b64encode(red_pixel()).decode()
        image = {"type": "image", "data": data, "mimeType": "image/png"}
        return {"content": [_text("one red pixel"), image]}
    if name == "blob":
        data = base64.b64encode(bytes(range(16))).decode()
        resource = {"uri": "tiny://blob", "mimeType": "application/octet-stream", "blob": data}
        return {"content": [{"type": "resource", "resource": resource}]}
    return {"content": [_text("this tool always fails")], "isError": True}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer to one message; None to a notification."""
    if "id" not in message:
        return None
    method, params = message.get("method"), message.get("params") or {}
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        return reply | {
            "result": {
                "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tiny", "version": "1.0.0"},
            }
        }
    if method == "tools/list":
        return reply | {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return reply | {"result": call(params.get("name", ""), params.get("arguments") or {})}
    if method == "ping":
        return reply | {"result": {}}
    return reply | {"error": {"code": NO_METHOD, "message": f"no method {method}"}}


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        if line.strip() and (told := answer(json.loads(line))) is not None:
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
