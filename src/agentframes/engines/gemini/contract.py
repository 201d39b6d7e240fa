# SPDX-License-Identifier: Apache-2.0
"""Gemini CLI's native output, for the generated pages."""

from __future__ import annotations

from agentframes.engines.contract import NativeContract

CONTRACT = NativeContract(
    title="Gemini CLI",
    invocation="`gemini --output-format stream-json -p PROMPT`, or `json`",
    resumed="`gemini --output-format stream-json --resume latest -p PROMPT`",
    forms="JSON lines; one object printed over several lines",
    success="`result.status` `success`; in json mode a `response` and no `error`",
    session_id="`init.session_id`; in json mode `session_id`",
    tokens="`result.stats.total_tokens`; in json mode `stats.models.*.tokens.total`, added",
    cost_usd=None,
    wall_seconds="`result.stats.duration_ms / 1000`; 0 on a failed run is absent",
    final_text="the assistant's deltas after the last `user`, `tool_use` or `tool_result` frame, "
    "joined by nothing; in json mode `response`",
    usage="`result.stats` (s16): cached tokens are inside its `input_tokens`, thoughts are what "
    "the total holds beside input and output; sub-agents and helper calls are included",
    caveats=(
        (
            "Thoughts are told by no field of the stream: total - input - output. They are "
            "inside the account's output."
        ),
        ("0.15.4 tells no cached tokens, so neither uncached input nor the account's total."),
        (
            "A refused key is told by a `result` with status `error`; in json mode stdout "
            "stays empty and the words are in a document on stderr (s09)."
        ),
        "An empty answer is a failure from 0.47.0 on, a success before (s27).",
        "After SIGTERM it exits 0 without a `result` from 0.38.2 on (s25, s26).",
        "Without a model flag `init.model` is `auto` (s01 of 0.61.0).",
    ),
)
