# SPDX-License-Identifier: Apache-2.0
"""The lines of Codex's legacy transport: only the fields that are read.

The captures of 0.20.0, 0.25.0, 0.36.0 and 0.42.0 show them unless a field says otherwise.
"""

from __future__ import annotations

from msgspec import Raw, Struct

from agentframes.engines.codex.frames import NOTHING, McpContent, Usage


class Settings(Struct):
    """The first line; its keys come in any order. The prompt stands alone on the second."""

    model: str | None = None
    workdir: str | None = None
    sandbox: str | None = None
    prompt: Raw = NOTHING


class Info(Struct):
    """Of `token_count`, since some version between 0.25 and 0.36."""

    total_token_usage: Usage | None = None


class Invocation(Struct):
    """Of an MCP call; 0.8.0 has these in the message itself."""

    server: str | None = None
    tool: str | None = None
    arguments: Raw = NOTHING


class McpAnswer(Struct):
    """A tool that reports failure answers ``Ok`` too."""

    content: list[McpContent] | None = None
    isError: bool | None = None
    structuredContent: Raw = NOTHING


class McpResult(Struct):
    """Of `mcp_tool_call_end`; no capture shows `Err`."""

    Ok: McpAnswer | None = None
    Err: str | None = None


class Duration(Struct):
    """How long a call took."""

    secs: int = 0
    nanos: int = 0


class Step(Struct):
    """Of `plan_update`."""

    step: str | None = None
    status: str | None = None


class Message(Usage):
    """A `msg` of any type; `token_count` held the counts itself up to 0.25.

    `aggregated_output` and `formatted_output` of a command came after 0.20. No capture shows
    `session_id` and `model`, which `session_configured` has in the sources.
    """

    type: str = ""
    message: Raw = NOTHING
    text: Raw = NOTHING
    info: Info | None = None
    call_id: str | None = None
    command: Raw = NOTHING
    changes: Raw = NOTHING
    invocation: Invocation | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Raw = NOTHING
    query: Raw = NOTHING
    chunk: Raw = NOTHING
    stream: str | None = None
    stdout: Raw = NOTHING
    stderr: Raw = NOTHING
    aggregated_output: Raw = NOTHING
    formatted_output: Raw = NOTHING
    exit_code: int | None = None
    success: bool | None = None
    duration: Duration | None = None
    result: McpResult | None = None
    plan: list[Step] | None = None
    session_id: str | None = None
    model: str | None = None


class Envelope(Struct):
    """A line of the legacy transport."""

    msg: Message | None = None


class Named(Struct):
    """A `msg`, down to its name."""

    type: str = ""
