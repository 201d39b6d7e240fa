# SPDX-License-Identifier: Apache-2.0
"""``agentframes check``: where output differs from what the captured versions print."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agentframes import engines, manifests
from agentframes.captures import open_folder
from agentframes.commands import USAGE, complain
from agentframes.commands.arguments import (
    Parser,
    add_version,
    named_inputs,
    source,
    writable,
    write,
)
from agentframes.commands.table import drift_words
from agentframes.drift import Baseline, baseline, told_version
from agentframes.errors import SourceError, UnknownEngineError
from agentframes.facts.findings import LEVELS
from agentframes.facts.model import Finding, RunFacts
from agentframes.lines import shown
from agentframes.reading import read_all

DRIFT = 1
_GITHUB = {"error": "error", "warn": "warning", "note": "notice"}

_DESCRIPTION = """\
Hold what a CLI printed against what its captured versions print: unknown kinds of frame, fields
that are new or missing, and types that changed. Names and types are told, never a value."""

_EPILOG = """\
A version that was captured is held against its own captures, another one against those of the
nearest, and where nothing tells the version, against those of all versions together.

exit status: 0 no drift of level error; 1 some; 2 usage, unreadable input, or no agent's output"""


def run(arguments: Sequence[str]) -> int:
    """Check every input; return the exit status."""
    options = _parser().parse_args(arguments)
    return max([_one(name, options) for name in named_inputs("check", options.path)])


def _one(name: str, options: Namespace) -> int:
    """Check one input and print what was found; return its exit status."""
    try:
        runs = read_all(
            source(name), engine=options.engine, cli_version=options.cli_version, drift=True
        )
    except UnknownEngineError:
        raise
    except SourceError as error:
        complain(f"check: {error}")
        return USAGE
    last = runs[-1]
    nothing = last.outcome.reason == "not_agent_output" and not last.frames.total
    if last.engine is None or nothing:
        complain(f"check: {shown(name)}: not agent output")
        return USAGE
    for number, facts in enumerate(runs, 1):
        write(_FORMATS[options.format](_Report(name, number, facts)))
    return DRIFT if any(one.level == "error" for facts in runs for one in facts.drift) else 0


class _Report:
    """What is told of one run."""

    def __init__(self, name: str, number: int, facts: RunFacts) -> None:
        self.source, self.number, self.facts = name, number, facts
        manifest = manifests.of(engines.get(facts.engine or ""))
        version = facts.cli_version
        self.version = told_version(version) if version else None
        self.nearest = baseline(manifest, version) if manifest else Baseline(None, captured=False)
        unknown = {one.kind for one in facts.drift if one.what == "unknown_kind"}
        self.kinds = len(getattr(facts, "seen", {})) + len(unknown)
        self.at_least = any(one.what == "left_out" for one in facts.drift)
        self.drift = sorted(facts.drift, key=lambda one: LEVELS.index(one.level))

    def engine(self) -> str:
        """Tell the engine, its version, and what it is held against."""
        nearest = self.nearest.version
        told = self.version or "(version not told)"
        if self.nearest.captured:
            against = "this version was captured"
        elif nearest is None:
            against = "held against all captured versions"
        else:
            against = f"the nearest captured version is {nearest}"
        return f"{self.facts.engine} {told}: {against}"

    def protocol(self) -> str:
        """Count what was read, in one line."""
        frames = self.facts.frames
        counts = (
            (frames.total, "frames"),
            (self.kinds, "kinds"),
            (frames.unknown, "unknown"),
            (frames.malformed, "malformed"),
            (frames.text_lines, "text lines"),
        )
        words = [f"{count} {_singular(what, count)}" for count, what in counts]
        if self.at_least:
            words[1] = f"at least {words[1]}"
        return ", ".join(words)

    def label(self) -> str:
        """Name the input, and which run of it this is."""
        several = self.facts.runs > 1
        return shown(self.source) + (
            f" (run {self.number} of {self.facts.runs})" if several else ""
        )


def _singular(what: str, count: int) -> str:
    return what.removesuffix("s") if count == 1 else what


# --- formats -------------------------------------------------------------------------------------


def _text(report: _Report) -> str:
    lines = [report.label(), f"  {report.engine()}"]
    lines += [f"  {one.level:<5}  {drift_words(one)}" for one in report.drift]
    lines.append(f"  {report.protocol()}")
    return "\n".join(lines) + "\n"


def _json(report: _Report) -> str:
    facts = report.facts
    told: dict[str, Any] = {
        "source": writable(report.source),
        "runs": facts.runs,
        "run": report.number,
        "engine": facts.engine,
        "cli_version": report.version,
        "baseline": report.nearest.version,
        "captured": report.nearest.captured,
        "frames": {**msgspec.to_builtins(facts.frames), "kinds": report.kinds},
        "drift": report.drift,
    }
    return msgspec.json.encode(told).decode() + "\n"


def _github(report: _Report) -> str:
    summary = f"checked {report.label()}: {report.engine()}; {report.protocol()}"
    lines = [*_annotations(report), summary]
    return "\n".join(lines) + "\n"


def _annotations(report: _Report) -> Iterator[str]:
    """Write GitHub's workflow commands, which show findings beside the lines of a file."""
    path = report.source
    if path != "-" and os.path.isdir(path):
        path = open_folder(path).stdout
    for one in report.drift:
        place = "" if path == "-" else f"file={_property(path)},"
        line = "" if one.line is None else f"line={one.line},"
        yield f"::{_GITHUB[one.level]} {place}{line}title={one.what}::{_message(one)}"


def _message(finding: Finding) -> str:
    return _data(drift_words(finding).removeprefix(f"{finding.what} "))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_FORMATS = {"text": _text, "json": _json, "github": _github}


def _parser() -> Parser:
    parser = Parser("agentframes check", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("path", nargs="*", metavar="PATH", help="a file, a capture folder, or - for stdin")
    add(
        "--format",
        choices=sorted(_FORMATS),
        default="text",
        help="text (the default), json, github",
    )
    add("--engine", metavar="NAME", help="the engine, where it is not to be told from the frames")
    add_version(parser)
    return parser
