# SPDX-License-Identifier: Apache-2.0
"""Codex's frames: only the fields that are read.

Names are the wire's; the captures of 0.45.0, 0.146.0 and 0.171.0 in `corpus/codex` show them
unless a field says otherwise. The legacy transport's are in `legacy_frames`.
"""

from __future__ import annotations

from msgspec import Raw, Struct

NOTHING = Raw(b"")


class Usage(Struct, gc=False):
    """Totals of the thread.

    Cached and written tokens are inside the input, reasoning inside the output. The last two
    fields came with some version between 0.98 and 0.146.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    cache_write_input_tokens: int | None = None


class Error(Struct, gc=False):
    """Of `turn.failed`, and of a failed MCP call."""

    message: str | None = None


class Change(Struct, gc=False):
    """One file of a `file_change`."""

    path: str = ""
    kind: str | None = None


class Todo(Struct, gc=False):
    """One item of a `todo_list`."""

    text: str | None = None
    completed: bool | None = None


class AgentState(Struct, gc=False):
    """A sub-agent's state in `agents_states`."""

    status: str | None = None
    message: str | None = None


class McpResource(Struct):
    """A resource that a block of an MCP result embeds."""

    uri: str | None = None
    mimeType: str | None = None
    blob: Raw = NOTHING


class McpContent(Struct):
    """A block of an MCP result."""

    text: str | None = None
    data: Raw = NOTHING
    mimeType: str | None = None
    resource: McpResource | None = None


class McpResult(Struct):
    """Result of an MCP call."""

    content: list[McpContent] | None = None
    structured_content: Raw = NOTHING


class Item(Struct, gc=False):
    """A thread item of any type.

    `web_search` items hold the key `id` twice: the provider's id, which comes last, counts.
    """

    id: str = ""
    type: str = ""
    item_type: str | None = None
    """Stands for `type` in the preview (0.42.0 with ``--experimental-json``)."""
    text: Raw = NOTHING
    message: str | None = None
    command: Raw = NOTHING
    aggregated_output: Raw = NOTHING
    exit_code: int | None = None
    status: str | None = None
    changes: list[Change] | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Raw = NOTHING
    result: Raw = NOTHING
    error: Error | None = None
    query: Raw = NOTHING
    action: Raw = NOTHING
    items: list[Todo] | None = None
    prompt: str | None = None
    receiver_thread_ids: list[str] | None = None
    agents_states: dict[str, AgentState] | None = None


class Frame(Struct, gc=False):
    """Any line. `msg` is the legacy transport's."""

    type: str = ""
    thread_id: str | None = None
    session_id: str | None = None
    item: Item | None = None
    usage: Usage | None = None
    error: Error | None = None
    message: str | None = None
    msg: Raw = NOTHING
