# SPDX-License-Identifier: Apache-2.0
"""Claude Code's system frames that change or report what the run is: all but the notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from agentframes.engines.claude import notices
from agentframes.engines.claude.frames import (
    ApiRetry,
    Compaction,
    CompactMetadata,
    Frame,
    Init,
    PermissionDenied,
    Task,
    TaskPatch,
    TaskUsage,
    Withdrawal,
)
from agentframes.engines.claude.kinds import SYSTEM
from agentframes.engines.support import UNTYPED, remember
from agentframes.signals import Agent, Begin, Notice, Permission, Retry, Truncated, Withdrawn

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter
    from agentframes.frames import Place


def read(reader: ClaudeInterpreter, frame: Frame, place: Place) -> None:
    """Read one system frame."""
    subtype = frame.subtype or UNTYPED
    kind = f"system/{subtype}"
    handler = _HANDLERS.get(subtype)
    if handler is not None:
        handler(reader, frame, place, kind)
    elif subtype in SYSTEM:
        notices.system(reader, frame, place)
    else:
        reader.unknown(place, kind)


def _init(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    init = reader.reread(place, Init)
    why: Literal["start", "reinit", "reset"] = "start"
    if reader.reset_announced:
        why = "reset"
    elif reader.inits and init.session_id == reader.session_id:
        why = "reinit"  # a further turn of the same process, or after compaction
    list_price = init.apiKeySource == "none"
    reader.emit(
        Begin(
            **reader.of(frame, kind),
            session_id=init.session_id,
            model=init.model,
            cli_version=init.claude_code_version,
            cwd=init.cwd,
            tools=init.tools,
            permission_mode=init.permissionMode,
            why=why,
            cost_is_list_price=list_price,
        )
    )
    if why == "start":
        reader.begin_run()
    reader.inits += 1
    reader.agents_told = False
    reader.reinits += why == "reinit"
    reader.reset_announced = False
    reader.session_id = init.session_id
    reader.cli_version = init.claude_code_version or reader.cli_version
    reader.list_price = list_price


def _retry(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    if not reader.full:
        return
    retry = reader.glance(place, ApiRetry)
    broken = reader.streaming.pop(frame.parent_tool_use_id, None)
    if broken is not None and not broken.ended:
        # What was streamed of it is said anew (2.1.332, s11-disconnect--partial).
        ids = [broken.message_id]
        reader.emit(Withdrawn(**reader.of(frame, kind), ids=ids, reason="aborted"))
    reader.emit(
        Retry(
            **reader.of(frame, kind),
            attempt=retry.attempt,
            max=retry.max_retries,
            delay_ms=retry.retry_delay_ms,
            status=retry.error_status,
            reason=retry.error,
        )
    )


# --- tasks ---------------------------------------------------------------------------------------

_PHASES: dict[str, Literal["start", "progress", "end"]] = {
    "system/task_started": "start",
    "system/task_notification": "end",
}
_JOBS = {
    "system/task_started": "Background task started",
    "system/task_notification": "Background task ended",
}


def _task(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    """Tell a sub-agent's task; other tasks, as a shell command's, are status rows.

    Captures show tasks of type ``local_agent`` only.
    """
    task = reader.glance(place, Task)
    call_id, agent = reader.tasks.get(task.task_id or "", (None, False))
    call_id = task.tool_use_id or call_id  # `task_updated` names the task alone
    agent = agent or _is_agent(task)
    if task.task_id:
        remember(reader.tasks, task.task_id, (call_id, agent))
    reader.agents_told = reader.agents_told or (agent and kind == "system/task_started")
    status = (task.patch or TaskPatch()).status or task.status
    if agent:
        _agent(reader, frame, task, call_id or task.task_id or "", status, kind)
    elif reader.full:
        reader.emit(
            Notice(
                **reader.of(frame, kind),
                category="task",
                severity="warn" if status == "failed" else "info",
                label=_JOBS.get(kind, "Background task goes on"),
                text=task.summary or task.description or status,
                call_id=call_id,
            )
        )


def _is_agent(task: Task) -> bool:
    """Only a sub-agent has a type of its own or a usage; the task's type is told at its start."""
    if task.task_type is not None:
        return task.task_type.endswith(("agent", "teammate"))
    return task.subagent_type is not None or task.usage is not None


def _agent(  # noqa: PLR0917 - what its caller has read already
    reader: ClaudeInterpreter, frame: Frame, task: Task, call_id: str, status: str | None, kind: str
) -> None:
    usage = task.usage or TaskUsage()
    reader.emit(
        Agent(
            **reader.of(frame, kind),
            call_id=call_id,
            agent_id=task.task_id,
            phase=_PHASES.get(kind, "progress"),
            name=task.subagent_type,
            background=task.is_backgrounded,
            status=status,
            prompt=task.prompt,
            summary=task.summary or task.description,
            context_tokens=usage.total_tokens,
            tool_calls=usage.tool_uses,
            duration_ms=usage.duration_ms,
        )
    )


# --- permissions, context, refusals --------------------------------------------------------------


def _denied(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    if not reader.full:
        return
    denied = reader.glance(place, PermissionDenied)
    if denied.tool_use_id:
        remember(reader.denied, denied.tool_use_id, None)
    common = reader.of(frame, kind)
    common["agent"] = reader.tasks.get(denied.agent_id or "", (None, False))[0]
    reader.emit(
        Permission(
            **common,
            phase="denied",
            call_id=denied.tool_use_id,
            tool=denied.tool_name,
            reason=denied.message,
        )
    )


def _compaction(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    reader.compacted = True
    if not reader.full:
        return
    metadata = reader.glance(place, Compaction).compact_metadata or CompactMetadata()
    reader.emit(
        Truncated(
            **reader.of(frame, kind),
            what="context",
            before=metadata.pre_tokens,
            after=metadata.post_tokens,
        )
    )


def _fallback(reader: ClaudeInterpreter, frame: Frame, place: Place, kind: str) -> None:
    """Another model answers in the place of one that refused; no capture shows it."""
    told = reader.reread(place, Withdrawal)
    ids = reader.messages_of(told.retracted_message_uuids or [])
    if ids:
        reader.emit(Withdrawn(**reader.of(frame, kind), ids=ids, reason="refusal"))
    notices.system(reader, frame, place)


Handler = Callable[["ClaudeInterpreter", Frame, "Place", str], None]

_HANDLERS: dict[str, Handler] = {
    "init": _init,
    "api_retry": _retry,
    "task_started": _task,
    "task_progress": _task,
    "task_updated": _task,
    "task_notification": _task,
    "permission_denied": _denied,
    "compact_boundary": _compaction,
    "model_refusal_fallback": _fallback,
}

# To facts, the others mean nothing; nor do two of these, which are told where all signals are.
SILENT = SYSTEM - (_HANDLERS.keys() - {"api_retry", "permission_denied"})
# These say that there are sub-agents: once that is known, they mean nothing, either.
TASKS = frozenset(name for name, handler in _HANDLERS.items() if handler is _task)
