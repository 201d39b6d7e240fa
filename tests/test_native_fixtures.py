# SPDX-License-Identifier: Apache-2.0
"""The named fixtures of the native contract: built from captures, holding its values.

The package is not asked here: the values are looked up at the contract's own paths.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import Any

import pytest

from tests.captured import FIXTURES, NATIVE, ROOT, fixture, frames

RECIPES: list[dict[str, Any]] = tomllib.loads((NATIVE / "fixtures.toml").read_text("utf-8"))[
    "fixture"
]


def test_fixtures_are_what_the_recipe_builds() -> None:
    """The committed bytes are made of the base captures, not typed."""
    done = subprocess.run(
        [sys.executable, "scripts/build_native_fixtures.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


def test_every_fixture_has_its_recipe() -> None:
    """No fixture stands there without saying that it is synthetic and what it is made of."""
    assert [path.name for path in FIXTURES.values()] == [recipe["name"] for recipe in RECIPES]
    assert {True} == {recipe["synthetic"] for recipe in RECIPES}
    bases = [(ROOT / "corpus" / base).is_dir() for recipe in RECIPES for base in recipe["base"]]
    assert [True, True, True] == bases[:3]  # of claude and codex


def test_claude_fixture_holds_the_contract() -> None:
    """One envelope, with cache tokens that must not be added."""
    [envelope] = frames(fixture("claude"))
    usage = envelope["usage"]
    assert (10, 147) == (usage["input_tokens"], usage["output_tokens"])
    assert (301, 0) == (usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"])
    assert 0.008567100000000001 == envelope["total_cost_usd"]
    assert 2907 == envelope["duration_ms"]
    assert "b16a3c25-918e-4b9f-a7b0-a38b2aa485df" == envelope["session_id"]
    assert '{"ok":true}' == envelope["result"]


def test_codex_fixture_holds_the_contract() -> None:
    """An error item, reasoning that echoes JSON, and one answer."""
    found = frames(fixture("codex"))
    items = [frame["item"] for frame in found if "item" in frame]
    assert ["error", "reasoning", "agent_message"] == [item["type"] for item in items]
    assert '```json\n{"ok":true}\n```' in items[1]["text"]
    assert "ok" == items[2]["text"]
    assert "01a12b0c-dc30-73a1-92d0-962cef0acd45" == found[0]["thread_id"]
    usage = found[-1]["usage"]
    assert "turn.completed" == found[-1]["type"]
    assert (19636, 25, 512) == (
        usage["input_tokens"], usage["output_tokens"], usage["cached_input_tokens"],
    )  # fmt: skip


def test_opencode_fixture_holds_the_contract() -> None:
    """Three events; the total is more than input and output, the cost is a real zero."""
    found = frames(fixture("opencode"))
    assert ["step_start", "text", "step_finish"] == [frame["type"] for frame in found]
    assert {"ses_ed4eaccdbffef47D85FxXY0hU3"} == {frame["sessionID"] for frame in found}
    assert 717 == found[2]["timestamp"] - found[0]["timestamp"]
    assert "ok" == found[1]["part"]["text"]
    tokens = found[2]["part"]["tokens"]
    assert 28887 == tokens["total"]
    assert 28887 == sum((
        tokens["input"], tokens["output"], tokens["reasoning"], *tokens["cache"].values(),
    ))  # fmt: skip
    assert 0 == found[2]["part"]["cost"]


def test_copilot_fixture_holds_the_contract() -> None:
    """A huge ephemeral line first, the answer after the model's call, the result last."""
    found = frames(fixture("copilot"))
    kinds = [frame["type"] for frame in found]
    assert ("session.skills_loaded", True) == (kinds[0], found[0]["ephemeral"])
    assert 58_000 <= len(fixture("copilot").split(b"\n")[0]) < 59_000
    assert kinds.index("model.call_finished") < kinds.index("assistant.message")
    [answer] = [frame for frame in found if frame["type"] == "assistant.message"]
    assert ("ok", False) == (answer["data"]["content"], answer.get("ephemeral", False))
    result = found[-1]
    assert "19155765-1b22-4d6e-82b3-3276bff805d8" == result["sessionId"]
    assert 79965 == result["usage"]["sessionDurationMs"]
    assert 1 == result["usage"]["premiumRequests"]


@pytest.mark.parametrize("engine", FIXTURES)
def test_fixture_ends_its_lines_as_the_cli_does(engine: str) -> None:
    """Every line ends with one line feed, the last one too."""
    printed = fixture(engine)
    assert printed.endswith(b"}\n")
    assert b"\r" not in printed
    assert printed.count(b"\n") == len(frames(printed))
