# SPDX-License-Identifier: Apache-2.0
"""What the CLIs say where nobody is logged in, each run once without account and network."""

from __future__ import annotations

import re

import pytest

from agentframes import engines

SAID = {
    # 1.0.128, 2.1.332: the result; 1.0.102, 0.61.0: on stderr.
    "claude": ("Invalid API key · Please run /login", "Not logged in · Please run /login"),
    "copilot": ("Error: No authentication information found.",),
    "gemini": (
        "Please set an Auth method in your ~/.gemini/settings.json or specify one of the following",
    ),
}


@pytest.mark.parametrize("engine", SAID)
def test_its_words_are_known(engine: str) -> None:
    """By them `run` tells how to log in."""
    pattern = engines.installation(engine).logged_out
    assert pattern is not None
    assert all(re.search(pattern, words) for words in SAID[engine])
    assert not re.search(pattern, "The login page was fixed.")


def test_those_that_say_nothing() -> None:
    """Codex 0.171.0 and opencode 1.18.33 ask the network for a minute and more."""
    silent = set(engines.names()) - set(SAID)
    assert {"codex", "opencode"} == silent
    assert {None} == {engines.installation(engine).logged_out for engine in silent}
