# SPDX-License-Identifier: Apache-2.0
"""One line, one frame: what it is, and whether it is known."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from agentframes import detection, engines, manifests
from agentframes.detection import CERTAIN, raw_frame
from agentframes.drift import told_version
from agentframes.engines.support import clean_kind, version_tuple
from agentframes.errors import UnknownEngineError
from agentframes.frames import FrameReader, FrameSink, Place
from agentframes.lines import encode
from agentframes.signals import Signal, Unknown
from agentframes.types import UNKNOWN_VERSION, FrameSource, Span


class FrameInspection(Struct, kw_only=True, frozen=True):
    """What a frame is; nothing of what it holds.

    `kind` is the native kind down to the boundary where it can drift: of a frame that is not
    known, the novel one. `family` is the manifest's: ``lifecycle``, ``message``, ``tool-call``,
    ``structured-runtime`` or ``truncation``; None for what is not known. `cli_version` is the
    caller's word, else what the frame itself tells, else None.
    """

    kind: str
    family: str | None
    known: bool
    cli: str
    cli_version: str | None


def inspect_frame(
    line: str | bytes | None, frame_source: FrameSource | None = None
) -> FrameInspection | None:
    """Tell the kind of the frame on a line, and whether the manifest names it.

    A frame of several blocks is known only if each of them is. Without `frame_source` the engine
    is told from the frame. None where the line holds no frame of the engine, or of any: text, a
    document of somebody else's, another engine's frame. Never raises on what the line holds.
    """
    if line is None:
        return None
    printed = encode(line) if isinstance(line, str) else bytes(line)
    engine = _engine(printed, frame_source)
    if engine is None:
        return None
    version = frame_source.version if frame_source else UNKNOWN_VERSION
    told = None if version == UNKNOWN_VERSION else version
    inspector = _Inspector(engine, told)
    reader = FrameReader(inspector.interpreter.frame_type, inspector, detection.is_frame)
    reader.feed(printed)
    reader.close()
    return inspector.result()


def _engine(printed: bytes, frame_source: FrameSource | None) -> engines.Engine | None:
    if frame_source is None:
        return detection.recognize(printed)
    try:
        return engines.get(frame_source.cli)
    except UnknownEngineError:
        return None


class _Inspector(FrameSink[Any]):
    """A sink that looks at the first frame of a line."""

    def __init__(self, engine: engines.Engine, cli_version: str | None) -> None:
        self._engine, self._version = engine, cli_version
        self._unknown: str | None = None
        self._result: FrameInspection | None = None
        self._seen = False
        self.interpreter: engines.Interpreter[Any] = engine.interpreter()(
            self._emit, full=False, cli_version=cli_version
        )

    def _emit(self, signal: Signal) -> None:
        if isinstance(signal, Unknown):
            self._unknown = self._unknown or signal.frame_kind

    def frame(self, frame: Any, place: Place, /) -> None:
        """Have the frame read, and keep what it is."""
        raw = bytes(place.raw())
        if self._seen or self._is_anothers(raw):
            return
        self._seen = True
        kinds = self.interpreter.kinds(frame, raw)
        self.interpreter.frame(frame, place)
        kind = self._unknown or clean_kind(kinds[0])
        manifest = manifests.of(self._engine)
        self._result = FrameInspection(
            kind=kind,
            family=manifest.kinds.get(kind) if manifest and self._unknown is None else None,
            known=self._unknown is None,
            cli=self._engine.name,
            cli_version=self._version or self._told_version(raw),
        )

    def _is_anothers(self, raw: bytes) -> bool:
        """Tell a frame that is certainly another engine's, and cannot be this one's."""
        frame = raw_frame(raw)
        if self._engine.signature.recognize(frame):
            return False
        return any(other.signature.recognize(frame) == CERTAIN for other in engines.built_in())

    def _told_version(self, raw: bytes) -> str | None:
        """Return the version that a known frame tells."""
        version = self._engine.signature.cli_version(raw_frame(raw))
        known = self._unknown is None and version_tuple(version) is not None
        return told_version(version) if known else None

    def damaged(self, span: Span, reason: str, /, *, lost: bool, whole: bool) -> None:
        """Drop damage: it holds a frame or none."""

    def noise(self, span: Span, text: str, /) -> None:
        """Drop text."""

    def result(self) -> FrameInspection | None:
        """Return what the line holds."""
        return self._result
