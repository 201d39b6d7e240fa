# SPDX-License-Identifier: Apache-2.0
"""What holds for the signals of every Copilot capture, and of damaged ones."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from typing import Any

import msgspec
import pytest

from agentframes.engines.copilot.kinds import KINDS
from agentframes.signals import (
    Agent,
    Media,
    ModelCall,
    Reasoning,
    Text,
    ToolCall,
    ToolEnd,
    ToolOutput,
    Unknown,
)
from tests.engines.copilot_captures import NAMES, facts, frames, only, raw, signals
from tests.frames import Frame, having, printed

OLD = ("0.0.423", "1.0.12", "1.0.30")
EVERY = pytest.mark.parametrize("name", NAMES)
# One of each shape: old, new, sub-agents told and half told, aborted, retried.
SHAPES = [
    "1.0.12/s03-shell", "1.0.12/s17-subagent", "1.0.12/s26-sigterm-tool", "1.0.83/s17-subagent",
    "1.0.83/s26-sigterm-tool--native", "1.0.102/s10-http429", "1.0.102/s17-subagent",
]  # fmt: skip


def wire(stream: bytes, *, full: bool) -> list[dict[str, Any]]:
    """Return the facts of each run as the wire has them."""
    return [run.to_dict() for run in facts(stream, full=full)]


@EVERY
def test_full_and_lean_signals_fold_to_equal_facts(name: str) -> None:
    """Facts never pay for events, and are the same with and without."""
    assert wire(raw(name), full=True) == wire(raw(name), full=False)


@pytest.mark.parametrize("name", SHAPES)
def test_equal_facts_whatever_line_is_lost(name: str) -> None:
    """With any line lost, and with any line said again after the end, facts stay equal."""
    found = frames(name)
    for position, frame in enumerate(found):
        for stream in (found[:position] + found[position + 1 :], [*found, frame], found[position:]):
            mutated = printed(stream)
            assert wire(mutated, full=True) == wire(mutated, full=False)


@EVERY
def test_every_kind_is_known(name: str) -> None:
    """No capture holds a kind that the manifest does not name, and none of its parts is lost."""
    assert {frame["type"] for frame in frames(name)} <= KINDS
    assert [] == only(Unknown, raw(name))


@pytest.mark.parametrize("name", [SHAPES[2], *SHAPES[-2:]])
def test_equal_facts_whatever_type_a_field_has(name: str) -> None:
    """A field of another type is told as drift in both readings, or in none."""
    found = frames(name)
    for position, frame in enumerate(found):
        for field in frame.get("data", ()):
            for value in (17, {"x": 1}, None):
                odd = having(frame, **{f"data__{field}": value})
                mutated = printed(found[:position], odd, found[position + 1 :])
                assert wire(mutated, full=True) == wire(mutated, full=False)


def asked_for(found: list[Frame]) -> set[str]:
    """Walk the raw JSON for the ids of tool calls, wherever one stands."""
    ids: set[str] = set()
    for frame in found:
        told = frame.get("data") or {}
        ids |= {request["toolCallId"] for request in told.get("toolRequests", ())}
        if frame["type"] in {"assistant.tool_call_delta", "tool.execution_start"}:
            ids.add(told["toolCallId"])
    return ids


@EVERY
@pytest.mark.parametrize("full", [True, False])
def test_tool_calls_are_those_of_the_raw_lines(name: str, full: bool) -> None:  # noqa: FBT001
    """Each call has one id, however often it is told; lean reading tells it once."""
    calls = only(ToolCall, signals(raw(name), full=full))
    assert asked_for(frames(name)) == {call.call_id for call in calls}
    if not full:
        assert len(calls) == len({call.call_id for call in calls})


@EVERY
def test_ends_pair_with_calls(name: str) -> None:
    """What ends or prints was called before, by the same agent."""
    found = signals(raw(name))
    agents = {call.call_id: call.agent for call in only(ToolCall, found)}
    told: list[ToolEnd | ToolOutput] = [*only(ToolEnd, found), *only(ToolOutput, found)]
    for signal in told:
        assert agents[signal.call_id] == signal.agent
    for agent in only(Agent, found):
        assert agents[agent.call_id] == agent.agent
    assert {signal.agent for signal in found} - {None} <= agents.keys()


@EVERY
def test_model_calls_end_as_they_began(name: str) -> None:
    """Each call of the model that ends began before.

    Old versions tell no begin of a sub-agent's, nor of any with an Anthropic provider.
    """
    begun: set[str] = set()
    for call in only(ModelCall, raw(name)):
        if call.phase == "start":
            begun.add(call.id)
        else:
            silent = call.agent or name.endswith("--stream-anthropic")
            assert call.id in begun or (silent and name.startswith(OLD))


@EVERY
def test_deltas_make_up_the_whole(name: str) -> None:
    """The pieces of a message, or of reasoning, are what is said in full after them."""
    found = signals(raw(name))
    told: list[Text | Reasoning] = [*only(Text, found), *only(Reasoning, found)]
    pieces: dict[tuple[str, int], str] = defaultdict(str)
    for signal in told:
        key = (signal.message_id, signal.part)
        if signal.mode == "delta":
            pieces[key] += signal.text.text()
        elif key in pieces and not (name.startswith(OLD) and "s11-" in name):
            # Old versions go on with the message that broke off when they ask again.
            assert pieces[key] == signal.text.text()


@EVERY
def test_deltas_make_up_the_input(name: str) -> None:
    """The pieces of a call's input are its JSON, or the text of a free-form tool."""
    pieces: dict[str, str] = defaultdict(str)
    for call in only(ToolCall, raw(name)):
        assert call.input is not None
        if call.mode == "delta":
            pieces[call.call_id] += call.input.text()
        elif call.call_id in pieces:
            given = call.input.decode()
            text = pieces[call.call_id]
            assert given == (text if isinstance(given, str) else json.loads(text))


@EVERY
def test_media_pointers_resolve(name: str) -> None:
    """A pointer leads to the base64 data in its raw line, whose size is told."""
    lines = raw(name).split(b"\n")
    for media in only(Media, raw(name)):
        assert media.pointer is not None
        place: Any = json.loads(lines[media.at.first - 1])
        for step in media.pointer.removeprefix("/").split("/"):
            place = place[int(step)] if isinstance(place, list) else place[step]
        assert media.bytes == len(base64.b64decode(place, validate=True))


@EVERY
def test_signals_stand_where_their_frame_does(name: str) -> None:
    """Line, kind and time of each signal are its frame's."""
    found = frames(name)
    for signal in signals(raw(name)):
        frame = found[signal.at.first - 1]
        assert frame["type"] == signal.kind
        assert signal.time_ms is not None
        assert signal.at.first == signal.at.last


@EVERY
def test_nothing_of_a_frame_is_lost_to_lean_reading(name: str) -> None:
    """Lean reading tells a part of what full reading tells, and no more."""
    full, lean = len(signals(raw(name))), len(signals(raw(name), full=False))
    assert lean <= full


@EVERY
def test_signals_have_the_declared_types(name: str) -> None:
    """Every field of every signal holds what its annotation says."""
    for signal in signals(raw(name)):
        for field in msgspec.structs.fields(signal):
            value = getattr(signal, field.name)
            if not hasattr(value, "raw"):  # a Lazy
                plain = msgspec.to_builtins(value)
                if field.name not in {"text", "input", "output", "structured", "answer"}:
                    assert value == msgspec.convert(plain, _plain(field.type))


def _plain(declared: Any) -> Any:
    return Any if "Lazy" in str(declared) else declared
