# SPDX-License-Identifier: Apache-2.0
"""Secrets that a first set of rules let through, and what it took for one that is none."""

from __future__ import annotations

import base64
import json

import pytest

from agentframes.capturing import sanitizer as sanitizer_module
from agentframes.capturing.sanitizer import Sanitizer
from tests.sanitized import KNOWN, dump, sanitize

KEY = "sk-ant-" + "api03-" + "aB3dE5" * 6
LOGIN = base64.b64encode(b"nora1:pw12345").decode()
HASH = "$apr1$" + "abcdefgh$" + "aB3dE5gH7jK9mN1pQ3sT5v"
_PRIVATE = "RSA PRIVATE" + " KEY-----"
BODY = (
    "MIIEpAIBAAKCAQEA" + "aB3dE5gH" * 6,
    "Qx7" + "kL9mN1pQ" * 7 + "+/abc",
    "Zt5wY8+aB3dE5gH7jK9mN1pQ",
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DB_PASSWORD=hunter2!$up3rS&cret(99)", "DB_PASSWORD=[secret-value-1]"),
        ("export DB_PASSWORD=Tr0ub4dor&3; ls", "export DB_PASSWORD=[secret-value-1]; ls"),
        ("(API_TOKEN=abc123;)", "(API_TOKEN=[secret-value-1];)"),
        ("postgres://joe:p@ssw0rd!@db", "postgres://[url-credentials-1]@db"),
        ("postgres://joe:p@ssw0rd@db.x.io/a@b", "postgres://[url-credentials-1]@db.x.io/a@b"),
        ("PASSWORD=pa$$w0rd99", "PASSWORD=[secret-value-1]"),
        ("PASSWORD='it'\\''s'", "PASSWORD='[secret-value-1]'"),
        ("DISCORD_TOKEN=ab.cd.e1", "DISCORD_TOKEN=[secret-value-1]"),
        ("VAULT_TOKEN=s.aB3dE5gH7", "VAULT_TOKEN=[secret-value-1]"),
        ("PASSWORD=83749283", "PASSWORD=[secret-value-1]"),
        ("password: 83749283", "password: [secret-value-1]"),
        ('{"password":"83749283"}', '{"password":"[secret-field-1]"}'),
        ('{"password": 83749283, "n": 1234}', '{"password": 0, "n": 1234}'),
        ("//r.test/:_auth=bm9yYTpw", "//r.test/:_auth=[secret-value-1]"),
        (f'{{"auth":"{LOGIN}"}}', '{"auth":"[secret-field-1]"}'),
        ("machine x.test login y password swordfish",
         "machine x.test login y password [secret-value-1]"),
        ("tool --pass sw0rdfish", "tool --pass [secret-option-1]"),
        ("tool --password 'sword fish' x", "tool --password '[secret-option-1]' x"),
        ("curl -b 'session=abcdef123456' x", "curl -b '[cookie-1]' x"),
        ("curl -ujoe:swordfish x", "curl -ujoe:[user-option-1] x"),
        ("mysql -u root -pswordfish x", "mysql -u root -p[secret-option-1] x"),
        ("sshpass -p swordfish ssh x", "sshpass -p [secret-option-1] ssh x"),
        ("set -x DB_PASSWORD swordfish", "set -x DB_PASSWORD [secret-option-1]"),
        ('{"name":"DB_PASSWORD","value":"swordfish"}',
         '{"name":"DB_PASSWORD","value":"[secret-field-1]"}'),
        ("- name: DB_PASSWORD\n  value: swordfish",
         "- name: DB_PASSWORD\n  value: [secret-field-1]"),
        ('<add key="Password" value="swordfish"/>',
         '<add key="Password" value="[secret-field-1]"/>'),
        ('{"password":["swordfish", "x1y2z3"]}',
         '{"password":["[secret-field-1]", "[secret-field-2]"]}'),
        ('{"secrets":{"db":"swordfish","n":1}}', '{"secrets":{"db":"[secret-field-1]","n":1}}'),
        ("<password>swordfish</password>", "<password>[secret-field-1]</password>"),
        (f"joe:{HASH}", "joe:[crypt-hash-1]"),
        ("/cygdrive/c/Users/petra/x", "~user1/x"),
        ("\\\\wsl$\\Ubuntu\\home\\petra\\x", "~user1\\x"),
        ("\\\\server\\Users\\petra\\x", "~user1\\x"),
        ("vscode-remote://wsl%2Bubuntu/home/petra/x", "vscode-remote://wsl%2Bubuntu~user1/x"),
        ("projects/C--Users-petra-x", "projects/-user1-x"),
        ("/data/home/petra/x and /Volumes/My Disk/Users/petra", "~user1/x and ~user1"),
        ("ls ~petra/x", "ls ~user1/x"),
    ],
)  # fmt: skip
def test_found(text: str, shown: str) -> None:
    """All of it goes, in a text, in a string, and in JSON that a string holds."""
    assert Sanitizer(KNOWN).text(text) == shown
    for wrapped, expected in ((text, shown), (json.dumps({"a": text}), json.dumps({"a": shown}))):
        out = sanitize(dump({"type": "x", "text": wrapped}))[0]
        assert json.loads(out)["text"] == expected
        assert sanitize(out)[0] == out


@pytest.mark.parametrize(
    "text",
    [
        "SyntaxError: Unexpected token: 'const'", 'if token == "end_of_file":',
        'token = "identifier"', "pwd=`pwd`", "TOKEN=`cat token.txt`",
        "chown -R -u joe:staff x", "docker run -u joe:staff2 x",
        "router.push('/home/settings')", "GET /Users/42", "icon@2x.png", "lodash@4.17.21.tgz",
        "getty@tty1.service", "API_KEY=os.environ.get(x)", "TOKEN=tokens[0]", "MAX_TOKENS=4096",
        '{"token":"identifier","kind":"x"}', '{"auth":"optional"}', "gcc mysql.c -pthread",
        "at ~effect/Effect/x", "docker run mysql -p 3306:3306", '{"name":"model","value":"opus4"}',
        '{"tokens":["Hello","world"]}', "--pass through", "login page password field",
    ],
)  # fmt: skip
def test_look_alikes(text: str) -> None:
    """Code, groups, pages, versions and words are no secrets."""
    assert Sanitizer(KNOWN).text(text) == text


class TestOpaque:
    """Reasoning that is signed: random, unless it can be read."""

    @pytest.mark.parametrize("name", ["signature", "thoughtSignature", "encrypted_content"])
    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            (KEY, "[anthropic-key-1]"),
            ("Best, petra@acme.com", "Best, user1@example.com"),
            (f"Er8B/{KEY}+Q==", f"Er8B/{KEY}+Q=="),
        ],
    )
    def test_values(self, name: str, value: str, shown: str) -> None:
        """A long run of base64 stays; what begins as a key does, and a text, are looked into."""
        out = sanitize(dump({"r": {name: value}}))[0]
        assert json.loads(out) == {"r": {name: shown}}


class TestCutPrivateKeys:
    """A private key without its begin or its end, in lines that have something before them."""

    @pytest.mark.parametrize(
        "form",
        [
            "{}", "{:}\r", "{n:6d}→{}", "{n:6d}\t{}", "{n:05d}| {}", "{n}: {}", "key:{n}:{}",
            "/srv/k/key.pem-{n}-{}", "> {}", "# {}", "+{}", '"{}\\n"', "'{}\\n' +", "| {} |",
            "{}\n",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize(
        "lines",
        [
            ("-----BEGIN " + _PRIVATE, *BODY),
            (*BODY, "-----END " + _PRIVATE),
            ("-----BEGIN " + _PRIVATE, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES,AB12", "", *BODY),
            ("-----BEGIN PGP PRIVATE" + " KEY BLOCK-----", "Version: GnuPG v2", "", *BODY, "=aB3d"),
        ],
    )
    def test_forms(self, form: str, lines: tuple[str, ...]) -> None:
        """No line of it is left, whatever is printed before and behind."""
        form = form.replace("{}", "{0}").replace("{:}", "{0}")
        text = "\n".join(form.format(line, n=number) for number, line in enumerate(lines, 1))
        wrapped = dump({"type": "x", "text": f"the key:\n{text}"})
        for data in (wrapped, dump({"in": wrapped.decode()}), text.encode()):
            out, report = sanitize(*data.splitlines(keepends=True))
            assert [line for line in BODY if line.encode() in out] == []
            assert set(report.found) == {"private-key"}

    def test_what_follows(self) -> None:
        """Prose behind a lone mark, and fields behind the string, stay."""
        mark = "-----BEGIN " + _PRIVATE
        text = f"{mark}\nis how it begins, and aVeryLongIdentifierOfSome kind is not one"
        assert Sanitizer(KNOWN).text(text) == text.replace(mark, "[private-key-1]")
        line = dump(
            {"a": f"{mark}\n{BODY[0]}\n", "someVeryLongFieldName": 1, "b": "toolu_01A09q90qw"}
        )
        assert sanitize(line)[0] == dump(
            {"a": "[private-key-1]\n", "someVeryLongFieldName": 1, "b": "toolu_01A09q90qw"}
        )


class TestNumbersThatAreTaken:
    """A placeholder that was there before is no other value's."""

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("user1@example.com wrote to petra@acme.com",
             "user1@example.com wrote to user2@example.com"),
            ("petra@acme.com, otto@acme.com, user2@example.com",
             "user1@example.com, user3@example.com, user2@example.com"),
            (f"{KEY} and [anthropic-key-1]", "[anthropic-key-2] and [anthropic-key-1]"),
            ("/home/petra, ~user1", "~user2, ~user1"),
        ],
    )  # fmt: skip
    def test_in_a_line(self, text: str, shown: str) -> None:
        """Wherever it stands, before or behind."""
        out = sanitize(dump({"text": text}))[0]
        assert json.loads(out)["text"] == shown
        assert sanitize(out)[0] == out

    def test_far_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Further behind it has to be told beforehand."""
        monkeypatch.setattr(sanitizer_module, "HELD", 100)
        lines = [
            dump({"t": "to petra@acme.com"}),
            *[dump({"t": "x" * 99})] * 9,
            b"user1@example.com\n",
        ]
        sanitizer = Sanitizer(KNOWN)
        sanitizer.expect(b"".join(lines))
        assert json.loads(next(sanitizer.lines(lines)))["t"] == "to user2@example.com"
