# SPDX-License-Identifier: Apache-2.0
"""The third try on a line that does not decode: it is no strict JSON.

The standard library's more patient parser reads what msgspec refuses, and frames are looked for
behind terminal escapes, log text and other frames.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

# Bounds of the work on one line: objects begun that do not decode, and how often its text is read.
MAX_MISSES = 256
MAX_PASSES = 16
BEFORE = 64  # characters that are looked at before an object

# CSI and OSC sequences, character sets, and two-character escapes.
_TERMINAL = (
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]+[0-~]|\x1b[@-Z\\^_78=>c])"
)
_ESCAPES = re.compile(rb"(?:" + _TERMINAL.encode() + rb")++")
# Possessive: without, each repetition is kept to come back to, at a hundred bytes a byte.
_LEADING = re.compile(
    rb"(?:" + _TERMINAL.encode() + rb"|\xef\xbb\xbf|[\x00-\x1a\x1c-\x20\x7f]++|\x1b)*+"
)
_JSON_START = re.compile(rb'\{\s*(?:"|\}|$)|\[\s*(?:\{|$)')
# What stands between the frames of a line: blanks, an array's brackets and commas, escapes.
_BETWEEN = re.compile(r"(?:" + _TERMINAL + r"|[\x00-\x1a\x1c-\x20,\[\]\ufeff]++)*+")
_ARRAY = re.compile(r"\[\s*(?:\{|$)")
_OUTSIDE = re.compile(r"\s*[\]\s]*(?:\}|,\s*\")")
_NAMED = re.compile(r'":\s*$')
_EMBEDDED = re.compile(r'\{\s*"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = bytes.maketrans(b"\r", b" ")
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r"))

IsFrame = Callable[[bytes], bool]


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
    plain = _ESCAPES.sub(b"", line).translate(_PLAIN, _CONTROL)
    return plain.decode("utf-8", "replace").strip()


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
        if frames and _goes_on_outside(text, end):
            frames = frames[:-1]
        elif not text.startswith("[") and not text.startswith("{", following):
            frames, end = [], 0  # text follows, so that the rule for objects in text holds
        return _embedded(text, end, frames, patient, is_frame)
    except RecursionError:
        return Salvaged([], "too_deep", whole=text.endswith(("}", "]")))


def _goes_on_outside(text: str, end: int) -> bool:
    """Tell by what stands behind an object that it is the content of one that began before.

    A line end in the middle of a frame, from a log that was merged in, leaves its value so.
    """
    return _OUTSIDE.match(text, end) is not None


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
    contents: list[bool] = []
    around: list[str] = []
    kept_to = position = begin
    patient.misses = patient.work = 0
    context = _Context(text, begin)
    while patient.misses < MAX_MISSES and patient.work <= MAX_PASSES * len(text):
        match = _EMBEDDED.search(text, position)
        if match is None:
            break
        start = match.start()
        value, end = patient.read(text, start)
        position = match.end() if end is None else end
        content = (
            context.holds_value(start)
            or _NAMED.search(text, max(0, start - BEFORE), start) is not None
            or (end is not None and _goes_on_outside(text, end))
        )
        if end is not None and is_frame(raw := patient.encode(value)):
            context.skip_to(end)
            contents.append(content)
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
    # The open frame broke off: what stands where its own value may stand is its content.
    kept = [found for found, content in zip(frames, contents, strict=True) if not content]
    frames = before + kept
    if not frames:
        return Salvaged([], patient.reason("not_json"), whole)
    return Salvaged(frames, "mixed_with_text" if whole else "unfinished", whole)


class _Context:
    """Tells a frame spliced into an open one from an object that is the open one's own value.

    A tool that drives another agent has that agent's frames in its result: where a value may
    stand, an object is content. Positions only grow.
    """

    _MARK = re.compile(r'\\.|"', re.DOTALL)

    def __init__(self, text: str, begin: int) -> None:
        self._text = text
        self._begin = self._position = begin
        self._in_string = False
        self._open = text.startswith("{", begin)

    def skip_to(self, position: int) -> None:
        """Leave out what was spliced in."""
        self._position = position

    def holds_value(self, position: int) -> bool:
        if not self._open:
            return False
        for mark in self._MARK.finditer(self._text, self._position, position):
            if mark[0] == '"':
                self._in_string = not self._in_string
        self._position = position
        while position > self._begin and self._text[position - 1] in " \t\r\n":
            position -= 1
        return not self._in_string and self._text[position - 1 : position] in (":", ",", "[")


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
