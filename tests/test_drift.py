# SPDX-License-Identifier: Apache-2.0
"""Field-level drift: what is told of frames that differ from the captured ones, and how loudly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentframes as af
from agentframes import engines
from agentframes.drift import nearest, told_version
from agentframes.facts.findings import LEFT_OUT, MAX_FINDINGS
from agentframes.manifests import Manifest
from agentframes.reading import read_against
from scripts.leave_one_out import SNAPSHOT, snapshot, written
from tests.drifted import CAPTURES, FRAMES, brief, kinds_of, manifest, told
from tests.frames import CORPUS, Frame, capture, having, printed
from tests.novel import IDS, PLANTED, SECRET, first

ROOT = Path(__file__).parent.parent
every_capture = pytest.mark.parametrize(
    "path", CAPTURES, ids=lambda path: str(path.relative_to(CORPUS))
)


# --- the corpus ----------------------------------------------------------------------------------


@every_capture
def test_no_capture_drifts_from_itself(path: Path) -> None:
    """A captured version's own output has no finding, and facts are the same with drift asked."""
    facts = af.read(path, drift=True)
    assert [] == facts.drift
    assert af.read(path).to_json() == facts.to_json()


@every_capture
def test_no_capture_drifts_without_its_version(path: Path) -> None:
    """Held against all versions together, none of them has a finding either."""
    output = next(path.glob("stdout.*"))
    assert [] == af.read(output, drift=True, engine=path.parent.parent.name).drift


def paths(value: Any, known: Manifest, path: str = "") -> Iterator[str]:
    """List the paths of all keys of a frame that are not payload, by a walk of this test's own."""
    if path in known.opaque:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            name = "*" if path in known.maps else f'"{key}"' if " " in key else key
            below = f"{path}.{name}" if path else name
            yield below
            yield from paths(item, known, below)
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, known, f"{path}[]")


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_every_key_of_every_line_is_named(path: Path) -> None:
    """Round trip: each key is a field of one of its frame's kinds, or payload."""
    engine = path.parent.parent.name
    known = manifest(engine)
    kinds = kinds_of(path)
    frames = capture(str(path.relative_to(CORPUS)))
    whole = kinds[: len(frames)]  # a last line may be cut
    assert len(whole) == len(frames)
    for frame, named in zip(frames, whole, strict=True):
        fields = set[str]().union(*(known.fields[kind].fields for kind in named))
        assert set() == set(paths(frame, known)) - fields


# --- levels --------------------------------------------------------------------------------------

INIT, *_, RESULT = capture("claude/2.1.220/s03-shell")


def result(**changed: Any) -> bytes:
    """Print a claude run of two frames whose result has changed."""
    return printed(INIT, having(RESULT, **changed))


@pytest.mark.parametrize(
    ("field", "value", "level", "expected", "found"),
    [
        ("duration_ms", 1.5, "warn", "integer", "number"),  # a number was always whole
        ("num_turns", None, "warn", "integer", "null"),  # there was always a value
        ("num_turns", "3", "error", "integer", "string"),
        ("is_error", 0, "error", "boolean", "integer"),
        ("permission_denials", {}, "error", "array", "object"),
    ],
)
def test_how_grave_a_type_is(field: str, value: Any, level: str, expected: str, found: str) -> None:
    """A value that the captures may just not have shown is a warning, another type an error."""
    finding = ("type_changed", level, "result/success", field, expected, found)
    assert [finding] == told(result(**{field: value}))


def test_a_value_where_there_was_never_one() -> None:
    """What every capture leaves null may have any type: the captures do not tell."""
    frame = first("claude/2.1.220/s01-text", "assistant")
    source = printed(INIT, having(frame, message__container={"id": "c1"}))
    expected = ("type_changed", "warn", "assistant/text", "message.container", "null", "object")
    assert expected in told(source)


def test_a_whole_number_is_a_number() -> None:
    """A cost of 0 is no other type than one of 0.5."""
    assert [] == told(result(total_cost_usd=0))


def test_a_field_of_another_version_is_a_note() -> None:
    """What a later captured version has is no news, and is told with that version."""
    facts = af.read(result(queued_turn_count=0), drift=True)
    assert [("note", ["2.1.332"])] == [(one.level, one.seen_in) for one in facts.drift]
    assert ("unknown_field", "queued_turn_count") == (facts.drift[0].what, facts.drift[0].field)


def test_a_type_of_another_version_is_a_note() -> None:
    """A type that another captured version shows is told with that version."""
    call = first("claude/2.1.220/s03-shell", "assistant")
    call = next(
        frame
        for frame in capture("claude/2.1.220/s03-shell")
        if frame["type"] == "assistant" and frame["message"]["content"][0]["type"] == "tool_use"
    )
    facts = af.read(printed(INIT, having(call, message__stop_reason="tool_use")), drift=True)
    expected = (
        "type_changed", "note", "assistant/tool_use", "message.stop_reason", "null", "string",
    )  # fmt: skip
    assert [expected] == [brief(one) for one in facts.drift]
    assert ["1.0.0", "1.0.128", "2.0.77"] == facts.drift[0].seen_in


def test_where_and_how_often() -> None:
    """A finding tells its first line, and counts every place."""
    odd = having(RESULT, brandNew=1)
    facts = af.read(printed(INIT, RESULT, odd, odd), drift=True)
    assert [(3, 2)] == [(one.line, one.count) for one in facts.drift]


def test_an_unknown_kind_beside_fields() -> None:
    """Kinds are told first, and of a frame with a novel block the known part is still checked."""
    said = first("claude/2.1.220/s01-text", "assistant")
    blocks = [*said["message"]["content"], {"type": "brand_new", SECRET: SECRET}]
    mixed = having(said, message__content=blocks, brandNew=SECRET)
    facts = af.read(printed(INIT, mixed, RESULT), drift=True)
    assert [
        ("unknown_kind", "error", "assistant/brand_new", None, None, None),
        ("unknown_field", "warn", "assistant/text", "brandNew", None, "string"),
    ] == [brief(one) for one in facts.drift]
    assert SECRET not in repr(facts.drift)


# --- versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "captured", "expected"),
    [
        ("2.1.300", ["1.0.128", "2.1.220", "2.1.332"], "2.1.332"),
        ("2.1.221", ["1.0.128", "2.1.220", "2.1.332"], "2.1.220"),
        ("2.1.276", ["2.1.220", "2.1.332"], "2.1.332"),  # as near: the newer
        ("1.9.0", ["1.0.128", "2.0.0"], "1.0.128"),
        ("3", ["1.0", "2.9.9"], "2.9.9"),
        ("3.0.0", ["2.0.9", "2.1.332"], "2.1.332"),  # the newest before it, not the smallest step
        ("9.8.7", ["1.0.128", "2.1.220", "2.1.332"], "2.1.332"),
        ("1.5.0", ["2.0.1", "2.1.0"], "2.0.1"),
        ("0.45.0-alpha.2", ["0.44.0", "0.45.0"], "0.45.0"),
        ("unknown", ["1.0"], None),
        (None, ["1.0"], None),
        ("1.0", [], None),
    ],
)
def test_nearest(version: str | None, captured: list[str], expected: str | None) -> None:
    """The first number that differs decides, and the smaller difference wins."""
    assert expected == nearest(version, captured)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.1.300", "2.1.300"), ("0.45.0-alpha.2", "0.45.0-alpha.2"), ("1.0-" + "x" * 40, "1.0"),
        ("1.2 secret", "?"), (None, "?"), ("", "?"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_version(version: str | None, expected: str) -> None:
    """A version is numbers and a short word; nothing else is told as one."""
    assert expected == told_version(version)


def test_a_version_that_is_not_captured() -> None:
    """It is a note with the nearest one, and the fields are held against that."""
    frames = [having(INIT, claude_code_version="2.1.300"), RESULT]
    facts = af.read(printed(*frames), drift=True)
    assert ("other_version", "note", "(version)", None, "2.1.332", "2.1.300") == brief(
        facts.drift[0]
    )
    assert None is facts.drift[0].line
    missing = [one for one in facts.drift if one.field == "queued_turn_count"]
    older = ["1.0.0", "1.0.128", "2.0.77", "2.1.50", "2.1.220"]
    assert [("missing_field", "warn", older)] == [
        (one.what, one.level, one.seen_in) for one in missing
    ]


def test_a_version_told_late_counts_for_all_frames() -> None:
    """Frames before the one that tells the version are held against it, too."""
    early = first("claude/2.1.220/s26-sigterm-tool--partial", "stream_event")
    facts = af.read(printed(early, INIT, RESULT), drift=True)
    assert [] == facts.drift


def test_each_run_is_held_against_its_own_version() -> None:
    """Two runs in one stream have two versions and their own findings."""
    old = capture("claude/2.1.220/s03-shell")
    new = capture("claude/2.1.332/s03-shell")
    new[-1] = having(new[-1], brandNew=1)
    runs = af.read_all(printed(*old, *new), drift=True)
    assert [("2.1.220", []), ("2.1.332", ["brandNew"])] == [
        (run.cli_version, [one.field for one in run.drift]) for run in runs
    ]


def test_a_resumed_run_in_the_stream() -> None:
    """Where only its end tells that a run is another process's, the findings are parted so."""
    one = capture("claude/2.1.332/s13a-first-resume")
    two = capture("claude/2.1.332/s13b-second-resume")
    one[0] = having(one[0], firstNew=1)
    two[0] = having(two[0], secondNew=1)
    runs = af.read_all(printed(*one, *two), drift=True)
    assert [["firstNew"], ["secondNew"]] == [[found.field for found in run.drift] for run in runs]


# --- leave one version out -----------------------------------------------------------------------


def test_each_version_left_out_tells_its_real_differences() -> None:
    """With a version's fields left out its captures show exactly what was read through once."""
    assert SNAPSHOT.read_text("utf-8") == written(snapshot())


def test_an_engine_with_one_version_left_knows_nothing() -> None:
    """Kinds without fields are known and nothing can be said of what they hold."""
    nothing = msgspec.structs.replace(manifest("codex"), fields={})
    runs = read_against(CORPUS / "codex/0.171.0/s03-shell", nothing)
    assert [[]] == [run.drift for run in runs]


# --- what must never be told ---------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "kind", "frame"), PLANTED, ids=IDS)
def test_nothing_of_an_unknown_frame(engine: str, kind: str, frame: Frame) -> None:
    """Its kind is told, and of its body nothing, with every way of asking."""
    facts = af.read(printed(frame, frame), engine=engine, drift=True)
    assert kind in [one.kind for one in facts.drift if one.what == "unknown_kind"]
    assert SECRET not in repr(facts.drift)
    assert SECRET not in repr(facts.seen)  # type: ignore[attr-defined]
    fields = {one.field for one in facts.drift if one.what != "type_changed"}
    assert fields <= {None} | {one.field for one in facts.drift if one.kind != kind}


def test_names_that_are_payload() -> None:
    """A map that nobody declared fills no report, and gives no long or odd key away."""
    keys = {f"/home/someone/{n} {'k' * n}": n for n in range(2000)}
    facts = af.read(result(usage__server_tool_use=keys), drift=True)
    assert len(facts.drift) < 40
    told_names = repr(facts.drift)
    assert "/home" not in told_names
    assert "k" * 61 not in told_names


def test_findings_are_bounded() -> None:
    """However many kinds and fields differ, a report ends, and says that it was cut."""
    frames = [{"type": f"new_{number}"} for number in range(3000)]
    *listed, cut = af.read(printed(INIT, *frames), drift=True).drift
    assert MAX_FINDINGS == len(listed)
    assert ("left_out", "error", 2000) == (cut.what, cut.level, cut.count)


@pytest.mark.parametrize("drift", [False, True])
def test_many_notes_hide_no_error(*, drift: bool) -> None:
    """What is cut is the mildest: the verdict never hangs on what came first."""
    capture = (CORPUS / "copilot/1.0.102/s03-shell/stdout.jsonl").read_text("utf-8").splitlines()
    envelope: dict[str, Any] = {
        "data": {},
        "id": "x",
        "timestamp": "2026-01-01T00:00:00Z",
        "parentId": None,
    }
    notes = [json.dumps({"type": f"session.new_{n}", **envelope}) for n in range(1200)]
    error = json.dumps({"type": "brand_new.kind", **envelope})
    broken = [
        json.dumps({**json.loads(line), "data": {"messageId": 5}})
        for line in capture
        if json.loads(line)["type"] == "assistant.message"
    ]
    printed_ = "\n".join([*capture[:3], *notes, error, *broken[:1], *capture[3:]])
    found = af.read(printed_, drift=drift).drift
    assert "brand_new.kind" in {one.kind for one in found if one.level == "error"}
    if drift:
        missing = {one.field for one in found if one.what == "missing_field"}
        assert {"data.content"} <= missing
        assert [("note", LEFT_OUT)] == [
            (one.level, one.kind) for one in found if one.what == "left_out"
        ]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from([1.5, 1e300])
    | st.sampled_from(["", "x", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "a", "a.b", ""]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("engine", engines.names())
@given(
    value=st.dictionaries(st.sampled_from(["type", "message", "part", "data", "item", "msg"]), JSON)
)
def test_any_object_can_be_checked(engine: str, value: dict[str, Any]) -> None:
    """Whatever a line holds, asking for drift raises nothing and changes no other fact."""
    source = printed(value)
    plain, checked = af.read(source, engine=engine), af.read(source, engine=engine, drift=True)
    assert plain.frames == checked.frames
    assert plain.outcome == checked.outcome


def test_deep_frames_are_read_on() -> None:
    """Nesting beyond what can be decoded costs the frame its fields, and nothing else."""
    deep = b'{"type":"thread.started","thread_id":' + b"[" * 3000 + b"]" * 3000 + b"}\n"
    facts = af.read(deep + printed(*capture("codex/0.171.0/s01-text")), drift=True)
    assert "success" == facts.outcome.status
