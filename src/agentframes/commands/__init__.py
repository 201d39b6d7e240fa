# SPDX-License-Identifier: Apache-2.0
"""The command line: one module a command, imported when it is called.

Results go to stdout, everything else to stderr; a misuse is one line there, never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from agentframes.errors import AgentframesError

USAGE = 2
INTERRUPTED = 130

COMMANDS = {
    "read": "tell the facts of finished runs: engine, session, outcome, cost, time, answer",
    "show": "the conversation in the terminal: messages, tools, plans, whatever is new",
    "run": "start an installed CLI, watch it live, keep all of it, get the facts",
    "runs": "the runs that were kept: how they ended, what they cost, how to go on",
    "doctor": "which CLIs are installed, and whether they can be read",
    "play": "what a capture's CLI printed, byte for byte, at its own times",
    "check": "hold output against what the captured versions print: new, missing, changed",
    "schema": "the JSON Schema of facts and of events",
    "capture": "real output of an installed CLI, made without account or network",
    "sanitize": "take keys, names and paths out of what a CLI printed",
    "corpus": "learn the fields of frames from the captures of a checkout",
    "matrix": "write the pages that tell which frames are recognized, and what is made of them",
}

_HELP = """\
usage: agentframes COMMAND [ARGUMENT…]

Reads what coding-agent CLIs print.

commands:
{commands}

  agentframes COMMAND --help   tells a command's arguments
  agentframes --version        tells the version
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:
        complain("stdout is closed: there is nowhere to write to")
        return USAGE
    try:
        return _run(arguments)
    except AgentframesError as error:
        complain(str(error))
        return USAGE
    except BrokenPipeError:
        drop_output()
        return 0
    except OSError as error:
        drop_output()  # or closing it would fail again
        complain(f"cannot write the result: {(error.strerror or str(error)).lower()}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "help"):
        listed = "\n".join(f"  {command:<8} {what}" for command, what in COMMANDS.items())
        sys.stdout.write(_HELP.format(commands=listed))
        return 0
    if name in ("-V", "--version"):
        from agentframes import __version__

        sys.stdout.write(f"agentframes {__version__}\n")
        return 0
    if name not in COMMANDS:
        problem = f"unknown command {name!r}" if name else "a command is missing"
        complain(f"{problem}; commands: {', '.join(COMMANDS)} (agentframes --help tells more)")
        return USAGE
    _import_msgspec()
    run = import_module(f"agentframes.commands.{name}").run
    status: int = run(arguments[1:])
    return status


def _import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, a seventh of the start where it is there.

    msgspec asks for it first and takes `typing` where there is none, which has all of it since
    Python 3.11. Only this process, whose modules are ours, does so; `import agentframes` does not.
    """
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
        try:
            import msgspec  # noqa: F401 - those who need it find it imported
        finally:
            del sys.modules["typing_extensions"]


def complain(message: str) -> None:
    """Say one line on stderr."""
    if sys.stderr is not None:
        line = " ".join(message.split())
        data = f"agentframes: {line}\n".encode("utf-8", "replace")
        sys.stderr.buffer.write(data)
        sys.stderr.flush()


def drop_output() -> None:
    """Let go of stdout: its reader has gone, and what is left in the buffer has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
