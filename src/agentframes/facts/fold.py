# SPDX-License-Identifier: Apache-2.0
"""The signals of one run, folded into its facts. State is bounded, whatever the run's length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentframes.facts.answer import AnswerFold
from agentframes.facts.findings import Findings
from agentframes.facts.flat import Flat
from agentframes.facts.model import (
    Caveat,
    Finding,
    FrameCounts,
    Level,
    NativeResources,
    RunFacts,
    RunUsage,
    Stopped,
    bounded,
)
from agentframes.facts.outcome import Ending, OutcomeFold
from agentframes.facts.usage import UsageFold, counts_of
from agentframes.lazy import Lazy
from agentframes.signals import (
    Agent,
    Begin,
    Damaged,
    End,
    Input,
    ModelCall,
    Native,
    Noise,
    Retyped,
    Signal,
    Stretch,
    Text,
    ToolCall,
    ToolEnd,
    Turn,
    Unknown,
    Usage,
    Withdrawn,
)

REMEMBERED = 1024  # ids at least among which a repeated one is known
_CAVEATS: tuple[Caveat, ...] = (
    "cache_in_input", "reasoning_placement_unknown", "output_not_final", "subagents_excluded",
    "cost_may_span_session", "wall_may_span_session", "cost_is_list_price",
)  # fmt: skip


class Distinct(Flat):
    """Counts distinct ids; repeated tellings of one stand near each other."""

    def __init__(self) -> None:
        self.count = 0
        self._recent: set[str] = set()
        self._before: set[str] = set()

    def add(self, keys: list[str]) -> None:
        """Count keys, but for those that were just told."""
        recent = self._recent
        size = len(recent)
        if size + len(keys) < REMEMBERED and self._before.isdisjoint(keys):  # all at once
            recent.update(keys)
            self.count += len(recent) - size
            return
        for key in keys:
            if key in self._recent or key in self._before:
                continue
            self.count += 1
            self._recent.add(key)
            if len(self._recent) >= REMEMBERED:
                self._before, self._recent = self._recent, set()


class Fold:
    """Folds one run. `take` is called with each signal, in order."""

    def __init__(self) -> None:
        self.total = self.unknown = self.malformed = self.text_lines = 0
        self.begun = self.ended = False
        self.cli_version: str | None = None
        self._usage = UsageFold()
        self._answer = AnswerFold()
        self._outcome = OutcomeFold()
        self._model: str | None = None
        self._session_id: str | None = None
        self._native_session: str | None = None
        self._list_price = False
        self.tokens: int | None = None
        self.cost_usd: float | None = None
        self.wall_seconds: float | None = None
        self._model_calls, self._tool_calls = Distinct(), Distinct()
        self.told_model_calls: int | None = None
        self.told_tool_calls: int | None = None
        self.subagents = False
        self.seen: Any = {}
        """What the frames of the run hold, where somebody asks for their drift (`walk.Seen`)."""
        self._findings = Findings()
        self._on: dict[type[Signal], Callable[[Any], None]] = {
            Begin: self._begin,
            Turn: self._outcome.turn,
            ModelCall: self._model_call,
            Input: self._input,
            Text: self._text,
            ToolCall: self._tool_call,
            ToolEnd: self._tool_end,
            Agent: self._agent,
            Usage: self._usage.usage,
            Native: self._native,
            Withdrawn: self._answer.withdrawn,
            Unknown: self._unknown,
            Retyped: self._retyped,
            Damaged: self._damaged,
            Noise: self._noise,
            Stretch: self._stretch,
            End: self._end,
        }

    def take(self, signal: Signal) -> None:
        """Fold one signal in."""
        handler = self._on.get(type(signal))
        if handler is not None:
            handler(signal)

    # --- signals -------------------------------------------------------------------------------

    def _begin(self, signal: Begin) -> None:
        self.begun = True
        self.cli_version = signal.cli_version or self.cli_version
        self._model = self._model or signal.model
        self._session_id = signal.session_id or self._session_id
        self._outcome.begin(signal)

    def _model_call(self, signal: ModelCall) -> None:
        if not signal.begun:
            self._model_calls.add([signal.id])
        if signal.agent is not None:
            self.subagents = True
            return
        self._usage.calls.take({signal.id: counts_of(signal.usage)}, signal.native_path)
        if signal.phase == "start":
            self._outcome.activity()

    def _input(self, signal: Input) -> None:
        self._outcome.input(signal)
        if signal.agent is None and signal.origin == "human":
            self._answer.interruption()

    def _text(self, signal: Text) -> None:
        self._answer.text(signal)
        if signal.agent is None:
            self._outcome.activity()

    def _tool_call(self, signal: ToolCall) -> None:
        self._tool_calls.add([signal.call_id])
        if signal.agent is None:
            self._outcome.activity()
        if signal.agent is not None or signal.family == "agent":
            self.subagents = True

    def _tool_end(self, signal: ToolEnd) -> None:
        if signal.agent is None:
            self._answer.interruption()

    def _agent(self, signal: Agent) -> None:
        # What is told of one later, may be told only where all signals are.
        self.subagents = self.subagents or signal.phase == "start"

    def _native(self, signal: Native) -> None:
        if signal.terminal or signal.tokens is not None:
            self.tokens = signal.tokens
        if signal.terminal or signal.cost_usd is not None:
            self.cost_usd = signal.cost_usd
        if signal.terminal or signal.wall_seconds is not None:
            self.wall_seconds = signal.wall_seconds
        self._native_session = signal.session_id or self._native_session
        self._answer.native(signal)

    def _unknown(self, signal: Unknown) -> None:
        self.unknown += 1
        level: Level = "note" if signal.open_prefix else "error"
        self._findings.add(
            Finding(what="unknown_kind", level=level, kind=signal.frame_kind, line=signal.at.first)
        )

    def _retyped(self, signal: Retyped) -> None:
        self._findings.add(
            Finding(
                what="type_changed",
                level="error",
                kind=signal.kind,
                field=signal.field,
                expected=signal.expected,
                found=signal.found,
                line=signal.at.first,
            )
        )

    def _damaged(self, signal: Damaged) -> None:
        self.malformed += signal.lost
        self._findings.add(
            Finding(
                what="damaged_line",
                level="warn" if signal.lost else "note",
                kind=signal.kind,
                expected=signal.expected,
                found=signal.reason,
                line=signal.at.first,
            )
        )
        if signal.lost and signal.broken_off:
            self._outcome.broken()

    def _noise(self, _: Noise) -> None:
        self.text_lines += 1

    def _stretch(self, signal: Stretch) -> None:
        if signal.calls:
            self._model_calls.add(list(signal.calls))
            self._usage.calls.take(signal.calls, signal.calls_path)
        if signal.others_calls:
            self._model_calls.add(signal.others_calls)
        if signal.tools:
            self._tool_calls.add(signal.tools)
        if signal.said:
            self._answer.stretch(signal.said)
        if signal.final_text is not None:
            self._answer.native_message(signal.final_text)
        self.subagents = self.subagents or signal.subagents
        if signal.active:
            self._outcome.activity()

    def _end(self, signal: End) -> None:
        self.ended = True
        self._outcome.ended(signal)
        self._answer.turn_over()
        self.told_model_calls, self.told_tool_calls = signal.model_calls, signal.tool_calls

    # --- facts -----------------------------------------------------------------------------------

    def usage(self) -> RunUsage:
        """Return the account, as far as it was told by now."""
        return self._usage.result()[0]

    def native_text(self) -> str | None:
        """Return the native final text, verbatim."""
        return self._answer.native_text()

    def native_session_id(self) -> str | None:
        """Return the session id the engine's own records tell."""
        return self._native_session or self._session_id

    def facts(
        self,
        *,
        cut: bool,
        exit_code: int | None,
        stderr: str | None,
        stopped: Stopped | None = None,
    ) -> RunFacts:
        """Return the facts of the run; who printed it is for the caller to add."""
        end = self._outcome.end
        usage, caveats = self._usage.result()
        if self.subagents and usage.subagents == "excluded":
            caveats.append("subagents_excluded")
        structured = end.structured if end else None
        text, source = self._answer.result(structured)
        ending = Ending(
            cut=cut,
            frames=self.total - self.unknown,
            blank=not (self.total or self.malformed or self.text_lines),
            exit_code=exit_code,
            stderr=stderr,
            stopped=stopped,
        )
        models = list(usage.models or {})
        facts = RunFacts(
            model=self._model or (models[0] if len(models) == 1 else None),
            session_id=self.native_session_id(),
            outcome=self._outcome.result(ending),
            resources=NativeResources(
                tokens=bounded(self.tokens), cost_usd=self.cost_usd, wall_seconds=self.wall_seconds
            ),
            usage=usage,
            caveats=[caveat for caveat in _CAVEATS if caveat in caveats],
            final_text=text,
            final_text_source=source,
            structured_output=_decoded(structured),
            turns=bounded(end.turns) if end else None,
            model_calls=self._model_calls.count,
            tool_calls=self._tool_calls.count,
            permission_denials=end.denials if end else None,
            frames=FrameCounts(
                total=self.total,
                known=self.total - self.unknown,
                unknown=self.unknown,
                malformed=self.malformed,
                text_lines=self.text_lines,
            ),
            drift=self._findings.listed(),
        )
        ended_ms = None if end is None else end.time_ms or end.last_ms
        if ended_ms is not None:
            facts.ended_ms = ended_ms  # type: ignore[attr-defined]
        return facts


def _decoded(value: Lazy | None) -> Any:
    return None if value is None else value.decode()
