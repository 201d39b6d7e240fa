# SPDX-License-Identifier: Apache-2.0
"""What else reads such a file, each called in the way its own users would.

    python benchmarks/rivals.py READER ENGINE FILE… [--tell]

reads each file once and prints what it took; with --tell, what the reader made of it instead.
None of the libraries says how a run ended; each makes objects of the frames it knows.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parent.parent / "src/agentframes/_demo"

Decode = Callable[[bytes], Any]


class Unreadable(Exception):  # noqa: N818 - an answer, not a failure
    """The library has no reader for this engine's frames."""


def iterate(path: Path) -> None:
    """Look at each line."""
    with path.open("rb") as file:
        for _ in file:
            pass


def loads(decode: Decode, path: Path) -> None:
    """Decode each line to plain Python values."""
    with path.open("rb") as file:
        for line in file:
            decode(line)


def orjson_loads() -> Decode:
    """Return orjson's decoder."""
    decode: Decode = importlib.import_module("orjson").loads
    return decode


# --- readers: each yields, for a frame, what the library made of it, or the error it raised -------

Made = Iterator[Any]


def agentframes(_engine: str, path: Path) -> Made:
    """Read the facts."""
    yield from importlib.import_module("agentframes").read_all(path)


def claude_agent_sdk(engine: str, path: Path) -> Made:
    """Decode each line by the standard library, as the SDK does, and parse the message."""
    if engine != "claude":
        raise Unreadable("it reads claude's frames only")
    parser = importlib.import_module("claude_agent_sdk._internal.message_parser")
    parse = parser.parse_message
    return _each(lambda line: parse(json.loads(line)), path)


AGENTABI = {
    "claude": "ClaudeNativeProvider",
    "codex": "CodexNativeProvider",
    "gemini": "GeminiNativeProvider",
    "opencode": "OpenCodeNativeProvider",
}


def agentabi(engine: str, path: Path) -> Made:
    """Turn each line into events, as a provider's `stream` does, and gather them as `run` does.

    `stream` itself would start the CLI; and the first error would end it.
    """
    if engine not in AGENTABI:
        raise Unreadable("it has no provider for this engine")
    module = importlib.import_module(f"agentabi.providers.{engine}_native")
    events = getattr(module, AGENTABI[engine])()._parse_event  # noqa: SLF001 - its only door
    state = importlib.import_module("agentabi.providers.base")._RunState()  # noqa: SLF001 - as above
    handle = state.handle

    def read(line: bytes) -> Any:
        made = events(json.loads(line))
        for event in made:
            handle(event)
        return made

    return _each(read, path)


def heru(engine: str, path: Path) -> Made:
    """Extract the timeline; the library takes the whole output as one string.

    It cuts the string by `splitlines`, so at U+2028 inside a frame, too.
    """
    timeline = importlib.import_module("heru").extract_engine_timeline(
        engine, path.read_text(encoding="utf-8")
    )
    if timeline is None:
        raise Unreadable("it finds no event")
    return iter(timeline.events)


def _each(read: Decode, path: Path) -> Made:
    with path.open("rb") as file:
        for line in file:
            try:
                yield read(line)
            except Exception as error:  # noqa: BLE001 - whatever a rival raises is told
                yield error


READERS: dict[str, Callable[[str, Path], Made]] = {
    "agentframes": agentframes,
    "claude-agent-sdk": claude_agent_sdk,
    "agentabi": agentabi,
    "heru": heru,
}


def read(reader: str, engine: str, path: Path) -> dict[str, Any]:
    """Read a file once, keeping nothing that the reader does not keep itself; tell the seconds."""
    _mute(Counter())
    _consume(READERS[reader](engine, DEMO / f"{engine}.jsonl"))  # what it imports is not timed
    begin = time.perf_counter()
    _consume(READERS[reader](engine, path))
    return {"seconds": time.perf_counter() - begin}


def _consume(made: Made) -> None:
    for _ in made:
        pass


def tell(reader: str, engine: str, path: Path) -> dict[str, Any]:
    """Say what a reader makes of a file: its tool calls, what it refused and what it skipped."""
    skipped: Counter[str] = Counter()
    _mute(skipped)
    errors: Counter[str] = Counter()
    words: Counter[str] = Counter()
    try:
        for one in READERS[reader](engine, path):
            if isinstance(one, Exception):
                errors[f"{type(one).__name__}: {one}"] += 1
            else:
                words.update(_words(one))
    except Unreadable as error:
        return {"unreadable": str(error)}
    return {
        "tool_calls": max(sum(words[word] for word in side) for side in SIDES),
        "refused": sum(errors.values()),
        "skipped": skipped["skipped"],
        "errors": [error for error, _ in errors.most_common(3)],
    }


# A call is seen where the library tells its beginning or its end, whatever it names them.
SIDES = (
    ("tool_call", "tool_use", "file_diff", "ToolUseBlock"),
    ("tool_result", "ToolResultBlock"),
)


def _words(one: Any) -> Iterable[str]:
    """Name what a library made of a frame, in that library's own words."""
    if isinstance(one, list):  # agentabi: events
        return [event["type"] for event in one]
    if hasattr(one, "tool_calls"):  # agentframes: facts
        return ["tool_call"] * (one.tool_calls or 0)
    if hasattr(one, "kind"):  # heru: an event
        return [one.kind]
    content = getattr(one, "content", None)  # claude-agent-sdk: a message
    blocks: Iterable[Any] = content if isinstance(content, list) else ()
    return [type(block).__name__ for block in blocks]


def _mute(skipped: Counter[str]) -> None:
    """Count warnings in place of printing them: heru logs one for each line it skips."""

    class Count(logging.Handler):
        def emit(self, _record: logging.LogRecord) -> None:
            skipped["skipped"] += 1

    root = logging.getLogger()
    root.handlers = [Count(logging.WARNING)]


def main() -> None:
    """Read files by one reader; print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("engine")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--tell", action="store_true")
    options = parser.parse_args()
    what = tell if options.tell else read
    for file in options.files:
        print(json.dumps(what(options.reader, options.engine, file)))


if __name__ == "__main__":
    main()
