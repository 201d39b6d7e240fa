# SPDX-License-Identifier: Apache-2.0
"""What mutations and fuzzing found: the smallest inputs, and what must be read in them."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
import pytest

import agentframes as af
from agentframes import reading
from agentframes.facts.model import Finding
from agentframes.streams import Stream

THREAD = b'{"type":"thread.started","thread_id":"1"}'
OTHERS = b'{"type":"session.x","data":{},"id":"1","timestamp":"2","parentId":"3"}'
RESULT = (
    b'{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result",'
    b'"content":"x"}]},"session_id":"s","tool_use_result":{"status":"completed","agentId":"a"}}\n'
)


def facts(printed: bytes, *, full: bool = False) -> list[Any]:
    """Read every run, with all signals or only those that facts need."""
    stream_type = functools.partial(Stream, full=full)
    runs = reading._read(printed, None, None, None, None, None, stream_type)
    return [msgspec.to_builtins(run) for run in runs]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_another_engine_in_a_document_that_never_ends(end: bytes) -> None:
    """What is held back until the end may be another engine's: it is read as such."""
    codex, copilot = af.read_all(b"{\n " + THREAD + b"\n " + OTHERS + end)
    assert ("codex", 1, 0) == (codex.engine, codex.frames.known, codex.frames.unknown)
    assert ("copilot", 0, 1) == (copilot.engine, copilot.frames.known, copilot.frames.unknown)
    assert [
        Finding(what="unknown_kind", level="note", kind="session.x", line=3, count=1)
    ] == copilot.drift


@pytest.mark.parametrize("field", ["retry_delay_ms", "error_status", "attempt"])
def test_fields_that_facts_do_not_read_are_no_drift(field: str) -> None:
    """A field that only rows are made of is not held against its type, whoever asks for rows."""
    printed = b'{"type":"system","subtype":"api_retry","session_id":"s","%s":[]}\n'
    printed %= field.encode()
    assert [] == af.read(printed).drift
    assert facts(printed) == facts(printed, full=True)


def test_an_end_alone_tells_no_subagent() -> None:
    """Where all signals are told, an agent's end changes no fact that its call had not changed."""
    assert 0 == af.read(RESULT).model_calls
    assert facts(RESULT) == facts(RESULT, full=True)


def test_the_last_line_without_its_end_tells_the_engine_too() -> None:
    """A missing final newline changes nothing, not even who printed it (B3)."""
    printed = b'{"prompt":"S"}\n{"id":"1","msg":{"type":"task_started"}}'
    run = af.read(printed)
    assert ("codex", 2, 0) == (run.engine, run.frames.known, run.frames.unknown)
    assert facts(printed) == facts(printed + b"\n")
