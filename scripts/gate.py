# SPDX-License-Identifier: Apache-2.0
"""Refuse captures that carry somebody's paths, names or keys.

Prints `file:line: rule` for each finding, never the value: a log must not repeat a secret.
"""

from __future__ import annotations

import argparse
import getpass
import gzip
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
GUARDED = ("corpus", "tests/fixtures", "src/agentframes/_demo")

# Names that stand in captures as plain words (an account `dev`, a host `sandbox`, a `runner`
# that runs tests) cannot be told from the machine's. A machine of such a name goes unguarded.
GENERIC = frozenset(
    re.findall(
        r"\w+",
        "admin agent app build builder ci claude codex container copilot debian default dev "
        "developer docker gemini github gitlab host local localdomain localhost main node opencode "
        "project root runner sandbox server test tester ubuntu user work worker workspace",
    )
)
# Two letters between delimiters come up by chance in the base64 of an image.
SHORTEST_NAME = 3

# What JSON, terminals and URLs put in place of a character. `"ls\n/home/…"` has a letter before
# the slash only in its raw form, so each line is read a second time with these resolved.
DISGUISE = re.compile(
    r"(?:\\u001[bB]|\x1b)\[[0-9;?]*[A-Za-z]|\\+u(?P<code>[0-9A-Fa-f]{4})|%(?P<byte>[2-7][0-9A-Fa-f])"
    r"|\\+[bfnrt]|\\+(?P<slash>/)"
)

# Windows separators are doubled by each JSON they were written into.
BACKSLASH = r"(?:\\+|/)"
NAME = r"[A-Za-z0-9_][\w.+-]*"
# Not inside a longer path or word: `docs/home/intro` is nobody's home.
BEFORE = r"(?<![\w.~-])"
# Keys are not preceded by a letter or a digit: `task-…` is no `sk-…`.
ALONE = r"(?<![A-Za-z0-9])"


class Rule(NamedTuple):
    """A name to report, what is refused, and what of it is allowed."""

    name: str
    refused: re.Pattern[str]
    allowed: re.Pattern[str] | None = None


class Finding(NamedTuple):
    """Where something is that must not be there; deliberately without the value."""

    path: Path
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}"


PLACEHOLDER = re.compile(
    r"dummy|example|placeholder|redacted|your[-_]|fake|x{8}|\*{4}|\.{3}|…", re.IGNORECASE
)
# Reserved domains (RFC 2606, RFC 6761), senders that are nobody, and the user of git over ssh.
NOBODY = re.compile(
    r"(?:@|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$"
    r"|^no-?reply@|@users\.noreply\.github\.com$|^git@",
    re.IGNORECASE,
)


def key(name: str, pattern: str) -> Rule:
    """Make a rule for a key-like string, which a placeholder may look like."""
    return Rule(name, re.compile(ALONE + pattern), PLACEHOLDER)


FIXED = (
    Rule(
        "home-linux",
        re.compile(f"{BEFORE}(?:/(?:var|export|usr))?/home/{NAME}"),
    ),
    Rule(
        "home-macos",
        re.compile(f"{BEFORE}(?:/mnt)?(?:/[a-z])?/Users/{NAME}"),
    ),
    Rule("work-folder", re.compile("agentframes-capture-")),
    Rule("home-root", re.compile(rf"{BEFORE}(?:/var)?/root(?![\w-])")),
    Rule(
        "home-windows",
        re.compile(rf"{ALONE}[A-Z]:{BACKSLASH}Users{BACKSLASH}{NAME}", re.IGNORECASE),
    ),
    # Claude names a project's folder after its path, with dashes for separators.
    Rule("home-dashed", re.compile(r"[/\\]-(?:(?:home|Users)-\w|root(?![A-Za-z0-9_]))")),
    key("key-anthropic", r"sk-ant-[A-Za-z0-9_-]{8,}"),
    key("key-sk", r"sk-(?!ant-)[A-Za-z0-9_-]{16,}"),
    key("key-github", r"(?:gh[opsru]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    key("key-google", r"AIza[A-Za-z0-9_-]{30,}"),
    key("key-aws", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    key("key-slack", r"xox[a-z]-[A-Za-z0-9-]{10,}"),
    key("key-npm", r"npm_[A-Za-z0-9]{30,}"),
    key("key-huggingface", r"hf_[A-Za-z0-9]{20,}"),
    # With a digit: "Bearer authentication" is a sentence.
    key("bearer-token", r"[Bb]earer\s+(?=\S*\d)[A-Za-z0-9._~+/=-]{12,}"),
    Rule("private-key", re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY")),
    Rule(
        "e-mail",
        re.compile(r"(?<![\w.+%-])[\w.+%-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b"),
        NOBODY,
    ),
)


def word_rule(name: str, word: str) -> Iterator[Rule]:
    """Make a rule for this machine's name or user, unless it is too common to tell."""
    if len(word) >= SHORTEST_NAME and word.lower() not in GENERIC:
        pattern = rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"
        yield Rule(name, re.compile(pattern, re.IGNORECASE))


def rules(host: str, user: str, checkout: Path) -> list[Rule]:
    """Give the fixed rules and those of this machine."""
    found = list(FIXED)
    for name in dict.fromkeys((host, host.split(".", maxsplit=1)[0])):
        found += word_rule("host-name", name)
    found += word_rule("user-name", user)
    parts = [re.escape(part) for part in checkout.parts if part != checkout.anchor]
    path = ("/" if checkout.anchor == "/" else BACKSLASH).join(parts)
    if len(parts) > 1:  # a folder at the root (`/app`) is no trace of anybody
        found.append(Rule("checkout-path", re.compile(rf"{path}(?![\w-])")))
    return found


def this_machine() -> list[Rule]:
    """Give the rules for the machine this runs on."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        user = ""
    return rules(socket.gethostname(), user, ROOT)


def text_of(path: Path) -> str | None:
    """Read a file whatever it holds; None where its content is out of sight."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    elif path.suffix in (".zst", ".xz", ".bz2", ".zip", ".br"):
        return None
    return raw.decode("utf-8", errors="replace")


def undisguised(line: str) -> str:
    """Resolve escapes; those that part words become blanks."""

    def plain(match: re.Match[str]) -> str:
        code = match["code"] or match["byte"]
        character = chr(int(code, 16)) if code else match["slash"] or " "
        return character if character.isprintable() else " "

    return DISGUISE.sub(plain, line)


def trips(rule: Rule, line: str) -> bool:
    """Tell whether a line holds what a rule refuses and does not allow."""
    hits = (match.group() for match in rule.refused.finditer(line))
    return any(rule.allowed is None or not rule.allowed.search(hit) for hit in hits)


def scan_file(path: Path, refused: list[Rule]) -> Iterator[Finding]:
    """Give what a file must not hold, one finding a line and rule."""
    text = text_of(path)
    if text is None:
        yield Finding(path, 1, "unreadable")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        # Both forms: resolved, a Windows path to `\\nora` would lose its name.
        readings = {line, undisguised(line)}
        for rule in refused:
            if any(trips(rule, reading) for reading in readings):
                yield Finding(path, number, rule.name)


def scan(paths: list[Path], refused: list[Rule]) -> list[Finding]:
    """Look through files and folders, in a stable order."""
    files: list[Path] = []
    for path in paths:
        below = path.rglob("*") if path.is_dir() else [path]
        files += sorted(file for file in below if file.is_file())
    return [finding for file in files for finding in scan_file(file, refused)]


def main(argv: list[str] | None = None) -> int:
    """Scan the given paths, or all that the project guards."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=" ".join(GUARDED))
    options = parser.parse_args(argv)
    paths = options.paths or [ROOT / name for name in GUARDED if (ROOT / name).exists()]
    missing = [path for path in paths if not path.exists()]
    if missing or not paths:
        print(f"nothing to scan: {', '.join(map(str, missing)) or ROOT}", file=sys.stderr)
        return 2
    findings = scan(paths, this_machine())
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
