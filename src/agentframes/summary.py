# SPDX-License-Identifier: Apache-2.0
"""The model's own JSON: the structured answer of a run, wherever the engine put it.

Looked for in this order: the structured output; the native final text, whole or in a fenced
block; a fenced block in the raw text, but only where no line of it is a frame of any engine, so
that JSON which a stream merely quotes is never taken for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from agentframes import detection
from agentframes.errors import AgentframesError
from agentframes.lines import chunks
from agentframes.native import Printed, parse_engine_final_text
from agentframes.reading import read

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(\w*)[^\n]*\n", re.MULTILINE)
MISSING_ANSWER = "no JSON answer was found"


class Summary(Struct, kw_only=True, frozen=True):
    """What was found. `source` says where; `errors` are the schema's, one line each."""

    status: Literal["valid", "invalid", "missing"]
    value: Any = None
    source: (
        Literal["structured_output", "final_text", "fenced_block", "raw_fenced_block"] | None
    ) = None
    errors: list[str] = []


def extract_summary(
    raw: Printed, engine: str | None = None, schema: Mapping[str, Any] | None = None
) -> Summary:
    """Find the model's JSON answer in printed output, and hold it against a JSON Schema.

    Without `schema` any JSON object or array is valid. Never raises on what was printed.

    Raises:
        jsonschema.SchemaError: `schema` is no valid JSON Schema.
    """
    for source, value in _candidates(raw, engine):
        errors = [] if schema is None else _errors(value, schema)
        status: Literal["valid", "invalid"] = "invalid" if errors else "valid"
        return Summary(status=status, value=value, source=source, errors=errors)
    return Summary(status="missing", errors=[MISSING_ANSWER])


def _candidates(raw: Printed, engine: str | None) -> Iterator[tuple[Any, Any]]:
    if not isinstance(raw, (str, bytes)):
        return
    printed = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    name = engine or _engine_of(printed)
    if name is not None:
        yield from _native(printed, name)
    if not any(_has_frame(chunk) for chunk in chunks(printed)):
        yield from (("raw_fenced_block", value) for value in _fenced(printed))


def _engine_of(printed: str) -> str | None:
    found = detection.detect(printed)
    return found.engine if found else None


def _native(printed: str, engine: str) -> Iterator[tuple[str, Any]]:
    try:
        facts = read([printed], engine=engine)
    except AgentframesError:
        return
    if facts.structured_output is not None:
        yield "structured_output", facts.structured_output
    text = parse_engine_final_text(engine, printed)
    if text is None:
        return
    whole = _json(text)
    if whole is not None:
        yield "final_text", whole
    yield from (("fenced_block", value) for value in _fenced(text))


def _has_frame(chunk: bytes) -> bool:
    return detection.recognize(chunk) is not None


def _json(text: str) -> Any:
    """Read text that is one JSON object or array, and nothing else."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _fenced(text: str) -> Iterator[Any]:
    """Yield the JSON of fenced blocks, the last block first: it is the conclusion.

    The JSON is read before the closing fence is looked for, so fences inside its strings do not
    end the block.
    """
    import json

    decoder = json.JSONDecoder()
    found = []
    position = 0
    while match := _FENCE.search(text, position):
        position = match.end()
        if match[2].lower() not in ("json", "jsonc", "json5", ""):
            continue
        start = position + len(text[position:]) - len(text[position:].lstrip())
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        closed = text[end:].lstrip().startswith(match[1])
        if closed and isinstance(value, (dict, list)):
            found.append(value)
            position = text.index(match[1], end) + len(match[1])
    yield from reversed(found)


def _errors(value: Any, schema: Mapping[str, Any]) -> list[str]:
    import jsonschema

    rules = dict(schema)
    validator_type = jsonschema.validators.validator_for(rules)
    validator_type.check_schema(rules)
    problems = sorted(validator_type(rules).iter_errors(value), key=lambda error: error.json_path)
    return [f"{problem.json_path}: {problem.message}" for problem in problems]
