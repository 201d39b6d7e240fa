# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Claude Code is known to print, at each boundary where it can drift.

From the typings and the wire schemas of 2.1.332, and all captures. What is not here is told as an
unknown frame.
"""

from __future__ import annotations

from agentframes.engines.claude.frames import Block, Frame, Message, StreamEvent
from agentframes.engines.support import UNTYPED

# Blocks that captures show: text, thinking, tool_use. The others are the API's own.
ASSISTANT_BLOCKS = frozenset({
    "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use",
    "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
    "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
    "tool_search_tool_result", "mcp_tool_use", "mcp_tool_result", "container_upload",
})  # fmt: skip
CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
# Captured: text, tool_result.
USER_BLOCKS = frozenset({"text", "tool_result", "image", "document", "search_result"})

RESULTS = frozenset({
    "success", "error_during_execution", "error_max_turns", "error_max_budget_usd",
    "error_max_structured_output_retries",
})  # fmt: skip

SYSTEM = frozenset({
    # typings of 2.1.332
    "api_retry", "background_tasks_changed", "commands_changed", "compact_boundary",
    "control_request_progress", "elicitation_complete", "files_persisted", "hook_progress",
    "hook_response", "hook_started", "informational", "init", "local_command_output",
    "memory_recall", "mirror_error", "model_refusal_fallback", "model_refusal_no_fallback",
    "notification", "permission_denied", "plugin_install", "session_state_changed",
    "session_writes_lost", "status", "task_notification", "task_progress", "task_started",
    "task_updated", "thinking_tokens", "worker_shutting_down",
    # only in the output union of the 2.1.332 binary
    "code_change_published", "vcs_state_changed", "shell_cwd", "feedback_draft_queued",
    "ui_invalidate", "ui_log", "ui_toast", "ui_notify", "ui_notify_cancel", "ui_status",
    "ui_placed", "ui_scroll", "ui_focus", "cloud_session_delta", "dev_intent",
    "task_list_statuses", "session_title_changed", "turn_handoff_available", "turn_preempted",
    "peer_message_hold", "per_turn_effort_changed", "permission_check_status",
    "inherited_asks_settled", "late_allow_not_run", "instruction_size_warning",
    "file_attachments_missing",
})  # fmt: skip

PLAIN = frozenset({
    "active_goal", "auth_status", "autocompact_state", "command_lifecycle",
    "control_cancel_request", "control_request", "control_response", "conversation_reset",
    "keep_alive", "prompt_suggestion", "rate_limit_event", "tool_progress", "tool_use_summary",
    "transcript_mirror",
})  # fmt: skip

STREAM_EVENTS = frozenset({
    "message_start", "message_delta", "message_stop", "content_block_stop", "ping", "error",
})  # fmt: skip
# Captured: all but citations_delta.
STREAM_DELTAS = frozenset({
    "text_delta", "thinking_delta", "input_json_delta", "signature_delta", "citations_delta",
})  # fmt: skip


def kinds(frame: Frame) -> list[tuple[str, bool]]:
    """Name a frame at each of its boundaries, and whether each name is known.

    A frame of several blocks has a name for each; the name of one without any is its type.
    """
    kind = frame.type or UNTYPED
    if kind == "assistant":
        return _blocks(frame, ASSISTANT_BLOCKS) or [(kind, True)]
    if kind == "user":
        return _blocks(frame, USER_BLOCKS) or [(kind, True)]
    if kind == "system":
        return [(f"system/{frame.subtype or UNTYPED}", frame.subtype in SYSTEM)]
    if kind == "result":
        return [(f"result/{frame.subtype or UNTYPED}", frame.subtype in RESULTS)]
    if kind == "stream_event":
        return [stream_kind(frame.event or StreamEvent())]
    return [(kind, kind in PLAIN)]


def _blocks(frame: Frame, known: frozenset[str]) -> list[tuple[str, bool]]:
    blocks = frame.message.blocks() if isinstance(frame.message, Message) else []
    return [(f"{frame.type}/{block.type or UNTYPED}", block.type in known) for block in blocks]


def stream_kind(event: StreamEvent) -> tuple[str, bool]:
    """Name a stream event down to its block or delta."""
    kind = f"stream_event/{event.type or UNTYPED}"
    if event.type == "content_block_start":
        block = (event.content_block or Block()).type
        return f"{kind}/{block or UNTYPED}", block in ASSISTANT_BLOCKS
    if event.type == "content_block_delta":
        delta = event.delta.type if event.delta else None
        return f"{kind}/{delta or UNTYPED}", delta in STREAM_DELTAS
    return kind, event.type in STREAM_EVENTS
