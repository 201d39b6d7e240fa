# SPDX-License-Identifier: Apache-2.0
"""The facts of a run, as callers and the wire see them.

A field the engine did not report is None (null on the wire), never zero. Tokens are counts, money
is US dollars, lines are 1-based.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from agentframes.errors import EventsNotRead, RunFailedError
from agentframes.lazy import one_line

if TYPE_CHECKING:
    from agentframes.events.model import ConversationEvent

SCHEMA_VERSION = 1
MAX_COUNT = 2**63 - 1
NOTHING_NATIVE = "nothing native to read"

Status = Literal["success", "failed", "incomplete"]
Reason = Literal[
    "completed", "max_turns", "max_tokens", "budget", "refusal", "content_filter", "api_error",
    "auth", "rate_limit", "permission", "interrupted", "timeout", "idle", "cut_line",
    "no_terminal_frame", "empty", "stale", "not_agent_output", "failed",
]  # fmt: skip
Stopped = Literal["timeout", "idle", "budget", "interrupted"]
"""Why whoever ran a CLI ended it."""
Caveat = Literal[
    "cache_in_input", "reasoning_placement_unknown", "output_not_final", "subagents_excluded",
    "cost_may_span_session", "wall_may_span_session", "cost_is_list_price",
]  # fmt: skip
FinalTextSource = Literal[
    "result", "structured_output", "last_message", "last_step", "joined_deltas", "joined_messages",
]  # fmt: skip


def bounded(count: int | None) -> int | None:
    """Take a count that no run reaches for absent: it is damage, and no format holds it."""
    return None if count is None or abs(count) > MAX_COUNT else count


class Outcome(Struct, kw_only=True, frozen=True):
    """How the run ended, by the engine's own word; an exit status alone makes no success."""

    status: Status
    reason: Reason
    message: str | None = None
    exit_code: int | None = None
    line: int | None = None
    """The line of the terminal frame."""


class NativeResources(Struct, kw_only=True, frozen=True):
    """The native contract, verbatim: what the engine's own fields say, each in its own sense."""

    tokens: int | None = None
    cost_usd: float | None = None
    wall_seconds: float | None = None


class TokenCounts(Struct, kw_only=True, frozen=True):
    """One model's share of a run, in the buckets of `RunUsage`."""

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


class RunUsage(Struct, kw_only=True, frozen=True):
    """The account of the whole run, comparable across engines.

    The first four buckets are disjoint; `reasoning_tokens` is how much of the output that was.
    `scope` is what the engine guarantees the numbers to cover: those of scope ``thread`` or
    ``session`` must not be added over two runs of one id. `basis` names the native fields.
    """

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    cost_usd: float | None = None
    premium_requests: int | float | None = None
    models: dict[str, TokenCounts] | None = None
    scope: Literal["run", "session", "thread"] | None = None
    subagents: Literal["included", "excluded"] | None = None
    basis: list[str] = []


class FrameCounts(Struct, kw_only=True, frozen=True):
    """`total` = `known` + `unknown`, one for each JSON object.

    `malformed` are lines that begin as JSON and do not decode; `text_lines` other non-blank ones.
    """

    total: int = 0
    known: int = 0
    unknown: int = 0
    malformed: int = 0
    text_lines: int = 0


Level = Literal["error", "warn", "note"]


class Finding(Struct, kw_only=True, frozen=True):
    """One drift: names and types only, never a value. `line` is where it was first seen.

    ``damaged_line`` is none of the CLI's doing: `found` says why a line could not be read as it
    stands; it is a note where its frames were read all the same, a warning where they are lost.
    ``left_out`` stands for `count` sightings of its level, beyond the list's bound.
    """

    what: Literal[
        "unknown_kind",
        "unknown_field",
        "missing_field",
        "type_changed",
        "other_version",
        "damaged_line",
        "left_out",
    ]
    level: Level
    kind: str
    field: str | None = None
    expected: str | None = None
    found: str | None = None
    line: int | None = None
    count: int = 1
    seen_in: list[str] = []


class RunFacts(Struct, kw_only=True, dict=True):
    """What a finished run tells. The fields are the wire form, in its order."""

    schema_version: int = SCHEMA_VERSION
    source: str | None = None
    runs: int = 1
    """How many runs the source holds; these facts are the last one's."""
    engine: str | None = None
    cli_version: str | None = None
    transport: str | None = None
    model: str | None = None
    session_id: str | None = None
    outcome: Outcome
    resources: NativeResources
    usage: RunUsage
    caveats: list[Caveat] = []
    final_text: str | None = None
    final_text_source: FinalTextSource | None = None
    structured_output: Any = None
    turns: int | None = None
    """The engine's own number, in its own sense (claude's `num_turns`); not comparable."""
    model_calls: int | None = None
    tool_calls: int | None = None
    permission_denials: int | None = None
    frames: FrameCounts
    drift: list[Finding] = []

    @property
    def events(self) -> list[ConversationEvent]:
        """The run's conversation, which is not on the wire.

        It is made when it is first asked for: a path is opened again for it.

        Raises:
            EventsNotRead: the source was no path, and was read without ``events=True``.
            SourceError: the path cannot be read any more.
        """
        told = vars(self).get("told_events")
        if callable(told):
            told = vars(self)["told_events"] = told()
        if told is None:
            raise EventsNotRead
        events: list[ConversationEvent] = told
        return events

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form as plain Python values."""
        result: dict[str, Any] = msgspec.to_builtins(self)
        return result

    def to_json(self) -> bytes:
        """Return the wire form as one line of JSON, without a line end.

        Characters that many languages take for line ends (U+2028, U+2029, U+0085) are escaped.
        """
        return one_line(msgspec.json.encode(self))

    def without_text(self) -> RunFacts:
        """Return a copy that holds no word of the model, for telemetry."""
        own = self.outcome.message == NOTHING_NATIVE
        outcome = msgspec.structs.replace(
            self.outcome, message=self.outcome.message if own else None
        )
        facts = msgspec.structs.replace(
            self, outcome=outcome, final_text=None, structured_output=None
        )
        vars(facts).update(vars(self))  # when it ended, which is not on the wire
        vars(facts).pop("told_events", None)
        return facts

    def require_success(
        self,
        session_id: str | None = None,
        not_before: datetime | float | None = None,
    ) -> RunFacts:
        """Return these facts if the engine's own word calls the run a success.

        Args:
            session_id: the session the run must belong to.
            not_before: the earliest time at which it may have ended, as an aware datetime or in
                seconds since the epoch. It is held against the frames' own times (claude from
                2.1.220 on), else against the time the source was last written; a run whose time
                nothing tells does not pass.

        Raises:
            RunFailedError: failed or incomplete, or (reason ``stale``) another session's result
                or an older one.
        """
        stale = self._stale(session_id, not_before)
        if self.outcome.status != "success":
            raise RunFailedError(self, self.outcome)
        if stale is not None:
            outcome = Outcome(status="incomplete", reason="stale", message=stale)
            raise RunFailedError(self, outcome)
        return self

    def _stale(self, session_id: str | None, not_before: datetime | float | None) -> str | None:
        if session_id is not None and session_id != self.session_id:
            return f"the result is of session {self.session_id}, not {session_id}"
        if not_before is None:
            return None
        if isinstance(not_before, datetime):
            if not_before.tzinfo is None:
                message = "not_before must be an aware datetime: give it a time zone"
                raise ValueError(message)
            not_before = not_before.timestamp()
        ended_ms = getattr(self, "ended_ms", None)
        if ended_ms is None:
            return "nothing tells when the run ended"
        fresh = ended_ms >= not_before * 1000  # false for NaN, too
        return None if fresh else "the result is older than asked for"
