# SPDX-License-Identifier: Apache-2.0
"""One run of an installed CLI: started, listened to, kept, and told of.

The capture is written as the CLI prints, by a thread that does nothing else; events are made
beside it. Whatever ends the run, no process of it stays (see `orphans`).
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from agentframes import engines
from agentframes.commandline import command
from agentframes.conversation import Reader
from agentframes.engines.invocation import Command, Permission
from agentframes.errors import CommandError
from agentframes.facts.model import RunFacts, RunUsage, Stopped
from agentframes.lines import as_unicode, read_text
from agentframes.live import installed, keeping
from agentframes.live.installed import Installed
from agentframes.live.listening import Events, FactsReader, Listener
from agentframes.recording import Recording, RecordingError, Stopper, record
from agentframes.types import UNKNOWN_VERSION, FrameSource

QUIET_AFTER = 30.0  # seconds of silence that are worth a word
STDERR_READ = 256 * 1024  # bytes from its end: what it wrote last tells why


class Limits(Struct, kw_only=True, frozen=True):
    """What a run may take; None: as much as it likes."""

    timeout: float | None = None
    """Seconds in all."""
    idle_timeout: float | None = None
    """Seconds without a word."""
    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def spent(self, usage: RunUsage) -> bool:
        """Tell whether no more may be spent."""
        cost, tokens = usage.cost_usd, usage.total_tokens
        costly = self.max_cost_usd is not None and cost is not None and cost >= self.max_cost_usd
        many = self.max_tokens is not None and tokens is not None and tokens >= self.max_tokens
        return costly or many


class LiveRun:
    """A run that is prepared; `wait` starts it, and returns its facts at its end.

    Args:
        engine: the engine's name.
        prompt: what to ask.
        cli: the executable, where it is not the one in PATH.
        resume: the id of a session to go on with.
        model: the engine's own name of a model.
        cwd: where the agent works; else here.
        schema: a JSON Schema for the answer (or a file that holds one), for engines that take one.
        permission: what the agent may do unasked; see `command`.
        max_turns: the most turns, where the engine has an option for that.
        partial: have messages come while they are written, where the engine can.
        extra: options of the engine's own.
        env: the whole environment; else this process's.
        limits: what it may take.
        keep: the folder that runs are kept in; None: that of `keeping.place()`; False: the run
            is forgotten at its end.
        quiet_after: seconds of silence after which a `supervisor.wait` comes; None: never.

    Raises:
        NotInstalledError: the CLI is not there.
        CommandError: the engine has no option for what was asked, or does not tell during a run
            what a limit holds against.
    """

    def __init__(
        self,
        engine: str,
        prompt: str,
        *,
        cli: str | None = None,
        resume: str | None = None,
        model: str | None = None,
        cwd: str | os.PathLike[str] | None = None,
        schema: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        permission: Permission | None = None,
        max_turns: int | None = None,
        partial: bool = False,
        extra: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        keep: str | os.PathLike[str] | bool | None = None,
        quiet_after: float | None = QUIET_AFTER,
    ) -> None:
        self.limits = limits or Limits()
        _refuse_limits(engine, self.limits)
        self.command: Command = command(
            engine,
            prompt,
            resume=resume,
            model=model,
            cwd=None if cwd is None else os.path.abspath(cwd),  # the CLI runs in it, too
            schema=os.path.abspath(schema) if isinstance(schema, (str, os.PathLike)) else schema,
            permission=permission,
            max_turns=max_turns,
            partial=partial,
            extra=extra,
        )
        self._forget = keep is False
        self.base = keeping.place() if keep is None or isinstance(keep, bool) else os.fspath(keep)
        self.installed: Installed = installed.find(engine, cli, remember=self.base)
        self.engine, self.prompt = engine, prompt
        self.cwd = os.path.abspath(cwd or ".")
        self.folder: str | None = None
        """The capture; None before the start."""
        self.problem: str | None = None
        """Why not all of the run was kept."""
        self.usage: RunUsage | None = None
        """The account so far."""
        self.recording: Recording | None = None
        self.runs: list[RunFacts] = []
        """The facts of all runs in the output, at the end."""
        self._env = env
        self._quiet_after = quiet_after
        self._stopper = Stopper()
        self._stopped: Stopped | None = None

    def stop(self, name: str = "SIGINT", *, why: Stopped = "interrupted") -> None:
        """Send a signal to the CLI and all of its group; the second one kills them.

        May come from another thread, and from a signal handler.
        """
        self._stopped = self._stopped or why
        self._stopper.send(name, group=True)

    def wait(self, take: Callable[[Events], None] | None = None) -> RunFacts:
        """Run the CLI to its end.

        Args:
            take: is handed the events as they come, in the thread that listens. A slow one holds
                up nothing but itself; what it raises ends the run, and is raised here. Without
                one no events are made.

        Raises:
            RecordingError: the CLI cannot be started.
            KeepingError: there is no place to keep the run.
        """
        now = dt.datetime.now(tz=dt.UTC)
        keeping.prune(self.base, time.time())
        self.folder = keeping.new_folder(self.base, self.engine, now)
        try:
            facts = self._run(self.folder, now, take)
        except RecordingError:  # it never ran
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            with suppress(OSError):
                os.remove(os.path.join(self.folder, keeping.RUNNING))
            if self._forget:
                shutil.rmtree(self.folder, ignore_errors=True)
        return facts

    def _run(
        self, folder: str, now: dt.datetime, take: Callable[[Events], None] | None
    ) -> RunFacts:
        keeping.write(folder, keeping.RUNNING, str(os.getpid()).encode())
        self._keep(lambda: keeping.describe(folder, self._table(now, None)))
        listener = self._listener(folder, take)
        listener.start()
        try:
            told = self._record(folder, listener)
        except BaseException:
            listener.abandon()
            raise
        self._stopped = told.over or self._stopped
        self.problem = told.problem or self.problem
        facts = listener.close(
            exit_code=told.exit_code,
            stderr=_last(os.path.join(folder, "stderr.txt")),
            stopped=self._stopped,
        )
        self.runs = listener.runs
        self._keep(lambda: keeping.describe(folder, self._table(now, told)))
        self._keep(lambda: keeping.write(folder, keeping.FACTS, facts.to_json() + b"\n"))
        return facts

    def _record(self, folder: str, listener: Listener) -> Recording:
        def hear(piece: bytes) -> None:
            usage = listener.hear(piece)
            if usage is None:
                return
            self.usage = usage
            if self._stopped is None and self.limits.spent(usage):
                self.stop("SIGTERM", why="budget")

        self.recording = record(
            self.command.argv,
            folder,
            stdin=self.command.stdin,
            env=self._env,
            cwd=self.command.cwd,
            timeout=self.limits.timeout,
            idle_timeout=self.limits.idle_timeout,
            executable=self.installed.path,
            stopper=self._stopper,
            on_bytes=hear,
            mode=keeping.PRIVATE_FILE,
        )
        return self.recording

    def _listener(self, folder: str, take: Callable[[Events], None] | None) -> Listener:
        version = self.installed.version
        if take is None:
            facts = FactsReader(self.engine, version, folder)
            return Listener(facts, _nobody, quiet_after=None, fail=self._stopper.fail)
        source = FrameSource(self.engine, version or UNKNOWN_VERSION)
        reader = Reader(source, source=folder, prompt=self.prompt)
        quiet_after = self._quiet_after
        return Listener(reader, take, quiet_after=quiet_after, fail=self._stopper.fail)

    def _keep(self, written: Callable[[], None]) -> None:
        """Write what belongs to a run; a full disk does not end it."""
        try:
            written()
        except OSError as error:
            self.problem = self.problem or f"{error.filename}: {(error.strerror or '').lower()}"

    def _table(self, now: dt.datetime, told: Recording | None) -> dict[str, object]:
        """Gather a capture's description, and what a list of runs shows."""
        return {
            "engine": self.engine,
            "version": self.installed.version,
            "argv": [as_unicode(part) for part in self.command.argv],
            "stdin": None if self.command.stdin is None else as_unicode(self.command.stdin),
            "exit_code": told.exit_code if told else None,
            "signal": (told.signal or told.stopped) if told else None,
            "ended_by": self._stopped if told else None,
            "started": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            "cwd": as_unicode(self.cwd),
            "prompt": as_unicode(self.prompt),
            "sanitized": False,
            "synthetic": False,
        }


def _nobody(_: Events) -> None:
    """Hear no event."""


def _refuse_limits(engine: str, limits: Limits) -> None:
    tells = engines.installation(engine).tells
    asked = {"cost_usd": limits.max_cost_usd, "tokens": limits.max_tokens}
    for what, limit in asked.items():
        if limit is not None and what not in tells:
            words = "its cost" if what == "cost_usd" else "its tokens"
            raise CommandError(
                f"{engine} tells {words} at the end of a run, if at all: no limit can be held"
            )


def _last(path: str) -> str:
    """Return the end of what went to stderr."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - STDERR_READ))
            return read_text(file.read())
    except OSError:
        return ""
