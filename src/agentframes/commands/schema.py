# SPDX-License-Identifier: Apache-2.0
"""``agentframes schema``: the JSON Schema of facts and events."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agentframes.commands.arguments import Parser, write

_DESCRIPTION = """\
Print the JSON Schema of what goes over the wire: of one object of `read --json`, or of one event of
`show --json`."""


def run(arguments: Sequence[str]) -> int:
    """Print the schema that is asked for."""
    parser = Parser("agentframes schema", _DESCRIPTION, "")
    parser.add_argument("what", choices=("facts", "events"), help="which of the two wire forms")
    options = parser.parse_args(arguments)
    if options.what == "events":
        from agentframes.events.schema import event_schema

        schema = event_schema()
    else:
        from agentframes.facts.schema import facts_schema

        schema = facts_schema()
    write(msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n")
    return 0
