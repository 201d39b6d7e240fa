# SPDX-License-Identifier: Apache-2.0
"""Sanitizing the description of a capture, `capture.toml`: its texts, and its comments."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from agentframes.capturing.sanitizer import Sanitizer
from agentframes.errors import SourceError
from agentframes.lines import shown
from agentframes.toml import to_toml

# What tells the CLI: of few values, which are no secrets. Else the value is looked into, too.
_HARMLESS = ("engine", "version", "family", "transport", "signal")
_WORD = re.compile(r"[\w.+-]{1,40}")
_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}'
    r'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|(?P<comment>\#[^\n]*+)',
    re.DOTALL,
)


def described(data: bytes, name: str, sanitizer: Sanitizer) -> bytes:
    """Sanitize all texts of a description, and say that all of the capture is.

    Comments are sanitized; where a text was, they are gone.
    """
    try:
        text = data.decode()
        told: dict[str, Any] = tomllib.loads(text)
        sanitizer.expect(data)
        text = _STRING_OR_COMMENT.sub(lambda found: _commented(found, sanitizer), text)
        clean: dict[str, Any] = {}
        for key, value in told.items():
            clean |= {key: value} if _is_harmless(key, value) else _clean(key, value, sanitizer)
        scrubbed = [*clean.get("scrubbed", ())]
        scrubbed += [one for one in sanitizer.report.scrubbed if one not in scrubbed]
        new = {**clean, "sanitized": True, "scrubbed": scrubbed}
        return text.encode() if new == told else to_toml(new).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceError(
            f"{shown(name)}: not a description that can be written ({error})"
        ) from error


def _commented(found: re.Match[str], sanitizer: Sanitizer) -> str:
    return sanitizer.text(found[0]) if found["comment"] else found[0]


def _is_harmless(key: str, value: Any) -> bool:
    return key in _HARMLESS and isinstance(value, str) and _WORD.fullmatch(value) is not None


def _clean(key: str, value: Any, sanitizer: Sanitizer) -> dict[str, Any]:
    """Sanitize as JSON: a secret may stand behind an option, or a name, of its own."""
    text = json.dumps({key: value}, default=str)
    clean = json.loads(sanitizer.text(text))
    return _with_times({key: value}, clean)  # type: ignore[no-any-return]


def _with_times(old: Any, new: Any) -> Any:
    """Put back what JSON has no form for; it is never a secret."""
    if isinstance(old, Mapping):
        pairs = zip(old.values(), new.items(), strict=True)
        return {key: _with_times(before, after) for before, (key, after) in pairs}
    if isinstance(old, list):
        return [_with_times(before, after) for before, after in zip(old, new, strict=True)]
    return new if isinstance(old, (str, int)) else old
