# SPDX-License-Identifier: Apache-2.0
r"""A message body to typed payloads, so that a Markdown parser meets nothing but Markdown.

Accepts any str and never raises; time is linear in its length. Most bodies are plain Markdown:
a few regular expressions tell so, and markdown-it is not even imported. It is asked for block
structure only, and only where a line could begin a fence, indented code or an image.

Three cuts, each inside the pieces of the one before: documents that stand unfenced (diff, HTML);
fences; then logs, indented code and images. Indented code comes last because a log has such
lines, too. A piece is a row of lines, each with the ``\n`` before it and not the one behind: to
look for line beginnings by that character is ten times as fast as by ``^``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from agentframes.content.model import (
    ANSI,
    IMAGE_SUFFIXES,
    MARKDOWN_IMAGE,
    CodeBlock,
    Diff,
    HtmlFile,
    ImageReference,
    Json,
    Markdown,
    Payload,
    RawLog,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

PARSED_LINES = 2_000
"""A longer body is scanned for fences at the margin instead, and for nothing else in its prose:
markdown-it takes 0.02 ms for a line of prose, but up to 0.35 ms where lists and quotes nest."""
LONG_LINE = 10_000
CLIPPED = 500  # characters kept at either end of a line that markdown-it sees

# Patterns are strings: `re` compiles each at its first use and keeps it.
_FENCE = r"(?m)\n {0,3}(?:`{3,}(?=[^`\n]*$)|~{3})"
_CLOSING = r"(?m)\n {0,3}(`{3,}|~{3,})[ \t]*$"
_INDENT = r"\n(?: {4}| {0,3}\t)"
_INSERT = rf"(?i)\n {{0,3}}(?:!\[|data:image/|\S*\.(?:{'|'.join(IMAGE_SUFFIXES)}))"
_STRUCTURE = rf"\n {{0,3}}(?:#{{1,6}} |[-*+] |\d{{1,9}}[.)] |>|\||data:image/)|{MARKDOWN_IMAGE}"
_OPENING = r"""(?mx) \n (?= [ `~d\-<] ) (?:
      (?P<fence> `{3,} (?= [^`\n]* $ ) | ~{3,} )
    | (?P<diff> diff[ ]--git[ ] [^\n]* (?: \Z | (?= \n (?: diff[ ]| index[ ] | --- | old[ ] | new[ ]
            | deleted[ ] | (?:dis)?similarity[ ] | rename[ ] | copy[ ] | Binary[ ] | GIT[ ] ) ) )
        | (?: diff[ ]- [^\n]* \n )? ---[ ] [^\n]* \n \+\+\+[ ] [^\n]* \n @@[ ] )
    | (?P<html> [ ]{0,3} < (?i: !doctype \s+ html \b [^<>]* >? | html (?: \s [^<>]* )? > )
        \s*+ (?= < | \Z ) )
    )"""
_HTML_END = r"(?mi)</html\s*>[ \t]*$"
# A blank line belongs to a diff where what follows can be no list and no rule of Markdown.
_DIFF = r"""(?x) (?: \n (?: [ +\-\\] | @@ | diff[ ]- | index[ ] | (?: old | new | deleted )[ ][fm]
          | (?:dis)?similarity[ ] | (?: rename | copy )[ ][ft] | (?: Binary | GIT )[ ] ) [^\n]*
      | \n+ (?= \n (?: [ \\] | @@ | \+(?! [ ]\S ) | -(?! [ ]\S | --\s ) | diff[ ]--git[ ]
          | ---[ ] [^\n]* \n \+\+\+[ ] ) )
    )++"""


def classify_content(body: str) -> list[Payload]:
    """Split a message body into typed payloads, in order; a blank body has none."""
    if not body or body.isspace():
        return []
    if "\r" in body:  # a line ends as CommonMark has it
        body = re.sub(r"\r\n?", "\n", body)
    if whole := Json.of(body.strip()):
        return [whole]
    body = "\n" + body
    if not _is_special(body):
        return list(_markdown(body))
    parsed = body.count("\n") <= PARSED_LINES
    return [
        payload
        for kind, piece in _sections(body, fences=not parsed)
        for payload in _section(kind, piece, parsed=parsed)
    ]


def _is_special(text: str) -> bool:
    """Tell a body that has to be looked at closer from plain Markdown."""
    return (
        "\x1b" in text
        or _has_long_line(text)
        or any(re.search(p, text) for p in (_FENCE, _INDENT + r"[ \t]*+\S", _INSERT, _OPENING))
        or RawLog.of(text) is not None
    )


def _has_long_line(text: str) -> bool:
    position = 0
    while position + LONG_LINE < len(text):
        # The last line end within reach: one step for many short lines.
        end = text.rfind("\n", position, position + LONG_LINE + 1)
        if end < 0:
            return True
        position = end + 1
    return False


def _sections(text: str, *, fences: bool) -> Iterator[tuple[str, str]]:
    """Cut out the documents that stand outside of fences at the margin, and those if asked to.

    A diff may hold fence markers and a fence may hold a diff: who begins first has the lines.
    """
    done = position = 0
    opening = re.compile(_OPENING)
    while found := opening.search(text, position):
        kind = found.lastgroup or ""
        position = _end(kind, text, found)
        if fences or kind != "fence":
            yield "prose", text[done : found.start()]
            yield kind, text[found.start() : position]
            done = position
    yield "prose", text[done:]


def _end(kind: str, text: str, opening: re.Match[str]) -> int:
    """Find where a section ends; one that is not closed goes to the end of the text."""
    if kind == "diff":
        body = re.compile(_DIFF).match(text, opening.start())
        return body.end() if body else opening.end()
    if kind == "html":
        close = re.compile(_HTML_END).search(text, opening.end())
        return close.end() if close else len(text)
    mark = opening["fence"]
    for closing in re.compile(_CLOSING).finditer(text, opening.end()):
        if closing[1].startswith(mark):
            return closing.end()
    return len(text)


def _section(kind: str, text: str, *, parsed: bool) -> Iterator[Payload]:
    if kind == "diff":
        yield Diff(text=text[1:])
    elif kind == "html":
        # Cut short it is no file, but no Markdown either.
        whole = _is_html(text)
        text = _trimmed(text)
        yield HtmlFile(text=text) if whole else CodeBlock(text=text, language="html")
    elif kind == "fence":
        yield _fence(text)
    else:
        done = 0
        if parsed and re.search(_FENCE, text):
            for block, start, end in _blocks(text):
                if block == "fence":
                    yield from _prose(text[done:start], parsed=parsed)
                    yield _fence(text[start:end])
                    done = end
        yield from _prose(text[done:], parsed=parsed)


def _prose(text: str, *, parsed: bool) -> Iterator[Payload]:
    """Tell a log from Markdown."""
    trimmed = _trimmed(text)
    if not trimmed:
        return
    escape = re.search(ANSI, text)
    if log := RawLog.of(trimmed):
        yield log
    elif _has_long_line(text) and not re.search(_STRUCTURE, text):
        yield RawLog(text=trimmed, ansi=escape is not None)
    elif escape:
        # From the first paragraph with an escape sequence to the last: a log has blank lines and
        # lines without colours, too, while prose may introduce it and comment on it.
        start = _paragraph(text, escape.start())
        blank = re.compile(r"\n[ \t]*(?=\n)").search(text, text.rfind("\x1b"))
        end = blank.start() if blank else len(text)
        yield from _pieces(text[:start], parsed=parsed)
        yield RawLog(text=_trimmed(text[start:end]), ansi=True)
        yield from _pieces(text[end:], parsed=parsed)
    else:
        yield from _pieces(text, parsed=parsed)


def _paragraph(text: str, position: int) -> int:
    """Find where the paragraph around a position begins."""
    while (start := text.rfind("\n", 0, position)) > 0:
        position = text.rfind("\n", 0, start)
        if not text[position:start].strip():
            break
        position = start
    return max(start, 0)


def _pieces(text: str, *, parsed: bool) -> Iterator[Payload]:
    """Take indented code and images out of Markdown."""
    done = 0
    for start, end, payload in _inserts(text) if parsed else ():
        yield from _markdown(text[done:start])
        yield payload
        done = end
    yield from _markdown(text[done:])


def _inserts(text: str) -> Iterator[tuple[int, int, Payload]]:
    if not any(re.search(pattern, text) for pattern in (_FENCE, _INDENT, _INSERT)):
        return
    for block, start, end in _blocks(text):
        if block == "code_block":
            yield start, end, CodeBlock(text=re.sub(_INDENT, "\n", text[start:end])[1:])
        elif block == "fence":  # it was nested in a list that a log has parted it from
            yield start, end, _fence(text[start:end])
        else:
            yield from _images(text, start, end)


def _images(text: str, start: int, end: int) -> Iterator[tuple[int, int, Payload]]:
    """Find the lines of a paragraph that are images; `![]()` is one unless prose is around it."""
    lines = text[start:end].split("\n")[1:]
    images = [ImageReference.of(line.strip()) for line in lines]
    alone = all(images)
    for line, image in zip(lines, images, strict=True):
        end = start + 1 + len(line)
        if image and (alone or not line.lstrip().startswith("![")):
            yield start, end, image
        start = end


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the fences, indented code and paragraphs at the top level, with their offsets."""
    # The middle of a long line does not tell where blocks begin, and each rule may walk through
    # it; a backtick there does, in what would be a fence's info string.
    clipped = re.sub(
        rf"(?m)^([^\n]{{{CLIPPED}}})([^\n]+)([^\n]{{{CLIPPED}}})$",
        lambda line: line[1] + "`" * ("`" in line[2]) + line[3],
        text[1:],
    )
    lines = [*(line.start() for line in re.finditer("\n", text)), len(text)]
    parser = _parser()
    # The block parser alone: inline structure is for who renders it, and superlinear.
    for token in parser.block.parse(clipped, parser, {}, []) or ():
        if token.level == 0 and token.map and token.type in _BLOCKS:
            yield token.type, lines[token.map[0]], lines[token.map[1]]


_BLOCKS = {"fence", "code_block", "paragraph_open"}


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # A link definition parts no other blocks than a paragraph does; to collect them is superlinear.
    return MarkdownIt("commonmark").disable("reference")


def _fence(block: str) -> Payload:
    """Give a fence's content as what its info string says that it is."""
    opening, _, content = block[1:].partition("\n")
    bare = opening.lstrip(" ")
    info = bare.lstrip(bare[:1])
    mark = bare[: len(bare) - len(info)]
    text, _, last = content.rpartition("\n")
    closing = re.fullmatch(_CLOSING, "\n" + last)
    if not closing or not closing[1].startswith(mark):
        text = content.removesuffix("\n")
    if indent := len(opening) - len(bare):
        text = re.sub(rf"(?m)^ {{1,{indent}}}", "", text)
    return _fenced(text, next(iter(info.lower().split(None, 1)), None))


def _fenced(text: str, language: str | None) -> Payload:
    if re.search(ANSI, text):
        return RawLog(text=text, ansi=True)
    if language in {"diff", "patch"}:
        return Diff(text=text)
    if language in {"html", "htm", "xhtml"} and _is_html("\n" + text.strip()):
        return HtmlFile(text=text)
    if language in {"json", "jsonl", "jsonlines", "ndjson"} and (value := Json.of(text.strip())):
        return Json(text=text, lines=value.lines)
    return CodeBlock(text=text, language=language)


def _is_html(text: str) -> bool:
    """Tell a whole HTML document from a part of one."""
    opening = re.match(_OPENING, text)
    return bool(opening and opening["html"] and re.search(_HTML_END, text[-100:]))


def _markdown(text: str) -> Iterator[Markdown]:
    if trimmed := _trimmed(text):
        yield Markdown(text=trimmed)


def _trimmed(text: str) -> str:
    """Drop the blank lines around a text and its last line end, no more."""
    stop = len(text.rstrip())
    start = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 if stop else 0
    end = text.find("\n", stop) if stop else 0
    return text[start : end if end >= 0 else None]
