# SPDX-License-Identifier: Apache-2.0
"""What the end of a Copilot tool call tells: its exit status, its files, its binaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Raw

from agentframes.engines.copilot.frames import (
    CallError,
    CallResult,
    Content,
    Data,
    PathArgument,
    Paths,
    Telemetry,
    given,
)
from agentframes.engines.support import decode, decoded_size
from agentframes.lazy import Lazy
from agentframes.signals import FileChange, Media

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter

# The last line of a shell's output: `<exited with …>` up to 1.0.30, then `<shellId: 0 completed
# with …>`.
_EXIT = rb'<(?:exited|shellId: [^<>]{1,40} completed) with exit code (-?\d{1,10})>"$'
_TAIL = 120  # bytes of the result's JSON that hold that line
_NO_TOOL = r"Tool '.*' does not exist\."
# The tools that take one file, as `path`. Captured: view.
_BY_PATH: dict[str, Literal["read", "add", "update"]] = {
    "view": "read", "create": "add", "edit": "update",
}  # fmt: skip
_EDITS: dict[str, Literal["add", "delete"]] = {"create": "add", "delete": "delete"}


def exit_code(data: Data, telemetry: Telemetry, result: CallResult, *, shell: bool) -> int | None:
    """Return the exit status of a shell command, from the field of the version at hand."""
    if data.shellExecution is not None and data.shellExecution.exitCode is not None:
        return data.shellExecution.exitCode  # 1.0.102
    if telemetry.metrics is not None and telemetry.metrics.exit_code is not None:
        return telemetry.metrics.exit_code  # 1.0.83, and only where it is not 0
    if not shell:  # a file may hold such a line, too
        return None
    tail = bytes(memoryview(result.content)[-_TAIL:])
    match = re.search(_EXIT, tail)
    return int(match[1]) if match else None


def failed_status(error: CallError) -> Literal["failed", "denied", "invalid"]:
    """Tell a refusal and a tool that does not exist (s32) from other failures."""
    if error.code == "denied":
        return "denied"
    return "invalid" if re.fullmatch(_NO_TOOL, error.message or "") else "failed"


# --- files ---------------------------------------------------------------------------------------


def path_argument(name: str, arguments: Lazy | None) -> str | None:
    """Return the file that a call is about, where its tool takes one."""
    if name not in _BY_PATH or arguments is None:
        return None
    told = decode(arguments.raw, PathArgument)
    return told.path if told is not None else None


def files(data: Data, telemetry: Telemetry, name: str, path: str | None) -> list[FileChange]:
    """Name the files that a call touched, by the engine's own word first."""
    if data.fileEdits:
        return [
            FileChange(path=edit.path, change=_EDITS.get(edit.kind or "", "update"))
            for edit in data.fileEdits
        ]
    told = telemetry.restrictedProperties or Paths()
    paths = _listed(told.filePaths)
    if paths:  # before 1.0.102
        added, deleted = _listed(told.addedPaths), _listed(told.deletedPaths)
        return [
            FileChange(
                path=one, change="add" if one in added else "delete" if one in deleted else "update"
            )
            for one in paths
        ]
    return [FileChange(path=path, change=_BY_PATH[name])] if path else []


def _listed(text: str | None) -> list[str]:
    """Read a list of paths that is written as JSON in a string."""
    try:
        return msgspec.json.decode(text, type=list[str]) if text else []
    except msgspec.DecodeError:
        return []


# --- binaries ------------------------------------------------------------------------------------


def media(
    reader: CopilotInterpreter, told: dict[str, Any], call_id: str, result: CallResult
) -> None:
    """Tell each binary once: what an MCP tool gave is repeated as what the model was given."""
    seen: set[bytes] = set()
    for name in ("contents", "binaryResultsForLlm"):
        for position, part in enumerate(getattr(result, name) or ()):
            data, inner = _binary(part)
            if not given(data) or bytes(data) in seen:
                continue
            seen.add(bytes(data))
            reader.emit(
                Media(
                    **told,
                    owner=call_id,
                    media_type=part.mimeType or (part.resource.mimeType if part.resource else None),
                    bytes=decoded_size(data),
                    pointer=f"/data/result/{name}/{position}/{inner}",
                    url=part.resource.uri if part.resource else None,
                )
            )


def _binary(part: Content) -> tuple[Raw, str]:
    if part.resource is not None:
        return part.resource.blob, "resource/blob"
    return part.data, "data"
