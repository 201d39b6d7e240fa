# SPDX-License-Identifier: Apache-2.0
"""Copilot's messages, its reasoning, and what is said to it.

Deltas repeat what `assistant.message` says in full. Reasoning is told up to three times: by its
own deltas, as `reasoningText` of the message, and after that as `assistant.reasoning`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentframes.engines.copilot import models, session, tools
from agentframes.engines.copilot.frames import Attachment, Data, Frame, data_of, given
from agentframes.engines.support import decode, decoded_size
from agentframes.lazy import Lazy
from agentframes.signals import Input, Media, Native, Notice, Reasoning, Text

if TYPE_CHECKING:
    from agentframes.engines.copilot.signals import CopilotInterpreter
    from agentframes.frames import Place

_BLANK = re.compile(rb'null|"(?:\s|\\[nrt])*+"')


class Reasoned(NamedTuple):
    """The reasoning at hand: its id, and its whole text where a message told it."""

    id: str
    text: Lazy | None


def delta(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a piece of a message."""
    data = data_of(frame)
    if not reader.tells_again() or not given(data.deltaContent):
        return
    told = reader.told(frame, place)
    message_id = _message_id(data, frame, place)
    part = _part(reader, told["agent"], message_id)
    text = Lazy(data.deltaContent)
    reader.emit(Text(**told, message_id=message_id, part=part, text=text, mode="delta"))


def _part(reader: CopilotInterpreter, agent: str | None, message_id: str) -> int:
    """Count the calls of the model that go on with one message.

    After its token limit 1.0.83 lets the next call go on under the same id, and the whole that
    comes then holds the words of that call alone (s23).
    """
    call_id = reader.model_calls.get(agent)
    name, part, of_call = reader.parts.get(agent, (None, 0, None))
    if name != message_id:
        part = 0
    elif of_call != call_id:
        part += 1
    reader.parts[agent] = (message_id, part, call_id)
    return part


def _message_id(data: Data, frame: Frame, place: Place) -> str:
    return data.messageId or frame.id or f"line {place.line}"


def message(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a whole message, and the calls that it asks for."""
    data = data_of(frame)
    told = reader.told(frame, place)
    main = told["agent"] is None
    message_id = _message_id(data, frame, place)
    if reader.full:
        _reasoned(reader, told, data, message_id)
    if main and data.model:
        session.announce(reader, frame, place, data.model)
    if not _blank(data.content):
        _text(reader, told, data, message_id, ephemeral=frame.ephemeral is True)
    for request in data.toolRequests or ():
        tools.requested(reader, told, request, message_id)
    models.answered(reader, told, data, message_id)


def _blank(content: Any) -> bool:
    return not given(content) or _BLANK.fullmatch(memoryview(content)) is not None


def _text(
    reader: CopilotInterpreter,
    told: dict[str, Any],
    data: Data,
    message_id: str,
    *,
    ephemeral: bool,
) -> None:
    """Tell a text, and keep it: the terminal line does not repeat the answer."""
    text = Lazy(data.content)
    if ephemeral:  # in no capture; by the contract, no answer
        if reader.full:
            label = "Message that is not kept"
            reader.emit(Notice(**told, category="message", label=label, text=text.text()))
        return
    main = told["agent"] is None
    if main or reader.full:
        part = _part(reader, told["agent"], message_id)
        reader.emit(Text(**told, message_id=message_id, part=part, text=text))
    if main:
        reader.said = text.kept()
        if not data.toolRequests:
            reader.closing = reader.said
        reader.emit(
            Native(
                **told,
                final_text=reader.said,
                answer=reader.closing or reader.said,
                final_text_source="last_message",
            )
        )


# --- reasoning -----------------------------------------------------------------------------------


def reasoning(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read a piece of reasoning, or the whole that repeats what a message told of it."""
    data = data_of(frame)
    told = reader.told(frame, place)
    agent = told["agent"]
    mode: Literal["delta", "whole"] = "delta" if given(data.deltaContent) else "whole"
    raw = data.deltaContent if mode == "delta" else data.content
    if not given(raw):
        return
    text = Lazy(raw)
    name = data.reasoningId or frame.id or f"line {place.line}"
    known = reader.reasoned.get(agent)
    if mode == "delta":
        reader.reasoned[agent] = Reasoned(name, None)
    elif known is not None and known.text == text:
        name = known.id
    reader.emit(Reasoning(**told, message_id=name, part=0, text=text, mode=mode))


def _reasoned(
    reader: CopilotInterpreter, told: dict[str, Any], data: Data, message_id: str
) -> None:
    """Tell the reasoning that stands in a message, under the name that its deltas had."""
    if _blank(data.reasoningText):
        if data.reasoningOpaque:  # in no capture without its text
            hidden = Lazy.of("")
            reader.emit(
                Reasoning(**told, message_id=message_id, part=0, text=hidden, redacted=True)
            )
        return
    text = Lazy(data.reasoningText)
    known = reader.reasoned.get(told["agent"])
    name = message_id if known is None or known.text is not None else known.id
    reader.reasoned[told["agent"]] = Reasoned(name, text.kept())
    reader.emit(Reasoning(**told, message_id=name, part=0, text=text))


# --- input ---------------------------------------------------------------------------------------


def user(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read what was said to an agent: by a human, or by another agent to a sub-agent."""
    data = data_of(frame)
    told = reader.told(frame, place)
    origin = _origin(told, data)
    if origin != "human" and not reader.full:
        return
    message_id = _message_id(data, frame, place)
    if given(data.content):
        reader.emit(Input(**told, id=message_id, text=Lazy(data.content), origin=origin))
    if reader.full and given(data.attachments):
        _attachments(reader, told, data, message_id)


def _origin(told: dict[str, Any], data: Data) -> Literal["human", "agent_prompt", "synthetic"]:
    if told["agent"] is not None or (data.source or "").startswith("agent-"):
        return "agent_prompt"
    return "synthetic" if data.source and data.source != "user" else "human"


def _attachments(
    reader: CopilotInterpreter, told: dict[str, Any], data: Data, message_id: str
) -> None:
    attached: list[Attachment] = decode(data.attachments, list[Attachment] | None) or []
    for position, one in enumerate(attached):
        inline = given(one.data)
        reader.emit(
            Media(
                **told,
                owner=message_id,
                media_type=one.mimeType,
                bytes=decoded_size(one.data) if inline else one.byteLength,
                pointer=f"/data/attachments/{position}/data" if inline else None,
                path=one.path,
                url=one.url,
            )
        )


def notification(reader: CopilotInterpreter, frame: Frame, place: Place) -> None:
    """Read what the CLI tells the agent: that a shell in the background ended (s26)."""
    data = data_of(frame)
    if reader.full and given(data.content):
        reader.emit(
            Input(
                **reader.told(frame, place),
                id=frame.id,
                text=Lazy(data.content),
                origin="synthetic",
            )
        )
