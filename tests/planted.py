# SPDX-License-Identifier: Apache-2.0
"""Secrets of every sort, and what a CLI's output looks like that has one in it.

Secrets are made at run time from patterns of their own, so that no scanner takes a file for a leak,
and so that the rules under test are not asked what a secret is.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.captured import capture

HOME, PROJECT, INSTALLED = "/home/nora", "/home/nora/work/shop.v2", "/usr/lib/node_modules/agent"
USER, HOST = "nora", "buildbox7.corp.lan"


class Sample(NamedTuple):
    """A sort of secret: the rule that is meant, what stands around it, and what it looks like."""

    rule: str
    around: str
    looks: str
    others: tuple[str, ...] = ()
    """Rules that may name it just as well."""


_W, _U, _H = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"
_PASSWORD = "[a-z]{3}[0-9]{2}[A-Za-z0-9!]{4,20}"
_BASE64 = "[A-Za-z0-9+/]"

SAMPLES = (
    Sample("anthropic-key", "key {} end", f"sk-ant-api03-{_U}{{60}}AA"),
    Sample("openrouter-key", "key {} end", f"sk-or-v1-{_H}{{64}}"),
    Sample("openai-key", "({})", f"sk-(proj|svcacct|admin)-{_U}{{40,80}}"),
    Sample("api-key", "key {}", f"sk-[B-Z]{_W}{{40}}"),
    Sample("gitlab-token", "<{}>", f"glpat-{_U}{{20}}"),
    Sample("google-api-key", "x {} y", f"AIza{_U}{{35}}"),
    Sample("google-oauth", "x {} y", f"ya29\\.{_U}{{30,60}}"),
    Sample("google-oauth", "x {} y", f"GOCSPX-{_U}{{28}}"),
    Sample("npm-token", "//r.npm.example/:_x={}", f"npm_{_W}{{36}}"),
    Sample("pypi-token", "{}", f"pypi-AgEI{_U}{{60}}"),
    Sample("huggingface-token", "{}", f"hf_{_W}{{34}}"),
    Sample("groq-key", "{}", f"gsk_{_W}{{52}}"),
    Sample("xai-key", "{}", f"xai-{_W}{{80}}"),
    Sample("perplexity-key", "{}", f"pplx-{_W}{{48}}"),
    Sample("cerebras-key", "{}", f"csk-{_W}{{48}}"),
    Sample("nvidia-key", "{}", f"nvapi-{_U}{{64}}"),
    Sample("fireworks-key", "{}", f"fw_{_W}{{24}}"),
    Sample("tavily-key", "{}", f"tvly-{_W}{{32}}"),
    Sample("langsmith-key", "{}", f"lsv2_(pt|sk)_{_H}{{32}}_{_H}{{10}}"),
    Sample("replicate-token", "{}", f"r8_{_W}{{37}}"),
    Sample("digitalocean-token", "{}", f"do[opr]_v1_{_H}{{64}}"),
    Sample("databricks-token", "{}", f"dapi{_H}{{32}}"),
    Sample("docker-token", "{}", f"dckr_pat_{_U}{{27}}"),
    Sample("age-key", "{}", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    Sample("linear-key", "{}", f"lin_api_{_W}{{40}}"),
    Sample("notion-token", "{}", f"ntn_{_W}{{43}}"),
    Sample("figma-token", "{}", f"figd_{_U}{{40}}"),
    Sample("shopify-token", "{}", f"shpat_{_H}{{32}}"),
    Sample("grafana-token", "{}", f"glsa_{_W}{{32}}_{_H}{{8}}"),
    Sample("sentry-token", "{}", f"sntrys_{_BASE64}{{80}}"),
    Sample("newrelic-key", "{}", "NRAK-[A-Z0-9]{27}"),
    Sample("planetscale-token", "{}", f"pscale_tkn_{_U}{{43}}"),
    Sample("doppler-token", "{}", f"dp\\.pt\\.{_W}{{43}}"),
    Sample("postman-key", "{}", f"PMAK-{_H}{{24}}-{_H}{{34}}"),
    Sample("supabase-token", "{}", f"sbp_{_H}{{40}}"),
    Sample("atlassian-token", "{}", f"ATATT3{_U}{{180}}"),
    Sample("mailgun-key", "{}", f"key-{_H}{{32}}"),
    Sample("circleci-token", "{}", f"CCIPAT_{_W}{{22}}_{_H}{{40}}"),
    Sample("heroku-key", "{}", f"HRKU-{_W}{{40}}"),
    Sample("fly-token", "FlyV1 {}", f"(fm2|fo1)_{_W}{{60}}"),
    Sample("vercel-token", "{}", f"vercel_blob_rw_{_W}{{16}}_{_W}{{30}}"),
    Sample("gem-key", "{}", f"rubygems_{_H}{{48}}"),
    Sample("buildkite-token", "{}", f"bkua_{_H}{{40}}"),
    Sample("hubspot-token", "{}", f"pat-na1-{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}"),
    Sample("square-token", "{}", f"sq0atp-{_U}{{22}}"),
    Sample("square-token", "{}", f"EAAA[a-z]{_W}{{59}}"),
    Sample("clojars-token", "{}", f"CLOJARS_{_H}{{60}}"),
    Sample("pulumi-token", "{}", f"pul-{_H}{{40}}"),
    Sample("google-api-key", "{}", f"AQ\\.Ab8R{_U}{{40}}"),
    Sample("discord-token", "{}", f"MT[A-Z]{_W}{{22}}\\.{_W}{{6}}\\.{_U}{{38}}"),
    Sample("terraform-token", "{}", f"{_W}{{14}}\\.atlasv1\\.{_W}{{60}}"),
    Sample("airtable-token", "{}", f"pat{_W}{{14}}\\.{_H}{{64}}"),
    Sample("dynatrace-token", "{}", "dt0c01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
    Sample("mailchimp-key", "{}", f"{_H}{{32}}-us12"),
    Sample("crypt-hash", "x:{}:", f"\\$(6|apr1)\\$[a-z0-9]{{8}}\\${_W}{{40}}"),
    Sample("github-token", "{}", f"gh[opsru]_{_W}{{36}}"),
    Sample("github-token", "{}", f"github_pat_{_W}{{22}}_{_W}{{59}}"),
    Sample("aws-access-key", "id {}.", "(AKIA|ASIA)[A-Z2-7]{16}"),
    Sample("aws-secret-key", "aws_secret_access_key = {}", f"{_BASE64}{{40}}"),
    Sample("slack-token", "{}", f"xox[bpa]-[0-9]{{10,12}}-[0-9]{{10,12}}-{_W}{{24}}"),
    Sample("slack-token", "{}", f"xapp-1-[A-Z0-9]{{11}}-[0-9]{{13}}-{_H}{{64}}"),
    Sample("webhook", "https://hooks.slack.com/services/{}", "T[A-Z0-9]{8}/B[A-Z]{8}/\\w{9}"),
    Sample("webhook", "https://discord.com/api/webhooks/{}", f"[0-9]{{18}}/{_U}{{68}}"),
    Sample("webhook", "https://acme.webhook.office.com/webhookb2/{}", f"{_H}{{32}}@{_H}{{32}}"),
    Sample("stripe-key", "{}", f"(sk|rk)_(live|test)_{_W}{{24}}"),
    Sample("sendgrid-key", "{}", f"SG\\.{_U}{{22}}\\.{_U}{{43}}"),
    Sample("twilio-key", "{}", f"SK{_H}{{32}}"),
    Sample("vault-token", "{}", f"hvs\\.{_U}{{90}}"),
    Sample("telegram-token", "{}", f"[0-9]{{9}}:AA{_U}{{33}}"),
    Sample("azure-key", "AccountName=x;AccountKey={};EndpointSuffix=y", f"{_BASE64}{{86}}=="),
    Sample("jwt", "{}", f"eyJ{_U}{{20}}\\.eyJ{_U}{{30}}\\.{_U}{{43}}"),
    Sample("bearer-token", "Authorization: Bearer {}", f"{_W}{{8}}[0-9]{_W}{{20}}"),
    Sample("authorization", "Authorization: Basic {}", f"{_W}{{8}}[0-9]{_W}{{20}}"),
    Sample("cookie", "Cookie: {}", f"session={_W}{{32}}; theme={_W}{{8}}"),
    Sample("url-credentials", "postgres://{}@db.test/x", f"[a-z]{{3,8}}:{_PASSWORD}"),
    Sample("user-option", "curl -u admin:{} x", _PASSWORD),
    Sample("url-parameter", "https://x.test/?a=1&sig={}&b=2", f"{_W}{{10}}[0-9]{_W}{{20}}"),
    Sample("secret-option", "tool --api-key {} run", _PASSWORD, ("secret-value",)),
    Sample("secret-value", "export DB_PASSWORD={}", _PASSWORD),
    Sample("secret-option", "mysql -u root -p{} shop", _PASSWORD),
    Sample("secret-option", "sshpass -p {} ssh x", _PASSWORD),
    Sample("secret-option", "set -x DB_PASSWORD {}", _PASSWORD),
    Sample("secret-option", "tool --pass {} run", _PASSWORD),
    Sample("secret-value", "machine x.test login y password {}", _PASSWORD),
    Sample("secret-value", "export DB_PASSWORD={}", "[a-z]{4}!\\$up[0-9]&cret\\([0-9]{2}\\)"),
    Sample("secret-value", "client_secret: '{}'", _PASSWORD),
    Sample("secret-value", "token = {}", _PASSWORD),
    Sample("e-mail", "from {}, today", "[a-z]{3,8}\\.[a-z]{3,8}@[a-z]{4,9}\\.(com|org|io)"),
    Sample("home", "in {}/x", "/(home|Users)/[a-z]{4,9}"),
    Sample("home", "in {}/x", "/(cygdrive/c/Users|data/home|Volumes/Big Disk/Users)/[a-z]{4,9}"),
    Sample("home", "in {}\\src", "[CD]:\\\\Users\\\\[a-z]{4,9}"),
    Sample("dashed-home", "projects/{}-src/a", "-(home|Users)-[a-z]{4,9}"),
    Sample("dashed-home", "projects/{}-src/a", "C--Users-[a-z]{4,9}"),
    Sample("home directory", "ls {}/x", re.escape(HOME)),
    Sample("project directory", "ls {}:", re.escape(PROJECT)),
    Sample("install directory", "at {}/cli.js:3", re.escape(INSTALLED)),
    Sample("project directory (dashed)", "projects/{}/a", "-home-nora-work-shop-v2"),
    Sample("user-name", "-rw-r--r-- 1 {} staff", f"{USER}|Nora"),
    Sample("host-name", "ssh {}:22", "buildbox7\\.corp\\.lan|BUILDBOX7"),
)  # fmt: skip

_ASCII = st.characters(codec="ascii")
FEWEST = 4  # different characters; forty zeros are no key
_WORDS = re.compile(r"(?i)dummy|example|placeholder|redacted|fake|your|x{8}")


def secrets_of(sample: Sample) -> st.SearchStrategy[str]:
    """Return a strategy for secrets of a sort, without those that look like a stand-in."""
    return st.from_regex(sample.looks, fullmatch=True, alphabet=_ASCII).filter(_is_like_one)


def _is_like_one(text: str) -> bool:
    return len(set(text)) >= FEWEST and not _WORDS.search(text)


private_keys = st.lists(
    st.from_regex("M[A-Za-z0-9+/]{63}", fullmatch=True), min_size=1, max_size=4
).map(
    lambda lines: "\n".join(
        ("-----BEGIN RSA PRIVATE" + " KEY-----", *lines, "-----END RSA PRIVATE" + " KEY-----")
    )
)

# --- where it stands -----------------------------------------------------------------------------


class Delta(NamedTuple):
    """How an engine prints a text in pieces: a captured line, and where in it a piece stands."""

    name: str
    line: bytes
    path: tuple[str, ...]
    write: Callable[[str], Any] = str
    read: Callable[[Any], str] = str


def _captured(name: str, *marks: str) -> bytes:
    lines = capture(name).split(b"\n")
    return next(line for line in lines if all(mark.encode() in line for mark in marks))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


def _numbers(text: str) -> list[int]:
    return list(text.encode("utf-8", "surrogateescape"))


_CLAUDE, _COPILOT = "claude/2.1.332/s03-shell--partial", "copilot/1.0.102/s03-shell"
DELTAS = (
    Delta("claude text", _captured(_CLAUDE, "text_delta"), ("event", "delta", "text")),
    Delta("claude input", _captured(_CLAUDE, "input_json"), ("event", "delta", "partial_json")),
    Delta("gemini", _captured("gemini/0.61.0/s03-shell", '"delta":true'), ("content",)),
    Delta("copilot text", _captured(_COPILOT, "message_delta"), ("data", "deltaContent")),
    Delta("copilot input", _captured(_COPILOT, "tool_call_delta"), ("data", "inputDelta")),
    Delta("copilot output", _captured(_COPILOT, "tool.shell_output"), ("data", "text")),
    Delta(
        "codex base64",
        _captured("codex/0.42.0/s03-shell", "exec_command_output_delta"),
        ("msg", "chunk"),
        _base64,
        lambda chunk: base64.b64decode(chunk).decode("utf-8", "surrogateescape"),
    ),
    Delta(
        "codex numbers",
        _captured("codex/0.25.0/s03-shell", "exec_command_output_delta"),
        ("msg", "chunk"),
        _numbers,
        lambda chunk: bytes(chunk).decode("utf-8", "surrogateescape"),
    ),
)  # fmt: skip


def printed(delta: Delta, pieces: Sequence[str]) -> list[bytes]:
    """Write a text in pieces, a line each, as the engine does."""
    return [_with(json.loads(delta.line), delta.path, delta.write(piece)) for piece in pieces]


def joined(delta: Delta, lines: Sequence[bytes]) -> str:
    """Read the text that such lines are pieces of."""
    return "".join(delta.read(_at(json.loads(line), delta.path)) for line in lines)


def _with(frame: dict[str, Any], path: tuple[str, ...], value: Any) -> bytes:
    _at(frame, path[:-1])[path[-1]] = value
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def parted(text: str, cuts: Sequence[int]) -> list[str]:
    """Cut a text at some places; there may be empty pieces."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[begin:end] for begin, end in itertools.pairwise(places)]


def escaped(text: str, which: Sequence[bool]) -> str:
    r"""Write the inside of a JSON string, some of its characters as `\u….`."""
    chosen = itertools.cycle(which or (False,))
    return "".join(
        f"\\u{ord(character):04x}" if escape and ord(character) < 0x10000
        else json.dumps(character)[1:-1]
        for character, escape in zip(text, chosen, strict=False)
    )  # fmt: skip


# --- what a reader could make of it --------------------------------------------------------------

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def readings(data: bytes) -> Iterator[str]:
    """Yield all that printed bytes say, however they say it; not by the package's own means."""
    text = data.decode("utf-8", "surrogateescape")
    yield text
    yield _COLOUR.sub("", text)
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _texts(name)
            if name == "chunk":
                data = bytes(one) if isinstance(one, list) else base64.b64decode(one)
                yield data.decode("utf-8", "replace")
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value
        yield _COLOUR.sub("", value)
        try:
            inner = json.loads(value)
        except ValueError:
            return
        if not isinstance(inner, (int, float)):
            yield from _texts(inner)


def shape(value: Any, *, into_texts: bool = True) -> Any:
    """Return a JSON value without its texts, and without the bytes in an array.

    JSON that a text holds has a shape, too, unless it is not to be looked into.
    """
    if isinstance(value, dict):
        return [
            (shape(name, into_texts=into_texts), shape(one, into_texts=into_texts))
            for name, one in value.items()
        ]
    if isinstance(value, list):
        if all(type(one) is int for one in value):
            return "bytes"
        return [shape(one, into_texts=into_texts) for one in value]
    if not isinstance(value, str):
        return value
    try:
        inner = json.loads(value) if into_texts else None
    except ValueError:
        return "text"
    return [shape(inner)] if isinstance(inner, (dict, list)) else "text"
