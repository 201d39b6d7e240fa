# SPDX-License-Identifier: Apache-2.0
"""The captures of a corpus, ENGINE/VERSION/SCENARIO, with what stands beside them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from agentframes import engines, manifests
from agentframes.errors import SourceError


class Capture(NamedTuple):
    """One recorded run."""

    path: Path
    engine: str
    version: str
    scenario: str
    family: str
    date: str
    transport: str


def names(corpus: Path) -> list[str]:
    """List the engines that a corpus holds."""
    return [name for name in engines.names() if (corpus / name).is_dir()]


def versions(corpus: Path, name: str) -> list[str]:
    """List the captured versions of an engine, oldest first."""
    return manifests.in_order(path.name for path in (corpus / name).iterdir() if path.is_dir())


def captures(corpus: Path, name: str) -> list[Capture]:
    """List an engine's captures, the oldest version's first; made-up ones show nothing.

    Raises:
        SourceError: one of them says too little of itself.
    """
    return [
        Capture(path, name, version, path.name, told["family"], str(told["date"]), transport)
        for version in versions(corpus, name)
        for path in sorted((corpus / name / version).iterdir())
        if path.is_dir()
        for told in [_description(path / "capture.toml")]
        for transport in [told["transport"]]
        if told.get("synthetic") is not True
    ]


def _description(path: Path) -> dict[str, Any]:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:
        raise SourceError(f"{path}: not TOML ({error})") from error
    missing = [key for key in ("family", "date", "transport") if key not in told]
    if missing:
        raise SourceError(f"{path}: tells no {' and no '.join(missing)}")
    return told
