# SPDX-License-Identifier: Apache-2.0
"""Rules for e-mail addresses, users in URLs, and whose home a path is in."""

from __future__ import annotations

import re
from itertools import chain

from agentframes import redaction
from agentframes.capturing.rule import Rule
from agentframes.capturing.secret_names import Spans, is_secret

_LONGEST_USER = 300  # characters of a name with a password in a URL

# User info ends at the last @ of it: a password may have one.
URL_USER = re.compile(
    r"(?<=://)(?:[^\s/?#:@\"'`\\<>]{0,100}:(?P<password>[^\s/?#\"'`\\<>]{1,200})"
    r"|(?=[\w.%~-]{0,100}[0-9])[\w.%~-]{16,100})(?=@)"
)
# Reserved domains (RFC 2606, RFC 6761), senders that are nobody, and the user of git over ssh.
_NOBODY = re.compile(
    r"(?i)(?:@|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$"
    r"|^no-?reply@|@users\.noreply\.github\.com$|^git@"
)
# `icon@2x.png`, `lodash@4.17.21.tgz`, `getty@tty1.service`: no domain ends so.
_NO_DOMAIN = re.compile(
    r"(?i)\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|[cm]?js|tsx?|jsx|json|tgz|gz|bz2|xz|whl|deb|rpm"
    r"|txt|html?|ya?ml|toml|lock|log|service|socket|timer|mount|target|slice|device)$"
)


def url_users(text: str) -> Spans:
    """Find users with a password in URLs, and tokens in the user's place."""
    for match in URL_USER.finditer(text):
        if is_secret(match["password"] or match.group()):
            yield match.span()


def _mails(text: str) -> Spans:
    for match in re.finditer(redaction.MAIL, text):
        if _NOBODY.search(match.group()) or _NO_DOMAIN.search(match.group()):
            continue
        scheme = text.rfind("://", max(0, match.start() - _LONGEST_USER), match.start())
        user = URL_USER.match(text, scheme + 3) if scheme >= 0 else None
        if user is None or user.end() <= match.start():
            yield match.span()


_NAME = r"[^\s/\\\"'`:;,<>|*?()\[\]{}$&#=%]{1,64}"
_SLASH = r"(?:\\{1,8}|/)"
# Where else homes are: in Cygwin, in WSL and on servers as Windows sees them, on other disks, in
# URLs that are none of the web; and `~petra`.
_HOMES = re.compile(redaction.HOMES)
_MORE_HOMES = re.compile(
    rf"""(?x)
    / (?<! [\w.~-]/ ) (?: cygdrive/[a-z]/Users/ | Volumes/[^/\n\"\\]{{1,40}}/Users/
      | (?:data|nfs|net|export|storage|mnt/[\w.-]{{1,40}})/home/ ) {_NAME}
    """
)
_UNC_HOMES = re.compile(
    rf"""(?x)
    \\{{2}} (?<! [\w:\\]\\\\ ) \\{{0,14}} (?:
      (?: wsl\$ | wsl\.localhost ) \\{{1,8}} [^\s\\/\"]{{1,40}} \\{{1,8}} home
      | [\w.-]{{1,60}} \\{{1,8}} (?i:Users) ) \\{{1,8}} {_NAME}
    """
)
_OPTIONS_HOMES = re.compile(r"(?<=[\s\"'=(]-[A-Z])/(?:home|Users)/[\w.+@-]{1,64}")
_IN_URL = re.compile(
    rf"://(?<=(?:sftp|mote|.ssh|.smb)://)[^\s/\"'\\]{{1,100}}(/(?:home|Users)/{_NAME})"
)
# Behind a command: `at ~effect/x` is a module of a bundle, and so on.
_TILDE = re.compile(r"~(?!user\d)[a-z_][a-z0-9_-]{2,31}(?=/|\s|$)")
_COMMAND = re.compile(
    r"\b(?:cat|cd|cp|find|grep|head|less|ls|mkdir|mv|rm|source|tail|touch|vim?)\s(?:-\w{1,9}\s)?$"
)
_LONGEST_COMMAND = 20  # characters
# Pages of a site, which has one at `/home`, and rows of a table.
_NO_HOME = re.compile(
    r"(?i)/(?:\d+|about|account|contact|dashboard|details|feed|help|index|list|login|logout|news"
    r"|notifications|overview|page|profile|search|settings|welcome)(?:\.[a-z]{2,4})?"
)


def _homes(text: str) -> Spans:
    """Find homes; a full stop behind one is that of a sentence."""
    patterns = [_HOMES, _MORE_HOMES]
    patterns += [_OPTIONS_HOMES] if "/home/" in text or "/Users/" in text else []
    patterns += [_UNC_HOMES] if "\\\\" in text else []
    for match in chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        home = match.group().rstrip(".!")
        if not _NO_HOME.fullmatch(home, max(home.rfind("/"), 0)):
            yield match.start(), match.start() + len(home)
    for match in _IN_URL.finditer(text) if "://" in text else ():
        yield match.span(1)
    for match in _TILDE.finditer(text) if "~" in text else ():
        if _COMMAND.search(text, max(0, match.start() - _LONGEST_COMMAND), match.start()):
            yield match.span()


def owner(home: str) -> str:
    """Return the last component of a path, or who is behind a tilde."""
    return re.split(r"[/\\]", home)[-1].lstrip("~").lower()


def dashed_owner(home: str) -> str:
    """Return the last word of the dashed form of a path."""
    return home.rsplit("-", 1)[-1].lower()


_DASHED = re.compile(rf"{redaction.DASHED}|(?<![\w-])[A-Z]--Users-[A-Za-z0-9_]{{1,64}}")


def _dashed_homes(text: str) -> Spans:
    return (match.span() for match in _DASHED.finditer(text))


PEOPLE = (
    Rule("e-mail", ("@",), _mails, "user{}@example.com", "e-mail", str.lower),
    Rule("home", ("home", "users", "/root", "~"), _homes, "~user{}", "user", owner),
    Rule(
        "dashed-home",
        ("-home-", "-users-", "-root"),
        _dashed_homes,
        "-user{}",
        "user",
        dashed_owner,
    ),
)
