# SPDX-License-Identifier: Apache-2.0
"""The processes that run chains inside the isolation, and their end when nobody waits any more."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import msgspec

from agentframes.capturing.inside import Spec
from agentframes.capturing.isolation import Isolation


class Rig:
    """Runs chains, each in a process of its own; `stop` may come from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self.stopped = False

    def run(self, spec: Spec, found: Isolation) -> str:
        """Run a chain to its end; return what the process said last, should it have failed."""
        path = os.path.join(spec.work, "spec.json")
        with open(path, "wb") as file:
            file.write(msgspec.json.encode(spec))
        command = [*found.prefix, sys.executable, "-m", "agentframes.capturing.inside", path]
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": spec.work, "LANG": "C.UTF-8"}
        env |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with self._lock:
            if self.stopped:
                return "stopped"
            # It lives as long as its stdin: the end of this process ends it, too.
            process = subprocess.Popen(  # noqa: S603 - this program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=env,
                start_new_session=True,
            )
            self._running.add(process)
        with process:
            said = process.stderr.read() if process.stderr else b""
            process.wait()
        with self._lock:
            self._running.discard(process)
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return f"exit {process.returncode}: {lines[-1] if lines else 'nothing was said'}"

    def stop(self) -> None:
        """Have all of them end their CLIs, and themselves."""
        with self._lock:
            self.stopped = True
            for process in self._running:
                process.terminate()
