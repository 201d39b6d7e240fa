# SPDX-License-Identifier: Apache-2.0
"""What is painted on: a console without surprises, margins, and a last look at all that is printed.

No cursor is moved and nothing is overwritten, so that a pager or a file takes it as well; but for
the line at the foot of a live run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, BinaryIO, Literal, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text
from rich.theme import Theme

from agentframes.terminal.plain import SIMPLER, clean

ColorChoice = Literal["auto", "always", "never"]
ColorSystem = Literal["standard", "256", "truecolor"]

PIPED_WIDTH = 80
NARROWEST, WIDEST = 10, 1000

_THEME = Theme({
    "markdown.code": "cyan",
    "markdown.block_quote": "dim",
    "markdown.item.bullet": "dim",
    "markdown.item.number": "dim",
    "markdown.hr": "dim",
    "markdown.h1": "bold underline",
    **dict.fromkeys(("markdown.h2", "markdown.h3", "markdown.h4", "markdown.h5"), "bold"),
    "markdown.h6": "bold",
    "markdown.link": "underline",
    "markdown.link_url": "dim",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
})  # fmt: skip


class Signs(NamedTuple):
    """The signs that rows begin with; each set is of one width."""

    ok: str = "✓"
    failed: str = "✗"
    denied: str = "⊘"
    unfinished: str = "…"
    completed: str = "☑"
    in_progress: str = "▶"
    pending: str = "☐"
    cancelled: str = "✗"
    user: str = "▸"
    agent: str = "●"
    reasoning: str = "∴"
    prompt: str = "▷"
    burst: str = "◆"
    plan: str = "▤"
    status: str = "·"
    warn: str = "!"
    error: str = "✗"
    drift: str = "‼"
    asks: str = "?"
    image: str = "▣"
    tokens: str = "∑"
    next_step: str = "→"
    bar: str = "┃"
    quoted: str = "│"
    rule: str = "─"


ASCII = Signs(
    ok="+", failed="x", denied="!", unfinished="~",
    completed="[x]", in_progress="[>]", pending="[ ]", cancelled="[-]",
    user=">", agent="*", reasoning="%", prompt=">", burst="#", plan="=", status="-", warn="!",
    error="x", drift="!!", asks="?", image="@", tokens="$", next_step=">", bar="|", quoted="|",
    rule="-",
)  # fmt: skip


class Look(NamedTuple):
    """How much to show."""

    verbose: bool = False
    """What is folded away otherwise: reasoning, inputs, outputs, tokens."""
    trace: bool = False
    """Where each row stands in the file, and its kind."""


class Output:
    """The text file that rich writes to; an encoding with few characters gets simpler ones."""

    def __init__(self, binary: BinaryIO | IO[bytes], encoding: str | None) -> None:
        self._binary = binary
        self.encoding = encoding or "utf-8"

    def write(self, text: str) -> int:
        """Write text."""
        self._binary.write(text.encode(self.encoding, SIMPLER))
        return len(text)

    def flush(self) -> None:
        """Have all that was written go out."""
        self._binary.flush()


class _Console(Console):
    """A console whose reader may go away; what that means is not its business."""

    def on_broken_pipe(self) -> None:
        """Leave the end to the command."""
        raise BrokenPipeError


class Paper:
    """Prints renderables, and knows which signs can be shown."""

    def __init__(
        self,
        file: Output | IO[str],
        *,
        width: int,
        colors: ColorSystem | None,
        interactive: bool = False,
    ) -> None:
        self.console = _Console(
            file=file,  # type: ignore[arg-type]
            width=min(max(width, NARROWEST), WIDEST),
            height=100,
            color_system=colors,
            force_terminal=interactive or colors is not None,
            force_interactive=interactive,
            legacy_windows=False,
            no_color=False,  # asked already: see `color_system`
            markup=False,
            emoji=False,
            highlight=False,
            theme=_THEME,
        )
        self.signs = ASCII if not _encodes("".join(Signs()), self.console.encoding) else Signs()

    def put(self, renderable: RenderableType, margin: Text | None = None) -> None:
        """Print something behind a margin."""
        self.console.print(_Looked(Hung(renderable, margin or Text())), end="")

    def rule(self, title: Text, style: str) -> None:
        """Print a line from edge to edge with its title at the left."""
        rule = Text(no_wrap=True, overflow="ellipsis").append(f"{self.signs.rule * 2} ", style)
        rule.append_text(title)
        left = self.console.width - rule.cell_len - 1
        rule.append(f" {self.signs.rule * left}" if left > 0 else "", style)
        self.put(rule)


class Hung:
    """A renderable behind a margin, which may be another one on the first line."""

    def __init__(self, body: RenderableType, first: Text, rest: Text | None = None) -> None:
        self._body = body
        self._first = first
        self._rest = first if rest is None else rest

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, options.max_width - self._first.cell_len)
        inner = options.update(width=width, height=None)
        for number, line in enumerate(console.render_lines(self._body, inner, pad=False)):
            yield from (self._rest if number else self._first).render(console)
            yield from line
            yield Segment.line()


def hung(body: RenderableType, sign: str, style: str, indent: int = 0) -> Hung:
    """Put a sign before a renderable."""
    first = Text(" " * indent).append(f"{sign} ", style)
    return Hung(body, first, Text(" " * first.cell_len))


def stacked(*parts: RenderableType | None) -> Group:
    """Put one under the other what there is."""
    return Group(*(part for part in parts if part is not None))


class OneLine:
    """A line of which only the middle gives way where there is no room."""

    ROOM = 12  # cells; with less, nothing gives way and the line is wrapped

    def __init__(self, head: Text, subject: Text, meta: Text) -> None:
        self._head, self._subject, self._meta = head, subject, meta

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - self._head.cell_len - self._meta.cell_len
        subject = self._subject.copy()
        if room >= self.ROOM:
            subject.truncate(room, overflow="ellipsis")
        yield Text.assemble(self._head, subject, self._meta, overflow="fold")


class _Looked:
    """A renderable of which every piece is looked at once more; no blanks end a line."""

    def __init__(self, body: RenderableType) -> None:
        self._body = body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self._body, options, pad=False):
            yield from _trimmed(line)
            yield Segment.line()


def _trimmed(line: list[Segment]) -> Iterator[Segment]:
    kept = [_harmless(segment) for segment in line if not segment.control]
    while kept and not kept[-1].text.strip() and not (kept[-1].style and kept[-1].style.underline):
        kept.pop()
    if kept:
        last = kept.pop()
        kept.append(Segment(last.text.rstrip(), last.style))
    yield from kept


def _harmless(segment: Segment) -> Segment:
    text = clean(segment.text).replace("\n", " ")
    style = segment.style
    if style is not None and style.link:
        style = style.update_link(None)
    return Segment(text, style)


# --- what the terminal is ------------------------------------------------------------------------


def color_system(choice: ColorChoice, *, terminal: bool) -> ColorSystem | None:
    """Tell which colours to use, if any: as asked, else as NO_COLOR and the terminal say."""
    term = os.environ.get("TERM", "").lower()
    if choice == "never":
        return None
    if choice == "auto" and (
        not terminal or os.environ.get("NO_COLOR") or term in {"dumb", "unknown"}
    ):
        return None
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "truecolor"
    return "256" if "256color" in term else "standard"


def terminal_width(asked: int | None, *, terminal: bool) -> int:
    """Tell how wide to paint: as asked, as COLUMNS says, as the terminal is, else 80 columns."""
    if asked is not None:
        return asked
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:6]) > 0:
        return int(columns[:6])
    if terminal:
        try:
            return os.get_terminal_size(1).columns or PIPED_WIDTH
        except OSError:
            pass
    return PIPED_WIDTH


def _encodes(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
