# SPDX-License-Identifier: Apache-2.0
"""``agentframes read`` as its users see it: output, messages and exit statuses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus"
CLAUDE = CORPUS / "claude/2.1.332/s03-shell"
CODEX = CORPUS / "codex/0.171.0/s03-shell"
FAILED = CORPUS / "claude/2.1.220/s21-maxturns"
KILLED = CORPUS / "codex/0.171.0/s26-sigterm-tool"


def run(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process, as scripts do."""
    command = [sys.executable, "-m", "agentframes", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, cwd=ROOT)


def lines(output: bytes) -> list[str]:
    """Cut output into lines."""
    return output.decode().split("\n")[:-1]


class TestTable:
    """The table for people."""

    def test_one_run(self) -> None:
        """A run is told one row a line, the final text last."""
        done = run("read", CLAUDE / "stdout.jsonl")
        assert lines(done.stdout) == [
            f"source      {CLAUDE / 'stdout.jsonl'}",
            "engine      claude 2.1.332, jsonl",
            "session     0a1abdfa-6def-443f-985c-87abd5af35fd",
            "model       claude-opus-5-5",
            "outcome     success (completed), told on line 6",
            "native      3,242 tokens, $0.015384, 1.208 s",
            (
                "usage       4,092 tokens: 3,203 input, 512 cache read, 338 cache write, 39 output;"
                " $0.015384 (scope run)"
            ),
            "calls       2 turns, 2 model calls, 1 tool call, 0 denied",
            "caveats     cost_may_span_session, cost_is_list_price",
            "frames      6",
            "final text  from result:",
            "  The command printed hello.",
        ]
        assert (0, b"") == (done.returncode, done.stderr)

    def test_what_an_engine_does_not_report_is_said(self) -> None:
        """Absent figures are named as absent, not printed as zero."""
        rows = lines(run("read", CODEX / "stdout.jsonl").stdout)
        assert "engine      codex (version not told), jsonl" in rows
        assert "model       not told" in rows
        assert "native      3,754 tokens" in rows

    def test_runs_are_parted_by_a_blank_line(self) -> None:
        """Several inputs give one table after the other."""
        rows = lines(run("read", CLAUDE, CODEX).stdout)
        assert 1 == rows.count("")
        assert [f"source      {CLAUDE}", f"source      {CODEX}"] == [
            row for row in rows if row.startswith("source")
        ]

    def test_printed_text_cannot_steer_the_terminal(self) -> None:
        """Control characters in what a model said are not passed on."""
        frame = b'{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"%s"}}\n'
        stream = b'{"type":"thread.started","thread_id":"t\\u001b[2J"}\n' + frame % b"a\\u001b]0;x"
        done = run("read", stdin=stream)
        assert b"\x1b" not in done.stdout
        assert "  a\ufffd]0;x" in lines(done.stdout)


class TestJson:
    """The wire form on stdout."""

    def test_one_object_a_run(self) -> None:
        """``--json`` prints one line a run and nothing else."""
        done = run("read", "--json", CLAUDE, CODEX)
        facts = [json.loads(line) for line in lines(done.stdout)]
        assert [("claude", str(CLAUDE), 0), ("codex", str(CODEX), 0)] == [
            (run["engine"], run["source"], run["outcome"]["exit_code"]) for run in facts
        ]
        assert b"" == done.stderr

    def test_runs_of_one_stream(self, tmp_path: Path) -> None:
        """A file of two runs gives two objects, each saying how many there are."""
        both = tmp_path / "both.jsonl"
        first = CORPUS / "claude/2.1.332/s01-text/stdout.jsonl"
        both.write_bytes(first.read_bytes() + (CLAUDE / "stdout.jsonl").read_bytes())
        facts = [json.loads(line) for line in lines(run("read", "--json", both).stdout)]
        assert [(2, "ok", 3), (2, "The command printed hello.", 6)] == [
            (run["runs"], run["final_text"], run["frames"]["total"]) for run in facts
        ]

    def test_a_line_is_a_line_to_everybody(self) -> None:
        """What many languages take for line ends is escaped: U+2028 stands in a real answer."""
        done = run("read", "--json", CORPUS / "codex/0.171.0/s02-unicode")
        (line,) = done.stdout.decode().splitlines()
        assert "\u2028" in json.loads(line)["final_text"]

    def test_no_text(self) -> None:
        """``--no-text`` leaves out every word of the model and keeps the figures."""
        (line,) = lines(run("read", "--json", "--no-text", FAILED).stdout)
        facts = json.loads(line)
        assert (None, None, None) == (
            facts["final_text"], facts["structured_output"], facts["outcome"]["message"],
        )  # fmt: skip
        assert 3242 == facts["resources"]["tokens"]

    def test_stdin(self) -> None:
        """Output piped in is read, with and without ``-``."""
        printed = (CODEX / "stdout.jsonl").read_bytes()
        dash, none = run("read", "--json", "-", stdin=printed), run("read", "--json", stdin=printed)
        assert dash.stdout == none.stdout
        assert ("-", "codex") == tuple(json.loads(dash.stdout)[key] for key in ("source", "engine"))


class TestExitStatus:
    """The outcome as an exit status."""

    @pytest.mark.parametrize(
        ("status", "paths"),
        [
            (0, [CLAUDE]),
            (1, [FAILED]),
            (3, [KILLED]),
            (1, [CLAUDE, KILLED, FAILED]),
            (3, [CLAUDE, KILLED]),
            (2, [FAILED, CORPUS / "missing"]),
        ],
    )
    def test_worst_of_the_inputs(self, status: int, paths: list[Path]) -> None:
        """The worst of 2, 1 and 3, in that order, is the status."""
        assert status == run("read", *paths).returncode

    def test_strict(self) -> None:
        """Drift makes 4 of a success under ``--strict``, and leaves a failure a failure."""
        novel = b'{"type":"thread.paused"}\n'
        good, bad = ((CODEX / "stdout.jsonl").read_bytes(), (KILLED / "stdout.jsonl").read_bytes())
        assert (0, 4, 3) == (
            run("read", stdin=good + novel).returncode,
            run("read", "--strict", stdin=good + novel).returncode,
            run("read", "--strict", stdin=bad + novel).returncode,
        )

    def test_an_exit_status_makes_no_success(self) -> None:
        """``--exit-code 0`` is kept and changes nothing."""
        printed = (KILLED / "stdout.jsonl").read_bytes()
        done = run("read", "--json", "--exit-code", "0", stdin=printed)
        outcome = json.loads(done.stdout)["outcome"]
        assert (3, "incomplete", 0) == (done.returncode, outcome["status"], outcome["exit_code"])

    def test_stderr_tells_why(self, tmp_path: Path) -> None:
        """The last line of ``--stderr`` is the message of a run that printed nothing."""
        (tmp_path / "err").write_text("loading\n\nPlease log in.\n\n")
        done = run("read", "--json", "--stderr", tmp_path / "err", stdin=b"")
        outcome = json.loads(done.stdout)["outcome"]
        assert ("empty", "Please log in.") == (outcome["reason"], outcome["message"])


class TestOneLine:
    """Misuse and unreadable input: one line on stderr, never a traceback."""

    @pytest.mark.parametrize(
        ("arguments", "status", "line"),
        [
            (
                (),
                2,
                (
                    "a command is missing; commands: read, show, run, runs, doctor, play, check,"
                    " schema, capture, sanitize, corpus, matrix (agentframes --help tells more)"
                ),
            ),
            (
                ("raed",),
                2,
                (
                    "unknown command 'raed'; commands: read, show, run, runs, doctor, play, check,"
                    " schema, capture, sanitize, corpus, matrix (agentframes --help tells more)"
                ),
            ),
            (("read", "missing.jsonl"), 2, "read: missing.jsonl: no such file"),
            (
                ("read", "--jsn"),
                2,
                "read: unrecognized arguments: --jsn (agentframes read --help tells more)",
            ),
            (
                ("read", "--engine", "zork", "-"),
                2,
                "unknown engine 'zork'; known engines: claude, codex, copilot, gemini, opencode",
            ),
            (
                ("read", "--exit-code", "x", "-"),
                2,
                (
                    "read: argument --exit-code: invalid int value: 'x'"
                    " (agentframes read --help tells more)"
                ),
            ),
            (
                ("read", "a", "b", "--exit-code", "1"),
                2,
                "read: --stderr and --exit-code belong to one run: give one input with them",
            ),
            (("read", "-", "-"), 2, "read: - stands for stdin, which can be read once only"),
            (
                ("read", "src"),
                2,
                (
                    "read: src: a folder without a capture"
                    " (none of stdout.jsonl, stdout.json, stdout.txt)"
                ),
            ),
            (
                ("read", "-"),
                3,
                (
                    "read: -: incomplete (empty): nothing native to read: the CLI printed nothing;"
                    " what it wrote to stderr may tell why (--stderr FILE)"
                ),
            ),
            (
                ("read", "--stderr", "missing.txt", "-"),
                2,
                "read: missing.txt: no such file",
            ),
        ],
    )
    def test_misuse(self, arguments: tuple[str, ...], status: int, line: str) -> None:
        """Each misuse has its line and its status, and prints nothing on stdout."""
        done = run(*arguments)
        assert (status, [f"agentframes: {line}"], b"") == (
            done.returncode, lines(done.stderr), done.stdout,
        )  # fmt: skip

    def test_cut_line(self) -> None:
        """A frame that breaks off is incomplete, in one line."""
        done = run("read", "-", stdin=b'{"type":"thread.started"')
        assert (3, b"") == (done.returncode, done.stdout)
        assert lines(done.stderr) == [
            (
                "agentframes: read: -: incomplete (cut_line):"
                " the input breaks off inside its first frame"
            )
        ]

    def test_not_agent_output(self) -> None:
        """Prose is no agent's output."""
        done = run("read", stdin=b"hello\n")
        line = (
            "agentframes: read: -: incomplete (not_agent_output): nothing native to read: no line"
            " is a frame of a known engine; agent CLIs print frames only when asked for JSON"
        )
        assert (3, [line]) == (done.returncode, lines(done.stderr))

    def test_a_full_disk(self) -> None:
        """What cannot be written is told, and is no outcome of the run."""
        shell = f"{sys.executable} -m agentframes read {CLAUDE} > /dev/full"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        line = "agentframes: cannot write the result: no space left on device"
        assert (2, [line]) == (done.returncode, lines(done.stderr))

    def test_session_files_are_named(self) -> None:
        """A CLI's own session file is told as such."""
        record = {
            "type": "user", "sessionId": "s", "parentUuid": None, "isSidechain": False,
            "message": {"role": "user", "content": "hi"},
        }  # fmt: skip
        rollout = {"timestamp": "2026-11-30T00:00:00Z", "type": "session_meta", "payload": {}}
        for frame, name in ((record, "Claude"), (rollout, "Codex")):
            done = run("read", stdin=json.dumps(frame).encode())
            assert (2, [f"agentframes: read: a {name} session file, not print-mode output"]) == (
                done.returncode, lines(done.stderr),
            )  # fmt: skip

    def test_unreadable_file(self, tmp_path: Path) -> None:
        """A file that may not be read is told, by its name."""
        if os.geteuid() == 0:
            path: str | Path = "/proc/self/mem"  # root may open anything; reading this one fails
        else:
            path = tmp_path / "secret"
            path.touch(mode=0)
        done = run("read", path)
        assert (2, 1) == (done.returncode, len(lines(done.stderr)))
        assert str(path) in done.stderr.decode()

    def test_a_reader_that_leaves(self) -> None:
        """A closed pipe ends the command without a word."""
        shell = f"{sys.executable} -m agentframes read {CLAUDE} {CLAUDE} | head -n 1"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        assert (f"source      {CLAUDE}", b"") == (lines(done.stdout)[0], done.stderr)


class TestHelp:
    """What the command says of itself."""

    def test_help(self) -> None:
        """Help goes to stdout and exits 0."""
        done, read = run("--help"), run("read", "--help")
        assert (0, 0) == (done.returncode, read.returncode)
        assert "usage: agentframes COMMAND [ARGUMENT…]" == lines(done.stdout)[0]
        assert b"exit status: 0 success; 1 the engine says it failed" in read.stdout

    def test_version(self) -> None:
        """The version is the distribution's."""
        assert [b"agentframes 0.1.0\n"] == [run("--version").stdout]

    def test_the_installed_command(self) -> None:
        """The console script is the same program."""
        script = shutil.which("agentframes", path=str(Path(sys.executable).parent))
        assert script is not None
        done = subprocess.run([script, "read", CODEX], capture_output=True, check=False)
        assert run("read", CODEX).stdout == done.stdout
