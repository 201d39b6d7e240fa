# SPDX-License-Identifier: Apache-2.0
"""Messages: each payload painted as what it is."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.styled import Styled
from rich.text import Text

from agentframes.content.model import (
    CodeBlock,
    Diff,
    HtmlFile,
    ImageReference,
    Json,
    Markdown,
    Payload,
    RawLog,
)
from agentframes.events.model import Message, UserMessage
from agentframes.terminal import code, markdown
from agentframes.terminal.paper import Hung, Signs, hung, stacked
from agentframes.terminal.plain import clean, one_line


def message(event: Message, signs: Signs) -> RenderableType:
    """Paint what somebody said."""
    sign, style, said_by = _speaker(event, signs)
    body: RenderableType = Group(*_payloads(event, signs))
    if not event.content:
        body = Text("(nothing)", "dim")
    if event.withdrawn:
        style, said_by = "dim", "taken back by the engine"
    if style == "dim":
        body = Styled(body, "dim")
    heading = Text.styled(said_by, "dim italic") if said_by else None
    return hung(stacked(heading, body), sign, style)


def _speaker(event: Message, signs: Signs) -> tuple[str, str, str | None]:
    """Return the sign, its style, and what is to be said of the speaker."""
    if isinstance(event, UserMessage):
        return signs.user, "bold cyan", "said again" if event.origin == "replay" else None
    if event.origin == "reasoning":
        return signs.reasoning, "dim", "reasoning"
    if event.origin == "agent_prompt":
        return signs.prompt, "dim", f"{one_line(event.actor)} asks the sub-agent"
    return signs.agent, "bold" if event.origin != "normalized" else "dim", None


def _payloads(event: Message, signs: Signs) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for payload in event.content:
        if parts:
            parts.append(Text())
        parts.append(_payload(payload, signs))
    return parts


def _payload(payload: Payload, signs: Signs) -> RenderableType:
    match payload:
        case Markdown():
            return markdown.rendered(clean(payload.text))
        case CodeBlock():
            return _quoted(code.code(clean(payload.text), payload.language), signs)
        case Diff():
            return _quoted(code.diff(payload.text), signs)
        case Json():
            return _quoted(code.json(payload.text, lines=payload.lines), signs)
        case RawLog():
            return _quoted(code.log(payload.text, ansi=payload.ansi), signs)
        case HtmlFile():
            return _quoted(Text(clean(payload.text)), signs)
        case ImageReference():
            return image_reference(payload, signs)


def image_reference(payload: ImageReference, signs: Signs) -> Text:
    """Name an image in a line."""
    line = Text.styled(f"{signs.image} image ", "dim").append(one_line(payload.path), "none")
    return line.append(f" ({one_line(payload.alt)})", "dim") if payload.alt else line


def _quoted(text: Text, signs: Signs) -> RenderableType:
    """Set apart what stands for itself."""
    return Hung(text, Text.styled(f"{signs.quoted} ", "dim"))
