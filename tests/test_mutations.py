# SPDX-License-Identifier: Apache-2.0
"""What holds for every capture, whole, cut off or damaged, and whichever way it is read.

Reading returns, never calls a run a success whose terminal frame is gone, and tells the same
facts at once, line by line, in pieces, and with all signals. `scripts/mutate.py` tries far more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentframes as af
from agentframes.facts.model import Outcome
from agentframes.facts.outcome import OutcomeFold
from agentframes.streams import Stream
from tests.mutations import (
    MUTATIONS,
    Printed,
    cut,
    dice,
    frame_spans,
    may_succeed,
    mutant,
    respelled,
    success_ends,
)
from tests.readings import (
    Cuts,
    Find,
    Pipe,
    at_once,
    disagreements,
    false_successes,
    in_chunks,
    in_parts,
    other_doors,
    with_all_signals,
)

EXAMPLES = settings(max_examples=100, derandomize=True, deadline=None, database=None)

CORPUS = Path(__file__).parent.parent / "corpus"
STDOUTS = sorted(CORPUS.glob("*/*/*/stdout.jso*[nl]"))  # those above 64 KiB are compressed
CAPTURES = {str(path.parent.relative_to(CORPUS)): path.read_bytes() for path in STDOUTS}
NAMES = list(CAPTURES)
ENGINES = sorted({name.partition("/")[0] for name in NAMES})
ENDS = sorted({
    line
    for data in CAPTURES.values()
    for line in (data.split(b"\n", 1)[0], data.rstrip(b"\n").rpartition(b"\n")[2])
})  # fmt: skip
SIZES = [7, 300]
SORTS = 3  # mutants of a capture; neighbours, which are alike, take the other sorts
CUTS = 8  # of a capture, beside those at the ends of its lines
LINE_ENDS = 12  # of a capture, the last ones


def engine_of(name: str) -> str:
    """Return the engine that printed a capture."""
    return name.partition("/")[0]


def of(engine: str) -> dict[str, bytes]:
    """Return the captures of an engine."""
    return {name: data for name, data in CAPTURES.items() if engine_of(name) == engine}


def finds(data: bytes, engine: str) -> list[Find]:
    """List all that is wrong with how some bytes are read."""
    runs = at_once(data)
    return [*false_successes(runs, data), *disagreements(runs, data, SIZES, engine)]


# --- cut off -------------------------------------------------------------------------------------


def places(name: str, data: bytes) -> list[int]:
    """Choose where to cut: around the ends of the last lines, and anywhere."""
    ends = [at for at, byte in enumerate(data, 1) if byte == ord("\n")][-LINE_ENDS:]
    around = {at + step for at in ends for step in (-2, -1, 0, 1)}
    anywhere = {dice(f"{name} {number}").randint(0, len(data)) for number in range(CUTS)}
    return sorted(at for at in around | anywhere if 0 <= at <= len(data))


@pytest.mark.parametrize("name", NAMES)
def test_cut_off_capture_never_succeeds_too_soon(name: str) -> None:
    """Before its terminal frame is whole, or inside a later one, a run is no success."""
    data = CAPTURES[name]
    rule = Cuts(data)
    found = [
        (at, find)
        for at in places(name, data)
        for find in rule.false_successes(af.read_all(cut(data, at)), at)
    ]
    assert [] == found


@pytest.mark.parametrize("engine", ENGINES)
def test_capture_without_its_terminal_frames_is_no_success(engine: str) -> None:
    """Where every line that says success is taken out, nothing else makes one."""
    found = {}
    for name, data in of(engine).items():
        ends = success_ends(engine, data).values()
        spans = [(begin, end) for begin, end in frame_spans(data)
                 if any(begin < at <= end for at in ends)]  # fmt: skip
        borders = [0, *(at for span in spans for at in span), len(data)]
        rest = b"".join(data[begin:end] for begin, end in list(pairwise(borders))[::2])
        assert not may_succeed(engine, rest), name
        found[name] = af.read(rest).outcome.status
    assert "success" not in found.values()
    assert len(found) == len(of(engine))


# --- damaged -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_damaged_capture_is_read_alike_in_every_way(name: str) -> None:
    """However a capture is damaged, it reads to facts, the same ones however it is read."""
    printed = Printed(CAPTURES[name], ENDS)
    number = NAMES.index(name)
    sorts = [list(MUTATIONS)[(number * SORTS + step) % len(MUTATIONS)] for step in range(SORTS)]
    found = {sort: finds(mutant(printed, sort, name, 0), engine_of(name)) for sort in sorts}
    assert {sort: [] for sort in sorts} == found


@EXAMPLES
@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(list(MUTATIONS)), min_size=2, max_size=5),
    st.integers(0, 10**6),
)
def test_capture_damaged_several_times(name: str, sorts: list[str], number: int) -> None:
    """One damage upon another breaks nothing that a single one does not."""
    data = CAPTURES[name]
    for turn, sort in enumerate(sorts):
        data = mutant(Printed(data, ENDS), sort, f"{name} {turn}", number)
    other_doors(data, engine_of(name))
    assert [] == finds(data, engine_of(name))


# --- whole ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_whole_capture_is_read_alike_in_every_way(engine: str) -> None:
    """Of what real CLIs printed, line by line, in pieces and with all signals tell the same."""
    found = {
        name: list(disagreements(at_once(data), data, SIZES, engine))
        for name, data in of(engine).items()
    }
    assert {name: [] for name in of(engine)} == found


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned"])
@pytest.mark.parametrize("engine", ENGINES)
def test_spelling_does_not_show(engine: str, turned: bool) -> None:  # noqa: FBT001 - parametrized
    """Blanks between the parts, escapes and the order of fields mean nothing."""
    different = []
    for name, data in of(engine).items():
        other = respelled(data, spaced=True, escaped=True, turned=turned)
        assert other != data or not data.startswith(b"{") or data.startswith(b"{\n"), name
        if at_once(data) != at_once(other):
            different.append(name)
    assert [] == different


@pytest.mark.parametrize("engine", ENGINES)
def test_line_ends_of_windows_do_not_show(engine: str) -> None:
    """With a carriage return before each line end, all facts are the same."""
    different = [
        name
        for name, data in of(engine).items()
        if at_once(data) != at_once(data.replace(b"\n", b"\r\n"))
    ]
    assert [] == different


# --- facts and all signals: where they differed --------------------------------------------------

START = (
    b'{"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}},'
    b'"session_id":"s"}\n'
)
CALL = (
    b'{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":'
    b'{"type":"tool_use","id":"t","name":"Bash","input":{}}},"session_id":"s"}\n'
)
PIECE = (
    b'{"type":"stream_event","event":{"type":"content_block_delta","index":0,'
    b'"delta":{"type":"text_delta","text":"ok"}},"session_id":"s"}\n'
)
RESULT = (
    b'{"type":"result","subtype":"success","is_error":false,"session_id":"s","duration_ms":1,'
    b'"result":"ok"}\n'
)
AGENT = (
    b'{"type":"user","message":{"role":"user","content":[{"type":"tool_result",'
    b'"tool_use_id":"t","content":"x"}]},"session_id":"s","tool_use_result":{"agentId":"a"}}\n'
)
RETRY = b'{"type":"system","subtype":"api_retry","attempt":"1","session_id":"s"}\n'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (START + CALL, ("incomplete", 1, 1, [])),
        (AGENT, ("incomplete", 0, 0, [])),
        (RETRY, ("incomplete", 0, 0, [])),
        (START + RESULT + PIECE, ("incomplete", 1, 0, [])),
    ],
    ids=["call begun, never whole", "sub-agent without its call", "retyped field", "late piece"],
)
def test_all_signals_of_claude_tell_the_same_facts(
    data: bytes, expected: tuple[str, int, int, list[Any]]
) -> None:
    """Where frames were lost, doubled or retyped, all signals tell the same facts as few do."""
    runs = at_once(data)
    assert runs == with_all_signals(data)
    run = runs[0]
    told = (run["outcome"]["status"], run["model_calls"], run["tool_calls"], run["drift"])
    assert expected == told


# --- the oracle, and what it catches -------------------------------------------------------------


def must_yield(name: str) -> dict[str, Any]:
    """Load what a capture's last run must yield."""
    value: dict[str, Any] = json.loads((CORPUS / name / "expected.json").read_bytes())
    return value


@pytest.mark.parametrize("engine", ENGINES)
def test_oracle_finds_the_success_of_every_capture(engine: str) -> None:
    """A capture that must read to a success holds, on that line, a frame that says so."""
    outcomes = {name: must_yield(name)["outcome"] for name in of(engine)}
    succeeded = {name: o["line"] for name, o in outcomes.items() if o["status"] == "success"}
    assert all(may_succeed(engine, CAPTURES[name], line) for name, line in succeeded.items())
    assert 20 < len(succeeded) < len(outcomes)


@pytest.mark.parametrize(
    ("engine", "line"),
    [
        ("claude", b'{"type":"result","subtype":"success","is_error":true}'),
        ("claude", b'{"type":"result","subtype":"error_max_turns","is_error":false}'),
        ("claude", b'{"type":"user","x":"{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\"}"}'),
        ("codex", b'{"type":"turn.failed"}'),
        ("codex", b'{"type":"turn.completed"'),
        ("copilot", b'{"type":"result","exitCode":1}'),
        ("gemini", b'{"type":"result","status":"error"}'),
        ("gemini", b'{"response":"x","error":{}}'),
        ("gemini", b'{"session_id":"x"}'),
        ("opencode", b'{"type":"step_finish","part":{"reason":"tool-calls"}}'),
        ("opencode", b'{"type":"text","part":{"reason":"stop"}}'),
    ],
    ids=range(11),
)
def test_oracle_takes_nothing_else_for_a_success(engine: str, line: bytes) -> None:
    """What failed, goes on, is quoted, cut or no terminal frame says no success."""
    assert not may_succeed(engine, line + b"\n")


@pytest.mark.parametrize(
    ("engine", "line"),
    [
        ("claude", b'[{"type":"user"},{"type":"result","subtype":"success"}]'),
        ("codex", b'WARN slow {"type":"turn.completed"}'),
        ("codex", b'{"type":"turn.comp{"type":"error","message":"x"}leted"}'),
        ("copilot", b'{"type":"result","exitCode":0,"x":"\xff"}'),
        ("gemini", b'{\n  "response": "x",\n  "error": null\n}'),
        ("opencode", b'{"type":"step_finish","part":{"reason":"stop","cost":NaN}}'),
    ],
    ids=range(6),
)
def test_oracle_finds_what_readers_can_save(engine: str, line: bytes) -> None:
    """In an array, behind text, around another frame, with bad bytes: it says success."""
    assert may_succeed(engine, b"\n" + line + b"\n", 2)
    assert not may_succeed(engine, line.rstrip(b"]")[:-1])


def beheaded() -> Iterator[tuple[str, bytes]]:
    """Yield a capture of each engine that succeeds, without its last frame."""
    for engine in ENGINES:
        name = next(
            name for name in of(engine) if must_yield(name)["outcome"]["status"] == "success"
        )
        begin, _ = frame_spans(CAPTURES[name])[-1]
        yield engine, CAPTURES[name][:begin]


def test_reader_that_always_sees_success_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules find a planted bug: every run a success, on its first line."""
    outcome = Outcome(status="success", reason="completed", line=1)
    monkeypatch.setattr(OutcomeFold, "result", lambda *_: outcome)
    for engine, data in beheaded():
        assert ["false success"] == [find.what for find in false_successes(at_once(data), data)]
        name = next(iter(of(engine)))
        runs = af.read_all(cut(CAPTURES[name], 50))
        found = Cuts(CAPTURES[name]).false_successes(runs, 50)
        assert ["false success"] == [find.what for find in found]


def test_reader_that_forgets_a_cut_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules find a planted bug: a frame that breaks off behind the end does not count."""
    whole = Stream.close

    def close(stream: Stream, **options: Any) -> Any:
        stream._frames.cut = False
        return whole(stream, **options)

    data = RESULT + b'{"type":"system","subtype":"status","session_id":"s"}'
    at = len(data) - 5
    assert [] == list(Cuts(data).false_successes(af.read_all(cut(data, at)), at))
    monkeypatch.setattr(Stream, "close", close)
    monkeypatch.setattr(OutcomeFold, "broken", lambda _: None)
    assert 1 == len(list(Cuts(data).false_successes(af.read_all(cut(data, at)), at)))


def test_reader_that_loses_lines_between_chunks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules find a planted bug: the first line of every chunk but the first is lost."""
    whole = Stream.feed

    def feed(stream: Stream, chunk: bytes) -> None:
        whole(stream, chunk if stream._engine is None else chunk.partition(b"\n")[2])

    data = CAPTURES["claude/2.1.220/s03-shell"]
    monkeypatch.setattr(Stream, "feed", feed)
    runs = at_once(data)
    assert "chunks" in {find.what for find in disagreements(runs, data, SIZES, "claude")}
    assert runs == in_parts(data, 1)
    assert runs != in_chunks(Pipe(data, [300]), 300)


@pytest.mark.parametrize("sort", MUTATIONS)
def test_mutations_are_the_same_everywhere(sort: str) -> None:
    """A mutant's number tells it, and mutants are other bytes than the capture's."""
    changed = []
    for name, data in CAPTURES.items():
        one, same, other = (mutant(Printed(data, ENDS), sort, name, n) for n in (1, 1, 2))
        assert one == same, name
        changed.append(one != data or other != data)
    assert sum(changed) > len(changed) / 2
    assert b'{"n":1}' != mutant(Printed(b'{"n":1}'), "flip", "x", 1)
    assert isinstance(mutant(Printed(b""), sort, "empty", 1), bytes)
