# SPDX-License-Identifier: Apache-2.0
"""Signals to this process that are meant for the one it records."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PASSED_ON = (signal.SIGINT, signal.SIGTERM)
ENOUGH = 3


@contextmanager
def passed_on(send: Callable[[str], None]) -> Iterator[list[signal.Signals]]:
    """Have the names of SIGINT and SIGTERM sent on; for `Stopper.to_group` or the like.

    The third one is for this process: it raises KeyboardInterrupt. Gives the list of those that
    came. Outside the main thread, where Python delivers no signals, nothing is passed on.
    """
    came: list[signal.Signals] = []

    def pass_on(number: int, _: FrameType | None) -> None:
        came.append(signal.Signals(number))
        if len(came) >= ENOUGH:  # whoever listens to the run may be stuck
            raise KeyboardInterrupt
        send(came[-1].name)

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
