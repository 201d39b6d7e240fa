# SPDX-License-Identifier: Apache-2.0
"""Loading what is known of an engine's frames, and walking what a frame holds."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentframes import engines, manifests
from agentframes.manifests import Field, Fields, Manifest, child, parent
from agentframes.walk import MAX_NAME, MAX_NOVEL, Seen, Walk, learned, told_child

NAMES = engines.names()


def manifest(**changed: Any) -> Manifest:
    """Write a small manifest."""
    options: dict[str, Any] = {
        "engine": "some",
        "kinds": {"talk": "message", "say/text": "message", "say/call": "tool-call"},
        "open_prefixes": (),
        "blocks": "",
        "opaque": frozenset(),
        "maps": frozenset(),
        "fields": {},
    }
    return Manifest(**options | changed)


def walked(known: Manifest, *frames: tuple[list[str], Any], learn: bool = True) -> Seen:
    """Walk frames, a line each."""
    seen: Seen = {}
    walk = Walk(known, learn=learn)
    for line, (kinds, frame) in enumerate(frames, 1):
        walk.frame(seen, kinds, frame, line)
    return seen


def types(seen: Seen, kind: str) -> dict[str, list[str]]:
    """Return the types of each path of a kind."""
    return {path: sorted(found) for path, found in seen[kind].types.items()}


class TestFile:
    """The learned fields as they stand in their file."""

    @pytest.mark.parametrize("name", NAMES)
    def test_read_and_written_again(self, name: str) -> None:
        """What is read is written the same, byte by byte."""
        path = Path(manifests.fields_path(f"agentframes.engines.{name}"))
        raw = path.read_bytes()
        assert raw.decode() == manifests.encode(name, manifests.decode(raw))

    @pytest.mark.parametrize("name", NAMES)
    def test_learned_is_what_is_captured(self, name: str) -> None:
        """The captured kinds of the hand-written manifest are those whose fields were learned."""
        known = manifests.of(engines.get(name))
        assert known is not None
        kinds = json.loads(Path(manifests.fields_path(f"agentframes.engines.{name}")).read_bytes())
        module: Any = __import__(f"agentframes.engines.{name}._kinds", fromlist=["CAPTURED"])
        assert set(module.CAPTURED) == set(known.fields) == set(kinds["kinds"])

    @pytest.mark.parametrize(
        ("told", "always", "sometimes", "shown_as"),
        [
            ({"string": "*"}, "1.0 2.0", "", {"string": "1.0 2.0"}),
            ({"sometimes": "*", "null": "*"}, "", "1.0 2.0", {"null": "1.0 2.0"}),
            ({"always": "2.0", "string": "*"}, "2.0", "", {"string": "2.0"}),
            ({"sometimes": "1.0", "string": "*"}, "", "1.0", {"string": "1.0"}),
            (
                {"always": "1.0", "sometimes": "2.0", "null": "2.0", "string": "*"},
                "1.0", "2.0", {"null": "2.0", "string": "1.0 2.0"},
            ),
        ],
    )  # fmt: skip
    def test_a_field(
        self, told: dict[str, str], always: str, sometimes: str, shown_as: dict[str, str]
    ) -> None:
        """The short form stands for versions, and is what is written."""
        file = {"engine": "some", "kinds": {"k": {"versions": {"1.0": 1, "2.0": 3}, "fields": {}}}}
        file["kinds"]["k"]["fields"]["f"] = told  # type: ignore[index]
        fields = manifests.decode(json.dumps(file).encode())
        expected = Field(
            always=frozenset(always.split()),
            sometimes=frozenset(sometimes.split()),
            types={name: frozenset(where.split()) for name, where in shown_as.items()},
        )
        assert expected == fields["k"].fields["f"]
        assert told == json.loads(manifests.encode("some", fields))["kinds"]["k"]["fields"]["f"]

    def test_versions_are_numbers(self) -> None:
        """1.14 is newer than 1.2."""
        assert ["0.9", "1.2.27", "1.14.41"] == manifests.in_order({"1.14.41", "0.9", "1.2.27"})

    def test_a_package_without_a_manifest(self) -> None:
        """An engine that brings none has none."""
        assert None is manifests.load("tests")
        assert None is manifests.of(object())

    def test_without_a_version(self) -> None:
        """A version left out leaves no field and no kind behind that it alone showed."""
        both, new = frozenset({"1", "2"}), frozenset({"2"})
        fields = {
            "talk": Fields(
                versions={"1": 4, "2": 5},
                fields={
                    "a": Field(both, frozenset(), {"string": both, "null": new}),
                    "b": Field(new, frozenset(), {"string": new}),
                },
            ),
            "say/text": Fields(versions={"2": 1}, fields={}),
        }
        old = frozenset({"1"})
        expected = {
            "talk": Fields({"1": 4}, {"a": Field(old, frozenset(), {"string": old})}),
        }
        assert expected == manifests.without(manifest(fields=fields), "2").fields


class TestPaths:
    """How fields are named."""

    @pytest.mark.parametrize(
        ("path", "name", "expected"),
        [
            ("", "type", "type"),
            ("usage", "input_tokens", "usage.input_tokens"),
            ("items[]", "text", "items[].text"),
            ("modelUsage.*", "costUSD", "modelUsage.*.costUSD"),
            ("", "reasoning effort", '"reasoning effort"'),
            ("a", "b.c", 'a."b.c"'),
            ("a", "", 'a.""'),
            ("a", "*", 'a."*"'),
            ("a", "b[]", 'a."b[]"'),
        ],
    )
    def test_child_and_parent(self, path: str, name: str, expected: str) -> None:
        """A path leads to a field and back to what holds it; odd names stand in quotes."""
        assert expected == child(path, name)
        assert path == parent(expected)

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("new_field", "new_field"), ("$ref", "$ref"), ("a.b-c", "a.b-c"), ("", "?"),
            ("say hello", "say?hello"), ("<b>é\n", "?b???"), ("x" * MAX_NAME, "x" * MAX_NAME),
            ("x" * (MAX_NAME + 1), "?"), ("src/main.py", "src?main.py"), ('"', "?"),
        ],
    )  # fmt: skip
    def test_what_is_told_of_a_name(self, name: str, told: str) -> None:
        """A name that nobody knows may be payload: odd characters and long names are not told."""
        assert told == told_child("", name)
        assert f"data.{told}" == told_child("data", name)


class TestWalk:
    """What is written down of a frame."""

    def test_types(self) -> None:
        """Each path has the JSON type of its value."""
        frame = {
            "s": "x", "b": True, "i": 1, "n": 1.5, "z": None, "o": {"in": 1}, "a": [1, "x", [None]],
        }  # fmt: skip
        expected = {
            "s": ["string"], "b": ["boolean"], "i": ["integer"], "n": ["number"], "z": ["null"],
            "o": ["object"], "o.in": ["integer"], "a": ["array"],
            "a[]": ["array", "integer", "string"], "a[][]": ["null"],
        }  # fmt: skip
        assert expected == types(walked(manifest(), (["talk"], frame)), "talk")

    def test_opaque(self) -> None:
        """Of payload, its own type is known and nothing below."""
        known = manifest(opaque=frozenset({"input", "items[].raw"}))
        frame = {"input": {"secret": 1}, "items": [{"raw": ["secret"]}]}
        expected = {
            "input": ["object"], "items": ["array"], "items[]": ["object"],
            "items[].raw": ["array"],
        }  # fmt: skip
        assert expected == types(walked(known, (["talk"], frame)), "talk")

    def test_maps(self) -> None:
        """The keys of a map are the user's names; its values stand together."""
        known = manifest(maps=frozenset({"models", "models.*.roles"}))
        frame = {"models": {"m1": {"n": 1, "roles": {"main": 1}}, "m2": {"n": 2.5}, "m3": None}}
        expected = {
            "models": ["object"], "models.*": ["null", "object"],
            "models.*.n": ["integer", "number"],
            "models.*.roles": ["object"], "models.*.roles.*": ["integer"],
        }  # fmt: skip
        assert expected == types(walked(known, (["talk"], frame)), "talk")

    def test_blocks(self) -> None:
        """What is beside the blocks stands under each block's kind, a block under its own."""
        known = manifest(blocks="message.content")
        blocks = [{"type": "text", "t": "x"}, {"type": "call", "c": 1}, {"type": "new", "n": 1}]
        frame = {"type": "say", "message": {"id": 1, "content": blocks}}
        seen = walked(known, (["say/text", "say/call", "say/new"], frame))
        beside = {
            "type": ["string"], "message": ["object"], "message.id": ["integer"],
            "message.content": ["array"], "message.content[]": ["object"],
            "message.content[].type": ["string"],
        }  # fmt: skip
        assert {
            "say/text": beside | {"message.content[].t": ["string"]},
            "say/call": beside | {"message.content[].c": ["integer"]},
        } == {kind: types(seen, kind) for kind in seen}

    def test_a_repeated_kind_counts_once_a_frame(self) -> None:
        """Two blocks of a kind are one frame of it."""
        known = manifest(blocks="content")
        frame = {"type": "say", "content": [{"type": "text"}, {"type": "text"}]}
        seen = walked(known, (["say/text", "say/text"], frame))
        assert (1, {"object": [1, 2]}) == (
            seen["say/text"].count,
            seen["say/text"].types["content[]"],
        )

    @pytest.mark.parametrize("learn", [True, False])
    def test_nothing_of_an_unknown_frame(self, learn: bool) -> None:  # noqa: FBT001
        """A kind that no manifest names leaves nothing, and one with a novel part neither."""
        frame = {"type": "odd", "secret": 1}
        assert {} == walked(
            manifest(), (["odd"], frame), (["talk", "talk/odd"], frame), learn=learn
        )

    @pytest.mark.parametrize("frame", [None, 3, "x", [], [{"type": "talk"}]])
    def test_what_is_no_object_holds_nothing(self, frame: Any) -> None:
        """Whatever a caller calls a frame, the walk goes on."""
        assert {} == walked(manifest(), (["talk"], frame))

    def test_sights(self) -> None:
        """Each type and each set of fields is told with its first line and how often."""
        frames = [(["talk"], {"a": 1}), (["talk"], {"a": "x"}), (["talk"], {"a": 2, "b": 1})]
        kind = walked(manifest(), *frames)["talk"]
        assert {"integer": [1, 2], "string": [2, 1]} == kind.types["a"]
        expected = {frozenset({"a"}): [1, 2], frozenset({"a", "b"}): [3, 1]}
        assert expected == kind.shapes[""]

    def test_what_nobody_knows_is_not_entered(self) -> None:
        """Of a new field its name and type are kept; what is below may be anything."""
        learnt = learned([("1", walked(manifest(), (["talk"], {"a": {"b": 1}, "c": []})))])
        frame = {"a": {"b": 1, "d e": {"secret": 1}}, "new": {"secret": {}}, "c": ["secret"]}
        kind = walked(manifest(fields=learnt), (["talk"], frame), learn=False)["talk"]
        assert {
            "": {"new": {"object": [1, 1]}},
            "a": {"a.d?e": {"object": [1, 1]}},
            "c": {"c[]": {"string": [1, 1]}},
        } == kind.novel
        assert "secret" not in repr(kind)

    def test_new_names_are_bounded(self) -> None:
        """An object that is really a map fills no memory and no report."""
        learnt = learned([("1", walked(manifest(), (["talk"], {"a": 1})))])
        frame = {f"name{number}": number for number in range(1000)}
        kind = walked(manifest(fields=learnt), (["talk"], frame), learn=False)["talk"]
        assert MAX_NOVEL + 1 == len(kind.novel[""])
        assert {"integer": [1, 1000 - MAX_NOVEL]} == kind.novel[""]["?"]

    def test_a_name_with_a_dot_is_no_path(self) -> None:
        """A new field `a.b` is not taken for the known field b of a."""
        learnt = learned([("1", walked(manifest(), (["talk"], {"a": {"b": 1}})))])
        frame = {"a": {"b": 1}, "a.b": "x"}
        kind = walked(manifest(fields=learnt), (["talk"], frame), learn=False)["talk"]
        assert {"": {"a.b": {"string": [1, 1]}}} == kind.novel


class TestLearning:
    """Fields, made of what captures hold."""

    def test_always_and_sometimes(self) -> None:
        """A field is always there where no object of its version lacks it; elements never are."""
        known = manifest()
        one = walked(known, (["talk"], {"a": 1, "o": {"x": 1}, "l": [{"y": 1}, {"y": 2}]}))
        two = walked(known, (["talk"], {"a": "x", "o": {}}), (["talk"], {"a": 1}))
        new = walked(known, (["talk"], {"a": None, "o": {"x": 2}}))
        expected = {
            "a": {"integer": "1", "null": "2", "string": "1"},
            "o": {"always": "2", "object": "*", "sometimes": "1"},
            "o.x": {"always": "2", "integer": "*", "sometimes": "1"},
            "l": {"array": "*", "sometimes": "1"},
            "l[]": {"object": "*", "sometimes": "1"},
            "l[].y": {"always": "1", "integer": "*"},
        }
        fields = learned([("1", one), ("1", two), ("2", new)])
        told = json.loads(manifests.encode("some", fields))["kinds"]["talk"]
        assert {"1": 3, "2": 1} == told["versions"]
        assert expected == told["fields"]

    def test_the_order_of_captures_does_not_matter(self) -> None:
        """The same captures give the same file."""
        one = walked(manifest(), (["talk"], {"a": 1, "b": 1}))
        two = walked(manifest(), (["talk"], {"b": None, "c": {"d": []}}))
        first = manifests.encode("some", learned([("1", one), ("10", two)]))
        assert first == manifests.encode("some", learned([("10", two), ("1", one)]))


def test_fields_are_in_the_wheel(tmp_path: Path) -> None:
    """What was learned goes where the package goes."""
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).parent.parent
    (wheel,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    packed = zipfile.ZipFile(wheel).namelist()
    for name in NAMES:
        assert f"agentframes/engines/{name}/fields.json" in packed
        assert f"agentframes/engines/{name}/_kinds.py" in packed
