# SPDX-License-Identifier: Apache-2.0
"""In one process: facts against decoders, and where the time of the facts goes."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import msgspec

import agentframes as af
from agentframes import engines
from benchmarks import measure, rivals, streams
from benchmarks.bench import NONE, Bench, named, times
from benchmarks.measure import MB
from benchmarks.page import Check, Section

CHUNK = 256 * 1024
OUTPUTS = (4000, 16_000)  # characters

FACTS, ORJSON, JSON = "facts", "orjson.loads", "json.loads"
LINES, CUT, DECODE = "lines", "cut", "decode"


def decode(bench: Bench) -> Section:
    """Facts against decoders that tell nothing."""
    section = Section(
        f"Facts against decoding alone, {named(bench.size)}",
        [
            "stream",
            "facts, MB/s",
            "against orjson.loads",
            "against json.loads",
            "target",
            "reached",
        ],
        words="In one process, file in the page cache: `agentframes.read(path)` against a loop "
        "over the lines of the file that decodes each and does nothing with it.",
    )
    for engine in bench.engines:
        stream = bench.stream(engine, bench.size)
        told = bench.decoded[engine] = measure.best(_subjects(engine, stream.path), bench.rounds)
        target = 1.3 if engine == "claude" else None
        _decoded(section, f"{engine}, one long run", stream.size, told, target)
    if "claude" in bench.engines:
        for output in OUTPUTS:
            stream = streams.make("claude", bench.size, output=output)
            bench.say(stream.verify())
            subjects = _subjects("claude", stream.path)
            told = measure.best({name: subjects[name] for name in (FACTS, ORJSON, JSON)},
                                bench.rounds)  # fmt: skip
            label = f"claude, where each command prints {output // 1000} kB"
            _decoded(section, label, stream.size, told, None)
        _captures(bench, section)
    return section


def _subjects(engine: str, path: Path) -> dict[str, Callable[[], object]]:
    frames = msgspec.json.Decoder(engines.get(engine).interpreter().frame_type)
    return {
        FACTS: functools.partial(af.read, path),
        ORJSON: functools.partial(rivals.loads, rivals.orjson_loads(), path),
        JSON: functools.partial(rivals.loads, json.loads, path),
        LINES: functools.partial(rivals.iterate, path),
        CUT: functools.partial(_each_chunk, path, len),
        DECODE: functools.partial(_each_chunk, path, frames.decode_lines),
    }


def _each_chunk(path: Path, take: Callable[[bytes], object]) -> None:
    """Read a file as agentframes does: chunks of whole lines."""
    rest = b""
    with path.open("rb", buffering=0) as file:
        while piece := file.read(CHUNK):
            end = piece.rfind(b"\n") + 1
            take(rest + piece[:end])
            rest = piece[end:]


def _captures(bench: Bench, section: Section) -> None:
    """Claude's captures as they are: in one file, and each on its own."""
    path = streams.verbatim("claude", bench.size)
    bench.say(streams.verify_verbatim("claude", path))
    subjects = _subjects("claude", path)
    subjects[FACTS] = functools.partial(af.read_all, path)
    told = measure.best({name: subjects[name] for name in (FACTS, ORJSON, JSON)}, bench.rounds)
    label = "claude, real captures, one file of many runs"
    _decoded(section, label, path.stat().st_size, told, 1.5)

    kept = streams.captures("claude")
    repeated = max(1, bench.size // 10 // sum(map(len, kept)))

    def each(read: Callable[[bytes], object]) -> None:
        for _ in range(repeated):
            for printed in kept:
                read(printed)

    def lines(loads: rivals.Decode, printed: bytes) -> None:
        for line in printed.splitlines():
            loads(line)

    told = measure.best(
        {
            FACTS: lambda: each(af.read),
            ORJSON: lambda: each(functools.partial(lines, rivals.orjson_loads())),
            JSON: lambda: each(functools.partial(lines, json.loads)),
        },
        bench.rounds,
    )
    label = "claude, real captures, one by one from memory"
    _decoded(section, label, repeated * sum(map(len, kept)), told, 1.5)
    runs = repeated * len(kept)
    section.notes.append(
        f"One by one: {len(kept)} captures of {sum(map(len, kept)) / len(kept) / 1000:.1f} kB on "
        f"average, {told[FACTS] / runs * 1e6:.0f} µs each; what a run costs before its first "
        "frame counts there."
    )


def _decoded(
    section: Section, label: str, size: int, told: dict[str, float], target: float | None
) -> None:
    ratio = told[ORJSON] / told[FACTS]
    wanted, reached = NONE, NONE
    if target is not None:
        check = Check(f"facts / orjson.loads: {label}", ratio, target)
        section.checks.append(check)
        _, wanted, _, reached = check.row()
    speed = f"{size / told[FACTS] / MB:.0f}"
    section.rows.append(
        [label, speed, times(ratio), times(told[JSON] / told[FACTS]), wanted, reached]
    )


PARTS = ("reading the file", "decoding", "the rest")


def limits(bench: Bench) -> Section:
    """Where the time of the facts goes: decoding alone, by the engine's own struct."""
    section = Section(
        "What limits it",
        ["stream", "reading", "decoding", "the rest", "lines alone", "decoding alone", "facts"],
        words="Shares of the time that the facts take: reading the file in chunks of whole lines, "
        "decoding them (msgspec, the engine's own struct, `decode_lines` on 256 KiB), and the "
        "rest: telling kinds, counting, adding up. Then, in multiples of `orjson.loads` on each "
        "line: looping over the lines and doing nothing; reading and decoding; the facts.",
    )
    for engine, told in bench.decoded.items():
        facts, orjson = told[FACTS], told[ORJSON]
        reading, decoding = told[CUT] / facts, (told[DECODE] - told[CUT]) / facts
        shares = [f"{share:.0%}" for share in (reading, decoding, 1 - reading - decoding)]
        ratios = [times(orjson / told[what]) for what in (LINES, DECODE, FACTS)]
        section.rows.append([engine, *shares, *ratios])
        largest = max(zip((reading, decoding, 1 - reading - decoding), PARTS, strict=True))
        section.notes.append(
            f"{engine}: {largest[1]} takes the largest share, {largest[0]:.0%}. Reading and "
            f"decoding every frame by that struct takes {told[DECODE] / facts:.2f} of the time of "
            f"the facts, so where the rest cost nothing they would come at "
            f"{orjson / told[DECODE]:.2f} times `orjson.loads`."
        )
    return section
