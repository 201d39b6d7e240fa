# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI's frames: only the fields that are read.

Names are the wire's; the captures of 0.15.4, 0.24.5, 0.38.2, 0.47.0, 0.51.0 and 0.61.0 in
`corpus/gemini` show them in every version unless a field says otherwise.
"""

from __future__ import annotations

from msgspec import Raw, Struct

NOTHING = Raw(b"")


class Error(Struct, gc=False):
    """Of a failed call, a failed result or a failed document."""

    type: str | None = None
    message: str | None = None
    code: int | str | None = None
    """In a document alone, and there not with every error (s09--json, but not s27--json)."""


class Frame(Struct, gc=False):
    """Any frame of the stream, or the document of json mode, which has no `type`."""

    type: str = ""
    timestamp: str | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: Raw = NOTHING
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: Raw = NOTHING
    status: str | None = None
    output: Raw = NOTHING
    error: Error | None = None
    severity: str | None = None
    message: str | None = None


# --- the terminal frame, decoded a second time --------------------------------------------------


class Counts(Struct):
    """Tokens of all models, or of one; cached ones are inside the input, thoughts in no part."""

    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: int | None = None
    """Not in 0.15.4."""
    input: int | None = None
    """Without the cached ones; not in 0.15.4."""


class StreamStats(Counts):
    """The account of a run in the stream."""

    duration_ms: float | None = None
    """0 where the run failed by an exception, whatever time it took (s08, s21)."""
    models: dict[str, Counts] | None = None
    """Since some version between 0.24 and 0.38."""


class Result(Struct):
    """The stream's terminal frame."""

    stats: StreamStats | None = None


class Tokens(Struct):
    """A model's tokens in a document; the cached ones are inside `prompt`."""

    input: int | None = None
    """Without the cached ones (0.38.2, the oldest document captured)."""
    prompt: int | None = None
    candidates: int | None = None
    total: int | None = None
    cached: int | None = None
    thoughts: int | None = None
    tool: int | None = None
    """What tools added to the prompt; every capture says 0."""


class Api(Struct):
    """Calls of a model."""

    totalRequests: int | None = None
    totalLatencyMs: float | None = None


class Model(Struct):
    """A model in a document."""

    api: Api | None = None
    tokens: Tokens | None = None


class Tool(Struct):
    """A tool in a document."""

    count: int | None = None
    fail: int | None = None


class Tools(Struct):
    """Calls of tools in a document, those of sub-agents among them (s17--json)."""

    totalCalls: int | None = None
    byName: dict[str, Tool] | None = None


class Files(Struct):
    """Lines of files in a document; every capture says 0."""

    totalLinesAdded: int | None = None
    totalLinesRemoved: int | None = None


class Metrics(Struct):
    """The account of a run in a document."""

    models: dict[str, Model] | None = None
    tools: Tools | None = None
    files: Files | None = None


class Document(Struct):
    """The one object of json mode."""

    session_id: str | None = None
    response: Raw = NOTHING
    stats: Metrics | None = None
    error: Raw = NOTHING
    warnings: list[str] | None = None
    """Typings of 0.61.0; no capture has any."""
