# SPDX-License-Identifier: Apache-2.0
"""``agentframes doctor``: which CLIs are here, and whether they can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from agentframes.commands.arguments import Parser, write

UNUSABLE = 1

_DESCRIPTION = """\
Look at the CLIs that are installed: where each is, which version, how far that is from the captured
versions that agentframes was tested with, and whether it knows the option that makes it print
frames. Nothing is asked of any model."""

_EPILOG = """\
exit status: 0 all that is installed (or named) can be used; 1 some cannot, or nothing is installed;
2 usage"""


class Found(Struct, kw_only=True, frozen=True):
    """What was found of one engine."""

    engine: str
    usable: bool
    path: str | None = None
    version: str | None = None
    captured: bool = False
    """Whether the version itself was tested."""
    nearest: str | None = None
    """The nearest version that was."""
    flag: str | None = None
    """The option that makes it print frames."""
    flag_known: bool | None = None
    """Whether its help names that option; None: its help tells nothing."""
    problem: str | None = None


def run(arguments: Sequence[str]) -> int:
    """Look at engines; return the exit status."""
    parser = Parser("agentframes doctor", _DESCRIPTION, _EPILOG)
    parser.add_argument("engine", metavar="ENGINE", nargs="*", help="look at these alone")
    parser.add_argument("--json", action="store_true", help="print one JSON object an engine")
    options = parser.parse_args(arguments)
    from agentframes import engines

    for name in options.engine:
        engines.get(name)
    found = []
    for name in options.engine or engines.names():
        one = look(name)
        write(_json(one) if options.json else "".join(_lines(one)))
        found.append(one)
    here = found if options.engine else [one for one in found if one.path]
    return 0 if here and all(one.usable for one in here) else UNUSABLE


def look(engine: str) -> Found:
    """Look at one engine's CLI."""
    from agentframes import engines
    from agentframes.live import installed

    told = engines.installation(engine)
    try:
        one = installed.find(engine)
    except installed.NotInstalledError as error:
        return Found(engine=engine, usable=False, problem=str(error))
    code, words = installed.ask(one.path, *told.help)
    known = told.flag in words if code == 0 else None
    problem = None
    if one.version is None:
        problem = "it does not tell its version"
    elif known is False:
        problem = f"it does not know {told.flag}: npm install -g {told.package}@latest"
    elif known is None:
        problem = "it does not tell its options"
    return Found(
        engine=engine,
        usable=problem is None,
        path=one.path,
        version=one.version,
        captured=one.captured,
        nearest=one.nearest,
        flag=told.flag,
        flag_known=known,
        problem=problem,
    )


def _json(found: Found) -> str:
    import msgspec

    return msgspec.json.encode(found).decode() + "\n"


def _lines(found: Found) -> Iterator[str]:
    if found.path is None:
        yield f"{found.engine:<9} not installed: {(found.problem or '').rpartition(': ')[2]}\n"
        return
    near = f"; the nearest is {found.nearest}" if found.nearest else ""
    tested = "tested" if found.captured else f"not tested{near}"
    yield f"{found.engine:<9} {found.version or 'version not told'} ({tested})\n"
    yield f"{'':<9} {found.path}\n"
    if found.problem:
        yield f"{'':<9} not usable: {found.problem}\n"
