# SPDX-License-Identifier: Apache-2.0
"""The scripted model says its steps to whom they are for, one after the other."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agentframes.capturing.scenario import MAIN_USAGE, Scenario, Step
from agentframes.capturing.script import (
    AGENT_USAGE,
    HELPER_USAGE,
    SEARCH_USAGE,
    Failure,
    Reply,
    Script,
)
from agentframes.engines.offline import (
    Answer,
    Ask,
    Asked,
    Call,
    Delegate,
    Launch,
    Mcp,
    NativeCall,
    Search,
    Shell,
    Site,
    Turn,
)

PROMPT = "Do the task."
SITE = Site(cli="/cli", version="1.2", home="/home", project="/project", port=1, mcp_command=())


class Engine:
    """An engine of no CLI: deferred tools, waits for sub-agents, titles without tools."""

    package, program = "@fake/cli", "fake"
    variants: Mapping[str, str] = {}

    def cannot(self, _ask: Ask, _calls: Sequence[Call], _site: Site) -> str | None:
        """Everything can be done."""

    def launch(self, ask: Ask, _site: Site) -> Launch:
        """Return a process that is never started."""
        return Launch(argv=["fake", ask.prompt])

    def native(self, call: Call, _asked: Asked, site: Site) -> NativeCall:
        """Name a call by what it does."""
        match call:
            case Search():
                kind: Any = "web_search"
                return NativeCall(name="search", kind=kind, arguments={"query": call.query})
            case Answer():
                return NativeCall(name="", kind="text", arguments=str(call.value))
            case Shell():
                return NativeCall(name="sh", arguments={"cd": site.project, "run": call.command})
        return NativeCall(name=type(call).__name__.lower(), arguments={})

    def before(self, call: Call, asked: Asked, _site: Site) -> NativeCall | None:
        """Search for MCP tools that are not offered."""
        if not isinstance(call, Mcp) or call.tool in asked.tools:
            return None
        return NativeCall(name="find", kind="tool_search", arguments={"query": call.tool})

    def after(self, calls: Sequence[Call], asked: Asked, _site: Site) -> list[NativeCall]:
        """Wait for the sub-agent that the last result names."""
        if not any(isinstance(call, Delegate) for call in calls):
            return []
        return [NativeCall(name="wait", arguments={"for": asked.turns[-1].text})]

    def helper(self, asked: Asked) -> str | None:
        """Tell a title where no tools are offered."""
        return None if asked.tools else "A title"


def asked(*turns: str | Turn, tools: Sequence[str] = ("sh",)) -> Asked:
    """Return a request; bare texts are the user's."""
    return Asked(
        api="chat",
        model="m",
        tools=dict.fromkeys(tools, "function"),
        system="",
        turns=[Turn("user", turn) if isinstance(turn, str) else turn for turn in turns],
        stream=True,
        body={},
    )


def script(*steps: Step, **changes: Any) -> Script:
    """Return a script that has begun with these steps."""
    begun = Script(Engine(), SITE)
    begun.begin(Scenario(name="s", shows="it", prompt=PROMPT, steps=steps, **changes))
    return begun


def reply(begun: Script, *turns: str | Turn, **options: Any) -> Reply:
    """Ask, and expect an answer; without turns it is the main agent who asks."""
    told = begun.answer(asked(*(turns or (PROMPT,)), **options))
    assert isinstance(told, Reply)
    return told


class TestSteps:
    """The main conversation."""

    def test_each_request_gets_the_next_step(self) -> None:
        """With what the step holds, tokens by its place, and a number that counts the answers."""
        shell = Shell(command="ls")
        begun = script(
            Step(text="ha", repeat=3, reasoning="Hm.", calls=(shell,)), Step(text="Done.")
        )
        first, second, third = reply(begun), reply(begun), reply(begun)
        assert ("hahaha", "Hm.", 1) == (first.text, first.reasoning, first.number)
        assert [NativeCall(name="sh", arguments={"cd": "/project", "run": "ls"})] == first.calls
        assert ("Done.", [], 2) == (second.text, second.calls, second.number)
        assert ("ok", 3) == (third.text, third.number)  # past the last step
        assert list(MAIN_USAGE[:3]) == [first.usage, second.usage, third.usage]

    def test_the_last_usage_stays(self) -> None:
        """There are only so many places."""
        begun = script()
        assert [*MAIN_USAGE, MAIN_USAGE[-1]] == [reply(begun).usage for _ in range(5)]

    def test_an_answer_that_is_no_call_is_said(self) -> None:
        """Where the engine has no tool for it, the value is the text."""
        told = reply(script(Step(calls=(Answer(value={"n": 1}),))))
        assert ("{'n': 1}", []) == (told.text, told.calls)

    def test_how_it_is_sent_is_the_steps(self) -> None:
        """Pauses, pieces, the cut, the end and a refusal's words are handed on."""
        step = Step(
            text="x", stop="length", refusal="No.", pause_ms=5, piece=3, cut_after=2, times=0
        )
        told = reply(script(step))
        assert ("length", "No.", 5, 3, 2) == (
            told.stop,
            told.refusal,
            told.pause_ms,
            told.piece,
            told.cut_after,
        )

    def test_the_providers_search_and_what_it_found_are_one_answer(self) -> None:
        """Nothing comes back for it, so it is not a step of its own (codex s31-websearch)."""
        begun = script(Step(calls=(Search(query="q"),)), Step(text="Found."), Step(text="Next."))
        told = reply(begun)
        assert ("Found.", ["search"]) == (told.text, [call.name for call in told.calls])
        assert "Next." == reply(begun).text


class TestWarmUp:
    """A CLI that needs time."""

    def test_before_the_first_answer_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each run of a chain has its own."""
        waited: list[float] = []
        monkeypatch.setattr(time, "sleep", waited.append)
        begun = Script(Engine(), SITE)
        for prompt in (PROMPT, "More."):
            begun.begin(Scenario(name="s", shows="it", prompt=prompt), warm_up=4)
            reply(begun)
            reply(begun)
        assert [4, 0, 4, 0] == waited


class TestFailures:
    """Steps that fail."""

    def test_a_status_as_often_as_said(self) -> None:
        """Then the next step, which has the place in the conversation of the first."""
        begun = script(Step(http=429, times=2), Step(text="Fine."))
        assert [Failure(429, 1), Failure(429, 2)] == [begun.answer(asked(PROMPT)) for _ in "ab"]
        told = reply(begun)
        assert ("Fine.", MAIN_USAGE[0], 3) == (told.text, told.usage, told.number)

    def test_a_status_for_ever(self) -> None:
        """`times = 0` has no end."""
        begun = script(Step(http=500, times=0), Step(text="never"))
        assert {500} == {
            told.status
            for _ in range(20)
            if isinstance(told := begun.answer(asked(PROMPT)), Failure)
        }

    def test_a_cut_and_the_next_try(self) -> None:
        """The try after the cut gets the next step, with the tokens of the same place."""
        begun = script(Step(text="Half", cut_after=1), Step(text="Whole."))
        first, second = reply(begun), reply(begun)
        assert (1, None) == (first.cut_after, second.cut_after)
        assert ("Whole.", MAIN_USAGE[0]) == (second.text, second.usage)
        assert MAIN_USAGE[0] == first.usage


class TestMoreCalls:
    """Calls that the scenario does not name."""

    def test_a_search_for_tools_comes_first(self) -> None:
        """One for each tool that is not offered; the step comes when all are, or were sought."""
        begun = script(Step(text="So.", calls=(Mcp(tool="add"), Mcp(tool="fail"))))
        add = reply(begun)
        assert ([{"query": "add"}], SEARCH_USAGE, "") == (
            [call.arguments for call in add.calls],
            add.usage,
            add.text,
        )
        fail = reply(begun, tools=("add",))
        assert [{"query": "fail"}] == [call.arguments for call in fail.calls]
        told = reply(begun, tools=("add", "fail"))
        assert ("So.", ["mcp", "mcp"], MAIN_USAGE[0]) == (
            told.text,
            [call.name for call in told.calls],
            told.usage,
        )

    def test_a_call_is_seen_through(self) -> None:
        """The wait for a sub-agent comes once, at a place of its own in the conversation."""
        begun = script(Step(calls=(Delegate(prompt="SUBTASK: count"),)), Step(text="Three."))
        assert ["delegate"] == [call.name for call in reply(begun).calls]
        result = Turn("tool", "agent 7")
        wait = reply(begun, PROMPT, result)
        assert [{"for": "agent 7"}] == [call.arguments for call in wait.calls]
        told = reply(begun, PROMPT, result, Turn("tool", "done"))
        assert ("Three.", MAIN_USAGE[1:3]) == (told.text, (wait.usage, told.usage))


class TestWhose:
    """Whose request it is."""

    def test_sub_agent_main_agent_and_helper(self) -> None:
        """Each has its own steps and tokens, in whatever order they ask."""
        begun = script(
            Step(text="main 1"),
            Step(text="main 2"),
            agent=(Step(text="sub 1"), Step(text="sub 2")),
        )
        order = [
            reply(begun),
            reply(begun, "SUBTASK: count the lines."),
            reply(begun, f"Name this: {PROMPT}", tools=()),
            reply(begun, "Is anybody there?"),
            reply(begun, f"It is late.\n{PROMPT}"),
            reply(begun, "SUBTASK: count the lines.", Turn("tool", "3 notes.txt")),
        ]
        assert [
            ("main 1", MAIN_USAGE[0]),
            ("sub 1", AGENT_USAGE[0]),
            ("A title", HELPER_USAGE),
            ("ok", HELPER_USAGE),
            ("main 2", MAIN_USAGE[1]),
            ("sub 2", AGENT_USAGE[1]),
        ] == [(one.text, one.usage) for one in order]

    def test_a_prompt_in_a_result_is_not_asked(self) -> None:
        """What a tool has read is nobody's prompt."""
        begun = script(Step(text="main"))
        assert "ok" == reply(begun, "Summarize.", Turn("tool", PROMPT)).text

    def test_without_steps_of_its_own_a_sub_agent_is_none(self) -> None:
        """A prompt that speaks of a subtask is the main agent's."""
        begun = script(Step(text="main"))
        assert "main" == reply(begun, f"{PROMPT} SUBTASK: none").text

    def test_of_a_full_context_the_prompt_may_be_gone(self) -> None:
        """It was summed up then; a request without tools is another's all the same (s33)."""
        steps = Step(text="one"), Step(text="summary"), Step(text="two")
        begun = script(*steps, full=True)
        assert "ok" == reply(begun, "Is anybody there?").text
        told = [reply(begun), reply(begun), reply(begun, "Of what was before: summary")]
        assert ["one", "summary", "two"] == [one.text for one in told]
        assert "A title" == reply(begun, "Of what was before: summary", tools=()).text

    def test_more_inputs_are_prompts_too(self) -> None:
        """Where a CLI is told several messages, it may send each by itself."""
        begun = script(Step(text="one"), Step(text="two"), inputs=(PROMPT, "And this."))
        assert ["one", "two"] == [reply(begun).text, reply(begun, "And this.").text]


class TestChain:
    """Runs that go on with one conversation."""

    def test_a_resumed_run_goes_on_where_the_first_ended(self) -> None:
        """Its steps are its own, its tokens those of the places that follow."""
        begun = script(Step(text="first"))
        reply(begun)
        begun.begin(Scenario(name="t", shows="it", prompt="More.", steps=(Step(text="second"),)))
        told = reply(begun, PROMPT, Turn("assistant", "first"), "More.")
        assert ("second", MAIN_USAGE[1], 2) == (told.text, told.usage, told.number)

    def test_what_is_asked_without_the_new_prompt_is_the_conversations_too(self) -> None:
        """A compaction sends the first prompt and words of its own (claude s29-compact)."""
        begun = script(Step(text="first"))
        reply(begun)
        begun.begin(
            Scenario(name="t", shows="it", prompt="/compact", steps=(Step(text="summary"),))
        )
        told = reply(begun, PROMPT, Turn("assistant", "first"), "Summarize all of this.")
        assert ("summary", MAIN_USAGE[1]) == (told.text, told.usage)


class TestReached:
    """What tells a kill where the model is."""

    def test_the_main_agents_steps_and_pieces(self) -> None:
        """Told by the step's place, for each piece and for the end; a sub-agent's is -1."""
        reached: list[tuple[int, int | None]] = []
        begun = script(Step(text="one"), Step(text="two"), agent=(Step(text="sub"),))
        begun.reached = lambda step, pieces: reached.append((step, pieces))
        first, sub, second = reply(begun), reply(begun, "SUBTASK: x"), reply(begun)
        helper = reply(begun, PROMPT, tools=())
        for one in (first, sub, helper, second):
            one.sent(1)
        first.sent(None)
        assert [(0, 1), (-1, 1), (1, 1), (0, None)] == reached

    def test_a_cut_answer_is_told_as_its_own_step(self) -> None:
        """Though the next request gets the next one."""
        reached: list[tuple[int, int | None]] = []
        begun = script(Step(text="half", cut_after=1), Step(text="whole"))
        begun.reached = lambda step, pieces: reached.append((step, pieces))
        reply(begun).sent(1)
        reply(begun).sent(None)
        assert [(0, 1), (1, None)] == reached
