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

MAX_MISSES = 32  # places in one line where a frame is looked for in vain; bounds the work

# CSI and OSC sequences, two-character escapes, and the control bytes that come with them.
_TERMINAL = rb"(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_78=>c])"
_LEADING = re.compile(rb"(?:" + _TERMINAL + rb"|\xef\xbb\xbf|[\x00-\x20\x7f])*")
_JSON_START = re.compile(rb'\{\s*(?:"|\}|$)|\[\s*(?:\{|$)')
_EMBEDDED = re.compile(r'\{\s*"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(_TERMINAL)


class Change(NamedTuple):
    """A field whose JSON type is not the declared one; names and types only, never a value."""

    field: str
    expected: str
    found: str


class Salvaged(NamedTuple):
    """What could be read of a damaged line.

    `frames` are JSON objects, re-encoded as clean UTF-8, in the order they stand in the line;
    `reason` names the damage; `whole` is false where part of the line is lost.
    """

    frames: list[bytes]
    reason: str
    whole: bool


def starts_as_json(line: bytes) -> bool:
    """Tell whether a line begins like a JSON object or an array of them.

    A byte order mark and terminal escapes before it do not count, and ``[INFO] …`` and
    ``{braces}`` are text.
    """
    return _JSON_START.match(line, _json_offset(line)) is not None


def _json_offset(line: bytes) -> int:
    match = _LEADING.match(line)
    return match.end() if match else 0


def plain_text(line: bytes) -> str:
    """Text for people: escapes and control bytes taken out, bad bytes replaced."""
    return _ESCAPE.sub(b"", line).replace(b"\0", b"").decode("utf-8", "replace").strip()


# --- the third try -----------------------------------------------------------------------------


def salvage(line: bytes, is_frame: Callable[[bytes], bool]) -> Salvaged:
    """Read what can be read of a line that does not decode; never raises.

    An object inside other text counts only where `is_frame` says so: the parts of a frame that
    was cut off are objects too, and so is JSON that a program logged.
    """
    offset = _json_offset(line)
    escaped = b"\x1b" in line[:offset]
    body = line[offset:].rstrip(b"\0\r\n\t ")
    text = body.decode("utf-8", "replace")
    patient = _Patient(["terminal_escape"] if escaped else [])
    if "\ufffd" in text and "\ufffd".encode() not in body:
        patient.note("bad_utf8")
    try:
        return _whole_objects(text, patient) or _embedded(text, patient, is_frame)
    except RecursionError:
        return Salvaged([], "too_deep", whole=False)


def _whole_objects(text: str, patient: _Patient) -> Salvaged | None:
    """Read one object, or several back to back, and nothing else."""
    frames: list[bytes] = []
    position = 0
    while position < len(text):
        value, end = patient.read(text, position)
        if end is None:
            return None
        found = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in found):
            return None
        frames += [patient.encode(item) for item in found]
        position = end
    if len(frames) > 1 and not text.startswith("["):
        patient.note("spliced")
    return Salvaged(frames, patient.reason("control_bytes"), whole=True) if frames else None


def _embedded(text: str, patient: _Patient, is_frame: Callable[[bytes], bool]) -> Salvaged:
    """Find frames inside a line: behind log text, or spliced into another frame."""
    frames: list[bytes] = []
    around: list[str] = []
    kept_to = position = misses = 0
    while misses < MAX_MISSES and (match := _EMBEDDED.search(text, position)):
        value, end = patient.read(text, match.start())
        raw = b"" if end is None else patient.encode(value)
        if end is None or not is_frame(raw):
            misses += 1
            position = match.end()
            continue
        frames.append(raw)
        around.append(text[kept_to : match.start()])
        kept_to = position = end
    rest = "".join(around) + text[kept_to:]
    if frames and rest.startswith("{"):
        value, end = patient.read(rest, 0)
        if end == len(rest):
            # The frame around comes first: it was begun first.
            return Salvaged([patient.encode(value), *frames], "spliced", whole=True)
    reason = "mixed_with_text" if frames else patient.reason("not_json")
    return Salvaged(frames, reason, whole=not rest.strip("[], "))


def salvage_value(raw: bytes) -> Any:
    """Read one JSON value patiently; what cannot be read at all comes as its text."""
    text = raw.decode("utf-8", "replace")
    patient = _Patient([])
    try:
        value, end = patient.read(text.strip(), 0)
        return text if end is None else msgspec.json.decode(patient.encode(value))
    except (RecursionError, msgspec.DecodeError):
        return text


class _Patient:
    """The standard library's decoder, told to read what strict JSON forbids and to say so."""

    def __init__(self, notes: list[str]) -> None:
        import json  # only damaged lines need it

        self._notes = notes
        self._dumps = json.dumps
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
            value, end = self._decoder.raw_decode(text, position)
        except ValueError:
            return None, None
        while end < len(text) and text[end] in " \t\r\n\0,":
            end += 1
        return value, end

    def encode(self, value: Any) -> bytes:
        text = self._dumps(value, ensure_ascii=False, separators=(",", ":"))
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


def lenient(raw: bytes, wanted: Any) -> tuple[Any, list[Change]]:
    """Read well-formed JSON as `wanted`, field by field, converting where the meaning is plain.

    Returns the value and what had another type than declared. A field that cannot be converted
    keeps its default; an element of a list that cannot is left out.
    """
    changes: list[Change] = []
    value = _read(raw, wanted, "", changes)
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
    changes.append(Change(path or "(frame)", _names(arms), _json_type(value)))
    return _MISSING if value is _MISSING else _converted(value, arms)


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


def _converted(value: Any, arms: tuple[Any, ...]) -> Any:
    """Convert a scalar whose meaning is plain: ``"false"``, ``"12"``, ``3.0`` for 3, 7 for "7"."""
    if value is None:
        return _MISSING
    if bool in arms and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if isinstance(value, bool):
        return _MISSING
    if (int in arms or float in arms) and isinstance(value, (str, float)):
        try:
            number = float(value)
        except ValueError:
            return _MISSING
        if float in arms:
            return number
        return int(number) if number.is_integer() else _MISSING
    if str in arms and isinstance(value, (int, float)):
        return str(value)
    return _MISSING


_JSON_NAMES = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    dict: "object", list: "array", type(None): "null",
}  # fmt: skip


def _json_type(value: Any) -> str:
    return _JSON_NAMES.get(type(value), "unreadable")


def _names(arms: tuple[Any, ...]) -> str:
    names = []
    for arm in arms:
        kind = typing.get_origin(arm) or arm
        name = _JSON_NAMES.get(kind)
        if name is None:
            name = "object" if isinstance(kind, type) and issubclass(kind, Struct) else "any"
        names.append(name)
    return " | ".join(dict.fromkeys(names))
