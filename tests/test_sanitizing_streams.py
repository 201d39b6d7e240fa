# SPDX-License-Identifier: Apache-2.0
"""Text that is printed in pieces: each finds its own stream, and only that."""

from __future__ import annotations

import json

import pytest

from agentframes.capturing import deltas, holding
from agentframes.capturing import sanitizer as sanitizer_module
from tests.captured import capture
from tests.planted import DELTAS, Delta, joined, printed
from tests.sanitized import check, dump, sanitize

each_delta = pytest.mark.parametrize("delta", DELTAS, ids=[one.name for one in DELTAS])


class TestStreams:
    """Pieces find their own stream, and only that."""

    SECRET = "sk-ant-" + "api03-" + "aB3dE5gH7" * 4

    def test_interleaved(self) -> None:
        """Sub-agents that speak at the same time do not come between each other's pieces."""
        halves = self.SECRET[:20], self.SECRET[20:]
        lines = []
        for half in halves:
            for agent in ("toolu_1", "toolu_2"):
                frame = json.loads(DELTAS[0].line)
                frame["parent_tool_use_id"] = agent
                frame["event"]["delta"]["text"] = f"{half}"
                lines.append(dump(frame))
        out = check(self.SECRET, lines, "anthropic-key")
        texts = [json.loads(line)["event"]["delta"]["text"] for line in out.splitlines()]
        assert texts == ["[anthropic-key-1]", "[anthropic-key-1]", "", ""]

    def test_a_new_text_is_not_the_rest_of_a_secret(self) -> None:
        """What the next message begins with is not taken for the end of the last one's key."""
        between = dump({"type": "tool_use", "tool_name": "x", "tool_id": "x_1"})
        one, other = printed(DELTAS[2], [f"key {self.SECRET}", "Then I rest."])
        out = check(self.SECRET, [one, between, other], "anthropic-key").splitlines()
        assert json.loads(out[2])["content"] == "Then I rest."

    def test_a_secret_goes_on_behind_another_line(self) -> None:
        """A line that comes between two pieces, and seems to end the text, hides nothing."""
        between = dump({"type": "error", "severity": "warning", "message": "slow"})
        one, other = printed(DELTAS[2], [f"key {self.SECRET[:9]}", f"{self.SECRET[9:]} end"])
        out = check(self.SECRET, [one, between, other], "anthropic-key").splitlines()
        texts = [json.loads(line)["content"] for line in (out[0], out[2])]
        assert texts == ["key [anthropic-key-1]", " end"]

    def test_a_placeholder_at_the_begin_of_a_line(self) -> None:
        """It looks like an array's begin, and is text: the lines around it are no neighbours."""
        lines = [b'"api_key":\n', f"{self.SECRET}/\n".encode(), b'"b":1\n']
        check(self.SECRET, lines, "anthropic-key")

    def test_snapshots(self) -> None:
        """Where each line repeats the one before and adds to it, each is looked at by itself."""
        line = next(
            line
            for line in capture("copilot/1.0.102/s03-shell").split(b"\n")
            if b"partial_result" in line
        )
        delta = Delta("", line, ("data", "partialOutput"))
        whole = f"out\nkey {self.SECRET}\nend\n"
        pieces = [whole[:4], whole[:12], whole[:30], whole, whole]
        out = check(self.SECRET, printed(delta, pieces), "anthropic-key")
        hidden = whole.replace(self.SECRET, "[anthropic-key-1]")
        texts = [json.loads(one)["data"]["partialOutput"] for one in out.splitlines()]
        assert texts == ["out\n", *[hidden.removesuffix("\nend\n")] * 2, hidden, hidden]

    @each_delta
    def test_long_streams(self, delta: Delta, monkeypatch: pytest.MonkeyPatch) -> None:
        """A secret at the place where lines are let go is found, however much was printed."""
        monkeypatch.setattr(deltas, "REACH", 500)
        for module in (holding, sanitizer_module):
            monkeypatch.setattr(module, "HELD", 6_000)
        pieces: list[str] = []
        for number in range(500):
            pieces += [f"lorem ipsum {number} ", self.SECRET[:17], self.SECRET[17:], " dolor "]
        out, report = sanitize(*printed(delta, pieces))
        assert report.found == {"anthropic-key": 500}
        expected = "".join(
            f"lorem ipsum {number} [anthropic-key-1] dolor " for number in range(500)
        )
        assert joined(delta, out.splitlines()) == expected
