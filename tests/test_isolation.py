# SPDX-License-Identifier: Apache-2.0
"""A place without a network is found, tried and used."""

from __future__ import annotations

import errno
import json
import socket
import subprocess
import sys
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from agentframes.capturing import isolation
from agentframes.capturing.isolation import Isolation, IsolationError, find

PATIENCE = 20  # seconds for what takes a tenth of one
NOWHERE = "192.0.2.1"  # TEST-NET-1: nobody has this address

# Looks at where it runs, brings up loopback, talks to itself, and tries to get out.
INSIDE = f"""
import json, socket, subprocess
from agentframes.capturing.isolation import bring_up_loopback, only_loopback, set_host_name

def connect(address):
    with socket.socket() as client:
        client.settimeout({PATIENCE})
        return client.connect_ex(address)

told = dict(before=connect(("127.0.0.1", 9)), named=set_host_name("sandbox"))
bring_up_loopback()
bring_up_loopback()
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(server.getsockname()) as client:
        client.sendall(b"hello")
        told["heard"] = server.accept()[0].recv(5).decode()
told |= dict(outside=connect(("{NOWHERE}", 80)), only=only_loopback())
told["name"] = [socket.gethostname(), subprocess.check_output(["uname", "-n"], text=True).strip()]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def found() -> Isolation:
    """Return how to isolate here, for real."""
    found = find()
    if not found.isolated:
        pytest.skip(
            "needs `unshare` of util-linux, and leave to make a network namespace:"
            " root with CAP_SYS_ADMIN, or user namespaces for all"
            " (sysctl kernel.unprivileged_userns_clone=1,"
            " kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    return found


def inside(prefix: Collection[str]) -> dict[str, Any]:
    """Return what is told by a process that runs isolated."""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", INSIDE],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (0, b"") == (done.returncode, done.stderr)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


class TestInside:
    """What is found does what it is there for."""

    @staticmethod
    def check(prefix: Collection[str]) -> None:
        """Loopback works, and nothing else can be reached; this machine keeps its name."""
        name = socket.gethostname()
        assert {
            "before": errno.ENETUNREACH,
            "named": True,
            "heard": "hello",
            "outside": errno.ENETUNREACH,
            "only": True,
            "name": ["sandbox", "sandbox"],
        } == inside(prefix)
        assert name == socket.gethostname()

    def test_found(self, found: Isolation) -> None:
        """The way that was found isolates."""
        self.check(found.prefix)

    @pytest.mark.parametrize("way", ["-n", "-rn"])
    def test_each(self, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """So does each other way that works here."""
        monkeypatch.setattr(isolation, "_WAYS", (f"unshare {way}",))
        found = find()
        if not found.isolated:
            pytest.skip(f"needs leave to `unshare {way}`: see the skip of test_found")
        self.check(found.prefix)


class TestFind:
    """The ways are tried in their order, each by running it."""

    @staticmethod
    def find(
        monkeypatch: pytest.MonkeyPatch, works: Collection[str], error: Exception | None = None
    ) -> tuple[Isolation, list[str]]:
        """Return what is found where only some ways work, and what was tried."""
        tried = []

        def run(argv: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
            way = " ".join(argv[: argv.index("--")])
            tried.append(way)
            if error and way not in works:
                raise error
            return subprocess.CompletedProcess(argv, 0 if way in works else 1)

        monkeypatch.setattr(subprocess, "run", run)
        return find(), tried

    ORDER = ("unshare -n", "unshare -rn")

    @pytest.mark.parametrize("first", range(2))
    def test_first_that_works(self, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
        """Those after the first that works are not tried."""
        way = self.ORDER[first]
        found, tried = self.find(monkeypatch, self.ORDER[first:])
        assert Isolation((*way.split(), "--"), way, isolated=True) == found
        assert self.ORDER[: first + 1] == tuple(tried)

    @pytest.mark.parametrize(
        "error",
        [
            None,
            FileNotFoundError("unshare"),
            PermissionError("unshare"),
            subprocess.TimeoutExpired("unshare", 1),
        ],
    )
    def test_none(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
        """Without a way there is no prefix, however they failed."""
        found, tried = self.find(monkeypatch, (), error)
        assert Isolation((), "none", isolated=False) == found
        assert self.ORDER == tuple(tried)

    def test_program_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A way in which loopback cannot be brought up is none."""
        monkeypatch.setattr(isolation, "_WAYS", ("env", "unshare --no-such-option"))
        monkeypatch.setattr(isolation, "_PROBE", "raise SystemExit(1)")
        assert not find().isolated


class TestOutside:
    """Where nothing is isolated."""

    @pytest.mark.parametrize(
        ("unshare", "named", "done"), [(0, ["sandbox"], True), (-1, [], False), (None, [], False)]
    )
    def test_host_name_of_the_machine(
        self,
        monkeypatch: pytest.MonkeyPatch,
        unshare: int | None,
        named: list[str],
        *,
        done: bool,
    ) -> None:
        """It is left alone: a name is set only where a namespace could be made for it."""
        asked: list[int] = []
        set_to: list[str] = []

        def make(flags: int) -> int | None:
            asked.append(flags)
            return unshare

        library = SimpleNamespace() if unshare is None else SimpleNamespace(unshare=make)
        monkeypatch.setattr("ctypes.CDLL", lambda _: library)
        monkeypatch.setattr(socket, "sethostname", set_to.append)
        assert done is isolation.set_host_name("sandbox")
        assert named == set_to
        assert ([] if unshare is None else [0x04000000]) == asked

    def test_no_leave(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the system says is told in one line."""

        def refuse(*_: object) -> bytes:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr("fcntl.ioctl", refuse)
        with pytest.raises(
            IsolationError, match=r"^cannot bring up the loopback interface: operation not perm"
        ):
            isolation.bring_up_loopback()

    @pytest.mark.parametrize(
        ("interfaces", "alone"),
        [
            ({"lo": 1}, True),
            ({"lo": 0}, True),
            ({}, True),
            ({"lo": 1, "tunl0": 0}, True),
            ({"lo": 1, "tunl0": 0, "eth0": 1}, False),
        ],
    )
    def test_only_loopback(
        self, monkeypatch: pytest.MonkeyPatch, interfaces: dict[str, int], *, alone: bool
    ) -> None:
        """An interface that is down reaches nobody."""
        monkeypatch.setattr(socket, "if_nameindex", lambda: list(enumerate(interfaces, 1)))
        monkeypatch.setattr(isolation, "_flags", lambda _, name: interfaces[name])
        assert alone is isolation.only_loopback()
