# SPDX-License-Identifier: Apache-2.0
"""The events of a conversation, as callers and the wire see them.

On the wire names are camelCase, and a field that says nothing is left out, but for `timestamp` and
`rawRange`, which are null then. Times are RFC 3339 in UTC with milliseconds; durations are in
milliseconds, sizes in bytes, money in US dollars; lines are 1-based and inclusive.

While `open` is true the same id comes again with a higher `revision`; replacing by id gives the
conversation as it stands. An event that was closed comes again where something later speaks of it:
a message taken back, a sub-agent that ends after its call.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, Literal, overload

import msgspec
from msgspec import Struct

from agentframes.content.model import Payload
from agentframes.lazy import Lazy

Severity = Literal["info", "warn", "error"]
Category = str
CallStatus = Literal["running", "ok", "failed", "denied", "unfinished"]
PlanStatus = Literal["pending", "in_progress", "completed", "cancelled"]
UserOrigin = Literal["human", "replay", "capture"]
AgentOrigin = Literal["model", "reasoning", "result", "agent_prompt", "normalized"]


class Wire(Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """A part of an event."""


class RawRange(Struct, frozen=True, rename="camel"):
    """The raw lines that something came from: 1-based, both inclusive."""

    source: str
    start: int
    end: int


class Event(Wire, kw_only=True, tag_field="kind", tag="event"):
    """What all events have in common."""

    id: str
    """Made of the source, the first line, the frame on it and the event in that; never changes."""
    timestamp: str | None
    timestamp_source: Literal["frame", "arrival"] | None = None
    """Who told the time: the frame itself, or whoever saw the line arrive."""
    severity: Severity | None = None
    model: str | None = None
    raw_range: RawRange | None
    """None only for a prompt that a capture's description tells, and for a silence."""
    collapsed_by_default: bool = False
    parent_call_id: str | None = None
    """The call that spawned the agent this belongs to; None is the main agent."""
    open: bool = False
    revision: int = 0

    @property
    def kind(self) -> str:
        """The event's kind, as on the wire."""
        tag = self.__struct_config__.tag
        return str(tag)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form as plain Python values."""
        told: dict[str, Any] = msgspec.to_builtins(self, enc_hook=_plain)
        return told

    def to_json(self) -> bytes:
        """Return the wire form as one line of JSON, without a line end."""
        return _encoder().encode(self)


class Content(Sequence[Payload]):
    """The typed payloads of a body, told apart when somebody asks."""

    __slots__ = ("_body", "_payloads")

    def __init__(self, body: str) -> None:
        self._body = body
        self._payloads: list[Payload] | None = None

    def _told(self) -> list[Payload]:
        if self._payloads is None:
            from agentframes.content.classify import classify_content

            self._payloads = classify_content(self._body)
        return self._payloads

    @overload
    def __getitem__(self, index: int) -> Payload: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Payload]: ...
    def __getitem__(self, index: int | slice) -> Payload | Sequence[Payload]:
        return self._told()[index]

    def __len__(self) -> int:
        return len(self._told())

    def __iter__(self) -> Iterator[Payload]:
        return iter(self._told())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self._body)

    def __repr__(self) -> str:
        """Name the size only: a log must not carry what a model said."""
        return f"Content({len(self._body)} characters)"


class Message(Event, kw_only=True, tag="message"):
    """Something was said."""

    body: str
    content: Content
    actor: str
    """Who speaks: ``human``, ``agent``, a sub-agent's name, or ``reasoning``."""
    origin: str
    withdrawn: bool = False
    """The engine took it back."""


class UserMessage(Message, kw_only=True, tag="message.user"):
    """A human's turn. What a CLI or an agent says in a user frame is none."""

    origin: UserOrigin


class TaskAgentMessage(Message, kw_only=True, tag="message.taskAgent"):
    """The main agent speaks. Reasoning never comes as this."""

    origin: AgentOrigin


class SupportingAgentMessage(Message, kw_only=True, tag="message.supportingAgent"):
    """A sub-agent speaks, is spoken to, or an agent reasons; never the answer."""

    origin: AgentOrigin


class File(Wire, kw_only=True):
    """A file that a call touched."""

    path: str
    change: Literal["add", "update", "delete", "read"]


class Image(Wire, kw_only=True):
    """An image of a call; its data stays in the raw line."""

    media_type: str | None = None
    bytes: int | None = None
    pointer: str | None = None
    source_path: str | None = None
    raw_range: RawRange


class AgentTotals(Wire, kw_only=True):
    """The sub-agent that a call spawned, and what it took by the engine's own count."""

    agent_id: str | None = None
    name: str | None = None
    model: str | None = None
    background: bool | None = None
    status: str | None = None
    summary: str | None = None
    total_tokens: int | None = None
    context_tokens: int | None = None
    """Tokens of its last call of the model, where the engine tells those and no total."""
    tool_calls: int | None = None
    duration_ms: float | None = None


class Call(Wire, kw_only=True):
    """One call of a tool."""

    id: str
    name: str
    family: str
    """execute, read, edit, search, fetch, web_search, plan, agent, mcp, ask, output or other."""
    status: CallStatus
    title: str | None = None
    subject: str | None = None
    """What it is about in a few words, of its input: a command, a path, a pattern."""
    server: str | None = None
    """The MCP server, for tools of one; `tool` is the tool's name there."""
    tool: str | None = None
    input: Any = None
    """What it is called with; a string where the engine gives one or its JSON breaks off."""
    output_preview: str | None = None
    """The output, where it is longer than 4 KiB its first and last 2 KiB."""
    output_bytes: int | None = None
    output_truncated: bool = False
    """The engine's own word: it cut the output."""
    error: str | None = None
    exit_code: int | None = None
    """None where the engine tells none, whatever the output says."""
    duration_ms: float | None = None
    cost_usd: float | None = None
    files: list[File] = []
    images: list[Image] = []
    agent: AgentTotals | None = None
    raw_ranges: list[RawRange] = []


class Command(Wire, kw_only=True):
    """A command line that a call of the burst ran."""

    command: str
    status: CallStatus
    exit_code: int | None = None
    output: str | None = None
    output_line_count: int | None = None
    output_truncated: bool = False
    """`output` is not all of it."""


class Test(Wire, kw_only=True):
    """A command of the burst that runs tests."""

    command: str
    status: CallStatus


class ToolBurst(Event, kw_only=True, tag="toolBurst"):
    """Calls of tools in a row, with no word of the agent between them."""

    count: int
    families: dict[str, int]
    """How many calls of each family."""
    failures: int
    """Calls that failed or were denied."""
    duration_ms: float | None = None
    """From the first call to the last end, where the frames carry times."""
    files: list[str] = []
    samples: list[str] = []
    """The first calls in a few words each."""
    tests: list[Test] = []
    commands: list[Command] = []
    calls: list[Call]


class PlanEntry(Wire, kw_only=True):
    """An item of a plan; its id stays the same over a plan's snapshots."""

    id: str
    title: str
    status: PlanStatus


class PlanUpdate(Event, kw_only=True, tag="plan.update"):
    """The agent's plan, all of it."""

    items: list[PlanEntry]


class TokenMetric(Event, kw_only=True, tag="metric.token"):
    """An account of tokens and money, as far as `scope` says; null where the engine tells none."""

    scope: Literal["run", "session", "thread"]
    account: Literal["step", "running", "final"]
    """`step` amounts add up, of `running` totals the last counts, a `final` one stands alone."""
    input_tokens: int | None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None
    reasoning_tokens: int | None = None
    cost: float | None = None
    premium_requests: int | float | None = None


class Status(Event, kw_only=True, tag="system.status"):
    """A row in plain words: what the CLI tells beside the conversation."""

    category: Category
    label: str
    explanation: str | None = None
    next_step: str | None = None


class UnknownFrame(Event, kw_only=True, tag="system.unknownFrame"):
    """A frame, or a part of one, that no captured version prints. Never its payload.

    It has no field but those here, `id`, `severity` and `rawRange`.
    """

    timestamp: str | None = None
    frame_kind: str
    cli: str
    cli_version: str
    transport: str | None = None
    message: str


class ParserWarning(Event, kw_only=True, tag="system.parserWarning"):
    """A line that could not be read as it stands."""

    expected_kind: str
    message: str
    dedupe_key: str


class NeedsInput(Event, kw_only=True, tag="agent.needsInput"):
    """The agent asks and waits for an answer."""

    question: str
    tool_name: str | None = None
    request_id: str | None = None


class Wait(Event, kw_only=True, tag="supervisor.wait"):
    """A live run says nothing, speaks again, or was ended for it."""

    state: Literal["quiet", "resumed", "killed"]
    quiet_seconds: float
    reason: str | None = None


class ImageArtifact(Event, kw_only=True, tag="artifact.image"):
    """An image; its data stays in the raw line."""

    caption: str
    media_type: str | None = None
    bytes: int | None = None
    source_path: str | None = None
    pointer: str | None = None
    """JSON pointer into the frame that `rawRange` names."""


class RunMarker(Event, kw_only=True, tag="runMarker"):
    """Another run, or another turn of one, begins in the same stream."""

    label: str
    status: Literal["started", "continued", "resumed"]
    session_id: str | None = None


ConversationEvent = (
    UserMessage
    | TaskAgentMessage
    | SupportingAgentMessage
    | ToolBurst
    | PlanUpdate
    | TokenMetric
    | Status
    | UnknownFrame
    | ParserWarning
    | NeedsInput
    | Wait
    | ImageArtifact
    | RunMarker
)


def _plain(value: Any) -> Any:
    if isinstance(value, Content):
        return list(value)
    if isinstance(value, Lazy):
        return value.decode()
    raise NotImplementedError(type(value).__name__)


@functools.cache
def _encoder() -> msgspec.json.Encoder:
    return msgspec.json.Encoder(enc_hook=_plain)
