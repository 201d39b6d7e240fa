# SPDX-License-Identifier: Apache-2.0
"""Opencode's native output, for the generated pages."""

from __future__ import annotations

from agentframes.engines.contract import NativeContract

CONTRACT = NativeContract(
    title="opencode",
    invocation="`opencode run --format json PROMPT`",
    resumed="`opencode run --format json -s SESSION_ID PROMPT`",
    forms="JSON lines",
    success="the last step ended with reason `stop` or `length`, and no `error` line came; there "
    "is no terminal frame",
    session_id="`sessionID`, on every frame",
    tokens="the last `step_finish`: `part.tokens.total`; absent in 1.0.185",
    cost_usd="the last `step_finish`: `part.cost`; 0 is a real value",
    wall_seconds="(`timestamp` of the last `step_finish` - that of the first frame) / 1000",
    final_text="`part.text` of the `text` frames, joined by newlines; `final_text` takes those of "
    "the last step that has any",
    usage="the steps added (s16): `step_finish.part.tokens` counts one model call; sub-agents are "
    "excluded",
    caveats=(
        (
            "Reasoning is inside `output` in 1.0.185 and 1.2.27, beside it from 1.14.41 on;"
            " `total` tells which, and 1.0.185 has none."
        ),
        ("A failed run may exit 0: 401 in 1.2.27 and 1.14.41, an unknown session in both."),
        ("A refused permission ends the run after the step with reason `tool-calls`: incomplete."),
        ("An unknown tool is told as the tool `invalid` with status `completed`: it is no call."),
    ),
)
