# SPDX-License-Identifier: Apache-2.0
"""What a capture must not hold: a table of rules, each of which finds spans in a decoded text.

What a rule gives to replace never holds a double quote: the text may be JSON, and what stands
between two of its strings is not a rule's to touch. Patterns take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple, TypeAlias

from agentframes import redaction
from agentframes.capturing import secret_names
from agentframes.capturing.secret_names import Spans, is_dummy, is_secret

Finder: TypeAlias = Callable[[str], Spans]


def as_it_is(value: str) -> str:
    """Two values are the same where they are equal."""
    return value


class Rule(NamedTuple):
    """One sort of secret.

    `name` is of the sort, in reports. A text without any of the `hints` is not searched; those in
    lower case stand for any case. In the `form` of the placeholder `{}` stands for a number, which
    rules of one `counter` give out together; two values that `same` makes equal have the same.
    """

    name: str
    hints: tuple[str, ...]
    find: Finder
    form: str
    counter: str
    same: Callable[[str], str] = as_it_is


_ALONE = r"(?<![A-Za-z0-9])"


def _rule(name: str, hints: str, find: Finder) -> Rule:
    """Make a rule of the common form; `hints` are parted by blanks."""
    return Rule(name, tuple(hints.split(" ")), find, f"[{name}-{{}}]", name)


def _key(name: str, hints: str, pattern: str) -> Rule:
    """Make a rule for a key that is known by its looks."""
    compiled = re.compile(_ALONE + rf"(?:{pattern})")

    def find(text: str) -> Spans:
        for match in compiled.finditer(text):
            if not is_dummy(match.group()):
                yield match.span()

    return _rule(name, hints, find)


def _behind(name: str, hints: str, pattern: str, is_one: Callable[[str], bool] = is_secret) -> Rule:
    """Make a rule for what stands behind the first group of a pattern."""
    compiled = re.compile(pattern)

    def find(text: str) -> Spans:
        for match in compiled.finditer(text):
            if is_one(text[match.end(1) : match.end()]):
                yield match.end(1), match.end()

    return _rule(name, hints, find)


_URL_USER = re.compile(
    r"(?<=://)(?:[^\s/:@\"'`\\<>]{0,100}:(?P<password>[^\s/@\"'`\\<>]{1,200})"
    r"|(?=[\w.%~-]{0,100}[0-9])[\w.%~-]{16,100})(?=@)"
)


def _url_users(text: str) -> Spans:
    """Find users with a password in URLs, and tokens in the user's place."""
    for match in _URL_USER.finditer(text):
        if is_secret(match["password"] or match.group()):
            yield match.span()


def _private_keys(text: str) -> Spans:
    """Find private keys; one that is written as several strings comes in pieces."""
    for begin, end in redaction.private_keys(text):
        for piece in re.finditer(r"[^\"]+", text[begin:end]):
            told = piece.group().rstrip("\\")  # those are the quote's
            if re.search(r"[A-Za-z0-9+/=]{16}|PRIVATE KEY", told):
                yield begin + piece.start(), begin + piece.start() + len(told)


# Reserved domains (RFC 2606, RFC 6761), senders that are nobody, and the user of git over ssh.
_NOBODY = re.compile(
    r"(?i)(?:@|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$"
    r"|^no-?reply@|@users\.noreply\.github\.com$|^git@"
)


def _mails(text: str) -> Spans:
    for match in re.finditer(redaction.MAIL, text):
        begin = match.start()
        in_url = text[max(0, begin - 3) : begin] == "://" and _URL_USER.match(text, begin)
        if not in_url and not _NOBODY.search(match.group()):
            yield match.span()


_HOME_BEHIND_OPTION = re.compile(r"(?<=[\s\"'=(]-[A-Z])/(?:home|Users)/[\w.+@-]{1,64}")


def _homes(text: str) -> Spans:
    """Find homes; a full stop behind one is that of a sentence."""
    for match in chain(re.finditer(redaction.HOMES, text), _HOME_BEHIND_OPTION.finditer(text)):
        yield match.start(), match.start() + len(match.group().rstrip(".!"))


def whole(pattern: str) -> Finder:
    """Find all of what matches."""
    compiled = re.compile(pattern)
    return lambda text: (match.span() for match in compiled.finditer(text))


def owner(home: str) -> str:
    """Return the last component of a path."""
    return re.split(r"[/\\]", home)[-1].lower()


def dashed_owner(home: str) -> str:
    """Return the last word of the dashed form of a path."""
    return home.rsplit("-", 1)[-1].lower()


_HEX, _WORD, _URLSAFE = r"[0-9a-f]", r"[A-Za-z0-9]", r"[A-Za-z0-9_-]"

# By a prefix alone: name, prefix (as a pattern, and as a hint what it begins with), body.
_PREFIXED = (
    ("openrouter-key", "sk-or-", _URLSAFE + "{16,}+"),
    ("openai-key", "sk-(?:proj|svcacct|admin)-", _URLSAFE + "{16,}+"),
    ("gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-", _URLSAFE + "{16,}+"),
    ("google-api-key", "AIza", _URLSAFE + "{20,}+"),
    ("npm-token", "npm_", _WORD + "{20,}+"),
    ("pypi-token", "pypi-", _URLSAFE + "{20,}+"),
    ("huggingface-token", "hf_", _WORD + "{16,}+"),
    ("groq-key", "gsk_", _WORD + "{20,}+"),
    ("xai-key", "xai-", _URLSAFE + "{20,}+"),
    ("perplexity-key", "pplx-", _WORD + "{20,}+"),
    ("cerebras-key", "csk-", _WORD + "{20,}+"),
    ("nvidia-key", "nvapi-", _URLSAFE + "{20,}+"),
    ("fireworks-key", "fw_", _WORD + "{20,}+"),
    ("tavily-key", "tvly-", _URLSAFE + "{16,}+"),
    ("langsmith-key", "lsv2_(?:pt|sk)_", r"\w{20,}+"),
    ("replicate-token", "r8_", _WORD + "{20,}+"),
    ("digitalocean-token", "do[opr]_v1_", _HEX + "{32,}+"),
    ("databricks-token", "dapi", _HEX + r"{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("docker-token", "dckr_(?:pat|oat)_", _URLSAFE + "{16,}+"),
    ("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{20,}+"),
    ("linear-key", "lin_(?:api|oauth)_", _WORD + "{20,}+"),
    ("notion-token", "ntn_", _WORD + "{20,}+"),
    ("figma-token", "fig[dou]_", _URLSAFE + "{20,}+"),
    ("shopify-token", "shp(?:at|ca|pa|ss)_", "[0-9A-Fa-f]{32,}+"),
    ("grafana-token", "gl(?:sa|c)_", r"[\w+/=]{20,}+"),
    ("sentry-token", "sntry[su]_", r"[\w+/=-]{20,}+"),
    ("newrelic-key", "NRAK-", "[A-Z0-9]{20,}+"),
    ("planetscale-token", "pscale_(?:tkn|pw|oauth)_", r"[\w.-]{20,}+"),
    ("doppler-token", r"dp\.(?:pt|ct|sa|scim|audit|st(?:\.[\w-]{2,35})?)\.", _WORD + "{30,}+"),
    ("postman-key", "PMAK-", "[0-9a-f-]{24,}+"),
    ("supabase-token", "sb(?:p|_secret)_", _URLSAFE + "{20,}+"),
    ("atlassian-token", "ATATT3", r"[\w=-]{40,}+"),
    ("mailgun-key", "key-", _HEX + "{32}(?![A-Za-z0-9])"),
)

_NAME_HINTS = " ".join(secret_names.ENDINGS)
_OPEN = r"\\{0,4}[\"'`]?"  # a quote, perhaps, written into so many strings
_AWS = (
    r"(?i)((?:aws[\w.-]{0,20})?secret[_-]?(?:access[_-]?)?key[\"'`\\]{0,8}\s{0,4}(?:=>|:=|[=:])"
    r"\s{0,4}[\"'`\\]{0,8})[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])"
)
_AZURE = r"(?i)((?:AccountKey|SharedAccess(?:Key|Signature))\s{0,2}=\s{0,2})[\w+/%]{20,}+={0,2}"
_AUTHORIZATION = (
    rf"(?i)\b((?:proxy-)?authorization{_OPEN}\s{{0,4}}[:=]\s{{0,4}}{_OPEN}"
    r"(?:Basic\s{1,4}(?=(?-i:[a-z+/]*[A-Z0-9=]))|(?:(?:Digest|Negotiate|Token|ApiKey)\s{1,4})?"
    r"(?=[A-Za-z._~+/=-]{0,80}[0-9]|[A-Za-z._~+/=-]{16})))[\w.~+/=-]{6,}+"
)
_COOKIE = (
    rf"(?i)\b((?:set-)?cookie{_OPEN}\s{{0,4}}:\s{{0,4}}{_OPEN})"
    r"(?=[^\s\"'\\=;:]{1,80}=)[^\n\"'\\]++"
)
_PARAMETER = (
    r"(?i)([?&](?:sig|signature|token|key|code|auth|x-amz-(?:signature|credential|security-token)"
    r"|x-goog-signature)=)[^\s&\"'`\\<>#]{6,}+"
)


def _begins(prefix: str) -> str:
    """Write out what a prefix pattern can begin with, parted by blanks."""
    parts = re.fullmatch(r"([\w-]*)(?:\(\?:([\w|]+)\)|\[(\w+)\])?([\w-]*).*", prefix)
    head, words, letters, tail = parts.groups("") if parts else ("", "", "", "")
    middles = words.split("|") if words else list(letters) or [""]
    return " ".join(head + middle + tail for middle in middles)


# Where two find the same, the earlier one names it. What is known of a machine comes between.
KEYS = (
    _key("anthropic-key", "sk-ant-", "sk-ant-" + _URLSAFE + "{8,}+"),
    *(_key(name, _begins(prefix), prefix + body) for name, prefix, body in _PREFIXED),
    _key("github-token", _begins("gh[opsru]_"), r"gh[opsru]_[A-Za-z0-9]{16,}+"),
    _key("github-token", "github_pat_", r"github_pat_\w{16,}+"),
    _key(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    _key(
        "google-oauth",
        "ya29. GOCSPX- 1//0",
        r"ya29\.[\w-]{16,}+|GOCSPX-[\w-]{20,}+|1//0[\w-]{30,}+",
    ),
    _key("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{8,}+"),
    _key(
        "stripe-key",
        "_live_ _test_ whsec_",
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[\w+/=]{24,}+",
    ),
    _key("sendgrid-key", "SG.", r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    _key("twilio-key", "SK AC", r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    _key("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}+"),
    _key("telegram-token", ":AA", r"[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    _key("api-key", "sk-", r"sk-(?:[\w-]{16,}+|(?=[A-Za-z_-]{0,14}[0-9])[\w-]{12,}+)"),
    _key("jwt", "eyJ", r"(?<![_-])eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+)?"),
    _rule("private-key", "PRIVATE", _private_keys),
    _behind(
        "webhook",
        "hooks.slack.com/ /api/webhooks/",
        r"((?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)/)"
        r"[\w/-]{8,}+",
        bool,
    ),
    _behind("aws-secret-key", "secret", _AWS),
    _behind("azure-key", "accountkey sharedaccess", _AZURE),
    _behind("bearer-token", "bearer", redaction.BEARER),
    _behind("authorization", "authorization", _AUTHORIZATION),
    _behind("cookie", "cookie", _COOKIE),
    _rule("url-credentials", "://", _url_users),
    _behind("user-option", "-u --user", redaction.USER_OPTION),
    _behind("url-parameter", "sig= signature= token= key= code= auth= credential=", _PARAMETER),
    _rule("secret-option", "--", secret_names.options),
    _rule("secret-field", _NAME_HINTS, secret_names.fields),
    _rule("secret-value", _NAME_HINTS, secret_names.assigned),
)
PEOPLE = (
    Rule("e-mail", ("@",), _mails, "user{}@example.com", "e-mail", str.lower),
    Rule("home", ("/home/", "users", "/root"), _homes, "~user{}", "user", owner),
    Rule(
        "dashed-home",
        ("-home-", "-users-", "-root"),
        whole(redaction.DASHED),
        "-user{}",
        "user",
        dashed_owner,
    ),
)
