# SPDX-License-Identifier: Apache-2.0
"""Errors at our own doors. What a CLI printed never raises: it is told in the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentframes.facts.model import Outcome, RunFacts


class AgentframesError(Exception):
    """Base of every error this library raises; the message is one line and says what to do."""


class SourceError(AgentframesError):
    """A source that cannot be read: missing, unreadable, a folder without a capture."""


class SessionFileError(SourceError):
    """A CLI's own session file was given where its print-mode output was expected."""


class UnknownEngineError(AgentframesError):
    """An engine name that no reader answers to."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"unknown engine {name!r}; known engines: {', '.join(self.known)}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle by what the error is made of: its message is not that."""
        return type(self), (self.name, self.known)


class MissingExtraError(AgentframesError):
    """What was asked for needs packages of an extra that is not installed."""

    def __init__(self, extra: str, packages: Iterable[str]) -> None:
        self.extra = extra
        self.packages = tuple(packages)
        needed = " and ".join(self.packages)
        super().__init__(f"{extra} needs {needed}: pip install 'agentframes[{extra}]'")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle by what the error is made of: its message is not that."""
        return type(self), (self.extra, self.packages)


class CommandError(AgentframesError):
    """A call that an engine's command line cannot express."""


class EventsNotRead(AgentframesError):
    """The events of a source were asked for that cannot be read a second time."""

    def __init__(self) -> None:
        super().__init__(
            "the events were not read: pass events=True to read(), or give it a path"
            " (a Reader gives them as they come)"
        )


class RunFailedError(AgentframesError):
    """A run that the engine's own word does not call a success.

    `outcome` says why; it differs from `facts.outcome` where the run succeeded but is not the
    one that was asked for (reason ``stale``).
    """

    def __init__(self, facts: RunFacts, outcome: Outcome) -> None:
        self.facts = facts
        self.outcome = outcome
        detail = f": {' '.join(outcome.message.split())}" if outcome.message else ""
        who = facts.engine or "no engine recognized"
        super().__init__(f"{who}: run {outcome.status} ({outcome.reason}){detail}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle by what the error is made of: its message is not that."""
        return type(self), (self.facts, self.outcome)
