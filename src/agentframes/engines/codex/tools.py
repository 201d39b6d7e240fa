# SPDX-License-Identifier: Apache-2.0
"""What Codex's calls are given and bring back, in whichever transport they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Raw

from agentframes.engines.codex.frames import McpContent
from agentframes.engines.support import decoded_size, told
from agentframes.lazy import Lazy
from agentframes.signals import FileChange, Media

_CHANGES: dict[str | None, Literal["add", "update", "delete"]] = {
    "add": "add", "update": "update", "delete": "delete",
}  # fmt: skip


def file_change(path: str, kind: str | None) -> FileChange:
    """Name what happened to a file."""
    return FileChange(path=path, change=_CHANGES.get(kind, "update"))


def wrapped(**fields: Raw) -> Lazy | None:
    """Put raw values under their names, those that are there."""
    pairs = [b'"%s":%s' % (key.encode(), bytes(raw)) for key, raw in fields.items() if told(raw)]
    return Lazy(b"{%s}" % b",".join(pairs)) if pairs else None


def text(content: list[McpContent]) -> str | None:
    """Join the texts of an MCP result; None where it has none."""
    texts = [part.text for part in content if part.text is not None]
    return "\n".join(texts) if texts else None


def media(
    content: list[McpContent], pointer: str, media_of: Callable[..., Media]
) -> Iterator[Media]:
    """Tell the images and resources in an MCP result that stands at `pointer` (s20 of 0.146.0)."""
    for position, part in enumerate(content):
        if told(part.data):
            yield media_of(
                media_type=part.mimeType,
                bytes=decoded_size(part.data),
                pointer=f"{pointer}/{position}/data",
            )
        elif part.resource is not None and told(part.resource.blob):
            yield media_of(
                media_type=part.resource.mimeType,
                bytes=decoded_size(part.resource.blob),
                pointer=f"{pointer}/{position}/resource/blob",
                url=part.resource.uri,
            )
