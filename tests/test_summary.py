# SPDX-License-Identifier: Apache-2.0
"""`extract_summary`: the model's own JSON, from where the engine puts it and from nowhere else."""

from __future__ import annotations

import json
import socket
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentframes as af
from tests.captured import capture, claude, codex, fixture, frames, lines

MISSING = af.Summary(status="missing", errors=["no JSON answer was found"])
OK = {"ok": True}
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["answer", "n"],
    "additionalProperties": False,
}
FENCED = 'Done.\n\n```json\n{"ok": true}\n```\n'


def valid(value: Any, source: Any) -> af.Summary:
    """Return the summary that a valid answer gives."""
    return af.Summary(status="valid", value=value, source=source)


def fenced(text: str) -> Any:
    """Return what is found in a final text, or None, alike for codex, claude and raw text."""
    found = [
        af.extract_summary(codex(text)),
        af.extract_summary(claude(result=text)),
        af.extract_summary(text),
    ]
    if found[0].status == "missing":
        assert [MISSING] * 3 == found
        return None
    value = found[0].value
    assert [valid(value, "fenced_block")] * 2 == found[:2]
    assert valid(value, "raw_fenced_block") == found[2]
    return value


class TestOrder:
    """Where the answer is looked for, and in which order."""

    def test_structured_output(self) -> None:
        """The engine's typed field comes first."""
        answer = {"answer": "ok", "n": 3}
        for name in ("s18-schema", "s18-schema--json"):
            printed = capture(f"claude/2.1.220/{name}")
            assert valid(answer, "structured_output") == af.extract_summary(printed)

    def test_structured_output_before_text(self) -> None:
        """It counts even where the text says otherwise, and it need not be an object."""
        printed = claude(structured_output={"n": 1}, result=FENCED)
        assert valid({"n": 1}, "structured_output") == af.extract_summary(printed)
        printed = claude(structured_output=False, result=FENCED)
        assert valid(False, "structured_output") == af.extract_summary(printed)  # noqa: FBT003 - it is the value

    def test_final_text_whole(self) -> None:
        """A final text that is JSON and nothing else is the answer."""
        assert valid(OK, "final_text") == af.extract_summary(fixture("claude"))
        printed = capture("codex/0.171.0/s18-schema")
        assert valid({"answer": "ok", "n": 3}, "final_text") == af.extract_summary(printed)
        assert valid([1, {"a": []}], "final_text") == af.extract_summary(codex('\n[1,{"a":[]}] \n'))

    @pytest.mark.parametrize("text", ['"ok"', "17", "true", "null", "ok", "{ok}", '{"ok":true'])
    def test_final_text_without_json(self, text: str) -> None:
        """A text that is no JSON object or array is no JSON answer."""
        assert MISSING == af.extract_summary(codex(text))

    def test_final_text_with_fence(self) -> None:
        """A fenced block between prose is found in what real models wrote."""
        answer = {"status": "ok", "emoji": "😀", "n": 3}
        for name in ("claude/2.1.220", "codex/0.171.0"):
            found = af.extract_summary(capture(f"{name}/s02-unicode"))
            assert valid(answer, "fenced_block") == found

    def test_braces_in_prose_are_no_answer(self) -> None:
        """JSON that stands in a sentence is neither whole nor fenced."""
        assert MISSING == af.extract_summary(codex('The body is {"ok": true}.'))

    def test_last_codex_message(self) -> None:
        """JSON of an earlier message is not the answer."""
        assert valid({"n": 2}, "final_text") == af.extract_summary(codex('{"n":1}', '{"n":2}'))
        assert MISSING == af.extract_summary(codex(FENCED, "All done."))

    def test_reasoning_is_never_the_answer(self) -> None:
        """A codex stream without an agent message is missing, whatever its reasoning echoes."""
        printed = codex()
        assert "```json" in printed
        assert MISSING == af.extract_summary(printed)
        assert MISSING == af.extract_summary(printed, engine="codex")
        assert MISSING == af.extract_summary(fixture("codex"))  # its answer is `ok`

    def test_tool_output_is_never_the_answer(self) -> None:
        """JSON that a command printed is not what the model answered."""
        found = frames(capture("codex/0.171.0/s06-reasoning"))
        item = found[4]["item"] | {"aggregated_output": FENCED}
        found[4] |= {"item": item}
        assert "command_execution" == item["type"]
        assert MISSING == af.extract_summary(lines(*found))

    def test_raw_fence_without_frames(self) -> None:
        """Text that no engine framed may hold the answer in a fenced block."""
        assert valid(OK, "raw_fenced_block") == af.extract_summary(FENCED)

    def test_raw_json_is_not_enough(self) -> None:
        """JSON without a fence in text of unknown origin is no answer."""
        assert MISSING == af.extract_summary('{"ok": true}')

    @pytest.mark.parametrize("engine", ["claude", "codex"])
    def test_no_raw_fence_beside_a_frame(self, engine: str) -> None:
        """One frame of any engine, before or after: the raw text is not scraped."""
        frame = (codex() if engine == "codex" else claude(result="no JSON")).encode()
        assert MISSING == af.extract_summary(frame + FENCED.encode())
        assert MISSING == af.extract_summary(FENCED.encode() + frame)

    def test_no_raw_fence_before_a_late_frame(self) -> None:
        """A frame counts however many other JSON lines stand before it."""
        printed = FENCED + '{"level":"info"}\n' * 500 + codex()
        assert MISSING == af.extract_summary(printed)

    def test_no_raw_fence_beside_another_engines_frame(self) -> None:
        """The frames of any engine count, not only of the one that was named."""
        assert MISSING == af.extract_summary(codex("no JSON") + FENCED, engine="claude")


class TestEngine:
    """The engine may be named or not."""

    @pytest.mark.parametrize("engine", ["claude", None])
    def test_given_or_detected(self, engine: str | None) -> None:
        """Naming the engine changes nothing where the frames tell it."""
        assert valid(OK, "final_text") == af.extract_summary(fixture("claude"), engine)

    def test_wrong_one(self) -> None:
        """Another engine's answer is not taken."""
        assert MISSING == af.extract_summary(fixture("claude"), engine="codex")

    def test_without_reader(self) -> None:
        """An unknown engine's text may still hold a fenced block; nothing native is asked."""
        assert valid(OK, "raw_fenced_block") == af.extract_summary(FENCED, engine="omp")
        assert MISSING == af.extract_summary(fixture("claude"), engine="omp")


class TestFences:
    """What is a fenced block, in final texts and in raw ones."""

    def test_nested_braces(self) -> None:
        """Braces within braces and braces in strings do not end the JSON."""
        value = {"a": {"b": [{"c": "}"}, "{", "]["]}, "d": '"}```'}
        assert value == fenced(f"Here:\n```json\n{json.dumps(value)}\n```\nBye.")
        assert value == fenced(f"```json\n{json.dumps(value, indent=2)}\n```")

    def test_fence_in_a_string(self) -> None:
        """A fence inside a string does not end the block."""
        value = {"patch": "```python\nprint()\n```\n", "n": 1}
        assert value == fenced(f"```json\n{json.dumps(value, indent=2)}\n```\n")

    def test_last_of_several(self) -> None:
        """Of several blocks the last is the conclusion."""
        assert {"n": 2} == fenced('```json\n{"n": 1}\n```\nthen\n```json\n{"n": 2}\n```\n')

    def test_last_that_is_json(self) -> None:
        """A later block that is no JSON does not count."""
        after = "```sh\nmake\n```\n```json\n{broken}\n```\n```json\n17\n```\n"
        assert {"n": 1} == fenced('```json\n{"n": 1}\n```\n' + after)

    @pytest.mark.parametrize(
        "name", ["json", "JSON", " json", "jsonc", "json5", "", 'json title="a"']
    )
    def test_names(self, name: str) -> None:
        """A block may be named as JSON in several ways, or not at all."""
        assert OK == fenced(f'```{name}\n{{"ok": true}}\n```\n')

    @pytest.mark.parametrize("name", ["python", "jsonl", "js", "text"])
    def test_other_names(self, name: str) -> None:
        """A block of another language is not read, even if it looks like JSON."""
        assert None is fenced(f'```{name}\n{{"ok": true}}\n```\n')

    @pytest.mark.parametrize("fence", ["```", "````", "~~~", "  ```"])
    def test_fences(self, fence: str) -> None:
        """Longer fences, tildes and indented ones do as well."""
        assert OK == fenced(f'1. so:\n{fence}json\n{{"ok": true}}\n{fence}\n')

    def test_line_ends(self) -> None:
        """Carriage returns and blank lines around the JSON do not matter, nor a lacking one."""
        assert OK == fenced('Done.\r\n\r\n```json\r\n\r\n{"ok": true}\r\n\r\n```\r\n')
        assert OK == fenced('```json\n{"ok": true}```')

    @pytest.mark.parametrize(
        "text",
        [
            '```json\n{"ok": true}\n',
            '```json\n{"ok": true',
            '```json\n{"ok": true}\n{"ok": false}\n```\n',
            '```json\n{"ok": true} // sure\n```\n',
            '```json\n{"ok": true}\n```json\n',
            '```json {"ok": true}```\n',
            "```json\n```\n",
            "```json\n",
        ],
    )
    def test_no_block(self, text: str) -> None:
        """A block that is cut, or is more than one JSON value, is no answer."""
        assert None is fenced(text)

    def test_end_of_one_is_not_the_begin_of_another(self) -> None:
        """JSON between two blocks is not fenced, and hides neither of them."""
        between = '```python\nx = 1\n```\n{"n": 1}\n```json\n{"n": 2}\n```\n'
        assert {"n": 2} == fenced(between)
        assert None is fenced('```\nlog\n```\n{"n": 1}\n```\nmore\n```\n')

    def test_quoted_block(self) -> None:
        """A block inside a longer fence or one of the other sort is quoted, not meant."""
        assert None is fenced(f"````markdown\n{FENCED}````\n")
        assert None is fenced(f"~~~markdown\n{FENCED}~~~\n")

    def test_block_after_one_never_closed(self) -> None:
        """A block that was never closed does not swallow the next."""
        assert OK == fenced("```sh\nmake\n\n" + FENCED)
        assert OK == fenced("```inline``` code\n" + FENCED)

    def test_many_fences(self) -> None:
        """The work grows with the text, not with its square."""
        assert None is fenced("```json\n{\n```\n" * 20_000)


class TestSchema:
    """The answer held against a schema."""

    def test_valid(self) -> None:
        """An answer that meets the schema is valid, and no error is told."""
        found = af.extract_summary(capture("claude/2.1.220/s18-schema--json"), schema=SCHEMA)
        assert valid({"answer": "ok", "n": 3}, "structured_output") == found

    def test_invalid(self) -> None:
        """An answer that does not is invalid: value, source and each error with its place."""
        found = af.extract_summary(claude(result='{"n":"3","x":1}'), schema=SCHEMA)
        expected = af.Summary(
            status="invalid",
            value={"n": "3", "x": 1},
            source="final_text",
            errors=[
                "$: 'answer' is a required property",
                "$: Additional properties are not allowed ('x' was unexpected)",
                "$.n: '3' is not of type 'integer'",
            ],
        )
        assert expected == found

    def test_missing_stays_missing(self) -> None:
        """Without an answer there is nothing to hold against the schema."""
        assert MISSING == af.extract_summary(codex(), schema=SCHEMA)

    def test_first_source_decides(self) -> None:
        """An invalid typed answer is not traded for a valid one in the text."""
        printed = claude(structured_output={"n": 1}, result='{"answer":"ok","n":3}')
        found = af.extract_summary(printed, schema=SCHEMA)
        assert ("invalid", "structured_output") == (found.status, found.source)

    @pytest.mark.parametrize("printed", [FENCED, "", fixture("claude")])
    def test_schema_that_is_none(self, printed: str | bytes) -> None:
        """A schema that is no schema is the caller's error, answer or no answer."""
        with pytest.raises(jsonschema.SchemaError, match="'objekt' is not valid"):
            af.extract_summary(printed, schema={"type": "objekt"})

    @pytest.mark.parametrize("reference", ["#/$defs/none", "http://127.0.0.1:9/schema.json"])
    def test_reference_outside(self, reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """A reference to what is not in the schema is the caller's error; nothing is fetched."""

        def connect(*_: object) -> None:
            pytest.fail("the network was asked")

        monkeypatch.setattr(socket, "socket", connect)
        with pytest.raises(jsonschema.SchemaError, match="refers to"):
            af.extract_summary(FENCED, schema={"$ref": reference})

    @pytest.mark.parametrize(
        ("answer", "schema"),
        [
            ('{"n": 1e999}', {"properties": {"n": {"multipleOf": 0.1}}}),
            ("[" * 600 + "]" * 600, {"items": {"$ref": "#"}}),
        ],
    )
    def test_answer_beyond_checking(self, answer: str, schema: dict[str, Any]) -> None:
        """An answer that cannot be checked is invalid: no exception, and no approval."""
        found = af.extract_summary(codex(answer), schema=schema)
        assert ("invalid", "final_text") == (found.status, found.source)
        assert found.errors[0].startswith("$: cannot be held against the schema (")


class TestAnything:
    """Whatever was printed, there is a summary."""

    @pytest.mark.parametrize(
        "printed",
        [None, "", b"", " \n", b"\xff\xfe\x00", "\ud800", "```", "[" * 100_000, '{"a":' * 100_000],
        ids=lambda printed: repr(printed)[:12],
    )
    def test_garbage(self, printed: str | bytes | None) -> None:
        """Absent and malformed output is missing."""
        for engine in (None, "claude", "codex", "omp"):
            assert MISSING == af.extract_summary(printed, engine)

    @pytest.mark.parametrize("text", [FENCED, codex(FENCED), claude(result=FENCED)])
    def test_text_and_bytes(self, text: str) -> None:
        """Bytes yield what their text yields, with a mark and in UTF-16 too."""
        expected = af.extract_summary(text)
        assert OK == expected.value
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            assert expected == af.extract_summary(text.encode(encoding))
        assert expected == af.extract_summary("\ufeff" + text.replace("\n", "\r\n"))

    @given(st.lists(st.sampled_from([
        "```", "```json\n", "~~~", "\n", "{", "}", '"', '{"a":1}', "[1]", "x", "\\", "\u2028",
        codex("ok"), claude(result=FENCED),
    ])))  # fmt: skip
    def test_never_raises(self, pieces: list[str]) -> None:
        """Any mixture of fences, braces and frames gives a summary that keeps its own rules."""
        found = af.extract_summary("".join(pieces))
        assert (found.status == "missing") == (found.source is None)
        if found.source == "raw_fenced_block":
            assert None is af.detect("".join(pieces))
