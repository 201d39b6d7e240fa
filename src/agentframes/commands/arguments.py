# SPDX-License-Identifier: Apache-2.0
"""Argument parsing whose errors are one line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from agentframes.errors import AgentframesError


class UsageError(AgentframesError):
    """Arguments that make no sense; the message says which."""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help texts of a fixed width: asking the terminal for one imports what `read` can spare."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and exiting."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=Formatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise the one line that says what is wrong."""
        raise UsageError(f"{self.prog.split()[-1]}: {message} ({self.prog} --help tells more)")
