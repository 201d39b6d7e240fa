# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI: what nobody has seen yet, what looks like it, and how it may arrive."""

from __future__ import annotations

import io
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentframes as af
from agentframes.engines.gemini.messages import Said
from agentframes.engines.gemini.signature import certainty
from agentframes.lazy import Lazy
from agentframes.signals import Unknown
from agentframes.types import Span
from tests import captured
from tests.engines.support import Sink, _feed, drive_frames, everything, folded
from tests.frames import Frame, capture, having, printed, without

NOW = "gemini/0.61.0"
SHELL = f"{NOW}/s03-shell"
SECRET = "tr0ub4dor"

INIT, USER, SAID, USED, ENDED, *_, RESULT = capture(SHELL)
ERROR = capture(f"{NOW}/s27-empty")[2]

NOVEL = [
    (having(SAID, type="thought", content=SECRET), "thought"),
    (having(SAID, role="system", content=SECRET), "message/system"),
    (without(having(SAID, content=SECRET), "role"), "message/(untyped)"),
    (having(ENDED, status="cancelled", output=SECRET), "tool_result/cancelled"),
    (having(RESULT, status="partial", error={"type": SECRET, "message": SECRET}), "result/partial"),
    (without(having(RESULT, error={"message": SECRET}), "status"), "result/(untyped)"),
    (having(ERROR, severity="fatal", message=SECRET), "error/fatal"),
    ({"type": "tool_use", "part": {"text": SECRET}}, "tool_use/(untyped)"),
    ({"timestamp": INIT["timestamp"], "content": SECRET}, "(untyped)"),
    ({"type": f"a b\n{'x' * 200}", "content": SECRET}, f"a?b?{'x' * 116}"),
]


@pytest.mark.parametrize(("frame", "kind"), NOVEL, ids=[kind[:20] for _, kind in NOVEL])
def test_a_novel_frame_is_named(frame: Frame, kind: str) -> None:
    """At every boundary: told once, with its line, and the rest of the run is read."""
    frames = capture(SHELL)
    run = af.read(printed(frames[:5], frame, frames[5:]))
    assert (1, 8) == (run.frames.unknown, run.frames.known)
    assert [("unknown_kind", "error", kind, 6, 1)] == [
        (finding.what, finding.level, finding.kind, finding.line, finding.count)
        for finding in run.drift
    ]
    assert ("success", "The command printed hello.") == (run.outcome.status, run.final_text)


@pytest.mark.parametrize(("frame", "kind"), NOVEL, ids=[kind[:20] for _, kind in NOVEL])
def test_no_payload_of_a_novel_frame(frame: Frame, kind: str) -> None:
    """Nothing of what it says is in any signal, nor in the facts."""
    sink = drive_frames("gemini", INIT, frame)
    (unknown,) = (signal for signal in sink.signals if isinstance(signal, Unknown))
    assert (kind, kind) == (unknown.kind, unknown.frame_kind)
    assert SECRET in json.dumps(frame)
    assert SECRET not in everything(sink)
    assert SECRET.encode() not in af.read(printed(INIT, frame)).to_json()


@pytest.mark.parametrize("status", ["cancelled", None])
def test_a_novel_end_is_no_end(status: str | None) -> None:
    """A result with a status that nobody knows calls nothing a success, or a failure."""
    *frames, end = capture(SHELL)
    run = af.read(printed(frames, having(end, status=status)))
    assert ("incomplete", "no_terminal_frame") == (run.outcome.status, run.outcome.reason)


def test_the_answer_begins_anew_after_a_novel_end_of_a_call() -> None:
    """However a call ended, what was said before it is not the answer."""
    novel = having(ENDED, status="cancelled")
    run = af.read(printed(INIT, USER, SAID, novel))
    assert None is run.final_text


LOOK_ALIKES: list[Any] = [
    {"type": "message", "role": "assistant", "content": "ok"},  # no time
    {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "text"}]},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": [{"type": "text"}]},
    {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},  # a block of claude's API
    {"type": "tool_result", "tool_use_id": "t", "content": "ok"},
    {"type": "tool_use", "timestamp": 1, "sessionID": "s", "part": {"type": "tool"}},  # opencode
    {"type": "result", "timestamp": "t", "sessionId": "s", "exitCode": 0, "usage": {}},  # copilot
    {"type": "error", "message": "no"},  # codex
    {"type": "error", "timestamp": 1, "sessionID": "s", "error": {"name": "E"}},  # opencode
    {"event": "init", "conversation_id": "c"},  # antigravity
    {"response": "ok"},
    {"error": {"type": "invalid_request_error", "message": "no", "code": 400}},  # an API's answer
    {"session_id": "s", "stats": {"models": 3}},
    {"session_id": "s", "response": "ok", "stats": {"models": {}, "tools": {}}, "level": "info"},
    {},
]  # fmt: skip


@pytest.mark.parametrize("frame", LOOK_ALIKES, ids=lambda frame: json.dumps(frame)[:40])
def test_look_alikes(frame: Frame) -> None:
    """What other programs print is not taken for gemini's, nor for a record of its session."""
    raw = printed(frame)
    found = af.detect(raw)
    assert "gemini" != (found and found.engine)
    assert [None, None, None] == [
        af.parse_engine_resources("gemini", raw),
        af.parse_engine_final_text("gemini", raw),
        af.parse_engine_session_id("gemini", raw),
    ]


@pytest.mark.parametrize("engine", captured.FIXTURES)
def test_other_engines_beside_it(engine: str) -> None:
    """Another engine's output before or after takes nothing away and adds nothing."""
    mine, other = captured.capture(SHELL), captured.fixture(engine)
    other = other if other.endswith(b"\n") else other + b"\n"
    for raw in (mine + other, other + mine):
        assert af.NativeResources(tokens=3754, wall_seconds=1.649) == af.parse_engine_resources(
            "gemini", raw
        )
        assert INIT["session_id"] == af.parse_engine_session_id("gemini", raw)
        assert "The command printed hello." == af.parse_engine_final_text("gemini", raw)


def test_a_session_file_is_named() -> None:
    """A chat that the CLI keeps is no output."""
    record = {"sessionId": "s", "projectHash": "p", "startTime": "t", "messages": []}
    for raw in (printed(record), json.dumps(record, indent=2).encode()):
        with pytest.raises(af.SessionFileError, match="a Gemini session file"):
            af.read(raw)


@pytest.mark.parametrize(
    "raw",
    [
        None, "", b"\xef\xbb\xbf", "{", "[", "{}", "null", '{"type":"result"}',
        '{"type":["result"]}', '{"type":"init","session_id":', '{"session_id":"s","response":',
        b"\xff\xfe\xff", "[" * 5000, '{"stats":' * 5000, '{\n  "response": "ok"', "\ud800",
    ],
    ids=lambda raw: repr(raw)[:24],
)  # fmt: skip
def test_nothing_native(raw: str | bytes | None) -> None:
    """Output that is absent or no frame yields None, never an exception."""
    assert [None, None, None] == [
        af.parse_engine_resources("gemini", raw),
        af.parse_engine_final_text("gemini", raw),
        af.parse_engine_session_id("gemini", raw),
    ]


@given(cut=st.integers(0, 2000), tail=st.binary(max_size=40))
@pytest.mark.parametrize("name", [SHELL, f"{SHELL}--json"])
def test_damage_never_raises(name: str, cut: int, tail: bytes) -> None:
    """However a run is cut and whatever follows, there are facts, and all signals fold to them."""
    raw = captured.capture(name)[:cut] + tail
    sinks = [Sink("gemini", full=full) for full in (True, False)]
    for sink in sinks:
        _feed(sink, [raw])
    assert folded(sinks[0]) == folded(sinks[1])
    assert af.read_all(raw, engine="gemini")


# --- how it may arrive --------------------------------------------------------------------------


def test_b5_text_between_frames() -> None:
    """Log lines are counted and never taken for frames."""
    lines = captured.capture(SHELL).split(b"\n")
    words = b"Loaded cached credentials.\nRipgrep is not available. Falling back to GrepTool."
    run = af.read(b"\n".join([words, *lines[:3], words, *lines[3:]]))
    assert (8, 4, 0) == (run.frames.known, run.frames.text_lines, run.frames.malformed)
    assert "The command printed hello." == run.final_text


def test_u2028_stands_in_a_string() -> None:
    """Gemini prints it raw; it ends no line."""
    raw = captured.capture(f"{NOW}/s02-unicode")
    run = af.read(raw)
    assert ["\u2028" in text for text in (raw.decode(), run.final_text or "")] == [True, True]
    assert (0, 0) == (run.frames.malformed, run.frames.unknown)


def test_type_may_stand_last() -> None:
    """Frames are known by their type, wherever it stands in the object."""
    turned = [dict(reversed(frame.items())) for frame in capture(SHELL)]
    assert af.read(printed(capture(SHELL))).to_dict() == af.read(printed(turned)).to_dict()


def test_a_call_without_an_id() -> None:
    """It is a call all the same, and each is one of its own."""
    run = af.read(printed(INIT, *(without(USED, "tool_id") for _ in range(2))))
    assert 2 == run.tool_calls


DOCUMENT = captured.capture(f"{NOW}/s03-shell--json")
LONG = json.dumps(json.loads(DOCUMENT) | {"response": "x" * 400_000}, indent=2).encode()
CLOTHES: list[tuple[str, Callable[[bytes], Any]]] = [
    ("bytes", lambda raw: raw),
    ("text", lambda raw: raw.decode()),
    ("line end", lambda raw: raw + b"\n"),
    ("carriage returns", lambda raw: raw.replace(b"\n", b"\r\n")),
    ("one line", lambda raw: json.dumps(json.loads(raw)).encode()),
    ("file", io.BytesIO),
    ("lines", lambda raw: raw.split(b"\n")),
    ("text before", lambda raw: b"Loaded cached credentials.\n" + raw),
    ("text after", lambda raw: raw + b"\nDone.\n"),
    ("utf-16", lambda raw: raw.decode().encode("utf-16")),
]


@pytest.mark.parametrize("raw", [DOCUMENT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("wear", [wear for _, wear in CLOTHES], ids=[name for name, _ in CLOTHES])
def test_a_document_in_other_clothes(wear: Callable[[bytes], Any], raw: bytes) -> None:
    """A document of many lines is told and read whole, however it comes and however long it is."""
    run = af.read(wear(raw))
    assert ("gemini", "json", "success", 3754) == (
        run.engine, run.transport, run.outcome.status, run.resources.tokens,
    )  # fmt: skip
    assert json.loads(raw)["response"] == run.final_text
    assert 1 == run.frames.total
    found = af.detect(wear(raw))
    assert ("gemini", "json") == (found and found.engine, found and found.transport)


def test_a_document_never_closed_does_not_swallow_what_follows() -> None:
    """An open brace before a stream is damage; the stream is read."""
    run = af.read(b"{\n  half\n" + captured.capture(SHELL))
    assert ("gemini", "success", 8) == (run.engine, run.outcome.status, run.frames.known)


# --- what only looks like gemini's own -----------------------------------------------------------

RESPONSE = {"level": "info", "response": "200 OK"}
(TWIN,) = capture(f"{SHELL}--json")


@pytest.mark.parametrize("frame", [RESPONSE, {"stats": {}}, {"error": {"message": "m"}}, TWIN])
@pytest.mark.parametrize("before", [1, 3, 7])
def test_no_document_stands_in_a_stream(frame: Frame, before: int) -> None:
    """Where frames of a stream were read, an object without a type is unknown."""
    run = af.read(printed(capture(SHELL)[:before], frame))
    assert ("incomplete", "no_terminal_frame", 1, 1) == (
        run.outcome.status, run.outcome.reason, run.frames.unknown, run.runs,
    )  # fmt: skip


@pytest.mark.parametrize(
    "frame",
    [
        {"session_id": "u1", "response": "approved"},
        RESPONSE,
        TWIN | {"level": "info"},
        TWIN | {"response": ["approved"]},
        TWIN | {"session_id": 1},
        TWIN | {"stats": [TWIN["stats"]]},
        TWIN | {"warnings": "w"},
        without(TWIN, "stats"),
        {"error": {"type": "E", "message": "m"}},
    ],
)
def test_a_document_in_name_only(frame: Frame) -> None:
    """A document has the known keys alone, of their types, and an account or an error."""
    for engine in (None, "gemini"):
        run = af.read(printed(frame), engine=engine)
        assert ("incomplete", 0, None) == (run.outcome.status, run.frames.known, run.final_text)


def test_a_bare_document_is_possible() -> None:
    """A session with an answer and stats of no known form is read, but decides alone nowhere."""
    bare = {"session_id": "s", "response": "ok", "stats": {}}
    assert [1, 1, 2] == [
        certainty(json.dumps(frame))
        for frame in (bare, {"session_id": "s", "error": {"message": "m"}}, TWIN)
    ]
    assert "success" == af.read(printed(bare)).outcome.status


BUILD = {"type": "result", "timestamp": "2026-11-30T19:15:25.642Z", "status": "success"}


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (BUILD | {"name": "build"}, 0),
        (BUILD, 1),
        (BUILD | {"name": "build", "stats": {}}, 1),
        (BUILD | {"stats": {}}, 2),
        (having(SAID, level="info"), 1),
        (having(ERROR, code=1), 1),
        (having(INIT, cwd="/"), 2),
        (without(INIT, "model"), 0),
        (without(RESULT, "timestamp"), 0),
    ],
)
def test_certainty(frame: Frame, expected: int) -> None:
    """Words of everybody with fields of somebody else are not certain."""
    assert expected == certainty(json.dumps(frame))


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "result", "status": "success"},
        BUILD | {"name": "build"},
        without(RESULT, "timestamp"),
        {"type": "init"},
        without(INIT, "session_id"),
    ],
)
def test_a_begin_or_an_end_in_name_only(frame: Frame) -> None:
    """What gemini would not print so begins and ends nothing, and is told as unknown."""
    (*frames, _), kind = capture(SHELL), frame["type"]
    run = af.read(printed(frames, frame))
    assert ("incomplete", 1, [(kind, 8)]) == (
        run.outcome.status, run.runs, [(found.kind, found.line) for found in run.drift],
    )  # fmt: skip
    assert "success" == af.read(printed(capture(SHELL), frame)).outcome.status


@pytest.mark.parametrize("frame", [BUILD, BUILD | {"stats": {}, "name": "build"}])
def test_a_result_alone_must_be_certain(frame: Frame) -> None:
    """A possible result ends a stream that was begun, and no other."""
    *frames, _ = capture(SHELL)
    assert ["incomplete", "success"] == [
        af.read(printed(before, frame), engine="gemini").outcome.status for before in ([], frames)
    ]


# --- what costs too much -------------------------------------------------------------------------


def test_last_words_are_found_in_time() -> None:
    """Of many braces on stderr only the last are tried."""
    begun = time.monotonic()
    hostile = '{\n"a":1,\n' * 200_000 + "}"
    assert "empty" == af.read(b"", engine="gemini", stderr=hostile).outcome.reason
    assert time.monotonic() - begun < 10


def test_many_pieces_take_little_memory() -> None:
    """The pieces of a message are joined as they come."""
    said = Said()
    tracemalloc.start()
    for _ in range(50_000):
        said.add(Lazy(b'"abcd"'), Span(3, 3), delta=True)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 500_000
    text = said.text()
    assert "abcd" * 50_000 == (text and text.text())
