# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of the facts on the wire, made from the struct that goes."""

from __future__ import annotations

from typing import Any

import msgspec

from agentframes.facts.model import RunFacts

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def facts_schema() -> dict[str, Any]:
    """Return the schema of the facts of one run."""
    return {"$schema": DIALECT, **msgspec.json.schema(RunFacts)}
