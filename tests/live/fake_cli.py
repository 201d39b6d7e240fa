# SPDX-License-Identifier: Apache-2.0
"""A stand-in for an engine's CLI: plays a capture, and misbehaves where it is told to.

It runs without the project and without site-packages. `FAKE_PLAYS` names the capture's folder,
`FAKE_NOTES` the one in which it writes down what a test wants to know, `FAKE_DOES` what it does
(a function's name below), `FAKE_BYTES` how much a flood prints.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

PLAYS = Path(os.environ["FAKE_PLAYS"])
NOTES = Path(os.environ["FAKE_NOTES"])
BYTES = int(os.environ.get("FAKE_BYTES") or 0)
FASTER, LONGEST = 50, 0.02  # than it was; seconds between two lines
FOR_LONG = 120  # seconds, if nobody ends it
PAUSE = 0.01

LINES = (PLAYS / "stdout.jsonl").read_bytes().splitlines(keepends=True)


class Mouth:
    """Prints, and knows what it has printed."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self._bytes = 0

    def say(self, data: bytes) -> None:
        """Print all of it."""
        self._sum.update(data)
        self._bytes += len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]

    def told(self) -> None:
        """Write down what was printed: all of it, if nothing comes behind this."""
        note("printed", json.dumps({"bytes": self._bytes, "sha256": self._sum.hexdigest()}))


def note(name: str, text: str) -> None:
    """Write a note, whole or not at all."""
    beside = NOTES / f".{name}.{os.getpid()}"
    beside.write_text(text, "utf-8")
    beside.replace(NOTES / name)


def add(name: str, line: str) -> None:
    """Add a line to a note."""
    with (NOTES / name).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def here() -> None:
    """Write down this process."""
    add("pids", str(os.getpid()))


MOUTH = Mouth()


# --- what it does --------------------------------------------------------------------------------


def plays() -> int:
    """Print a capture, as it was but faster."""
    rows = (PLAYS / "timing.jsonl").read_bytes().splitlines()
    times = [json.loads(row)["ms"] / 1000 / FASTER for row in rows]
    os.write(2, (PLAYS / "stderr.txt").read_bytes())
    for gap, line in zip(_gaps(times), LINES, strict=True):
        time.sleep(gap)
        MOUTH.say(line)
    MOUTH.told()
    told = tomllib.loads((PLAYS / "capture.toml").read_text("utf-8"))
    return int(told["exit_code"])


def _gaps(times: list[float]) -> Iterator[float]:
    return (min(LONGEST, after - before) for before, after in itertools.pairwise([0.0, *times]))


def floods() -> int:
    """Print the middle of a capture over and over, as fast as it is taken."""
    begin, middle, end = LINES[:2], b"".join(LINES[2:-1]), LINES[-1]
    MOUTH.say(b"".join(begin))
    for number in range(BYTES // len(middle) + 1):
        MOUTH.say(middle.replace(b'"item_', b'"item_%d_' % number))  # codex's ids are told once
    MOUTH.say(end)
    MOUTH.told()
    return 0


def widens() -> int:
    """Print a line that is longer than all that anybody expects; for codex."""
    begin = b'{"type":"item.completed","item":{"id":"item_9","type":"agent_message","text":"'
    MOUTH.say(b"".join(LINES[:-1]) + begin)
    for _ in range(BYTES // 100_000):
        MOUTH.say(b"x" * 100_000)
    MOUTH.say(b'"}}\n' + LINES[-1])
    MOUTH.told()
    return 0


def stops_in_a_line() -> int:
    """Print half a line, and nothing more."""
    MOUTH.say(b"".join(LINES[:3]) + LINES[3][: len(LINES[3]) // 2])
    MOUTH.told()
    time.sleep(FOR_LONG)
    return 0


def is_deaf() -> int:
    """Go on, whatever signal comes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: add("signals", signal.Signals(number).name))
    MOUTH.say(b"".join(LINES[:3]))
    MOUTH.told()
    end = time.monotonic() + FOR_LONG
    while time.monotonic() < end:
        time.sleep(PAUSE)
    return 0


def waits() -> int:
    """Have a child, and wait with it for a signal that ends both."""

    def hear(number: int, _: object) -> None:
        add("signals", f"{os.getpid()} {signal.Signals(number).name}")
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)
    MOUTH.say(b"".join(LINES[:3]))
    child(lambda: time.sleep(FOR_LONG))
    MOUTH.told()
    time.sleep(FOR_LONG)
    return 0


def holds_the_pipe() -> int:
    """Leave a child behind that keeps stdout open."""
    child(lambda: time.sleep(FOR_LONG))
    return plays()


def leaves_a_daemon() -> int:
    """Leave a grandchild behind that has gone into a session of its own, without the pipe."""
    _daemon(keeps=False)
    return plays()


def leaves_a_daemon_with_the_pipe() -> int:
    """Leave one that keeps the pipe open as well."""
    _daemon(keeps=True)
    return plays()


def _daemon(*, keeps: bool) -> None:
    def live_on() -> None:
        os.setsid()
        if not keeps:
            for end in (0, 1, 2):
                os.close(end)
        child(lambda: time.sleep(FOR_LONG))

    child(live_on)
    while len((NOTES / "pids").read_text("ascii").split()) < 3:
        time.sleep(PAUSE)


def child(live: Callable[[], None]) -> None:
    """Start a child that writes itself down first."""
    if not os.fork():
        try:
            here()
            live()
        finally:
            os._exit(0)
    while len((NOTES / "pids").read_text("ascii").split()) < 2:
        time.sleep(PAUSE)


def closes_stdout() -> int:
    """Play all, close stdout, and go on talking on stderr."""
    status = plays()
    os.close(1)
    for number in range(20):
        time.sleep(PAUSE)
        os.write(2, f"still here {number}\n".encode())
    return status


def lacks_the_end() -> int:
    """Exit 0 without a word of the end."""
    MOUTH.say(b"".join(LINES[:-1]))
    MOUTH.told()
    return 0


def is_no_utf8() -> int:
    """Print bytes that are no UTF-8: a line of them, and in the midst of a frame's text."""
    text = b"Four steps are done."
    MOUTH.say(b"\x80\xff\xfe noise\n")
    for line in LINES:
        MOUTH.say(line.replace(text, b"Four \xff\xc3 steps."))
    MOUTH.told()
    return 0


def steps() -> int:
    """Take one step after the other, each with its cost, until somebody ends that."""
    over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: over.append(number))
    end = next(number for number, line in enumerate(LINES, 1) if b'"step_finish"' in line)
    for number in itertools.takewhile(lambda _: not over, itertools.count()):
        for line in LINES[:end]:
            MOUTH.say(line.replace(b"_22de", b"_%04x" % number))  # ids are told once
        time.sleep(PAUSE)
    MOUTH.told()
    return 128 + over[0]


def is_not_logged_in() -> int:
    """Print nothing at all, and tell why."""
    os.write(2, b"Welcome!\nNot logged in. Please run /login\n")
    MOUTH.told()
    return 1


def asks_back() -> int:
    """Say nothing in the midst of a capture until there is a note; ^C is none of its business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    MOUTH.say(b"".join(LINES[:3]))
    while not (NOTES / "go").exists():
        time.sleep(PAUSE)
    MOUTH.say(b"".join(LINES[3:]))
    MOUTH.told()
    return 0


def asks_in_vain() -> int:
    """Do that, and end without a word of the end."""
    LINES.pop()
    return asks_back()


def main() -> int:
    """Write down what was asked, and do as told."""
    given = sys.stdin.buffer.read().decode("utf-8", "replace")
    asked = {"argv": sys.argv[1:], "stdin": given, "cwd": str(Path.cwd())}
    note("asked", json.dumps(asked))
    here()
    status: int = globals()[os.environ["FAKE_DOES"]]()
    return status


if __name__ == "__main__":
    sys.exit(main())
