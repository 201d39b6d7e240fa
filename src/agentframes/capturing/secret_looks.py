# SPDX-License-Identifier: Apache-2.0
"""Rules for keys and tokens that are known by their looks, wherever they stand."""

from __future__ import annotations

import re

from agentframes.capturing.rule import key

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
    ("circleci-token", "CCIP(?:AT|RJ)_", r"\w{20,}+"),
    ("heroku-key", "HRKU-", _URLSAFE + "{30,}+"),
    ("fly-token", "f(?:o1|m1|m2|m1r|m1a)_", r"[\w+/=-]{30,}+"),
    ("vercel-token", "vercel_blob_rw_", _WORD + r"\w{20,}+"),
    ("vercel-token", "vc[pirak]_", _WORD + "{40,}+"),
    ("gem-key", "rubygems_", _HEX + "{32,}+"),
    ("buildkite-token", "bk(?:ua|ct|pat)_", "[0-9a-z]{32,}+"),
    ("hubspot-token", "pat-(?:na|eu|ap)", r"\d-[0-9a-f-]{32,}+"),
    ("square-token", "sq0(?:atp|csp)-", _URLSAFE + "{20,}+"),
    ("clojars-token", "CLOJARS_", _HEX + "{40,}+"),
    ("pulumi-token", "pul-", _HEX + "{40}(?![A-Za-z0-9])"),
)


def _begins(prefix: str) -> str:
    """Write out what a prefix pattern can begin with, parted by blanks."""
    parts = re.fullmatch(r"([\w-]*)(?:\(\?:([\w|]+)\)|\[(\w+)\])?([\w-]*).*", prefix)
    head, words, letters, tail = parts.groups("") if parts else ("", "", "", "")
    middles = words.split("|") if words else list(letters) or [""]
    return " ".join(head + middle + tail for middle in middles)


# Ids in base64: how the numbers of Discord's accounts begin.
_DISCORD = r"(?:M[DTjz]|N[DTjz]|O[DT])[\w-]{21,26}\.[\w-]{6}\.[\w-]{27,}+"
_CRYPT = r"\$(?:[1567y]|2[abxy]|apr1|argon2(?:id|i|d))\$[\w./$=,+-]{20,}+"

# Where two find the same, the earlier one names it.
LOOKS = (
    key("anthropic-key", "sk-ant-", "sk-ant-" + _URLSAFE + "{8,}+"),
    *(key(name, _begins(prefix), prefix + body) for name, prefix, body in _PREFIXED),
    key("github-token", _begins("gh[opsru]_"), r"gh[opsru]_[A-Za-z0-9]{16,}+"),
    key("github-token", "github_pat_", r"github_pat_\w{16,}+"),
    key(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    key(
        "google-oauth",
        "ya29. GOCSPX- 1//0",
        r"ya29\.[\w-]{16,}+|GOCSPX-[\w-]{20,}+|1//0[\w-]{30,}+",
    ),
    key("google-api-key", "AQ.", r"AQ\.[A-Z][\w-]{30,}+"),
    key("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{8,}+"),
    key(
        "stripe-key",
        "_live_ _test_ whsec_",
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[\w+/=]{24,}+",
    ),
    key("sendgrid-key", "SG.", r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    key("twilio-key", "SK AC", r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    key("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}+"),
    key("telegram-token", ":AA", r"[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    key("discord-token", "MD MT Mj Mz ND NT Nj Nz OD OT", _DISCORD),
    key("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+"),
    key("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"),
    key("dynatrace-token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    key("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    # The base64 of an image has runs of A's, too.
    key("square-token", "EAAA", r"(?<![\w+/=-])EAAA(?=[A-Z0-9_-]*[a-z])[\w-]{60}(?![\w+/=-])"),
    key("crypt-hash", "$1$ $2 $5$ $6$ $7$ $y$ $apr1$ $argon2", _CRYPT),
    key("api-key", "sk-", r"sk-(?:[\w-]{16,}+|(?=[A-Za-z_-]{0,14}[0-9])[\w-]{12,}+)"),
    key("jwt", "eyJ", r"(?<![_-])eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+)?"),
)
