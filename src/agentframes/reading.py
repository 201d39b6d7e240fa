# SPDX-License-Identifier: Apache-2.0
"""The one pipeline: a source's bytes, to frames, to signals, to the facts of each run."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from agentframes.captures import open_folder
from agentframes.engines.support import plain_version
from agentframes.errors import SourceError
from agentframes.facts.model import RunFacts
from agentframes.lines import chunks, looks_like_content, open_path, read_text
from agentframes.streams import Stream
from agentframes.types import TRANSPORTS, Transport

if TYPE_CHECKING:
    from agentframes.manifests import Manifest

ALIASES: dict[str, Transport] = {"stream-json": "jsonl"}


def read(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    drift: bool = False,
) -> RunFacts:
    """Read what a coding-agent CLI printed; the facts of the last run in it.

    Args:
        source: a path, a capture folder, bytes, text, a text or binary file, or lines. A string
            is a path unless it has several lines or begins as JSON.
        engine: the engine's name, where it need not be told from the frames.
        cli_version: the CLI's version, where the frames do not tell it.
        transport: how the engine printed, where it need not be told from the frames.
        stderr: what went to stderr (path, text, bytes or file); its last line becomes the
            message of a run that is incomplete.
        exit_code: the process's exit status, kept in `outcome`; it never makes a success.
        drift: hold every field against those of the captured versions, too; else only kinds and
            the fields that facts are made of.

    Raises:
        SourceError: the source cannot be read.
        SessionFileError: the source is a CLI's own session file.
        UnknownEngineError: `engine` names no reader.
    """
    options = (engine, cli_version, transport, stderr, exit_code)
    return _read(source, *options, _stream_type(drift=drift))[-1]


def read_all(
    source: Any,
    *,
    engine: str | None = None,
    cli_version: str | None = None,
    transport: str | None = None,
    stderr: Any = None,
    exit_code: int | None = None,
    drift: bool = False,
) -> list[RunFacts]:
    """Read every run in one source, in its order; arguments and errors as for `read`."""
    options = (engine, cli_version, transport, stderr, exit_code)
    return _read(source, *options, _stream_type(drift=drift))


def _stream_type(*, drift: bool) -> type[Stream]:
    if not drift:
        return Stream
    from agentframes.watching import WatchedStream

    return WatchedStream


def read_against(source: Any, manifest: Manifest) -> list[RunFacts]:
    """Read every run in one source, and hold its fields against a manifest of one's own."""
    from agentframes.watching import WatchedStream

    stream_type = functools.partial(WatchedStream, manifest=manifest)
    return _read(source, None, None, None, None, None, stream_type)


def observe(source: Any) -> list[RunFacts]:
    """Read every run of a capture, and write down all that its frames hold in `seen`."""
    from agentframes.watching import LearningStream

    return _read(source, None, None, None, None, None, LearningStream)


def _read(  # noqa: PLR0917 - the options of `read`, passed on
    source: Any,
    engine: str | None,
    cli_version: str | None,
    transport: str | None,
    stderr: Any,
    exit_code: int | None,
    stream_type: Callable[..., Stream],
) -> list[RunFacts]:
    if transport is not None and ALIASES.get(transport, transport) not in TRANSPORTS:
        raise SourceError(f"unknown transport {transport!r}; known: {', '.join(TRANSPORTS)}")
    with ExitStack() as stack:
        label, written_ms, recorded = None, None, None
        if _is_path(source):
            label = os.fspath(source)
            path = label
            if os.path.isdir(path):
                folder = open_folder(path)
                path = folder.stdout
                engine = engine or folder.engine
                cli_version = cli_version or folder.version
                exit_code = folder.exit_code if exit_code is None else exit_code
                stderr = folder.stderr if stderr is None else stderr
                recorded = folder.transport
            source = stack.enter_context(open_path(path))
            written_ms = os.fstat(source.fileno()).st_mtime * 1000
        version = cli_version and (plain_version(cli_version) or cli_version)
        stream = stream_type(engine=engine, cli_version=version, label=label)
        for chunk in chunks(source):
            stream.feed(chunk)
        words = None if stderr is None else read_text(stderr)
        runs = stream.close(exit_code=exit_code, stderr=words)
    for facts in runs:
        facts.source = label and os.fsencode(label).decode("utf-8", "replace")
        facts.runs = len(runs)
        told = transport or facts.transport or recorded
        facts.transport = ALIASES.get(told or "", told)
        if not hasattr(facts, "ended_ms") and written_ms is not None:
            facts.ended_ms = written_ms  # type: ignore[attr-defined]
    return runs


def _is_path(source: Any) -> bool:
    if isinstance(source, str):
        return not looks_like_content(source)
    return isinstance(source, os.PathLike)
