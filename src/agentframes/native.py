# SPDX-License-Identifier: Apache-2.0
"""The native-output contract as functions: what an engine's own fields say of a finished run.

They take what was printed (text or bytes, never a path) and answer None where it holds nothing
native: malformed or absent output, another engine's, an engine without a reader. They never
raise, and they judge nothing: an error envelope's text is text, so look at the outcome first.
"""

from __future__ import annotations

from typing import TypeVar

from agentframes import detection, engines
from agentframes.errors import AgentframesError
from agentframes.facts.fold import Fold
from agentframes.facts.model import NativeResources
from agentframes.lines import chunks
from agentframes.streams import Stream

Printed = str | bytes | None
T = TypeVar("T", bound=str | bytes | None)


def parse_engine_resources(engine: str, raw: Printed) -> NativeResources | None:
    """Return tokens, US dollars and seconds by the engine's own fields.

    None where no frame of that engine was read; a quantity it does not report is None inside.
    """
    fold = _last_run(engine, raw)
    if fold is None:
        return None
    return NativeResources(
        tokens=fold.tokens, cost_usd=fold.cost_usd, wall_seconds=fold.wall_seconds
    )


def parse_engine_final_text(engine: str, raw: Printed) -> str | None:
    """Return the engine's final answer by its own rule; None, never "", where there is none.

    Callers keep their fallback: ``parse_engine_final_text(engine, raw) or raw``.
    """
    fold = _last_run(engine, raw)
    return fold.native_text() if fold else None


def parse_engine_session_id(engine: str, raw: Printed) -> str | None:
    """Return the session id of that engine's own record, never of another's look-alike."""
    fold = _last_run(engine, raw)
    return fold.native_session_id() if fold else None


def parse_session_id(raw: Printed) -> str | None:
    """Return the id of the first session record of any engine, in stream order."""
    for chunk in _chunks(raw):
        for frame, _ in detection.first_frames(chunk):
            for engine in engines.built_in():
                session_id = engine.signature.session_id(frame)
                if session_id:
                    return session_id
    return None


def extract_engine_response_text(raw: T, engine: str) -> T | str:
    """Return the engine's final answer, else what was printed, unchanged."""
    return parse_engine_final_text(engine, raw) or raw


def _last_run(engine: str, raw: Printed) -> Fold | None:
    """Fold what one engine printed; None where none of it is that engine's."""
    if not engine:  # a caller without a name gets no guess
        return None
    try:
        signature = engines.get(engine).signature
    except AgentframesError:
        return None
    printed = _chunks(raw)
    # Engines share kinds (`error`): one that the reader takes need not be its engine's own.
    frames = (frame for chunk in printed for frame, _ in detection.first_frames(chunk))
    if not any(signature.recognize(frame) for frame in frames):
        return None
    stream = Stream(engine=engine, whole_text=True)
    for chunk in printed:
        stream.feed(chunk)
    stream.close(exit_code=None, stderr=None)
    fold = stream.runs.current
    return fold if fold.total > fold.unknown else None


def _chunks(raw: Printed) -> list[bytes]:
    return list(chunks(raw)) if isinstance(raw, (str, bytes)) else []
