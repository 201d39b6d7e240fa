# SPDX-License-Identifier: Apache-2.0
"""The model server that a CLI talks to in place of its provider, on loopback alone.

What it answers is scripted by its caller; how that is written, by the four `wires`. Needs the
extra `capture`, when it is entered and not before.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib
import importlib.util
import json
import logging
import socket
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from agentframes.capturing.script import Failure, Reply
from agentframes.capturing.wires import Chunk, anthropic, chat, gemini, responses
from agentframes.engines.offline import Asked
from agentframes.errors import AgentframesError, MissingExtraError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

Answer = Callable[[Asked], "Reply | Failure"]
Log = Callable[[dict[str, Any]], None]

LOOPBACK = "127.0.0.1"
_START_SECONDS = 10
_STOP_SECONDS = 10
_KEEP_ALIVE_SECONDS = 600  # no CLI is to meet a connection that we closed just then
CUT_PAUSE = 0.5  # seconds before a connection breaks: what came before was read by then
_SAID = 200  # characters of a request's last turn in the log


class ServerError(AgentframesError):
    """A model server that cannot be had: another address, a port that is taken."""


class Wire(Protocol):
    """What each module of `wires` has."""

    REQUEST_ID: str
    """The header with a request's id."""

    def asked(self, path: str, body: dict[str, Any], /) -> Asked:
        """Read a request; never raises."""

    def stream(self, reply: Reply, asked: Asked, /) -> Iterator[Chunk]:
        """Yield what is sent at once, in order."""

    def document(self, reply: Reply, asked: Asked, /) -> dict[str, Any]:
        """Return an answer that is not streamed."""

    def failure(self, failure: Failure, /) -> tuple[dict[str, Any], dict[str, str]]:
        """Return an error's body and headers."""


def require() -> None:
    """Look whether there is what the server is made of.

    Raises:
        MissingExtraError: starlette or uvicorn are not installed.
    """
    if not all(importlib.util.find_spec(name) for name in ("starlette", "uvicorn")):
        raise MissingExtraError("capture", ("starlette", "uvicorn"))


class ModelServer:
    """A server on 127.0.0.1 for as long as its context lasts.

    Args:
        answer: called with each request to a model, from several threads. What it raises is
            kept in `problems`, and answered with 400, which no CLI asks for a second time.
        log: told of each request, from several threads.
        host: where to listen; there is no other choice.
        port: 0 for one that is free, then `port` tells it.

    Raises:
        ServerError: another host, or the port is taken.
        MissingExtraError: on entering, where starlette or uvicorn are not installed.
    """

    def __init__(
        self, answer: Answer, *, log: Log | None = None, host: str = LOOPBACK, port: int = 0
    ) -> None:
        if host != LOOPBACK:
            raise ServerError(f"the model server listens on {LOOPBACK} alone, not on {host}")
        self.port = port
        self.problems: list[str] = []
        self._answer = answer
        self._log = log or (lambda _told: None)
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> Self:
        try:
            import uvicorn
            from starlette.applications import Starlette
            from starlette.routing import Route
        except ImportError as error:
            raise MissingExtraError("capture", ("starlette", "uvicorn")) from error
        try:
            self._socket = socket.create_server((LOOPBACK, self.port))
        except OSError as error:
            raise ServerError(f"port {self.port} cannot be had: {error.strerror}") from error
        self.port = self._socket.getsockname()[1]
        methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        config = uvicorn.Config(
            Starlette(routes=[Route("/{path:path}", self._respond, methods=methods)]),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,  # uvicorn calls an answer that breaks off an error
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self._socket.close()
                raise ServerError("the model server does not start")
            time.sleep(0.005)
        return self

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._socket])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._hang_up)
        self._thread.join(_STOP_SECONDS)

    def _hang_up(self) -> None:
        """Break off what goes on: a CLI holds its connections open, an answer may be paused."""
        for listener in self._server.servers:
            listener.close()
        for connection in list(self._server.server_state.connections):
            transport = connection.transport
            if isinstance(transport, asyncio.Transport):
                transport.abort()

    async def _respond(self, request: Request) -> ASGIApp:
        path, method = request.url.path, request.method
        told = _fixed(path)
        if told is not None and method in {"GET", "HEAD"}:
            return self._plain(request, told)
        wire = _wire(path)
        if wire is None or method != "POST":
            return self._plain(request, _not_found(method, path), 404)
        raw = await request.body()
        try:
            body = json.loads(decoded(raw, request.headers.get("content-encoding", "")))
        except UnknownEncodingError as error:
            told = {"error": {"message": str(error), "type": "invalid_request_error"}}
            return self._plain(request, told, 415)
        except (ValueError, RecursionError, OSError, EOFError, zlib.error):
            body = None
        if not isinstance(body, dict):
            return self._plain(request, wire.failure(Failure(400))[0], 400)
        counted = _counted(path, len(raw))
        if counted is not None:
            return self._plain(request, counted)
        return await self._answered(wire, wire.asked(path, body), path)

    def _plain(self, request: Request, body: dict[str, Any], status: int = 200) -> ASGIApp:
        """Answer what is no question to a model."""
        told = {"method": request.method, "path": request.url.path}
        self._log({**told, "answered": {"status": status}})
        return _json(body, status)

    async def _answered(self, wire: Wire, asked: Asked, path: str) -> ASGIApp:
        from starlette.concurrency import run_in_threadpool

        try:
            answer = await run_in_threadpool(self._answer, asked)
        except Exception as error:  # noqa: BLE001 - the caller's; a thread has nobody to raise to
            problem = "".join(traceback.format_exception(error))
            self.problems.append(problem)
            self._log({**_request(path, asked), "problem": problem})
            return _json(wire.failure(Failure(400))[0], 400)
        self._log({**_request(path, asked), "answered": _told(answer)})
        if isinstance(answer, Failure):
            body, headers = wire.failure(answer)
            return _json(body, answer.status, headers)
        headers = {wire.REQUEST_ID: f"req_fake_{answer.number:03d}"}
        if asked.stream:
            return _streamed(list(wire.stream(answer, asked)), answer, headers)
        return _whole(wire.document(answer, asked), answer, headers)


class UnknownEncodingError(ValueError):
    """A body packed in a way that is not known here."""


def decoded(body: bytes, encoding: str) -> bytes:
    """Unpack a request's body.

    Raises:
        UnknownEncodingError: the encoding is not known (zstd is from Python 3.14 on).
        ValueError, OSError, EOFError, zlib.error: it is not packed as it says.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        if name in {"gzip", "x-gzip"}:
            body = gzip.decompress(body)
        elif name == "deflate":
            body = zlib.decompress(body)
        elif name == "zstd":
            body = _zstd(body)
        elif name not in {"", "identity"}:
            raise UnknownEncodingError(f"content-encoding {name} is not known here")
    return body


def _zstd(body: bytes) -> bytes:
    try:
        zstd = importlib.import_module("compression.zstd")
    except ImportError:
        raise UnknownEncodingError("content-encoding zstd needs Python 3.14") from None
    try:
        return bytes(zstd.decompress(body))
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def _wire(path: str) -> Wire | None:
    """Return the form in which a path is asked; base URLs come with a ``/v1`` and without."""
    if path.endswith(("/messages", "/messages/count_tokens")):
        return anthropic
    if path.endswith("/chat/completions"):
        return chat
    if path.endswith("/responses"):
        return responses
    asks = (":generateContent", ":streamGenerateContent", ":countTokens")
    return gemini if "/models/" in path and path.endswith(asks) else None


def _fixed(path: str) -> dict[str, Any] | None:
    """Return what is the same for all who ask: Claude Code's look at the network, no models."""
    if path == "/api/hello":
        return {"message": "hello"}
    if path.endswith("/models"):
        return {"object": "list", "data": [], "has_more": False}
    return None


def _counted(path: str, size: int) -> dict[str, Any] | None:
    """Return a count of tokens, where that is asked; a quarter of the bytes will do."""
    if path.endswith("/messages/count_tokens"):
        return {"input_tokens": size // 4}
    return {"totalTokens": size // 4} if path.endswith(":countTokens") else None


def _not_found(method: str, path: str) -> dict[str, Any]:
    message = f"not found: {method} {path}"
    return {"type": "error", "error": {"type": "not_found_error", "message": message}}


def _request(path: str, asked: Asked) -> dict[str, Any]:
    """Tell of a request, briefly."""
    last = asked.turns[-1] if asked.turns else None
    return {
        "path": path,
        "api": asked.api,
        "stream": asked.stream,
        "model": asked.model,
        "turns": len(asked.turns),
        "last": f"{last.role}: {last.text[-_SAID:]}" if last else None,
        "tools": asked.tools,
    }


def _told(answer: Reply | Failure) -> dict[str, Any]:
    """Tell of an answer, briefly."""
    if isinstance(answer, Failure):
        return {"status": answer.status}
    calls = [{"name": call.name, "arguments": call.arguments} for call in answer.calls]
    return {
        "number": answer.number,
        "text": answer.text[:_SAID],
        "calls": calls,
        "stop": answer.stop,
        "cut_after": answer.cut_after,
    }


def _json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> ASGIApp:
    """Return a whole answer; spaced as the first captures have it (opencode's responseBody)."""
    from starlette.responses import Response

    packed = json.dumps(body).encode()
    return Response(packed, status, headers, media_type="application/json")


def _whole(body: object, reply: Reply, headers: dict[str, str]) -> ASGIApp:
    """Return an answer in one piece; of one that is to be cut, only half of it comes."""
    packed = json.dumps(body).encode()
    head = {**headers, "content-type": "application/json", "content-length": str(len(packed))}

    async def respond(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(_start(head))
        if reply.cut_after is not None:
            await send(_part(packed[: len(packed) // 2]))
            return
        await send({"type": "http.response.body", "body": packed})
        reply.sent(None)

    return respond


def _streamed(chunks: list[Chunk], reply: Reply, headers: dict[str, str]) -> ASGIApp:
    """Return an answer in pieces.

    One that is to be cut is left without its end: uvicorn then closes the connection, and what
    was sent still arrives (an aborted one would lose, by chance, what the CLI has not yet read).
    """
    head = {**headers, "content-type": "text/event-stream", "cache-control": "no-cache"}
    total = sum(piece for _, piece in chunks)
    cut = None if reply.cut_after is None else min(reply.cut_after, total)

    async def respond(_scope: Scope, receive: Receive, send: Send) -> None:
        await send(_start(head))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            if await _send_pieces(chunks, reply, cut, gone, send):
                await send({"type": "http.response.body", "body": b""})
                reply.sent(None)
        finally:
            gone.cancel()

    return respond


async def _send_pieces(
    chunks: list[Chunk], reply: Reply, cut: int | None, gone: asyncio.Future[None], send: Send
) -> bool:
    """Send all; return whether that was possible: not cut, and the client still there."""
    count = 0
    for data, piece in chunks:
        pause = reply.pause_ms / 1000 if piece and count else 0
        await asyncio.wait({gone}, timeout=pause)
        if gone.done() or (piece and count == cut):
            return False
        await send(_part(data))
        if piece:
            count += 1
            reply.sent(count)
        if count == cut:
            await asyncio.wait({gone}, timeout=CUT_PAUSE)
            return False
    return True


async def _gone(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(headers: dict[str, str]) -> dict[str, Any]:
    packed = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": 200, "headers": packed}


def _part(data: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": True}
