# SPDX-License-Identifier: Apache-2.0
"""What is known of where a capture was made: folders, users, hosts; and rules that find them."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from agentframes.capturing.rule import Rule, whole
from agentframes.capturing.secret_names import Spans

SHORTEST_NAME = 3  # characters; two come up by chance in the base64 of an image

# Names that stand in captures as plain words, and words that frames are made of: a user or host of
# such a name cannot be told from them, and is left.
GENERIC = frozenset(
    re.findall(
        r"\w+",
        "admin administrator agent app bot build builder ci cloud container debian default demo "
        "dev developer docker fedora git github gitlab guest home host ip6 linux local "
        "localdomain localhost mac machine macbook macos main me name node nobody pod pro "
        "project public remote root runner sandbox server service system test tester ubuntu "
        "user username users vagrant vm web windows work worker workspace www claude codex "
        "copilot gemini opencode anthropic openai google microsoft opus sonnet haiku gpt flash "
        "mini nano max turbo assistant message result text tool tools model session subagent "
        "bash shell read write edit grep glob task search fetch error success status content "
        "delta type role index stream stdout stderr input output item turn step event usage "
        "tokens cost true false null none",
    )
)
_OURS = re.compile(r"(?:user|host)\d*")
# Values and names that readers tell frames apart by: no user's name in them is one.
_FRAME_WORDS = re.compile(
    r"(?i)(?:^|_)(?:id|uuid|type|subtype|role|status|model|kind|reason)$|(?:Id|ID)s?$"
)
_NAME_BEFORE = re.compile(r"\"([\w.-]{1,40})\"\s{0,8}:\s{0,8}\"[^\"\\\s]*$")
_LOOK_BACK = 300  # characters, for the name of the field that a word stands in

FOLDERS = {
    "~": "home directory",
    "/workspace/project": "project directory",
    "/opt/cli": "install directory",
    "/opt/tools": "helper directory",
}
_BACKSLASH = r"(?:\\{1,8}|/)"
# Not inside a longer path or word, but behind an option (`-I/home/…`), `file://`, and the `a` and
# `b` of a diff.
_BEFORE = r"(?:(?<![\w.~-])|(?<=file://)|(?<=[\s\"'=(]-[A-Z])|(?<=\b[ab]))"
# A component ends here; a full stop may be that of a sentence.
_AFTER = r"(?![\w-]|\.\w)"


class Known(NamedTuple):
    """Real folders with the placeholders for them, and names of users and hosts.

    Folders are absolute paths of any system. Where one is a link, give what it leads to, too.
    """

    paths: Mapping[str, str] = MappingProxyType({})
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def this_machine() -> Known:
    """Return the home, the user and the names of the machine this runs on."""
    home = os.path.expanduser("~")
    homes = {path: "~" for path in (home, os.path.realpath(home)) if os.path.isabs(path)}
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        user = ""
    host = socket.gethostname()
    return Known(homes, (user,), (host, socket.getfqdn(host)))


def rules(known: Known) -> list[Rule]:
    """Make rules for what is known.

    Raises:
        ValueError: a path is not absolute, or a placeholder cannot stand in JSON as it is.
    """
    found = [rule for path, shown in known.paths.items() for rule in _path_rules(path, shown)]
    users = {name.lower() for name in known.users}
    hosts = {name.lower().rstrip(".") for name in known.hosts}
    hosts |= {name.split(".", 1)[0] for name in hosts if not name.replace(".", "").isdigit()}
    found += _word_rules("user-name", users, "user")
    found += _word_rules("host-name", hosts, "host")
    return found


def _path_rules(path: str, shown: str) -> Iterator[Rule]:
    if re.search(r"[^\x20-\x7e]|[\"\\{}]", shown):
        raise ValueError(f"a placeholder of plain characters is needed, not {shown!r}")
    drive = re.match(r"([A-Za-z]):[\\/]", path)
    if not drive and not path.startswith("/"):
        raise ValueError(f"an absolute path is needed for {shown!r}")
    parts = [part for part in re.split(r"[\\/]" if drive else "/", path) if part]
    if len(parts) < 1 + bool(drive):  # the root of all
        return
    name = FOLDERS.get(shown, "path")
    if drive:
        letter = drive[1]
        middle = _BACKSLASH.join(map(re.escape, parts[1:]))
        begin = rf"(?:(?<![A-Za-z0-9]){letter}:{_BACKSLASH}|{_BEFORE}(?:/mnt)?/{letter}/)"
        pattern = rf"(?i){begin}{middle}{_AFTER}"
    else:
        pattern = _BEFORE + "/" + "/".join(map(re.escape, parts)) + _AFTER
    hint = parts[-1].lower() if drive else f"/{'/'.join(parts)}".lower()
    yield Rule(name, (hint,), whole(pattern), shown, name, lambda _: shown)
    dashed = re.sub(r"[^A-Za-z0-9]", "-", path.rstrip("/\\"))
    # One word behind a dash is an option, unless it is a folder's name.
    before = r"(?<![\w-])" if len(parts) > 1 else r"(?<=[/\\])"
    dashes = re.sub(r"[^A-Za-z0-9]", "-", shown)
    find = whole(rf"(?i){before}{re.escape(dashed)}(?![A-Za-z0-9])")
    yield Rule(f"{name} (dashed)", (dashed.lower(),), find, dashes, name, lambda _: dashes)


def _word_rules(name: str, words: Iterable[str], form: str) -> Iterator[Rule]:
    kept = sorted(word for word in words if is_telling(word))
    if kept:
        either = "|".join(_word(word) for word in sorted(kept, key=len, reverse=True))
        pattern = re.compile(rf"(?i)(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])")

        def find(text: str) -> Spans:
            for match in pattern.finditer(text):
                if not _is_frame_word(text, *match.span()):
                    yield match.span()

        yield Rule(name, tuple(kept), find, form + "{}", form, _first_label)


def is_telling(name: str) -> bool:
    """Tell a name of a user or host that can be looked for from one that is a common word."""
    return (
        len(name) >= SHORTEST_NAME
        and name not in GENERIC
        and not _OURS.fullmatch(name)
        and not name.isdigit()
    )


def _word(name: str) -> str:
    """A name that is hexadecimal may not stand beside a dash: it is a part of a UUID there."""
    escaped = re.escape(name)
    return rf"(?<!-){escaped}(?!-)" if re.fullmatch(r"[0-9a-f]+", name) else escaped


def _first_label(name: str) -> str:
    return name.lower().split(".", 1)[0]


def _is_frame_word(text: str, start: int, end: int) -> bool:
    """Tell whether a word stands in a field that frames are told apart by, or in a field's name."""
    before = text[max(0, start - _LOOK_BACK) : start]
    field = _NAME_BEFORE.search(before)
    if field:
        return _FRAME_WORDS.search(field[1]) is not None
    quote = re.search(r"\"[\w.:-]*$", before)
    behind = re.compile(r"[\w.:-]*\"\s*:").match(text, end)
    # The name alone is data; inside another word, as of a model, it is none.
    if quote is None or behind is None:
        return False
    return len(quote[0]) > 1 or text[end] != '"'
