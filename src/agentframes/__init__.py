# SPDX-License-Identifier: Apache-2.0
"""Reads what coding-agent CLIs print: native facts, one conversation model, loud drift.

Names are imported when they are first used, so that ``import agentframes`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentframes.commandline import command as command
    from agentframes.content.classify import classify_content as classify_content
    from agentframes.conversation import Reader as Reader
    from agentframes.conversation import project_conversation as project_conversation
    from agentframes.detection import detect as detect
    from agentframes.engines.invocation import Command as Command
    from agentframes.errors import AgentframesError as AgentframesError
    from agentframes.errors import CommandError as CommandError
    from agentframes.errors import EventsNotRead as EventsNotRead
    from agentframes.errors import RunFailedError as RunFailedError
    from agentframes.errors import SessionFileError as SessionFileError
    from agentframes.errors import SourceError as SourceError
    from agentframes.errors import UnknownEngineError as UnknownEngineError
    from agentframes.events.model import ConversationEvent as ConversationEvent
    from agentframes.facts.model import Finding as Finding
    from agentframes.facts.model import FrameCounts as FrameCounts
    from agentframes.facts.model import NativeResources as NativeResources
    from agentframes.facts.model import Outcome as Outcome
    from agentframes.facts.model import RunFacts as RunFacts
    from agentframes.facts.model import RunUsage as RunUsage
    from agentframes.facts.model import TokenCounts as TokenCounts
    from agentframes.inspection import FrameInspection as FrameInspection
    from agentframes.inspection import inspect_frame as inspect_frame
    from agentframes.live.api import arun as arun
    from agentframes.live.api import run as run
    from agentframes.live.installed import NotInstalledError as NotInstalledError
    from agentframes.native import (
        extract_engine_response_text as extract_engine_response_text,
    )
    from agentframes.native import parse_engine_final_text as parse_engine_final_text
    from agentframes.native import parse_engine_resources as parse_engine_resources
    from agentframes.native import parse_engine_session_id as parse_engine_session_id
    from agentframes.native import parse_session_id as parse_session_id
    from agentframes.reading import astream as astream
    from agentframes.reading import read as read
    from agentframes.reading import read_all as read_all
    from agentframes.reading import stream as stream
    from agentframes.summary import Summary as Summary
    from agentframes.summary import extract_summary as extract_summary
    from agentframes.types import Detection as Detection
    from agentframes.types import FrameSource as FrameSource
    from agentframes.types import Span as Span

__all__ = [
    "AgentframesError",
    "Command",
    "CommandError",
    "ConversationEvent",
    "Detection",
    "EventsNotRead",
    "Finding",
    "FrameCounts",
    "FrameInspection",
    "FrameSource",
    "NativeResources",
    "NotInstalledError",
    "Outcome",
    "Reader",
    "RunFacts",
    "RunFailedError",
    "RunUsage",
    "SessionFileError",
    "SourceError",
    "Span",
    "Summary",
    "TokenCounts",
    "UnknownEngineError",
    "arun",
    "astream",
    "classify_content",
    "command",
    "detect",
    "extract_engine_response_text",
    "extract_summary",
    "inspect_frame",
    "parse_engine_final_text",
    "parse_engine_resources",
    "parse_engine_session_id",
    "parse_session_id",
    "project_conversation",
    "read",
    "read_all",
    "run",
    "stream",
]

_HOMES = {
    "commandline": ("command",),
    "content.classify": ("classify_content",),
    "conversation": ("Reader", "project_conversation"),
    "detection": ("detect",),
    "engines.invocation": ("Command",),
    "errors": (
        "AgentframesError", "CommandError", "EventsNotRead", "RunFailedError",
        "SessionFileError", "SourceError", "UnknownEngineError",
    ),
    "events.model": ("ConversationEvent",),
    "facts.model": (
        "Finding", "FrameCounts", "NativeResources", "Outcome", "RunFacts", "RunUsage",
        "TokenCounts",
    ),
    "inspection": ("FrameInspection", "inspect_frame"),
    "live.api": ("arun", "run"),
    "live.installed": ("NotInstalledError",),
    "native": (
        "extract_engine_response_text", "parse_engine_final_text", "parse_engine_resources",
        "parse_engine_session_id", "parse_session_id",
    ),
    "reading": ("astream", "read", "read_all", "stream"),
    "summary": ("Summary", "extract_summary"),
    "types": ("Detection", "FrameSource", "Span"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("agentframes")
        except PackageNotFoundError:  # imported from a checkout that is not installed
            return "0+unknown"
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'agentframes' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"agentframes.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
