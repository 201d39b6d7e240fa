# SPDX-License-Identifier: Apache-2.0
"""The scripted model server: what breaks off, what waits, what it listens on."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from agentframes.capturing.script import Reply
from agentframes.capturing.server import ModelServer, ServerError
from agentframes.engines.offline import Asked
from agentframes.errors import MissingExtraError
from tests.asking import ENDS, EVERY, PATHS, TEXT, always, full, request, stream


class TestBrokenOff:
    """Answers that do not come to their end."""

    @EVERY
    @pytest.mark.parametrize("after", [0, 1, 3, 99])
    def test_the_connection_is_closed_without_an_end(self, api: str, after: int) -> None:
        """Pieces up to the cut arrive, however many there are; the terminal event does not."""
        sent: list[int | None] = []
        reply = full(text="", reasoning="x" * 60, piece=10, cut_after=after, sent=sent.append)
        with ModelServer(always(reply)) as server, pytest.raises(http.client.IncompleteRead) as cut:
            request(server, PATHS[api], {"stream": True})
        assert min(after, 6) == cut.value.partial.count(b"xxxxxxxxxx")
        assert ENDS[api] not in cut.value.partial
        assert list(range(1, min(after, 6) + 1)) == sent

    def test_a_document_is_cut_in_its_middle(self) -> None:
        """Less arrives than its length says."""
        with (
            ModelServer(always(full(cut_after=1))) as server,
            pytest.raises(http.client.IncompleteRead) as cut,
        ):
            request(server, PATHS["chat"], {})
        assert 1 >= abs(len(cut.value.partial) - (cut.value.expected or 0))

    def test_the_next_request_is_answered(self) -> None:
        """Another connection knows nothing of it."""
        replies = iter([full(cut_after=1), full()])
        with ModelServer(lambda _asked: next(replies)) as server:
            with pytest.raises(http.client.IncompleteRead):
                request(server, PATHS["chat"], {"stream": True})
            assert "chatcmpl-fake001" == stream(server, "chat")[0]["id"]


class TestPaused:
    """Answers that take their time."""

    def open(self, server: ModelServer) -> http.client.HTTPResponse:
        """Ask for a stream and read its first piece."""
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        self.connection.request("POST", PATHS["chat"], b'{"stream": true}')
        response = self.connection.getresponse()
        while b"aaaa" not in response.readline():
            pass
        return response

    def test_pieces_are_told_as_they_go_out(self) -> None:
        """There is a pause before each but the first; the end is told as None."""
        sent: list[int | None] = []
        reply = Reply(number=1, text="aaaabbbbcccc", piece=4, pause_ms=50, sent=sent.append)
        with ModelServer(always(reply)) as server:
            begun = time.monotonic()
            stream(server, "chat")
            assert 0.1 <= time.monotonic() - begun
        assert [1, 2, 3, None] == sent

    def test_the_server_ends_at_once(self) -> None:
        """However long the pause, and though the client holds its connection."""
        reply = Reply(number=1, text="aaaabbbb", piece=4, pause_ms=600_000)
        with ModelServer(always(reply)) as server:
            response = self.open(server)
            begun = time.monotonic()
        assert 5 > time.monotonic() - begun
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            response.read()
        self.connection.close()

    def test_a_client_that_is_gone_ends_its_answer(self) -> None:
        """It is not waited for, and others are still answered."""
        sent: list[int | None] = []
        reply = Reply(number=1, text="aaaabbbb", piece=4, pause_ms=600_000, sent=sent.append)
        with ModelServer(always(reply)) as server:
            self.open(server).close()
            self.connection.close()
            deadline = time.monotonic() + 20
            while server._server.server_state.tasks and time.monotonic() < deadline:
                time.sleep(0.01)
            assert set() == server._server.server_state.tasks
            assert 200 == request(server, PATHS["chat"], {})[0].status
        assert [1, None] == sent  # of the first a piece, of the second, which is whole, the end


class TestServer:
    """The server itself."""

    def test_two_requests_at_a_time(self) -> None:
        """Each answer waits until both are asked for."""
        both = threading.Barrier(2, timeout=20)

        def answer(asked: Asked) -> Reply:
            both.wait()
            return Reply(number=1, text=asked.model)

        found: list[str] = []

        def ask(model: str) -> None:
            _, body = request(server, PATHS["chat"], {"model": model})
            found.append(json.loads(body)["choices"][0]["message"]["content"])

        with ModelServer(answer) as server:
            threads = [threading.Thread(target=ask, args=(name,)) for name in ("one", "two")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert ["one", "two"] == sorted(found)

    def test_a_connection_is_kept(self) -> None:
        """A second request goes over the same one."""
        with ModelServer(always(full())) as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            for _ in range(2):
                connection.request("POST", PATHS["anthropic"], b'{"stream": true}')
                assert ENDS["anthropic"] in connection.getresponse().read()
                used = connection.sock
                assert used is not None
            connection.close()

    def test_only_on_loopback(self) -> None:
        """Another address is refused, and not listened on."""
        with pytest.raises(ServerError, match=r"on 127\.0\.0\.1 alone, not on 0\.0\.0\.0"):
            ModelServer(always(full()), host="0.0.0.0")  # noqa: S104 - what is refused
        with ModelServer(always(full())) as server, pytest.raises(OSError, match=r"."):
            socket.create_connection(("127.0.0.2", server.port), timeout=1).close()

    def test_a_port_that_is_taken(self) -> None:
        """It is said in a line."""
        with (
            ModelServer(always(full())) as server,
            pytest.raises(ServerError, match=f"port {server.port} cannot be had"),
            ModelServer(always(full()), port=server.port),
        ):
            pass

    def test_a_missing_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without uvicorn there is no server, and a line that says what to install."""
        monkeypatch.setitem(sys.modules, "uvicorn", None)
        with pytest.raises(MissingExtraError) as told, ModelServer(always(full())):
            pass
        assert "capture needs starlette and uvicorn: pip install 'agentframes[capture]'" == str(
            told.value
        )

    @pytest.mark.parametrize(
        ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
    )
    def test_packed_bodies(self, encoding: str, pack: Callable[[bytes], bytes]) -> None:
        """They are unpacked; many megabytes are no matter."""
        body = pack(json.dumps({"model": "m", "input": "x" * 5_000_000}).encode())
        asked: list[Asked] = []

        def answer(one: Asked) -> Reply:
            asked.append(one)
            return full()

        with ModelServer(answer) as server:
            request(server, PATHS["responses"], body, content_encoding=encoding)
        assert [5_000_000] == [len(one.turns[0].text) for one in asked]

    @pytest.mark.parametrize(
        ("headers", "body", "status"),
        [
            ({"content_encoding": "br"}, b"{}", 415),
            ({"content_encoding": "gzip"}, b"{}", 400),
            ({}, b"[]", 400),
            ({}, b"[" * 100_000, 400),
            ({}, b"\xff", 400),
        ],
    )
    def test_bodies_that_cannot_be_read(
        self, headers: dict[str, str], body: bytes, status: int
    ) -> None:
        """They are refused, and no model is asked."""
        with ModelServer(lambda _asked: pytest.fail("asked")) as server:
            assert status == request(server, PATHS["chat"], body, **headers)[0].status
        assert [] == server.problems

    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_other_paths(self, method: str) -> None:
        """There is nothing, and that in JSON."""
        with ModelServer(always(full())) as server:
            response, body = request(server, "/v1/embeddings", {}, method=method)
        assert (404, "not_found_error") == (response.status, json.loads(body)["error"]["type"])

    def test_the_log(self) -> None:
        """Each request is told of, with what was offered and answered."""
        told: list[dict[str, Any]] = []
        tools = [{"name": "Bash"}]
        messages = [{"role": "user", "content": "Do it."}]
        with ModelServer(always(full()), log=told.append) as server:
            request(server, "/api/hello", method="HEAD")
            request(server, PATHS["anthropic"], {"tools": tools, "messages": messages})
        assert {"method": "HEAD", "path": "/api/hello", "answered": {"status": 200}} == told[0]
        assert ("/v1/messages", 1, "user: Do it.", {"Bash": "function"}) == (
            told[1]["path"],
            told[1]["turns"],
            told[1]["last"],
            told[1]["tools"],
        )
        assert (1, TEXT, "run") == (
            told[1]["answered"]["number"],
            told[1]["answered"]["text"],
            told[1]["answered"]["calls"][0]["name"],
        )
