# SPDX-License-Identifier: Apache-2.0
"""The CLIs that are installed here: where, which version, and how far that is from what was tested.

A version is asked for once and remembered for as long as the executable stays as it is: some CLIs
take a second to tell it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from agentframes import engines, manifests
from agentframes.drift import nearest
from agentframes.engines.support import plain_version
from agentframes.errors import AgentframesError
from agentframes.lines import shown
from agentframes.recording import RecordingError, record

VERSION_SECONDS = 60
MOST_SAID = 1_000_000  # bytes
CACHE = "versions.json"


class NotInstalledError(AgentframesError):
    """A CLI that is not there or tells no version; the message says how to install it."""


class Installed(Struct, kw_only=True, frozen=True):
    """One engine's CLI on this machine."""

    engine: str
    path: str
    version: str | None
    """None where it tells none."""
    nearest: str | None
    """The nearest version of which there are captures; None where no captured one is near."""
    captured: bool
    """Whether that is the version itself."""


def find(engine: str, cli: str | None = None, *, remember: str | None = None) -> Installed:
    """Find an engine's CLI and its version.

    Args:
        engine: the engine's name.
        cli: the executable, where it is not the one of that name in PATH.
        remember: the folder in which versions are remembered; none: it is asked anew.

    Raises:
        NotInstalledError: there is no such executable.
        UnknownEngineError: no engine has that name.
    """
    told = engines.installation(engine)
    found = shutil.which(cli or told.program)
    if found is None:
        what = f"no executable {shown(cli)}" if cli else f"{told.program} is not installed"
        raise NotInstalledError(f"{what}: npm install -g {told.package}")
    path = os.path.abspath(found)
    version = _remembered(path, remember) if remember else ask_version(path)
    manifest = manifests.of(engines.get(engine))
    captured = manifest.versions() if manifest else []
    return Installed(
        engine=engine,
        path=path,
        version=version,
        nearest=nearest(version, captured),
        captured=version in captured,
    )


def ask_version(path: str) -> str | None:
    """Ask a CLI for its version; None where it tells none."""
    code, told = ask(path, "--version")
    return plain_version(told) if code == 0 else None


def ask(path: str, *arguments: str) -> tuple[int | None, str]:
    """Run a CLI that is to say something and end; return its exit status and all that it said."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:  # nothing that it starts stays, and none of that holds up its end
            done = record([path, *arguments], folder, timeout=VERSION_SECONDS)
        except RecordingError as error:
            return None, str(error)
        said = b""
        for name in ("stdout.jsonl", "stderr.txt"):
            with open(os.path.join(folder, name), "rb") as file:
                said += file.read(MOST_SAID)
    return done.exit_code, said.decode("utf-8", "replace")


def _remembered(path: str, folder: str) -> str | None:
    real = os.path.realpath(path)
    status = os.stat(real)
    key = f"{real} {status.st_size} {status.st_mtime_ns}"
    cache = os.path.join(folder, CACHE)
    known: dict[str, Any] = {}
    with suppress(OSError, msgspec.DecodeError), open(cache, "rb") as file:
        known = msgspec.json.decode(file.read(), type=dict[str, Any])
    if isinstance(known.get(key), str):
        return str(known[key])
    version = ask_version(path)
    if version is not None:
        mine = {name: one for name, one in known.items() if not name.startswith(f"{real} ")}
        with suppress(OSError):  # it is asked again
            os.makedirs(folder, mode=0o700, exist_ok=True)
            beside = f"{cache}.{os.getpid()}"
            with open(beside, "wb") as file:
                file.write(msgspec.json.encode({**mine, key: version}))
            os.replace(beside, cache)
    return version
