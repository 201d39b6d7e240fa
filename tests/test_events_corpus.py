# SPDX-License-Identifier: Apache-2.0
"""What holds for the conversation of every capture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from agentframes import engines
from agentframes.captures import open_folder
from agentframes.events.model import Call, ConversationEvent, ToolBurst
from tests.captured import capture

CORPUS = Path(__file__).parent.parent / "corpus"
FOLDERS = {
    str(path.parent.relative_to(CORPUS)): path.parent
    for path in sorted(CORPUS.glob("*/*/*/capture.toml"))
}


def events(folder: Path) -> list[ConversationEvent]:
    """Return the events of all runs of a capture."""
    return [event for run in af.read_all(folder, events=True) for event in run.events]


def expected(folder: Path) -> dict[str, Any]:
    """Return the facts that the oracle computed, of the last run."""
    told = json.loads((folder / "expected.json").read_bytes())
    last: dict[str, Any] = told[-1] if isinstance(told, list) else told
    return last


def calls(told: list[ConversationEvent]) -> Iterator[Call]:
    """Yield the calls of all bursts."""
    for event in told:
        if isinstance(event, ToolBurst):
            yield from event.calls


def printed(folder: Path) -> bytes:
    """Return what the CLI printed."""
    return capture(str(folder.relative_to(CORPUS)))


@pytest.mark.parametrize("name", FOLDERS)
def test_every_real_call_is_found(name: str) -> None:
    """The bursts hold as many calls as the oracle counted, wherever the transport shows calls."""
    folder = FOLDERS[name]
    told = events(folder)
    counted = expected(folder)["tool_calls"]
    shown = open_folder(str(folder)).transport != "json" and counted is not None
    if shown and af.read(folder).runs == 1:
        assert counted == sum(1 for _ in calls(told))
    assert sum(event.count for event in told if isinstance(event, ToolBurst)) == sum(
        1 for _ in calls(told)
    )


@pytest.mark.parametrize("name", FOLDERS)
def test_every_event_has_its_way_back(name: str) -> None:
    """Each event names lines that there are; only a prompt of the capture's own names none."""
    folder = FOLDERS[name]
    last = printed(folder).rstrip(b"\n").count(b"\n") + 1
    for event in events(folder):
        if event.raw_range is None:
            assert ("message.user", "capture") == (event.kind, getattr(event, "origin", None))
        else:
            assert 1 <= event.raw_range.start <= event.raw_range.end <= last


@pytest.mark.parametrize("name", FOLDERS)
def test_ids_are_given_once_and_all_is_closed(name: str) -> None:
    """No two events share an id, and none is open when the input has ended."""
    told = events(FOLDERS[name])
    assert len(told) == len({event.id for event in told})
    assert not [event.id for event in told if event.open]


@pytest.mark.parametrize("name", FOLDERS)
def test_live_and_at_once_agree(name: str) -> None:
    """Lines that are fed one by one end in the events, and the facts, of reading all at once."""
    folder = FOLDERS[name]
    capture = open_folder(str(folder))
    assert capture.engine is not None
    source = af.FrameSource(capture.engine, capture.version or "unknown")
    prompt = engines.get(capture.engine).prompt(capture.argv, capture.stdin)
    reader = af.Reader(source, source=str(folder), prompt=prompt)
    rows: dict[str, ConversationEvent] = {}
    for line in printed(folder).split(b"\n"):
        for event in reader.feed(line):
            assert event.id not in rows or event.revision > rows[event.id].revision
            rows[event.id] = event
    facts = reader.close()
    rows.update((event.id, event) for event in reader.rest)
    assert [one.to_dict() for one in events(folder)] == [one.to_dict() for one in rows.values()]
    assert af.read(folder).outcome.status == facts.outcome.status
    assert af.read(folder).usage == facts.usage


@pytest.mark.parametrize("name", FOLDERS)
def test_facts_do_not_change_with_events(name: str) -> None:
    """Facts are the same whether events are made or not."""
    folder = FOLDERS[name]
    plain = [run.to_json() for run in af.read_all(folder)]
    assert plain == [run.to_json() for run in af.read_all(folder, events=True)]


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_in_the_corpus_is_unknown(name: str) -> None:
    """No capture has an unknown frame or a damaged line, so no such row."""
    alarms = {"system.unknownFrame", "system.parserWarning"}
    assert [] == [event.id for event in events(FOLDERS[name]) if event.kind in alarms]
