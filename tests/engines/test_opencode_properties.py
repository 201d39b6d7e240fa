# SPDX-License-Identifier: Apache-2.0
"""What holds for every capture of opencode, and for frames that no version prints yet."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

import agentframes as af
from agentframes import engines
from agentframes.signals import Reasoning, Text, Unknown
from tests.captured import FIXTURES, base, fixture
from tests.engines.opencode import NAMES, NEW, frames, raw
from tests.engines.support import drive, drive_frames, told
from tests.frames import Frame, capture, having, printed, without

SIGNATURE = engines.get("opencode").signature
every_capture = pytest.mark.parametrize("name", NAMES)
SECRET = "s3cr3t-payload"


def level(frame: Frame) -> Any:
    """Decode a frame one level deep."""
    return msgspec.json.decode(json.dumps(frame), type=dict[str, msgspec.Raw])


@every_capture
def test_texts_are_told_once_and_whole(name: str) -> None:
    """There are no deltas, and the texts are those of the raw frames, in their order."""
    words = [s for s in drive(name).signals if isinstance(s, Text | Reasoning)]
    assert all(signal.mode == "whole" for signal in words)
    assert len(words) == len({(signal.message_id, signal.part) for signal in words})
    parts = [f["part"] for f in capture(name) if f["type"] in ("text", "reasoning")]
    said = [signal.text.text() for signal in words]
    # What the CLI tells the model by itself, after a compaction, is no text of the model's.
    assert [part["text"] for part in parts if not part.get("synthetic")] == said


def test_the_corpus_is_not_empty() -> None:
    """The properties above were asked of every version."""
    assert len(NAMES) >= 95
    assert {"1.0.0", "1.0.185", "1.2.27", "1.14.41", "1.18.33"} == {
        name.split("/")[1] for name in NAMES
    }


# --- what is new ---------------------------------------------------------------------------------

TEXT, FINISH, CALL = frames("s03-shell")[1], frames("s03-shell")[-1], frames("s03-shell")[2]
NOVELTIES = [
    (having(TEXT, type="new_kind"), "new_kind"),
    (having(TEXT, type=""), "(untyped)"),
    (without(TEXT, "type"), "(untyped)"),
    ({"type": "done", "timestamp": 1, "sessionID": "ses_1", "reason": "idle"}, "done"),
    (having(TEXT, part__type="text-v2"), "text/text-v2"),
    (having(TEXT, part=without(TEXT["part"], "type")), "text/(untyped)"),
    (having(TEXT, part=None), "text/(untyped)"),
    (having(frames("s03-shell")[0], part__type="step_start"), "step_start/step_start"),
    (having(CALL, part__state__status="paused"), "tool_use/paused"),
    (having(CALL, part__state=None), "tool_use/(untyped)"),
    (having(FINISH, part__reason="tired"), "step_finish/tired"),
    (having(FINISH, part__reason=None), "step_finish/(untyped)"),
]
novel = pytest.mark.parametrize(("frame", "kind"), NOVELTIES, ids=[k for _, k in NOVELTIES])


@novel
def test_novelty_is_told_at_its_boundary(frame: Frame, kind: str) -> None:
    """What is new is named down to where it is new, once, and never taken for something known."""
    before = frames("s01-text")[:2]
    same = having(frame, sessionID=before[0]["sessionID"])
    for full in (True, False):
        sink = drive_frames("opencode", *before, same, full=full)
        unknown = [signal for signal in sink.signals if isinstance(signal, Unknown)]
        assert [(kind, 3, False)] == [(s.frame_kind, s.at.first, s.open_prefix) for s in unknown]
        assert kind == sink.kinds[-1][-1]
    run = af.read(printed(before, same), engine="opencode")
    assert (3, 2, 1) == (run.frames.total, run.frames.known, run.frames.unknown)
    assert [("unknown_kind", "error", kind, 3)] == [
        (finding.what, finding.level, finding.kind, finding.line) for finding in run.drift
    ]


def test_the_rest_of_a_new_frame_is_read() -> None:
    """A call of a new status is a call, and the account of a step that ended newly counts."""
    new = having(CALL, part__state__status="paused"), having(FINISH, part__reason="tired")
    run = af.read(printed(frames("s03-shell")[0], *new))
    assert (1, 2743, "incomplete") == (
        run.tool_calls, run.usage.total_tokens, run.outcome.status,
    )  # fmt: skip


def test_an_error_of_another_engine() -> None:
    """An `error` without an error and a session is not opencode's word on the run."""
    run = af.read(printed(frames("s01-text"), {"type": "error", "message": "another engine's"}))
    assert ("success", ["error/(untyped)"]) == (
        run.outcome.status, [finding.kind for finding in run.drift],
    )  # fmt: skip


@pytest.mark.parametrize(("frame", "kind"), [
    (having(TEXT, type="a new {kind}", part__text=SECRET), "a?new??kind?"),
    (having(TEXT, part__type="new", part__text=SECRET), "text/new"),
    (having(CALL, part__state={"status": "new", "error": SECRET, "input": SECRET}), "tool_use/new"),
])  # fmt: skip
def test_an_unknown_frame_carries_no_payload(frame: Frame, kind: str) -> None:
    """Nothing of what a new frame holds is in the word on it, and its name is cleaned."""
    found = drive_frames("opencode", frame).signals
    (unknown,) = [signal for signal in found if isinstance(signal, Unknown)]
    assert kind == unknown.frame_kind
    assert SECRET not in str(told(unknown, *unknown.__struct_fields__))
    assert {kind, "tool_use"} >= {signal.kind for signal in found}
    assert SECRET not in str(af.read(printed(frame)).drift)


@pytest.mark.parametrize("name", [f"{NEW}/s08-http500", f"{NEW}/s09-http401"])
def test_errors_leak_no_header_and_no_url(name: str) -> None:
    """Of an error only its message is told: no response header, no body, no address."""
    found = drive(name).signals
    everything = "".join(str(told(s, *s.__struct_fields__)) for s in found)
    run = af.read(raw(name)).to_json().decode() + everything
    for word in ("req_fake", "http://", "127.0.0.1", "application/json", "param"):
        assert (True, False) == (word in raw(name).decode(), word in run)


# --- look-alikes ---------------------------------------------------------------------------------


@every_capture
def test_frames_are_certain(name: str) -> None:
    """Every frame alone names its engine and its session; no other engine takes it."""
    others = [engines.get(name).signature for name in engines.names() if name != "opencode"]
    for frame in capture(name):
        assert 2 == SIGNATURE.recognize(level(frame))
        assert frame["sessionID"] == SIGNATURE.session_id(level(frame))
        assert [0] * len(others) == [other.recognize(level(frame)) for other in others]


@pytest.mark.parametrize("frame", [
    {"type": "text", "sessionID": "ses_1", "messageID": "msg_1", "text": "a stored part"},
    {"type": "text", "timestamp": "2026-11-30T19:15:25.214Z", "sessionID": "s", "part": {}},
    {"type": "result", "timestamp": 1, "sessionId": "s", "exitCode": 0},
    {"timestamp": 1, "sessionID": "ses_1", "part": {}},
    {"type": 5, "timestamp": 1, "sessionID": "ses_1", "part": {}},
    {"type": "error", "message": "m"},
    {},
])  # fmt: skip
def test_look_alikes_are_not_recognized(frame: Frame) -> None:
    """Without the envelope it is no frame of opencode, whatever else is there."""
    assert (0, None) == (SIGNATURE.recognize(level(frame)), SIGNATURE.session_id(level(frame)))
    assert SIGNATURE.session_file(level(frame)) is None


def test_an_envelope_alone_is_a_possible_frame() -> None:
    """A frame without part and error (`done` of later versions) does not decide alone."""
    done = {"type": "done", "timestamp": 1, "sessionID": "ses_1", "reason": "idle"}
    assert (1, "ses_1") == (SIGNATURE.recognize(level(done)), SIGNATURE.session_id(level(done)))


@pytest.mark.parametrize("other", [
    *(fixture(engine) for engine in FIXTURES if engine != "opencode"),
    base("gemini-0.61.0-s01-text"),
    printed(capture("codex/0.42.0/s03-shell")),
])  # fmt: skip
def test_other_engines_output_is_nobodys(other: bytes) -> None:
    """Read as opencode's, another engine's output has unknown frames and no fact."""
    run = af.read(other, engine="opencode")
    assert (0, run.frames.total, None) == (run.frames.known, run.frames.unknown, run.session_id)
    assert ("incomplete", None, None) == (run.outcome.status, run.final_text, run.tool_calls)
    assert af.NativeResources() == run.resources


def test_detection() -> None:
    """The output tells its engine, and neither its version nor anything but JSON lines."""
    assert af.Detection("opencode", None, "jsonl") == af.detect(raw(f"{NEW}/s08-http500"))
