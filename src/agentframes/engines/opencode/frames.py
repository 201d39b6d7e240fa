# SPDX-License-Identifier: Apache-2.0
"""opencode's frames: only the fields that are read.

Names are the wire's; the captures of 1.0.185, 1.2.27, 1.14.41 and 1.18.33 in `corpus/opencode`
show them unless a field says otherwise. `Metadata` and `Input` hold what single tools tell; they
are decoded from a call's raw state, and only where somebody wants more than facts.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType

NOTHING = Raw(b"")


class Cache(Struct, gc=False):
    """Tokens that went through the provider's cache; `Tokens.input` is without them."""

    read: int | None = None
    write: int | None = None


class Tokens(Struct, gc=False):
    """Usage of one step, which is one model call.

    `output` has the reasoning inside in 1.0.185 and 1.2.27, and not in 1.14.41 and 1.18.33.
    `total`, which 1.0.185 does not print, has it in every version.
    """

    total: int | None = None
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache: Cache | None = None


class Time(Struct, gc=False):
    """Milliseconds since the epoch."""

    start: int | None = None
    end: int | None = None


class State(Struct, gc=False):
    """How a call went. `error` stands for `output` and `title` where the status is error."""

    status: str = ""
    title: str | None = None
    error: str | None = None
    time: Time | None = None
    input: Raw = NOTHING
    output: Raw = NOTHING
    metadata: Raw = NOTHING
    attachments: Raw = NOTHING


class Part(Struct, gc=False):
    """A part of a message, of any type."""

    type: str = ""
    id: str | None = None
    messageID: str | None = None
    sessionID: str | None = None
    text: Raw = NOTHING
    synthetic: bool = False
    """What the CLI tells the model by itself, to go on after a compaction (s33)."""
    time: Time | None = None
    tool: str | None = None
    callID: str | None = None
    state: State | None = None
    reason: str | None = None
    cost: float | None = None
    tokens: Tokens | None = None


class ErrorData(Struct, gc=False):
    """What an error tells. Response headers, body and URL stand beside it and are not read."""

    message: str | None = None
    statusCode: int | None = None


class Error(Struct, gc=False):
    """Of an `error` frame."""

    name: str | None = None
    data: ErrorData | None = None


class Frame(Struct, gc=False):
    """Any line."""

    type: str = ""
    timestamp: int | None = None
    sessionID: str | None = None
    part: Part | None = None
    error: Error | None = None


class FileDiff(Struct):
    """What `edit` changed."""

    file: str | None = None


class Todo(Struct):
    """An item of `todowrite`. Its input may have ids, but what is kept of it has none."""

    content: str | None = None
    status: str | None = None


class Model(Struct):
    """The model of a sub-agent; not in 1.0.185."""

    modelID: str | None = None


class Metadata(Struct):
    """What single tools tell beside their output.

    `exit` is told by `bash`, as null where a command was ended (s36), `filepath` and `exists` by
    `write`, `filediff` by `edit`, `todos` by `todowrite`, the last three by `task` (`summary`, the
    calls of the sub-agent, by 1.0.185).
    No capture shows `outputPath`, or `truncated` as true.
    """

    exit: int | UnsetType | None = UNSET
    truncated: bool | None = None
    outputPath: str | None = None
    filepath: str | None = None
    exists: bool | None = None
    filediff: FileDiff | None = None
    todos: list[Todo] | None = None
    sessionId: str | None = None
    model: Model | None = None
    summary: list[Any] | None = None


class Input(Struct):
    """What single tools are called with: a file, a sub-agent's task; `error` is `invalid`'s."""

    filePath: str | None = None
    subagent_type: str | None = None
    prompt: str | None = None
    error: str | None = None


class Attachment(Struct):
    """What a call brought back beside text; `url` is a data URL in all captures."""

    mime: str | None = None
    url: Raw = NOTHING
