# SPDX-License-Identifier: Apache-2.0
"""The kinds that the manifests name, against what readers name and what the corpus shows."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentframes import engines
from agentframes.engines.claude import kinds as claude_kinds
from agentframes.engines.claude import notices, system
from agentframes.engines.claude import signals as claude_signals
from agentframes.engines.claude import signature as claude_signature
from agentframes.engines.codex import items, legacy
from agentframes.engines.copilot import signals as copilot_signals
from agentframes.engines.copilot import signature as copilot_signature
from agentframes.engines.gemini import kinds as gemini_kinds
from agentframes.engines.gemini import signals as gemini_signals
from agentframes.engines.support import version_tuple
from agentframes.signals import Text, Unknown
from scripts import compile_kinds
from tests.engines.support import captures, drive, drive_frames
from tests.frames import capture

ENGINES = engines.names()
FAMILIES = {"lifecycle", "message", "tool-call", "structured-runtime", "truncation"}
Frame = dict[str, Any]


@cache
def written(engine: str) -> dict[str, Any]:
    """Return an engine's manifest as it was written by hand."""
    return compile_kinds.load(compile_kinds.ENGINES / engine / "kinds.toml")


def compiled(engine: str) -> Any:
    """Return the module that readers import."""
    return importlib.import_module(f"agentframes.engines.{engine}._kinds")


@cache
def found() -> dict[str, dict[str, set[str]]]:
    """Have all captures read: engine to kind to the versions that show it."""
    kinds: dict[str, dict[str, set[str]]] = {engine: {} for engine in ENGINES}
    for name in captures():
        engine, version, _ = name.split("/")
        for names in drive(name, full=False).kinds:
            for kind in names:
                kinds[engine].setdefault(kind, set()).add(version)
    return kinds


KINDS = [(engine, kind) for engine in ENGINES for kind in compiled(engine).KINDS]


class TestCompiled:
    """What readers import is what was written by hand."""

    def test_current(self, capsys: pytest.CaptureFixture[str]) -> None:
        """No compiled module is behind its manifest."""
        assert 0 == compile_kinds.main(["--check"])
        assert "" == capsys.readouterr().out
        assert list(ENGINES) == [path.parent.name for path in compile_kinds.manifests()]

    def test_stale(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """A manifest that was edited is told by the check, which writes nothing; then it is."""
        shutil.copytree(compile_kinds.ENGINES / "gemini", tmp_path / "gemini")
        monkeypatch.setattr(compile_kinds, "ENGINES", tmp_path)
        manifest, module = (tmp_path / "gemini" / name for name in ("kinds.toml", "_kinds.py"))
        before = module.read_text()
        edited = manifest.read_text().replace('"truncation" = {', '"truncated" = {')
        manifest.write_text(edited)
        assert 1 == compile_kinds.main(["--check"])
        assert "gemini/_kinds.py is not what `make kinds` writes\n" == capsys.readouterr().out
        assert before == module.read_text()
        assert 0 == compile_kinds.main([])
        assert before.replace('"truncation": "', '"truncated": "') == module.read_text()
        assert 0 == compile_kinds.main(["--check"])

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ('engine = "gemini"', 'engine = "codex"', "written for another engine"),
            ('family = "message"', 'family = "talk"', "no such family: talk"),
            ('source = "issue"', 'source = "hearsay"', "no such source: hearsay"),
            ('since = "0.6.1"', "since = 0.6", "wants exactly family, since, source, captured"),
            ('"issue", captured = false', '"issue", captured = true', "is the capture"),
            ('quirks = "Deltas', 'quirk = "Deltas', "wants exactly"),
        ],
    )
    def test_refused(self, tmp_path: Path, old: str, new: str, words: str) -> None:
        """A kind that says something outside the closed lists is no manifest."""
        path = tmp_path / "gemini" / "kinds.toml"
        path.parent.mkdir()
        text = (compile_kinds.ENGINES / "gemini" / "kinds.toml").read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(ValueError, match=words):
            compile_kinds.load(path)

    @pytest.mark.parametrize("engine", ENGINES)
    def test_families(self, engine: str) -> None:
        """Every kind is of one of the five families of the frame contract."""
        assert FAMILIES >= set(compiled(engine).KINDS.values())
        assert FAMILIES == compile_kinds.FAMILIES


class TestCorpus:
    """What is marked captured is what captures show, no more and no less."""

    @pytest.mark.parametrize("engine", ENGINES)
    def test_captured(self, engine: str) -> None:
        """Every kind that a capture shows is in the manifest, marked so, and no other is."""
        assert sorted(found()[engine]) == sorted(compiled(engine).CAPTURED)
        assert compiled(engine).KINDS.keys() >= compiled(engine).CAPTURED

    @pytest.mark.parametrize("engine", ENGINES)
    def test_since(self, engine: str) -> None:
        """No capture is older than the version from which its kinds are known."""
        for kind, versions in found()[engine].items():
            since = version_tuple(written(engine)["kinds"][kind]["since"])
            assert since is not None
            assert since <= min(version_tuple(version) or () for version in versions)

    @pytest.mark.parametrize("engine", ENGINES)
    def test_paths(self, engine: str) -> None:
        """Payloads, maps and blocks stand where captures have objects or arrays."""
        module = compiled(engine)
        paths = {*module.OPAQUE, *module.MAPS, *([module.BLOCKS] if module.BLOCKS else [])}
        missing = set(paths)
        for name in captures():
            if not missing:
                break
            if name.startswith(f"{engine}/"):
                frames = capture_frames(name)
                missing -= {path for path in missing if any(held(frame, path) for frame in frames)}
        assert set() == missing
        for path in paths:
            assert not any(path.startswith((f"{one}.", f"{one}[")) for one in module.OPAQUE)


def capture_frames(name: str) -> list[Frame]:
    """Return what of a capture is whole."""
    try:
        return capture(name)
    except ValueError:  # cut in mid-line
        return []


def held(frame: Any, path: str) -> bool:
    """Tell whether an object or an array stands at a path."""
    return any(isinstance(value, dict | list) for value in _at(frame, path.split(".")))


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    name, items = steps[0].removesuffix("[]"), steps[0].endswith("[]")
    below = value if isinstance(value, dict) else {}
    for one in below.values() if name == "*" else [below[name]] if name in below else []:
        for entry in one if items and isinstance(one, list) else [] if items else [one]:
            yield from _at(entry, steps[1:])


def bearer(engine: str, kind: str) -> Frame:
    """Make the least frame that bears a kind."""
    return globals()[f"_{engine}"](*kind.split("/"))  # type: ignore[no-any-return]


def _claude(kind: str, *below: str) -> Frame:
    if kind in ("assistant", "user"):
        return {"type": kind, "message": {"content": [{"type": name} for name in below]}}
    if kind == "stream_event":
        event, *inner = below
        held_in = "delta" if event == "content_block_delta" else "content_block"
        return {"type": kind, "event": {"type": event, held_in: {"type": (*inner, "")[0]}}}
    beside = {"session_id": "s", "is_error": False} if kind == "result" else {}
    return {"type": kind} | beside | ({"subtype": below[0]} if below else {})


def _codex(kind: str, *below: str) -> Frame:
    if below == ("(summary)",):
        return {"workdir": "/workspace", "sandbox": "read-only", "model": "m"}
    if below == ("(prompt)",):
        return {"prompt": "Go."}
    if kind == "legacy":
        return {"id": "0", "msg": {"type": below[0]}}
    return {"type": kind} | ({"item": {"id": "item_0", "type": below[0]}} if below else {})


def _copilot(kind: str) -> Frame:
    terminal = {"sessionId": "s1", "exitCode": 0, "usage": {}}
    return {"type": kind} | (terminal if kind == "result" else {"data": {}})


def _gemini(kind: str, *below: str) -> Frame:
    if kind == gemini_kinds.DOCUMENT:
        return {"session_id": "s", "response": "Done.", "stats": {"models": {}, "tools": {}}}
    beside: dict[str, Frame] = {
        "init": {"session_id": "s", "model": "m"},
        "tool_use": {"tool_name": "t"},
        "tool_call": {"tool_name": "t"},
        "tool_result": {"status": "success"},
        "result": {"status": "success", "stats": {"total_tokens": 1}},
        "error": {"severity": "error"},
    }
    role = {"role": below[0]} if below else {}
    common: Frame = {"type": kind, "timestamp": "2026-11-30T00:00:00Z"}
    return common | beside.get(kind, {}) | role


def _opencode(kind: str) -> Frame:
    part = {"type": "tool" if kind == "tool_use" else kind.replace("_", "-")}
    state = {"state": {"status": "completed"}, "reason": "stop"}
    held = {"error": {"name": "E"}} if kind == "error" else {"part": part | state}
    return {"type": kind, "timestamp": 1, "sessionID": "ses_1"} | held


def reader(engine: str) -> Any:
    """Return a reader of an engine's streams, to look behind its door."""
    return engines.get(engine).interpreter()(print, full=True)


def unknown(engine: str, *frames: Frame) -> tuple[list[str], list[str]]:
    """Return the names of the frames, and what was told as unknown."""
    sink = drive_frames(engine, *frames)
    names = [kind for names in sink.kinds for kind in names]
    return names, [signal.frame_kind for signal in sink.signals if isinstance(signal, Unknown)]


class TestReaders:
    """Readers know what the manifests name, by the same names, and nothing beside it."""

    @pytest.mark.parametrize(("engine", "kind"), KINDS)
    def test_named(self, engine: str, kind: str) -> None:
        """A frame of a kind in the manifest is called so, and known."""
        assert ([kind], []) == unknown(engine, bearer(engine, kind))

    @pytest.mark.parametrize(("engine", "kind"), [one for one in KINDS if ")" not in one[1]])
    def test_next_to_it(self, engine: str, kind: str) -> None:
        """At each boundary, a name that the manifest does not have is unknown."""
        novel = f"{kind}_next"
        names, told = unknown(engine, bearer(engine, novel))
        assert ([novel], [novel]) == (names, told)
        assert novel not in compiled(engine).KINDS

    @pytest.mark.parametrize(("engine", "kind"), [one for one in KINDS if "/" in one[1]])
    def test_a_name_is_no_type(self, engine: str, kind: str) -> None:
        """The whole name of a nested kind says nothing in the place of a type."""
        assert 1 == len(unknown(engine, {"type": kind})[1])

    @pytest.mark.parametrize(
        ("engine", "head", "names"),
        [
            ("claude", "", claude_signals._READERS),
            ("claude", "", notices._PLAIN),
            ("claude", "system/", notices._SYSTEM),
            ("claude", "system/", system._HANDLERS),
            ("codex", "", reader("codex")._handlers),
            ("codex", "item.completed/", [*items.FAMILIES, *items._OTHERS]),
            ("codex", "legacy/", legacy._HANDLERS),
            ("copilot", "", copilot_signals._HANDLERS | copilot_signals._FULL),
            ("copilot", "", copilot_signals._SILENT | copilot_signals._OPENING),
            ("gemini", "", gemini_signals._READERS),
            ("opencode", "", reader("opencode")._readers),
        ],
    )
    def test_nothing_is_read_beside(self, engine: str, head: str, names: Any) -> None:
        """What has a reader of its own is in the manifest."""
        kinds = compiled(engine).KINDS
        heads = {kind.rpartition("/")[0] for kind in kinds} | {k.partition("/")[0] for k in kinds}
        assert set() == {f"{head}{name}" for name in names} - kinds.keys() - heads

    def test_the_previews_item_under_the_key_of_today(self) -> None:
        """An `assistant_message` is a message whether `item_type` says so or `type`."""
        for key in ("item_type", "type"):
            item = {"id": "item_0", key: "assistant_message", "text": "Done."}
            sink = drive_frames("codex", {"type": "item.completed", "item": item})
            assert ["Done."] == [
                signal.text.text() for signal in sink.signals if isinstance(signal, Text)
            ]

    def test_signatures_keep_up(self) -> None:
        """Signatures import no manifest, for all are asked of every stream; they say the same."""
        heads = {kind.partition("/")[0] for kind in compiled("claude").KINDS}
        assert heads == claude_signature.TYPES
        prefixes = {f"{area}." for area in copilot_signature.PREFIXES}
        assert prefixes == set(compiled("copilot").OPEN_PREFIXES)

    def test_blocks_that_call(self) -> None:
        """The blocks by which claude calls tools are in the manifest as such."""
        assert claude_kinds.CALL_BLOCKS <= claude_kinds.ASSISTANT_BLOCKS
        assert {"tool-call"} == {
            compiled("claude").KINDS[f"assistant/{block}"] for block in claude_kinds.CALL_BLOCKS
        }
