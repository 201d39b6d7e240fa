# SPDX-License-Identifier: Apache-2.0
"""``agentframes play`` as its users see it, and the pace of a recording without waiting for it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from agentframes.commands import main
from agentframes.playing import Lacks, paced
from tests.captured import ROOT, capture

CORPUS = ROOT / "corpus"
CODEX = CORPUS / "codex/0.171.0/s03-shell"
FAILED = CORPUS / "claude/2.1.220/s21-maxturns"
KILLED = CORPUS / "codex/0.171.0/s26-sigterm-tool"

PATIENCE = 20  # seconds for what takes a tenth of one
MORE = " (agentframes play --help tells more)"
AT_ONCE = ("--max-gap", "0")  # the times are read, and not waited for


def command(*arguments: str | Path) -> list[str]:
    """Write the command as a process has it."""
    return [sys.executable, "-m", "agentframes", "play", *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process, as scripts do."""
    return subprocess.run(
        command(*arguments), capture_output=True, check=False, cwd=ROOT, timeout=PATIENCE
    )


def recording(folder: Path, output: bytes, *times: object, **files: bytes) -> Path:
    """Write a folder with output and with times; a time that is no number stands as it is."""
    folder.joinpath("stdout.jsonl").write_bytes(output)
    rows = [
        one if isinstance(one, str) else json.dumps({"line": line, "ms": one})
        for line, one in enumerate(times, 1)
    ]
    folder.joinpath("timing.jsonl").write_text("".join(f"{row}\n" for row in rows))
    for name, content in files.items():
        folder.joinpath(name.replace("_", ".")).write_bytes(content)
    return folder


class TestPace:
    """The waits before the lines, told and not waited for."""

    @staticmethod
    def of(
        pieces: Iterable[bytes],
        *times: object,
        speed: float = 1,
        max_gap: float | None = None,
    ) -> tuple[list[float], str]:
        """Return the waits, and what the times lack; the pieces must come as they are."""
        pieces = list(pieces)
        rows = [one.encode() if isinstance(one, str) else json.dumps(one).encode() for one in times]
        lacks = Lacks()
        told = list(paced(pieces, rows, lacks, speed=speed, max_gap=max_gap))
        assert pieces == [piece for _, piece in told]
        return [wait for wait, _ in told], str(lacks)

    @staticmethod
    def at(line: int, ms: float) -> dict[str, float]:
        """Write one time."""
        return {"line": line, "ms": ms}

    def test_waits(self) -> None:
        """The first wait is from the start of the run, each other one from the line before."""
        times = self.at(1, 1500), self.at(2, 1500.0), self.at(3, 2000)
        assert ([1.5, 0, 0.5], "") == self.of([b"a\n", b"\n", b"c\n"], *times)

    @pytest.mark.parametrize(
        ("speed", "max_gap", "waits"),
        [
            (2, None, [0.5, 4]),
            (0.5, None, [2, 16]),
            (1, 3, [1, 3]),
            (2, 3, [0.5, 3]),
            (1, 0, [0, 0]),
        ],
    )
    def test_speed_and_longest_wait(
        self, speed: float, max_gap: float | None, waits: list[float]
    ) -> None:
        """The longest wait is one that is really waited, whatever the speed."""
        times = self.at(1, 1000), self.at(2, 9000)
        assert (waits, "") == self.of([b"a\n", b"b\n"], *times, speed=speed, max_gap=max_gap)

    def test_long_lines_in_pieces(self) -> None:
        """Only the begin of a line is waited for."""
        times = self.at(1, 1000), self.at(2, 2000)
        pieces = [b"a", b"a", b"a\n", b"b", b"b"]
        assert ([1, 0, 0, 1, 0], "") == self.of(pieces, *times)

    def test_lines_without_a_time(self) -> None:
        """They come at once; the line after them comes at its own time."""
        times = self.at(1, 1000), self.at(3, 3000)
        told = self.of([b"a\n", b"b\n", b"c\n", b"d"], *times)
        assert ([1, 0, 2, 0], "2 lines without a time") == told

    def test_times_past_the_end(self) -> None:
        """Times of lines that there are not are told, and not waited for."""
        told = self.of([b"a\n"], *(self.at(line, 1000 * line) for line in (1, 2, 3)))
        line = "2 lines of timing.jsonl out of order or past the end of the output"
        assert ([1], line) == told

    def test_times_that_go_backwards(self) -> None:
        """The clock does not: what came later comes at its time."""
        times = self.at(1, 1000), self.at(2, 400), self.at(3, 1500)
        line = "1 line with a time before that of an earlier line"
        assert ([1, 0, 0.5], line) == self.of([b"a\n", b"b\n", b"c\n"], *times)

    def test_times_out_of_order(self) -> None:
        """A line that is named again, or too late, keeps what it had."""
        times = self.at(1, 1000), self.at(1, 7000), self.at(3, 3000), self.at(2, 2000)
        line = (
            "1 line without a time,"
            " 2 lines of timing.jsonl out of order or past the end of the output"
        )
        assert ([1, 0, 2], line) == self.of([b"a\n", b"b\n", b"c\n"], *times)

    @pytest.mark.parametrize(
        "garbled",
        [
            '{"line": 2, "m',
            '{"line": 2}',
            '{"line": 2, "ms": "2000"}',
            '{"line": 2, "ms": null}',
            '{"line": 2, "ms": -1}',
            '{"line": 2, "ms": NaN}',
            '{"line": 2, "ms": 1e999}',
            '{"line": 2.5, "ms": 1}',
            '{"line": 0, "ms": 1}',
            '{"line": true, "ms": 1}',
            "[2, 2000]",
            "[" * 100_000,
            "\x00\x00",
        ],
    )
    def test_garbled_times(self, garbled: str) -> None:
        """What is no time is passed over, and its line comes at once."""
        times = self.at(1, 1000), garbled, self.at(3, 3000)
        line = "1 line without a time, 1 line of timing.jsonl that cannot be read"
        assert ([1, 0, 2], line) == self.of([b"a\n", b"b\n", b"c\n"], *times)

    def test_blank_lines_and_more_fields(self) -> None:
        """A blank line among the times is nothing, and a field more is no matter."""
        times = "\n", '{"line": 1, "ms": 1000, "stream": "stdout"}\r\n', " ", ""
        assert ([1], "") == self.of([b"a\n"], *times)

    def test_huge_times(self) -> None:
        """No time is too large to be told, nor to be shortened."""
        times = self.at(1, 1e308), self.at(2, 1e308)
        told = self.of([b"a\n", b"b\n"], *times, speed=1e-300, max_gap=2)
        assert ([2, 0], "") == told

    def test_each_line_as_it_is_read(self) -> None:
        """No line, nor its time, is read before the one before it was given."""
        read: list[str] = []

        def reading(name: str, rows: list[bytes]) -> Iterable[bytes]:
            for number, row in enumerate(rows, 1):
                read.append(f"{name}{number}")
                yield row

        times = [json.dumps(self.at(line, line)).encode() for line in (1, 2, 3)]
        pace = paced(reading("o", [b"a\n", b"b\n", b"c\n"]), reading("t", times), Lacks())
        next(pace)
        assert ["t1", "o1", "t2"] == read

    def test_a_capture(self) -> None:
        """The waits of a real run add up to the time of its last line."""
        rows = (CODEX / "timing.jsonl").read_bytes().splitlines()
        pieces = (CODEX / "stdout.jsonl").read_bytes().splitlines(keepends=True)
        waits, lacks = self.of(pieces, *(row.decode() for row in rows))
        last = json.loads(rows[-1])["ms"]
        assert (last / 1000, "") == (pytest.approx(sum(waits)), lacks)


class TestBytes:
    """What is written is what the CLI printed."""

    @pytest.mark.parametrize(
        "name",
        [
            "claude/2.1.332/s03-shell",
            "codex/0.171.0/s02-unicode",
            "copilot/1.0.102/s17-subagent",
            "gemini/0.61.0/s12-mcp--json",
            "opencode/1.18.33/s32-unknown-tool",
        ],
    )
    @pytest.mark.parametrize("how", [AT_ONCE, ("--fast",), ("--speed", "1e9")])
    def test_a_capture_of_each_engine(self, name: str, how: tuple[str, ...]) -> None:
        """Every byte is there, a document without a line end at its end included."""
        done = run(*how, CORPUS / name)
        assert (0, capture(name), b"") == (done.returncode, done.stdout, done.stderr)

    @pytest.mark.parametrize(
        "output",
        [
            b"",
            b"\n",
            b"\xef\xbb\xbf{}\r\n\r\n",
            b"{}\n{",
            b"\xff\xfe{\x00}\x00\n\x00",
            bytes(range(256)),
            b"a\n" + b"b" * 400_000 + b"\nc\n",
        ],
    )
    def test_odd_bytes(self, tmp_path: Path, output: bytes) -> None:
        """Nothing is decoded, dropped or ended, from a folder and from a plain file."""
        folder = recording(tmp_path, output)
        assert (output, output) == (
            run(*AT_ONCE, folder).stdout,
            run(folder / "stdout.jsonl").stdout,
        )

    def test_a_plain_file_waits_for_nothing(self, tmp_path: Path) -> None:
        """The times beside a file are those of the folder: a file has none, and lacks none."""
        folder = recording(tmp_path, b"a\nb\n", 60_000, 120_000)
        done = run(folder / "stdout.jsonl")
        assert (0, b"a\nb\n", b"") == (done.returncode, done.stdout, done.stderr)

    def test_fast(self, tmp_path: Path) -> None:
        """Where nothing is waited for, the times are not looked at."""
        folder = recording(tmp_path, b"a\nb\n", 60_000, "garbled")
        for how in (("--fast",), ("--speed", "0"), ("--speed", "-0")):
            done = run(*how, folder)
            assert (0, b"a\nb\n", b"") == (done.returncode, done.stdout, done.stderr)


class TestTime:
    """What is waited for, and what comes meanwhile."""

    def test_a_line_comes_when_it_is_due(self, tmp_path: Path) -> None:
        """A line is out before the next one is waited for, and an interruption ends it: 130."""
        folder = recording(tmp_path, b"a\nb\n", 0, 600_000)
        with subprocess.Popen(command(folder), stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert b"a\n" == process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert b"" == process.stdout.read()
            assert 130 == process.wait(PATIENCE)

    def test_it_is_waited_for(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes],
    ) -> None:
        """Each line waits until its time since the start; one that is late makes up for it."""
        folder = recording(tmp_path, b"a\nb\nc\n", 1000, 3000, 3500)
        now, slept = [50.0], []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            now[0] += seconds + 0.25

        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        monkeypatch.setattr(time, "sleep", sleep)
        assert 0 == main(["play", str(folder)])
        assert [1, 1.75, 0.25] == slept
        assert b"a\nb\nc\n" == capfdbinary.readouterr().out

    def test_a_wait_that_has_no_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A garbled time of ages is slept for in hours, as long as the user likes."""
        folder = recording(tmp_path, b"a\n", 1e300)
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 3:
                raise KeyboardInterrupt

        monkeypatch.setattr(time, "sleep", sleep)
        assert 130 == main(["play", "--speed", "1e-300", str(folder)])
        assert [3600] * 3 == slept


class TestBrokenOff:
    """A recording that lacks something plays as far as it goes."""

    @pytest.mark.parametrize(
        ("output", "times", "line"),
        [
            (b'{"a": 1}\n{"b', (5,), "1 line without a time"),
            (b"a\n", (5, 6), "1 line of timing.jsonl out of order or past the end of the output"),
            (
                b"a\nb\nc\n",
                (5, "{", 3),
                (
                    "1 line without a time, 1 line with a time before that of an earlier line,"
                    " 1 line of timing.jsonl that cannot be read"
                ),
            ),
        ],
    )
    def test_times(
        self, tmp_path: Path, output: bytes, times: tuple[object, ...], line: str
    ) -> None:
        """All of the output is there, and one line says what the times lack."""
        done = run(recording(tmp_path, output, *times))
        said = f"agentframes: play: {tmp_path}: {line}\n"
        assert (0, output, said) == (done.returncode, done.stdout, done.stderr.decode())

    def test_files(self, tmp_path: Path) -> None:
        """A file that is not there is named, in the same line."""
        folder = recording(tmp_path, b"a\nb")
        (folder / "timing.jsonl").unlink()
        done = run("--stderr", folder)
        said = f"agentframes: play: {tmp_path}: no stderr.txt, no timing.jsonl\n"
        assert (0, b"a\nb", said) == (done.returncode, done.stdout, done.stderr.decode())

    def test_an_odd_name(self, tmp_path: Path) -> None:
        """The name of a folder cannot make a second line, nor move the cursor."""
        folder = tmp_path / "a\n\x1b[2Jb"
        folder.mkdir()
        recording(folder, b"a\n")
        done = run(folder)
        assert 1 == done.stderr.count(b"\n")
        assert b"\x1b" not in done.stderr


class TestStderr:
    """``--stderr``: what the CLI said there."""

    def test_it_comes_byte_for_byte(self, tmp_path: Path) -> None:
        """It is written to stderr as it is, and only when asked for."""
        folder = recording(tmp_path, b"a\n", 1, stderr_txt=b"\xff\r\nno end")
        asked, not_asked = run("--stderr", folder), run(folder)
        assert (b"\xff\r\nno end", b"") == (asked.stderr, not_asked.stderr)
        assert (b"a\n", b"a\n") == (asked.stdout, not_asked.stdout)

    def test_it_comes_at_the_end(self, tmp_path: Path) -> None:
        """All of stdout is out before it."""
        folder = recording(tmp_path, b"a\nb\n", 1, 2, stderr_txt=b"c\n")
        done = subprocess.run(
            command("--stderr", folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )
        assert b"a\nb\nc\n" == done.stdout


class TestExitStatus:
    """The status, and one line on stderr where nothing can be played."""

    def test_the_captures_own(self) -> None:
        """It is the CLI's with ``--exit-code``, else 0."""
        assert [0, 1, 0] == [
            run("--fast", FAILED).returncode,
            run("--fast", "--exit-code", FAILED).returncode,
            run("--fast", "--exit-code", CODEX).returncode,
        ]

    def test_of_a_recording(self, tmp_path: Path) -> None:
        """A recording that was not imported tells it in `meta.json`."""
        folder = recording(tmp_path, b"a\n", 1, meta_json=b'{"exit_code": 53}')
        assert 53 == run("--exit-code", folder).returncode

    @pytest.mark.parametrize("code", ["null", "256", "-15", '"1"'])
    def test_none_that_a_process_could_end_with(self, tmp_path: Path, code: str) -> None:
        """Nothing is played in place of a status that cannot be given."""
        folder = recording(tmp_path, b"a\n", 1, meta_json=f'{{"exit_code": {code}}}'.encode())
        done = run("--exit-code", folder)
        said = f"agentframes: play: {tmp_path}: the capture tells no exit status (--exit-code)\n"
        assert (2, b"", said) == (done.returncode, done.stdout, done.stderr.decode())

    def test_of_a_run_that_was_killed(self) -> None:
        """A signal is no exit status: it is not made up."""
        assert (0, 2) == (
            run("--fast", KILLED).returncode,
            run("--fast", "--exit-code", KILLED).returncode,
        )

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (("missing.jsonl",), "missing.jsonl: no such file"),
            (
                ("src",),
                "src: a folder without a capture (none of stdout.jsonl, stdout.json, stdout.txt)",
            ),
            (
                (),
                f"the following arguments are required: PATH{MORE}",
            ),
            (
                ("--exit-code", "README.md"),
                "--stderr and --exit-code need a capture folder: README.md",
            ),
            *(
                (
                    (option, value, "README.md"),
                    f"argument {option}: not a number from 0 up: {value!r}{MORE}",
                )
                for option in ("--speed", "--max-gap")
                for value in ("-1", "nan", "inf", "fast", "")
            ),
            (
                ("--fast", "--speed", "2", "README.md"),
                f"argument --speed: not allowed with argument --fast{MORE}",
            ),
        ],
    )
    def test_misuse(
        self,
        arguments: tuple[str, ...],
        line: str,
        capfd: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Each misuse has its line, exits 2 and prints nothing on stdout."""
        monkeypatch.chdir(ROOT)
        assert 2 == main(["play", *arguments])
        assert ("", f"agentframes: play: {line}\n") == capfd.readouterr()

    @pytest.mark.parametrize(("how", "status"), [("", b"0\n"), ("--exit-code", b"1\n")])
    def test_a_reader_that_leaves(self, how: str, status: bytes) -> None:
        """A closed pipe ends the command without a word, and changes nothing in the status."""
        shell = (
            f"{' '.join(command('--speed', '50', FAILED))} {how} | true; echo ${{PIPESTATUS[0]}}"
        )
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        assert (status, b"") == (done.stdout, done.stderr)

    def test_a_full_disk(self) -> None:
        """What cannot be written is told."""
        shell = f"{' '.join(command('--fast', CODEX))} > /dev/full"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False, cwd=ROOT)
        line = b"agentframes: cannot write the result: no space left on device\n"
        assert (2, line) == (done.returncode, done.stderr)

    @pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs /proc: run it on Linux")
    def test_a_file_that_cannot_be_read(self, capfd: pytest.CaptureFixture[str]) -> None:
        """What opens and does not read is a fault of the input, not of the output."""
        assert 2 == main(["play", "/proc/self/mem"])
        line = "agentframes: play: /proc/self/mem: input/output error\n"
        assert ("", line) == capfd.readouterr()

    def test_help(self) -> None:
        """Help goes to stdout and exits 0."""
        done = run("--help")
        assert (0, b"usage: agentframes play") == (done.returncode, done.stdout[:23])
