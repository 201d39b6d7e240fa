# SPDX-License-Identifier: Apache-2.0
"""`Reader`, `stream`, `astream` and `RunFacts.events`: the doors to the conversation."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes.events.model import ConversationEvent
from tests.captured import ROOT, capture

NAME = "claude/2.1.332/s17-subagent"
FOLDER = ROOT / "corpus" / NAME


def final(told: list[ConversationEvent]) -> list[dict[str, Any]]:
    """Replace by id, and return what is left as plain values."""
    return [event.to_dict() for event in {event.id: event for event in told}.values()]


def at_once(printed: bytes) -> list[dict[str, Any]]:
    """Return the events of reading all at once."""
    return final(af.read(printed, events=True).events)


class TestReader:
    """Fed line by line, while the run goes on."""

    def test_a_line_is_its_event_at_once(self) -> None:
        """With the engine told, no line waits for the next."""
        reader = af.Reader(af.FrameSource("claude", "2.1.332"))
        lines = capture(NAME).splitlines()
        assert ["system.status"] == [event.kind for event in reader.feed(lines[0])]
        assert ["message.taskAgent"] == [event.kind for event in reader.feed(lines[1])]
        (burst,) = reader.feed(lines[2])
        assert ("toolBurst", True, 0) == (burst.kind, burst.open, burst.revision)

    def test_lines_wait_until_the_engine_is_told(self) -> None:
        """Without a frame source what comes before the first certain frame is read with it."""
        reader = af.Reader()
        lines = capture(NAME).splitlines()
        assert [] == reader.feed("Loaded cached credentials.")
        assert ["noise", "lifecycle"] == [
            getattr(event, "category", None) for event in reader.feed(lines[0])
        ]

    def test_the_end_completes_what_is_open(self) -> None:
        """`rest` has what the end itself told; the facts are those of reading the same."""
        printed = capture("codex/0.171.0/s26-sigterm-tool")
        reader = af.Reader(af.FrameSource("codex"))
        told = [event for line in printed.splitlines() for event in reader.feed(line)]
        assert [True] == [event.open for event in told if event.kind == "toolBurst"]
        facts = reader.close(exit_code=143)
        assert ["toolBurst", "system.status"] == [event.kind for event in reader.rest]
        assert [False, False] == [event.open for event in reader.rest]
        assert ("incomplete", 143) == (facts.outcome.status, facts.outcome.exit_code)

    def test_a_line_that_may_break_off_waits(self) -> None:
        """Half a line is never read early, and the line's end makes it whole."""
        lines = capture(NAME).splitlines()
        reader = af.Reader(af.FrameSource("claude"))
        assert [] == reader.feed(lines[0][:50])
        reader.close()
        assert ["system.parserWarning"] == [
            event.kind for event in reader.rest if "Warning" in event.kind
        ]

    def test_blank_lines_are_counted(self) -> None:
        """Line numbers are those of the input."""
        reader = af.Reader(af.FrameSource("codex"))
        fed = [reader.feed(line) for line in ("", "", '{"type":"turn.started"}')]
        assert ["-:3.0.0"] == [event.id for event in fed[2]]

    def test_two_readers_share_nothing(self) -> None:
        """Two runs that are read in turns are each read as if alone."""
        one, other = capture(NAME).splitlines(), capture("codex/0.171.0/s05-edit").splitlines()
        first, second = af.Reader(), af.Reader()
        rows: tuple[list[ConversationEvent], list[ConversationEvent]] = ([], [])
        for number in range(max(len(one), len(other))):
            for lines, reader, told in ((one, first, rows[0]), (other, second, rows[1])):
                if number < len(lines):
                    told.extend(reader.feed(lines[number]))
        for reader, told in ((first, rows[0]), (second, rows[1])):
            reader.close()
            told.extend(reader.rest)
        assert at_once(capture(NAME)) == final(rows[0])
        assert at_once(capture("codex/0.171.0/s05-edit")) == final(rows[1])

    def test_an_unknown_engine(self) -> None:
        """It is an error at the door."""
        with pytest.raises(af.UnknownEngineError, match="known engines: claude"):
            af.Reader(af.FrameSource("nobody"))


class TestStream:
    """The same from whatever a caller has."""

    def test_all_sources_end_the_same(self, tmp_path: Path) -> None:
        """Bytes, text, lines, a binary and a text file: one conversation."""
        printed = capture(NAME)
        path = tmp_path / "run.jsonl"
        path.write_bytes(printed)
        expected = at_once(printed)
        assert expected == final(list(af.stream(printed)))
        assert expected == final(list(af.stream(printed.decode())))
        assert expected == final(list(af.stream(printed.decode().splitlines())))
        with path.open("rb") as binary:
            assert expected == final(list(af.stream(binary)))
        with path.open(encoding="utf-8") as text:
            assert expected == final(list(af.stream(text)))

    def test_a_path_names_itself(self, tmp_path: Path) -> None:
        """Raw ranges bear the path that was given, and a capture folder tells its prompt."""
        (first, *_) = af.stream(FOLDER)
        assert first.raw_range is not None
        assert str(FOLDER) == first.raw_range.source
        assert "message.user" in {event.kind for event in af.stream(FOLDER)}
        with pytest.raises(af.SourceError, match="no such file"):
            list(af.stream(tmp_path / "nothing.jsonl"))

    def test_a_pipe_is_read_as_it_is_written(self) -> None:
        """An event comes before the next line is there."""
        reading, writing = os.pipe()
        lines = capture(NAME).splitlines(keepends=True)
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            told = af.stream(pipe)
            os.write(writing, lines[0])
            assert "system.status" == next(told).kind
            os.write(writing, lines[1])
            assert "message.taskAgent" == next(told).kind
            os.close(writing)
            assert "system.status" == list(told)[-1].kind

    def test_what_is_no_source(self) -> None:
        """It is one line that says what to give."""
        with pytest.raises(af.SourceError, match="cannot read from int"):
            list(af.stream(3))


class TestAstream:
    """The same, asynchronously."""

    def test_a_stream_reader_has_no_limit(self) -> None:
        """A line beyond asyncio's limit of 64 KiB is read like any other."""
        printed = capture(NAME).replace(b"I delegate this.", b"x" * 300_000)

        async def told() -> list[ConversationEvent]:
            reader = asyncio.StreamReader()
            reader.feed_data(printed)
            reader.feed_eof()
            return [event async for event in af.astream(reader)]

        assert at_once(printed) == final(asyncio.run(told()))

    def test_an_asynchronous_iterable(self) -> None:
        """Lines from anywhere."""

        async def lines() -> AsyncIterator[str]:
            for line in capture(NAME).decode().splitlines():
                yield line

        async def told() -> list[ConversationEvent]:
            return [event async for event in af.astream(lines(), af.FrameSource("claude"))]

        assert at_once(capture(NAME)) == final(asyncio.run(told()))

    def test_what_is_no_source(self) -> None:
        """A plain list is none: it is for `stream`."""

        async def told() -> None:
            async for _ in af.astream(["{}"]):
                pass

        with pytest.raises(af.SourceError, match="cannot read from list"):
            asyncio.run(told())


class TestEvents:
    """`run.events`."""

    def test_a_path_is_opened_again(self, tmp_path: Path) -> None:
        """The events are made when they are first asked for, and kept."""
        path = tmp_path / "run.jsonl"
        path.write_bytes(capture(NAME))
        run = af.read(path)
        told = run.events
        path.unlink()
        assert told is run.events
        assert len(at_once(capture(NAME))) == len(told)

    def test_the_path_is_gone(self, tmp_path: Path) -> None:
        """That is a `SourceError`, as anywhere."""
        path = tmp_path / "run.jsonl"
        path.write_bytes(capture(NAME))
        run = af.read(path)
        path.unlink()
        with pytest.raises(af.SourceError, match="no such file"):
            _ = run.events

    @pytest.mark.parametrize("source", [capture(NAME), io.BytesIO(capture(NAME))])
    def test_a_stream_cannot_be_read_twice(self, source: Any) -> None:
        """Without ``events=True`` there are none, and the error says so."""
        run = af.read(source)
        with pytest.raises(af.EventsNotRead, match="pass events=True"):
            _ = run.events

    def test_each_run_has_its_own(self) -> None:
        """Two runs in one stream: a marker begins the second."""
        first, second = (capture(f"claude/2.1.332/s13{part}") for part in PARTS)
        runs = af.read_all(first + second, events=True)
        assert [2, 2] == [run.runs for run in runs]
        assert ["system.status", "runMarker"] == [run.events[0].kind for run in runs]
        assert ("Session resumed", "resumed") == (
            getattr(runs[1].events[0], "label", None),
            getattr(runs[1].events[0], "status", None),
        )

    def test_without_text_there_are_no_events(self) -> None:
        """A copy for telemetry does not bring the conversation along."""
        run = af.read(FOLDER)
        with pytest.raises(af.EventsNotRead):
            _ = run.without_text().events

    def test_events_and_drift_together(self) -> None:
        """Both are made in one reading."""
        run = af.read(FOLDER, events=True, drift=True)
        assert (af.read(FOLDER, drift=True).drift, 9) == (run.drift, len(run.events))


PARTS = ("a-first-resume", "b-second-resume")
