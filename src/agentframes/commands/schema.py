# SPDX-License-Identifier: Apache-2.0
"""``agentframes schema``: the JSON Schema of facts and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agentframes.commands.arguments import Parser, write
from agentframes.events.schema import event_schema
from agentframes.facts.schema import facts_schema

_DESCRIPTION = """\
Print the JSON Schema of what goes over the wire: of one object of `read --json` (facts), of one
event of `show --json` (events), or without a word of either."""


def _both() -> dict[str, Any]:
    facts, event = facts_schema(), event_schema()
    definitions = facts.pop("$defs") | event.pop("$defs")
    either = [{"$ref": facts["$ref"]}, {"$ref": "#/$defs/ConversationEvent"}]
    definitions["ConversationEvent"] = {"anyOf": event["anyOf"]}
    return {"$schema": facts["$schema"], "title": "agentframes", "anyOf": either,
            "$defs": definitions}  # fmt: skip


_FORMS: dict[str | None, Callable[[], dict[str, Any]]] = {
    None: _both,
    "facts": facts_schema,
    "events": event_schema,
}


def run(arguments: Sequence[str]) -> int:
    """Print the schema that is asked for."""
    parser = Parser("agentframes schema", _DESCRIPTION, "")
    parser.add_argument(
        "what", nargs="?", choices=("facts", "events"), help="one of the two wire forms"
    )
    options = parser.parse_args(arguments)
    schema = _FORMS[options.what]()
    write(msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n")
    return 0
