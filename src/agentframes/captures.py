# SPDX-License-Identifier: Apache-2.0
"""A capture folder: printed output with its provenance beside it."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import msgspec

from agentframes.errors import SourceError

_NAMES = ("stdout.jsonl", "stdout.json", "stdout.txt")
OUTPUTS = (*_NAMES, *(f"{name}.gz" for name in _NAMES))


class CaptureFolder(NamedTuple):
    """What a capture folder tells beside the output itself."""

    stdout: str
    stderr: str | None
    engine: str | None
    version: str | None
    transport: str | None
    exit_code: int | None
    synthetic: bool = False
    argv: tuple[str, ...] = ()
    stdin: str | None = None
    stopped: str | None = None
    """Why whoever recorded it ended the CLI."""


def open_folder(path: str) -> CaptureFolder:
    """Read a capture's `capture.toml`, and find its output.

    Raises:
        SourceError: the folder holds no capture, or its description cannot be read.
    """
    stdout = _existing(path, *OUTPUTS)
    if stdout is None:
        message = f"{path}: a folder without a capture (none of {', '.join(_NAMES)})"
        raise SourceError(message)
    told = _description(path)
    code = told.get("exit_code")
    return CaptureFolder(
        stdout=stdout,
        stderr=_existing(path, "stderr.txt", "stderr.txt.gz"),
        engine=_text(told.get("engine")),
        version=_text(told.get("version")),
        transport=_text(told.get("transport")),
        exit_code=code if type(code) is int else None,
        synthetic=told.get("synthetic") is True,
        argv=tuple(part for part in _list(told.get("argv")) if isinstance(part, str)),
        stdin=_text(told.get("stdin")),
        stopped=_text(told.get("ended_by")),
    )


def _existing(folder: str, *names: str) -> str | None:
    paths = (os.path.join(folder, name) for name in names)
    return next((path for path in paths if os.path.isfile(path)), None)


def _description(folder: str) -> dict[str, Any]:
    path = _existing(folder, "capture.toml")
    if path is None:
        return _recorded(folder)
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SourceError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not TOML ({error})") from error


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _recorded(folder: str) -> dict[str, Any]:
    """Read the `meta.json` of a recording that was not imported yet."""
    path = _existing(folder, "meta.json")
    if path is None:
        return {}
    try:
        with open(path, "rb") as file:
            told = msgspec.json.decode(file.read(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise SourceError(f"{path}: {error}") from error
    return told | {"engine": told.get("cli"), "transport": None}
