# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as the page docs/performance.md; whether a target is reached is computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

HEAD = """\
# {title}

`make bench` writes this page; nothing in it is written by hand. A ratio above 1 means that
agentframes is faster. All numbers of one table are from one run on one machine, in turns, best
of several: minimum against minimum. The machine was shared, so seconds are not worth comparing
with another day's; ratios are.
"""


@dataclass(frozen=True)
class Check:
    """A target beside what was measured."""

    what: str
    measured: float
    target: float
    unit: str = "x"
    at_most: bool = False
    exactly: bool = False  # a count

    @property
    def reached(self) -> bool:
        """Whether the measured value, unrounded, is on the right side."""
        if self.exactly:
            return self.measured == self.target
        if self.at_most:
            return self.measured <= self.target
        return self.measured >= self.target

    def row(self) -> list[str]:
        """Return the cells of its row."""
        if self.exactly:
            wanted, told = f"= {self.target:,.0f}", f"{self.measured:,.0f}"
        else:
            sign = "≤" if self.at_most else "≥"
            wanted, told = f"{sign} {self.target:g}", f"{self.measured:.2f}"
        return [self.what, f"{wanted} {self.unit}", f"{told} {self.unit}", yes(self.reached)]


@dataclass
class Section:
    """A part of the page: words, a table, and the targets that it settles."""

    title: str
    header: Sequence[str]
    words: str = ""
    rows: list[Sequence[str]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return it as Markdown, which reads well in a terminal, too."""
        parts = [f"## {self.title}", self.words, table(self.header, self.rows)]
        if self.notes:
            parts.append("\n".join(f"- {note}" for note in self.notes))
        return "\n\n".join(part.strip() for part in parts if part) + "\n"


def yes(told: bool) -> str:  # noqa: FBT001 - a word for a truth value
    """Say yes, or no where it is seen."""
    return "yes" if told else "**no**"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align a Markdown table, so that it can be read as it stands; numbers to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    right = [all(_numeric(line[column]) for line in lines[1:]) for column in range(len(header))]
    printed = [_line(line, widths, right) for line in lines]
    rule = [
        "-" * (width - 1) + (":" if flush else "-")
        for width, flush in zip(widths, right, strict=True)
    ]
    return "\n".join([printed[0], _line(rule, widths, right), *printed[1:]]) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    ]
    return "| " + " | ".join(padded) + " |"


def _numeric(cell: str) -> bool:
    return cell[:1].isdigit() or cell == "-"


def page(
    title: str, machine: Sequence[tuple[str, str]], sections: Sequence[Section], how: str
) -> str:
    """Return the whole page."""
    checks = [check for section in sections for check in section.checks]
    targets = Section("Targets", ["what", "target", "measured", "reached"])
    targets.rows = [check.row() for check in checks]
    where = Section("Measured on", ["", ""], words=how, rows=list(machine))
    parts = [HEAD.format(title=title), *(section.text() for section in (targets, where, *sections))]
    return "\n".join(parts)
