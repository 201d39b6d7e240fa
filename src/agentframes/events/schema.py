# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of what goes over the wire, made from the structs that go."""

from __future__ import annotations

from typing import Any

import msgspec

from agentframes.content.model import Payload
from agentframes.events.model import Content, ConversationEvent

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def event_schema() -> dict[str, Any]:
    """Return the schema of one event; its `kind` tells which."""
    (schema,), definitions = msgspec.json.schema_components(
        [ConversationEvent], schema_hook=_hook, ref_template="#/$defs/{name}"
    )
    payloads, more = msgspec.json.schema_components([Payload], ref_template="#/$defs/{name}")
    definitions |= more | {"Content": {"type": "array", "items": payloads[0]}}
    return {"$schema": DIALECT, "title": "ConversationEvent", **schema, "$defs": definitions}


def _hook(kind: type) -> dict[str, Any]:
    if kind is Content:
        return {"$ref": "#/$defs/Content"}
    raise NotImplementedError(kind.__name__)
