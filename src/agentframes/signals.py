# SPDX-License-Identifier: Apache-2.0
"""What frames mean, in words that no engine owns: the narrow waist.

Engines turn frames into signals; facts, events and everything above read signals and never look
at a frame again. Structs only, no behaviour. Heavy values are `Lazy`. A field that the engine
does not tell is None, never zero. Where a field's doc names a CLI, that CLI's captures in
`corpus/` show it.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Raw, Struct

from agentframes.lazy import Lazy
from agentframes.types import Span

Mode = Literal["delta", "whole"]


class Signal(Struct, kw_only=True):
    """Base of all signals."""

    at: Span
    kind: str
    """The native kind of the frame, down to the boundary where it can drift."""
    agent: str | None = None
    """The id of the call that spawned the agent this belongs to; None is the main agent."""
    time_ms: int | None = None
    """Milliseconds since the epoch, where the frame carries a time."""
    arrived_ms: float | None = None
    """Milliseconds since the start of the run, where a capture or a live run tells them."""


class Begin(Signal, kw_only=True):
    """A session or thread announces itself."""

    session_id: str | None = None
    model: str | None = None
    cli_version: str | None = None
    cwd: str | None = None
    tools: list[str] | None = None
    permission_mode: str | None = None
    why: Literal["start", "reinit", "reset", "resumed"] = "start"
    """`reinit`: announced again; `resumed`: the last reinit was another process's, as it turns out
    at its end (claude prints `system/init` for each turn, s30, as for each process, s13)."""
    cost_is_list_price: bool = False
    """The account pays otherwise (a subscription): amounts of money are list prices."""


class Turn(Signal, kw_only=True):
    """The main agent's turn begins or ends."""

    id: str | None = None
    phase: Literal["start", "end", "failed"]


class Buckets(Struct, frozen=True, gc=False):
    """Disjoint counts of tokens; `output` includes reasoning, `reasoning` says how much it was."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None


Counts = tuple[int | None, int | None, int | None, int | None, int | None]
"""The same in their order, where there are many."""


class ModelCall(Signal, kw_only=True):
    """One call of the model, where the engine tells them apart."""

    id: str
    phase: Literal["start", "end", "failed"]
    begun: bool = False
    """Its begin was told, so that it is counted."""
    model: str | None = None
    stop_reason: str | None = None
    usage: Buckets | None = None
    """The latest word on this call's tokens; what a later one for the same id tells replaces it."""
    native_path: str | None = None
    cost_usd: float | None = None
    ttft_ms: float | None = None
    duration_ms: float | None = None
    error: str | None = None


class Input(Signal, kw_only=True):
    """Something was said to the agent; tool results are no input."""

    id: str | None = None
    text: Lazy
    origin: Literal["human", "synthetic", "replay", "agent_prompt", "compaction", "capture"]


class Text(Signal, kw_only=True):
    """Text of the agent; a whole replaces the deltas of its (message_id, part)."""

    message_id: str
    part: int
    text: Lazy
    mode: Mode = "whole"
    synthetic: bool = False
    """The CLI wrote it, no model did: an API error in the place of an answer (claude s08)."""


class Reasoning(Signal, kw_only=True):
    """Reasoning of the model, or a summary of it; never the answer."""

    message_id: str
    part: int
    text: Lazy
    mode: Mode = "whole"
    tokens: int | None = None
    """The engine's count or, as claude's `thinking_tokens`, its estimate."""
    duration_ms: float | None = None
    redacted: bool = False


class ToolCall(Signal, kw_only=True):
    """The agent calls a tool; one call may be told several times, always with its id."""

    call_id: str
    message_id: str | None = None
    """The message that makes the call, where the engine tells it."""
    name: str
    family: str
    """execute, read, edit, search, fetch, web_search, plan, agent, mcp, ask, output or other."""
    input: Lazy | None = None
    """What it is called with; a delta is a piece of the JSON text of it, as a string."""
    mode: Mode = "whole"
    title: str | None = None
    server: str | None = None
    tool: str | None = None


class ToolOutput(Signal, kw_only=True):
    """Output of a tool that still runs."""

    call_id: str
    text: Lazy
    stream: Literal["stdout", "stderr"] | None = None
    mode: Literal["append", "snapshot"] = "append"


class FileChange(Struct, kw_only=True, frozen=True):
    """A file that a call touched."""

    path: str
    change: Literal["add", "update", "delete", "read"]


class ToolEnd(Signal, kw_only=True):
    """A call is over. `exit_code` is given only where the engine tells one."""

    call_id: str
    status: Literal["ok", "failed", "denied", "invalid", "cancelled"]
    exit_code: int | None = None
    output: Lazy | None = None
    structured: Lazy | None = None
    error: str | None = None
    """What went wrong in the engine's or the tool's own words, where these are told apart."""
    started_ms: int | None = None
    ended_ms: int | None = None
    duration_ms: float | None = None
    files: list[FileChange] = []
    truncated: bool | None = None
    full_bytes: int | None = None
    saved_to: str | None = None


class Media(Signal, kw_only=True):
    """An image or another binary; the data stays in the raw line."""

    owner: str
    """The id of the message or call it belongs to."""
    media_type: str | None = None
    bytes: int | None = None
    pointer: str | None = None
    """JSON pointer to the base64 data in the frame, or to a data URL that holds it (opencode)."""
    path: str | None = None
    url: str | None = None


class PlanItem(Struct, kw_only=True, frozen=True):
    """One item of a plan; in a patch, None leaves what was known."""

    key: str
    title: str | None = None
    status: Literal["pending", "in_progress", "completed", "cancelled"] | None = None


class Plan(Signal, kw_only=True):
    """The agent's plan: all of it, or what changed."""

    items: list[PlanItem]
    mode: Literal["snapshot", "patch"] = "snapshot"


class Agent(Signal, kw_only=True):
    """A sub-agent begins, reports or ends."""

    call_id: str
    agent_id: str | None = None
    phase: Literal["start", "progress", "end"]
    name: str | None = None
    model: str | None = None
    background: bool | None = None
    status: str | None = None
    prompt: str | None = None
    summary: str | None = None
    total_tokens: int | None = None
    context_tokens: int | None = None
    """Tokens of its last call (claude's `total_tokens` is that), no total."""
    tool_calls: int | None = None
    duration_ms: float | None = None


class Usage(Signal, kw_only=True):
    """An account of tokens and money.

    `step` amounts are added; of `running` totals the last counts, and one that falls begins a
    new segment; a `final` one stands for the run. Where each running total has its step beside
    it (`of_total`), the steps are exact and the totals may begin before this run.
    """

    account: Literal["step", "running", "final"]
    scope: Literal["run", "session", "thread"]
    buckets: Buckets
    cost_usd: float | None = None
    premium_requests: int | float | None = None
    models: dict[str, ModelUsage] | None = None
    subagents: Literal["included", "excluded"] | None = None
    native_path: str
    of_total: bool = False
    cache_in_input: bool = False
    """The native count of input tokens contains the cached ones."""
    cost_may_span_session: bool = False
    cost_is_list_price: bool = False
    caveats: list[str] = []
    """What must be known to use the numbers, out of `facts.model.Caveat`."""


class ModelUsage(Struct, kw_only=True, frozen=True):
    """One model's share of a usage."""

    buckets: Buckets
    cost_usd: float | None = None


class Native(Signal, kw_only=True):
    """The native-output contract, verbatim; the last value that is not None counts.

    A `terminal` one stands for itself: what it does not tell is not known, whatever an earlier
    one told (claude: several results in one stream, the last counts). The session stays.
    """

    terminal: bool = False

    tokens: int | None = None
    cost_usd: float | None = None
    wall_seconds: float | None = None
    session_id: str | None = None
    final_text: Lazy | None = None
    answer: Lazy | None = None
    """The final answer, where the contract's `final_text` is not it (opencode: the last step's)."""
    final_text_source: Literal["result", "last_message", "last_step", "joined_deltas"] | None = None
    """Where the answer stands."""


class Retry(Signal, kw_only=True):
    """A model call failed and is tried again."""

    attempt: int | None = None
    max: int | None = None
    delay_ms: float | None = None
    status: int | None = None
    reason: str | None = None


class Permission(Signal, kw_only=True):
    """The agent asked for leave, or was denied it."""

    phase: Literal["asked", "denied", "granted"]
    call_id: str | None = None
    tool: str | None = None
    reason: str | None = None
    request_id: str | None = None


class Limit(Signal, kw_only=True):
    """A rate limit or quota was told."""

    what: str | None = None
    status: str | None = None
    resets_ms: int | None = None


class Truncated(Signal, kw_only=True):
    """Something is incomplete by the engine's own word."""

    what: Literal["context", "answer", "tool_output"]
    call_id: str | None = None
    before: int | None = None
    """Tokens of a context, bytes of a tool's output."""
    after: int | None = None


class Withdrawn(Signal, kw_only=True):
    """Messages that the engine took back."""

    ids: list[str]
    """Message ids as `Text.message_id` has them."""
    reason: str


class Notice(Signal, kw_only=True):
    """Something worth a status row and nothing more."""

    category: str
    severity: Literal["info", "warn", "error"] = "info"
    label: str
    """What it is, in plain words."""
    text: str | None = None
    call_id: str | None = None
    """The call it speaks of, if it does."""


class Unknown(Signal, kw_only=True):
    """A frame, or a part of one, that the manifest does not name. Never a payload."""

    frame_kind: str
    open_prefix: bool = False
    """The manifest leaves its prefix open: kinds come and go there (copilot's ``session.`` …)."""


class Retyped(Signal, kw_only=True):
    """A field that is read came with another JSON type than declared. Types only."""

    field: str
    expected: str
    found: str


class Damaged(Signal, kw_only=True):
    """A line that could not be read as it stands; `lost` tells that not even a part was."""

    reason: str
    expected: str = "one JSON object"
    lost: bool
    broken_off: bool = False
    """A frame was begun and not ended."""


class Noise(Signal, kw_only=True):
    """A line that is no frame."""

    text: str


class Stretch(Signal, kw_only=True):
    """Frames in a row that only go on, told at once: what facts need of them, in their order.

    It stands for the signals that the frames have one by one where all signals are asked for;
    the facts are the same either way.
    """

    frames: int = 0
    """How many there were."""
    calls: dict[str, Counts | None] = {}
    """The main agent's calls of the model, each with the last word on its usage."""
    calls_path: str | None = None
    """The native path of the calls' usage."""
    others_calls: list[str] = []
    """The ids of sub-agents' calls of the model."""
    tools: list[str] = []
    """The ids of the calls of tools."""
    said: list[tuple[str, Raw] | None] = []
    """The main agent's texts in JSON, each with its message; None is a tool's result."""
    final_text: Lazy | None = None
    """As in `Native`: the last message, where that is what the engine's contract takes."""
    active: bool = False
    """The main agent spoke or acted."""
    subagents: bool = False
    """A sub-agent was called, or told of."""


class End(Signal, kw_only=True):
    """The engine's own terminal word. `reason` is one of `facts.model.Reason`."""

    status: Literal["success", "failed", "incomplete"]
    reason: str
    message: str | None = None
    exit_code: int | None = None
    denials: int | None = None
    turns: int | None = None
    wall_ms: float | None = None
    api_ms: float | None = None
    structured: Lazy | None = None
    code_changes: dict[str, int] | None = None
    last_ms: int | None = None
    """The time of the last frame that carries one, where this one carries none (claude)."""
    model_calls: int | None = None
    """How many by the engine's own count, where its transport shows none (gemini json)."""
    tool_calls: int | None = None
    """The same of calls of tools."""
