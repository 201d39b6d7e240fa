# SPDX-License-Identifier: Apache-2.0
"""The CLI as it is installed here, and where it is run."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from agentframes import engines
from agentframes.capturing import isolation
from agentframes.capturing.isolation import Isolation
from agentframes.errors import AgentframesError
from agentframes.recording import RecordingError, record

_VERSION = re.compile(r"\d+(?:\.\d+)+(?:-[0-9A-Za-z.-]+)?")
_VERSION_SECONDS = 60
_TOOLS = ("node", "rg", "git", "bash")


class CaptureError(AgentframesError):
    """A capture that cannot be made: no CLI, no version, a rig that fails."""


class Machine(Struct, frozen=True):
    """The CLI as it is installed, and how it can be shut in."""

    engine: str
    cli: str
    version: str
    isolation: Isolation


def find_machine(engine: str, cli: str | None = None) -> Machine:
    """Find an engine's CLI and ask it for its exact version.

    Raises:
        CaptureError: it is not installed, cannot be started, tells no version, or is another
            engine's.
    """
    offline = engines.capture_setup(engine)
    path = shutil.which(cli or offline.program)
    if path is None:
        wanted = f"no executable {cli!r}" if cli else f"{offline.program} is not installed"
        raise CaptureError(
            f"{wanted}: npm install --prefix DIR {offline.package},"
            f" then --cli DIR/node_modules/.bin/{offline.program}"
        )
    path = os.path.abspath(path)
    _refuse_another(engine, path)
    found = isolation.find()
    return Machine(engine, path, _version(path, found), found)


def _refuse_another(engine: str, path: str) -> None:
    """Refuse a CLI whose npm package is another engine's: its output would lie in the corpus."""
    real = f"{os.path.realpath(path)}/"
    for other in engines.names():
        if other != engine and f"/node_modules/{engines.capture_setup(other).package}/" in real:
            raise CaptureError(f"{path} is the CLI of {other}, not of {engine}")


def _version(cli: str, found: Isolation) -> str:
    with work_folder() as home:
        try:
            done = record(
                [*found.prefix, cli, "--version"],
                os.path.join(home, "version"),
                stdout_name="stdout.txt",
                env={"HOME": home, "PATH": search_path(), "LANG": "C.UTF-8", "TERM": "dumb"},
                cwd=home,
                timeout=_VERSION_SECONDS,
            )
        except RecordingError as error:
            raise CaptureError(f"{cli} --version: {error}") from error
        told = "\n".join(_text(os.path.join(home, "version", name)) for name in _PRINTED)
    if done.over:
        raise CaptureError(f"{cli} --version does not end within {_VERSION_SECONDS} s")
    version = _VERSION.search(told)
    if version is None or done.exit_code != 0:
        last = " ".join(told.split())[-200:]
        how = done.signal or f"exit {done.exit_code}"
        raise CaptureError(f"{cli} --version tells no version ({how}): {last}")
    return version[0]


_PRINTED = ("stdout.txt", "stderr.txt")


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def search_path() -> str:
    """Return the CLI's PATH: where node and the few tools they use stand, then the system's."""
    found = [os.path.dirname(tool) for name in _TOOLS if (tool := shutil.which(name))]
    folders = [*dict.fromkeys((*found, "/usr/bin", "/bin"))]
    return os.pathsep.join(folders)


@contextmanager
def work_folder() -> Iterator[str]:
    """Make a work folder that is not below the temporary one: Codex warns of a home there.

    It goes at the end, unless there are recordings in `records` that were not laid down, and
    nobody has asked for the end.
    """
    base = os.path.abspath(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    os.makedirs(base, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="agentframes-capture-", dir=base)
    try:
        yield folder
    except (KeyboardInterrupt, SystemExit):
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        records = os.path.join(folder, "records")
        if not os.path.isdir(records) or not os.listdir(records):
            shutil.rmtree(folder, ignore_errors=True)
