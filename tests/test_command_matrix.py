# SPDX-License-Identifier: Apache-2.0
"""``agentframes matrix``: the pages in docs/ are those that corpus and engines make."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from agentframes import engines, read_all
from agentframes.commands import main
from agentframes.commands._matrix import captured, native
from agentframes.commands._matrix.kinds import contract, kinds
from agentframes.commands._matrix.rendering import Rendering, Touch, rendering
from scripts import docs as cog_pages
from tests.frames import CORPUS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/cli-frame-compatibility.md"
NATIVE = ROOT / "docs/native-output.md"
CODEX = "codex/0.171.0/s16-multistep"
CLAUDE = "claude/2.1.332/s16-multistep"

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a corpus of two captures."""
    for name in (CODEX, CLAUDE):
        shutil.copytree(CORPUS / name, tmp_path / "corpus" / name)
    return tmp_path / "corpus"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Return a folder with the page that is written by hand in parts."""
    folder = tmp_path / "docs"
    folder.mkdir()
    shutil.copy(NATIVE, folder)
    return folder


def matrix(corpus: Path, pages: Path, *more: str) -> int:
    """Run the command on a corpus and a folder of pages."""
    return main(["matrix", "--corpus", str(corpus), "--docs", str(pages), *more])


def projected(*names: str) -> Rendering:
    """Project captures of one engine."""
    wanted = {CORPUS / name for name in names}
    engine = names[0].partition("/")[0]
    return rendering(one for one in captured.captures(CORPUS, engine) if one.path in wanted)


# --- the command ---------------------------------------------------------------------------------


def test_what_is_committed_is_generated(capsys: Capsys) -> None:
    """Nobody edits the pages: corpus and packages give them back, byte by byte."""
    assert 0 == matrix(CORPUS, ROOT / "docs", "--check"), "run `agentframes matrix`"
    assert ("", "") == capsys.readouterr()


def test_both_pages_are_written_and_named(corpus: Path, pages: Path, capsys: Capsys) -> None:
    """Each page is named with its size, and what was written is not stale."""
    assert 0 == matrix(corpus, pages)
    paths = [pages / PAGE.name, pages / NATIVE.name]
    told = "".join(f"{path}: {path.stat().st_size} bytes\n" for path in paths)
    assert (told, "") == capsys.readouterr()
    assert 0 == matrix(corpus, pages, "--check")


@pytest.mark.parametrize("page", [PAGE.name, NATIVE.name])
def test_a_stale_page_is_named_and_left_as_it_is(
    corpus: Path, pages: Path, capsys: Capsys, page: str
) -> None:
    """One table that is not what it should be is exit status 1 and one line."""
    matrix(corpus, pages)
    stale = (pages / page).read_text("utf-8").replace("`codex`", "`codeks`")
    (pages / page).write_text(stale, "utf-8")
    capsys.readouterr()
    assert 1 == matrix(corpus, pages, "--check")
    told = f"agentframes: matrix: {pages / page} is stale: run agentframes matrix\n"
    assert ("", told) == capsys.readouterr()
    assert stale == (pages / page).read_text("utf-8")


def test_a_page_that_is_not_there_is_stale(corpus: Path, pages: Path) -> None:
    """The page that is generated as a whole needs none before it."""
    assert 1 == matrix(corpus, pages, "--check")
    assert not (pages / PAGE.name).exists()


def test_a_page_tells_nothing_of_the_place(corpus: Path, pages: Path, tmp_path: Path) -> None:
    """Another checkout writes the same."""
    matrix(corpus, pages)
    here = (pages / PAGE.name).read_text("utf-8")
    matrix(corpus.rename(tmp_path / "elsewhere"), pages)
    assert here == (pages / PAGE.name).read_text("utf-8")
    assert str(tmp_path) not in here


def test_outside_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    """Without captures there is one line on stderr, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert 2 == main(["matrix"])
    told = "agentframes: matrix: corpus: no folder of an engine in it; is this a checkout?\n"
    assert ("", told) == capsys.readouterr()
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no such file or directory"),
        (b"# Native output\n", "the marks of its tables are gone"),
        (b"cog.out(new())\n]]] -->\n<!-- [[[end]]] -->", "nothing writes new()"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_page_that_cannot_be_filled(
    corpus: Path, pages: Path, capsys: Capsys, text: bytes | None, problem: str
) -> None:
    """A page whose tables have no place is one line, and the other is not written either."""
    (pages / NATIVE.name).unlink()
    if text is not None:
        (pages / NATIVE.name).write_bytes(text)
    assert 2 == matrix(corpus, pages)
    told = capsys.readouterr().err
    assert 1 == told.count("\n")
    assert problem in told
    assert not (pages / PAGE.name).exists()


@pytest.mark.parametrize(
    ("description", "problem"),
    [
        ("family = '2.1.x'", "tells no date and no transport"),
        ("family =", "not TOML"),
        (None, "no such"),
    ],
)
def test_a_capture_that_tells_too_little_of_itself(
    corpus: Path, pages: Path, capsys: Capsys, description: str | None, problem: str
) -> None:
    """A capture without its provenance is one line that names it."""
    path = corpus / CLAUDE / "capture.toml"
    path.unlink()
    if description is not None:
        path.write_text(description, "utf-8")
    assert 2 == matrix(corpus, pages)
    told = capsys.readouterr().err
    assert 1 == told.count("\n")
    assert f"{path}: {problem}" in told


@pytest.mark.parametrize("arguments", [["now"], ["--corpus"], ["--nothing"]])
def test_usage(arguments: list[str], capsys: Capsys) -> None:
    """Words that make no sense are one line."""
    assert 2 == main(["matrix", *arguments])
    assert 1 == capsys.readouterr().err.count("\n")


# --- what the page tells -------------------------------------------------------------------------


@pytest.mark.parametrize("engine", engines.names())
def test_every_kind_has_its_place(engine: str) -> None:
    """Each kind of a manifest stands in its engine's section, captured ones on a line of theirs."""
    title = contract(engine).title
    section = PAGE.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    for name, kind in kinds(engine).items():
        assert f"`{name}`" in section
        assert kind.captured == (f"| `{name}` | {kind.since} | capture | " in section)


def test_every_captured_version_has_its_place() -> None:
    """Each version of the corpus has a line with the number of its captures."""
    page = PAGE.read_text("utf-8")
    for folder in sorted(CORPUS.glob("*/*")):
        assert f"\n| {folder.name} | " in page
    assert f"all {len(list(CORPUS.glob('*/*/*')))} captures" in page


def test_cog_writes_the_same_tables() -> None:
    """`make docs` and `matrix` do not undo each other's work."""
    page = native.filled(NATIVE.read_text("utf-8"), CORPUS)
    assert f"\n{cog_pages.four_steps()}<!-- [[[end]]] -->" in page
    assert f"\n{cog_pages.native_sections()}<!-- [[[end]]] -->" in page


# --- what frames render as -----------------------------------------------------------------------


def test_a_frame_opens_rows_and_extends_others() -> None:
    """A call opens a burst, its end adds to it; a closed message was not extended by either."""
    touches = projected(CODEX).touches
    burst, more = Touch(opens=True), Touch()
    assert {"toolBurst": burst} == touches["item.started/command_execution"]
    assert {"toolBurst": more} == touches["item.completed/command_execution"]
    said = Touch(opens=True, sorts={"model"})
    assert {"message.taskAgent": said} == touches["item.completed/agent_message"]


def test_an_account_is_its_own_frames() -> None:
    """A usage that is held back until the next signal is not put down to that one's frame."""
    touches = projected("codex/0.20.0/s16-multistep").touches
    assert {"metric.token": Touch(opens=True)} == touches["legacy/token_count"]
    assert not any(
        "metric.token" in rows for kind, rows in touches.items() if kind != "legacy/token_count"
    )


def test_a_prompt_that_no_line_tells_is_no_frames() -> None:
    """The prompt of the capture's command line is in the conversation, and under no kind."""
    told = projected(CODEX)
    assert 1 == told.captures["message.user"]
    assert not any("message.user" in rows for rows in told.touches.values())


def test_a_call_that_is_given_up_is_not_extended() -> None:
    """The end of a run makes open calls unfinished, and is no rendering of a call."""
    touches = projected("copilot/1.0.30/s26-sigterm-tool").touches
    assert {"metric.token", "system.status"} == touches["result"].keys()


def test_what_is_cut() -> None:
    """What an engine tells to be cut stands under the kind that tells it, with the versions."""
    told = projected("claude/2.1.220/s29-compact", "claude/2.1.332/s29-compact")
    assert {"system/compact_boundary": {"context": {"2.1.220", "2.1.332"}}} == told.cuts


def test_the_example_is_in_its_order() -> None:
    """The events of the example stand in the order of the conversation, each once."""
    path = CORPUS / CODEX
    expected = [event.kind for run in read_all(path, events=True) for event in run.events]
    assert {"0.171.0": expected} == projected(CODEX).examples


@pytest.mark.parametrize("engine", engines.names())
def test_what_is_looked_at_is_what_is_read(engine: str) -> None:
    """Looking after each signal gives the events that `read` gives, to the last byte."""
    for capture in captured.captures(CORPUS, engine)[::7]:
        runs = read_all(capture.path, events=True)
        label = f"{engine}/{capture.version}/{capture.scenario}"
        whole = "".join(f"{event.to_json().decode()}\n" for run in runs for event in run.events)
        whole = whole.replace(str(capture.path), label)
        expected = hashlib.sha256(whole.encode()).hexdigest()
        (fingerprint,) = rendering([capture]).fingerprints.values()
        assert expected.startswith(fingerprint), label


def test_a_fingerprint_differs_where_anything_rendered_does(corpus: Path) -> None:
    """One other word in an answer is another rendering of its version."""
    before = rendering(captured.captures(corpus, "codex")).fingerprints
    output = corpus / CODEX / "stdout.jsonl"
    text = output.read_text("utf-8")
    assert "Four steps are" in text
    output.write_text(text.replace("Four steps are", "Five steps are"), "utf-8")
    after = rendering(captured.captures(corpus, "codex")).fingerprints
    assert before.keys() == after.keys()
    assert before != after


def test_made_up_captures_show_nothing(corpus: Path) -> None:
    """Only what a real CLI printed is counted and projected."""
    description = corpus / CODEX / "capture.toml"
    text = description.read_text("utf-8")
    description.write_text(text.replace("synthetic = false", "synthetic = true"), "utf-8")
    assert [] == captured.captures(corpus, "codex")
