# SPDX-License-Identifier: Apache-2.0
"""What each recorded scenario shows, in words: the notes and claims of a `capture.toml`.

A claim is a sentence that the raw lines of that capture bear out. Scenarios are keyed by
their number (`s04`), because the rest of a folder name tells the variant.
"""

from __future__ import annotations

from typing import TypeAlias

Claims: TypeAlias = dict[str, list[str]]

VARIANTS = {
    "json": "single-document mode",
    "json-verbose": "single-document mode with all frames",
    "experimental-json": "flag --experimental-json",
    "partial": "with partial messages",
    "codemode": "a model whose shell access is a JavaScript exec tool",
    "readonly": "read-only sandbox",
    "unknown-model": "a model name the tool has no metadata for",
    "default-model": "no model flag",
    "thinking": "extra thinking flag",
    "no-ripgrep": "no rg in PATH",
    "native": "the platform binary started directly",
    "stream-anthropic": "provider with the Anthropic wire form",
    "stream-responses": "provider with the Responses wire form",
    "too-short": "a session that is too short to compact",
    "slow-reader": "a reader of stdout that pauses",
    "no-result": "a sub-agent that never reports",
    "not-found": "the session to resume does not exist",
    "child": "the signal meant for the platform binary below the launcher",
    "group": "the signal meant for launcher and platform binary",
}

# Claims that hold for every engine that was asked.
COMMON: Claims = {
    "s01": ["a plain text answer in one model step"],
    "s02": ["unicode, newlines, a fenced json block and U+2028 in the answer"],
    "s03": ["one shell call that succeeds, then an answer"],
    "s04": ["three shell calls in one model turn, one exits 3"],
    "s05": ["one file is changed and one is created"],
    "s06": ["reasoning before and after one shell call"],
    "s07": ["a todo or plan tool is used"],
    "s08": ["the model server answers 500 until the CLI gives up"],
    "s09": ["the model server answers 401 until the CLI gives up"],
    "s10": ["429 twice, then success: retries on the way are no failure"],
    "s12": ["MCP calls: one succeeds, one fails, one has a structured result"],
    "s13a": ["the first run of a session that is resumed later"],
    "s13b": ["a second run, resuming the session of s13a under the same id"],
    "s16": ["four model steps"],
    "s17": ["a sub-agent does part of the work"],
    "s18": ["structured output was asked for with a schema"],
    "s20": ["an image and a blob come back from tools"],
    "s21": ["the turn limit of 2 ends the run"],
    "s22": ["both calls are refused for want of permission, the run still succeeds"],
    "s23": ["the first model call runs into its token limit"],
    "s24": ["the model refuses"],
    "s25": ["SIGTERM while the model streams its answer"],
    "s26": ["SIGTERM while a shell command of 30 s runs"],
    "s27": ["the model answers with nothing"],
    "s29a": ["the first run of a session that is compacted later"],
    "s29": ["/compact as the prompt of a resumed session"],
    "s29c": ["one more run of the session that was compacted, under the same id"],
    "s30": ["a second user message after the first result, in one process"],
    "s31": ["a web search that the provider does"],
    "s32": ["a call of a tool that does not exist prints nothing"],
    "s35": ["a patch that does not fit prints nothing"],
    "s36": ["a shell command runs into its time limit"],
}

CLAUDE: Claims = {
    "s04": ["three assistant frames share one message id"],
    "s08": ["subtype success with is_error true"],
    "s09": ["subtype success with is_error true and api_error_status 401"],
    "s16": ["each step has its own usage, the result's usage is their sum"],
    "s17": ["modelUsage includes the sub-agent, usage does not"],
    "s18": ["structured_output holds the answer and result repeats it as text"],
    "s21": ["error_max_turns has errors and no result text"],
    "s22": ["permission_denials lists both calls"],
    "s23": ["the result holds the second half of the answer only"],
    "s27": ["the result is the empty text, no assistant frame is printed"],
    "s29": ["the result's own usage is zero"],
    "s30": [
        "system/init comes again with the same session id",
        "modelUsage and total_cost_usd go on counting, usage is the last turn's",
        "the user messages are not printed",
    ],
}

CODEX: Claims = {
    "s04": ["each call prints its started and completed line as a pair"],
    "s08": ["five error frames about retries come before the final error and turn.failed"],
    "s09": ["five error frames about retries come before the final error and turn.failed"],
    "s10": ["error frames are not final"],
    "s16": ["one turn.completed gives the usage of all four steps"],
    "s17": ["usage does not include the sub-agent"],
    "s18": ["the structured answer arrives as JSON text in an agent_message"],
    "s22": ["a refused call prints no item; stderr names the rejected patch"],
    "s23": ["an error frame stands between the halves, usage counts the second call only"],
    "s25": ["nothing of the answer is printed, the turn has no end"],
    "s26": ["the shell call is started and not completed, the turn has no end"],
    "s27": ["turn.completed without an agent_message"],
    "s31": ["the web_search item has its key id twice"],
}

# `codex exec --json` before the item lines; its frames have no terminal one.
LEGACY: Claims = {
    "s08": ["five lines about retries come before the last one, msg.type error"],
    "s09": ["five lines about retries come before the last one, msg.type error"],
    "s10": ["the retries print nothing"],
    "s13b": ["a second run, resuming the session of s13a; no line names the session"],
    "s22": ["the shell call is answered with Permission denied, its exit code is -1"],
    "s23": ["a line about the retry stands between the halves, usage counts the second call only"],
    "s25": ["nothing of the answer is printed"],
    "s26": ["exec_command_begin without its end"],
    "s27": ["no agent_message"],
}

EXPERIMENTAL: Claims = {
    "s08": ["five error frames about retries come before the last one, which is final"],
    "s12": ["the answer speaks of MCP calls, no item tells of them"],
}

COPILOT: Claims = {
    "s08": ["session.error comes before the result frame, which says exitCode 1"],
    "s09": ["session.error comes before the result frame, which says exitCode 1"],
    "s13b": ["sessionDurationMs counts from the first run"],
    "s17": ["the sub-agent's frames stand between the main agent's"],
    "s18": ["no flag for a schema: the JSON answer is plain text"],
    "s22": ["each refused call has error.code denied"],
    "s23": ["the answer comes in two halves, as two messages where both are told in full"],
    "s24b": ["session.error says that no response was returned"],
    "s24c": ["the text so far is the answer, exitCode 0"],
    "s32": ["the call of a tool that does not exist has success false, error.code failure"],
}

GEMINI: Claims = {
    "s06": ["one shell call, the reasoning is not printed"],
    "s08": ["error in the result, all stats are zero"],
    "s09": ["error in the result, all stats are zero"],
    "s10": ["the retries print nothing"],
    "s16": ["the stats count all four steps"],
    "s17": ["the sub-agent's steps are not printed, the stats count them"],
    "s18": ["no flag for a schema: the JSON answer is plain text"],
    "s20": ["no data of an image or a blob is printed"],
    "s21": ["error type FatalTurnLimitedError, duration_ms is 0"],
    "s22": ["both calls meet tools that are not registered, the run still succeeds"],
    "s23": ["the text so far is the answer, the result is a success"],
    "s24c": ["the model stops for safety after some text, the result is a success"],
    "s25": ["pieces of the answer, no result frame"],
    "s26": ["the tool_use frame has no tool_result, no result frame"],
    "s32": ["the call is printed, its tool_result frame has error type tool_not_registered"],
}

OPENCODE: Claims = {
    "s06": ["one shell call, the reasoning is not printed"],
    "s08": ["one error frame and nothing else"],
    "s09": ["one error frame and nothing else"],
    "s10": ["the retries print nothing"],
    "s16": ["each step_finish has the usage of its own step"],
    "s17": ["the sub-agent's steps are not printed, its session id stands with the task call"],
    "s18": ["no flag for a schema: the JSON answer is plain text"],
    "s20": ["images are attachments of the tool's state, the blob is left out"],
    "s22": [
        "the first call meets a tool that is not offered: tool invalid, status completed",
        "the refused permission ends the run, its last frame is a step_finish with tool-calls",
    ],
    "s24": ["the one step ends with content-filter and has no text"],
    "s24b": ["the one step ends with stop and has no text"],
    "s24c": ["a text, a step_finish with content-filter, then an error frame"],
    "s32": ["the call of a tool that does not exist: tool invalid, status completed"],
}

TABLES = {
    "claude": CLAUDE,
    "codex": CODEX,
    "copilot": COPILOT,
    "gemini": GEMINI,
    "opencode": OPENCODE,
}

# Where the form of the output, the engine or its version makes a common claim untrue.
REPLACED: dict[str, tuple[str, ...]] = {
    "legacy": ("s13b", "s22"),
    "experimental": ("s12",),
    "copilot": ("s18", "s32"),
    "copilot 1.0.12": ("s06",),
    "copilot 1.0.30": ("s06",),
    "gemini": ("s06", "s18", "s22", "s32"),
    "gemini 0.15.4": ("s03", "s04"),
    "gemini 0.47.0": ("s12",),
    "gemini 0.51.0": ("s12",),
    "gemini 0.61.0": ("s12",),
    "opencode": ("s06", "s18", "s22", "s32"),
    "opencode 1.0.185": ("s12",),
}

# Where the version or the variant makes the difference.
SPECIAL: dict[tuple[str, str, str], list[str]] = {
    ("claude", "1.0.128", "s08"): ["no api_error_status: the code stands in the result text only"],
    ("claude", "2.1.220", "s13b"): ["modelUsage and total_cost_usd count this run only"],
    ("claude", "2.1.220", "s24"): [
        "stop_reason refusal and is_error true with subtype success",
        "the only assistant frame is synthetic",
    ],
    ("claude", "1.0.128", "s25"): ["nothing of the answer is printed, no result frame"],
    ("claude", "1.0.128", "s26"): ["the tool call has no result, no result frame"],
    ("claude", "2.1.220", "s25"): [
        "the assistant frame is marked aborted, a user frame tells of the interruption",
        "error_during_execution with an empty modelUsage and a usage of zero",
    ],
    ("claude", "2.1.220", "s26"): [
        "the tool_result frame says that the user rejected the call",
        "error_during_execution with the account of the one model call",
    ],
    ("claude", "2.1.220", "s29c"): ["modelUsage and total_cost_usd count this run only"],
    ("claude", "2.1.332", "s13b"): [
        "modelUsage and total_cost_usd count the session, model_usage_since_last_result this run"
    ],
    ("claude", "2.1.332", "s22"): ["system/permission_denied names each refused call"],
    ("claude", "2.1.332", "s23"): ["an isSynthetic user frame asks the model to go on"],
    ("claude", "2.1.332", "s24"): [
        "safety_stops is 1: the CLI asks once more by itself, the run succeeds",
        "the refused message has no frame",
    ],
    ("claude", "2.1.332", "s25"): ["the run ends without a result frame"],
    ("claude", "2.1.332", "s26"): [
        "the tool_result frame says exit code 137",
        "the run ends without a result frame",
    ],
    ("claude", "2.1.332", "s29c"): [
        "modelUsage and total_cost_usd count the session, model_usage_since_last_result this run"
    ],
    ("claude", "2.1.332", "s30"): ["model_usage_since_last_result counts each turn by itself"],
    ("copilot", "1.0.12", "s06"): ["one shell call, the reasoning is not printed"],
    ("copilot", "1.0.12", "s10"): ["the retries print nothing"],
    ("copilot", "1.0.30", "s06"): ["one shell call, the reasoning is not printed"],
    **{
        ("copilot", version, "s24"): ["the one message is empty, exitCode 0"]
        for version in ("1.0.12", "1.0.30")
    },
    **{
        ("copilot", version, "s24"): ["the CLI's own words on the filter are the one message"]
        for version in ("1.0.83", "1.0.102")
    },
    **{
        ("copilot", version, "s27"): ["the one message is empty, exitCode 0"]
        for version in ("1.0.12", "1.0.30")
    },
    **{
        ("copilot", version, "s27"): ["session.error says that no response was returned"]
        for version in ("1.0.83", "1.0.102")
    },
    ("copilot", "1.0.83", "s10"): ["model.call_failure frames are not final"],
    ("copilot", "1.0.102", "s10"): ["model.call_failure frames are not final"],
    ("gemini", "0.15.4", "s03"): ["the shell call is refused: it could not be parsed safely"],
    ("gemini", "0.15.4", "s04"): ["three shell calls in one model turn, all are refused"],
    ("gemini", "0.15.4", "s06"): ["the shell call is refused: it could not be parsed safely"],
    ("gemini", "0.15.4", "s16"): ["each shell call is refused: it could not be parsed safely"],
    **{
        ("gemini", version, "s12"): [
            "MCP calls by their tool_result frames: two fail, one for a bare number as result",
            "one tool_result frame of an MCP call has a structured result",
        ]
        for version in ("0.47.0", "0.51.0", "0.61.0")
    },
    **{
        ("gemini", version, "s24"): ["the CLI asks again by itself, the second answer is printed"]
        for version in ("0.15.4", "0.24.5", "0.38.2", "0.61.0")
    },
    **{
        ("gemini", version, "s24"): ["an error frame, then a result frame with status error"]
        for version in ("0.47.0", "0.51.0")
    },
    **{
        ("gemini", version, "s27"): ["the result is a success"]
        for version in ("0.15.4", "0.24.5", "0.38.2")
    },
    **{
        ("gemini", version, "s27"): [
            "an error frame, then a result frame with status error and no error of its own",
        ]
        for version in ("0.47.0", "0.51.0", "0.61.0")
    },
    ("opencode", "1.0.185", "s12"): [
        "MCP calls: each is told as completed, the one that fails too"
    ],
    ("opencode", "1.0.185", "s22"): [
        "the first call meets a tool that is not offered: tool invalid, status completed",
        "a menu on stdout asks for leave for the second call, no frame tells of it",
    ],
    ("opencode", "1.2.27", "s22"): ["the call's error is the name of the refusal, no sentence"],
    ("opencode", "1.18.33", "s24"): ["an error frame says that the provider's filter blocked it"],
    ("codex", "0.20.0", "s22"): ["the patch is tried and fails: success false"],
    ("codex", "0.20.0", "s31"): ["no line tells of the search"],
    ("codex", "0.20.0", "s36"): ["exit_code is -1, what was printed until then is lost"],
    ("codex", "0.42.0", "s22"): ["the refused patch prints nothing"],
    ("codex", "0.42.0", "s31"): ["web_search_begin and web_search_end share a call_id"],
    ("codex", "0.42.0", "s36"): ["exit_code is 124, what was printed until then is kept"],
    ("codex", "0.44.0", "s13b"): ["usage counts this run only"],
    ("codex", "0.45.0", "s13b"): ["usage counts this run only"],
    ("codex", "0.146.0", "s07"): ["todo_list is started, updated and completed after the answer"],
    ("codex", "0.146.0", "s13b"): ["usage is cumulative over the thread"],
    ("codex", "0.171.0", "s13b"): ["usage is cumulative over the thread"],
    ("codex", "0.171.0", "s23"): ["max_output_tokens ends the turn: turn.failed"],
}

# Where SPECIAL says what the engine's own table would get wrong.
SPECIAL_ALONE = {("codex", "0.171.0", "s23"), ("opencode", "1.0.185", "s22")}
# Where the run ended before its first full frame.
EVENTS_ALONE = {("claude", "2.1.332", "s25")}
