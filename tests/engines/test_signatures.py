# SPDX-License-Identifier: Apache-2.0
"""How each engine knows its own frames, and leaves those of all others alone."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from agentframes import engines
from agentframes.engines.support import RawFrame
from tests.engines.support import captures
from tests.frames import capture

ENGINES = ("claude", "codex")

# From captures of gemini 0.61.0, copilot 1.0.102 and opencode 1.14.41, cut short.
FOREIGN = [
    '{"type":"init","timestamp":"2026-11-30T19:15:25.214Z","session_id":"61ae","model":"g"}',
    '{"type":"message","timestamp":"2026-11-30T19:15:25.216Z","role":"user","content":"Run."}',
    '{"type":"tool_use","timestamp":"2026-11-30T19:15:25.434Z","tool_name":"t","tool_id":"r-1"}',
    '{"type":"tool_result","timestamp":"2026-11-30T19:15:25.593Z","tool_id":"r-1","status":"error"}',
    '{"type":"error","timestamp":"2026-11-30T19:15:25.600Z","severity":"warning","message":"m"}',
    '{"type":"result","timestamp":"2026-11-30T19:15:25.642Z","status":"success","stats":{}}',
    '{"type":"session.tools_updated","data":{"model":"m"},"ephemeral":true,"id":"ff"}',
    '{"type":"session.error","data":{"errorType":"query","message":"m"},"id":"aa"}',
    '{"type":"user.message","data":{"content":"Run."},"id":"b9","parentId":"bc"}',
    '{"type":"assistant.message","data":{"messageId":"0825","content":"I will."},"id":"c1"}',
    '{"type":"result","timestamp":"2026-11-30T19:23:35.436Z","sessionId":"40","exitCode":0}',
    '{"type":"step_start","timestamp":1796066176451,"sessionID":"ses_1","part":{"id":"prt_1"}}',
    '{"type":"text","timestamp":1796066176476,"sessionID":"ses_1","part":{"text":"I will."}}',
    '{"type":"tool_use","timestamp":1796066176477,"sessionID":"ses_1","part":{"type":"tool"}}',
    '{"type":"error","timestamp":1796065628364,"sessionID":"ses_1","error":{"name":"APIError"}}',
]
# What people log, or other programs print.
ORDINARY = [
    "{}",
    '{"type":"error"}',
    '{"type":"result","result":"ok"}',
    '{"type":"result","subtype":"success"}',
    '{"type":"user","name":"someone"}',
    '{"type":"system","message":"started"}',
    '{"type":"session.created","session_id":"s","user":"u"}',
    '{"type":"control_request"}',
    '{"id":"1","msg":"hello"}',
    '{"id":"1","msg":{"text":"hello"}}',
    '{"model":"m","sandbox":"s"}',
    '{"type":5,"session_id":6}',
]
CLAUDE_FILE = [
    '{"parentUuid":null,"isSidechain":false,"type":"user","message":{},"sessionId":"s"}',
    '{"type":"summary","summary":"About notes","leafUuid":"u"}',
]
CODEX_FILE = [
    '{"timestamp":"2026-11-30T19:00:00.000Z","type":"session_meta","payload":{"id":"01"}}',
    '{"timestamp":"2026-11-30T19:00:00.000Z","type":"event_msg","payload":{"type":"x"}}',
]


def signature(engine: str) -> Any:
    """Return an engine's signature."""
    return engines.get(engine).signature


def raw(line: str) -> RawFrame:
    """Decode a line one level deep."""
    return msgspec.json.decode(line, type=dict[str, msgspec.Raw])


def raw_of(frame: dict[str, Any]) -> RawFrame:
    """Write a frame, and decode it one level deep."""
    return raw(json.dumps(frame))


@pytest.mark.parametrize("name", captures())
def test_every_captured_frame_is_its_engines_alone(name: str) -> None:
    """The engine that printed a frame recognizes it, and no other does."""
    own = name.split("/", 1)[0]
    for frame in capture(name):
        raw_frame = raw_of(frame)
        for engine in ENGINES:
            strength = signature(engine).recognize(raw_frame)
            assert strength == 0 or engine == own
            assert signature(engine).session_file(raw_frame) is None
    assert 2 == signature(own).recognize(raw_of(capture(name)[0]))


@pytest.mark.parametrize("line", FOREIGN + ORDINARY + CLAUDE_FILE + CODEX_FILE)
@pytest.mark.parametrize("engine", ENGINES)
def test_look_alikes_are_not_recognized(engine: str, line: str) -> None:
    """Frames of other engines, records of session files and ordinary JSON are no frames."""
    assert 0 == signature(engine).recognize(raw(line))
    assert signature(engine).session_id(raw(line)) is None


@pytest.mark.parametrize(
    ("engine", "line"),
    [
        ("claude", '{"type":"assistant","message":{"id":"m"}}'),
        ("codex", '{"type":"error","message":"Reconnecting... 1/5"}'),
        ("codex", '{"type":"item.completed"}'),
    ],
)
def test_possible_frames_are_weak(engine: str, line: str) -> None:
    """What another program could print as well does not decide alone."""
    assert 1 == signature(engine).recognize(raw(line))


@pytest.mark.parametrize(
    ("line", "name"),
    [(line, "a Claude session file") for line in CLAUDE_FILE]
    + [(line, "a Codex session file") for line in CODEX_FILE]
    + [(line, None) for line in FOREIGN + ORDINARY],
)
def test_session_files_are_named(line: str, name: str | None) -> None:
    """A record of an engine's own session file is told by that engine, and nothing else is."""
    told = [signature(engine).session_file(raw(line)) for engine in ENGINES]
    assert ([name] if name else []) == [found for found in told if found]


@pytest.mark.parametrize(
    ("name", "number", "session_id"),
    [
        ("claude/2.1.332/s22-denied", 0, "bb4381e3-f974-4ba6-8e15-1d3c8435e956"),
        ("claude/2.1.332/s22-denied", 8, "bb4381e3-f974-4ba6-8e15-1d3c8435e956"),
        ("codex/0.171.0/s03-shell", 0, "01a22de3-f9ef-7fe1-af2d-86d60122497f"),
        ("codex/0.171.0/s03-shell", 1, None),
        ("codex/0.42.0/s05-edit--experimental-json", 0, "01a22e30-e337-78a0-a0ef-a85e5ec203c8"),
        ("codex/0.42.0/s03-shell", 0, None),
    ],
)
def test_session_ids_are_read_where_they_stand(
    name: str, number: int, session_id: str | None
) -> None:
    """Claude Code names the session on every frame, Codex on the one that opens the thread."""
    frame = raw_of(capture(name)[number])
    assert session_id == signature(name.split("/", 1)[0]).session_id(frame)


@pytest.mark.parametrize(
    ("name", "version", "transport"),
    [
        ("claude/2.1.332/s03-shell", "2.1.332", "jsonl"),
        ("claude/1.0.128/s03-shell", None, "jsonl"),
        ("claude/2.1.332/s03-shell--json", None, "json"),
        ("codex/0.171.0/s03-shell", None, "jsonl"),
        ("codex/0.42.0/s03-shell--experimental-json", None, "jsonl"),
        ("codex/0.42.0/s03-shell", None, "legacy"),
    ],
)
def test_the_first_frame_tells_version_and_transport(
    name: str, version: str | None, transport: str
) -> None:
    """What detection reports before a frame is read."""
    frame = raw_of(capture(name)[0])
    own = signature(name.split("/", 1)[0])
    assert version == own.cli_version(frame)
    assert transport == own.transport(frame)
