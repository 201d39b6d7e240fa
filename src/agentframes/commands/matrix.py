# SPDX-License-Identifier: Apache-2.0
"""``agentframes matrix``: the pages that tell what is recognized, and what is made of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agentframes.commands import USAGE, complain
from agentframes.commands._matrix import captured, native, page
from agentframes.commands.arguments import Parser
from agentframes.errors import SourceError

DIFFERENT = 1
COMPATIBILITY = "cli-frame-compatibility.md"
NATIVE = "native-output.md"

_DESCRIPTION = f"""\
Write {COMPATIBILITY} (which frames of which versions are recognized, and what
they are rendered as) and the tables of {NATIVE} (where each fact comes from), from the
engines' packages and a corpus of captures (ENGINE/VERSION/SCENARIO). This is for a checkout of the
project."""

_EPILOG = """\
exit status: 0 written, or as it should be; 1 a page is stale (--check); 2 usage, or this is no
checkout"""


def run(arguments: Sequence[str]) -> int:
    """Write the pages, or compare them; return the exit status."""
    options = _parser().parse_args(arguments)
    if not captured.names(options.corpus):
        complain(f"matrix: {options.corpus}: no folder of an engine in it; is this a checkout?")
        return USAGE
    pages = {
        options.docs / COMPATIBILITY: page.page(options.corpus),
        options.docs / NATIVE: native.filled(_read(options.docs / NATIVE), options.corpus),
    }
    stale = [path for path, text in pages.items() if not path.exists() or _read(path) != text]
    if options.check:
        for path in stale:
            complain(f"matrix: {path} is stale: run agentframes matrix")
        return DIFFERENT if stale else 0
    for path, text in pages.items():
        _write(path, text)
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8") from error
    except OSError as error:
        raise SourceError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8")
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SourceError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    sys.stdout.write(f"{path}: {len(data)} bytes\n")


def _parser() -> Parser:
    parser = Parser("agentframes matrix", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add(
        "--corpus",
        metavar="DIR",
        type=Path,
        default=Path("corpus"),
        help="where the captures are (corpus)",
    )
    add("--docs", metavar="DIR", type=Path, default=Path("docs"), help="where the pages are (docs)")
    add("--check", action="store_true", help="compare, and write nothing")
    return parser
