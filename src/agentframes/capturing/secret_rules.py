# SPDX-License-Identifier: Apache-2.0
"""What a capture must not hold: a table of rules, each of which finds spans in a decoded text.

What a rule gives to replace never holds a double quote: the text may be JSON, and what stands
between two of its strings is not a rule's to touch. Patterns take linear time.
"""

from __future__ import annotations

from agentframes import redaction
from agentframes.capturing import secret_commands, secret_fields, secret_names
from agentframes.capturing.people import PEOPLE, url_users
from agentframes.capturing.private_keys import private_keys
from agentframes.capturing.rule import Rule, behind, named
from agentframes.capturing.secret_looks import LOOKS

__all__ = ["KEYS", "PEOPLE"]

_NAME_HINTS = " ".join(secret_names.ENDINGS)
_OPEN = r"\\{0,4}[\"'`]?"  # a quote, perhaps, written into so many strings
_AWS = (
    r"(?i)((?:aws[\w.-]{0,20})?secret[_-]?(?:access[_-]?)?key[\"'`\\]{0,8}\s{0,4}(?:=>|:=|[=:])"
    r"\s{0,4}[\"'`\\]{0,8})[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])"
)
_AWS_CSV = r"((?:AKIA|ASIA)[A-Z0-9]{16},)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
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
_HOOK = (
    r"((?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
    r"|\.webhook\.office\.com/webhookb2)/)[\w/@-]{8,}+"
)

# Where two find the same, the earlier one names it. What is known of a machine comes between.
KEYS: tuple[Rule, ...] = (
    *LOOKS,
    named("private-key", "PRIVATE Private-Lines", private_keys),
    behind("webhook", "hooks.slack.com/ /api/webhooks/ .webhook.office.com/", _HOOK, bool),
    behind("aws-secret-key", "secret", _AWS),
    behind("aws-secret-key", "AKIA ASIA", _AWS_CSV),
    behind("azure-key", "accountkey sharedaccess", _AZURE),
    behind("bearer-token", "bearer", redaction.BEARER),
    behind("authorization", "authorization", _AUTHORIZATION),
    behind("cookie", "cookie", _COOKIE),
    named("url-credentials", "://", url_users),
    *secret_commands.RULES,
    behind("url-parameter", "sig= signature= token= key= code= auth= credential=", _PARAMETER),
    named("secret-option", "--", secret_names.options),
    named("secret-field", _NAME_HINTS, secret_names.fields),
    *secret_fields.RULES,
    named("secret-value", _NAME_HINTS, secret_names.assigned),
)
