# SPDX-License-Identifier: Apache-2.0
"""Fields added, removed and retyped, at every depth, in every captured version."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import agentframes as af
from agentframes import engines
from tests.drifted import FRAMES, brief, kinds_of, manifest, told
from tests.frames import CORPUS, Frame, capture, printed
from tests.novel import SECRET

# The engine, a kind, where its objects stand, and a field of each that is always there and its
# type. A step `[type]` is the first element, or block, of that type.
PLACES: list[tuple[str, str, str, str, str]] = [
    ("claude", "system/init", "", "cwd", "string"),
    ("claude", "assistant/text", "", "session_id", "string"),
    ("claude", "assistant/text", "message", "model", "string"),
    ("claude", "assistant/text", "message.usage", "input_tokens", "integer"),
    ("claude", "assistant/text", "message.content[text]", "text", "string"),
    ("claude", "assistant/tool_use", "message.content[tool_use]", "name", "string"),
    ("claude", "user/tool_result", "message.content[tool_result]", "tool_use_id", "string"),
    ("claude", "result/success", "", "duration_ms", "integer"),
    ("claude", "result/success", "usage", "output_tokens", "integer"),
    ("claude", "result/success", "modelUsage.*", "inputTokens", "integer"),
    ("claude", "stream_event/content_block_delta/text_delta", "event.delta", "text", "string"),
    ("codex", "thread.started", "", "thread_id", "string"),
    ("codex", "turn.completed", "usage", "input_tokens", "integer"),
    ("codex", "item.completed/agent_message", "item", "text", "string"),
    ("codex", "item.completed/command_execution", "item", "command", "string"),
    ("codex", "item.completed/file_change", "item.changes[]", "path", "string"),
    ("codex", "legacy/agent_message", "msg", "message", "string"),
    ("codex", "legacy/(summary)", "", "provider", "string"),
    ("codex", "legacy/exec_command_begin", "msg", "call_id", "string"),
    ("copilot", "assistant.message", "", "timestamp", "string"),
    ("copilot", "assistant.message", "data", "messageId", "string"),
    ("copilot", "assistant.message", "data.toolRequests[]", "name", "string"),
    ("copilot", "tool.execution_start", "data", "toolName", "string"),
    ("copilot", "result", "usage", "premiumRequests", "integer"),
    ("copilot", "result", "usage.codeChanges", "linesAdded", "integer"),
    ("gemini", "init", "", "model", "string"),
    ("gemini", "message/assistant", "", "content", "string"),
    ("gemini", "tool_use", "", "tool_id", "string"),
    ("gemini", "result", "stats", "total_tokens", "integer"),
    ("gemini", "result", "stats.models.*", "input_tokens", "integer"),
    ("gemini", "(document)", "stats.files", "totalLinesAdded", "integer"),
    ("opencode", "text", "", "timestamp", "integer"),
    ("opencode", "text", "part", "text", "string"),
    ("opencode", "tool_use", "part.state.time", "start", "integer"),
    ("opencode", "step_finish", "part.tokens", "output", "integer"),
    ("opencode", "step_finish", "part.tokens.cache", "read", "integer"),
]


def probes() -> Iterator[Any]:
    """List each place in each version that captured it, with a frame to change."""
    for engine, kind, place, field, kind_of in PLACES:
        found = {
            version: shown
            for version in manifest(engine).fields[kind].versions
            for shown in [_shown(engine, version, kind, place)]
            if shown is not None and field in next(objects(capture(shown[0])[shown[1]], place))
        }
        assert found, f"no capture shows {engine} {kind} {place}"
        for version, (source, index) in found.items():
            label = f"{engine}-{version}-{kind}-{place}"
            values = (engine, version, kind, place, field, kind_of, source, index)
            yield pytest.param(*values, id=label)


def _shown(engine: str, version: str, kind: str, place: str) -> tuple[str, int] | None:
    """Find a capture of a version that shows a place of a kind, and the frame's number."""
    for path in FRAMES:
        if path.relative_to(CORPUS).parts[:2] != (engine, version):
            continue
        name = str(path.relative_to(CORPUS))
        for index, (frame, kinds) in enumerate(zip(capture(name), kinds_of(path), strict=False)):
            if kinds == [kind] and next(objects(frame, place), None) is not None:
                return name, index
    return None


def objects(frame: Frame, place: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that stand at a place."""
    found: list[Any] = [frame]
    for step in place.split(".") if place else ():
        name, bracket, wanted = step.rstrip("]").partition("[")
        if name == "*":
            found = [item for one in found for item in one.values()]
            continue
        found = [one[name] for one in found if one.get(name) is not None]
        if bracket:
            found = [
                item for one in found for item in one if not wanted or item.get("type") == wanted
            ]
    yield from found


def named(place: str, field: str) -> str:
    """Write the path of a field at a place, as findings do."""
    steps = [step.partition("[")[0] + ("[]" if "[" in step else "") for step in place.split(".")]
    return f"{'.'.join(steps)}.{field}" if place else field


def _printed(source: str, index: int, changed: Frame) -> bytes:
    frames = capture(source)
    return printed(*frames[:index], changed, *frames[index + 1 :])


PROBES = list(probes())
every_probe = pytest.mark.parametrize(
    ("engine", "version", "kind", "place", "field", "kind_of", "source", "index"), PROBES
)


def test_probes_cover_every_version() -> None:
    """No captured version of any engine is left out of the probes."""
    probed = {(probe.values[0], probe.values[1]) for probe in PROBES}
    captured = {(name, one) for name in engines.names() for one in manifest(name).versions()}
    assert captured == probed


@every_probe
def test_a_new_field(  # noqa: PLR0917 - a probe
    engine: str, version: str, kind: str, place: str, field: str, kind_of: str, source: str,
    index: int,
) -> None:  # fmt: skip
    """A field that no capture shows is a warning, with its type and without its value."""
    frame = copy.deepcopy(capture(source)[index])
    for one in objects(frame, place):
        one["brandNew"] = {SECRET: SECRET}
    facts = af.read(_printed(source, index, frame), engine=engine, cli_version=version, drift=True)
    expected = ("unknown_field", "warn", kind, named(place, "brandNew"), None, "object")
    assert [expected] == [brief(finding) for finding in facts.drift]
    assert SECRET not in repr(facts.drift)
    assert field, kind_of


@every_probe
def test_a_missing_field(  # noqa: PLR0917 - a probe
    engine: str, version: str, kind: str, place: str, field: str, kind_of: str, source: str,
    index: int,
) -> None:  # fmt: skip
    """A field that every captured version always has, and that is gone, is an error."""
    frame = copy.deepcopy(capture(source)[index])
    for one in objects(frame, place):
        del one[field]
    found = told(_printed(source, index, frame), engine=engine, cli_version=version)
    known = manifest(engine).fields[kind]
    level = "error" if known.fields[named(place, field)].always == set(known.versions) else "warn"
    assert [("missing_field", level, kind, named(place, field), kind_of, "absent")] == found


@every_probe
def test_a_retyped_field(  # noqa: PLR0917 - a probe
    engine: str, version: str, kind: str, place: str, field: str, kind_of: str, source: str,
    index: int,
) -> None:  # fmt: skip
    """A type that no version showed is an error, told once, even where facts read the field."""
    frame = copy.deepcopy(capture(source)[index])
    for one in objects(frame, place):
        one[field] = [SECRET]
    facts = af.read(_printed(source, index, frame), engine=engine, cli_version=version, drift=True)
    expected = ("type_changed", "error", kind, named(place, field), kind_of, "array")
    assert expected in [brief(finding) for finding in facts.drift]
    assert 1 == sum(one.what == "type_changed" for one in facts.drift)
    assert SECRET not in repr(facts.drift)
