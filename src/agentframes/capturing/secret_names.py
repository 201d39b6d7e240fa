# SPDX-License-Identifier: Apache-2.0
"""Secrets by the names that they are given to: `password = …`, `"api_key": "…"`, `--token …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
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
_DIGITS = re.compile(r"\d{4,}")
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


def is_password(value: str) -> bool:
    """Tell a password of digits alone, which under another name is an amount."""
    return _DIGITS.fullmatch(value) is not None


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
      | \\{{0,4}}' (?P<joined> [^"'\\\n]* (?: '\\{{1,8}}'' [^"'\\\n]* )++ )   # `'it'\''s'`
      | (?P<open> {redaction.QUOTE} ) (?= [^,:}}\]\s] ) (?P<quoted> [^"'`\\\n]{{3,}}+ )
      | (?P<bare> [^\s"'`\\$,;(){{}}<>\[\]&|] [^\s"'`\\,;(){{}}<>\[\]&|]{{3,}}+ ) )
    """
)
# In an environment's variable all signs are the value's but quotes, and what ends a command.
_VARIABLES = re.compile(
    r"(?<=[A-Z])(?P<suffix>_[A-Z0-9_]{0,40})?="
    r"(?P<variable>[^\s\"'`\\$,;(){}<>\[\]&|=~][^\s\"'`\\<>]{3,}+)"
)
_CODE = re.compile(
    r"(?:[A-Za-z_]|\.|::|->)++[(\[].*|(?:config|env|os|process|self|settings|this)\..*"
)
_COMMAND = re.compile(r"[a-z_-]++(?:$|[\s./].*)")  # behind a backtick
# What a lexer calls a token: `Unexpected token: 'const'`.
_LEXERS = re.compile(r"[a-z_]{1,20}|[A-Z_]{1,20}|[A-Z]?[a-z]{1,15}")
_LEXERS_NAME = re.compile(r"(?<![a-z0-9_-])tokens?$")
PASSWORDS = re.compile(r"(?:passwd|password|passphrase|_pass|(?<![a-z])pwd)$")
_LONGEST_NAME = 12  # characters of an ending, and one before it
_FIELD = re.compile(
    r"\"\s{0,40}(?P<sign>[:,])\s{0,40}\"(?P<secret>(?:[^\"\\\n]|\\.)++)(?:\"|$)", re.MULTILINE
)


@lru_cache(maxsize=1)  # several rules ask for those of one text
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


def behind_names(text: str, *patterns: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield what one of the patterns matches behind names that speak of a secret."""
    done = 0
    for end in _ends_of_names(text):
        if end < done:
            continue
        for pattern in patterns:
            if match := pattern.match(text, end):
                done = match.end()
                yield match
                break


def name_before(match: re.Match[str]) -> str:
    """Return the end of the name that a match stands behind, in lower case."""
    return match.string[max(0, match.start() - _LONGEST_NAME) : match.start()].lower()


def _given(match: re.Match[str], value: str) -> bool:
    """Tell a secret by its name, and by itself."""
    name = name_before(match)
    if PASSWORDS.search(name):
        return is_secret(value) or is_password(value)
    if _LEXERS.fullmatch(value) and _LEXERS_NAME.search(name):
        return False
    return is_secret(value)


def assigned(text: str) -> Spans:
    """Find what is given to a name that speaks of a secret."""
    for match in behind_names(text, _VARIABLES, _ASSIGNED):
        group = match.lastgroup or ""
        value = match[group]
        if group == "variable":
            value = _closed(value)
        if _ABOUT.search(match["suffix"] or "") or not _given(match, value):
            continue
        if match.string[match.start() - 3 : match.start()].lower() == "pwd" and _PATH.match(value):
            continue
        if group == "variable" and not _is_variables_secret(value):
            continue
        if group == "bare" and not _is_bare_secret(match, value):
            continue
        if group == "quoted" and _is_command(match, value):
            continue
        yield match.start(group), match.start(group) + len(value)


def _is_command(match: re.Match[str], value: str) -> bool:
    """Tell what a shell puts in its place: of prose, a backtick has a colon before it."""
    behind_backtick = match["open"][-1] == "`" and ":" not in match["sign"]
    return behind_backtick and _COMMAND.fullmatch(value) is not None


def _closed(value: str) -> str:
    """Leave out what ends the command that the variable is set in, or what that stands in."""
    spare = {close: value.count(close) - value.count(begin) for begin, close in ("()", "[]", "{}")}
    end = len(value)
    while end and (value[end - 1] in ",;&|" or spare.get(value[end - 1], 0) > 0):
        spare[value[end - 1]] = spare.get(value[end - 1], 0) - 1
        end -= 1
    return value[:end]


def _is_variables_secret(value: str) -> bool:
    if _CODE.fullmatch(value) or _WORDS.fullmatch(value):
        return False
    return re.search(r"\d", value) is not None or not _ATTRIBUTE.fullmatch(value)


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
        if is_secret(match[2]) and not _WORDS.fullmatch(match[2]) and match[2] != "TOKEN":
            yield match.span(2)


def fields(text: str) -> Spans:
    """Find the texts of JSON fields whose names speak of a secret, and of options in an array."""
    for match in behind_names(text, _FIELD):
        if match["sign"] == ",":
            before = text[max(0, match.start() - _LONGEST_OPTION) : match.start()]
            if not before[before.rfind('"') + 1 :].startswith("--"):
                continue
        if _given(match, match["secret"]):
            yield match.span("secret")
