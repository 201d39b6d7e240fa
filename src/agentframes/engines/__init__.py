# SPDX-License-Identifier: Apache-2.0
"""Engines: one package for each coding-agent CLI, and how they are found.

An engine is a module (or any object) with the members of `Engine`. The built-in ones are packages
of this one; others register through the entry-point group ``agentframes.engines`` and are looked
up only for an unknown name, or when no built-in engine recognizes the frames.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct

from agentframes.engines.support import RawFrame, clean_kind
from agentframes.errors import CommandError, UnknownEngineError
from agentframes.frames import Place
from agentframes.signals import Signal, Stretch, Unknown
from agentframes.types import Transport

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from agentframes.engines.invocation import Command, Installation, Request
    from agentframes.engines.offline import Offline

ENGINE_API = 1
BUILT_IN = ("claude", "codex", "copilot", "gemini", "opencode")
ENTRY_POINTS = "agentframes.engines"

F = TypeVar("F", bound=Struct)
S = TypeVar("S", bound=Struct)
Emit = Callable[[Signal], None]


class Signature(Protocol):
    """How an engine's frames are told from all others; imported for detection, so kept light."""

    def recognize(self, frame: RawFrame, /) -> int:
        """Return 2 for a frame that only this engine prints, 1 for a possible one, else 0."""

    def session_id(self, frame: RawFrame, /) -> str | None:
        """Return the session id where the frame is this engine's own record of it."""

    def cli_version(self, frame: RawFrame, /) -> str | None:
        """Return the CLI's version where the frame tells it."""

    def transport(self, frame: RawFrame, /) -> Transport:
        """Return how the engine prints frames like this one on a line of their own."""

    def session_file(self, frame: RawFrame, /) -> str | None:
        """Name the engine's own session file where the frame can only stand in one."""


class Engine(Protocol):
    """What an engine package offers."""

    name: str
    engine_api: int
    signature: Signature

    def interpreter(self) -> type[Interpreter[Any]]:
        """Return the class that reads this engine's frames; imports what it needs."""

    def command_line(self, request: Request, /) -> Command:
        """Return the command line that asks this engine; imports what it needs."""

    def prompt(self, argv: Sequence[str], stdin: str | None, /) -> str | None:
        """Return what a command line of this engine asked; imports what it needs."""


class Interpreter(Generic[F]):
    """Turns the frames of one stream into signals; one instance serves one stream.

    With `full` False only the signals that facts are made of need to be emitted. `cli_version`
    is the caller's word until the stream tells its own.
    """

    frame_type: ClassVar[type[Struct]]

    whole_text = False
    """Whether somebody wants the final text by the native contract where that is more than the
    answer (opencode's is all that was said): else memory stays flat."""

    echoes_prompt: ClassVar[bool] = False
    """Whether some form of the output holds what the agent was asked (copilot, gemini's lines)."""

    def __init__(self, emit: Emit, *, full: bool, cli_version: str | None = None) -> None:
        self.emit = emit
        self.full = full
        self.cli_version = self.given_version = cli_version
        self.transport: Transport = "jsonl"
        self.tells_tool_calls = True
        """Whether the transport shows the calls of tools, so that none means none."""
        self.tells_model_calls = True
        """Whether the transport tells the calls of the model apart."""
        self.tells_subagents_model_calls = False
        """Whether it tells those of sub-agents, too; else their number is unknown with one."""

    def frame(self, frame: F, place: Place) -> None:
        """Read one frame; never raises on what it holds."""
        raise NotImplementedError

    def routine(self, frames: Iterator[F], _: Stretch, /) -> F | None:
        """Read frames that only go on, and return the first that says more; for facts alone.

        What they mean goes into the stretch. An engine whose long runs are to be read fast does
        that here, in one loop; for the others every frame says more.
        """
        return next(frames, None)

    def kinds(self, frame: F, raw: Any, /) -> list[str]:
        """Name the frame at each boundary where it can drift; the first name is the frame's own."""
        raise NotImplementedError

    def close(self) -> None:
        """End the stream: emit what was held back."""

    def last_words(self, stderr: str, /) -> str:
        """Narrow what went to stderr down to what tells why nothing came; its last line counts."""
        return stderr

    def reread(self, place: Place, struct: type[S]) -> S:
        """Decode the frame at hand as a struct of its own; retyped fields go to `place`."""
        raw = place.raw()
        try:
            value: S = _decoder(struct).decode(raw)
        except (msgspec.DecodeError, RecursionError):
            from agentframes.lenient import lenient  # rare

            told, changes = lenient(raw, struct)
            place.changes = [*place.changes, *changes]
            return struct() if told is None else cast("S", told)
        return value

    def glance(self, place: Place, struct: type[S]) -> S:
        """Decode the frame at hand for what facts do not read: its types are not held against it.

        Else full and lean reading would not find the same drift.
        """
        changes = place.changes
        told = self.reread(place, struct)
        place.changes = changes
        return told

    def unknown(
        self, place: Place, kind: str, agent: str | None = None, *, open_prefix: bool = False
    ) -> None:
        """Tell a frame that the manifest does not name."""
        name = clean_kind(kind)
        at = place.span()
        self.emit(Unknown(at=at, kind=name, frame_kind=name, agent=agent, open_prefix=open_prefix))


@functools.cache
def _decoder(struct: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(struct)


def names() -> tuple[str, ...]:
    """List the built-in engines' names."""
    return BUILT_IN


def get(name: str) -> Engine:
    """Return an engine by name.

    Raises:
        UnknownEngineError: no built-in or registered engine has that name.
    """
    if name in BUILT_IN:
        return _built_in(name)
    for engine in registered():
        if engine.name == name:
            return engine
    raise UnknownEngineError(name, BUILT_IN)


def installation(name: str) -> Installation:
    """Return how an engine's CLI is installed; imports what it needs.

    Raises:
        UnknownEngineError: no engine has that name.
        CommandError: the engine does not tell.
    """
    told = getattr(get(name), "installation", None)
    if told is None:
        raise CommandError(f"{name} does not tell how its CLI is installed")
    return cast("Installation", told())


def capture_setup(name: str) -> Offline:
    """Return how an engine's CLI is run without an account; imports what it needs.

    Raises:
        UnknownEngineError: no built-in or registered engine has that name.
        CommandError: the engine does not tell; not every registered one does.
    """
    engine = get(name)
    told = getattr(engine, "capture_setup", None)
    if told is None:
        raise CommandError(f"{name}: this engine does not tell how its CLI is run offline")
    return cast("Offline", told())


def built_in() -> Iterator[Engine]:
    """Yield the built-in engines, importing each only when it is reached."""
    return (_built_in(name) for name in BUILT_IN)


@functools.cache
def _built_in(name: str) -> Engine:
    return cast("Engine", importlib.import_module(f"agentframes.engines.{name}"))


@functools.cache
def _entry_points() -> tuple[EntryPoint, ...]:
    """Look the registrations up once: that takes 10 ms, and `read` rarely needs them."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=ENTRY_POINTS))


def registered() -> Iterator[Engine]:
    """Yield the engines that other distributions register, those of another API left out."""
    for point in _entry_points():
        engine = point.load()
        if getattr(engine, "engine_api", None) == ENGINE_API:
            yield engine
