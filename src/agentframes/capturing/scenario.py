# SPDX-License-Identifier: Apache-2.0
"""Scenarios: what a scripted model says and does, and how a CLI is asked; one TOML file each.

A file names no engine. Which tool does what it asks for is the engine's knowledge, and so is what
an engine cannot do.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from agentframes.engines.offline import Call
from agentframes.errors import AgentframesError

Stop = Literal["end", "length", "refusal", "filter"]


class ScenarioError(AgentframesError):
    """A scenario that there is not, or that cannot be read."""


class Usage(Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens of one model call; `input` is what was neither read from a cache nor written to it."""

    input: int
    cached: int = 0
    written: int = 0
    output: int = 0
    reasoning: int = 0
    """How much of the output that was."""


# A call's tokens by its place in the conversation: all differ, so that no sum is right by chance.
MAIN_USAGE = (
    Usage(input=1000, cached=0, written=301, output=11, reasoning=0),
    Usage(input=2203, cached=512, written=37, output=28, reasoning=5),
    Usage(input=4409, cached=1280, written=41, output=47, reasoning=0),
    Usage(input=8819, cached=2816, written=43, output=108, reasoning=13),
)


class Step(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One answer of the model, or one failure to give it."""

    text: str = ""
    repeat: int = 1
    """How many times the text is said: a long one need not be written out."""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage | None = None
    """Else by the step's place in the conversation."""
    stop: Stop = "end"
    refusal: str = ""
    """What a provider says of its refusal in a field of its own."""
    pause_ms: int = 0
    """Between two pieces of what is streamed."""
    piece: int = 24
    """Characters in a piece of streamed text."""
    cut_after: int | None = None
    """Pieces after which the connection breaks."""
    http: int | None = None
    """The status to fail with."""
    times: int = 1
    """How often to fail or break before the next step; 0: for ever."""


class Kill(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A signal to the CLI in the middle of its run."""

    signal: Literal["SIGTERM", "SIGKILL", "SIGINT"] = "SIGTERM"
    pieces: int | None = None
    """After so many pieces of the first answer were sent; else after all of it."""
    seconds: float = 0
    """Waited after that."""


class Scenario(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One scenario file."""

    name: str
    shows: str
    """What the capture shows: its first claim."""
    prompt: str
    steps: tuple[Step, ...] = ()
    agent: tuple[Step, ...] = ()
    """The answers of the sub-agent, whose prompt begins with SUBTASK."""
    variants: tuple[str, ...] = ()
    """Ways to run it beside the plain one; an engine takes those that it knows."""
    only: tuple[str, ...] = ()
    """Engines for which it is made at all; empty: all."""
    why_only: str = ""
    after: str | None = None
    """The scenario whose session is gone on with, in the same home."""
    permission: Literal["all", "none"] = "all"
    schema: dict[str, Any] | None = None
    max_turns: int | None = None
    mcp: bool = False
    search: bool = False
    full: bool = False
    """Whether the CLI must think its context full, by the usage that the steps tell."""
    inputs: tuple[str, ...] = ()
    kill: Kill | None = None
    timeout: float = 120
    """Seconds after which the recorder ends the CLI."""

    @property
    def http(self) -> int | None:
        """The status that the model answers with for ever."""
        return next((step.http for step in self.steps if step.http and not step.times), None)

    @property
    def cut(self) -> Literal["once", "always"] | None:
        """How often the connection breaks in the middle of an answer."""
        times = [step.times for step in self.steps if step.cut_after is not None]
        return None if not times else "once" if all(times) else "always"

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls of the main conversation."""
        return tuple(call for step in self.steps for call in step.calls)


def load_all() -> dict[str, Scenario]:
    """Return the scenarios that come with the package, by name, in order."""
    found = (
        load(path.name, path.read_text("utf-8"))
        for path in files("agentframes.capturing").joinpath("scenarios").iterdir()
        if path.name.endswith(".toml")
    )
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def load(name: str, text: str) -> Scenario:
    """Read one scenario.

    Raises:
        ScenarioError: it is no TOML, or says what no scenario can say.
    """
    try:
        return msgspec.toml.decode(text, type=Scenario)
    except (msgspec.DecodeError, ValueError) as error:
        raise ScenarioError(f"{name}: {error}") from error
