# SPDX-License-Identifier: Apache-2.0
"""A place with a loopback interface and no network, where there can be one: Linux namespaces."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from contextlib import suppress

from msgspec import Struct

from agentframes.errors import AgentframesError

PROBE_SECONDS = 20.0  # for what takes a tenth of one

_WAYS = ("unshare -n", "unshare -rn")  # by a privileged user; by any
_PROBE = f"from {__name__} import bring_up_loopback as probe; probe()"

_IFREQ = struct.Struct("16sH22x")  # a name, the flags, and room for the largest of the union
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 1
_CLONE_NEWUTS = 0x04000000  # os.unshare comes with Python 3.12
_LOOPBACK = "lo"


class IsolationError(AgentframesError):
    """The loopback interface cannot be brought up."""


class Isolation(Struct, frozen=True):
    """How to run something with loopback only; `prefix` stands before its command."""

    prefix: tuple[str, ...]
    how: str
    """The command of the prefix, or "none"."""
    isolated: bool


def find() -> Isolation:
    """Return the first way that works here: each is tried, up to bringing up its loopback."""
    for way in _WAYS:
        prefix = (*way.split(), "--")
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(  # noqa: S603 - fixed commands
                [*prefix, sys.executable, "-c", _PROBE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                timeout=PROBE_SECONDS,
            )
            if done.returncode == 0:
                return Isolation(prefix, way, isolated=True)
    return Isolation((), "none", isolated=False)


def bring_up_loopback() -> None:
    """Bring up the loopback interface of this process's namespace, which is born down.

    Raises:
        IsolationError: it is not permitted, or this is not Linux.
    """
    if sys.platform != "linux":
        raise IsolationError("cannot bring up the loopback interface: this is not Linux")
    import fcntl

    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            request = _IFREQ.pack(_LOOPBACK.encode(), _flags(control, _LOOPBACK) | _IFF_UP)
            fcntl.ioctl(control, _SIOCSIFFLAGS, request)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise IsolationError(f"cannot bring up the loopback interface: {reason}") from error


def set_host_name(name: str) -> bool:
    """Set the host name that this thread sees, and what it starts; tell whether that could be done.

    The name is put into a namespace made for it here: to trust that there is one already would be
    to rename the machine where there is none.
    """
    import ctypes

    try:
        if ctypes.CDLL(None).unshare(_CLONE_NEWUTS):
            return False
        socket.sethostname(name)
    except (OSError, AttributeError, TypeError):  # not permitted; not on this system
        return False
    return True


def only_loopback() -> bool:
    """Tell whether loopback is the only network interface that this process sees and that is up.

    A new namespace may have others: some tunnels of the kernel are in each, but down.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            others = {name for _, name in socket.if_nameindex()} - {_LOOPBACK}
            return not any(_flags(control, name) & _IFF_UP for name in others)
    except OSError:
        return False


def _flags(control: socket.socket, interface: str) -> int:
    import fcntl

    request = _IFREQ.pack(interface.encode(), 0)
    flags: int = _IFREQ.unpack(fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
    return flags
