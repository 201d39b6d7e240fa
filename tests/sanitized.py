# SPDX-License-Identifier: Apache-2.0
"""What must be true of what the sanitizer gives back, whatever it was given."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from agentframes.capturing.known import Known
from agentframes.capturing.sanitizer import Report, Sanitizer
from scripts import gate
from tests.planted import HOME, HOST, INSTALLED, PROJECT, USER, readings, shape

KNOWN = Known({HOME: "~", PROJECT: "/workspace/project", INSTALLED: "/opt/cli"}, (USER,), (HOST,))
EXAMPLES = settings(
    max_examples=5,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
ONCE = settings(EXAMPLES, max_examples=1)
CUTS = st.lists(st.integers(0, 400), max_size=12)


def sanitize(*lines: bytes, known: Known = KNOWN) -> tuple[bytes, Report]:
    """Sanitize one output of some lines."""
    sanitizer = Sanitizer(known)
    return b"".join(sanitizer.lines(lines)), sanitizer.report


def check(secret: str, lines: Iterable[bytes], *rules: str) -> bytes:
    """Hold what comes out against what must be true of it, wherever the secret was."""
    given_lines = list(lines)
    out, report = sanitize(*given_lines)
    for text in readings(out):
        assert secret.lower() not in text.lower()
    before, after = b"".join(given_lines).split(b"\n"), out.split(b"\n")
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert shape_of(one) == shape_of(other)
    assert sanitize(*(line + b"\n" for line in after))[0].removesuffix(b"\n") == out
    told = msgspec.json.encode(report).decode() + " ".join(report.scrubbed)
    assert not any(secret[at : at + 8] in told for at in range(max(1, len(secret) - 7)))
    assert report.found
    assert set(report.found) <= set(rules)
    text = out.decode("utf-8", "surrogateescape")
    refused = [
        rule.name
        for rule in gate.FIXED
        for reading in (text, gate.undisguised(text))
        if gate.trips(rule, reading)
    ]
    assert refused == []
    return out


def shape_of(line: bytes) -> Any:
    """Return the shape of a line that is JSON."""
    try:
        return shape(json.loads(line))
    except ValueError:
        return None


def dump(value: Any) -> bytes:
    """Write a line as the CLIs do."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
