# SPDX-License-Identifier: Apache-2.0
"""Rules for passwords as programs take them: options of a letter, and files of their own forms."""

from __future__ import annotations

import re

from agentframes import redaction
from agentframes.capturing.rule import behind, named
from agentframes.capturing.secret_names import Spans, is_secret

_LINE = 300  # characters before an option, among which its program stands
# The last program before an option tells whether `-u a:b` is a user with a group or a password.
_PROGRAM = re.compile(
    r"\b(?:(?P<client>curl|wget|https?|xh|svn|ab)|chown|docker|podman|nerdctl|sudo|su|install|rsync)\b"
)
_USER = re.compile(rf"{redaction.USER_OPTION}|(?<![\w-])(-u[^\s:\"'\\-]{{1,64}}:)[^\s\"'\\]{{3,}}+")
_GROUP = re.compile(r"[a-z_-]+")


def _user_options(text: str) -> Spans:
    for match in _USER.finditer(text):
        begin = match.end(1) if match[1] else match.end(2)
        line = text[max(0, match.start() - _LINE) : match.start()].rpartition("\n")[2]
        programs = list(_PROGRAM.finditer(line))
        known_client = bool(programs and programs[-1]["client"])
        value = text[begin : match.end()]
        if programs and not known_client:
            continue
        if not known_client and (match[2] or _GROUP.fullmatch(value)):
            continue
        if is_secret(value):
            yield begin, match.end()


_SAME_COMMAND = r"[^\n|;&\"]{0,200}?"
_QUOTED = r"(?:\\{0,4}['\"])?"
_VALUE = r"[^\s\"'`\\$|;&][^\s\"'`\\|;]{2,}+"
_MYSQL = (
    rf"(\b(?:mysql|mariadb)(?:-?(?:dump|admin|import|sh|check))?\s(?:{_SAME_COMMAND}\s)?-p)"
    rf"(?!thread\b|[\d:]{{1,20}}(?![^\s\"'\\])){_VALUE}"
)
_SSHPASS = rf"(\bsshpass\s{{1,8}}-p\s{{0,8}}{_QUOTED}){_VALUE}"
_COOKIES = (
    rf"(\bcurl\b{_SAME_COMMAND}\s(?:-b|--cookie)[ =]?{_QUOTED})"
    r"(?=[^\s\"'\\=;:/]{1,80}=)[^\n\"'\\]{4,}+"
)
_NETRC = (
    r"(?<![\w-])((?:machine\s{1,20}[\w.:-]{1,200}|default)\s{1,20}(?:login|user)\s{1,20}"
    r"[^\s\"'\\]{1,100}\s{1,20}password\s{1,20})[^\s\"'`\\]{3,}+"
)
_NPMRC = r"(?<![\w-])(_auth(?:Token)?\s{0,4}=\s{0,4}\"?)[\w+/=.-]{6,}+"
_SET = (
    r"(?<![\w-])((?:set\s{1,8}-[a-zA-Z]{1,4}|setenv|setx)\s{1,8}(?:[A-Z0-9]{1,40}_)*"
    rf"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD)\s{{1,8}}{_QUOTED}){_VALUE}"
)
_OPTION = (
    r"(?<![\w-])(--?(?:[a-z0-9]+-){0,4}(?:pass|password|passwd|passphrase)"
    rf"(?:[ =]{_QUOTED}))(?:(?<=[\"'])[^\"'\\\n]{{3,}}+"
    # Of small letters alone it may be a word of prose.
    r"|(?=[^\s\"'`\\$]{0,60}[^a-z\s\"'`\\$])[^\s\"'`\\$-][^\"'`\\\s]{2,}+)"
)
_COPILOT = r"(\btid=)[0-9a-f]{16,}+;exp=[^\s\"'\\]{8,}+"

RULES = (
    named("user-option", "-u --user", _user_options),
    behind("secret-option", "--pass -pass", _OPTION),
    behind("secret-option", "mysql mariadb", _MYSQL),
    behind("secret-option", "sshpass", _SSHPASS),
    behind("secret-option", "setenv setx set", _SET),
    behind("cookie", "curl", _COOKIES),
    behind("secret-value", "password", _NETRC),
    behind("secret-value", "_auth", _NPMRC),
    behind("secret-value", "tid=", _COPILOT),
)
