# SPDX-License-Identifier: Apache-2.0
"""Start one program, wait for it, and print: seconds, peak memory in KiB, exit status.

    python -I -S benchmarks/launch.py OUTPUT PROGRAM [ARGUMENT…]

A program of its own, and a small one: Linux counts what the parent held when it started a child
as the child's own peak, so a parent that has parsed 100 MB would be measured instead.
"""

import os
import sys
import time


def main(output: str, *argv: str) -> None:
    """Run `argv` with its standard output in a file, and print what it took."""
    actions = [(os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    begin = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    print(seconds, used.ru_maxrss, os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
