# SPDX-License-Identifier: Apache-2.0
"""``agentframes runs``: what was run here, how it ended, what it cost, and how to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from agentframes.commands.arguments import Parser, whole_number, write

if TYPE_CHECKING:
    from agentframes.live.keeping import Kept

MAX_PROMPT = 48

_DESCRIPTION = """\
List the runs that `agentframes run` has kept, the newest first: engine and version, how it ended,
what it cost, the session, and what was asked. `agentframes show FOLDER` shows one again."""

_EPILOG = """\
exit status: 0; 2 usage"""


def run(arguments: Sequence[str]) -> int:
    """List runs; return the exit status."""
    parser = Parser("agentframes runs", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("--engine", metavar="NAME", help="of this engine alone")
    add("--limit", metavar="N", type=whole_number, default=20, help="so many at most (20)")
    add("--keep-in", metavar="DIR", help="where runs are kept")
    add("--json", action="store_true", help="print one JSON object a run")
    options = parser.parse_args(arguments)
    from agentframes.live import keeping

    found = keeping.runs(options.keep_in or keeping.place())
    wanted = (one for one in found if options.engine in {None, one.engine})
    for kept in islice(wanted, options.limit):
        write(_json(kept) if options.json else "".join(_lines(kept)))
    return 0


def _json(kept: Kept) -> str:
    import msgspec

    return msgspec.json.encode(kept).decode() + "\n"


def _lines(kept: Kept) -> Iterable[str]:
    from agentframes.terminal.plain import amount, dollars, duration, one_line

    how = kept.status
    if kept.reason not in {None, "completed"}:
        how += f" ({kept.reason})"
    told = [kept.started or "?", f"{kept.engine or '?'} {kept.version or ''}".strip(), how]
    if kept.cost_usd is not None:
        told.append(dollars(kept.cost_usd))
    if kept.total_tokens is not None:
        told.append(amount(kept.total_tokens, "tokens"))
    if kept.wall_seconds is not None:
        told.append(duration(kept.wall_seconds * 1000))
    yield "  ".join(one_line(word) for word in told) + "\n"
    if kept.prompt:
        prompt = one_line(kept.prompt)
        yield f"  {prompt[:MAX_PROMPT]}{'…' * (len(prompt) > MAX_PROMPT)}\n"
    if kept.session_id and kept.engine:
        yield f"  agentframes run {kept.engine} PROMPT --resume {one_line(kept.session_id)}\n"
    yield f"  {one_line(kept.folder)}\n"
