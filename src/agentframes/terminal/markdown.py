# SPDX-License-Identifier: Apache-2.0
"""Markdown as rich paints it, but for what would lose a character or pass one on unseen.

Tags stay as they were written, for a terminal has no use for them; so do images, whose paths
would be left out. A link's address stands beside it, since a hyperlink is an escape sequence.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box, markdown
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from agentframes.terminal.code import code
from agentframes.terminal.paper import Hung

MAX_PARSED = 60_000  # characters; markdown-it takes more than linear time for some texts
MAX_LINE = 4_000


def rendered(text: str) -> RenderableType:
    """Paint Markdown; a text too long to parse is shown as it was written."""
    if len(text) > MAX_PARSED or max(map(len, text.split("\n"))) > MAX_LINE:
        return Text(text)
    painted = copy(_blank())
    painted.parsed = _parser().parse(text)
    _keep_line_ends(painted.parsed)
    return _Tight(painted)


class _Tight:
    """A renderable without the blank lines around it."""

    def __init__(self, body: RenderableType) -> None:
        self._body = body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._body, options, pad=False)
        shown = [bool("".join(segment.text for segment in line).strip()) for line in lines]
        if any(shown):
            for line in lines[shown.index(True) : len(lines) - shown[::-1].index(True)]:
                yield from line
                yield Segment.line()


class _Heading(markdown.Heading):
    """A heading at the left, with the marks that tell its level where there is no bold."""

    def __rich_console__(self, _: Console, __: ConsoleOptions) -> RenderResult:
        yield Text.styled("#" * int(self.tag[1:]) + " ", "dim").append_text(self.text)


class _Code(markdown.CodeBlock):
    """Code within a list or a quotation."""

    def __rich_console__(self, _: Console, __: ConsoleOptions) -> RenderResult:
        yield Hung(code(str(self.text).rstrip("\n"), self.lexer_name), Text.styled("│ ", "dim"))


class _Table(markdown.TableElement):
    """A table without edges, whatever rich's releases give it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                table.box, table.show_edge = box.SIMPLE, False
                table.pad_edge, table.collapse_padding = False, True
            yield table


class _Rule(markdown.HorizontalRule):
    new_line = True

    def __rich_console__(self, _: Console, __: ConsoleOptions) -> RenderResult:
        yield Rule(style="markdown.hr")


class _Item(markdown.ListItem):
    """An item of a list; a number has its dot."""

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        """Paint an item with its number."""
        sign = f"{number}.".rjust(len(str(last_number)) + 2) + " "
        item = Hung(self.elements, Text.styled(sign, "markdown.item.number"), Text(" " * len(sign)))
        yield from console.render(item, options)


class _Markdown(markdown.Markdown):
    elements: ClassVar[dict[str, type[markdown.MarkdownElement]]] = {
        **markdown.Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _Table,
        "list_item_open": _Item,
        "hr": _Rule,
    }


@cache
def _blank() -> _Markdown:
    """Make one to copy: each new one sets up a parser that is not used."""
    return _Markdown("", hyperlinks=False)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    return parser.disable(["image", "html_block", "html_inline"])


def _keep_line_ends(tokens: Iterable[Token]) -> None:
    """Keep the lines that the agent wrote: it means them, other than a Markdown file does."""
    for token in tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
