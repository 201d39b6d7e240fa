# SPDX-License-Identifier: Apache-2.0
"""Claude Code's native output, for the generated pages."""

from __future__ import annotations

from agentframes.engines.contract import NativeContract

CONTRACT = NativeContract(
    title="Claude Code",
    invocation="`claude -p --output-format json`, or `stream-json --verbose`",
    resumed="`claude -p -r SESSION_ID`",
    forms="one object; an array of all frames (`json --verbose`); JSON lines, with or without "
    "partial messages",
    success="`result` with `is_error` not true and `subtype` `success`",
    session_id="`session_id`, on every frame",
    tokens="`usage.input_tokens + usage.output_tokens` of the last `result`; the `cache_*` fields "
    "are never added",
    cost_usd="`total_cost_usd`",
    wall_seconds="`duration_ms / 1000`",
    final_text="`result`, a string, treated as text",
    usage="`model_usage_since_last_result` added over the results where every result has it (scope "
    "run); else the last `modelUsage` (scope run below 2.1.277, else session); without a result "
    "the messages' own `usage`, each message once",
    caveats=(
        ("`subtype` is `success` in a failed run, too: `is_error` decides (1.0.128 to 2.1.332)."),
        (
            "`modelUsage` and `total_cost_usd` go on over resumed sessions since 2.1.277; "
            "`usage` is the main agent's alone."
        ),
        (
            "A message's `output_tokens` is not final from 2.1.50 on: a run that was killed"
            " has no output count."
        ),
        (
            "At the token limit the answer goes on in a second message, and `result` holds "
            "only that one (s23): `final_text` joins them."
        ),
        ("After SIGTERM 2.1.220 prints a `result`, 2.1.332 prints nothing more (s25, s26)."),
        "`system/init` is printed again for each turn of a process (s30).",
        (
            "The `json` object tells no version, nor does 1.0.128: give `cli_version`, or "
            "the scope is session."
        ),
    ),
)
