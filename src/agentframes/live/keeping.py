# SPDX-License-Identifier: Apache-2.0
"""Where runs are kept: a capture folder each, for their owner's eyes alone, until they are old.

`AGENTFRAMES_RUNS` names the folder; else it is `agentframes/runs` under `XDG_STATE_HOME`, which is
`~/.local/state`. Runs older than `AGENTFRAMES_RUNS_DAYS` (30) go, and the oldest of those that
together take more than `AGENTFRAMES_RUNS_MB` (1024); 0 keeps them for ever. A run that goes on, or
is younger than a day, always stays.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from agentframes.captures import open_folder
from agentframes.errors import AgentframesError, SourceError
from agentframes.lines import shown
from agentframes.toml import to_toml

DESCRIPTION, FACTS, RUNNING = "capture.toml", "facts.json", "running"
DAYS, MEGABYTES = 30, 1024
YOUNG = 86_400  # seconds
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class KeepingError(AgentframesError):
    """A place where no run can be kept, or a setting that is no number."""


class Kept(Struct, kw_only=True, frozen=True):
    """A run that was kept, as its folder tells it."""

    folder: str
    engine: str | None
    version: str | None
    session_id: str | None
    started: str | None
    """RFC 3339, UTC."""
    cwd: str | None
    prompt: str | None
    status: str
    """"success", "failed", "incomplete", "running", or "unread" where the run was never summed
    up."""
    reason: str | None
    cost_usd: float | None
    total_tokens: int | None
    wall_seconds: float | None


def place() -> str:
    """Return the folder in which runs are kept."""
    given = os.environ.get("AGENTFRAMES_RUNS")
    if given:
        return os.path.abspath(given)
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(os.path.abspath(state), "agentframes", "runs")


def new_folder(base: str, engine: str, now: dt.datetime) -> str:
    """Make the folder of a run.

    Raises:
        KeepingError: it cannot be made.
    """
    name = f"{now:%Y%m%d-%H%M%S}-{engine}-{uuid.uuid4().hex[:8]}"
    folder = os.path.join(base, name)
    try:
        os.makedirs(base, mode=PRIVATE_FOLDER, exist_ok=True)
        os.mkdir(folder, PRIVATE_FOLDER)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise KeepingError(f"cannot keep runs in {shown(base)}: {why}") from error
    return folder


def write(folder: str, name: str, data: bytes) -> None:
    """Write a file of a run at once, for its owner alone; the old one stays until it is whole.

    Raises:
        OSError: it cannot be written.
    """
    beside = os.path.join(folder, f".{name}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(beside, os.path.join(folder, name))


def describe(folder: str, table: dict[str, object]) -> None:
    """Write a run's `capture.toml`.

    Raises:
        OSError: it cannot be written.
    """
    write(folder, DESCRIPTION, to_toml(table).encode())


def runs(base: str) -> Iterator[Kept]:
    """Yield the kept runs, the newest first."""
    for name in sorted(_names(base), reverse=True):
        with suppress(SourceError):  # gone meanwhile, or no run
            yield _told(os.path.join(base, name))


def _names(base: str) -> list[str]:
    try:
        return [one.name for one in os.scandir(base) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _told(folder: str) -> Kept:
    capture = open_folder(folder)
    facts = _decoded(os.path.join(folder, FACTS))
    outcome, usage = _part(facts, "outcome"), _part(facts, "usage")
    resources, extra = _part(facts, "resources"), _extra(folder)
    status = outcome.get("status") or ("running" if is_running(folder) else "unread")
    cost = usage.get("cost_usd")
    return Kept(
        folder=folder,
        engine=capture.engine,
        version=capture.version,
        session_id=facts.get("session_id"),
        started=extra.get("started"),
        cwd=extra.get("cwd"),
        prompt=extra.get("prompt"),
        status=status,
        reason=outcome.get("reason"),
        cost_usd=resources.get("cost_usd") if cost is None else cost,
        total_tokens=usage.get("total_tokens"),
        wall_seconds=resources.get("wall_seconds"),
    )


def _decoded(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}


def _part(facts: dict[str, Any], name: str) -> dict[str, Any]:
    value = facts.get(name)
    return value if isinstance(value, dict) else {}


def _extra(folder: str) -> dict[str, str]:
    """Read what a run's description has beyond a capture's."""
    import tomllib

    try:
        with open(os.path.join(folder, DESCRIPTION), "rb") as file:
            told = tomllib.load(file)
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in told.items() if isinstance(value, str)}


def is_running(folder: str) -> bool:
    """Tell whether the process that records a run lives."""
    try:
        with open(os.path.join(folder, RUNNING), encoding="ascii") as file:
            os.kill(int(file.read()), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


# --- retention -----------------------------------------------------------------------------------


def prune(base: str, now: float) -> list[str]:
    """Take away what is too old or too much; return the folders that went.

    Raises:
        KeepingError: a setting is no number.
    """
    days, megabytes = _setting("DAYS", DAYS), _setting("MB", MEGABYTES)
    kept: list[tuple[float, int, str]] = []
    gone: list[str] = []
    for name in _names(base):
        folder = os.path.join(base, name)
        with suppress(OSError):
            age, size = now - os.stat(folder).st_mtime, _size(folder)
            if age < YOUNG or not _is_run(folder) or is_running(folder):
                kept.append((-1, size, folder))
            elif days and age > days * 86_400:
                gone.append(folder)
            else:
                kept.append((age, size, folder))
    left = sum(size for _, size, _ in kept)
    for age, size, folder in sorted(kept, reverse=True):
        if not megabytes or left <= megabytes * 1_000_000 or age < 0:
            break
        gone.append(folder)
        left -= size
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return gone


def _is_run(folder: str) -> bool:
    """Tell a run of ours, by its name, too: nothing else is taken away, and no other capture."""
    if not re.fullmatch(r"\d{8}-\d{6}-.+-[0-9a-f]{8}", os.path.basename(folder)):
        return False
    return os.path.isfile(os.path.join(folder, DESCRIPTION))


def _size(folder: str) -> int:
    return sum(one.stat(follow_symlinks=False).st_size for one in os.scandir(folder))


def _setting(name: str, default: int) -> float:
    told = os.environ.get(f"AGENTFRAMES_RUNS_{name}")
    if not told:
        return default
    try:
        value = float(told)
    except ValueError:
        value = -1
    if not value >= 0:
        raise KeepingError(f"AGENTFRAMES_RUNS_{name} is no number from 0 up: {shown(told)}")
    return value
