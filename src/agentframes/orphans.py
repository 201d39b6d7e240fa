# SPDX-License-Identifier: Apache-2.0
"""Processes that a command left behind, wherever they went: found by a mark in their environment.

A process that begins a session of its own is in nobody's group any more, and one whose parent has
ended is nobody's child. The environment goes along. Only Linux shows that of other processes;
elsewhere what has left the group is not found.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress

VARIABLE = "AGENTFRAMES_RECORDING"
ROUNDS = 50  # for those that are born meanwhile
PAUSE = 0.02  # seconds between two rounds


def mark() -> str:
    """Return a value that no other command's environment holds."""
    return uuid.uuid4().hex


def kill(marked: str) -> None:
    """Kill all processes of this user that carry a mark, and wait until they are gone."""
    for _ in range(ROUNDS):
        found = list(_carrying(marked))
        if not found:
            return
        for pid in found:
            _kill(pid, marked)
        time.sleep(PAUSE)


def _carrying(marked: str) -> Iterator[int]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdecimal() and int(name) != os.getpid() and _carries(int(name), marked):
            yield int(name)


def _carries(pid: int, marked: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read()
    except OSError:  # it has ended, or is another user's
        return False
    return f"{VARIABLE}={marked}".encode() in environment.split(b"\0")


def _kill(pid: int, marked: str) -> None:
    """Kill a process, and none that has come to its number since."""
    with suppress(OSError):  # it has ended
        if not hasattr(os, "pidfd_open"):
            os.kill(pid, signal.SIGKILL)
            return
        handle = os.pidfd_open(pid)
        try:
            if _carries(pid, marked):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
