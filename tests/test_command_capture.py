# SPDX-License-Identifier: Apache-2.0
"""``agentframes capture`` from end to end, with a small program in the place of the real CLI.

The real ones are run by ``make test-clis``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import agentframes as af

# What the stand-in prints has the shape of claude 2.1.332's frames; it asks the model server once.
STAND_IN = """#!{python}
import json, os, socket, sys, time, urllib.request
if sys.argv[1:] == ["--version"]:
    print("9.8.7 (Claude Code)")
    sys.exit()
def tell(**frame):
    print(json.dumps(frame), flush=True)
prompt = sys.argv[sys.argv.index("-p") + 1]
tell(type="system", subtype="init", session_id="s-1", cwd=os.getcwd(), model="m",
     tools=["Bash"], claude_code_version="9.8.7")
print("host", socket.gethostname(), "interfaces", [name for _, name in socket.if_nameindex()],
      "environment", sorted(os.environ), "home", os.environ["HOME"], file=sys.stderr)
if prompt == "Say ok (500).":
    time.sleep(1); os.kill(os.getppid(), 9)  # the rig breaks down
body = dict(model="m", max_tokens=9, stream=True, tools=[dict(name="Bash", input_schema=dict())],
            messages=[dict(role="user", content=prompt)])
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
    json.dumps(body).encode(), {{"x-api-key": os.environ["ANTHROPIC_API_KEY"]}})
text = ""
with urllib.request.urlopen(request) as answer:
    for line in answer:
        if line.startswith(b"data: "):
            event = json.loads(line[6:])
            text += event.get("delta", {{}}).get("text", "")
tell(type="assistant", session_id="s-1", parent_tool_use_id=None, message=dict(
    id="msg_1", role="assistant", model="m", content=[dict(type="text", text=text)]))
tell(type="result", subtype="success", is_error=False, session_id="s-1", result=text,
     num_turns=1, duration_ms=5, total_cost_usd=0.5)
if "many" in prompt:
    for _ in range(3000):
        tell(type="system", subtype="status", session_id="s-1", status=None)
"""


def command(*arguments: str | Path) -> list[str]:
    """Return the command line."""
    return [sys.executable, "-m", "agentframes", "capture", *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(command(*arguments), check=False, capture_output=True, text=True)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the stand-in."""
    path = tmp_path_factory.mktemp("install") / "bin" / "claude"
    path.parent.mkdir()
    path.write_text(STAND_IN.format(python=sys.executable), "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def made(
    cli: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Make two captures."""
    into = tmp_path_factory.mktemp("corpus")
    names = ("--scenario", "s01-text", "--scenario", "s02-unicode")
    return run("claude", "--cli", cli, *names, "--into", into), into / "claude/9.8.7"


class TestOffline:
    """A scenario's run, laid down as a capture."""

    def test_each_capture_has_its_line(
        self, made: tuple[subprocess.CompletedProcess[str], Path], cli: Path
    ) -> None:
        """Name, outcome, exit and size on stdout, with the drift below; the CLI on stderr."""
        done, _ = made
        assert done.returncode == 0, done.stderr
        assert done.stderr.splitlines()[0] == f"agentframes: capture: claude 9.8.7: {cli}"
        lines = done.stdout.splitlines()
        first = next(line for line in lines if line.startswith("s01-text"))
        assert first.split(maxsplit=1)[1].startswith("success, exit 0, 3 frames, ")
        assert any(
            line.startswith("  note   other_version (version): 2.1.332 -> 9.8.7") for line in lines
        )

    def test_the_folder_says_where_it_comes_from(
        self, made: tuple[subprocess.CompletedProcess[str], Path]
    ) -> None:
        """`capture.toml` has the contract's keys; output, stderr and times stand beside it."""
        folder = made[1] / "s01-text"
        assert sorted(path.name for path in folder.iterdir()) == [
            "capture.toml",
            "stderr.txt",
            "stdout.jsonl",
            "timing.jsonl",
        ]
        told = tomllib.loads((folder / "capture.toml").read_text("utf-8"))
        assert told["argv"][:3] == ["claude", "-p", "Say ok."]
        assert (told["engine"], told["version"], told["family"]) == ("claude", "9.8.7", "9.8.x")
        assert (told["exit_code"], told["sanitized"], told["synthetic"]) == (0, True, False)
        assert told["transport"] == "jsonl"
        assert told["expected_kinds"] == ["assistant/text", "result/success", "system/init"]
        assert told["claims"] == ["a plain text answer in one model step", "exit status 0"]
        assert told["lab"] == "capture-claude-9.8.7-s01-text"
        times = (folder / "timing.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["line"] for line in times] == [1, 2, 3]

    def test_the_model_said_what_the_scenario_says(
        self, made: tuple[subprocess.CompletedProcess[str], Path]
    ) -> None:
        """Text came through the server in pieces, and is whole again; the prompt is known."""
        run = af.read(made[1] / "s02-unicode", events=True)
        assert run.final_text is not None
        assert run.final_text.startswith("Grüße, 世界 — ok ✅ 🚀\n\nLine two with a tab\there")
        assert [event.kind for event in run.events][:3] == [
            "system.status",
            "message.user",
            "message.taskAgent",
        ]

    def test_nothing_of_this_machine_is_in_it(
        self, made: tuple[subprocess.CompletedProcess[str], Path]
    ) -> None:
        """The environment was empty but for what the CLI needs, and no path is this machine's."""
        folder = made[1] / "s01-text"
        words = (folder / "stderr.txt").read_text("utf-8")
        assert "home ~\n" in words
        variables = words.split("environment ")[1].split("] home")[0]
        for name in ("ANTHROPIC_API_KEY", "HOME", "IS_SANDBOX", "NO_COLOR", "PATH", "TERM"):
            assert f"'{name}'" in variables
        assert "'TMPDIR'" in variables
        assert "'PYTHONPATH'" not in variables
        assert "'OLDPWD'" not in variables
        frame = json.loads((folder / "stdout.jsonl").read_bytes().splitlines()[0])
        assert frame["cwd"] == "/workspace/project"
        if "host sandbox" not in words:
            pytest.skip("allow namespaces (unshare -n or -rn) to see the network shut off")
        assert "interfaces ['lo']" in words


class TestTrouble:
    """What goes wrong has its line and its exit status."""

    def test_a_rig_that_breaks_down(self, cli: Path, tmp_path: Path) -> None:
        """The capture is not made, what was recorded is kept, and the others go on."""
        done = run(
            "claude", "--cli", cli, "--scenario", "s08-http500", "--scenario", "s01-text",
            "--into", tmp_path, "--jobs", "2",
        )  # fmt: skip
        assert done.returncode == 1
        failed = next(line for line in done.stdout.splitlines() if line.startswith("s08-http500"))
        assert "not made: the rig failed: exit -9" in failed
        kept = Path(failed.rpartition("what was recorded, not sanitized, stands in ")[2])
        frames = af.read(kept / "s08-http500" / "stdout.jsonl")
        assert (frames.session_id, frames.outcome.status) == ("s-1", "incomplete")
        assert "s01-text                           success, exit 0, 3 frames" in done.stdout
        assert not (tmp_path / "claude/9.8.7/s08-http500").exists()
        subprocess.run(["rm", "-r", str(kept.parent)], check=True)

    def test_a_cli_that_is_not_there(self, tmp_path: Path) -> None:
        """It says how to install it."""
        done = run("codex", "--cli", tmp_path / "none", "--scenario", "s01-text")
        assert done.returncode == 2
        assert done.stderr == (
            f"agentframes: no executable '{tmp_path}/none': npm install --prefix DIR @openai/codex,"
            " then --cli DIR/node_modules/.bin/codex\n"
        )

    def test_a_cli_that_tells_no_version(self, tmp_path: Path) -> None:
        """What it said instead is told."""
        path = tmp_path / "codex"
        path.write_text("#!/bin/sh\necho oops >&2; exit 3\n", "utf-8")
        path.chmod(0o755)
        done = run("codex", "--cli", path, "--scenario", "s01-text", "--into", tmp_path)
        assert done.returncode == 2
        assert done.stderr == f"agentframes: {path} --version tells no version (exit 3): oops\n"

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["claude"], "capture: say --all, or --scenario NAME (--list tells the names)"),
            (["claude", "--scenario", "s99"], "unknown scenario 's99'; there are s01-text, "),
            (["nobody", "--all"], "unknown engine 'nobody'; known engines: claude, codex, "),
            (["claude", "--live"], "capture: --live needs a prompt: capture ENGINE --live --"),
            (["claude", "--live", "--", " "], "capture: --live needs a prompt: capture ENGINE"),
            (["claude", "--all", "--", "hi"], "capture: a prompt behind -- is for --live"),
            (["claude", "--live", "--all", "--", "hi"], "capture: --all is for scenarios"),
            (["claude", "--all", "--compare", "/none"], "capture: --compare /none: there is no"),
            (["claude", "--scenario", "s01-text--zz"], "s01-text--zz: no variant 'zz'; there are"),
            (["claude", "--all", "--jobs", "0"], "capture: argument --jobs: not a number from 1"),
        ],
    )
    def test_misuse_is_one_line(self, arguments: list[str], problem: str) -> None:
        """Exit status 2, nothing on stdout."""
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"agentframes: {problem}")
        assert done.stderr.count("\n") == 1

    def test_the_list_tells_what_cannot_be_made(self, cli: Path) -> None:
        """Each scenario has its line, with the reason where this CLI cannot run it."""
        done = run("claude", "--cli", cli, "--list")
        assert done.returncode == 0
        lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
        assert lines["s03-shell"] == "one shell call that succeeds, then an answer"
        assert lines["s07-todo"] == (
            "not possible: no tool for plans is offered to the default model"
        )


class TestLive:
    """The user's own CLI, on demand."""

    def test_it_runs_here_and_as_it_is(self, cli: Path, tmp_path: Path) -> None:
        """With this environment and folder; whose machine it is, is taken out all the same."""
        into = tmp_path / "mine"
        env = {**os.environ, "HOME": str(tmp_path), "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        done = subprocess.run(
            command("claude", "--cli", cli, "--into", into, "--live", "--", "-p-less", "prompt"),
            check=False,
            capture_output=True,
            text=True,
            env=env,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        (folder,) = (into / "claude/9.8.7").iterdir()
        assert folder.name.startswith("live-")
        told = tomllib.loads((folder / "capture.toml").read_text("utf-8"))
        assert told["stdin"] == "-p-less prompt"
        assert told["notes"] == "real CLI with its user's own account"
        assert str(tmp_path) not in (folder / "stdout.jsonl").read_text("utf-8")
