# SPDX-License-Identifier: Apache-2.0
"""The prose of docs/cli-frame-compatibility.md."""

from __future__ import annotations

HEAD = """\
# CLI frame compatibility

Which frames of which CLI versions are recognized, and what they are rendered as. `agentframes
matrix` writes this page, and `agentframes matrix --check` and a test tell when it is behind: change
what it is made from, never the page.

- **Kinds**, with *family*, *since*, *source* and quirks, stand in the `kinds.toml` of the engines'
  packages, written by hand. *Since* is the first version in which a kind was seen, in output or in
  the *source* named; copilot's `sdk …` is a version of its SDK, whose numbers are not the CLI's.
  The sources are `capture`, `typings` (a published package's), `binary` (the schemas in it),
  `sources` (the program's) and `issue` (the frame contract of the reference, below).
- **Captured in** is learned from the corpus: the versions of which a recorded run shows the kind.
- **Renders as** is taken down while all {captures} captures are projected: the kinds of event that
  a kind of frame opens, or only *extends* because another frame opens them. In brackets stand the
  categories of status rows and the origins of messages. *No row*: recognized, but it adds nothing
  to the conversation; facts may be made of it.
- **In no capture**: recognized too, so never told as unknown; what it renders as is not pinned.
- **Rendering** of a version is a hash of every event of its captures. It differs wherever anything
  that is rendered does.

Facts have [a page of their own](native-output.md), and [another](drift.md) tells how the captured
versions differ.

"""

PINNING = """\
## What to pin

- Pin this library and each CLI exactly. What is promised holds for the versions below.
- A family such as 2.1.x says how the corpus is sorted. It is no promise: versions of one family
  differ.
- Before a CLI is upgraded, its real frames are captured and sanitized into a new version folder of
  `corpus/`, the suites are run, and the replay is looked at.
- In production, watch unknown frames: `frames.unknown` and `drift` in the facts,
  `system.unknownFrame` in the conversation, `agentframes check` on kept output.
- A release that recognizes a new frame and renders all else as before is a minor one. One that
  renders a captured frame in another shape is breaking: the snapshot, this page and the changelog
  change with it, in the same commit.

"""

MORE = """\
## Where more is rendered than in the reference

The reference is the frame contract of the chat whose kinds of event are used here. It knows raw
frames of Codex (0.146.x) and Claude Code (2.1.x), and of Gemini CLI (0.49.x) what a runner makes of
its frames. More than that is:

- **Raw tool frames are bursts**: each call of a `toolBurst` has its input, its status, a preview of
  its output, the raw lines it came from and, where the engine tells them, exit code and duration.
- **Plans are check lists**: each `plan.update` holds all items with their status, whether the
  engine tells the whole plan or what changed.
- **Sub-agents are nested**: what they say and do bears the call that spawned them (`parentCallId`),
  and that call has what the engine tells of their totals: tokens, calls of tools, duration.
- **Images are references**: an `artifact.image` has media type, size and the place in the raw line,
  never the data.
- **Two more engines** are rendered at all: GitHub Copilot CLI and opencode.

Gemini CLI 0.49, the reference's baseline, is not on the registry any more, so there is no capture
of it; 0.47.0 and 0.51.0 bracket it. The two kinds that only the runner of the reference prints,
`tool_call` and `truncation`, are recognized and in no capture.

Truncation is the same row for all engines: `system.status` of category `truncation`, severity
`warn`, label `Output truncated`. In runner-normalized text the line `[output truncated]` makes it.
Where an engine tells that it cut the output of a tool, the call says so, too (`outputTruncated`).

"""

EVENTS = """
Kinds of event: how many captures show each. `message.user` is, where the CLI does not print it, the
prompt that the capture's command line tells.

"""
