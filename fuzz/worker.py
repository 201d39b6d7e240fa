# SPDX-License-Identifier: Apache-2.0
"""One fuzzer: `fuzz_readers.py` starts it with libFuzzer's own options.

libFuzzer ends the process when its time is over, and at the first failure. So failures are kept
here and the fuzzer goes on, but for hangs, memory and crashes, which are libFuzzer's to tell.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import atheris  # type: ignore[import-untyped]  # noqa: E402 - the path comes first

# Whatever is imported here counts as coverage; a lazy import later on would not.
with atheris.instrument_imports(include=["agentframes"]):
    import agentframes

    for module in pkgutil.walk_packages(agentframes.__path__, "agentframes."):
        if not module.name.startswith(("agentframes.__main__", "agentframes.commands")):
            importlib.import_module(module.name)

from agentframes import engines  # noqa: E402 - instrumented above
from fuzz import finds, properties, seeds  # noqa: E402 - only now: they import agentframes
from fuzz.mutator import Mutator  # noqa: E402


def target(printed: bytes) -> None:
    """Check one input, and keep it where a property does not hold."""
    try:
        properties.check(printed)
    except Exception as error:  # noqa: BLE001 - whatever comes out is a find
        finds.keep(HERE / ".finds", printed, error)


def mutate_bytes(data: bytes, max_size: int) -> bytes:
    """Mutate as libFuzzer does. The function is another one once it fuzzes: look it up then."""
    mutated: bytes = atheris.Mutate(data, max_size)
    return mutated


def main() -> None:
    """Fuzz until libFuzzer ends the process."""
    # No engine of another distribution is fuzzed, and to look for some takes a sixth of the time.
    engines.registered = lambda: iter(())
    stock = seeds.frames(HERE / ".corpus" / "seeds")
    atheris.Setup(sys.argv, target, custom_mutator=Mutator(stock, mutate_bytes))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
