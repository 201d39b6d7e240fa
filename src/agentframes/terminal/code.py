# SPDX-License-Identifier: Apache-2.0
"""Source, diffs and logs: shown as they are, with colours."""

from __future__ import annotations

import re
from contextlib import suppress

import msgspec
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from agentframes.terminal.plain import clean

MAX_COLORED = 60_000  # characters; a lexer may take more than linear time
MAX_LINE = 4_000
MAX_GROWTH = 20  # times that JSON may become longer

_SGR = r"\x1b\[[0-9;:]{0,64}m"
# All other sequences: CSI, OSC and its like up to their end, two-character ones.
_ESCAPES = (
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]{0,8}[0-OQ-WYZ\\`-~]"
)
_VISIBLE = Style(conceal=False, blink=False, blink2=False)

_DIFF_STYLES = (
    (("+++", "---", "diff ", "index ", "rename ", "new file", "deleted file"), "bold"),
    (("@@",), "cyan"),
    (("+",), "green"),
    (("-",), "red"),
    (("\\",), "dim"),
)


def code(text: str, language: str | None) -> Text:
    """Paint source code in the colours of its language, if that is known; `text` is harmless."""
    if not language or _is_long(text):
        return Text(text)
    painted = Syntax("", language, theme="ansi_dark", tab_size=4).highlight(text)
    painted.no_wrap = False
    painted.rstrip()
    return painted


def _is_long(text: str) -> bool:
    return len(text) > MAX_COLORED or max(map(len, text.split("\n"))) > MAX_LINE


def json(text: str, *, lines: bool) -> Text:
    """Paint JSON, indented; several values, one a line, stay so."""
    if not lines:
        with suppress(msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            indented = msgspec.json.format(text, indent=2)
            if len(indented) < MAX_GROWTH * len(text):  # else it is as deep as nobody writes it
                text = indented
    return code(clean(text), "json")


def diff(text: str) -> Text:
    """Paint a diff, line by line."""
    painted = Text()
    for number, line in enumerate(clean(text).split("\n")):
        found = (style for begins, style in _DIFF_STYLES if line.startswith(begins))
        painted.append("\n" * bool(number)).append(line, next(found, None))
    return painted


def log(text: str, *, ansi: bool) -> Text:
    """Show output as it is: its colours stay, no other escape sequence does anything."""
    if not ansi:
        return Text(clean(text))
    pieces = re.split(f"({_SGR})", text.replace("\r\n", "\n"))
    pieces[::2] = [clean(re.sub(_ESCAPES, "", piece)) for piece in pieces[::2]]
    colored = Text.from_ansi("".join(pieces))
    colored.spans = [
        span._replace(style=span.style + _VISIBLE) if isinstance(span.style, Style) else span
        for span in colored.spans
    ]
    return colored
