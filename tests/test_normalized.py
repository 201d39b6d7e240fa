# SPDX-License-Identifier: Apache-2.0
"""Runner-normalized text, mixed transports and text-mode transcripts."""

from __future__ import annotations

import agentframes as af
from agentframes.events.model import ConversationEvent, Status, TaskAgentMessage, ToolBurst
from tests.captured import capture

TEXT = """\
I look at the notes first.
They are short.

Then I count.
* Run wc -l notes.txt (execute)
  | 3 notes.txt
* Read notes.txt (read)
  | alpha
  |
  | beta
[output truncated]
Done: 3 lines.
"""


def summary(told: list[ConversationEvent]) -> list[tuple[str, object, int]]:
    """Say each event in its kind, what it is about, and its last line."""
    rows: list[tuple[str, object, int]] = []
    for event in told:
        assert event.raw_range is not None
        about: object = None
        if isinstance(event, TaskAgentMessage):
            about = event.body
        elif isinstance(event, Status):
            about = event.label
        elif isinstance(event, ToolBurst):
            about = [(call.title, call.family, call.output_preview) for call in event.calls]
        rows.append((event.kind, about, event.raw_range.end))
    return rows


EXPECTED = [
    ("message.taskAgent", "I look at the notes first.\nThey are short.\n\nThen I count.", 4),
    (
        "toolBurst",
        [
            ("Run wc -l notes.txt", "execute", "3 notes.txt\n"),
            ("Read notes.txt", "read", "alpha\n\nbeta\n"),
        ],
        11,
    ),
    ("system.status", "Output truncated", 11),
    ("message.taskAgent", "Done: 3 lines.", 12),
]


def test_text_without_a_frame_source() -> None:
    """Calls fold into a burst, the marker is a warning, all else is a message."""
    assert EXPECTED == summary(af.project_conversation(TEXT))
    assert EXPECTED == summary(af.project_conversation(TEXT.splitlines()))
    assert EXPECTED == summary(af.project_conversation(TEXT.splitlines(keepends=True)))


def test_nothing_is_guessed_without_a_frame_source() -> None:
    """A frame of some CLI is text, too, where nobody said which CLI prints."""
    frame = '{"type":"thread.started","thread_id":"t"}'
    assert [("message.taskAgent", frame, 1)] == summary(af.project_conversation(frame))


def test_output_without_a_call_is_a_message() -> None:
    """A bar and a star mean something only where a call can be."""
    text = "  | a table of Markdown\n* an item (with a remark)\n* (no action)\n"
    (message,) = af.project_conversation(text)
    assert isinstance(message, TaskAgentMessage)
    assert text.rstrip("\n") == message.body


def test_mixed_lines_take_the_path_of_text() -> None:
    """With transport mixed, lines between the frames are normalized text."""
    frames = capture("codex/0.171.0/s01-text").decode().splitlines()
    lines = [frames[0], *TEXT.splitlines(), *frames[1:]]
    source = af.FrameSource("codex", "0.171.0", "mixed")
    told = af.project_conversation(lines, frame_source=source)
    plain = af.project_conversation(lines, frame_source=af.FrameSource("codex", "0.171.0"))
    assert 1 == sum(isinstance(event, ToolBurst) for event in told)
    assert 0 == sum(isinstance(event, ToolBurst) for event in plain)
    kinds = [event.kind for event in told]
    assert "system.status" == kinds[0]
    assert kinds.index("toolBurst") < len(kinds) - 1


def test_a_transcript_of_codex_is_one_row() -> None:
    """The banner opens it, and all lines up to the next frame belong to it."""
    transcript = "OpenAI Codex v0.171.0\n--------\nworkdir: /workspace\nmodel: m\nuser\nhi\n"
    (row,) = af.project_conversation(transcript)
    assert isinstance(row, Status)
    assert row.raw_range is not None
    assert ("transcript", "Codex text-mode transcript", 1, 6) == (
        row.category,
        row.label,
        row.raw_range.start,
        row.raw_range.end,
    )
    frames = capture("codex/0.171.0/s01-text").decode()
    told = af.read(transcript + frames, events=True).events
    assert 1 == sum(getattr(event, "category", "") == "transcript" for event in told)
    assert 0 == sum(getattr(event, "category", "") == "noise" for event in told)


def test_a_cli_that_nobody_reads() -> None:
    """Its frames are named one by one, its text is kept as rows; nothing raises."""
    lines = ['{"type":"hello","secret":"s3cr3t"}', "some words", '{"no":"type"}', '{"cut']
    told = af.project_conversation(lines, frame_source=af.FrameSource("newcli", "1.2"))
    assert [
        "system.unknownFrame", "system.status", "system.unknownFrame", "system.status",
    ] == [event.kind for event in told]  # fmt: skip
    wire = b"".join(event.to_json() for event in told)
    assert b"Unknown frame (kind hello, cli newcli v1.2)" in wire
    assert b"Unknown frame (kind (untyped), cli newcli v1.2)" in wire
    assert b"s3cr3t" not in wire


def test_no_lines_are_no_events() -> None:
    """Nothing printed, nothing shown."""
    assert [] == af.project_conversation([])
    assert [] == af.project_conversation("")
    assert [] == af.project_conversation([], frame_source=af.FrameSource("codex"))
