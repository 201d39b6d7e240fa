# SPDX-License-Identifier: Apache-2.0
"""GitHub Copilot CLI's native output, for the generated pages."""

from __future__ import annotations

from agentframes.engines.contract import NativeContract

CONTRACT = NativeContract(
    title="GitHub Copilot CLI",
    invocation="`copilot --output-format json --allow-all -p PROMPT`",
    resumed="`copilot --output-format json --allow-all --resume=SESSION_ID -p PROMPT`",
    forms="JSON lines",
    success="`result.exitCode` 0, and the main agent's last turn was not aborted",
    session_id="`result.sessionId`",
    tokens=None,
    cost_usd=None,
    wall_seconds="`result.usage.sessionDurationMs / 1000`",
    final_text="`assistant.message`: `data.content`, ephemeral events skipped; `final_text` takes "
    "the main agent's last message that asks for no tool",
    usage="`result.usage.premiumRequests`, never as money; up to 1.0.30 the main agent's "
    "`data.outputTokens` too",
    caveats=(
        "`premiumRequests` counts requests; what one costs is told nowhere.",
        "`sessionDurationMs` of a resumed session counts from its first run (s13b).",
        (
            "A run that was aborted by SIGTERM may print `result` with exitCode 0: `abort` "
            "tells (s25, s26 of 1.0.12 to 1.0.83)."
        ),
        "Every option stands before `-p`: 1.0.83 refuses a flag behind the prompt.",
        "A call is told up to three times, by one id; deltas repeat what comes whole.",
        (
            "Tokens are told in `assistant.message.data.outputTokens` up to 1.0.30, and "
            "nowhere from 1.0.83 on."
        ),
    ),
)
