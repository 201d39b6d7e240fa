# SPDX-License-Identifier: Apache-2.0
"""``agentframes corpus learn``: the fields of every captured kind, into the engines' packages."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence

from agentframes import captures, engines, manifests
from agentframes.commands import USAGE, complain
from agentframes.commands.arguments import Parser
from agentframes.errors import SourceError
from agentframes.reading import observe
from agentframes.walk import Seen, learned

DIFFERENT = 1

_DESCRIPTION = """\
Learn from a corpus of captures (ENGINE/VERSION/SCENARIO) which fields each kind of frame has, of
which JSON types, in which versions, and whether they are always there; and write that to the
fields.json of the engines' packages. This is for a checkout of the project."""

_EPILOG = """\
exit status: 0 written, or as it should be; 1 a fields.json differs (--check); 2 usage or
unreadable captures"""


def run(arguments: Sequence[str]) -> int:
    """Learn every engine that the corpus holds; return the exit status."""
    options = _parser().parse_args(arguments)
    names = [name for name in engines.names() if os.path.isdir(_join(options.corpus, name))]
    if not names:
        complain(f"corpus: {options.corpus}: no folder of an engine in it")
        return USAGE
    different = [name for name in names if not _learn(name, options)]
    return DIFFERENT if different else 0


def _learn(name: str, options: Namespace) -> bool:
    """Write an engine's fields, or compare them; False where they differ."""
    path = manifests.fields_path(manifests.package(engines.get(name)) or "")
    written = manifests.encode(name, learned(_captures(_join(options.corpus, name))))
    if options.check:
        same = _read(path) == written
        if not same:
            complain(f"corpus: {path} is not what the corpus shows: run agentframes corpus learn")
        return same
    with open(path, "w", encoding="utf-8") as file:
        file.write(written)
    sys.stdout.write(f"{path}: {len(written.encode())} bytes\n")
    return True


def _captures(folder: str) -> Iterator[tuple[str, Seen]]:
    """Yield what the runs of each capture hold, with their version; made-up ones teach nothing."""
    for version in manifests.in_order(_folders(folder)):
        for scenario in sorted(_folders(_join(folder, version))):
            path = _join(folder, version, scenario)
            if captures.open_folder(path).synthetic:
                continue
            for facts in observe(path):
                yield version, facts.seen  # type: ignore[attr-defined]


def _folders(path: str) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(path) if entry.is_dir()]
    except OSError as error:
        raise SourceError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def _join(*parts: str) -> str:
    return os.path.join(*parts)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _parser() -> Parser:
    parser = Parser("agentframes corpus", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("what", choices=["learn"], help="what to do with the corpus")
    add("--corpus", metavar="DIR", default="corpus", help="where the captures are (corpus)")
    add("--check", action="store_true", help="compare, and write nothing")
    return parser
