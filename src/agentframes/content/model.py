# SPDX-License-Identifier: Apache-2.0
"""The typed payloads of a message body, as callers and the wire see them.

Their texts, one after the other, are the body's lines in order. What is left out: the marker
lines of fences, blank lines and the line end around a payload. Line ends within are newlines.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Self

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder

IMAGE_SUFFIXES = (
    "png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "avif", "tif", "tiff", "heic",
)  # fmt: skip
# Patterns are strings: `re` compiles each at its first use and keeps it.
MARKDOWN_IMAGE = r"!\[((?:[^\[\]\\]|\\.)*+)\]\((?:<([^<>]+)>|((?:[^\s<>()]|\([^\s<>()]*\))++))\)"
ANSI = r"\x1b[@-_()#78=>c]"
_NO_PATH = r"[\s<>\"'`|*]"
_LOG = r"""(?x) \n (?= [\x1b\[( \dA-Z{cdefilntw] ) (?: \x1b\[ [0-9;]* m | [ \[(] )*+ (?:
      \d{4} [-/] \d\d [-/] \d\d [T ] \d\d:\d\d
    | \d\d:\d\d:\d\d \b
    | [A-Z][a-z][a-z] [ ] [ \d]\d [ ] \d\d:\d\d:\d\d     # syslog
    | \d+ \. \d{3,} \]                                   # dmesg
    | [DIWEF] \d{4} [ ] \d\d:\d\d                        # glog
    | \d{1,3} (?: \. \d{1,3} ){3} [ ] \S+ [ ] \S+ [ ] \[ # a web server's
    | (?: TRACE | DEBUG | INFO | NOTICE | WARN | WARNING | ERROR | FATAL | CRITICAL ) [\]:|\s]
    | (?: trace | debug | info | notice | warn | warning | error | fatal | critical ) \]
    | (?: time | ts | level | lvl ) =
    | \{ "                                               # JSON lines, some of them damaged
    )"""
_LOG_LINES = 3  # fewer could be prose that begins with a date
_DATA_URL = r"(?i)data:(?:[\w.+-]{1,80}/[\w.+-]{1,80})?"


class _Payload(Struct, frozen=True, rename="camel", tag_field="type"):
    """Base of all payloads."""

    @property
    def type(self) -> str:
        """The payload's type, as on the wire."""
        return str(self.__struct_config__.tag)


class Markdown(_Payload, frozen=True, kw_only=True, tag="markdown"):
    """Text for a Markdown parser, the only payload that is."""

    text: str


class CodeBlock(_Payload, frozen=True, kw_only=True, tag="code-block"):
    """Source or output that was fenced or indented, without the fence and the indentation."""

    text: str
    language: str | None = None
    """The first word of the info string, in lower case."""


class Diff(_Payload, frozen=True, kw_only=True, tag="diff"):
    """A unified or git diff, fenced or not."""

    text: str


class HtmlFile(_Payload, frozen=True, kw_only=True, tag="html-file"):
    """A whole HTML document, from its doctype or `<html>` to its `</html>`."""

    text: str


class ImageReference(_Payload, frozen=True, kw_only=True, tag="image-reference"):
    """An image that stands for itself: a Markdown image, or a line that only names one."""

    path: str
    """As it was written; of a ``data:`` URL the scheme and the media type alone."""
    alt: str | None = None

    @classmethod
    def of(cls, line: str) -> Self | None:
        """Take a line that is nothing but a Markdown image or the name of an image."""
        if markdown := re.fullmatch(MARKDOWN_IMAGE, line):
            alt, path = markdown[1] or None, markdown[2] or markdown[3]
        elif _names_image(line):
            alt, path = None, line
        else:
            return None
        data = re.match(_DATA_URL, path)
        return cls(path=data[0] if data else path, alt=alt)


class Json(_Payload, frozen=True, kw_only=True, tag="json"):
    """A JSON object or array that parses; with `lines`, several objects, one a line."""

    text: str
    lines: bool = False

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Take a text that is one JSON object or array, or several objects, one a line."""
        if text[:1] + text[-1:] not in {"{}", "[]"}:
            return None
        # Half a surrogate pair, raw or escaped, is JSON all the same.
        data = re.sub(r"\\u[dD]", r"\\u0", text).encode("utf-8", "replace")
        decoder = Decoder(Raw)
        with suppress(DecodeError, RecursionError):
            decoder.decode(data)
            return cls(text=text)
        with suppress(DecodeError, RecursionError):
            count = len(decoder.decode_lines(data))  # which asks for no line ends in between
            rows = [row for line in text.split("\n") if (row := line.strip())]
            if count == len(rows) and all(row[0] + row[-1] == "{}" for row in rows):
                return cls(text=text, lines=True)
        return None


class RawLog(_Payload, frozen=True, kw_only=True, tag="raw-log"):
    """Terminal output; with `ansi`, the text has escape sequences and keeps them."""

    text: str
    ansi: bool = False

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Take a text most of whose lines begin with a time or a level, as those of a log do."""
        count = sum(1 for _ in re.finditer(_LOG, "\n" + text))
        if count < _LOG_LINES or 2 * count <= sum(1 for line in text.split("\n") if line.strip()):
            return None
        return cls(text=text, ansi=re.search(ANSI, text) is not None)


Payload = Markdown | CodeBlock | Diff | HtmlFile | ImageReference | Json | RawLog


def _names_image(line: str) -> bool:
    """Tell a path or an address of an image, without looking whether there is one."""
    name = line.partition("?")[0] if "://" in line[:10] else line
    suffix = name.rpartition(".")[2] if "." in name[-5:] else ""
    named = suffix.lower() in IMAGE_SUFFIXES or line[:11].lower() == "data:image/"
    return named and not re.search(_NO_PATH, line)
