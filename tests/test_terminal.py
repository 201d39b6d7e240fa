# SPDX-License-Identifier: Apache-2.0
"""The conversation as it is painted: real captures to the character, then what is hostile."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from rich.cells import cell_len

import agentframes as af
from agentframes.events.model import (
    AgentTotals,
    Call,
    Content,
    ConversationEvent,
    Event,
    Image,
    ImageArtifact,
    NeedsInput,
    ParserWarning,
    PlanEntry,
    PlanUpdate,
    RawRange,
    RunMarker,
    Status,
    SupportingAgentMessage,
    TaskAgentMessage,
    ToolBurst,
    UnknownFrame,
    Wait,
)
from agentframes.facts.model import RunFacts
from agentframes.terminal.order import Order
from agentframes.terminal.painter import Painter
from agentframes.terminal.paper import Look, Output, Paper, color_system, terminal_width
from agentframes.terminal.plain import clean, dollars, duration, lines, size
from tests.frames import CORPUS, capture, having, printed

SGR = r"\x1b\[[0-9;]*m"
ATTACK = (
    "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x9b31m\x90q\x08\x07\r\x7f[bold]markup[/] :smile:"
    " &#13;&#27; \u202egnp.exe\u2028end"
)


def painted(
    events: Iterable[ConversationEvent],
    runs: Iterable[RunFacts] = (),
    *,
    width: int = 80,
    colors: Any = None,
    **look: bool,
) -> str:
    """Paint events, and what facts tell."""
    out = io.StringIO()
    painter = Painter(Paper(out, width=width, colors=colors), Look(**look))
    for event in events:
        painter.paint(event)
    painter.close(list(runs))
    return out.getvalue()


def shown(source: Any, **how: Any) -> str:
    """Paint what a CLI printed."""
    runs = af.read_all(CORPUS / source if isinstance(source, str) else source, events=True)
    return painted([event for run in runs for event in run.events], runs, **how)


def rows(source: Any, **how: Any) -> list[str]:
    """Paint what a CLI printed, without the footer, and cut it into lines."""
    text = shown(source, **how)
    return text[: text.index("\n── ")].rstrip("\n").split("\n")


def message(body: str, **fields: Any) -> TaskAgentMessage:
    """Make a message."""
    said: TaskAgentMessage = _said(TaskAgentMessage, body, **fields)
    return said


def _said(kind: type[Any], body: str, **fields: Any) -> Any:
    told = {"id": "a", "timestamp": None, "raw_range": at(1), "actor": "agent", "origin": "model"}
    return kind(**(told | fields), body=body, content=Content(body))


def at(first: int, last: int | None = None) -> RawRange:
    """Make a range of lines."""
    return RawRange("-", first, last or first)


def base(first: int = 1, **fields: Any) -> dict[str, Any]:
    """Give the fields that all events have."""
    return {"id": f"-:{first}.0.0", "timestamp": None, "raw_range": at(first), **fields}


def burst(*calls: Call, **fields: Any) -> ToolBurst:
    """Make a burst of calls."""
    families = {call.family: 1 for call in calls}
    return ToolBurst(
        **base(), count=len(calls), families=families, failures=0, calls=list(calls), **fields
    )


def call(name: str = "Bash", **fields: Any) -> Call:
    """Make a call."""
    told: dict[str, Any] = {"id": "c", "family": "execute", "status": "ok"}
    return Call(name=name, **(told | fields))


def text(block: str) -> str:
    """Take the margin from a block of text."""
    return dedent(block).removeprefix("\n")


class TestCaptures:
    """What real CLIs printed."""

    def test_claude_parallel_calls(self) -> None:
        """Calls in a row stand under one line; of one that failed the output is shown."""
        assert shown("claude/2.1.332/s04-parallel") == text("""
            ▸ Run the three commands in parallel.

            ◆ 3 calls: execute · 1 failed · 0.9 s
              ✓ Bash  echo one · 0.6 s
              ✗ Bash  echo out; echo bad >&2; exit 3 · exit 3 · 0.7 s
                │ Exit code 3
                │ out
                │ bad
              ✓ Bash  echo three · 0.7 s

            ● Two commands worked, one exited with 3.
            · Run completed: It took 1.8 s.

            ── claude 2.1.332 · success ────────────────────────────────────────────────────
            session 35e28686-3577-4344-a73f-9b4fb09be5dd · claude-opus-5-5
            4,092 tokens · $0.01538 · 1.8 s · 4 turns · 3 tool calls
            2 rows folded away; --verbose shows them
            """)

    def test_copilot_subagent(self) -> None:
        """A sub-agent's rows stand behind a bar under the call that spawned it."""
        assert shown("copilot/1.0.102/s17-subagent") == text("""
            ▸ Delegate counting to a sub-agent.

            ● I delegate this.
            ◆ 1 call: agent · 0.3 s
              ✓ task  Count lines · 1,411 tokens · 1 tool call · 0.2 s
              ┃ task: Count lines
              ┃ ● Counting.
              ┃ ◆ 1 call: execute · 97 ms
              ┃   ✓ bash  wc -l notes.txt · exit 0 · 97 ms
              ┃
              ┃ ● notes.txt has 3 lines.

            ● The sub-agent counted 3 lines.
            · Run completed: It took 0.783 s.

            ── copilot 1.0.102 · success ───────────────────────────────────────────────────
            session 68465ee8-d638-4ecb-97f4-c6ee0fbdaf85 · gpt-5.4
            0 premium requests · 0.8 s · 2 tool calls
            6 rows folded away; --verbose shows them
            """)

    def test_claude_subagent_in_full(self) -> None:
        """With everything shown, inputs, outputs and the lines in the file are, too."""
        told = rows("claude/2.1.332/s17-subagent", verbose=True, trace=True)
        assert told[:17] == [
            "L1 system.status",
            "· Session started: claude-opus-5-5, version 2.1.332, /workspace/project,",
            "  permissions bypassPermissions",
            "",
            "(no line) message.user",
            "▸ Delegate counting to a sub-agent.",
            "",
            "L2 message.taskAgent",
            "● I delegate this.",
            "L3-11 toolBurst",
            "◆ 1 call: agent · 1.1 s",
            "  ✓ Agent  Count lines · general-purpose · 797 context tokens · 1 tool call ·",
            "    1.0 s · 757 bytes · L3-4, L6, L9-11",
            "    in   description: Count lines",
            "         prompt: SUBTASK: count the lines of notes.txt and report the number.",
            "         subagent_type: general-purpose",
            "         run_in_background: false",
        ]
        assert told[-19:] == [
            "    says notes.txt has 3 lines.",
            "  ┃ general-purpose: Count lines",
            "  ┃ L5 message.supportingAgent",
            "  ┃ ▷ agent asks the sub-agent",
            "  ┃   SUBTASK: count the lines of notes.txt and report the number.",
            "  ┃ L7-8 toolBurst",
            "  ┃ ◆ 1 call: execute · 0.4 s",
            "  ┃   ✓ Bash  wc -l notes.txt · 0.4 s · 11 bytes · L7-8",
            "  ┃     in   command: wc -l notes.txt",
            "  ┃          description: Count lines",
            "  ┃     out  3 notes.txt",
            "",
            "L12 message.taskAgent",
            "● The sub-agent counted 3 lines.",
            "L13 metric.token",
            "∑ Tokens: 4,504 input, 576 cache read, 442 cache write, 85 output, $0.02204",
            "  (step, run)",
            "L13 system.status",
            "· Run completed: It took 1.88 s.",
        ]

    def test_claude_denied(self) -> None:
        """A denial is shown with its call, and what to do about it after that."""
        assert rows("claude/2.1.332/s22-denied") == [
            "▸ Try a forbidden command.",
            "",
            "◆ 2 calls: 1 execute, 1 edit · 2 denied · 0.3 s",
            "  ⊘ Bash  sleep 1; touch forbidden.txt · denied · 0.1 s",
            "    │ touch in '/workspace/project/forbidden.txt' needs approval. The path is",
            "    │ inside the working directories for this session ('/workspace/project'),",
            "    │ and Claude Code asks before a shell command creates, changes or removes",
            "    │ files there.",
            "  ⊘ Write  /workspace/project/forbidden2.txt · denied · 25 ms",
            "    │ Claude requested permissions to write to",
            "    │ /workspace/project/forbidden2.txt, but you haven't granted it yet.",
            "! Permission denied: Bash",
            "  → Allow the tool or the path, and run again.",
            "! Permission denied: Write",
            "  → Allow the tool or the path, and run again.",
            "",
            "● Both were refused.",
            "· Run completed: It took 0.553 s.",
        ]

    def test_claude_todo(self) -> None:
        """A plan follows the calls that made it."""
        assert rows("claude/2.1.332/s07-todo--sonnet-4-5")[2:11] == [
            "◆ 2 calls: 1 search, 1 plan · 92 ms",
            "  ✓ ToolSearch  select:TodoWrite,TaskCreate · 27 ms",
            "  ✓ TaskCreate  Read the notes · 18 ms",
            "▤ Plan · 0 of 1 done",
            "  ☐ Read the notes",
            "◆ 1 call: plan · 14 ms",
            "  ✓ TaskCreate  Read the notes · 14 ms",
            "▤ Plan · 0 of 2 done",
            "  ☐ Read the notes",
        ]

    @pytest.mark.parametrize(
        "name", ["codex/0.42.0/s07-todo", "gemini/0.61.0/s07-todo", "opencode/1.18.33/s07-todo"]
    )
    def test_plans(self, name: str) -> None:
        """A plan is a check list, whichever engine tells it."""
        told = [row for row in rows(name) if re.match("▤|  [☑▶☐]", row)]
        assert told == [
            "▤ Plan · 0 of 3 done",
            "  ▶ Read the notes",
            "  ☐ Change the notes",
            "  ☐ Report",
            "▤ Plan · 2 of 3 done",
            "  ☑ Read the notes",
            "  ☑ Change the notes",
            "  ▶ Report",
        ]

    def test_claude_compaction(self) -> None:
        """What was cut is a warning; the summary is folded away."""
        assert rows("claude/2.1.332/s29-compact")[2].startswith("! Output truncated: Earlier turns")
        assert "· Run completed: It took 2.01 s." == rows("claude/2.1.332/s29-compact")[-1]

    def test_codex_edit(self) -> None:
        """A call that names no subject is told by the files that it touched."""
        assert rows("codex/0.171.0/s05-edit", trace=True)[3:8] == [
            "L3-8 toolBurst",
            "◆ 3 calls: 2 edit, 1 execute",
            "  ✓ command_execution  /bin/bash -lc 'cat notes.txt' · exit 0 · L3-4",
            "  ✓ file_change  update /workspace/project/notes.txt · L5-6",
            "  ✓ file_change  add /workspace/project/new.txt · L7-8",
        ]

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            (
                "codex/0.171.0/s17-subagent",
                "  ✓ spawn_agent  SUBTASK: count the lines of notes.txt and report the number.",
            ),
            (
                "gemini/0.61.0/s17-subagent",
                "  ✓ invoke_agent  SUBTASK: count the lines of notes.txt and report… · generalist",
            ),
            ("opencode/1.18.33/s17-subagent", "  ✓ task  Count lines · general · 2.4 s"),
        ],
    )
    def test_subagents_of_which_nothing_is_printed(self, name: str, told: str) -> None:
        """A sub-agent that prints nothing is its call, with what the engine tells of it."""
        assert told in rows(name)

    def test_opencode_unknown_tool(self) -> None:
        """A tool that does not exist is a warning, not a call."""
        assert rows("opencode/1.18.33/s32-unknown-tool") == [
            "▸ Call a tool that does not exist.",
            "",
            "! The model called a tool that is not available: Model tried to call unavailable",
            "  tool 'no_such_tool'. Available tools: bash, edit, glob, grep, invalid, read,",
            "  skill, task, todowrite, webfetch, write.",
            "",
            "● That tool does not exist.",
            "· Run completed",
        ]

    def test_codex_unicode_and_json(self) -> None:
        """Payloads stand apart, each as what it is."""
        assert rows("codex/0.171.0/s02-unicode")[2:] == [
            "● Grüße, 世界 — ok ✅ 🚀",
            "",
            '  Line two with a tab     here, a quote " and a backslash .',
            "",
            "  │ {",
            '  │   "status": "ok",',
            '  │   "emoji": "😀",',
            '  │   "n": 3',
            "  │ }",
            "",
            "  end\xa0.",
            "· Run completed",
        ]

    def test_two_turns(self) -> None:
        """A run that goes on is parted by a line with its session."""
        rule = "── The session goes on · session 0b831c1a-14c8-416e-9bd9-c342a329a259 ──────────"
        assert rule in shown("claude/2.1.332/s30-two-turns").split("\n")

    def test_two_runs(self) -> None:
        """Each run of a stream has its last lines at the end."""
        names = ("claude/2.1.220/s01-text", "codex/0.171.0/s05-edit")
        told = shown(b"".join(printed(capture(name)) for name in names)).split("\n")
        assert (
            "── Another run ─────────────────────────────────────────────────────────────────"
            in told
        )
        assert [
            "── run 1 of 2 · claude 2.1.220 · success",
            "── run 2 of 2 · codex (version not told) · success",
        ] == [row.rstrip("─ ") for row in told if row.startswith("── run")]

    def test_reasoning(self) -> None:
        """Reasoning is folded away unless asked for."""
        name = "claude/2.1.332/s06-reasoning"
        assert "reasoning" not in shown(name)
        told = rows(name, verbose=True)
        place = told.index("∴ reasoning")
        assert "  First I consider which command to run." == told[place + 1]

    def test_images(self) -> None:
        """An image is a line: its type, its size, its place in the file."""
        told = rows("claude/2.1.220/s20-image")
        assert "  ✓ Read  /workspace/project/pixel.png · 98 ms · 1 image" in told
        assert "▣ image/png · 69 bytes · L3" in told


class TestDrift:
    """What is new in the protocol cannot be missed."""

    def test_it_is_told_where_it_stands_and_at_the_end(self) -> None:
        """A novel kind is a row of its own, and counted in the last line."""
        frames = capture("codex/0.171.0/s12-mcp")
        novel = [
            having(frame, type="turn.begun") if frame["type"] == "turn.started" else frame
            for frame in frames
        ]
        told = shown(printed(novel)).split("\n")
        row = "‼ Protocol drift: unknown frame, kind turn.begun, codex unknown, line 2"
        assert row == told[0]
        assert ["Protocol drift: 1 unknown frame (kind turn.begun)", ""] == told[-2:]

    def test_it_is_bold_and_red(self) -> None:
        """Its row and the last line stand out."""
        event = unknown("a/b")
        row, *_, last, _ = painted([event], colors="standard").split("\n")
        assert row.startswith("\x1b[1;31m‼ \x1b[0m\x1b[1;7;31mProtocol drift:\x1b[0m")
        assert "\x1b[1;31mProtocol drift: 1 unknown frame (kind a/b)\x1b[0m" == last

    def test_many_kinds(self) -> None:
        """The last line names the first kinds."""
        told = painted([unknown(f"k{number % 12}") for number in range(50)])
        kinds = "k0, k1, k2, k3, k4, k5, k6, k7, and others"
        summary = f"Protocol drift: 50 unknown frames (kinds {kinds})"
        assert summary == " ".join(told.split("\n")[-3:-1])


def unknown(kind: str) -> UnknownFrame:
    """Make an unknown frame."""
    return UnknownFrame(
        id="a", raw_range=at(7), severity="error", frame_kind=kind, cli="codex",
        cli_version="0.1", message="",
    )  # fmt: skip


class TestRows:
    """Single rows."""

    @pytest.mark.parametrize(
        ("told", "event"),
        [
            ("· Retry: soon\n", Status(**base(), category="x", label="Retry", explanation="soon")),
            (
                "! Limit: near\n  → Wait.\n",
                Status(
                    **base(), severity="warn", category="x", label="Limit", explanation="near",
                    next_step="Wait.",
                ),
            ),
            ("✗ Error\n", Status(**base(), severity="error", category="x", label="Error")),
            (
                "! Parser warning, line 3: cut (expected: one JSON object)\n",
                ParserWarning(
                    **base(3), expected_kind="one JSON object", message="cut", dedupe_key="d"
                ),
            ),
            (
                "? The agent asks Ask\n  Which one?\n",
                NeedsInput(**base(), question="Which one?", tool_name="Ask"),
            ),
            ("! Nothing was printed for 30 s\n", Wait(**base(), state="quiet", quiet_seconds=30)),
            ("· Speaks again after 2m 05s\n", Wait(**base(), state="resumed", quiet_seconds=125)),
            (
                "! Ended after 1h 01m without a word: idle\n",
                Wait(**base(), state="killed", quiet_seconds=3660, reason="idle"),
            ),
            (
                "▣ shot.png · image/png · 1.2 KB · out/shot.png · L4\n",
                ImageArtifact(
                    **base(4), caption="shot.png", media_type="image/png", bytes=1234,
                    source_path="out/shot.png",
                ),
            ),
            (
                "▤ Plan · 1 of 2 done\n  ☑ one\n  ✗ two\n",
                PlanUpdate(
                    **base(),
                    items=[
                        PlanEntry(id="1", title="one", status="completed"),
                        PlanEntry(id="2", title="two", status="cancelled"),
                    ],
                ),
            ),
            ("● (nothing)\n", message("  ")),
            ("● taken back by the engine\n  Hi.\n", message("Hi.", withdrawn=True)),
        ],
    )  # fmt: skip
    def test_each_kind(self, told: str, event: ConversationEvent) -> None:
        """Each kind of row has its sign and its words."""
        assert told == painted([event])

    def test_noise_is_counted(self) -> None:
        """Lines beside the frames are one row as long as nothing else comes between them."""
        noise = [
            Status(
                **base(line),
                category="noise",
                label="Text",
                explanation=str(line),
                collapsed_by_default=True,
            )
            for line in (1, 2, 3, 5)
        ]
        events: list[ConversationEvent] = [*noise[:3], message("Hi."), noise[3]]
        assert painted(events, trace=True) == text("""
            L1-3 system.status
            · 3 lines of text beside the frames

            L1 message.taskAgent
            ● Hi.
            L5 system.status
            · Text: 5
            """)

    def test_a_status_is_one_line(self) -> None:
        """A notice is cut at the edge, unless everything is to be shown."""
        event = Status(**base(), category="x", label="Long", explanation="word " * 10)
        assert "· Long: word word w…\n" == painted([event], width=20)
        assert 4 == painted([event], width=20, verbose=True).count("\n")

    def test_failures_show_their_last_lines(self) -> None:
        """Of a failure's output the last lines are shown, of its error the first."""
        output = "\n".join(map(str, range(1, 10)))
        failed = call(status="failed", output_preview=output)
        wrong = call(status="failed", error=output, output_preview="x")
        assert painted([burst(failed, wrong)]) == text("""
            ◆ 2 calls: execute · 2 failed
              ✗ Bash
                … 4 lines more; --verbose shows them
                │ 5
                │ 6
                │ 7
                │ 8
                │ 9
              ✗ Bash
                │ 1
                │ 2
                │ 3
                │ 4
                │ 5
                … 4 lines more; --verbose shows them
            """)

    def test_figures_of_a_call(self) -> None:
        """A call's line tells how it ended and what it took."""
        agent = AgentTotals(
            name="scout", status="failed", background=True, total_tokens=1, tool_calls=2
        )
        image = Image(raw_range=at(1))
        told = call(
            "Task", family="agent", exit_code=1, duration_ms=5, cost_usd=0.25, images=[image],
            output_truncated=True, agent=agent,
        )  # fmt: skip
        (_, row, _) = painted([burst(told)], width=120).split("\n")
        assert row == (
            "  ✓ Task · exit 1 · output cut · scout · failed · in the background · 1 token"
            " · 2 tool calls · $0.25 · 1 image"
        )

    def test_a_long_command_gives_way(self) -> None:
        """Figures stay on the line; what the call is about is cut."""
        told = burst(call(subject="word " * 20, exit_code=0))
        assert "  ✓ Bash  word word word wo… · exit 0" == painted([told], width=37).split("\n")[1]

    def test_inputs(self) -> None:
        """An input is shown by its fields; long ones are cut."""
        value = {"text": "a\nb", "list": [1, {"x": None}], "long": "\n".join(map(str, range(99)))}
        told = painted([burst(call(input=value))], verbose=True).split("\n")
        assert [
            "    in   text:",
            "           a",
            "           b",
            '         list: [1,{"x":null}]',
        ] == told[2:6]
        assert "         (44 lines more in the file)" == told[-2]
        assert 64 == len(told)


class TestAgents:
    """Whose rows are whose."""

    def test_nesting(self) -> None:
        """A sub-agent's sub-agent stands behind two bars."""
        outer = call("Task", id="o", family="agent", subject="outer")
        inner = call("Task", id="i", family="agent", subject="inner")
        events: list[Any] = [
            burst(outer),
            burst(inner, parent_call_id="o"),
            _said(SupportingAgentMessage, "deep", actor="scout", parent_call_id="i"),
            _said(SupportingAgentMessage, "less deep", actor="chief", parent_call_id="o"),
            message("not deep"),
        ]
        assert painted(events) == text("""
            ◆ 1 call: agent
              ✓ Task  outer
              ┃ sub-agent: outer
              ┃ ◆ 1 call: agent
              ┃   ✓ Task  inner
              ┃ ┃ scout: inner
              ┃ ┃ ● deep
              ┃
              ┃ chief: outer
              ┃ ● less deep

            ● not deep
            """)

    def test_an_agent_that_spawned_itself(self) -> None:
        """Calls that claim to have spawned each other are no endless chain."""
        loop = burst(call(id="a", family="agent"), parent_call_id="a")
        assert "  ┃ sub-agent" == painted([loop]).split("\n")[0]


class TestOrder:
    """When what goes on is painted."""

    class Log:
        """Writes down what it is told to paint."""

        def __init__(self) -> None:
            self.told: list[str] = []

        def learn(self, _: ConversationEvent) -> None:
            """Nothing to learn."""

        def paint(self, event: ConversationEvent) -> None:
            """Paint."""
            self.told.append(event.id)

        def amend(self, event: ConversationEvent) -> None:
            """Tell again."""
            self.told.append(f"{event.id} again")

    def told(self, *events: Event, at_once: bool = False) -> list[str]:
        """Take events one by one."""
        log = self.Log()
        order = Order(log, at_once=at_once)
        for event in events:
            order.take([event])  # type: ignore[list-item]
        log.told.append("end")
        order.close()
        return log.told

    def test_an_open_event_holds_the_others_up(self) -> None:
        """The order is that of the conversation."""
        events = (
            message("", id="a", open=True),
            message("", id="b"),
            message("", id="a", revision=1),
        )
        assert ["a", "b", "end"] == self.told(*events)
        assert ["b", "a", "end"] == self.told(*events, at_once=True)

    def test_what_stays_open_comes_at_the_end(self) -> None:
        """Nothing is left out."""
        events = (message("", id="a", open=True), message("", id="b"))
        assert ["end", "a", "b"] == self.told(*events)

    def test_what_is_said_of_an_event_later(self) -> None:
        """A message that was taken back is told again, one that only got longer lines is not."""
        first = message("", id="a")
        longer = message("", id="a", revision=1, raw_range=at(1, 5))
        back = message("", id="a", revision=2, withdrawn=True)
        assert ["a", "a again", "end"] == self.told(first, longer, back, back)

    def test_a_marker_that_changes(self) -> None:
        """A run that turns out to be a resumed one is told again."""
        marks = [
            RunMarker(**base(), label=label, status="started")
            for label in ("Another run", "Session resumed")
        ]
        assert ["-:1.0.0", "-:1.0.0 again", "end"] == self.told(*marks)

    def test_taken_back(self) -> None:
        """The painter says which message it was."""
        out = io.StringIO()
        painter = Painter(Paper(out, width=80, colors=None), Look())
        painter.paint(message("Hi.", id="a"))
        painter.amend(message("Hi.", id="a", withdrawn=True, raw_range=at(8)))
        assert "● Hi.\n\n! Taken back by the engine: the message of L8\n" == out.getvalue()


MARKDOWN = """\
# Title

Some **bold**, `code`, [link](https://x.y/z), List<String> and
a second line. ![alt](a.png)

1. one
   - in one

     ```sh
     make
     ```
2. two

> said

| Name | N |
|:-----|--:|
| a b  | 1 |

---
"""


class TestPayloads:
    """What messages consist of."""

    def test_markdown(self) -> None:
        """Markdown is painted, its lines and tags stay, addresses stand beside their links."""
        assert painted([message(MARKDOWN)], width=72) == text("""
            ● # Title

              Some bold, code, link (https://x.y/z), List<String> and
              a second line. !alt (a.png)

               1. one
                   • in one
                     │ make
               2. two

              ▌ said

              Name  N
              ───────
              a b   1

              ──────────────────────────────────────────────────────────────────────
            """)

    def test_code(self) -> None:
        """Code is coloured by its language; an unknown one is none."""
        told = message("```python\nx = 1\n```\n\n```zork\nx = 1\n```")
        assert "● │ x = 1\n\n  │ x = 1\n" == painted([told])
        first, _, second, _ = painted([told], colors="standard").split("\n")
        assert ("\x1b[94m1\x1b[0m" in first, second) == (True, "  \x1b[2m│ \x1b[0mx = 1")

    def test_diff(self) -> None:
        """A diff has its colours, line by line."""
        told = message("```diff\n@@ -1 +1 @@\n-old\n+new\n```")
        assert painted([told], colors="standard").split("\n") == [
            "\x1b[1m● \x1b[0m\x1b[2m│ \x1b[0m\x1b[36m@@ -1 +1 @@\x1b[0m",
            "  \x1b[2m│ \x1b[0m\x1b[31m-old\x1b[0m",
            "  \x1b[2m│ \x1b[0m\x1b[32m+new\x1b[0m",
            "",
        ]

    def test_log(self) -> None:
        """Of a log only the colours get through; hidden text does not stay hidden."""
        link = "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"
        log = f"```\n\x1b[31mred\x1b[0m \x1b[8mhid\x1b[0m {link} \x1b[2J.\x1b[9\n```"
        told = painted([message(log)], colors="standard")
        assert "\x1b[1m● \x1b[0m\x1b[2m│ \x1b[0m\x1b[31mred\x1b[0m hid link .␛[9\n" == told

    def test_html(self) -> None:
        """An HTML document is text."""
        html = "<html>\n<b>[bold]x[/bold]</b>\n</html>"
        assert "● │ <html>\n  │ <b>[bold]x[/bold]</b>\n  │ </html>\n" == painted([message(html)])

    def test_image(self) -> None:
        """An image is named in a line."""
        assert "● ▣ image out/a.png (a shot)\n" == painted([message("![a shot](out/a.png)")])

    def test_json_lines_and_deep_json(self) -> None:
        """JSON lines stay lines; what is deeper than anybody writes is not indented."""
        assert '● │ {"a":1}\n  │ {"b":2}\n' == painted([message('{"a":1}\n{"b":2}')])
        assert 30 > painted([message("[" * 400 + "]" * 400)]).count("\n")

    def test_long_texts(self) -> None:
        """A text that would take too long to parse is shown as it is."""
        assert painted([message("**a**\n" * 20_000)]).startswith("● **a**\n  **a**\n")


class TestHarm:
    """Nothing that came from a file does anything to the terminal."""

    def test_no_control_character_gets_through(self) -> None:
        """Whatever field holds them, only colours of our own are left."""
        frames = attacks()
        for how in ({}, {"verbose": True, "trace": True}, {"width": 20}):
            plain = shown(frames, **how)
            colored = shown(frames, colors="truecolor", **how)
            assert "" == harmful(plain)
            assert "" == harmful(re.sub(SGR, "", colored))
            assert "[bold]markup[/] :smile: &#13;&#27;" in " ".join(plain.split()) or "width" in how

    def test_a_last_look(self) -> None:
        """What a parser makes of harmless text is looked at as well."""
        assert "● ab &#27; c\n" == painted([message("a&#13;&#x202e;b \\&#27; c")])

    def test_pictures(self) -> None:
        """A control character is shown as its picture; what reorders text is left out."""
        assert "␛[2J␀␡\ufffd\ta\nb\nc\nd␍e" == clean(
            "\x1b[2J\x00\x7f\x9b\ta\r\nb\u2028c\x85d\re\u202e"
        )

    @pytest.mark.parametrize("width", [1, 2, 5, 10, 20, 33])
    def test_narrow_terminals(self, width: int) -> None:
        """However narrow it is, nothing breaks, and lines keep to it."""
        for name in ("claude/2.1.332/s17-subagent", "copilot/1.0.102/s04-parallel"):
            told = shown(name, width=width, verbose=True, trace=True)
            assert max(width, 10) >= max(map(cell_len, told.split("\n")))
        painted([message(MARKDOWN)], width=width)


def attacks() -> bytes:
    """Plant an attack in every text of claude's frames, and in a line beside them."""

    def planted(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: planted(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [planted(one, key) for one in value]
        kept = {"type", "subtype", "id", "tool_use_id", "role", "uuid", "parent_tool_use_id"}
        return value + ATTACK if isinstance(value, str) and key not in kept else value

    names = (
        "claude/2.1.332/s17-subagent",
        "claude/2.1.332/s22-denied",
        "claude/2.1.332/s08-http500",
    )
    frames = [planted(frame) for name in names for frame in capture(name)]
    novel = {"type": "novel" + ATTACK, "x": ATTACK}
    return printed(frames[0], novel, *frames[1:]) + b"noise " + ATTACK.encode() + b"\n"


def harmful(told: str) -> str:
    """Find what a terminal would obey."""
    return "".join(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]", told))


class TestPaper:
    """Encodings, colours and widths."""

    def test_an_encoding_with_few_characters(self) -> None:
        """Signs are those that it has; what it lacks becomes simpler."""
        binary = io.BytesIO()
        painter = Painter(Paper(Output(binary, "ascii"), width=40, colors=None), Look())
        items = [
            PlanEntry(id="1", title="one…", status="completed"),
            PlanEntry(id="2", title="ü", status="pending"),
        ]
        for event in (
            burst(call(status="denied")),
            PlanUpdate(**base(), items=items),
            message("- a → b"),
        ):
            painter.paint(event)
        assert binary.getvalue().decode("ascii") == text("""
            # 1 call: execute - 1 denied
              ! Bash - denied
            = Plan - 0 of 2 done
              [x] one~
              [ ] ?

            *  * a > b
            """).replace("0 of 2", "1 of 2")

    def test_a_lone_surrogate(self) -> None:
        """Half a character can be printed."""
        binary = io.BytesIO()
        Painter(Paper(Output(binary, None), width=40, colors=None), Look()).paint(
            message("a\ud800b")
        )
        assert "● a\ufffdb\n" == binary.getvalue().decode()

    @pytest.mark.parametrize(
        ("colors", "choice", "terminal", "environment"),
        [
            (None, "auto", False, {"TERM": "xterm"}),
            ("standard", "auto", True, {"TERM": "xterm"}),
            ("256", "auto", True, {"TERM": "xterm-256color"}),
            ("truecolor", "auto", True, {"TERM": "xterm", "COLORTERM": "truecolor"}),
            (None, "auto", True, {"TERM": "xterm", "NO_COLOR": "1"}),
            ("standard", "auto", True, {"TERM": "xterm", "NO_COLOR": ""}),
            (None, "auto", True, {"TERM": "dumb"}),
            (None, "never", True, {"TERM": "xterm"}),
            ("standard", "always", False, {"TERM": "dumb", "NO_COLOR": "1"}),
        ],
    )
    def test_colors(
        self,
        colors: str | None,
        choice: Any,
        terminal: bool,  # noqa: FBT001 - a column of the table
        environment: dict[str, str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A choice counts, else NO_COLOR, the terminal and its kind."""
        for name in ("TERM", "COLORTERM", "NO_COLOR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert colors == color_system(choice, terminal=terminal)

    @pytest.mark.parametrize(
        ("width", "asked", "columns"),
        [(80, None, ""), (40, None, "40"), (60, 60, "40"), (80, None, "zork"), (80, None, "0")],
    )
    def test_widths(
        self, width: int, asked: int | None, columns: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As asked, else as COLUMNS says, else 80."""
        monkeypatch.setenv("COLUMNS", columns)
        assert width == terminal_width(asked, terminal=False)

    def test_no_color_in_the_environment_is_asked_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Colours that were chosen are there, whatever rich finds in the environment."""
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b[1;31mProtocol" in painted([unknown("a")], colors="standard")


@pytest.mark.parametrize(
    ("told", "figure"),
    [
        ("5 ms", duration(5)),
        ("0.1 s", duration(99.9)),
        ("9.9 s", duration(9_940)),
        ("119 s", duration(119_400)),
        ("2m 00s", duration(119_600)),
        ("1h 02m", duration(3_725_000)),
        ("$0", dollars(0)),
        ("$0.01538", dollars(0.0153844)),
        ("$1,234.5", dollars(1234.5)),
        ("1 byte", size(1)),
        ("1.5 KB", size(1536)),
        ("2.0 GB", size(2 * 1024**3)),
        ("L1, L3-5", lines([at(1), None, at(3, 5), at(1)])),
    ],
)
def test_figures(told: str, figure: str) -> None:
    """Figures are told in a few characters."""
    assert told == figure


def test_every_capture_can_be_painted() -> None:
    """One capture of each scenario is painted in full and narrow, and keeps to its width."""
    scenarios = {path.name: path for path in sorted(CORPUS.glob("*/*/*"))}
    for path in scenarios.values():
        told = shown(Path(path), width=40, verbose=True, trace=True)
        assert "" == harmful(told)
        assert 40 >= max(map(cell_len, told.split("\n")))
