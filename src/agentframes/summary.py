# SPDX-License-Identifier: Apache-2.0
"""The model's own JSON: the structured answer of a run, wherever the engine put it.

Looked for in this order: the structured output; the native final text, whole or in a fenced
block; a fenced block in the raw text, but only where no line of it is a frame of any engine, so
that JSON which a stream merely quotes is never taken for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from agentframes import detection, engines
from agentframes.errors import AgentframesError
from agentframes.lines import chunks
from agentframes.native import Printed, parse_engine_final_text
from agentframes.reading import read

# A fence has a line of its own; a closing one may also stand right behind the JSON. A line of prose
# may begin with a code span between three backticks: behind a fence there is none.
_FENCE = re.compile(
    r"^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<name>\w*+)[^`\n]*+$"
    r"|(?<=[}\]])(?P<after>`{3,}+)[ \t]*+$",
    re.MULTILINE,
)
_JSON_NAMES = ("json", "jsonc", "json5", "")
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
        jsonschema.SchemaError: `schema` is no valid JSON Schema, or refers to what is not in it.
    """
    check = None if schema is None else _checker(schema)
    for source, value in _candidates(raw, engine):
        errors = check(value) if check else []
        status: Literal["valid", "invalid"] = "invalid" if errors else "valid"
        return Summary(status=status, value=value, source=source, errors=errors)
    return Summary(status="missing", errors=[MISSING_ANSWER])


def _candidates(raw: Printed, engine: str | None) -> Iterator[tuple[Any, Any]]:
    if not isinstance(raw, (str, bytes)):
        return
    printed = b"".join(chunks(raw))  # without a byte order mark, and never UTF-16
    name = engine or _engine_of(printed)
    if name is not None:
        yield from _native(printed, name)
    if not _has_frame(printed):
        text = printed.decode("utf-8", "replace")
        yield from (("raw_fenced_block", value) for value in _fenced(text))


def _engine_of(printed: bytes) -> str | None:
    found = detection.detect(printed)
    return found.engine if found else None


def _native(printed: bytes, engine: str) -> Iterator[tuple[str, Any]]:
    try:
        facts = read(printed, engine=engine)
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


def _has_frame(printed: bytes) -> bool:
    """Tell whether any object in it may be a frame; detection looks at the first ones only."""
    known = [*engines.built_in(), *engines.registered()]
    frames = (frame for frame, _ in detection.first_frames(printed))
    return any(engine.signature.recognize(frame) for frame in frames for engine in known)


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

    No line inside a JSON string begins or ends as a fence does, since line ends are escaped
    there. A fence with a name always opens a block, so that one that was never closed does not
    swallow the next.
    """
    blocks = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        fence = match["fence"] or match["after"]
        if opened is None or (match["name"] and fence.startswith(opened["fence"])):
            opened = match if match["fence"] else None
        elif fence.startswith(opened["fence"]):  # a shorter one, or of the other sort, is content
            if opened["name"].lower() in _JSON_NAMES:
                blocks.append(text[opened.end() : match.start()])
            opened = None
    for block in reversed(blocks):
        value = _json(block)
        if value is not None:
            yield value


def _checker(schema: Mapping[str, Any]) -> Callable[[Any], list[str]]:
    """Return a function that names what is wrong with a value; nothing is ever fetched."""
    import jsonschema
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    rules = dict(schema)
    validator_type = jsonschema.validators.validator_for(rules)
    validator_type.check_schema(rules)
    validator = validator_type(rules, registry=Registry())  # without one it would fetch

    def errors(value: Any) -> list[str]:
        try:
            problems = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
            return [f"{problem.json_path}: {problem.message}" for problem in problems]
        except Unresolvable as error:
            raise jsonschema.SchemaError(f"the schema refers to {error.ref!r}, not in it") from None
        except (RecursionError, ArithmeticError, ValueError) as error:
            # Nested without end, or a number beyond what can be computed with: no approval.
            return [f"$: cannot be held against the schema ({type(error).__name__})"]

    return errors
