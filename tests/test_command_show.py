# SPDX-License-Identifier: Apache-2.0
"""``agentframes show`` as its users see it: output, messages and exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import agentframes as af
from tests.frames import capture, having, printed

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus"
CLAUDE = CORPUS / "claude/2.1.332/s03-shell"
CODEX = CORPUS / "codex/0.171.0/s03-shell"
FAILED = CORPUS / "claude/2.1.220/s21-maxturns"
KILLED = CORPUS / "codex/0.171.0/s26-sigterm-tool"
SUBAGENT = CORPUS / "copilot/1.0.102/s17-subagent"

PATIENCE = 20  # seconds for what takes a tenth of one


def command(*arguments: str | Path) -> list[str]:
    """Write the command as a process has it."""
    return [sys.executable, "-m", "agentframes", "show", *map(str, arguments)]


def run(
    *arguments: str | Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process, as scripts do."""
    kept = {
        name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}
    }
    return subprocess.run(
        command(*arguments), input=stdin, capture_output=True, check=False, cwd=ROOT,
        env=kept | environment,
    )  # fmt: skip


def lines(output: bytes) -> list[str]:
    """Cut output into lines."""
    return output.decode().split("\n")[:-1]


def wire(output: bytes) -> list[dict[str, Any]]:
    """Decode lines of events."""
    return [json.loads(line) for line in lines(output)]


class TestText:
    """The conversation for people."""

    def test_a_capture(self) -> None:
        """A capture folder is shown as one conversation, with the prompt that it tells."""
        done = run(CLAUDE)
        assert lines(done.stdout) == [
            "▸ Run echo hello and report.",
            "",
            "● I will run it.",
            "◆ 1 call: execute · 0.3 s",
            "  ✓ Bash  echo hello · 0.3 s",
            "",
            "● The command printed hello.",
            "· Run completed: It took 1.21 s.",
            "",
            "── claude 2.1.332 · success ────────────────────────────────────────────────────",
            "session 0a1abdfa-6def-443f-985c-87abd5af35fd · claude-opus-5-5",
            "4,092 tokens · $0.01538 · 1.2 s · 2 turns · 1 tool call",
            "2 rows folded away; --verbose shows them",
        ]
        assert (0, b"") == (done.returncode, done.stderr)

    @pytest.mark.parametrize("folder", [CLAUDE, SUBAGENT, KILLED])
    def test_it_does_not_matter_how_it_comes(self, folder: Path) -> None:
        """A file, stdin from a file and stdin from a pipe show the same."""
        path = folder / "stdout.jsonl"
        with path.open("rb") as file:
            redirected = subprocess.run(command(), stdin=file, capture_output=True, check=False)
        piped = run("-", stdin=path.read_bytes())
        named = run(path)
        assert (named.stdout, named.stdout) == (piped.stdout, redirected.stdout)
        assert (named.returncode, named.returncode) == (piped.returncode, redirected.returncode)

    def test_what_is_piped_in_is_shown_as_it_comes(self) -> None:
        """A message is shown when it is complete, while the CLI goes on."""
        frames = (CODEX / "stdout.jsonl").read_bytes().splitlines(keepends=True)
        with subprocess.Popen(command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for frame in frames[:3]:
                process.stdin.write(frame)
            process.stdin.flush()
            assert "● I will run it.\n" == process.stdout.readline().decode()
            process.stdin.write(b"".join(frames[3:]))
            process.stdin.close()
            assert "· Run completed" in process.stdout.read().decode().split("\n")

    def test_a_named_pipe(self, tmp_path: Path) -> None:
        """A pipe that has a name is read like one that has none."""
        shell = f"{' '.join(command())} <(cat {CODEX}/stdout.jsonl)"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=tmp_path)
        assert run(CODEX / "stdout.jsonl").stdout == done.stdout

    def test_normalized_text(self) -> None:
        """With transport ``text`` a runner's text is a conversation."""
        text = b"I look.\n* Read notes.txt (read)\n  | alpha\n"
        done = run("--transport", "text", stdin=text)
        assert ["● I look.", "◆ 1 call: read", "  ✓ read  Read notes.txt"] == lines(done.stdout)[:3]
        assert b"" == done.stderr


class TestJson:
    """Events as lines."""

    @pytest.mark.parametrize(
        "name",
        [
            "claude/2.1.332/s17-subagent",
            "claude/2.1.220/s20-image",
            "codex/0.42.0/s07-todo",
            "copilot/1.0.102/s17-subagent",
            "gemini/0.61.0/s12-mcp--json",
            "opencode/1.18.33/s32-unknown-tool",
        ],
    )
    def test_the_events_as_python_has_them(self, name: str) -> None:
        """One event a line, in the order and the state of ``run.events``."""
        path = str(CORPUS / name)
        assert [event.to_dict() for event in af.read(path).events] == wire(
            run("--json", path).stdout
        )

    def test_what_is_piped_in(self) -> None:
        """The events do not depend on how they come."""
        done = run("--json", stdin=(SUBAGENT / "stdout.jsonl").read_bytes())
        told = af.read((SUBAGENT / "stdout.jsonl").read_bytes(), events=True).events
        assert [event.to_dict() for event in told] == wire(done.stdout)

    def test_following(self) -> None:
        """With ``--follow`` events come as they open and change; by id they are the same."""
        done = run("--json", "--follow", stdin=(SUBAGENT / "stdout.jsonl").read_bytes())
        told = wire(done.stdout)
        whole = wire(run("--json", stdin=(SUBAGENT / "stdout.jsonl").read_bytes()).stdout)
        assert whole == list({event["id"]: event for event in told}.values())
        assert any(event.get("open") for event in told)
        assert (0, b"") == (done.returncode, done.stderr)

    def test_a_line_is_a_line_to_everybody(self) -> None:
        """What many languages take for line ends is escaped: U+2028 stands in a real answer."""
        done = run("--json", CORPUS / "codex/0.171.0/s02-unicode")
        told = [json.loads(line) for line in done.stdout.decode().splitlines()]
        assert any("\u2028" in event.get("body", "") for event in told)


class TestRedaction:
    """``--redact``: in all that is printed."""

    SECRETS = ("sk-ant-abcdefghijklmnop", "hunter2hunter2", "joe@corp.com", "/home/alice")

    def stream(self) -> bytes:
        """Plant secrets in a real stream."""
        told = " ".join((self.SECRETS[0], f"api_key={self.SECRETS[1]}", *self.SECRETS[2:]))
        frames = capture("codex/0.171.0/s12-mcp")
        frames[0]["thread_id"] = self.SECRETS[0]
        for number, frame in enumerate(frames):
            item = frame.get("item", {})
            if "arguments" in item:
                frames[number] = having(
                    frame, item__arguments={"token": self.SECRETS[1], "x": told}
                )
            if item.get("error"):
                frames[number] = having(frame, item__error__message=told)
            if "text" in item:
                frames[number] = having(frame, item__text=f'{told}\n\n```json\n["{told}"]\n```')
        return printed(frames)

    @pytest.mark.parametrize("how", [("--verbose", "--trace"), ("--json",), ("--json", "--follow")])
    def test_everywhere(self, how: tuple[str, ...]) -> None:
        """No secret is in what is printed, whatever is printed."""
        plain, done = run(*how, stdin=self.stream()), run(*how, "--redact", stdin=self.stream())
        assert [True] * 4 == [secret in plain.stdout.decode() for secret in self.SECRETS]
        assert [False] * 4 == [secret in done.stdout.decode() for secret in self.SECRETS]
        assert b"[redacted] api_key=[redacted] [redacted] ~" in done.stdout
        assert plain.returncode == done.returncode

    def test_the_source_and_messages(self) -> None:
        """Names of files are no exception, on stderr neither."""
        done = run("--redact", "/home/alice/no.jsonl")
        assert ["agentframes: show: ~/no.jsonl: no such file"] == lines(done.stderr)


@contextmanager
def following(path: Path, *options: str) -> Iterator[_Followed]:
    """Follow a file until the end of the block, then interrupt."""
    out, err = path.with_suffix(".out"), path.with_suffix(".err")
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            command("--follow", *options, path), stdout=stdout, stderr=stderr
        )
        told = _Followed(process, out, err)
        try:
            yield told
        finally:
            process.send_signal(signal.SIGINT)
            told.status = process.wait(PATIENCE)


class _Followed:
    """What a command that follows has printed so far."""

    def __init__(self, process: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self.process, self._out, self._err = process, out, err
        self.status: int | None = None

    @property
    def rows(self) -> list[str]:
        return lines(self._out.read_bytes())

    @property
    def said(self) -> list[str]:
        return lines(self._err.read_bytes())

    def wait(self, row: str, times: int = 1) -> None:
        """Wait until so many rows have been printed that are this, or JSON that holds it."""
        end = time.monotonic() + PATIENCE
        while sum(row == one or (one[:1] == "{" and row in one) for one in self.rows) < times:
            assert time.monotonic() < end, [row, self.rows, self.said]
            assert self.process.poll() is None, [self.rows, self.said]
            time.sleep(0.02)


class TestFollow:
    """A file that grows."""

    def test_growth(self, tmp_path: Path) -> None:
        """Half a line is waited for; an interruption ends it, and is its status."""
        data = (CODEX / "stdout.jsonl").read_bytes()
        cut = data.index(b"The command printed")
        path = tmp_path / "run.jsonl"
        path.write_bytes(data[:cut])
        with following(path) as told:
            told.wait("● I will run it.")
            with path.open("ab") as file:
                file.write(data[cut:])
            told.wait("· Run completed")
        assert run(CODEX / "stdout.jsonl").stdout.decode() == "".join(
            f"{row}\n" for row in told.rows
        )
        assert (130, []) == (told.status, told.said)

    def test_truncation_and_rotation(self, tmp_path: Path) -> None:
        """A content that begins anew is another run, and a line on stderr says why."""
        first, second = ((folder / "stdout.jsonl").read_bytes() for folder in (CLAUDE, CODEX))
        path, other = tmp_path / "run.jsonl", tmp_path / "other"
        path.write_bytes(first)
        with following(path) as told:
            told.wait("● The command printed hello.")
            path.write_bytes(second)
            told.wait("· Run completed")
            other.write_bytes(first)
            other.replace(path)
            told.wait("● The command printed hello.", times=3)
        assert told.said == [
            f"agentframes: show: {path}: it was truncated; reading on from its start",
            f"agentframes: show: {path}: another file took its place; reading on from its start",
        ]
        rules = [row.rstrip("─ ") for row in told.rows if row.startswith("──")]
        assert rules == [
            "── claude 2.1.332 · success",
            "── From the start",
            "── codex (version not told) · success",
            "── From the start",
            "── claude 2.1.332 · success",
        ]

    def test_ids_of_several_contents(self, tmp_path: Path) -> None:
        """Events of a content that began anew bear ids of their own."""
        path = tmp_path / "run.jsonl"
        path.write_bytes((CLAUDE / "stdout.jsonl").read_bytes())
        with following(path, "--json") as told:
            told.wait('"Run completed"')
            path.write_bytes((CODEX / "stdout.jsonl").read_bytes())
            told.wait('"Run completed"', times=2)
        sources = {json.loads(row)["rawRange"]["source"] for row in told.rows}
        assert {str(path), f"{path}#2"} == sources

    def test_what_is_open_at_the_interruption(self, tmp_path: Path) -> None:
        """A call that runs is shown as unfinished, and the last lines come all the same."""
        frames = (KILLED / "stdout.jsonl").read_bytes().splitlines(keepends=True)
        path = tmp_path / "run.jsonl"
        path.write_bytes(b"".join(frames))
        with following(path) as told:
            told.wait("● I will wait.")
        assert "  … command_execution  /bin/bash -lc 'sleep 30' · unfinished" in told.rows
        assert "── codex (version not told) · incomplete" in " ".join(told.rows)
        assert 130 == told.status

    def test_a_capture_folder(self) -> None:
        """The output of a capture is followed, with what the capture tells."""
        process = subprocess.Popen(command("--follow", CODEX), stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert "▸ Run echo hello and report.\n" == process.stdout.readline().decode()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert 130 == process.returncode

    def test_stdin(self) -> None:
        """What is piped in is followed to its end, whose outcome is the status."""
        statuses = [
            run("--follow", stdin=(folder / "stdout.jsonl").read_bytes()).returncode
            for folder in (CLAUDE, FAILED, KILLED)
        ]
        assert [0, 1, 3] == statuses

    def test_a_subagent_at_work(self) -> None:
        """What is complete is shown at once, before the call that it is part of."""
        done = run("--follow", stdin=(SUBAGENT / "stdout.jsonl").read_bytes())
        told = lines(done.stdout)
        assert told[3:12] == [
            "",
            "  ┃ task: Count lines",
            "  ┃ ● Counting.",
            "  ┃ ◆ 1 call: execute · 97 ms",
            "  ┃   ✓ bash  wc -l notes.txt · exit 0 · 97 ms",
            "  ┃",
            "  ┃ ● notes.txt has 3 lines.",
            "",
            "◆ 1 call: agent · 0.3 s",
        ]


class TestExitStatus:
    """The outcome as an exit status, and one line on stderr where nothing can be shown."""

    @pytest.mark.parametrize(("status", "path"), [(0, CLAUDE), (1, FAILED), (3, KILLED)])
    @pytest.mark.parametrize("how", [(), ("--json",)])
    def test_outcome(self, status: int, path: Path, how: tuple[str, ...]) -> None:
        """The status is as for ``read``."""
        assert status == run(*how, path).returncode

    @pytest.mark.parametrize(
        ("arguments", "status", "line"),
        [
            (("missing.jsonl",), 2, "missing.jsonl: no such file"),
            (("--follow", "missing.jsonl"), 2, "missing.jsonl: no such file"),
            (
                ("src",),
                2,
                "src: a folder without a capture (none of stdout.jsonl, stdout.json, stdout.txt)",
            ),
            (("a", "b"), 2, "one input at a time"),
            (("--jsn",), 2, "unrecognized arguments: --jsn (agentframes show --help tells more)"),
            (
                ("--width", "0", "-"),
                2,
                "argument --width: no width in columns: '0' (agentframes show --help tells more)",
            ),
            (
                ("-",),
                3,
                (
                    "-: incomplete (empty): nothing native to read: the CLI printed nothing;"
                    " what it wrote to stderr may tell why"
                ),
            ),
        ],
    )
    def test_misuse(self, arguments: tuple[str, ...], status: int, line: str) -> None:
        """Each misuse has its line and its status, and prints nothing on stdout."""
        done = run(*arguments)
        assert (status, [f"agentframes: show: {line}"], b"") == (
            done.returncode, lines(done.stderr), done.stdout,
        )  # fmt: skip

    def test_an_unknown_engine(self) -> None:
        """The engines that there are, are named."""
        done = run("--engine", "zork", "-")
        line = "unknown engine 'zork'; known engines: claude, codex, copilot, gemini, opencode"
        assert (2, [f"agentframes: {line}"]) == (done.returncode, lines(done.stderr))

    @pytest.mark.parametrize("how", [(), ("--follow",), ("--json",)])
    def test_not_agent_output(self, how: tuple[str, ...]) -> None:
        """Prose is no agent's output."""
        done = run(*how, stdin=b"hello\n")
        line = (
            "agentframes: show: -: incomplete (not_agent_output): nothing native to read: no line"
            " is a frame of a known engine; agent CLIs print frames only when asked for JSON"
        )
        assert (3, [line]) == (done.returncode, lines(done.stderr))

    def test_a_binary_file(self, tmp_path: Path) -> None:
        """Bytes that are no text do no harm."""
        path = tmp_path / "random"
        path.write_bytes(bytes(range(256)) * 400)
        done = run(path)
        assert 3 == done.returncode
        assert set() == set(b"\x1b\x07\x08\r") & set(done.stdout + done.stderr)

    @pytest.mark.parametrize("how", [(), ("--follow",)])
    def test_session_files_are_named(self, how: tuple[str, ...]) -> None:
        """A CLI's own session file is told as such."""
        rollout = {"timestamp": "2026-11-30T00:00:00Z", "type": "session_meta", "payload": {}}
        done = run(*how, stdin=json.dumps(rollout).encode() + b"\n")
        line = "agentframes: show: -: a Codex session file, not print-mode output"
        assert (2, [line]) == (done.returncode, lines(done.stderr))

    @pytest.mark.parametrize("how", ["", "--json"])
    def test_a_reader_that_leaves(self, how: str) -> None:
        """A closed pipe ends the command without a word, and changes nothing in the outcome."""
        shell = f"{' '.join(command(FAILED))} {how} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        assert (b"1\n", b"") == (done.stdout, done.stderr)

    def test_a_reader_that_leaves_while_more_comes(self) -> None:
        """The same holds for what is piped in."""
        shell = f"cat {FAILED}/stdout.jsonl | {' '.join(command())} | true"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        assert (b"", b"") == (done.stdout, done.stderr)

    @pytest.mark.parametrize("how", ["", "--json"])
    def test_a_full_disk(self, how: str) -> None:
        """What cannot be written is told, and is no outcome of the run."""
        shell = f"{' '.join(command(CLAUDE))} {how} > /dev/full"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        line = "agentframes: cannot write the result: no space left on device"
        assert (2, [line]) == (done.returncode, lines(done.stderr))

    def test_closed_streams(self) -> None:
        """Without stdin or stdout there is nothing to read, or nowhere to write to."""
        for closed, line in (
            ("<&-", "show: stdin is closed"),
            (">&-", "stdout is closed: there is nowhere to write to"),
        ):
            shell = f"{' '.join(command('-'))} {closed}"
            done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
            assert (2, [f"agentframes: {line}"]) == (done.returncode, lines(done.stderr))


class TestTerminal:
    """Colours and widths."""

    def test_colors(self) -> None:
        """A pipe gets none, unless asked for."""
        assert b"\x1b" not in run(CLAUDE, TERM="xterm").stdout
        assert b"\x1b[36m" in run("--color", "always", CLAUDE, TERM="xterm").stdout
        assert b"\x1b[36m" in run("--color", "always", CLAUDE, NO_COLOR="1").stdout

    @pytest.mark.parametrize(
        ("colored", "environment"),
        [(True, {}), (False, {"NO_COLOR": "1"}), (False, {"TERM": "dumb"})],
    )
    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pty: run on Linux or macOS")
    def test_a_terminal(
        self,
        colored: bool,  # noqa: FBT001 - a column of the table
        environment: dict[str, str],
    ) -> None:
        """A terminal gets colours, unless it or NO_COLOR says no, and no other sequence."""
        import pty

        ours, theirs = pty.openpty()
        kept = {"TERM": "xterm", "PATH": os.environ["PATH"]} | environment
        process = subprocess.Popen(
            command("--width", "60", CLAUDE), stdout=theirs, cwd=ROOT, env=kept
        )
        process.wait(PATIENCE)
        os.close(theirs)
        told = os.read(ours, 100_000)
        os.close(ours)
        assert colored == (b"\x1b[36m" in told)
        assert told.count(b"\x1b[") == told.count(b"\x1b")

    def test_width(self) -> None:
        """Lines keep to 80 columns, to COLUMNS, to ``--width``."""
        assert [80, 50, 20] == [
            max(map(len, lines(done.stdout)))
            for done in (
                run(CLAUDE),
                run(CLAUDE, COLUMNS="50"),
                run("--width", "20", CLAUDE, COLUMNS="50"),
            )
        ]

    def test_json_needs_no_rich(self) -> None:
        """What paints is imported only to paint."""
        code = (
            "import sys; from agentframes.commands import main;"
            " main(['show', '--json', sys.argv[1]]); print('rich' in sys.modules, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(CLAUDE)], capture_output=True, check=True, cwd=ROOT
        )
        assert b"False\n" == done.stderr

    def test_help(self) -> None:
        """Help goes to stdout and exits 0."""
        done = run("--help")
        assert (0, "usage: agentframes show") == (done.returncode, lines(done.stdout)[0][:23])
