# SPDX-License-Identifier: Apache-2.0
"""The gate in front of recorded output: real captures pass, every planted secret is refused.

Planted values are put together at run time, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import gate

ROOT = Path(gate.ROOT)
HOST, USER, CHECKOUT = "buildbox7.corp.lan", "marlow", Path("/srv/checkouts/marlow/agentframes")
RULES = gate.rules(HOST, USER, CHECKOUT)

PLANTED = [
    ("work-folder", "a/srv/agentframes-" + "capture-x1y2z3ab/project/notes.txt"),
    ("home-linux", "cwd is /home/" + "alice/src"),
    ("home-linux", r'{"cwd":"\/home\/' + 'alice"}'),
    ("home-linux", "/var/home/" + "alice"),
    ("home-linux", "file:%2F%2F%2Fhome%2F" + "alice"),
    ("home-linux", r'{"output":"total 4\n/home/' + 'alice"}'),
    ("home-linux", r'{"output":"\u001b[32m/home/' + r'alice\u001b[0m"}'),
    ("home-macos", '{"cwd":"/Users/' + 'alice/src"}'),
    ("home-macos", "/mnt/c/Users/" + "alice"),
    ("home-root", '{"path":"/root' + '/.config"}'),
    ("home-root", "HOME=/root" + " "),
    ("home-windows", "C:\\Users\\" + "alice\\src"),
    ("home-windows", '{"cwd":"C:\\\\Users\\\\' + 'alice"}'),
    ("home-windows", '{"text":"{\\"cwd\\":\\"C:\\\\\\\\Users\\\\\\\\' + 'alice\\"}"}'),
    ("home-windows", "d:/users/" + "alice"),
    ("home-windows", '{"cwd":"C:\\\\Users\\\\' + 'nora"}'),
    ("home-dashed", "~/.claude/projects/-home-" + "alice-src/memory"),
    ("home-dashed", "~/.claude/projects/-root" + "/memory"),
    ("host-name", '{"host":"buildbox7"}'),
    ("host-name", '{"host":"BUILDBOX7.corp.lan"}'),
    ("user-name", '{"user":"marlow"}'),
    ("user-name", "drwxr-xr-x 2 marlow_staff"),
    ("checkout-path", '{"cwd":"/srv/checkouts/marlow/agentframes/src"}'),
    ("key-anthropic", "sk-" + "ant-api03-" + "aB3" * 8),
    ("key-sk", "sk-" + "proj-" + "aB3" * 8),
    ("key-sk", r'{"output":"key:\nsk-' + "aB3" * 8 + '"}'),
    ("key-github", "ghp" + "_" + "aB3" * 12),
    ("key-github", "gho" + "_" + "aB3" * 12),
    ("key-github", "github" + "_pat_" + "aB3_" * 12),
    ("key-google", "AI" + "za" + "aB3-_" * 7),
    ("key-aws", "AK" + "IA" + "Q7Z2" * 4),
    ("key-slack", "xo" + "xb-" + "123456789012-abc"),
    ("key-npm", "npm" + "_" + "aB3" * 12),
    ("key-huggingface", "hf" + "_" + "aB3" * 11),
    ("bearer-token", "Authorization: Bearer" + " " + "aB3." * 8),
    ("private-key", "-----BEGIN RSA" + " PRIVATE KEY-----"),
    ("private-key", '{"k":"-----BEGIN' + ' PRIVATE KEY-----\\nMIIE"}'),
    ("e-mail", '{"author":"alice.liddell' + '@wonder.land.org"}'),
]

HARMLESS = [
    "~/.claude/projects/-workspace-project/memory/",
    "/workspace/project and /opt/cli and /tmp/claude-0/-workspace-project",
    "https://docs.example.com/home/page and docs/home/intro",
    "the root of the tree, chroot/rootfs, a-root",
    "sk-ant-dummy-dummy-dummy, Bearer dummy, Bearer authentication, task-0123456789abcdef01",
    "dev@example.com, noreply@anthropic.com, git@github.com, a@b.test",
    "npm_config_registry, claude-code@2.1.220, @scope/pkg@1.0.0, hf_token",
    "marlowe and submarlow",
]


def corpus_copy(tmp_path: Path) -> Path:
    """Copy one real capture, the first there is."""
    source = min((ROOT / "corpus").glob("*/*/*/capture.toml")).parent
    return Path(shutil.copytree(source, tmp_path / "corpus" / source.name))


def test_the_guarded_folders_are_clean() -> None:
    """Nothing that the project ships of recorded output trips the gate on this machine."""
    folders = [ROOT / name for name in gate.GUARDED if (ROOT / name).exists()]
    assert folders, "the corpus is gone"
    assert gate.scan(folders, gate.this_machine()) == []


@pytest.mark.parametrize(("rule", "text"), PLANTED)
def test_a_planted_secret_turns_the_gate_red(tmp_path: Path, rule: str, text: str) -> None:
    """One secret appended to a real capture is found under its rule and on its line."""
    capture = corpus_copy(tmp_path)
    stdout = next(capture.glob("stdout.json*"))
    line = stdout.read_bytes().count(b"\n") + 1
    with stdout.open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    found = gate.scan([tmp_path], RULES)
    assert (stdout, line, rule) in found
    assert {finding.line for finding in found} == {line}


def test_every_rule_has_a_planted_secret() -> None:
    """A rule without a case here would be a rule that nobody has seen turn red."""
    assert {rule.name for rule in RULES} == {rule for rule, _ in PLANTED}


@pytest.mark.parametrize("text", HARMLESS)
def test_look_alikes_pass(tmp_path: Path, text: str) -> None:
    """Placeholders, sandbox paths and words that merely contain a pattern are let through."""
    path = tmp_path / "stdout.jsonl"
    path.write_text(text + "\n", "utf-8")
    assert gate.scan([path], RULES) == []


def test_generic_names_are_not_searched() -> None:
    """A host or user whose name is a plain word would refuse half of all captures."""
    names = {rule.name for rule in gate.rules("sandbox", "root", Path("/app"))}
    assert names == {rule.name for rule in gate.FIXED}


def test_compressed_captures_are_looked_into(tmp_path: Path) -> None:
    """A secret in a gzip file is found; a form that cannot be opened is refused as such."""
    secret = "ghp" + "_" + "aB3" * 12
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(secret.encode()))
    (tmp_path / "b.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    found = [(finding.path.name, finding.rule) for finding in gate.scan([tmp_path], RULES)]
    assert found == [("a.jsonl.gz", "key-github"), ("b.jsonl.zst", "unreadable")]


def test_the_command_names_the_place_and_not_the_value(tmp_path: Path) -> None:
    """The program prints file, line and rule, exits 1, and does not repeat the secret."""
    secret = "hf" + "_" + "aB3" * 11
    path = tmp_path / "stderr.txt"
    path.write_text(f"fine\n{secret}\n", "utf-8")
    command = [sys.executable, str(ROOT / "scripts" / "gate.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == f"{path}:2: key-huggingface\n"
    assert secret not in done.stderr


def test_the_command_exits_2_where_there_is_nothing(tmp_path: Path) -> None:
    """A misspelt path is an error, not a clean result."""
    command = [sys.executable, str(ROOT / "scripts" / "gate.py"), str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
