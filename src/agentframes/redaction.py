# SPDX-License-Identifier: Apache-2.0
"""What must not be shown around: keys, e-mail addresses, and whose home a path is in.

Rather too much is taken than too little, and time is linear in the text: a run of characters is
entered at its begin only, or within a fixed number of them.
"""

from __future__ import annotations

import re
from typing import Any

REDACTED = "[redacted]"
HOME = "~"

CUT_TAIL = 300  # characters before the end of a text that was cut off
MAX_KEY = 64 * 1024  # characters between the first and the last line of a private key

# `"a\nsk-…"` written as JSON has a letter before the key.
_ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"
_AT_RUN = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]))"
_KEYS = rf"""(?x)
    {_ALONE} (?:
        sk-[A-Za-z0-9_-]{{12,}}                      # Anthropic, OpenAI, and who follows them
      | [rs]k_(?:live|test)_[A-Za-z0-9]{{10,}}       # Stripe
      | gh[opsru]_[A-Za-z0-9]{{16,}} | github_pat_[A-Za-z0-9_]{{16,}}
      | glpat-[A-Za-z0-9_-]{{16,}}
      | (?:AKIA|ASIA)[A-Z0-9]{{12,}}
      | AIza[A-Za-z0-9_-]{{20,}} | ya29\.[A-Za-z0-9_-]{{16,}}
      | xox[a-z]-[A-Za-z0-9-]{{8,}} | xapp-[A-Za-z0-9-]{{8,}}
      | npm_[A-Za-z0-9]{{20,}} | pypi-[A-Za-z0-9_-]{{20,}} | hf_[A-Za-z0-9]{{16,}}
    )
  | {_AT_RUN} eyJ[A-Za-z0-9_-]{{6,}}+\.[A-Za-z0-9_-]{{6,}}+(?:\.[A-Za-z0-9_-]*+)?   # a JWT
"""
# With a digit, or long: "Bearer authentication" is a sentence.
BEARER = r"(?i)\b(Bearer\s{1,4})(?=[A-Za-z._~+/=-]{0,80}[0-9]|[A-Za-z._~+/=-]{20})[\w.~+/=-]{8,}+"
_AUTHORIZATION = (
    r"(?i)\b((?:proxy-)?authorization\\{0,4}[\"']?\s{0,4}[:=]\s{0,4}\\{0,4}[\"']?(?:Basic|Token)\s{1,4})"
    r"[\w.~+/=-]{6,}+"
)
_COOKIE = r"(?i)\b((?:set-)?cookie\\{0,4}[\"']?\s{0,4}:\s{0,4}\\{0,4}[\"']?)[^\s\"'\\][^\n\"'\\]*+"
USER_OPTION = r"(?<![\w-])((?:-u|--user)[ =]\s{0,4}[\"']?[^\s:\"']{1,64}:)[^\s\"'\\]{3,}+"
_QUERY = r"(?i)([?&](?:sig|signature|token|key|code|auth)=)[^\s&\"'\\]{6,}+"
_HOOK = r"(?<=hooks\.slack\.com/services/)[\w/-]{8,}+"
_URL_USER = r"(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,100}@"
NAMES = (
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase"
    r"|(?<=_)pass"
    r"|credential)s?"
)
QUOTE = r"\\{0,4}[\"'`]"
_ASSIGNED = rf"""(?ix)
    ( {NAMES} (?: [_-][A-Za-z0-9_-]{{0,40}} )? (?: {QUOTE} )?
      (?P<sign> [ \t]{{0,8}} (?: => | := | [=:] ) [ \t]{{0,8}} | (?<=-) [ \t] ) )
    (?: (?P<open> {QUOTE} ) (?P<quoted> [^"'`\\\n]{{3,}}+ )
      | (?P<bare> [^\s"'`\\$,;(){{}}<>\[\]&|]{{4,}}+ ) (?! [(\[] ) )
"""
OPTION = rf"(?i)(?<![\w-])(--(?:[a-z0-9]+-){{0,4}}{NAMES}[ \t])([^\s\"'`\\$-][^\s\"'`\\]{{3,}}+)"
PLAIN_VALUE = r"(?i)[\d.,_+-]+|null|none|true|false|undefined|str|string|number|bytes|optional"
PROSE = r"[A-Za-z-]{1,12}"
_SAYS_SECRET = rf"(?i)(?:^|[_-]|(?<=[a-z])){NAMES}$"

MAIL = r"(?<![\w.+%-])[\w.+%-]++@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}\b"
_NOBODY = r"git@"  # of git over ssh

# Not inside a longer path or word: `docs/home/intro` is nobody's home.
_BEFORE = r"(?:(?<![\w.~-])|(?<=\\[bfnrt])|(?<=file://))"
_NAME = r"[^\s/\\\"'`:;,<>|*?()\[\]{}$&#=%]{1,64}"
_BACKSLASH = r"(?:\\{1,8}|/)"
HOMES = rf"""(?x)
    {_BEFORE} (?: (?: /var | /export | /usr )? /home/ {_NAME}
      | (?: /System/Volumes/Data | (?: /mnt )? /[a-z] )? /Users/ {_NAME}
      | (?: /var )? /root (?! [\w-] ) )
  | (?<![A-Za-z0-9]) [A-Za-z]: {_BACKSLASH} (?i: Users ) {_BACKSLASH}
    {_NAME} (?: (?: [ ] {_NAME} ){{1,3}} (?= {_BACKSLASH} ) )?
"""
# Claude names a project's folder after its path, with dashes for separators.
DASHED = r"(?<=[/\\])-(?:(?:home|Users)-[A-Za-z0-9_]{1,64}|root(?![A-Za-z0-9_]))"

_PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_LINE, _PEM_LAST = r"[ \t]*[A-Za-z0-9+/=]{16,}\s*", r"[A-Za-z0-9+/=\s]*"
_PEM_LINES = r"(?:[\s\\]{0,40}+[A-Za-z0-9+/=]{16,}+)*+"


# What is not seen, and may stand inside a key: colours (`grep --color`), marks of no width.
HIDDEN = (
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])"
    r"|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
# What touches the place where an output was cut may be a part of a key.
_CUT = r"[\w+/=.-]{8,}(?=\n… \d{1,20} bytes left out …\n)|(?<=bytes left out …\n)[\w+/=.-]{8,}"
_CUT_OFF = r"(?=[\w+/=.-]*\d)[\w+/=.-]{8,}+(?=…\Z)"


def redact(text: str) -> str:
    """Replace keys, e-mail addresses and homes in a text; what hides one is left out with it."""
    told = _redacted(text)
    if re.search(HIDDEN, text):
        bare = re.sub(HIDDEN, "", text)
        safe = _redacted(bare)
        if safe != bare and re.sub(HIDDEN, "", told) != safe:
            return safe
    return told


def _redacted(text: str) -> str:
    if "bytes left out …" in text:
        text = re.sub(_CUT, REDACTED, text)
    if text.endswith("…"):
        text = text[:-CUT_TAIL] + re.sub(_CUT_OFF, REDACTED, text[-CUT_TAIL:])
    if "PRIVATE KEY" in text:
        text = _without_private_keys(text)
    text = re.sub(_KEYS, REDACTED, text)
    text = re.sub(BEARER, rf"\1{REDACTED}", text)
    text = re.sub(_AUTHORIZATION, rf"\1{REDACTED}", text)
    text = re.sub(_COOKIE, rf"\1{REDACTED}", text)
    text = re.sub(USER_OPTION, rf"\1{REDACTED}", text)
    text = re.sub(_QUERY, rf"\1{REDACTED}", text)
    text = re.sub(_HOOK, REDACTED, text)
    text = re.sub(_URL_USER, f"{REDACTED}@", text)
    text = re.sub(_ASSIGNED, _assigned, text)
    text = re.sub(OPTION, rf"\1{REDACTED}", text)
    if "@" in text:
        text = re.sub(MAIL, _mail, text)
    text = re.sub(HOMES, HOME, text)
    return re.sub(DASHED, f"-{HOME}", text)


def redact_value(value: Any) -> Any:
    """Return a JSON value with all its texts redacted, keys too, however deep it is.

    A text under a name that speaks of a secret is taken away whole.
    """
    top: list[Any] = [value]
    pending: list[Any] = [top]
    while pending:
        holder = pending.pop()
        for place, one in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            copy = _copied(one, place)
            if isinstance(copy, (dict, list)):
                pending.append(copy)
            holder[place] = copy
        if isinstance(holder, dict):
            _redact_keys(holder)
    return top[0]


def _copied(value: Any, name: Any) -> Any:
    """Redact a text; a container is copied, to be gone through in its turn."""
    if isinstance(value, str):
        secret = isinstance(name, str) and re.search(_SAYS_SECRET, name)
        return REDACTED if secret and _is_secret(value) else redact(value)
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, (list, tuple)) else value


def _redact_keys(value: dict[Any, Any]) -> None:
    """Redact the names of a container that has any to redact, and keep their order."""
    keys = [redact(key) if isinstance(key, str) else key for key in value]
    if keys != list(value):
        items = list(zip(keys, value.values(), strict=True))
        value.clear()
        value.update(items)


def _is_secret(value: str) -> bool:
    return bool(value.strip()) and re.fullmatch(PLAIN_VALUE, value) is None


def _assigned(found: re.Match[str]) -> str:
    """Keep a value that can be no secret: a number, a type, a word of prose."""
    value = found["quoted"] or found["bare"]
    prose = found["bare"] and ":" in found["sign"] and re.fullmatch(PROSE, value)
    if prose or not _is_secret(value):
        return found[0]
    return f"{found[1]}{found['open'] or ''}{REDACTED}"


def _mail(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith(_NOBODY) else REDACTED


def _without_private_keys(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for begin, end in private_keys(text):
        pieces += (text[done:begin], REDACTED)
        done = end
    return "".join((*pieces, text[done:]))


def private_keys(text: str) -> list[tuple[int, int]]:
    """Find private keys: whole ones, and what is left of one that is cut at either end."""
    found: list[tuple[int, int]] = []
    done = 0
    ends = re.finditer(_PEM_END, text)
    end = next(ends, None)
    for begin in re.finditer(_PEM_BEGIN, text):
        if begin.start() < done:
            continue
        while end and end.start() < begin.end():
            end = next(ends, None)
        if end and end.end() <= begin.end() + MAX_KEY:
            done = end.end()
        else:
            cut = re.compile(_PEM_LINES).match(text, begin.end())
            done = cut.end() if cut else begin.end()
        found.append((begin.start(), done))
    return _with_tails(text, found) if "-----END " in text else found


def _with_tails(text: str, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Add the last lines of private keys whose begin is lost."""
    whole = iter((*found, (len(text), len(text))))
    added: list[tuple[int, int]] = []
    done = 0
    after = next(whole)
    for end in re.finditer(_PEM_END, text):
        while after[1] < end.end():
            done, after = after[1], next(whole)
        if after[0] <= end.start():  # the end of a key that is found
            continue
        begin = end.start()
        floor = max(done, begin - MAX_KEY)
        while begin > floor:
            line = max(text.rfind("\n", floor, begin - 1) + 1, floor)
            pattern = _PEM_LINE if begin < end.start() else _PEM_LAST
            if re.fullmatch(pattern, text[line:begin]) is None:
                break
            begin = line
        added.append((begin, end.end()))
        done = end.end()
    return sorted(found + added)
