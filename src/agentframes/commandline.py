# SPDX-License-Identifier: Apache-2.0
"""The command line that calls an engine, fresh or resumed; nothing is started here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from agentframes import engines
from agentframes.engines.invocation import Command, Permission, Request
from agentframes.errors import CommandError


def command(
    engine: str,
    prompt: str,
    *,
    resume: str | None = None,
    model: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    schema: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    permission: Permission | None = None,
    max_turns: int | None = None,
    partial: bool = False,
    extra: Iterable[str] = (),
) -> Command:
    """Return the arguments that make an engine print frames, and what to write to its stdin.

    Args:
        engine: the engine's name.
        prompt: what to ask. It goes to stdin where the engine reads it from there.
        resume: the id of a session to go on with.
        model: the engine's own name of a model.
        cwd: where the agent works; also passed as an option where the engine has one.
        schema: a JSON Schema for the answer, or the path of a file that holds one.
        permission: what the agent may do unasked (``read-only``, ``edits``, ``all``); None leaves
            the engine's own default, but for copilot, which needs ``all`` without a terminal.
        max_turns: the most turns, where the engine has an option for that.
        partial: print messages while they are written, where the engine can.
        extra: options of the engine's own, as they are.

    Raises:
        UnknownEngineError: no engine has that name.
        CommandError: the engine has no option for what was asked, or the prompt is too long for
            an argument.
        SourceError: the schema's file cannot be read.
    """
    if isinstance(extra, str):
        raise CommandError("extra is a list of options, not one text")
    if max_turns is not None and max_turns < 1:
        raise CommandError("max_turns is at least 1")
    for name, value in (("resume", resume), ("model", model)):
        if value is not None and (not value or value.startswith("-")):
            raise CommandError(f"{name} cannot be empty or begin with a dash: {value!r}")
    request = Request(
        prompt=prompt,
        resume=resume,
        model=model,
        cwd=None if cwd is None else os.fspath(cwd),
        schema=os.fspath(schema) if isinstance(schema, os.PathLike) else schema,
        permission=permission,
        max_turns=max_turns,
        partial=partial,
        extra=tuple(extra),
    )
    return engines.get(engine).command_line(request)
