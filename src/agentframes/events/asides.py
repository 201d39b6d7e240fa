# SPDX-License-Identifier: Apache-2.0
"""Rows beside what is said and done: status, accounts, images, questions, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from agentframes.events import notices
from agentframes.events.model import (
    ConversationEvent,
    ImageArtifact,
    NeedsInput,
    ParserWarning,
    RawRange,
    Status,
    TokenMetric,
    UnknownFrame,
)
from agentframes.events.normalized import TRANSCRIPT
from agentframes.events.notices import Words, bounded
from agentframes.events.rows import Row, Rows, times
from agentframes.types import UNKNOWN_VERSION, Span

if TYPE_CHECKING:
    from agentframes.signals import Damaged, Media, Notice, Retyped, Signal, Unknown, Usage

MAX_WARNINGS = 512  # sorts of retyped fields that are told once each


class Teller(Protocol):
    """Whoever reads the frames: what it knows of the engine stands on an unknown frame's row."""

    @property
    def cli(self) -> str:
        """The engine's name."""

    @property
    def cli_version(self) -> str:
        """Its version."""

    @property
    def transport(self) -> str | None:
        """How it prints."""

    @property
    def echoes_prompt(self) -> bool:
        """Whether its output may hold what it was asked."""


class Nobody:
    """Nobody knows."""

    cli = cli_version = UNKNOWN_VERSION
    transport: str | None = None
    echoes_prompt = True


class TranscriptRow(Row):
    """A text-mode transcript: one row over all its lines."""

    __slots__ = ("words",)

    def __init__(self, row_id: str, at: Span, words: Words) -> None:
        super().__init__(row_id, at)
        self.words = words

    def event(self, source: str) -> ConversationEvent:
        """Make the event as it stands."""
        return Status(
            id=self.id,
            timestamp=None,
            severity=self.words.severity,
            raw_range=RawRange(source, self.start, self.end),
            collapsed_by_default=True,
            open=self.open,
            revision=self.revision,
            category=self.words.category,
            label=self.words.label,
            explanation=bounded(self.words.explanation),
        )


class Asked(msgspec.Struct):
    """A question that was told, and its number among the rows."""

    number: int
    event: NeedsInput


class Asides:
    """Appends rows that stand beside what is said and done; all but transcripts are complete."""

    def __init__(self, rows: Rows, teller: Teller) -> None:
        self._rows = rows
        self._teller = teller
        self._warned: set[str] = set()
        self.warned_at: Span | None = None
        """The frame of the last row that warns."""
        self.transcript: TranscriptRow | None = None
        """The one that is open."""

    def notice(self, signal: Notice) -> None:
        """What the engine put into words, or a line of a transcript."""
        if signal.category != TRANSCRIPT:
            self.status(signal, notices.notice(signal))
        elif signal.text is not None or self.transcript is None:
            self.end_transcript()
            row = TranscriptRow(self._rows.name(signal.at), signal.at, notices.notice(signal))
            self.transcript = row
            self._rows.open(row)
        else:
            self.transcript.reach(signal.at)
            self._rows.touch(self.transcript)

    def end_transcript(self) -> None:
        """Something else comes."""
        row, self.transcript = self.transcript, None
        if row is not None:
            self._rows.close(row)

    def image(self, signal: Media) -> None:
        """An image; its data stays in the raw line."""
        place = signal.path or signal.url
        self._rows.add(
            ImageArtifact(
                id=self._rows.name(signal.at),
                **times(signal),  # type: ignore[arg-type]
                raw_range=self._rows.range(signal.at),
                parent_call_id=signal.agent,
                caption=place.rsplit("/", 1)[-1] if place else signal.media_type or "image",
                media_type=signal.media_type,
                bytes=signal.bytes,
                source_path=place,
                pointer=signal.pointer,
            )
        )

    def needs_input(
        self, signal: Signal, asks: str, tool: str | None, request_id: str | None
    ) -> Asked:
        """The agent asks and waits."""
        asked = NeedsInput(
            id=self._rows.name(signal.at),
            **times(signal),  # type: ignore[arg-type]
            severity="warn",
            raw_range=self._rows.range(signal.at),
            parent_call_id=signal.agent,
            question=bounded(asks) or "",
            tool_name=tool,
            request_id=request_id,
        )
        return Asked(self._rows.add(asked), asked)

    def ask_again(self, asked: Asked, request_id: str | None) -> None:
        """A question that was told comes again as a request to the host."""
        event = msgspec.structs.replace(
            asked.event, request_id=request_id, revision=asked.event.revision + 1
        )
        asked.event = event
        self._rows.replace(asked.number, event)

    def usage(self, signal: Usage) -> None:
        """An account of tokens and money."""
        told = signal.buckets
        only = next(iter(signal.models)) if signal.models and len(signal.models) == 1 else None
        self._rows.add(
            TokenMetric(
                id=self._rows.name(signal.at),
                **times(signal),  # type: ignore[arg-type]
                model=only,
                raw_range=self._rows.range(signal.at),
                collapsed_by_default=True,
                scope=signal.scope,
                account=signal.account,
                input_tokens=told.input,
                cache_read_tokens=told.cache_read,
                cache_write_tokens=told.cache_write,
                output_tokens=told.output,
                reasoning_tokens=told.reasoning,
                cost=signal.cost_usd,
                premium_requests=signal.premium_requests,
            )
        )

    def unknown(self, signal: Unknown) -> None:
        """A frame, or a part of one, that the manifest does not name."""
        teller = self._teller
        cli, version = teller.cli, teller.cli_version
        self._rows.add(
            UnknownFrame(
                id=self._rows.name(signal.at),
                severity="info" if signal.open_prefix else "error",
                raw_range=self._rows.range(signal.at),
                frame_kind=signal.frame_kind,
                cli=cli,
                cli_version=version,
                transport=teller.transport,
                message=f"Unknown frame (kind {signal.frame_kind}, cli {cli} v{version})",
            )
        )

    def retyped(self, signal: Retyped) -> None:
        """A field came with another type; each sort is told once."""
        key = f"type_changed:{signal.kind}:{signal.field}"
        if key in self._warned:
            return
        if len(self._warned) < MAX_WARNINGS:
            self._warned.add(key)
        words = f"{signal.field} is {signal.found}, not {signal.expected}"
        self._warn(signal, signal.kind, words, key)

    def damaged(self, signal: Damaged) -> None:
        """A line could not be read as it stands."""
        reason = signal.reason.replace("_", " ")
        outcome = "its frame is lost" if signal.lost else "its frames were read"
        words = f"The line could not be read as it stands ({reason}); {outcome}"
        self._warn(signal, signal.expected, words, f"damaged_line:{signal.reason}")

    def _warn(self, signal: Signal, expected: str, message: str, key: str) -> None:
        self._rows.add(
            ParserWarning(
                id=self._rows.name(signal.at),
                timestamp=None,
                severity="warn",
                raw_range=self._rows.range(signal.at),
                expected_kind=expected,
                message=message,
                dedupe_key=key,
            )
        )

    def status(self, signal: Signal, words: Words) -> None:
        """A signal in plain words."""
        if words.severity != "info":
            self.warned_at = signal.at
        self.row(signal.at, signal, words)

    def row(self, at: Span, signal: Signal | None, words: Words) -> None:
        """A status row, of a signal or of none."""
        told = {"timestamp": None} if signal is None else times(signal)
        self._rows.add(
            Status(
                id=self._rows.name(at),
                **told,
                severity=words.severity,
                raw_range=self._rows.range(at),
                collapsed_by_default=words.collapsed,
                parent_call_id=None if signal is None else signal.agent,
                category=words.category,
                label=words.label,
                explanation=bounded(words.explanation),
                next_step=words.next_step,
            )
        )


def question(value: Any) -> str | None:
    """Find what is asked in the input of a tool that asks; several questions are joined."""
    if not isinstance(value, dict):
        return None
    several = value.get("questions")
    asked = [value, *(several if isinstance(several, list) else ())]
    texts = [one.get("question") for one in asked if isinstance(one, dict)]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


def is_image(media_type: str | None) -> bool:
    """Tell whether a medium is an image; one of which nothing is told is taken for one."""
    return media_type is None or media_type.startswith("image/")
