# SPDX-License-Identifier: Apache-2.0
"""``agentframes sanitize``: what a CLI printed without keys, names and paths."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence

import msgspec

from agentframes.capturing.known import is_telling
from agentframes.capturing.sanitizing import (
    Known,
    Report,
    Sanitizer,
    look_through,
    opened,
    sanitize_file,
    sanitize_folder,
    sanitized,
    this_machine,
)
from agentframes.commands import USAGE, complain, drop_output
from agentframes.commands.arguments import Parser, UsageError, source, writable, write
from agentframes.errors import AgentframesError, SourceError

FOUND = 1
SCHEMA_VERSION = 1

_DESCRIPTION = """\
Take out of what a CLI printed what must not be shown around: home and working folders, names of
users and hosts, e-mail addresses, keys and tokens. A file or stdin is written to stdout; a capture
folder (stdout.jsonl, stderr.txt, capture.toml) needs --into or --in-place. Of a line only the texts
in which something was found are written anew: all lines keep their JSON's shape, and what facts
are made of stays. The same value has the same placeholder in all of the capture."""

_EPILOG = """\
This machine's home, user and host names are always looked for, unless a name is shorter than three
characters or a common word. What was replaced is told on stderr, by rule and number, never a value.
No program knows a secret that looks like a plain word: read through what you publish.

exit status: 0; 1 something would be replaced (--check); 2 usage, or unreadable or unwritable
files; 130 interrupted"""


def run(arguments: Sequence[str]) -> int:
    """Sanitize one input; return the exit status."""
    options = _parser().parse_args(arguments)
    is_folder = options.path != "-" and os.path.isdir(options.path)
    _refuse_nonsense(options, is_folder=is_folder)
    try:
        known = _known(options)
        report = _folder(options, known) if is_folder else _file(options, Sanitizer(known))
    except ValueError as error:
        raise UsageError(f"sanitize: {error}") from error
    except BrokenPipeError:  # who has seen enough gets no report
        drop_output()
        return 0
    except AgentframesError as error:
        complain(f"sanitize: {error}")
        return USAGE
    _tell(report, options)
    return FOUND if options.check and report.total else 0


def _refuse_nonsense(options: Namespace, *, is_folder: bool) -> None:
    written = options.check or options.in_place or options.into is not None
    if is_folder and not written:
        raise UsageError("sanitize: a folder needs --into DIR or --in-place (or --check)")
    if options.path == "-" and (options.in_place or options.into is not None):
        raise UsageError("sanitize: what comes from stdin goes to stdout")
    if options.json and not written:
        raise UsageError("sanitize: --json needs --check, --into or --in-place: stdout is taken")


def _known(options: Namespace) -> Known:
    """Add what the options tell to what is known of this machine."""
    machine = this_machine()
    paths = dict(machine.paths)
    for path, shown in (
        *((path, "~") for path in options.home),
        *((path, "/workspace/project") for path in options.project),
        *options.replace,
    ):
        # A path of Windows is none of this system's to look at.
        absolute = path if re.match(r"[A-Za-z]:[\\/]", path) else os.path.abspath(path)
        paths[absolute] = shown
        paths.setdefault(os.path.realpath(absolute) if absolute != path else path, shown)
    if not all(is_telling(name.lower()) for name in (*options.user, *options.host)):
        complain("sanitize: a name that is a common word or under 3 characters is not looked for")
    return Known(paths, (*machine.users, *options.user), (*machine.hosts, *options.host))


def _folder(options: Namespace, known: Known) -> Report:
    target = None if options.check else options.path if options.in_place else options.into
    return sanitize_folder(options.path, target, known)


def _file(options: Namespace, sanitizer: Sanitizer) -> Report:
    path: str = options.path
    if path == "-":
        for line in sanitized(source("-"), "stdin", sanitizer):
            _put(line, check=options.check)
    elif options.check:
        sanitize_file(path, None, sanitizer)
    elif options.in_place:
        sanitize_file(path, path, sanitizer)
    elif options.into is not None:
        try:
            os.makedirs(options.into, exist_ok=True)
        except OSError as error:
            raise SourceError(
                f"--into {writable(options.into)}: {(error.strerror or str(error)).lower()}"
            ) from error
        sanitize_file(path, os.path.join(options.into, os.path.basename(path)), sanitizer)
    else:
        look_through(path, sanitizer)
        with opened(path) as file:
            for line in sanitized(file, path, sanitizer):
                _put(line)
    return sanitizer.report


def _put(line: bytes, *, check: bool = False) -> None:
    if not check:
        sys.stdout.buffer.write(line)


def _tell(report: Report, options: Namespace) -> None:
    """Say what was done: as JSON on stdout, or in a line on stderr."""
    name = "stdin" if options.path == "-" else writable(options.path)
    if options.json:
        whole = {"schema_version": SCHEMA_VERSION, "source": name, **msgspec.to_builtins(report)}
        write(msgspec.json.encode(whole).decode() + "\n")
        return
    sys.stdout.flush()
    found = ", ".join(
        f"{rule} {count}" + (f" ({report.values[rule]} different)" if count > 1 else "")
        for rule, count in report.found.items()
    )
    told = f"{report.changed} of {report.lines} lines {'would be ' * options.check}changed"
    left = f"; no part of a capture, and left: {', '.join(report.left)}" if report.left else ""
    complain(f"sanitize: {name}: {told}: {found or 'nothing was found'}{left}")


def _replacement(text: str) -> tuple[str, str]:
    path, sign, shown = text.rpartition("=")
    if not sign or not path or not shown:
        raise ArgumentTypeError(f"not PATH=PLACEHOLDER: {text!r}")
    return path, shown


def _parser() -> Parser:
    parser = Parser("agentframes sanitize", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("path", metavar="PATH", help="a file, a capture folder, or - for stdin")
    where = parser.add_mutually_exclusive_group().add_argument
    where("--into", metavar="DIR", help="write there; for a folder, DIR is made")
    where("--in-place", action="store_true", help="write over what is there, all of it or none")
    where("--check", action="store_true", help="write nothing, exit 1 if there is what to replace")
    add("--home", metavar="P", action="append", default=[], help="a home folder, shown as ~")
    add(
        "--project",
        metavar="P",
        action="append",
        default=[],
        help="a working folder, shown as /workspace/project",
    )
    add(
        "--replace",
        metavar="P=SHOWN",
        type=_replacement,
        action="append",
        default=[],
        help="any other folder, shown as you say: /opt/cli for the CLI's, /opt/tools for helpers",
    )
    add("--user", metavar="NAME", action="append", default=[], help="a user's name; repeat it")
    add("--host", metavar="NAME", action="append", default=[], help="a host's name; repeat it")
    add("--json", action="store_true", help="tell what was replaced as one JSON object, on stdout")
    return parser
