# SPDX-License-Identifier: Apache-2.0
"""Calls in Codex's legacy transport: a begin, output while they run, an end."""

from __future__ import annotations

import base64
import codecs
from functools import partial
from typing import TYPE_CHECKING, Literal

from msgspec import Raw

from agentframes.engines.codex import tools
from agentframes.engines.codex.legacy_frames import Invocation, McpAnswer, Message
from agentframes.engines.support import decode, remember, told
from agentframes.lazy import Lazy
from agentframes.signals import FileChange, Media, ToolCall, ToolEnd, ToolOutput

if TYPE_CHECKING:
    from agentframes.engines.codex.signals import CodexInterpreter
    from agentframes.frames import Place

FAMILIES = {
    "exec_command": "execute",
    "patch_apply": "edit",
    "mcp_tool_call": "mcp",
    "web_search": "web_search",
}
TIMED_OUT = "command timed out"


def is_call(name: str) -> bool:
    """Tell the begin and the end of a call."""
    base, _, phase = name.rpartition("_")
    return base in FAMILIES and phase in ("begin", "end")


def read(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    """Read the begin or the end of a call."""
    name, _, phase = message.type.rpartition("_")
    call_id = message.call_id or f"line {place.line}"
    over = phase == "end"
    # The query of a web search stands in its end alone (s31 of 0.42.0).
    again = over and reader.full and name == "web_search"
    if again or call_id not in reader.open_calls:
        invocation = _invocation(message)
        reader.emit(
            ToolCall(
                at=place.span(),
                kind=kind,
                call_id=call_id,
                name=invocation.tool or name,
                family=FAMILIES[name],
                input=_input(message) if reader.full else None,
                server=invocation.server,
                tool=invocation.tool,
            )
        )
    if over:
        files = reader.open_calls.pop(call_id, None)
        if reader.full:
            _end(reader, message, call_id, files or [], place, kind)
    else:
        remember(reader.open_calls, call_id, _files(message) if reader.full else None)


def _invocation(message: Message) -> Invocation:
    told_apart = message.server, message.tool, message.arguments
    return message.invocation or Invocation(*told_apart)


def _input(message: Message) -> Lazy | None:
    arguments = told(_invocation(message).arguments)
    if arguments is not None:
        return arguments
    return tools.wrapped(command=message.command, query=message.query, changes=message.changes)


def _files(message: Message) -> list[FileChange]:
    """Name the files of a patch, whose end does not tell them: path to {kind: …}."""
    changes = decode(message.changes, dict[str, dict[str, Raw]]) or {}
    return [tools.file_change(path, next(iter(how), None)) for path, how in changes.items()]


def _end(  # noqa: PLR0917 - what its caller has read already
    reader: CodexInterpreter,
    message: Message,
    call_id: str,
    files: list[FileChange],
    place: Place,
    kind: str,
) -> None:
    answer = message.result.Ok if message.result else None
    error = message.result.Err if message.result else None
    failed = bool(message.exit_code) or message.success is False or error is not None
    output = _printed(message)
    if answer is not None:
        output = tools.text(answer.content or [])
        failed = answer.isError is True
    if failed and error is None:
        error = _words(message, output)
    structured = (answer or McpAnswer()).structuredContent
    duration = message.duration
    reader.emit(
        ToolEnd(
            at=place.span(),
            kind=kind,
            call_id=call_id,
            status="failed" if failed else "ok",
            exit_code=message.exit_code,
            output=None if output is None else Lazy.of(output),
            structured=told(structured),
            error=error,
            duration_ms=duration.secs * 1000 + duration.nanos / 1e6 if duration else None,
            files=[] if failed else files,
        )
    )
    media_of = partial(Media, at=place.span(), kind=kind, owner=call_id)
    content = answer.content if answer else None
    for media in tools.media(content or [], "/msg/result/Ok/content", media_of):
        reader.emit(media)


def _printed(message: Message) -> str | None:
    """What a command or patch printed: both streams, where they are not told as one."""
    both = told(message.aggregated_output)
    if both is not None:
        return both.text()
    streams = [stream.text() for stream in (told(message.stdout), told(message.stderr)) if stream]
    return "".join(streams) if streams else None


def _words(message: Message, output: str | None) -> str | None:
    """Tell an MCP tool's or a patch's own words; a command's output says nothing of the kind.

    But for its time limit: that stands before the output (s36 of 0.42.0).
    """
    if message.exit_code is None:
        return output
    formatted = told(message.formatted_output)
    first = formatted.text().split("\n", 1)[0] if formatted else ""
    return first if first.startswith(TIMED_OUT) else None


def output(reader: CodexInterpreter, message: Message, place: Place, kind: str) -> None:
    """Read a piece of output; a character may be cut between two of them."""
    if not reader.full or not message.call_id:
        return
    stream: Literal["stdout", "stderr"] = "stderr" if message.stream == "stderr" else "stdout"
    key = f"{stream} {message.call_id}"
    decoder = reader.decoders.get(key)
    if decoder is None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        remember(reader.decoders, key, decoder)
    reader.emit(
        ToolOutput(
            at=place.span(),
            kind=kind,
            call_id=message.call_id,
            text=Lazy.of(decoder.decode(_chunk(message.chunk))),
            stream=stream,
        )
    )


def _chunk(raw: Raw) -> bytes:
    """Output comes as base64 (0.42.0), and came as an array of bytes (0.20.0)."""
    value = Lazy(raw).decode()
    try:
        return base64.b64decode(value) if isinstance(value, str) else bytes(value)
    except (ValueError, TypeError):
        return b""
