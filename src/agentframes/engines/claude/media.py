# SPDX-License-Identifier: Apache-2.0
"""Images and other binaries in Claude Code's user frames."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from agentframes.engines.claude import tools
from agentframes.engines.claude.frames import Block, Frame
from agentframes.engines.support import decode, decoded_size, told
from agentframes.signals import Media

if TYPE_CHECKING:
    from agentframes.engines.claude.signals import ClaudeInterpreter

# A resource that is no image is written to a file, and told in words only (s20 of 2.1.220).
_SAVED = (
    r"\[Resource from .* at \S+\] Binary content \((?P<type>[^,()]+), (?P<bytes>\d{1,15}) bytes\)"
    r" saved to (?P<path>.+)"
)


def attachment(reader: ClaudeInterpreter, frame: Frame, block: Block, index: int) -> None:
    """Tell an image or document that was given to the agent; no capture shows one."""
    source = decode(block.source, tools.Source)
    if source is not None:
        pointer = f"/message/content/{index}/source/data"
        common = reader.of(frame, f"user/{block.type}")
        reader.emit(_media(common, frame.uuid or "", source, pointer))


def of_result(reader: ClaudeInterpreter, frame: Frame, block: Block, index: int) -> None:
    """Tell what a call brought back beside text."""
    owner = block.tool_use_id or ""
    for position, part in enumerate(tools.result_blocks(block.content)):
        common = reader.of(frame, f"{frame.type}/{block.type}")
        saved = re.fullmatch(_SAVED, part.text or "")
        if part.source is not None:
            pointer = f"/message/content/{index}/content/{position}/source/data"
            reader.emit(_media(common, owner, part.source, pointer))
        elif saved is not None:
            reader.emit(
                Media(
                    **common,
                    owner=owner,
                    media_type=saved["type"],
                    bytes=int(saved["bytes"]),
                    path=saved["path"],
                )
            )


def _media(common: dict[str, Any], owner: str, source: tools.Source, pointer: str) -> Media:
    inline = source.type == "base64" and told(source.data) is not None
    return Media(
        **common,
        owner=owner,
        media_type=source.media_type,
        bytes=decoded_size(source.data) if inline else None,
        pointer=pointer if inline else None,
        url=source.url,
    )
