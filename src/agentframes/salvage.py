# SPDX-License-Identifier: Apache-2.0
"""Second and third try on a line that does not decode as it stands.

The second try (`lenient`) is for JSON that is well formed but not of the declared types: each
field is read on its own, so that one odd field costs only itself. The third (`salvage`) is for
bytes that are no JSON: the standard library's more patient parser reads what msgspec refuses,
and frames are looked for behind terminal escapes, log text and other frames.
"""

from __future__ import annotations

import functools
import math
import re
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

# Bounds of the work on one line: objects begun that do not decode, and how often its text is read.
MAX_MISSES = 256
MAX_PASSES = 16

# CSI and OSC sequences, character sets, and two-character escapes.
_TERMINAL = (
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]+[0-~]|\x1b[@-Z\\^_78=>c])"
)
_ESCAPE = re.compile(_TERMINAL.encode())
_LEADING = re.compile(rb"(?:" + _TERMINAL.encode() + rb"|\xef\xbb\xbf|[\x00-\x20\x7f])*")
_JSON_START = re.compile(rb'\{\s*(?:"|\}|$)|\[\s*(?:\{|$)')
# What stands between the frames of a line: blanks, an array's brackets and commas, escapes.
_BETWEEN = re.compile(r"(?:" + _TERMINAL + r"|[\x00-\x1a\x1c-\x20,\[\]\ufeff])*")
_ARRAY = re.compile(r"\[\s*(?:\{|$)")
_EMBEDDED = re.compile(r'\{\s*"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = bytes.maketrans(b"\r", b" ")
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r"))

IsFrame = Callable[[bytes], bool]


class Change(NamedTuple):
    """A field whose JSON type is not the declared one; names and types only, never a value."""

    field: str
    expected: str
    found: str


class Found(NamedTuple):
    """A JSON object found in a damaged text: clean UTF-8, and its lines, counted from 0."""

    raw: bytes
    first: int = 0
    last: int = 0


class Salvaged(NamedTuple):
    """What could be read of a damaged line, or of a document over several.

    `frames` are JSON objects in the order they begin; `reason` names the damage; `whole` is
    false where a frame, or an array of them, was begun and not ended.
    """

    frames: list[Found]
    reason: str
    whole: bool


def starts_as_json(line: bytes) -> bool:
    """Tell whether a line begins like a JSON object or an array of them.

    A byte order mark and terminal escapes before it do not count, and ``[INFO] …`` and
    ``{braces}`` are text.
    """
    return _JSON_START.match(line, _end(_LEADING.match(line))) is not None


def _end(match: re.Match[Any] | None) -> int:
    return match.end() if match else 0


def plain_text(line: bytes) -> str:
    """Text for people: escapes and control bytes taken out, bad bytes replaced."""
    plain = _ESCAPE.sub(b"", line).translate(_PLAIN, _CONTROL)
    return plain.decode("utf-8", "replace").strip()


# --- the third try -----------------------------------------------------------------------------


def salvage(line: bytes, is_frame: IsFrame) -> Salvaged:
    """Read what can be read of a line that does not decode; never raises.

    An object inside other text counts only where `is_frame` says so: the parts of a frame that
    was cut off are objects too, and so is JSON that a program logged.
    """
    offset = _end(_LEADING.match(line))
    body = line[offset:].rstrip(b"\0\r\n\t ")
    patient = _Patient()
    if b"\x1b" in line[:offset]:
        patient.note("terminal_escape")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
        patient.note("bad_utf8")
    try:
        if not starts_as_json(body):
            return _embedded(text, 0, [], patient, is_frame)
        frames, end = _leading(text, patient)
        following = patient.between(text, end)
        if frames and following == len(text):
            return Salvaged(frames, patient.reason("stray_bytes"), _closed(text, end))
        if not text.startswith("[") and not text.startswith("{", following):
            frames, end = [], 0  # text follows, so that the rule for objects in text holds
        return _embedded(text, end, frames, patient, is_frame)
    except RecursionError:
        return Salvaged([], "too_deep", whole=text.endswith(("}", "]")))


def _closed(text: str, end: int) -> bool:
    return not _ARRAY.match(text) or "]" in text[end:]


def _leading(text: str, patient: _Patient) -> tuple[list[Found], int]:
    """Read the objects that stand back to back, or in an array; and tell where they end."""
    frames: list[Found] = []
    line = _LineCounter(text)
    end = 0
    while text.startswith("{", start := patient.between(text, end)):
        value, stop = patient.read(text, start)
        if stop is None:
            break
        frames.append(Found(patient.encode(value), line.at(start), line.at(stop)))
        end = stop
    if len(frames) > 1 and text.startswith("{"):
        patient.note("spliced")
    return frames, end


def _embedded(
    text: str, begin: int, before: list[Found], patient: _Patient, is_frame: IsFrame
) -> Salvaged:
    """Find frames inside a line: behind log text, or spliced into another frame."""
    line = _LineCounter(text)
    first = line.at(patient.between(text, begin))
    frames: list[Found] = []
    around: list[str] = []
    kept_to = position = begin
    patient.misses = patient.work = 0
    while patient.misses < MAX_MISSES and patient.work <= MAX_PASSES * len(text):
        match = _EMBEDDED.search(text, position)
        if match is None:
            break
        start = match.start()
        value, end = patient.read(text, start)
        position = match.end() if end is None else end
        if end is not None and is_frame(raw := patient.encode(value)):
            frames.append(Found(raw, line.at(start), line.at(end)))
            around.append(text[kept_to:start])
            kept_to = end
    whole = not patient.misses and not text.endswith("{") and _closed(text, kept_to)
    rest = "".join(around) + text[kept_to:]
    start = patient.between(rest, 0)
    if frames and rest.startswith("{", start):
        value, end = patient.read(rest, start)
        if end is not None and patient.between(rest, end) == len(rest):
            # The frame around comes first: it was begun first.
            outer = Found(patient.encode(value), first, line.at(len(text)))
            return Salvaged([*before, outer, *frames], "spliced", whole=True)
    frames = before + frames
    if not frames:
        return Salvaged([], patient.reason("not_json"), whole)
    return Salvaged(frames, "mixed_with_text" if whole else "unfinished", whole)


class _LineCounter:
    """Counts the line ends before positions that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = self._lines = 0

    def at(self, position: int) -> int:
        self._lines += self._text.count("\n", self._position, position)
        self._position = position
        return self._lines


def salvage_value(raw: bytes) -> Any:
    """Read one JSON value patiently; what cannot be read at all comes as its text."""
    text = raw.decode("utf-8", "replace")
    patient = _Patient()
    try:
        value, end = patient.read(text.strip(), 0)
        return text if end is None else msgspec.json.decode(patient.encode(value))
    except (RecursionError, msgspec.DecodeError):
        return text


class _Patient:
    """The standard library's decoder, told to read what strict JSON forbids and to say so."""

    def __init__(self) -> None:
        import json  # only damaged lines need it

        self.misses = self.work = 0
        self._notes: list[str] = []
        self._encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        self._decoder = json.JSONDecoder(
            strict=False,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        )

    def note(self, reason: str) -> None:
        if reason not in self._notes:
            self._notes.append(reason)

    def reason(self, otherwise: str) -> str:
        return "+".join(self._notes) or otherwise

    def read(self, text: str, position: int) -> tuple[Any, int | None]:
        try:
            return self._decoder.raw_decode(text, position)
        except ValueError as error:
            self.misses += 1
            self.work += getattr(error, "pos", position) - position
            return None, None

    def between(self, text: str, position: int) -> int:
        """Pass what may stand between two frames."""
        end = _end(_BETWEEN.match(text, position))
        if text.find("\x1b", position, end) >= 0:
            self.note("terminal_escape")
        return end

    def encode(self, value: Any) -> bytes:
        text = self._encode(value)
        try:
            return text.encode()
        except UnicodeEncodeError:
            self.note("lone_surrogate")
            return _SURROGATE.sub("\ufffd", text).encode()

    def _constant(self, _: str) -> None:
        self.note("not_a_number")

    def _float(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self.note("number_too_large")
        return None

    def _int(self, digits: str) -> int | None:
        try:
            return int(digits)
        except ValueError:  # beyond sys.get_int_max_str_digits()
            self.note("number_too_large")
            return None


# --- the second try ----------------------------------------------------------------------------

_MISSING: Any = object()


def lenient(raw: Any, wanted: Any) -> tuple[Any, list[Change]]:
    """Read well-formed JSON as `wanted`, field by field, converting where the meaning is plain.

    Returns the value and what had another type than declared. A field that cannot be converted
    keeps its default; an element of a list that cannot is left out. What is no well-formed JSON,
    or misses a required field, comes as None; never raises.
    """
    changes: list[Change] = []
    # A field that is taken raw may hold bad bytes; a name with some would cost the whole.
    clean = bytes(raw).decode("utf-8", "replace").encode()
    try:
        value = _read(clean, wanted, "", changes)
    except (msgspec.DecodeError, RecursionError):
        return None, []
    return (None if value is _MISSING else value), changes


def _read(raw: Any, wanted: Any, path: str, changes: list[Change]) -> Any:
    try:
        return msgspec.json.decode(raw, type=wanted)
    except msgspec.DecodeError:
        pass
    arms = _arms(wanted)
    head = bytes(raw).lstrip()[:1]
    if head == b"{":
        for arm in arms:
            if isinstance(arm, type) and issubclass(arm, Struct):
                return _read_struct(raw, arm, path, changes)
            if typing.get_origin(arm) is dict:
                return _read_dict(raw, arm, path, changes)
    if head == b"[":
        for arm in arms:
            if typing.get_origin(arm) is list:
                return _read_list(raw, arm, path, changes)
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        value = _MISSING
    told = _JSON_NAMES.get(type(value), "unreadable")
    changes.append(Change(path or "(frame)", _names(arms), told))
    return _MISSING if value is _MISSING else _converted(value, arms, raw)


def _read_struct(raw: Any, struct: type[Struct], path: str, changes: list[Change]) -> Any:
    fields = _fields(struct)
    values = {}
    for name, part in msgspec.json.decode(raw, type=dict[str, Raw]).items():
        field = fields.get(name)
        if field is None:
            continue
        value = _read(part, field.type, f"{path}.{name}" if path else name, changes)
        if value is not _MISSING:
            values[field.name] = value
    try:
        return struct(**values)
    except TypeError:  # a required field is missing or unreadable
        return _MISSING


def _read_dict(raw: Any, wanted: Any, path: str, changes: list[Change]) -> dict[str, Any]:
    item = typing.get_args(wanted)[1]
    parts = msgspec.json.decode(raw, type=dict[str, Raw])
    values = {key: _read(part, item, f"{path}.*", changes) for key, part in parts.items()}
    return {key: value for key, value in values.items() if value is not _MISSING}


def _read_list(raw: Any, wanted: Any, path: str, changes: list[Change]) -> list[Any]:
    item = typing.get_args(wanted)[0]
    parts = msgspec.json.decode(raw, type=list[Raw])
    values = [_read(part, item, f"{path}[]", changes) for part in parts]
    return [value for value in values if value is not _MISSING]


@functools.cache
def _fields(struct: type[Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def _arms(wanted: Any) -> tuple[Any, ...]:
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        return typing.get_args(wanted)
    return (wanted,)


def _converted(value: Any, arms: tuple[Any, ...], raw: Any) -> Any:
    """Convert a scalar whose meaning is plain: ``"false"``, ``"12"``, ``3.0`` for 3, 7 for "7"."""
    if value is None:
        return _MISSING
    if bool in arms and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if isinstance(value, bool):
        return _MISSING
    if (int in arms or float in arms) and isinstance(value, (str, float)):
        return _number(value.strip() if isinstance(value, str) else bytes(raw), arms)
    if str in arms and isinstance(value, (int, float)):
        return bytes(raw).decode()
    return _MISSING


def _number(digits: str | bytes, arms: tuple[Any, ...]) -> Any:
    """Read a number as JSON writes it: no infinity, and a long whole number keeps its digits."""
    for kind in (int, float) if int in arms else (float,):
        try:
            number = msgspec.json.decode(digits, type=kind)
        except msgspec.DecodeError:
            continue
        if kind in arms:
            return number
        return int(number) if number.is_integer() else _MISSING
    return _MISSING


_JSON_NAMES = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    dict: "object", list: "array", type(None): "null",
}  # fmt: skip


def _names(arms: tuple[Any, ...]) -> str:
    names = []
    for arm in arms:
        kind = typing.get_origin(arm) or arm
        other = "object" if isinstance(kind, type) and issubclass(kind, Struct) else "any"
        names.append(_JSON_NAMES.get(kind, other))
    return " | ".join(dict.fromkeys(names))
