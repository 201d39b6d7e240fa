# SPDX-License-Identifier: Apache-2.0
"""Copilot's frames: only the fields that are read.

Every line but the last is an envelope around `data`; `Data` holds what the frequent kinds have
there, and a rare one is decoded again with a struct of its own. Names are the wire's. Unless a
field says otherwise, the captures of 1.0.83 and 1.0.102 in `corpus/copilot` show it; those of
1.0.12 and 1.0.30 lack `agentId`, and many of the others.
"""

from __future__ import annotations

from msgspec import Raw, Struct

NOTHING = Raw(b"")
_NULL = b"null"


class ToolRequest(Struct, gc=False):
    """A call that a message asks for; `arguments` is a string for a free-form tool."""

    toolCallId: str = ""
    name: str = ""
    arguments: Raw = NOTHING
    intentionSummary: str | None = None
    toolTitle: str | None = None
    mcpServerName: str | None = None
    mcpToolName: str | None = None


class ShellExecution(Struct, gc=False):
    """Of a shell call that ended (1.0.102)."""

    exitCode: int | None = None


class FileEdit(Struct, gc=False):
    """A file that a call changed (1.0.102)."""

    path: str = ""
    kind: str | None = None


class Data(Struct, gc=False):
    """What stands in `data` of the frequent kinds, of messages, model calls and tools."""

    content: Raw = NOTHING
    deltaContent: Raw = NOTHING
    messageId: str | None = None
    reasoningId: str | None = None
    reasoningText: Raw = NOTHING
    reasoningOpaque: str | None = None
    model: str | None = None
    outputTokens: int | None = None
    """1.0.12 and 1.0.30 only."""
    toolRequests: list[ToolRequest] | None = None
    parentToolCallId: str | None = None
    """The call that spawned the agent (all versions); not on every frame of an agent."""
    toolCallId: str | None = None
    toolName: str | None = None
    toolTitle: str | None = None
    mcpServerName: str | None = None
    mcpToolName: str | None = None
    arguments: Raw = NOTHING
    inputDelta: Raw = NOTHING
    partialOutput: Raw = NOTHING
    text: Raw = NOTHING
    stream: str | None = None
    success: bool | None = None
    error: Raw = NOTHING
    """An object of a failed call, a string of a failed sub-agent."""
    result: Raw = NOTHING
    """An object of a call that ended, a word of a model call."""
    shellExecution: ShellExecution | None = None
    toolTelemetry: Raw = NOTHING
    fileEdits: list[FileEdit] | None = None
    source: str | None = None
    """Who said it, where no human did: ``agent-…``, and by the typings ``skill-…``."""
    attachments: Raw = NOTHING
    """Empty in every capture."""
    outcome: str | None = None
    dispatchDurationMs: float | None = None
    reason: str | None = None


class Frame(Struct, gc=False):
    """Any line."""

    type: str = ""
    data: Data | None = None
    id: str | None = None
    timestamp: str | None = None
    agentId: str | None = None
    ephemeral: bool | None = None


def given(raw: Raw) -> bool:
    """Tell whether an optional raw field was there, and not null."""
    size = len(raw)
    return size > 0 and (size != len(_NULL) or bytes(raw) != _NULL)


_NO_DATA = Data()


def data_of(frame: Frame) -> Data:
    """Return a frame's data; of one that has none, data with nothing in it."""
    return frame.data or _NO_DATA


class CodeChanges(Struct):
    """What the run changed in files."""

    linesAdded: int | None = None
    linesRemoved: int | None = None
    filesModified: list[str] | None = None


class RunUsage(Struct):
    """The terminal line's account; no tokens, and requests are no dollars."""

    premiumRequests: int | float | None = None
    totalApiDurationMs: float | None = None
    sessionDurationMs: float | None = None
    """From the session's first run on, whoever resumed it (s13b of every version)."""
    codeChanges: CodeChanges | None = None


class Result(Struct):
    """The terminal line, the only one without `data`."""

    sessionId: str | None = None
    exitCode: int | None = None
    usage: RunUsage | None = None


class CallError(Struct):
    """Why a call failed: ``denied`` or ``failure``."""

    message: str | None = None
    code: str | None = None


class Resource(Struct):
    """An MCP resource inside a result."""

    uri: str | None = None
    mimeType: str | None = None
    blob: Raw = NOTHING


class Content(Struct):
    """A block of an MCP result, or a binary that the model was given."""

    type: str = ""
    data: Raw = NOTHING
    mimeType: str | None = None
    resource: Resource | None = None


class CallResult(Struct):
    """What a call gave back. `structuredContent` since some version between 1.0.30 and 1.0.83."""

    content: Raw = NOTHING
    contents: list[Content] | None = None
    binaryResultsForLlm: list[Content] | None = None
    structuredContent: Raw = NOTHING


class Metrics(Struct):
    """Of `toolTelemetry`; `exit_code` stands there only where it is not 0 (1.0.83, 1.0.102)."""

    exit_code: int | None = None


class Paths(Struct):
    """Of `toolTelemetry.restrictedProperties`: lists of paths, as JSON in strings."""

    filePaths: str | None = None
    addedPaths: str | None = None
    deletedPaths: str | None = None


class Telemetry(Struct):
    """Of a call that ended."""

    metrics: Metrics | None = None
    restrictedProperties: Paths | None = None


class PathArgument(Struct):
    """The arguments of the tools that take one file."""

    path: str | None = None


class Attachment(Struct):
    """Something given with a prompt; from the typings, no capture shows one."""

    path: str | None = None
    mimeType: str | None = None
    url: str | None = None
    byteLength: int | None = None
    data: Raw = NOTHING


class Subagent(Struct):
    """`data` of the subagent frames. 1.0.12 and 1.0.30 have only the first three fields.

    `error` and `cancelled` are in the typings, in no capture.
    """

    toolCallId: str | None = None
    agentName: str | None = None
    agentDescription: str | None = None
    model: str | None = None
    executionMode: str | None = None
    totalTokens: int | None = None
    totalToolCalls: int | None = None
    durationMs: float | None = None
    error: str | None = None
    cancelled: bool | None = None


class CallFailure(Struct):
    """`data` of `model.call_failure`; `retryAttempt` in 1.0.102, counted from 0."""

    model: str | None = None
    statusCode: int | None = None
    errorMessage: str | None = None
    durationMs: float | None = None
    retryAttempt: int | None = None


class Told(Struct):
    """`data` of frames that say something to people.

    `message`, `infoType`, `errorType`, `statusCode`, `serverName`, `status` and `toolCallIds` are
    in captures; the others, all of compaction and permission, are in the typings alone.
    """

    message: str | None = None
    infoType: str | None = None
    errorType: str | None = None
    statusCode: int | None = None
    serverName: str | None = None
    status: str | None = None
    toolCallIds: list[str] | None = None
    warningType: str | None = None
    progressMessage: str | None = None
    toolCallId: str | None = None
    title: str | None = None
    summary: str | None = None
    intent: str | None = None
    question: str | None = None
    requestId: str | None = None
    success: bool | None = None
    preCompactionTokens: int | None = None
    postCompactionTokens: int | None = None
    preTruncationTokensInMessages: int | None = None
    postTruncationTokensInMessages: int | None = None


class Envelope(Struct):
    """A frame that says something to people."""

    data: Told | None = None


class SubagentFrame(Struct):
    """A subagent frame."""

    data: Subagent | None = None


class CallFailureFrame(Struct):
    """A `model.call_failure` frame."""

    data: CallFailure | None = None
