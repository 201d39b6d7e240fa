# SPDX-License-Identifier: Apache-2.0
"""A second opinion on success: which frames in the bytes may end a run well, and where.

It shares no code with the readers and is generous: it asks every object in the text, wherever it
stands. A reader that calls a run a success without such a frame has made it up.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_OBJECT = re.compile(r'\{(?=\s*["{])')
_NOT_AN_ERROR = {"none", "false", "0", "no"}
_DECODER = json.JSONDecoder(strict=False, parse_int=float)
MAX_BROKEN = 64  # objects that do not decode and are looked at again

Json = dict[str, Any]


def may_end_well(printed: bytes, engine: str, line: int) -> bool:
    """Tell whether a frame that begins on that line may end a run of that engine well."""
    ends = _ENDS[engine]
    return any(ends(value) for text in _texts(printed) for value in _objects(text, line))


def _texts(printed: bytes) -> Iterator[str]:
    yield printed.decode("utf-8-sig", "replace")
    if b"\0" in printed:
        yield printed.decode("utf-16-le", "replace")
        yield printed.decode("utf-16-be", "replace")


def _objects(text: str, line: int) -> Iterator[Json]:
    """Yield every object of a line, inner ones too, and those that others were spliced into."""
    begin = 0
    for _ in range(line - 1):
        begin = text.find("\n", begin) + 1
    end = text.find("\n", begin)
    starts = [match.start() for match in _OBJECT.finditer(text, begin)]
    starts = [start for start in starts if end < 0 or start < end]
    broken = []
    for start in starts:
        value = _decoded(text, start)
        if isinstance(value, dict):
            yield value
        else:
            broken.append(start)
    for start in broken[:MAX_BROKEN]:
        value = _spliced(text[start:])
        if isinstance(value, dict):
            yield value


def _spliced(text: str) -> Json | int:
    """Decode an object after what is in its way is cut out: objects around the breaks."""
    value = _decoded(text, 0)
    while isinstance(value, int):
        cut = _object_around(text, value)
        if cut is None:
            break
        text = text[: cut[0]] + text[cut[1] :]
        value = _decoded(text, 0)
    return value


def _object_around(text: str, position: int) -> tuple[int, int] | None:
    for match in itertools.islice(_OBJECT.finditer(text, 1, position + 2), 4 * MAX_BROKEN):
        try:
            _, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if position <= len(text) - len(text[end:].lstrip()):
            return match.start(), end
    return None


def _decoded(text: str, position: int) -> Json | int:
    """Decode an object, or tell where it breaks."""
    try:
        value: Json = _DECODER.raw_decode(text, position)[0]
    except json.JSONDecodeError as error:
        return error.pos
    except RecursionError:
        return position
    return value


def _claude(frame: Json) -> bool:
    told = str(frame.get("is_error")).strip().lower()
    ended = frame.get("type") == "result" and frame.get("subtype") == "success"
    return ended and (told in _NOT_AN_ERROR or frame["is_error"] == 0)


def _codex(frame: Json) -> bool:
    message = frame.get("msg")
    legacy = isinstance(message, dict) and message.get("type") == "task_complete"
    return frame.get("type") == "turn.completed" or legacy


def _gemini(frame: Json) -> bool:
    if frame.get("type") == "result":
        return frame.get("status") == "success"
    return frame.get("response") is not None and frame.get("error") is None


def _copilot(frame: Json) -> bool:
    code = frame.get("exitCode")
    if frame.get("type") != "result" or code is None or isinstance(code, bool):
        return False
    try:
        return float(code) == 0
    except (TypeError, ValueError):
        return False


def _opencode(frame: Json) -> bool:
    part = frame.get("part")
    reason = part.get("reason") if isinstance(part, dict) else None
    return frame.get("type") == "step_finish" and reason in {"stop", "length"}


_ENDS: dict[str, Callable[[Json], bool]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "opencode": _opencode,
}
ENGINES = tuple(_ENDS)
