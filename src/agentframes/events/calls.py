# SPDX-License-Identifier: Apache-2.0
"""One call of a tool, from its first telling to its end."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec

from agentframes.events.model import AgentTotals, Call, CallStatus, File, Image, RawRange

if TYPE_CHECKING:
    from agentframes.lazy import Lazy
    from agentframes.signals import Agent, ToolCall, ToolEnd, ToolOutput
    from agentframes.types import Span

KEPT_BYTES = 2048
"""Of each end of an output."""
MAX_RANGES = 32  # of one call; later lines join the last
SAMPLE = 120  # characters

_ENDS: dict[str, CallStatus] = {
    "ok": "ok",
    "failed": "failed",
    "invalid": "failed",
    "denied": "denied",
    "cancelled": "unfinished",
}
_DONE = {"ok": "completed", "success": "completed"}  # engines' words for the same
_UNKNOWN: Any = object()
_COMMAND_KEYS = ("command", "cmd", "script")
_SUBJECT_KEYS = (
    "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "description",
    "prompt", "subject", "question", "title", "name",
)  # fmt: skip


class Preview:
    """The begin and the end of a text that may go on for long."""

    __slots__ = ("_head", "_tail", "ends_line", "lines", "size")

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self.size = 0
        self.lines = 0
        self.ends_line = True

    def add(self, text: str) -> None:
        """Take a further piece."""
        data = text.encode("utf-8", "replace")
        if not data:
            return
        self.size += len(data)
        self.lines += data.count(b"\n")
        self.ends_line = data.endswith(b"\n")
        room = 2 * KEPT_BYTES - len(self._head)
        if room > 0:
            self._head, data = self._head + data[:room], data[room:]
        self._tail = (self._tail + data)[-KEPT_BYTES:]

    @property
    def cut(self) -> bool:
        """Whether something in the middle is left out."""
        return self.size > 2 * KEPT_BYTES

    @property
    def line_count(self) -> int:
        """How many lines the whole text has."""
        return self.lines + (not self.ends_line)

    def text(self) -> str:
        """Return the text, or its two ends with a line between that says what is left out."""
        if not self.cut:
            return self._head.decode("utf-8", "replace")
        tail = (self._head[KEPT_BYTES:] + self._tail)[-KEPT_BYTES:]
        left_out = self.size - 2 * KEPT_BYTES
        return (
            self._head[:KEPT_BYTES].decode("utf-8", "ignore")
            + f"\n… {left_out} bytes left out …\n"
            + tail.decode("utf-8", "ignore")
        )


class CallState:
    """What is known of a call; `told()` gives it as it stands."""

    def __init__(self, call_id: str, name: str, family: str) -> None:
        self.id = call_id
        self.name, self.family = name, family
        self.title: str | None = None
        self.server: str | None = None
        self.tool: str | None = None
        self.status: CallStatus = "running"
        self.error: str | None = None
        self.exit_code: int | None = None
        self.truncated = False
        self.full_bytes: int | None = None
        self.duration_ms: float | None = None
        self.begun_ms: float | None = None
        self.ended_ms: float | None = None
        self.files: list[File] = []
        self.images: list[Image] = []
        self.agent: AgentTotals | None = None
        self.output: Preview | None = None
        self.spans: list[tuple[int, int]] = []
        self._input: Any = None
        self._pieces: list[str] = []
        self._told: Call | None = None
        self._line: Any = _UNKNOWN

    @property
    def running(self) -> bool:
        """Whether its end was not told."""
        return self.status == "running"

    def reach(self, at: Span) -> None:
        """Take further lines in; neighbours are one range."""
        self._told = None
        spans = self.spans
        if spans and (at.first <= spans[-1][1] + 1 or len(spans) >= MAX_RANGES):
            spans[-1] = (min(spans[-1][0], at.first), max(spans[-1][1], at.last))
        else:
            spans.append((at.first, at.last))

    def is_another(self, signal: ToolCall) -> bool:
        """Tell whether a telling is of another call, which bears the id of one that has ended.

        The same line may be there twice; another call is called with something else.
        """
        if self.running or signal.mode == "delta" or signal.input is None:
            return False
        return signal.name != self.name or signal.input.decode() != self._whole_input()

    def begin(self, signal: ToolCall) -> None:
        """Take a telling of the call, or a piece of its input."""
        self.reach(signal.at)
        if signal.name:
            self.name, self.family = signal.name, signal.family
        self.title = signal.title or self.title
        self.server, self.tool = signal.server or self.server, signal.tool or self.tool
        if signal.time_ms is not None and self.running:
            self.begun_ms = signal.time_ms
        self._line = _UNKNOWN
        if signal.input is None:
            return
        if signal.mode == "delta":
            self._pieces.append(signal.input.text())
        else:
            self._input, self._pieces = signal.input.decode(), []

    def say(self, signal: ToolOutput) -> None:
        """Take output of the running call."""
        self.reach(signal.at)
        if self.output is None or signal.mode == "snapshot":
            self.output = Preview()
        self.output.add(signal.text.text())

    def end(self, signal: ToolEnd) -> None:
        """Take the call's end; one that is told again stands for the one before."""
        self.reach(signal.at)
        self.status = _ENDS[signal.status]
        self.error = None if signal.error is None else _short(signal.error)
        self.exit_code = self.exit_code if signal.exit_code is None else signal.exit_code
        self.truncated = self.truncated or bool(signal.truncated)
        self.full_bytes = signal.full_bytes or self.full_bytes
        self.files += [
            file
            for change in signal.files
            if (file := File(path=change.path, change=change.change)) not in self.files
        ]
        if signal.output is not None:
            self.output = Preview()
            self.output.add(_shown(signal.output))
        self._clock(signal)

    def _clock(self, signal: ToolEnd) -> None:
        begun = self.begun_ms if signal.started_ms is None else signal.started_ms
        ended = signal.time_ms if signal.ended_ms is None else signal.ended_ms
        self.begun_ms, self.ended_ms = begun, ended
        if signal.duration_ms is not None:
            self.duration_ms = signal.duration_ms
        elif begun is not None and ended is not None and ended >= begun:
            self.duration_ms = ended - begun

    def spawned(self, signal: Agent) -> None:
        """Take what is told of the sub-agent that the call spawned."""
        self.reach(signal.at)
        totals = self.agent = self.agent or AgentTotals()
        for name in AgentTotals.__struct_fields__:
            value = getattr(signal, name)
            if value is not None:
                setattr(totals, name, _DONE.get(value, value) if name == "status" else value)

    def command(self) -> str | None:
        """Return the command line, for calls that run one."""
        if self._line is _UNKNOWN:
            self._line = self._find_command()
        line: str | None = self._line
        return line

    def _find_command(self) -> str | None:
        if self.family != "execute":
            return None
        value = self._input
        if isinstance(value, dict):
            value = next((value[key] for key in _COMMAND_KEYS if value.get(key)), None)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return shlex.join(value)
        return value if isinstance(value, str) else None

    def subject(self) -> str | None:
        """Say in a few words what the call is about."""
        given, told = self._input, self.command()
        files = ", ".join(f"{one.change} {one.path}" for one in self.files)
        if told is None and isinstance(given, dict):
            found = (given.get(key) for key in _SUBJECT_KEYS)
            told = next((value for value in found if isinstance(value, str) and value), None)
            told = told or files or ", ".join(_changed_paths(given))
        elif told is None and isinstance(given, str):  # a patch, mostly
            told = files or self.title or given
        told = told or self.title or files
        words = " ".join(told[: 4 * SAMPLE].split())
        return (words if len(words) <= SAMPLE else words[:SAMPLE] + "…") or None

    def told(self, source: str) -> Call:
        """Give the call as it stands."""
        if self._told is None:
            self._told = self._make(source)
        return self._told

    def _make(self, source: str) -> Call:
        output = self.output
        size = None if output is None else output.size
        return Call(
            id=self.id,
            name=self.name,
            family=self.family,
            status=self.status,
            title=self.title,
            subject=self.subject(),
            server=self.server,
            tool=self.tool,
            input=self._input if self.running else self._whole_input(),
            output_preview=None if output is None else output.text(),
            output_bytes=self.full_bytes or size,
            output_truncated=self.truncated,
            error=self.error,
            exit_code=self.exit_code,
            duration_ms=self.duration_ms,
            files=list(self.files),
            images=list(self.images),
            agent=None if self.agent is None else msgspec.structs.replace(self.agent),
            raw_ranges=[RawRange(source, first, last) for first, last in self.spans],
        )

    def _whole_input(self) -> Any:
        """Return the input; one whose whole never came is as much of its JSON as there is."""
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces = [text]
            try:
                return msgspec.json.decode(text)
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
                return text
        return self._input

    def give_up(self) -> None:
        """The call's end will not come."""
        self.status = "unfinished"
        self._told = None


def _changed_paths(value: dict[str, Any]) -> list[str]:
    """Name the files of a call that is given its changes, by path or one by one (codex)."""
    changes = value.get("changes")
    if isinstance(changes, dict):
        return [str(path) for path in changes]
    if not isinstance(changes, list):
        return []
    return [str(one["path"]) for one in changes if isinstance(one, dict) and "path" in one]


def _shown(output: Lazy) -> str:
    """Give an output as text; the text blocks of a list of blocks are joined."""
    value = output.decode()
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [item.get("text") for item in value if isinstance(item, dict)]
        told = [text for text in texts if isinstance(text, str)]
        if told and len(told) == len(value):
            return "\n".join(told)
    return output.json()


def _short(text: str) -> str:
    """Bound what is said of an error: the output has all of it."""
    return text if len(text) <= KEPT_BYTES else text[:KEPT_BYTES] + "…"


def runs_tests(command: str) -> bool:
    """Tell whether a command line runs tests, by the runners' names."""
    return re.search(_TESTS, command) is not None


_TESTS = (
    r"(?:^|[\s;&|'\"(/])(?:pytest|py\.test|tox|nox|unittest|jest|vitest|mocha|rspec|phpunit|ctest"
    r"|(?:npm|pnpm|yarn|bun|deno|go|cargo|dotnet|mvn|gradle|gradlew|make|swift|mix|bazel|rake)"
    r"(?:\s+run)?\s+(?:test|check)\b[\w:.-]*)(?:$|[\s;&|'\")])"
)
