# SPDX-License-Identifier: Apache-2.0
"""Sub-agents: who spawned whom, what they are called, and the bars that their rows stand behind."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text

from agentframes.events.model import ConversationEvent, SupportingAgentMessage, ToolBurst
from agentframes.terminal.plain import one_line

COLORS = ("magenta", "blue", "green", "cyan", "yellow")
MAX_DEPTH = 8  # bars; what is deeper stands behind as many
KEPT = 4096  # agents; a stream that spawns more loses the names of the first
MAX_TITLE = 60
NAMELESS = "sub-agent"
_ACTORS = frozenset({"agent", "reasoning", NAMELESS})


class _Agent(NamedTuple):
    parent: str | None = None
    name: str | None = None
    title: str | None = None


class Agents:
    """The sub-agents of a stream, as far as it has told."""

    def __init__(self) -> None:
        self._agents: dict[str, _Agent] = {}
        self._colors: dict[str, str] = {}

    def learn(self, event: ConversationEvent) -> None:
        """Note who is spawned, and what sub-agents are called."""
        if isinstance(event, ToolBurst):
            for call in event.calls:
                if call.family == "agent" or call.agent is not None:
                    name = call.agent.name if call.agent else None
                    self._note(call.id, _Agent(event.parent_call_id, name, call.subject or ""))
        elif isinstance(event, SupportingAgentMessage) and event.parent_call_id is not None:
            known = self._agents.get(event.parent_call_id, _Agent())
            if known.name is None and event.actor not in _ACTORS:
                self._note(event.parent_call_id, known._replace(name=event.actor))

    def _note(self, call_id: str, agent: _Agent) -> None:
        known = self._agents.pop(call_id, _Agent())
        self._agents[call_id] = agent._replace(name=agent.name or known.name)
        if len(self._agents) > KEPT:
            del self._agents[next(iter(self._agents))]

    def path(self, call_id: str | None) -> tuple[str, ...]:
        """Name the calls that spawned an agent, the outermost first."""
        path: list[str] = []
        while call_id is not None and call_id not in path and len(path) < MAX_DEPTH:
            path.append(call_id)
            call_id = self._agents.get(call_id, _Agent()).parent
        return tuple(reversed(path))

    def color(self, call_id: str) -> str:
        """Give each agent a colour that it keeps."""
        if call_id not in self._colors:
            if len(self._colors) > KEPT:
                self._colors.clear()
            self._colors[call_id] = COLORS[len(self._colors) % len(COLORS)]
        return self._colors[call_id]

    def bars(self, path: tuple[str, ...], bar: str, width: int) -> Text:
        """Make the margin of an agent's rows; a narrow terminal has room for few bars."""
        margin = Text()
        for call_id in path[: max(1, width // 8)]:
            margin.append(f"{bar} ", self.color(call_id))
        return Text("  ").append_text(margin) if path else margin

    def title(self, call_id: str) -> Text:
        """Say which agent speaks, and what it is there for."""
        agent = self._agents.get(call_id, _Agent())
        title = Text.styled(one_line(agent.name or NAMELESS), f"bold {self.color(call_id)}")
        if agent.title:
            about = Text.styled(f": {one_line(agent.title)}", "dim")
            about.truncate(MAX_TITLE, overflow="ellipsis")
            title.append_text(about)
        return title
