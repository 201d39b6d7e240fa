# SPDX-License-Identifier: Apache-2.0
"""docs/cli-frame-compatibility.md: what is recognized of each engine, and what it renders as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import get_args

from msgspec import Struct

from agentframes import engines, manifests
from agentframes.commands._matrix import captured, words
from agentframes.commands._matrix.captured import Capture
from agentframes.commands._matrix.kinds import FAMILIES, Kind, contract, kinds
from agentframes.commands._matrix.markdown import bullets, code, table
from agentframes.commands._matrix.rendering import EXAMPLE, Rendering, Touch, rendering
from agentframes.engines.contract import NativeContract
from agentframes.events.model import ConversationEvent
from agentframes.manifests import Fields

_CUT = {
    "answer": "the answer is cut",
    "context": "earlier turns are summarized or dropped",
    "tool_output": "the output of a tool is cut",
}


class Subject(Struct):
    """All that is told of one engine."""

    name: str
    contract: NativeContract
    kinds: dict[str, Kind]
    fields: dict[str, Fields]
    captures: list[Capture]
    rendering: Rendering

    @classmethod
    def of(cls, corpus: Path, name: str) -> Subject:
        """Gather it from the engine's package and a corpus."""
        manifest = manifests.of(engines.get(name))
        captures = captured.captures(corpus, name)
        return cls(
            name=name,
            contract=contract(name),
            kinds=kinds(name),
            fields=manifest.fields if manifest else {},
            captures=captures,
            rendering=rendering(captures),
        )


def page(corpus: Path) -> str:
    """Write the page, the same for the same corpus and engines."""
    subjects = [Subject.of(corpus, name) for name in captured.names(corpus)]
    count = sum(len(subject.captures) for subject in subjects)
    return "".join([
        words.HEAD.format(captures=count),
        words.PINNING,
        words.MORE,
        _overview(subjects),
        *map(_section, subjects),
    ]).rstrip("\n") + "\n"  # fmt: skip


# --- all engines ---------------------------------------------------------------------------------


def _overview(subjects: list[Subject]) -> str:
    events = sorted({kind for subject in subjects for kind in subject.rendering.captures})
    header = [f"`{subject.name}` ({len(subject.captures)})" for subject in subjects]
    rows = [
        [f"`{kind}`", *(subject.rendering.captures[kind] or "-" for subject in subjects)]
        for kind in events
    ]
    return "".join(
        [
            "## All engines\n\nKinds of frame: how many are captured, of those known.\n\n",
            table(["engine", "captured versions", *FAMILIES], map(_counted, subjects)),
            words.EVENTS,
            table(["event", *header], rows),
            f"\nIn no capture: {code(_event_kinds() - set(events))}.\n\n",
        ]
    )


def _event_kinds() -> set[str]:
    return {str(one.__struct_config__.tag) for one in get_args(ConversationEvent)}


def _counted(subject: Subject) -> list[str]:
    known = Counter(kind.family for kind in subject.kinds.values())
    shown = Counter(kind.family for kind in subject.kinds.values() if kind.captured)
    numbers = [f"{shown[family]} of {known[family]}" for family in FAMILIES]
    return [f"`{subject.name}`", ", ".join(subject.rendering.fingerprints), *numbers]


# --- one engine ----------------------------------------------------------------------------------


def _section(subject: Subject) -> str:
    parts = [
        f"## {subject.contract.title}\n",
        f"Engine `{subject.name}`. What is read: {subject.contract.forms}.\n",
        table(
            ["version", "family", "captures", "captured on", "transports", "rendering"],
            _versions(subject),
        ),
    ]
    for family in FAMILIES:
        parts += [f"### Family `{family}`\n", *_family(subject, family)]
    parts += ["### Truncation markers\n", bullets(_truncation(subject)) or "None is known.\n"]
    parts += ["### Quirks\n", bullets(_quirks(subject)) or "None.\n"]
    parts += ["### Rendered\n", _example(subject)]
    return "\n".join(parts) + "\n"


def _versions(subject: Subject) -> Iterator[list[str]]:
    for version, group in groupby(subject.captures, lambda capture: capture.version):
        captures = list(group)
        transports = Counter(capture.transport for capture in captures)
        yield [
            version,
            ", ".join(sorted({capture.family for capture in captures})),
            str(len(captures)),
            ", ".join(sorted({capture.date for capture in captures})),
            ", ".join(f"{name} {count}" for name, count in sorted(transports.items())),
            f"`{subject.rendering.fingerprints[version]}`",
        ]


def _family(subject: Subject, family: str) -> Iterator[str]:
    """Tell the kinds of a family: those that captures show one by one, the others together."""
    of_family = {name: kind for name, kind in subject.kinds.items() if kind.family == family}
    shown = {name: kind for name, kind in of_family.items() if kind.captured}
    others = {name: kind for name, kind in of_family.items() if not kind.captured}
    if shown:
        header = ["kind", "since", "source", "captured in", "renders as"]
        yield table(header, (_kind(subject, name, kind) for name, kind in shown.items()))
    if others:
        yield table(["in no capture", "since", "source"], _others(others))
    if not of_family:
        yield "None is known.\n"


def _kind(subject: Subject, name: str, kind: Kind) -> list[str]:
    fields = subject.fields.get(name)
    touches = subject.rendering.touches.get(name, {})
    return [
        f"`{name}`",
        kind.since,
        kind.source,
        ", ".join(manifests.in_order(fields.versions)) if fields else "-",
        ", ".join(_touch(*touch) for touch in sorted(touches.items())) or "no row",
    ]


def _touch(event: str, touch: Touch) -> str:
    sorts = f" ({', '.join(sorted(touch.sorts))})" if touch.sorts else ""
    return f"`{event}`{sorts}" if touch.opens else f"extends `{event}`"


def _others(kinds: dict[str, Kind]) -> Iterator[list[str]]:
    together: dict[tuple[str, str], list[str]] = {}
    for name, kind in kinds.items():
        together.setdefault((kind.since, kind.source), []).append(name)
    order = manifests.in_order({since for since, _ in together})
    for since, source in sorted(together, key=lambda one: (order.index(one[0]), one[1])):
        yield [code(together[since, source]), since, source]


def _truncation(subject: Subject) -> Iterator[str]:
    """Tell by which frames the engine says that something is cut."""
    cuts = subject.rendering.cuts
    for name, told in sorted(cuts.items()):
        for what, versions in sorted(told.items()):
            yield f"`{name}`: {_CUT[what]} ({', '.join(manifests.in_order(versions))})."
    for name, kind in subject.kinds.items():
        if kind.family == "truncation" and name not in cuts:
            yield f"`{name}`: recognized, in no capture."


def _quirks(subject: Subject) -> Iterator[str]:
    """Repeat what the engine's package says by hand, of its output and of single kinds."""
    yield from subject.contract.caveats
    for name, kind in subject.kinds.items():
        if kind.quirks is not None:
            yield f"`{name}`: {kind.quirks}"


def _example(subject: Subject) -> str:
    examples = subject.rendering.examples
    if not examples:
        return f"`{EXAMPLE}` is in no capture.\n"
    version = manifests.in_order(examples)[-1]
    return f"`{EXAMPLE}` of {version}, in its order: {_in_short(examples[version])}.\n"


def _in_short(events: Iterable[str]) -> str:
    """List events in their order, those in a row that are the same once."""
    told = []
    for kind, group in groupby(events):
        count = len(list(group))
        told.append(f"`{kind}`" + (f" ({count} times)" if count > 1 else ""))
    return ", ".join(told)
