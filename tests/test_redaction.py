# SPDX-License-Identifier: Apache-2.0
"""What must not be shown around is taken out of texts and of JSON values."""

from __future__ import annotations

import time
from typing import Any

import pytest

from agentframes.redaction import redact, redact_value

LINE = "MIIEpAIBAAKCAQEA0123456789abcdefghijklmnop"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("key [redacted] end", "key sk-ant-api03-abcdefghijk end"),
        ("[redacted]", "sk-proj-0123456789abcdef"),
        ("[redacted]", "ghp_0123456789abcdefABCDEF0123456789abcd"),
        ("[redacted],", "gho_0123456789abcdefABCDEF0123456789abcd,"),
        ("[redacted]", "github_pat_11ABCDEFG0123456789_x"),
        ("id [redacted]", "id AKIAIOSFODNN7EXAMPLE"),
        ("[redacted]", "xoxb-123-456-abc"),
        ("[redacted]", "AIzaSyA-0123456789abcdefghijklmnopqrstu"),
        ("Authorization: Bearer [redacted]", "Authorization: Bearer abc.def-123"),
        ("Authorization: Basic [redacted]", "Authorization: Basic dXNlcjpwYXNz"),
        ("[redacted]", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3"),
        ("https://[redacted]@host/x", "https://joe:pw@host/x"),
        ("export OPENAI_API_KEY=[redacted]", "export OPENAI_API_KEY=abc123def"),
        ('{"api_key": "[redacted]"}', '{"api_key": "hunter2"}'),
        (r"{\"secret\": \"[redacted]\"}", r"{\"secret\": \"hunter2\"}"),
        ("password='[redacted]'", "password='my pass word'"),
        ("--password [redacted] --api-key=[redacted]", "--password hunter2x --api-key=zork99"),
        (r"line\n[redacted]", r"line\nsk-abcdefghijklmnop"),
        ("ask [redacted]!", "ask joe.doe+x@corp.example.com!"),
    ],
)
def test_secrets(shown: str, text: str) -> None:
    """What looks like a key, or is given as one, does not show; what is around it does."""
    assert shown == redact(text)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("~/x and ~/y", "/home/alice/x and /Users/bob/y"),
        (r"~\z", r"C:\Users\carl\z"),
        (r"~\\z", r"c:\\users\\dora\\z"),
        (r"~\doc.txt", r"C:\Users\John Smith\doc.txt"),
        ("~/a", "/root/a"),
        ("file://~/x", "file:///home/alice/x"),
        ("~/.claude/projects/-~-work/a", "/home/alice/.claude/projects/-home-alice-work/a"),
        (r"a\n~/x", r"a\n/home/alice/x"),
    ],
)
def test_homes(shown: str, text: str) -> None:
    """A home of any system is ``~``."""
    assert shown == redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "docs/home/intro and https://x.com/home/page",
        "/rooted, /home and C:\\Users",
        "1,234 tokens: 5; max_tokens=4096",
        "Bearer authentication is a sentence",
        "secret: this is prose",
        "token = tokens[0]; password = get_password(x)",
        "API_KEY=$OTHER_KEY",
        "tokenizer: gpt2-large",
        "git@github.com:a/b.git, pkg@1.2.3",
        "a task-list-with-many-words, sk-short",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    """Prose, code and hashes stay as they are."""
    assert text == redact(text)


BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("a\n[redacted]\nb", f"a\n{BEGIN}\n{LINE}\nab==\n{END}\nb"),
        ("[redacted]\nthen prose", f"{BEGIN}\n{LINE}\n{LINE}\nthen prose"),
        ("tail\n[redacted]", f"tail\n{LINE}\n{LINE}\nab==\n{END}"),
        ("[redacted] [redacted]", f"{BEGIN}x{END} {BEGIN}y{END}"),
    ],
    ids=["whole", "no end", "no begin", "two"],
)
def test_private_keys(shown: str, text: str) -> None:
    """A private key goes whole, and so does what a cut has left of one."""
    assert shown == redact(text)


class TestValues:
    """JSON values, however deep."""

    def test_all_texts(self) -> None:
        """Texts and names are redacted; a text whose name speaks of a secret goes whole."""
        value = {
            "a": [{"api_key": "x", "tokens": 12, "accessToken": "abc", "/home/joe/x": 1}],
            "b": ("sk-abcdefghijklmnopq", None, True, 1.5),
            "password": "",
        }
        assert redact_value(value) == {
            "a": [{"api_key": "[redacted]", "tokens": 12, "accessToken": "[redacted]", "~/x": 1}],
            "b": ["[redacted]", None, True, 1.5],
            "password": "",
        }

    def test_the_value_itself_stays(self) -> None:
        """What was given is not changed."""
        value = {"a": ["/home/joe"]}
        redact_value(value)
        assert {"a": ["/home/joe"]} == value

    def test_depth(self) -> None:
        """A value may be deeper than Python recurses."""
        top: list[Any] = []
        value = top
        for _ in range(20_000):
            value.append([])
            value = value[0]
        value.append("/home/joe")
        redacted = redact_value(top)
        for _ in range(20_000):
            redacted = redacted[0]
        assert ["~"] == redacted


@pytest.mark.parametrize(
    "piece",
    [
        "-eyJ", "sk-", "a@", "a.", "token", 'token="', "token-", "Bearer ", "/home/", "C:\\Users\\",
        "\\", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "://a:", "--token ", "-",
        "authorization", f"{LINE}\n",
    ],
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    """Eight times the text takes about eight times as long, whatever it is made of."""
    text = piece * (8_000 // len(piece))
    redact(text)
    one, eight = (min(_seconds(text * times) for _ in range(2)) for times in (1, 8))
    assert eight < 24 * one + 0.02


def _seconds(text: str) -> float:
    begin = time.process_time()
    redact(text)
    return time.process_time() - begin


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sk-\x1b[01;31m\x1b[Kant-api03\x1b[m\x1b[K-AbCd1234efGH5678 x", "[redacted] x"),
        ("sk-\u202eant-api03-AbCd1234efGH5678", "[redacted]"),
        ("\x1b[32mok\x1b[0m", "\x1b[32mok\x1b[0m"),
        ("aaaa\n… 7 bytes left out …\nEfGH5678AbCd z", "aaaa\n… 7 bytes left out …\n[redacted] z"),
        ("it was AbCd1234efGH…", "it was [redacted]…"),
        ("and so on, interminably…", "and so on, interminably…"),
        ("DB_PASS=hunter2", "DB_PASS=[redacted]"),
        ("curl -u admin:hunter2 x", "curl -u admin:[redacted] x"),
        ("Cookie: session=abc; a=b\nnext", "Cookie: [redacted]\nnext"),
        ("https://hooks.slack.com/services/T00/B00/XyZ123", "https://hooks.slack.com/services/[redacted]"),
        ("https://x.test/a?v=1&sig=AbC%2Bdef123", "https://x.test/a?v=1&sig=[redacted]"),
        ("I will pass= the test", "I will pass= the test"),
    ],
)  # fmt: skip
def test_what_hides_a_key_and_where_one_is_cut(text: str, expected: str) -> None:
    """Colours and marks inside a key, a key at a cut, and secrets by where they stand."""
    assert expected == redact(text)
