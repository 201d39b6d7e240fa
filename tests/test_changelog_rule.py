# SPDX-License-Identifier: Apache-2.0
"""Who changes how a known capture is rendered says so: in the snapshot, the matrix, the changelog.

The rule is tried on snapshots made for it, then on a repository of its own, then held against the
last release of this one.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scripts import changelog_rule as rule
from scripts.changelog_rule import Release, State

HEAD = "# Changelog\n\n"
OLDER = "## 0.1.0\n\n### Changed\n- The rendering of claude and codex.\n"
TEXT = "## s01-text\nmessage\n## s16-multistep\nburst\n"
OTHER = TEXT.replace("burst", "bursts")

BEFORE = State({"codex-0.171.0": rule.sections(TEXT)}, "matrix")
AFTER = State({"codex-0.171.0": rule.sections(OTHER)}, "another matrix")


def changelog(*bullets: str, heading: str = "### Changed (breaking)") -> str:
    """Write a changelog in which some bullets are newer than the last release."""
    told = "\n".join(f"- {bullet}" for bullet in bullets)
    return f"{HEAD}## Unreleased\n\n### Added\n- Engine codex.\n\n{heading}\n{told}\n\n{OLDER}"


def violations(before: State, after: State, text: str) -> list[str]:
    """Hold two states against each other, the older one that of v0.1.0."""
    return rule.violations(before, after, text, "v0.1.0")


# --- the rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bullet",
    [
        "The rendering of codex: bursts are told apart.",
        "Codex and claude: another rendering\n  of bursts.",
        "codex, rendering of s16: bursts.",
        "codex, rendering of `s16-multistep` and `s01-text`: bursts.",
    ],
)
def test_a_change_that_is_said_passes(bullet: str) -> None:
    """A bullet that names the engine, and the scenario or none, is enough beside the matrix."""
    assert [] == violations(BEFORE, AFTER, changelog(bullet))


@pytest.mark.parametrize(
    "bullet",
    [
        "Engine codex is quicker.",
        "The rendering of claude: bursts.",
        "The rendering of codex: messages of s01.",
        "The rendering of codex: messages of s16b and s16-multi.",
    ],
)
def test_a_change_that_is_not_said_is_told(bullet: str) -> None:
    """A bullet of something else, another engine or another scenario does not cover it."""
    (problem,) = violations(BEFORE, AFTER, changelog(bullet))
    expected = (
        "codex-0.171.0, s16-multistep: its rendering is not that of v0.1.0, and no bullet under "
        "'### Changed' in CHANGELOG.md says so of codex"
    )
    assert expected == problem


def test_what_an_older_release_changed_does_not_count() -> None:
    """What stands under the last release, or under another heading, was said of something else."""
    said = "The rendering of codex: bursts."
    assert 1 == len(violations(BEFORE, AFTER, f"{HEAD}## Unreleased\n\n{OLDER}"))
    assert 1 == len(violations(BEFORE, AFTER, changelog(said, heading="### Fixed")))


def test_a_release_that_is_being_made_passes() -> None:
    """What was unreleased is newer than the tag still when it has got its number."""
    text = changelog("The rendering of codex: bursts.").replace(
        "Unreleased", "[0.2.0] - 2027-01-05"
    )
    assert [] == violations(BEFORE, AFTER, text)
    assert [] == violations(BEFORE, AFTER, text.replace(HEAD, f"{HEAD}## Unreleased\n\n"))


def test_without_the_tags_heading_only_the_first_section_counts() -> None:
    """A changelog that does not know the release is not searched beyond what is unreleased."""
    said = changelog("The rendering of codex: bursts.").replace("0.1.0", "0.0.9")
    assert [] == violations(BEFORE, AFTER, said)
    assert 1 == len(violations(BEFORE, AFTER, f"{HEAD}## Unreleased\n\n## 0.0.9\n### Changed\n"))


def test_a_matrix_that_is_as_before_is_told() -> None:
    """The changelog alone is not enough: the matrix bears a hash of each version's rendering."""
    after = AFTER._replace(matrix="matrix")
    (problem,) = violations(BEFORE, after, changelog("The rendering of codex: bursts."))
    expected = "docs/cli-frame-compatibility.md is still that of v0.1.0, though renderings changed"
    assert expected == problem


def test_what_is_new_needs_nothing() -> None:
    """New scenarios, versions and engines change no known capture; nor does the matrix alone."""
    more = {"codex-0.171.0": rule.sections(TEXT + "## s31-search\nburst\n"), "new-1.0": {"s01": ""}}
    assert [] == violations(BEFORE, State(more, "another matrix"), changelog())
    assert [] == violations(BEFORE, BEFORE._replace(matrix="another matrix"), changelog())
    assert [] == violations(State({}, None), AFTER, changelog())


@pytest.mark.parametrize("gone", [{}, {"codex-0.171.0": rule.sections("## s01-text\nmessage\n")}])
def test_what_is_gone_is_a_change(gone: rule.Snapshots) -> None:
    """A snapshot that is no longer there hides whatever it would show."""
    problems = violations(BEFORE, State(gone, "another matrix"), changelog())
    assert "codex-0.171.0, s16-multistep" == problems[-1].partition(":")[0]


def test_sections() -> None:
    """A section reaches from its heading to the next; what stands above the first is none."""
    assert {"s01-text": "\nmessage\n", "s16-multistep": "\nburst\n"} == rule.sections("#\n" + TEXT)
    assert {"s01": "\n## Heading of an answer\n"} == rule.sections(
        "## s01\n## Heading of an answer\n"
    )


# --- a repository --------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> None:
    """Run git without anybody's settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    named = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(
        ["git", "-C", str(root), *named, *arguments], env=own, check=True, capture_output=True
    )


def write(root: Path, snapshot: str, matrix: str, text: str) -> None:
    """Write the three files that the rule looks at."""
    for name, content in (
        (f"{rule.SNAPSHOTS}/codex-0.171.0.txt", snapshot),
        (rule.MATRIX, matrix),
        (rule.CHANGELOG, text),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one commit, untagged."""
    root = tmp_path / "repository"
    root.mkdir()
    write(root, TEXT, "matrix\n", f"{HEAD}{OLDER}")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "Begin")
    return root


@pytest.fixture
def released(repository: Path) -> Path:
    """Return the same with a release."""
    git(repository, "tag", "v0.1.0")
    git(repository, "tag", "nightly")
    return repository


def test_a_tree_is_held_against_its_last_tag(released: Path) -> None:
    """As released it passes; changed it fails until matrix and changelog say so, too."""
    tag = Release("v0.1.0")
    assert (tag, []) == rule.check(released)
    write(released, OTHER, "matrix\n", changelog())
    release, problems = rule.check(released)
    assert (tag, 2) == (release, len(problems))
    write(released, OTHER, "another matrix\n", changelog("The rendering of codex."))
    assert (tag, []) == rule.check(released)


def test_a_commit_makes_no_difference(released: Path) -> None:
    """What was committed since the tag is compared as what was not."""
    write(released, OTHER, "another matrix\n", changelog())
    git(released, "commit", "--quiet", "--all", "--message", "Change")
    assert 1 == len(rule.check(released)[1])


def test_a_tag_from_before_the_snapshots_passes(repository: Path) -> None:
    """A release that had neither snapshots nor matrix is compared, and nothing is known of it."""
    git(repository, "rm", "--quiet", "-r", "tests", "docs")
    git(repository, "commit", "--quiet", "--message", "Without")
    git(repository, "tag", "v0.0.1")
    write(repository, TEXT, "matrix\n", changelog())
    assert (Release("v0.0.1"), []) == rule.check(repository)


def test_without_a_tag_there_is_nothing_to_compare_with(repository: Path) -> None:
    """Before the first release, and on a tag of another form, the reason is told."""
    git(repository, "tag", "nightly")
    write(repository, OTHER, "matrix\n", changelog())
    assert (Release(None, rule.NO_TAG), []) == rule.check(repository)


def test_a_source_archive_is_compared_with_nothing(released: Path, tmp_path: Path) -> None:
    """Without a repository, or inside somebody else's, the tags found are not its own."""
    inside = released / "vendor"
    inside.mkdir()
    assert (Release(None, rule.NO_CHECKOUT), []) == rule.check(inside)
    assert (Release(None, rule.NO_CHECKOUT), []) == rule.check(tmp_path)


def test_without_git_nothing_is_compared(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git tests the rest."""
    monkeypatch.setenv("PATH", "")
    assert (Release(None, rule.NO_GIT), []) == rule.check(released)


def test_a_hooks_repository_is_not_meant(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git tells a hook its repository by the environment; the checkout at hand is another."""
    monkeypatch.setenv("GIT_DIR", str(released / "nowhere"))
    assert (Release("v0.1.0"), []) == rule.check(released)


# --- this checkout -------------------------------------------------------------------------------


def test_this_checkout_keeps_the_rule() -> None:
    """Nothing known is rendered otherwise than in the last release without being said.

    Where there is no release to compare with, that is the reason, and no other.
    """
    release, problems = rule.check(rule.ROOT)
    assert [] == problems
    if release.tag is None:
        assert release.why_none in {rule.NO_GIT, rule.NO_CHECKOUT, rule.NO_TAG}
    else:
        assert release.why_none is None
