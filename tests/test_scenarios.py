# SPDX-License-Identifier: Apache-2.0
"""Scenarios as data: what the files say, and in which order captures are made of them."""

from __future__ import annotations

import pytest

from agentframes import engines
from agentframes.capturing.chains import Task, chains, named, tasks, why_not
from agentframes.capturing.scenario import Scenario, ScenarioError, load, load_all
from agentframes.engines.offline import Mcp, Shell, Site

SITE = Site(cli="", version="999.0.0", home="", project="", port=0, mcp_command=())
SCENARIOS = load_all()


class TestFiles:
    """What the scenario files hold."""

    def test_each_file_bears_its_scenario_s_name(self) -> None:
        """A file is found by the name of its scenario, and a first claim says what it shows."""
        assert list(SCENARIOS) == sorted(SCENARIOS)
        assert all(one.shows and one.prompt for one in SCENARIOS.values())

    def test_calls_are_in_words_of_no_engine(self) -> None:
        """A call is a struct of its own sort, with the defaults of that sort."""
        parallel = SCENARIOS["s04-parallel"].steps[0].calls
        assert parallel[1] == Shell("echo out; echo bad >&2; exit 3", "Fail with 3")
        assert SCENARIOS["s12-mcp"].calls[0] == Mcp("add", {"a": 2, "b": 3}, "tiny")

    def test_every_scenario_that_others_go_on_with_is_there(self) -> None:
        """No chain hangs in the air."""
        firsts = {one.after for one in SCENARIOS.values() if one.after}
        assert firsts == {"s13a-first-resume", "s29-compact", "s29a-first"}
        assert firsts <= set(SCENARIOS)

    def test_every_variant_is_some_engine_s(self) -> None:
        """A variant that no engine knows would never be made."""
        known = {part for name in engines.names() for part in engines.capture_setup(name).variants}
        asked = {
            part for one in SCENARIOS.values() for it in one.variants for part in it.split("--")
        }
        assert asked - known == set()

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ('name = "x"', "missing required field `shows`"),
            ('name = "x"\nshows = "y"\nprompt = "z"\nstep = 1', "unknown field `step`"),
            ("name = ", "Invalid value"),
            (
                'name = "x"\nshows = "y"\nprompt = "z"\n[[steps]]\ncalls = [{ do = "fly" }]',
                "Invalid value 'fly'",
            ),
        ],
    )
    def test_a_scenario_that_says_nothing_sensible_is_refused(
        self, text: str, problem: str
    ) -> None:
        """The one line names the file and what is wrong."""
        with pytest.raises(ScenarioError, match=problem) as caught:
            load("mine.toml", text)
        assert str(caught.value).startswith("mine.toml: ")


class TestChains:
    """Which captures are made together."""

    def test_a_capture_is_named_by_scenario_and_variants(self) -> None:
        """The name is the folder's, and leads back to what it names."""
        task = named("s16-multistep--default-model--json", SCENARIOS)
        assert (task.scenario.name, task.variant) == ("s16-multistep", "default-model--json")
        assert task.name == "s16-multistep--default-model--json"
        with pytest.raises(ScenarioError, match="unknown scenario 's99'; there are s01-text, "):
            named("s99", SCENARIOS)

    def test_an_engine_takes_the_variants_that_it_knows(self) -> None:
        """Of the ways to run a scenario, each engine makes its own."""
        made = [one.name for one in tasks([SCENARIOS["s01-text"]], engines.capture_setup("claude"))]
        assert made == ["s01-text", "s01-text--json", "s01-text--json-verbose", "s01-text--partial"]

    def test_what_goes_on_with_a_session_comes_behind_it(self) -> None:
        """A resumed run needs the home of the first; a longer chain makes the shorter's, too."""
        wanted = [named(name, SCENARIOS) for name in ("s29a-first", "s01-text", "s29c-after")]
        found = [[task.name for task in chain] for chain in chains(wanted, SCENARIOS)]
        assert found == [["s01-text"], ["s29a-first", "s29-compact", "s29c-after"]]
        backwards = chains(reversed(wanted), SCENARIOS)
        assert [len(chain) for chain in backwards] == [3, 1]

    def test_what_cannot_be_made_has_its_reason(self) -> None:
        """An unknown variant, a scenario of other engines, and what the engine itself says."""
        claude = engines.capture_setup("claude")
        assert why_not(named("s01-text--codemode", SCENARIOS), "claude", claude, SITE) == (
            "claude has no variant 'codemode'; it has json, json-verbose, partial, sonnet-4-5"
        )
        alone = Scenario(
            name="x", shows="y", prompt="z", only=("codex",), why_only="no other has it"
        )
        assert why_not(Task(alone), "claude", claude, SITE) == "no other has it"
        assert why_not(named("s01-text", SCENARIOS), "claude", claude, SITE) is None
