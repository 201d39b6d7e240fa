# SPDX-License-Identifier: Apache-2.0
"""Secrets by the names that they are given to: `password = …`, `"api_key": "…"`, `--token …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from agentframes import redaction

Spans: TypeAlias = Iterator[tuple[int, int]]

# Placeholders as the rules' forms make them: no rule finds anything in them.
PLACEHOLDER = re.compile(r"\[[a-z][a-z0-9-]{0,40}-\d{1,9}\]")
_SHOWN = re.compile(
    r"(?:~(?:user\d+)?|/workspace|/opt/(?:cli|tools))(?:[/\\].*)?|(?:user|host)\d+(?:@example\.com)?"
)
# What people write where a key would be; the gate in front of the corpus lets more through.
_DUMMY = r"(?<![a-z0-9])(?:dummy|example|placeholder|redacted|fake|your)(?![a-z0-9])|x{8}"
_DUMMY_KEY = re.compile(_DUMMY, re.IGNORECASE)
_DUMMY_VALUE = re.compile(rf"(?=.*(?:{_DUMMY}))[a-z_ <>-]+|[x*.…•]+", re.IGNORECASE)
_PLAIN = re.compile(redaction.PLAIN_VALUE)
_AMOUNT = re.compile(r"(?:[\d.,_+/%:~-]|(?<=\d)[kKmMbBsx](?![A-Za-z0-9]))+")
_VARIABLE = re.compile(r"[$%]?\{?[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|SECRET|PASSWORD)\}?%?")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)++")
# `TOKEN_URL`, `secret_name`: not what the value is, but where or how.
_ABOUT = re.compile(
    r"(?i)[_-](?:url|uri|file|path|dir|endpoint|name|type|count|limit|budget|usage|source|ttl)s?$"
)
_PATH = re.compile(r"[/~.$%]|[A-Za-z]:")
_WORDS = re.compile(
    r"(?i)(?:an?|and|argument|as|environment|file|flag|for|from|if|in|instead|is|must|name|on|option"
    r"|or|parameter|string|that|to|value|variable|via|when|will|with)[,.;:]?"
)


def is_dummy(key: str) -> bool:
    """Tell what stands in for a key."""
    return _DUMMY_KEY.search(key) is not None


def is_secret(value: str) -> bool:
    """Tell a value that can be a secret from a number, a word for none, a placeholder, a dummy."""
    return not (
        not value.strip()
        or _PLAIN.fullmatch(value)
        or _AMOUNT.fullmatch(value)
        or PLACEHOLDER.match(value)
        or _SHOWN.fullmatch(value)
        or _DUMMY_VALUE.fullmatch(value)
        or _VARIABLE.fullmatch(value)
    )


# What a name that speaks of a secret ends with. A key is one of `_KEYS`, or it may be any.
ENDINGS = (
    "key",
    "secret",
    "token",
    "passwd",
    "password",
    "passphrase",
    "_pass",
    "pwd",
    "credential",
)
_KEYS = re.compile(r"(?:api|access|private|encryption|signing|master|auth)[_-]?$")
_LONGEST_KEY = 11  # characters before `key`
_LONGEST_OPTION = 80

_ASSIGNED = re.compile(
    rf"""(?x)
    (?P<suffix> [_-] [A-Za-z0-9_-]{{0,40}} )? (?P<quote> {redaction.QUOTE} )?
    (?: [ \t]? : [ \t]? [\w.|\[\] ]{{1,40}}? (?= [ \t]? = ) )?   # the type, in Python
    (?P<sign> [ \t]{{0,8}} (?: => | := | [=!]=+ | [=:] ) [ \t]{{0,8}} )
    (?: (?<!\\)" (?= [^,:}}\]\s] ) (?P<literal> (?: [^"\\\n] | \\. ){{3,}}+ )
      | {redaction.QUOTE} (?= [^,:}}\]\s] ) (?P<quoted> [^"'`\\\n]{{3,}}+ )
      | (?P<bare> [^\s"'`\\$,;(){{}}<>\[\]&|]{{4,}}+ ) )
    """
)
_FIELD = re.compile(
    r"\"\s{0,40}(?P<sign>[:,])\s{0,40}\"(?P<secret>(?:[^\"\\\n]|\\.)++)(?:\"|$)", re.MULTILINE
)


def _ends_of_names(text: str) -> list[int]:
    """Return where names that speak of a secret end, in order; looked for one by one, quickly."""
    folded = text.lower()
    if len(folded) != len(text):  # a letter that is two in lower case
        folded = re.sub(r"[A-Z]+", lambda found: found[0].lower(), text)
    ends = set()
    for ending in ENDINGS:
        at = folded.find(ending)
        while at >= 0:
            end = at + len(ending)
            if ending != "key" or _KEYS.search(folded[max(0, at - _LONGEST_KEY) : at]):
                ends.add(end + (folded[end : end + 1] == "s"))
            at = folded.find(ending, end)
    return sorted(ends)


def _behind_names(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    done = 0
    for end in _ends_of_names(text):
        match = pattern.match(text, end) if end >= done else None
        if match:
            done = match.end()
            yield match


def assigned(text: str) -> Spans:
    """Find what is given to a name that speaks of a secret."""
    for match in _behind_names(text, _ASSIGNED):
        group = match.lastgroup or ""
        value = match[group]
        if not is_secret(value) or _ABOUT.search(match["suffix"] or ""):
            continue
        if match.string[match.start() - 3 : match.start()].lower() == "pwd" and _PATH.match(value):
            continue
        if group == "bare" and not _is_bare_secret(match, value):
            continue
        yield match.span(group)


def _is_bare_secret(match: re.Match[str], value: str) -> bool:
    """Without quotes, code and prose are near: `token = self.token`, `secret: this is …`."""
    if '"' in (match["quote"] or "") or "==" in match["sign"]:  # JSON, or a comparison
        return False
    if _ATTRIBUTE.fullmatch(value) or match.string[match.end() : match.end() + 1] in ("(", "["):
        return False
    if match["sign"] in ("=", ":="):
        return _WORDS.fullmatch(value) is None
    return re.fullmatch(r"[A-Za-z_.:/-]+", value) is None


def options(text: str) -> Spans:
    """Find what follows an option that asks for a secret; prose has such options too."""
    for match in re.finditer(redaction.OPTION, text):
        if is_secret(match[2]) and not _WORDS.fullmatch(match[2]):
            yield match.span(2)


def fields(text: str) -> Spans:
    """Find the texts of JSON fields whose names speak of a secret, and of options in an array."""
    for match in _behind_names(text, _FIELD):
        if match["sign"] == ",":
            before = text[max(0, match.start() - _LONGEST_OPTION) : match.start()]
            if not before[before.rfind('"') + 1 :].startswith("--"):
                continue
        if is_secret(match["secret"]):
            yield match.span("secret")
