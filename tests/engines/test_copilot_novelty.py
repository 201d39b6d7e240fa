# SPDX-License-Identifier: Apache-2.0
"""What Copilot may print tomorrow, what looks like it, and what it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import agentframes as af
from agentframes.detection import raw_frame
from agentframes.engines.copilot import signature
from agentframes.engines.copilot.kinds import KINDS, is_open
from agentframes.errors import SessionFileError
from agentframes.signals import Media, Notice, Permission, Truncated, Unknown
from tests.captured import base, fixture
from tests.engines.copilot_captures import NAMES, frames, only, raw, signals
from tests.frames import Frame, capture, having, printed, without

SHELL = "1.0.102/s03-shell"
SECRET = "sk-planted"


def among(*novel: Frame) -> bytes:
    """Print frames in the middle of a run."""
    found = frames(SHELL)
    return printed(found[:5], list(novel), found[5:])


def envelope(kind: str, **data: Any) -> Frame:
    """Return a frame of a kind, in the envelope of a real one."""
    return having(frames(SHELL)[5], type=kind, data=data)


class TestNovelty:
    """A kind that nobody has seen yet."""

    @pytest.mark.parametrize(
        ("kind", "level"),
        [
            ("session.new_kind", "note"),
            ("assistant.new_kind", "note"),
            ("tool.new_kind", "note"),
            ("workflow.started", "note"),
            ("mcp.tools.new_kind", "note"),
            ("new_area.new_kind", "error"),
            ("session", "error"),
            ("new_kind", "error"),
        ],
    )
    def test_unknown_kind(self, kind: str, level: str) -> None:
        """An undeclared kind is an unknown frame; of a known area, it is but a note."""
        run = af.read(among(envelope(kind, secret=SECRET)))
        assert (59, 1) == (run.frames.total, run.frames.unknown)
        [finding] = run.drift
        assert ("unknown_kind", level, kind, 6) == (
            finding.what, finding.level, finding.kind, finding.line,
        )  # fmt: skip
        assert ("success", "The command printed hello.") == (run.outcome.status, run.final_text)

    def test_untyped(self) -> None:
        """A frame without a type has a name all the same."""
        run = af.read(among(without(envelope("x"), "type")))
        assert ["(untyped)"] == [finding.kind for finding in run.drift]

    def test_an_unknown_frame_of_a_sub_agent(self) -> None:
        """It is the sub-agent's, whose call is known."""
        found = frames("1.0.102/s17-subagent")
        started = next(n for n, one in enumerate(found) if one["type"] == "subagent.started")
        novel = having(envelope("tool.new_kind"), agentId=found[started]["agentId"])
        stream = printed(found[: started + 1], novel, found[started + 1 :])
        assert ["call_fake001_0"] == [one.agent for one in only(Unknown, stream)]

    @pytest.mark.parametrize("full", [True, False])
    def test_no_payload_leaks(self, full: bool) -> None:  # noqa: FBT001
        """Of an unknown frame nothing is told but its name, and that made harmless."""
        novel = [
            envelope("session.new_kind", text=SECRET, content=SECRET, message=SECRET),
            having(envelope(f"session.{SECRET} {SECRET}"), id=SECRET, extra=SECRET),
            {"type": "result", "result": SECRET, "session_id": SECRET},
            {"kind": SECRET},
        ]
        told = [one for one in signals(among(*novel), full=full) if type(one) is Unknown]
        assert [
            "session.new_kind", f"session.{SECRET}?{SECRET}", "result", "(untyped)",
        ] == [one.frame_kind for one in told]  # fmt: skip
        for one in told:
            assert {"at", "kind", "frame_kind", "open_prefix"} >= {
                field for field in one.__struct_fields__ if getattr(one, field) is not None
            }

    def test_unknown_fields_and_parts_do_no_harm(self) -> None:
        """New fields, and a request of another type, leave the facts as they were."""
        plain = af.read(raw(SHELL)).to_dict()
        found = [
            having(frame, novel=[SECRET], data__novel={"a": SECRET}) if "data" in frame else frame
            for frame in frames(SHELL)
        ]
        assert plain == af.read(printed(found)).to_dict()

    def test_manifest(self) -> None:
        """Every kind of the SDK is known, all but two in an area that is open to new ones."""
        assert 139 == len(KINDS)
        assert {"abort", "result"} == {kind for kind in KINDS if not is_open(kind)}

    @pytest.mark.parametrize("kind", sorted(KINDS - {"result"}))
    def test_every_kind_without_its_data(self, kind: str) -> None:
        """A known kind is known whatever stands in it, and nothing raises."""
        frame = envelope(kind)
        for odd in (
            frame,
            having(frame, data=None),
            having(frame, data=[1]),
            without(frame, "data"),
        ):
            run = af.read(among(odd), engine="copilot")
            assert (59, 0) == (run.frames.known, run.frames.unknown)
            assert [] == only(Unknown, among(odd))


class TestTypings:
    """Kinds that the SDK's typings describe and no capture shows."""

    def test_compaction(self) -> None:
        """The context was summed up; where that failed, it is a warning."""
        done = {"success": True, "preCompactionTokens": 900, "postCompactionTokens": 90}
        cut = {"preTruncationTokensInMessages": 800, "postTruncationTokensInMessages": 80}
        found = signals(
            among(
                envelope("session.compaction_complete", **done),
                envelope("session.truncation", **cut),
                envelope("session.compaction_complete", success=False, error="no"),
            )
        )
        assert [("context", 900, 90), ("context", 800, 80)] == [
            (one.what, one.before, one.after) for one in only(Truncated, found)
        ]
        assert ["warn"] == [one.severity for one in only(Notice, found) if "compaction" in one.kind]

    def test_waiting(self) -> None:
        """Somebody is asked for leave, or for an answer."""
        found = signals(
            among(
                envelope("permission.requested", requestId="r1"),
                envelope("user_input.requested", requestId="r2", question="Which?"),
            )
        )
        assert [("asked", "r1", None), ("asked", "r2", "Which?")] == [
            (one.phase, one.request_id, one.reason) for one in only(Permission, found)
        ]

    def test_attachments(self) -> None:
        """What was given with a prompt is told, its data by a pointer."""
        prompt = next(one for one in frames(SHELL) if one["type"] == "user.message")
        given = [
            {"type": "file", "path": "a.txt"},
            {"type": "blob", "mimeType": "x/y", "data": "QQ=="},
        ]
        found = only(Media, printed(having(prompt, data__attachments=given)))
        assert [("a.txt", None, None, None), (None, "x/y", 1, "/data/attachments/1/data")] == [
            (one.path, one.media_type, one.bytes, one.pointer) for one in found
        ]


class TestDetection:
    """Whose frames these are."""

    @pytest.mark.parametrize("name", NAMES)
    def test_every_frame_is_certain(self, name: str) -> None:
        """Any line of any capture tells that Copilot printed it."""
        for line in raw(name).split(b"\n")[:-1]:
            assert 2 == signature.recognize(raw_frame(line))
        detection = af.detect(raw(name))
        assert detection is not None
        assert ("copilot", None, "jsonl") == msgspec.structs.astuple(detection)

    def test_look_alikes(self) -> None:
        """No line of another engine is taken for one of Copilot's."""
        others = [fixture("claude"), fixture("codex"), fixture("opencode")]
        others += [base("gemini-0.61.0-s01-text"), base("opencode-1.18.33-s08-http500")]
        others += [printed(capture("claude/2.1.332/s17-subagent"))]
        lines = [line for printed_ in others for line in printed_.split(b"\n") if line]
        assert {0} == {signature.recognize(raw_frame(line)) for line in lines}
        for line in lines:
            assert None is af.parse_engine_session_id("copilot", line)

    @pytest.mark.parametrize(
        "frame",
        [
            {"type": "session.created", "session_id": "x"},
            {"type": "session.idle", "properties": {"sessionID": "x"}},
            {"type": "result", "subtype": "success", "session_id": "x", "is_error": False},
            {"type": "result", "status": "success", "stats": {}},
            {"type": "result", "sessionId": "x"},
            {"type": "log.line", "data": {"sessionId": "x"}, "id": 1},
        ],
    )
    def test_frames_that_are_not_copilots(self, frame: Frame) -> None:
        """Half an envelope is none."""
        assert 0 == signature.recognize(raw_frame(json.dumps(frame).encode()))
        assert None is af.parse_engine_session_id("copilot", json.dumps(frame))

    def test_an_envelope_around_something_else(self) -> None:
        """The whole envelope around a kind of no known area: possible, not certain."""
        assert 1 == signature.recognize(raw_frame(json.dumps(envelope("a.b")).encode()))

    def test_other_engines_results_in_the_stream(self) -> None:
        """A terminal frame of another engine ends nothing here, and is told."""
        other = {"type": "result", "subtype": "success", "session_id": "x", "result": "no"}
        found = frames(SHELL)
        run = af.read(printed(found, other))
        assert ("success", found[-1]["sessionId"], "The command printed hello.") == (
            run.outcome.status, run.session_id, run.final_text,
        )  # fmt: skip
        assert [("result", "error")] == [(one.kind, one.level) for one in run.drift]

    def test_session_file(self, tmp_path: Path) -> None:
        """What Copilot keeps for itself begins with a record of its own: refused, by name."""
        start = envelope("session.start", sessionId="x", copilotVersion="1.0.102")
        kept = [without(one, "ephemeral") for one in frames(SHELL) if "ephemeral" not in one]
        path = tmp_path / "events.jsonl"
        path.write_bytes(printed(having(start, parentId=None), kept[:-1]))
        with pytest.raises(SessionFileError, match="a GitHub Copilot session file"):
            af.read(path)
        assert None is af.parse_engine_session_id("copilot", path.read_bytes())


class TestBytes:
    """Damage on the way."""

    def test_text_around_and_between(self) -> None:
        """Log lines, escapes before a frame and carriage returns change no fact, but are told."""
        plain = af.read(raw(SHELL)).to_dict()
        noisy = raw(SHELL).replace(b"\n", b"\r\nnpm warn deprecated\n", 3)
        noisy = noisy.replace(b'{"type":"assistant.idle"', b'\x1b[2K{"type":"assistant.idle"')
        run = af.read(b"\xef\xbb\xbf" + noisy).to_dict()
        assert 3 == run["frames"].pop("text_lines")
        plain["frames"].pop("text_lines")
        plain["outcome"]["line"] += 3
        (damage,) = run.pop("drift")
        assert ("damaged_line", "note", "terminal_escape") == (
            damage["what"], damage["level"], damage["found"],
        )  # fmt: skip
        assert [] == plain.pop("drift")
        assert plain == run

    def test_log_text_in_the_middle_of_a_line(self) -> None:
        """The frames around survive; the line is told as damaged."""
        broken = raw(SHELL).replace(b'"assistant.idle","data', b'"assistant.idle[WARN] x","da\nta')
        run = af.read(broken)
        assert ("success", 57) == (run.outcome.status, run.frames.known)
        assert 1 <= run.frames.malformed + run.frames.text_lines

    def test_bad_bytes(self) -> None:
        """A lone 0xFF inside an answer is replaced, and the frame read."""
        run = af.read(raw(SHELL).replace(b"The command printed hello.", b"The \xff printed hello."))
        assert "The \ufffd printed hello." == run.final_text
