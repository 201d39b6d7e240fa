# SPDX-License-Identifier: Apache-2.0
"""Codex's native output, for the generated pages."""

from __future__ import annotations

from agentframes.engines.contract import NativeContract

CONTRACT = NativeContract(
    title="Codex",
    invocation="`codex exec --json -`, prompt on stdin",
    resumed="`codex exec --json resume THREAD_ID -`",
    forms='JSON lines; up to 0.42 the legacy `{"id","msg"}` lines',
    success="the last turn ended in `turn.completed`",
    session_id="`thread.started.thread_id`; the legacy lines tell none",
    tokens="`turn.completed.usage.input_tokens + output_tokens`; `cached_input_tokens` is inside",
    cost_usd=None,
    wall_seconds=None,
    final_text="the last `item.completed` with `item.type` `agent_message`: `item.text`",
    usage="the last `turn.completed.usage` (scope thread): cached and written tokens are inside "
    "its input, reasoning inside its output; sub-agents are excluded",
    caveats=(
        (
            "Totals are the thread's from 0.146.0 on; a resumed run of 0.45.0 and older "
            "counts itself alone (s13b)."
        ),
        "A top-level `error` is never terminal: retries are told by it (s10).",
        (
            "An `error` item is a warning; a `reasoning` item may echo the answer's JSON "
            "and is never the answer."
        ),
        ("After SIGTERM the output just stops, and the launcher exits 0 up to 0.146.0 (s25, s26)."),
        (
            "The legacy lines have no terminal frame: a run that is over looks like one "
            "that was killed, and is told as incomplete."
        ),
        "`web_search` items hold the key `id` twice (s31).",
    ),
)
