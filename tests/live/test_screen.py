# SPDX-License-Identifier: Apache-2.0
"""A run in a terminal: the rows, and a line at the foot while it goes on."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentframes.events.model import ConversationEvent, Status
from agentframes.terminal.screen import BURST, PER_SECOND, Screen
from tests.live.fakes import Fake, arguments, environment, kept
from tests.processes import PATIENCE

WIDTH = 100
CODES = re.compile(r"\x1b\[(\?25[lh]|[0-9;]*[A-Za-z])")
FOOT = re.compile(r"codex · [\d.]+ (?:ms|s)")


class Terminal:
    """What a terminal shows of what was written to it; as much as is needed here."""

    def __init__(self, written: str) -> None:
        self.rows = [""]
        self.cursor = True
        self._row = self._column = 0
        at = 0
        for code in CODES.finditer(written):
            self._write(written[at : code.start()])
            self._obey(code[1])
            at = code.end()
        self._write(written[at:])

    def _write(self, text: str) -> None:
        for sign in text:
            if sign == "\r":
                self._column = 0
            elif sign == "\n":
                self._row += 1
                self.rows += [""] * (self._row + 1 - len(self.rows))
            else:
                row = self.rows[self._row].ljust(self._column)
                self.rows[self._row] = row[: self._column] + sign + row[self._column + 1 :]
                self._column += 1

    def _obey(self, code: str) -> None:
        if code == "2K":
            self.rows[self._row] = ""
        elif code.endswith("A"):
            self._row -= int(code[:-1] or 1)
        elif code.startswith("?25"):
            self.cursor = code == "?25h"
        else:
            assert code.endswith("m"), f"an unexpected code: {code}"


def watched(home: Path, fake: Fake, until: str, *options: str, before: str = "") -> tuple[int, str]:
    """Run ``agentframes`` in a terminal, and let the stand-in go on when something was shown."""
    mine, its = pty.openpty()
    code = f"import sys\n{before}\nfrom agentframes.commands import main\nsys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments(fake, *options)],
        stdin=its, stdout=its, stderr=its, cwd=home, start_new_session=True,
        env=environment(home, COLUMNS=str(WIDTH), TERM="xterm", LANG="C.UTF-8", LC_ALL="C.UTF-8"),
    )  # fmt: skip
    os.close(its)
    written = b""
    try:
        while piece := _piece(mine):
            written += piece
            if until.encode() in written:
                (fake.notes / "go").touch()
        return process.wait(PATIENCE), written.decode()
    finally:
        process.kill()
        process.wait()
        os.close(mine)


def _piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux tells so that nobody has it open any more
        return b""


class TestTerminal:
    """Rows, and the foot."""

    def test_the_foot_shows_and_is_gone_at_the_end(self, tmp_path: Path) -> None:
        """What runs and for how long; at the end all rows stand there, and nothing else."""
        fake = Fake(tmp_path, "codex", "asks_back")
        status, written = watched(tmp_path, fake, "codex · ")
        assert 0 == status
        assert FOOT.search(CODES.sub("", written))
        before, _, after = written.rpartition("codex · ")
        shown = Terminal(written)
        text = "\n".join(shown.rows)
        assert shown.cursor
        assert FOOT.search(text) is None
        for row in ("Do four steps.", "Step one.", "echo step3", "Four steps are done."):
            assert 1 == text.count(row), row
        assert f"run: kept in {kept(tmp_path)}"[:60] in text
        assert "\x1b[2K" in after
        assert before

    def test_the_foot_is_gone_when_it_is_ended(self, tmp_path: Path) -> None:
        """The cursor is there again."""
        fake = Fake(tmp_path, "codex", "stops_in_a_line")
        status, written = watched(tmp_path, fake, "never", "--idle-timeout", "2")
        shown = Terminal(written)
        assert (3, True) == (status, shown.cursor)
        assert FOOT.search(CODES.sub("", written))
        assert FOOT.search("\n".join(shown.rows)) is None

    def test_a_flood_is_bounded(self, tmp_path: Path) -> None:
        """Beyond what a screen takes at once nothing is shown; the capture has it."""
        fake = Fake(tmp_path, "codex", "floods", size=5_000_000)
        no_more = "from agentframes.terminal import screen\nscreen.PER_SECOND = 0"
        status, written = watched(tmp_path, fake, "never", before=no_more)
        lines = (kept(tmp_path) / "stdout.jsonl").read_bytes().splitlines()
        told = re.search(r"([\d,]+) rows came too fast; the capture has them", written)
        assert told is not None
        assert 0 == status
        assert len(lines) > 20_000
        assert int(told[1].replace(",", "")) > 15_000
        assert len(written) < 3_000_000
        assert FOOT.search("\n".join(Terminal(written).rows)) is None


class TestFlood:
    """Rows that come too fast, without a terminal."""

    def test_20_000_rows(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """At once as many as a screen may take, then so many a second."""
        now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: now)
        screen = Screen("codex", lambda: None, verbose=False, trace=False, color="never", width=80)
        with screen:
            screen.take(rows(0, 20_000))
            now += 2
            screen.take(rows(20_000, 20_000 + 3 * PER_SECOND))
        screen.close([])
        shown = capsys.readouterr().out.splitlines()
        fit = BURST + 2 * PER_SECOND
        assert fit == sum("row " in line for line in shown)
        assert f"{20_000 + 3 * PER_SECOND - fit:,} rows came too fast; the capture has them" in (
            line.strip() for line in shown
        )

    def test_what_fits_is_not_spoken_of(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Not a word."""
        screen = Screen("codex", lambda: None, verbose=False, trace=False, color="never", width=80)
        screen.take(rows(0, BURST))
        screen.close([])
        shown = capsys.readouterr().out
        assert (BURST, 0) == (shown.count("row "), shown.count("too fast"))


def rows(begin: int, end: int) -> list[ConversationEvent]:
    """Make events of which each is a row."""
    return [
        Status(
            id=f"s-{number}",
            timestamp=None,
            raw_range=None,
            category="lifecycle",
            label=f"row {number}",
        )
        for number in range(begin, end)
    ]
