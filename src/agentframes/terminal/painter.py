# SPDX-License-Identifier: Apache-2.0
"""The conversation as rows: what is shown, what is folded away, and where each row stands."""

from __future__ import annotations

from msgspec import structs
from rich.console import RenderableType
from rich.text import Text

from agentframes.events.model import (
    ConversationEvent,
    ImageArtifact,
    Message,
    NeedsInput,
    ParserWarning,
    PlanUpdate,
    RawRange,
    RunMarker,
    Status,
    TokenMetric,
    ToolBurst,
    UnknownFrame,
    UserMessage,
    Wait,
)
from agentframes.facts.model import RunFacts
from agentframes.terminal import footer, notices
from agentframes.terminal.agents import Agents
from agentframes.terminal.bursts import burst
from agentframes.terminal.messages import message
from agentframes.terminal.paper import Look, Paper, stacked
from agentframes.terminal.plain import amount, lines, one_line

MAX_KINDS = 8  # named in the last line

_DENSE = (ToolBurst, Status, ParserWarning, Wait, ImageArtifact, TokenMetric, PlanUpdate)


class Painter:
    """Paints the events of one source, one after the other."""

    def __init__(self, paper: Paper, look: Look) -> None:
        self._paper, self._look = paper, look
        self._agents = Agents()
        self._path: tuple[str, ...] = ()
        self._last: type | None = None
        self._noise: list[Status] = []
        self._errors: frozenset[str] = frozenset()
        self._folded = 0
        self._drift = _Drift()

    def learn(self, event: ConversationEvent) -> None:
        """Note what an event tells of the agents, before it is complete."""
        self._agents.learn(event)

    def paint(self, event: ConversationEvent) -> None:
        """Paint an event that is complete."""
        self.learn(event)
        if isinstance(event, UnknownFrame):
            self._drift.take(one_line(event.frame_kind))
        if not self._look.verbose:
            if isinstance(event, Status) and event.category == notices.NOISE:
                self._noise.append(event)
                return
            if event.collapsed_by_default:
                self._folded += 1
                return
        self._flush_noise()
        if isinstance(event, RunMarker):
            self._marker(event)
        else:
            self._row(self._painted(event), event)

    def _painted(self, event: ConversationEvent) -> RenderableType:
        signs, look = self._paper.signs, self._look
        if isinstance(event, Message):
            return message(event, signs)
        if isinstance(event, ToolBurst):
            self._errors = frozenset(call.error for call in event.calls if call.error)
            return burst(event, signs, look)
        if isinstance(event, Status) and event.explanation in self._errors:
            event = structs.replace(event, explanation=None)  # it stands above, with its call
        return notices.notice(event, signs, look)

    # --- rows ------------------------------------------------------------------------------------

    def _row(self, body: RenderableType, event: ConversationEvent) -> None:
        """Paint a row behind the bars of its agent."""
        margin = self._enter(self._agents.path(event.parent_call_id), type(event))
        self._paper.put(stacked(self._where(event), body), margin)

    def _enter(self, path: tuple[str, ...], kind: type) -> Text:
        """Go to the agent that speaks; leave a blank line where a new thought begins."""
        paper, signs = self._paper, self._paper.signs
        margin = self._agents.bars(path, signs.bar, paper.console.width)
        same = path == self._path
        if self._last is not None and not self._is_dense(kind, path):
            shared = tuple(
                one for one, other in zip(path, self._path, strict=False) if one == other
            )
            paper.put(Text(), self._agents.bars(shared, signs.bar, paper.console.width))
        if path and not same:
            paper.put(self._agents.title(path[-1]), margin)
        self._path, self._last = path, kind
        return margin

    def _is_dense(self, kind: type, path: tuple[str, ...]) -> bool:
        """Tell whether a row stands close to the one before."""
        if path != self._path:  # a sub-agent's rows belong to the call that spawned it
            return self._last is ToolBurst and path[: len(self._path)] == self._path
        return issubclass(kind, _DENSE) and not issubclass(
            self._last or object, (UserMessage, RunMarker, UnknownFrame, NeedsInput)
        )

    def _where(self, event: ConversationEvent) -> Text | None:
        """Name an event's raw lines and its kind, if asked to."""
        if not self._look.trace:
            return None
        return Text(f"{lines((event.raw_range,)) or '(no line)'} {event.kind}", "dim")

    def _marker(self, event: RunMarker) -> None:
        """Part one run from the next."""
        where = self._where(event)
        if self._last is not None:
            self._paper.put(Text())
        title = Text.styled(one_line(event.label), "bold")
        if event.session_id:
            title.append(f" · session {one_line(event.session_id)}", "dim")
        if where is not None:
            self._paper.put(where)
        self._paper.rule(title, "cyan")
        self._path, self._last = (), RunMarker

    def _flush_noise(self) -> None:
        """Paint lines beside the frames: several in a row are one row."""
        events, self._noise = self._noise, []
        if not events:
            return
        first, last = events[0].raw_range, events[-1].raw_range
        margin = self._enter((), Status)
        where = None
        if self._look.trace and first and last:
            span = RawRange(first.source, first.start, last.end)
            where = Text(f"{lines((span,))} {events[0].kind}", "dim")
        self._paper.put(
            stacked(where, notices.noise(events, self._paper.signs, self._look)), margin
        )

    # --- what later events say of earlier ones ---------------------------------------------------

    def amend(self, event: ConversationEvent) -> None:
        """Tell of an event that was painted already, and has changed since."""
        if isinstance(event, RunMarker):
            self.paint(event)
        elif isinstance(event, Message) and event.withdrawn:
            said = f"Taken back by the engine: the message of {lines((event.raw_range,))}"
            body = Text(f"{self._paper.signs.warn} {said}", "yellow")
            self._flush_noise()
            self._row(body, event)

    # --- the end ---------------------------------------------------------------------------------

    def close(self, runs: list[RunFacts]) -> None:
        """Paint what the facts tell of the runs, and sum the drift up."""
        self._flush_noise()
        paper = self._paper
        told = [facts for facts in runs if facts.engine is not None]
        if self._last is not None and told:
            paper.put(Text())
        for number, facts in enumerate(runs, 1):
            if facts.engine is not None:
                paper.rule(footer.title(facts, number), "dim")
                for line in footer.summary(facts):
                    paper.put(line)
        if self._folded:
            rows = amount(self._folded, "rows")
            paper.put(Text(f"{rows} folded away; --verbose shows them", "dim italic"))
        if self._drift.frames:
            paper.put(Text(self._drift.words(), "bold red"))


class _Drift:
    """Counts unknown frames, and keeps the first of their kinds."""

    def __init__(self) -> None:
        self.frames = 0
        self._kinds: dict[str, None] = {}
        self._more = False

    def take(self, kind: str) -> None:
        """Count a frame."""
        self.frames += 1
        if len(self._kinds) < MAX_KINDS:
            self._kinds[kind] = None
        elif kind not in self._kinds:
            self._more = True

    def words(self) -> str:
        """Sum up."""
        frames = amount(self.frames, "unknown frames")
        what = "kind" if len(self._kinds) == 1 else "kinds"
        named = ", ".join([*self._kinds, *(["and others"] if self._more else [])])
        return f"{notices.DRIFT}: {frames} ({what} {named})"
