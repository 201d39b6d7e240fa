# SPDX-License-Identifier: Apache-2.0
"""Claude Code's frames: only the fields that are read.

`Frame` serves every line and is kept narrow; frames that come once or rarely are decoded again
from their bytes with a struct of their own. Structs that come on every line are kept from the
garbage collector (`gc=False`): they hold no cycle. Names are the wire's. Unless a field says
otherwise, the captures of 2.1.220 and 2.1.332 in `corpus/claude` show it.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

NOTHING = Raw(b"")


class MessageUsage(Struct, gc=False):
    """Usage of one API message. From 2.1.50 on, `output_tokens` is its value at the start."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Block(Struct, gc=False):
    """A content block of an assistant or user message."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: Raw = NOTHING
    thinking: Raw = NOTHING
    input: Raw = NOTHING
    content: Raw = NOTHING
    source: Raw = NOTHING


class Message(Struct, gc=False):
    """An API message, or the user's half of one."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: MessageUsage | None = None

    def blocks(self) -> list[Block]:
        """Return the content; one that is a string (the summary of s29) is a block of text."""
        if isinstance(self.content, str):
            return [Block(type="text", text=Raw(msgspec.json.encode(self.content)))]
        return self.content or []


class Delta(Struct, gc=False):
    """What a stream event adds."""

    type: str | None = None
    text: Raw = NOTHING
    thinking: Raw = NOTHING
    partial_json: Raw = NOTHING
    stop_reason: str | None = None


class StreamEvent(Struct, gc=False):
    """An event of the API's own stream, with ``--include-partial-messages``."""

    type: str = ""
    index: int | None = None
    delta: Delta | None = None
    content_block: Block | None = None
    message: Message | None = None
    usage: MessageUsage | None = None
    error: Raw = NOTHING


class Frame(Struct, gc=False):
    """Any line. `message` is a string in `system/permission_denied`.

    `tool_use_meta` stands beside calls of MCP tools (s12), `thinking_duration_ms` beside a
    thinking block (s06 of 2.1.332).
    """

    type: str = ""
    subtype: str | None = None
    message: Message | str | None = None
    parent_tool_use_id: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    event: StreamEvent | None = None
    ttft_ms: float | None = None
    error: Raw = NOTHING
    aborted: bool | None = None
    supersedes: Raw = NOTHING
    isSynthetic: bool | None = None
    isReplay: bool | None = None
    refused_message_id: str | None = None
    tool_use_result: Raw = NOTHING
    tool_result_meta: Raw = NOTHING
    tool_use_meta: Raw = NOTHING
    thinking_duration_ms: float | None = None


class Session(Struct):
    """What every frame carries."""

    session_id: str | None = None


class Init(Struct):
    """`system/init`; `claude_code_version` since 2.0."""

    session_id: str | None = None
    model: str | None = None
    claude_code_version: str | None = None
    cwd: str | None = None
    tools: list[str] | None = None
    permissionMode: str | None = None
    apiKeySource: str | None = None


class OutputDetails(Struct):
    """Split of the output tokens (2.1.332)."""

    thinking_tokens: int | None = None


class ResultUsage(MessageUsage):
    """`result.usage`: the main agent's calls of this run."""

    output_tokens_details: OutputDetails | None = None


class ModelUse(Struct):
    """One model's share in `modelUsage`, sub-agents and helper calls included."""

    inputTokens: int | None = None
    outputTokens: int | None = None
    thinkingTokens: int | None = None
    cacheReadInputTokens: int | None = None
    cacheCreationInputTokens: int | None = None
    costUSD: float | None = None
    costBasis: str | None = None


class Denial(Struct):
    """One of `permission_denials`."""

    tool_name: str | None = None
    tool_use_id: str | None = None


class Result(Struct):
    """The terminal frame. `terminal_reason` and `api_error_status` since 2.1.100 or so."""

    subtype: str | None = None
    is_error: bool | None = None
    session_id: str | None = None
    result: Raw = NOTHING
    structured_output: Raw = NOTHING
    errors: list[str] | None = None
    num_turns: int | None = None
    duration_ms: float | None = None
    duration_api_ms: float | None = None
    total_cost_usd: float | None = None
    usage: ResultUsage | None = None
    modelUsage: dict[str, ModelUse] | None = None
    model_usage_since_last_result: dict[str, ModelUse] | None = None
    permission_denials: list[Denial] | None = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error_status: int | None = None
    result_index: int | None = None


class ApiRetry(Struct):
    """`system/api_retry`, since 2.1.80."""

    attempt: int | None = None
    max_retries: int | None = None
    retry_delay_ms: float | None = None
    error_status: int | None = None
    error: str | None = None


class TaskUsage(Struct):
    """A sub-agent's totals; `total_tokens` is its last call's context."""

    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: float | None = None


class TaskPatch(Struct):
    """What `system/task_updated` changes."""

    status: str | None = None


class Task(Struct):
    """`system/task_started`, `task_progress`, `task_updated` and `task_notification`."""

    task_id: str | None = None
    task_type: str | None = None
    patch: TaskPatch | None = None
    tool_use_id: str | None = None
    description: str | None = None
    subagent_type: str | None = None
    is_backgrounded: bool | None = None
    prompt: str | None = None
    status: str | None = None
    summary: str | None = None
    usage: TaskUsage | None = None


class PermissionDenied(Struct):
    """`system/permission_denied` (2.1.332); `agent_id` from the typings, no capture shows it."""

    agent_id: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    message: str | None = None


class CompactMetadata(Struct):
    """Of `system/compact_boundary`."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None


class Compaction(Struct):
    """`system/compact_boundary`."""

    compact_metadata: CompactMetadata | None = None


class Withdrawal(Struct):
    """`system/model_refusal_fallback`; from the 2.1.332 typings, no capture shows it."""

    content: str | None = None
    retracted_message_uuids: list[str] | None = None


class SystemText(Struct):
    """What the small frames have to say, whichever way they say it.

    Captured: `content` and `level` of `system/informational`. The others are from the typings.
    """

    content: str | None = None
    text: str | None = None
    message: str | None = None
    description: str | None = None
    summary: str | None = None
    status: str | None = None
    state: str | None = None
    level: str | None = None
    tool_use_id: str | None = None
    error: Raw = NOTHING


class Status(Struct):
    """`system/status`; the `compact_` fields tell how a compaction went (s29)."""

    status: str | None = None
    compact_result: str | None = None
    compact_error: str | None = None


class Hook(Struct):
    """`system/hook_started`, `hook_progress` and `hook_response`; no capture shows them."""

    hook_name: str | None = None
    hook_event: str | None = None
    outcome: str | None = None
    exit_code: int | None = None
    output: str | None = None
    stderr: str | None = None


class ThinkingTokens(Struct):
    """`system/thinking_tokens`: what the block at hand has come to so far."""

    estimated_tokens: int | None = None


class ToolProgress(Struct):
    """`tool_progress`; from the typings, no capture shows it."""

    tool_use_id: str | None = None
    tool_name: str | None = None
    elapsed_time_seconds: float | None = None


class ControlRequestBody(Struct):
    """Body of a control request; from the typings, no capture shows it."""

    subtype: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None


class ControlRequest(Struct):
    """`control_request` on stdout."""

    request_id: str | None = None
    request: ControlRequestBody | None = None


class RateLimitInfo(Struct):
    """From the typings, no capture shows it: it needs a signed-in account."""

    status: str | None = None
    rateLimitType: str | None = None
    resetsAt: float | None = None


class RateLimit(Struct):
    """`rate_limit_event`."""

    rate_limit_info: RateLimitInfo | None = None


class Reset(Struct):
    """`conversation_reset`; from the typings, no capture shows it."""

    new_conversation_id: str | None = None
    session_id: str | None = None
    trigger: str | None = None


class ToolResultMeta(Struct):
    """One of `tool_result_meta`."""

    id: str | None = None
    non_execution_kind: str | None = None


class ToolUseMeta(Struct):
    """One of `tool_use_meta`: how a call is shown to people."""

    id: str | None = None
    display_name: str | None = None


class ReadFile(Struct):
    """`tool_use_result.file` of the Read tool."""

    filePath: str | None = None


class TaskItem(Struct):
    """`tool_use_result.task` of TaskCreate."""

    id: str | None = None
    subject: str | None = None


class ToolUseResult(Struct):
    """`tool_use_result` where it is an object; a failed call has a string there.

    No capture shows `interrupted` true, a `status` other than completed, or the persisted output.
    """

    type: str | None = None
    filePath: str | None = None
    file: ReadFile | None = None
    task: TaskItem | None = None
    interrupted: bool | None = None
    agentId: str | None = None
    agentType: str | None = None
    status: str | None = None
    totalTokens: int | None = None
    totalToolUseCount: int | None = None
    totalDurationMs: float | None = None
    resolvedModel: str | None = None
    structuredContent: Raw = NOTHING
    persistedOutputPath: str | None = None
    persistedOutputSize: int | None = None
