# SPDX-License-Identifier: Apache-2.0
"""Which words stand in a capture's `capture.toml`: its notes, and the claims of `capture_words`."""

from __future__ import annotations

from typing import Any

from scripts.capture_words import (
    COMMON,
    EVENTS_ALONE,
    EXPERIMENTAL,
    LEGACY,
    REPLACED,
    SPECIAL,
    SPECIAL_ALONE,
    TABLES,
    VARIANTS,
)


def split(scenario: str) -> tuple[str, list[str]]:
    """Part a folder name into the scenario number and its variants."""
    name, *variants = scenario.split("--")
    return name.split("-")[0], variants


def notes(scenario: str, meta: dict[str, Any]) -> str:
    """Say how the run was set up, so that its numbers are not taken for a provider's."""
    number, variants = split(scenario)
    parts = ["real CLI against a scripted model server on loopback, no network"]
    if "json" in variants:
        parts.append("scenario: " + ", ".join(COMMON.get(number, [])))
    parts += [VARIANTS.get(variant, f"variant {variant}") for variant in variants]
    changed = meta.get("git_status_after") or []
    if changed:
        parts.append("files afterwards: " + ", ".join(line.strip() for line in changed))
    return "; ".join(parts)


def claims(
    engine: str, version: str, scenario: str, transport: str, meta: dict[str, Any]
) -> list[str]:
    """List what the capture supports, the exit status included."""
    number, variants = split(scenario)
    special = (engine, version, number)
    if "experimental-json" in variants:
        form, own = "experimental", EXPERIMENTAL
    elif transport == "legacy":
        form, own = "legacy", LEGACY
    else:
        form, own = "", TABLES[engine]
    replaced = [
        *REPLACED.get(form, ()),
        *REPLACED.get(engine, ()),
        *REPLACED.get(f"{engine} {version}", ()),
    ]
    found = [] if special in SPECIAL_ALONE else list(own.get(number, []))
    found += SPECIAL.get(special, [])
    alone = instead(engine, number, variants, meta)
    if alone is not None:
        found = alone
    elif "json" in variants:
        # The one document shows the result and no step: what happened on the way is a note.
        found = [claim for claim in found if "frame" not in claim and "each step" not in claim]
        found.insert(0, "one JSON document, the account of the whole run")
    elif number not in replaced:
        found = [*COMMON.get(number, []), *found]
    return [*found, *of_form(form, variants, special), *ending(meta)]


def instead(
    engine: str, number: str, variants: list[str], meta: dict[str, Any]
) -> list[str] | None:
    """List what a capture supports that is unlike all others of its scenario."""
    if not meta["stdout_bytes"]:
        return ["nothing was printed"]
    if "json" in variants:
        return None
    if meta.get("non_json_lines") == meta["stdout_lines"]:
        return ["text lines and no frame"]
    if "not-found" in variants and engine == "copilot":
        return ["no session has the id that was to be resumed, so one begins under it"]
    if "too-short" in variants:
        return ["compact_result is failed, a synthetic assistant frame says why"]
    if number in ("s25", "s26") and not meta.get("killed"):
        return ["the run ended by itself, before the SIGTERM that was meant for it"]
    if (engine, number) == ("opencode", "s06") and "thinking" in variants:
        return COMMON[number]
    return None


def of_form(form: str, variants: list[str], special: tuple[str, str, str]) -> list[str]:
    """List what the form of the output shows in every scenario."""
    found = []
    if form == "legacy":
        found.append("settings and prompt come first, in a line each; no terminal frame")
    if form == "experimental":
        found.append("no turn lines, so no terminal frame and no usage")
    if "json-verbose" in variants:
        found.append("one JSON array with all frames")
    if special[0] == "gemini" and "default-model" in variants:
        found.append("another model is asked first which one to take, the stats name both")
    if "unknown-model" in variants:
        found.append("an error item is a warning, it comes before turn.started")
    if "partial" in variants:
        found.append(
            "stream events and no assistant frame"
            if special in EVENTS_ALONE
            else "stream events stand beside the full assistant frames"
        )
    return found


def ending(meta: dict[str, Any]) -> list[str]:
    """Say how the process ended, and who made it."""
    code = meta["exit_code"]
    found = ["ended by a signal" if code is None else f"exit status {code}"]
    if str((meta.get("killed") or {}).get("why")).startswith("rig time limit"):
        found.append("the CLI did not end by itself, the recorder's SIGTERM ended it")
    if meta["cli"] in ("copilot", "opencode") and "only (launcher" in str(
        meta.get("signal_target")
    ):
        found.append("the signal went to the launcher alone, the CLI went on to its end")
    return found
