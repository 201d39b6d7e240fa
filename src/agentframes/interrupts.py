# SPDX-License-Identifier: Apache-2.0
"""Signals to this process that are meant for the one it records."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from agentframes.recording import Stopper

PASSED_ON = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def passed_on(stopper: Stopper) -> Iterator[list[signal.Signals]]:
    """Pass SIGINT and SIGTERM on to the group of a recorded process; the second one kills it.

    Gives the list of those that came. Outside the main thread, where Python delivers no signals,
    nothing is passed on.
    """
    came: list[signal.Signals] = []

    def pass_on(number: int, _: FrameType | None) -> None:
        came.append(signal.Signals(number))
        stopper.send(came[-1].name, group=True)

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
