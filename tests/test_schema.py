# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of facts and events, and that the whole corpus keeps to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import agentframes as af
from agentframes.events.schema import event_schema
from agentframes.facts.schema import facts_schema

CORPUS = Path(__file__).parent.parent / "corpus"
FOLDERS = [path.parent for path in sorted(CORPUS.glob("*/*/*/capture.toml"))]
VERSIONS = sorted({folder.parent for folder in FOLDERS})


def closed(schema: Any) -> Any:
    """Return a schema that allows no field but those it names."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: closed(part) for key, part in schema.items()}
    if told.get("type") == "object" and "properties" in told:
        told["additionalProperties"] = False
    return told


EVENTS = jsonschema.Draft202012Validator(closed(event_schema()))
FACTS = jsonschema.Draft202012Validator(closed(facts_schema()))


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_corpus_keeps_to_the_schema(version: Path) -> None:
    """Every event and all facts of every capture are valid, and hold nothing else."""
    for folder in FOLDERS:
        if folder.parent != version:
            continue
        for run in af.read_all(folder, events=True):
            assert [] == [error.message for error in FACTS.iter_errors(run.to_dict())]
            for event in run.events:
                wire = json.loads(event.to_json())
                assert [] == [error.message for error in EVENTS.iter_errors(wire)]


def test_an_unknown_frame_has_these_fields_and_no_other() -> None:
    """Its row cannot carry a payload: there is no field for one."""
    printed = b'{"type":"thread.started","thread_id":"t"}\n{"type":"brand.new","secret":"s3cr3t"}\n'
    run = af.read(printed, events=True)
    (row,) = [event for event in run.events if event.kind == "system.unknownFrame"]
    assert {
        "kind": "system.unknownFrame",
        "id": "-:2.0.0",
        "severity": "error",
        "rawRange": {"source": "-", "start": 2, "end": 2},
        "frameKind": "brand.new",
        "cli": "codex",
        "cliVersion": "unknown",
        "transport": "jsonl",
        "message": "Unknown frame (kind brand.new, cli codex vunknown)",
    } == json.loads(row.to_json())


@pytest.mark.parametrize(("what", "title"), [("events", "ConversationEvent"), ("facts", None)])
def test_the_command_prints_it(what: str, title: str | None) -> None:
    """``agentframes schema`` prints a valid schema."""
    command = [sys.executable, "-m", "agentframes", "schema", what]
    printed = subprocess.run(command, capture_output=True, check=True)
    schema = json.loads(printed.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert title == schema.get("title")


def test_the_command_prints_both() -> None:
    """Without a word for which, facts and events are valid, and other objects are not."""
    command = [sys.executable, "-m", "agentframes", "schema"]
    printed = subprocess.run(command, capture_output=True, check=True)
    either = jsonschema.Draft202012Validator(json.loads(printed.stdout))
    run = af.read(FOLDERS[0], events=True)
    assert [] == [error.message for error in either.iter_errors(run.to_dict())]
    assert [] == [
        error.message for event in run.events for error in either.iter_errors(event.to_dict())
    ]
    assert not either.is_valid({"kind": "nothing"})


def test_the_command_knows_two_words() -> None:
    """Another is one line and exit status 2."""
    command = [sys.executable, "-m", "agentframes", "schema", "signals"]
    printed = subprocess.run(command, capture_output=True, check=False)
    assert 2 == printed.returncode
    assert 1 == printed.stderr.count(b"\n")
