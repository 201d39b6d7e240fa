# SPDX-License-Identifier: Apache-2.0
"""Rules for secrets that stand further from their name: in lists, in pairs, in tags, as numbers."""

from __future__ import annotations

import base64
import binascii
import re

from agentframes.capturing.rule import NUMBER, Rule, behind, named
from agentframes.capturing.secret_names import (
    PASSWORDS,
    Spans,
    behind_names,
    is_password,
    is_secret,
    name_before,
)

_NAME = (
    r"(?:password|passwd|passphrase|pwd|secret|token|credential|(?:api|access|private)[_-]?key)s?"
)
_VALUE = r"[^\s\"'`\\<>$][^\"'`\\<>\n]{2,}+"
_BARE = r"[^\s\"'`\\<>${}\[\],]{4,}+"
# `{"name": "DB_PASSWORD", "value": "…"}`, in YAML a line each, in XML as attributes.
_NAMED = re.compile(
    rf"(?i)(?<![\w-])(?:name|key)[\"']?\s{{0,8}}[:=]\s{{0,8}}[\"']?[\w.-]{{0,60}}?{_NAME}[\"']?\s{{0,8}}"
    r",?\s{0,40}[\"']?$"
)
_LONGEST_NAMED = 200  # characters
_VALUES = re.compile(
    r"alue(?<![\w-][Vv]alue)(?<=[Vv]alue)[\"']?\s{0,8}[:=][ \t]{0,8}"
    rf"(?:[\"'](?P<quoted>{_VALUE})|(?P<bare>{_BARE}))"
)
_IN_TAG = rf"(?i)(<[\w:.-]{{0,40}}{_NAME}(?:\s[^<>\n]{{0,80}})?>\s{{0,8}}){_VALUE}(?=</)"
_DOCKER = re.compile(r"(\"auth\"\s{0,8}:\s{0,8}\")([A-Za-z0-9+/]{6,2000}={0,2})(?=\")")
# Behind a name that speaks of a secret, without its last letters.
_LIST = re.compile(r"\"\s{0,8}:\s{0,8}\[\s{0,40}(?=\")")
_TABLE = re.compile(r"\"\s{0,8}:\s{0,8}\{\s{0,40}(?=\")")
_NUMBER = re.compile(r"\"\s{0,8}:\s{0,8}(\d{4,40})(?=\s{0,40}[,}\]])")
_OF_LIST = re.compile(r"(?:password|passwd|passphrase|(?<![a-z])secret)s?$")
_OF_TABLE = re.compile(r"(?:(?<![a-z])secrets|passwords)$")
_ITEM = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"\s{0,40}(?:,\s{0,40}(?=\"))?")
_PAIR_OF_TABLE = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"\s{0,8}:\s{0,8}\"((?:[^\"\\\n]|\\.)*+)\"\s{0,40}(?:,\s{0,40}(?=\"))?"
)
_SHORTEST = 3  # characters of one in a list


def _paired(text: str) -> Spans:
    for match in _VALUES.finditer(text):
        value = match["quoted"] or match["bare"]
        before = text[max(0, match.start() - _LONGEST_NAMED) : match.start() - 1]
        if _NAMED.search(before) and (is_secret(value) or is_password(value)):
            yield match.span(match.lastgroup or 0)


def _logins(text: str) -> Spans:
    """Find what docker keeps of a user: name and password, in base64."""
    for match in _DOCKER.finditer(text):
        try:
            told = base64.b64decode(match[2], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if ":" in told and told.isprintable():
            yield match.span(2)


def _gathered(text: str) -> Spans:
    """Find the texts of a list, or of a table, whose name speaks of secrets."""
    for match in behind_names(text, _LIST, _TABLE):
        is_list = match.re is _LIST
        if not (_OF_LIST if is_list else _OF_TABLE).search(name_before(match)):
            continue
        item = _ITEM if is_list else _PAIR_OF_TABLE
        place = match.end()
        while one := item.match(text, place):
            place = one.end()
            if len(one[1]) >= _SHORTEST and is_secret(one[1]):
                yield one.span(1)


def _numbers(text: str) -> Spans:
    for match in behind_names(text, _NUMBER):
        if PASSWORDS.search(name_before(match)):
            yield match.span(1)


RULES = (
    named("secret-field", "alue", _paired),
    behind("secret-field", "</", _IN_TAG),
    named("secret-field", '"auth"', _logins),
    named("secret-field", "passw passphrase secret", _gathered),
    # A number stays one; no other is told from a password.
    Rule(
        "secret-number", ("passw", "passphrase", "_pass", "pwd"), _numbers, NUMBER, "secret-number"
    ),
)
