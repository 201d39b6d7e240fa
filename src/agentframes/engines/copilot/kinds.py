# SPDX-License-Identifier: Apache-2.0
"""The kinds of frame that Copilot is known to print; its frames drift at their type alone.

All of npm `@github/copilot-sdk` 1.0.14, and what captures show beside them. An undeclared kind of
a known area is an unknown frame like any other, but what is new there is of little note: kinds
come and go within weeks.
"""

from __future__ import annotations

from agentframes.engines.copilot.signature import PREFIXES

# In captures and not in the SDK's typings. The first and `model.call_start` since some version
# between 1.0.30 and 1.0.83, `result` in every one, the others in 1.0.102.
BEYOND_SDK = frozenset({
    "agent.interrupted", "assistant.turn_retry", "model.call_final_result", "model.call_start",
    "result", "session.mcp_server_tools_loaded", "tool.shell_output",
})  # fmt: skip

SDK = frozenset({
    "abort",
    "assistant.fusion_phase_activity", "assistant.fusion_phase_completed",
    "assistant.fusion_phase_failed", "assistant.fusion_phase_started", "assistant.idle",
    "assistant.intent", "assistant.message", "assistant.message_delta", "assistant.message_start",
    "assistant.reasoning", "assistant.reasoning_delta", "assistant.server_tool_progress",
    "assistant.streaming_delta", "assistant.tool_call_delta", "assistant.turn_end",
    "assistant.turn_start", "assistant.usage",
    "auto_mode_switch.completed", "auto_mode_switch.requested",
    "capabilities.changed",
    "command.completed", "command.execute", "command.queued", "commands.changed",
    "elicitation.completed", "elicitation.requested",
    "exit_plan_mode.completed", "exit_plan_mode.requested",
    "external_tool.completed", "external_tool.requested",
    "factory.run_settled", "factory.run_started", "factory.run_updated",
    "hook.end", "hook.progress", "hook.start",
    "mcp.headers_refresh_completed", "mcp.headers_refresh_required", "mcp.oauth_completed",
    "mcp.oauth_required", "mcp.prompts.list_changed", "mcp.resources.list_changed",
    "mcp.tools.list_changed", "mcp_app.tool_call_complete",
    "model.call_failure", "model.call_finished",
    "pending_messages.modified",
    "permission.completed", "permission.requested",
    "sampling.completed", "sampling.requested",
    "session.auto_mode_resolved", "session.auto_tier_recommendation",
    "session.auto_tier_switch_failed", "session.autopilot_objective_changed",
    "session.background_tasks_changed", "session.binary_asset", "session.canvas.closed",
    "session.canvas.opened", "session.canvas.recorded", "session.canvas.registry_changed",
    "session.canvas.removed", "session.canvas.unavailable", "session.compaction_complete",
    "session.compaction_start", "session.completion_receipt", "session.context_changed",
    "session.context_cleared", "session.custom_agents_updated", "session.custom_notification",
    "session.error", "session.extensions.attachments_pushed", "session.extensions_loaded",
    "session.fusion_completed", "session.fusion_resolved", "session.fusion_route_failed",
    "session.fusion_route_started", "session.handoff", "session.idle", "session.info",
    "session.managed_settings_enforced", "session.managed_settings_resolved",
    "session.mcp_server_needs_reconnect", "session.mcp_server_removed",
    "session.mcp_server_status_changed", "session.mcp_servers_loaded", "session.mode_changed",
    "session.mode_notice_delivered", "session.model_change", "session.permissions_changed",
    "session.plan_changed", "session.remote_steerable_changed", "session.resume",
    "session.schedule_cancelled", "session.schedule_created", "session.schedule_rearmed",
    "session.session_limits_changed", "session.shutdown", "session.skills_loaded",
    "session.snapshot_rewind", "session.start", "session.task_complete", "session.title_changed",
    "session.todos_changed", "session.tools_updated", "session.truncation",
    "session.usage_checkpoint", "session.usage_info", "session.warning",
    "session.workspace_file_changed",
    "session_limits_exhausted.completed", "session_limits_exhausted.requested",
    "skill.invoked",
    "subagent.completed", "subagent.configured", "subagent.deselected", "subagent.failed",
    "subagent.selected", "subagent.started",
    "system.message", "system.notification",
    "tool.execution_complete", "tool.execution_partial_result", "tool.execution_progress",
    "tool.execution_start", "tool.user_requested", "tool_search.activated",
    "ui.ephemeral_query",
    "user.message", "user_input.completed", "user_input.requested",
})  # fmt: skip

KINDS = SDK | BEYOND_SDK


def is_open(kind: str) -> bool:
    """Tell whether a kind's area is one where the manifest leaves new kinds room."""
    area, dot, _ = kind.partition(".")
    return bool(dot) and area in PREFIXES
