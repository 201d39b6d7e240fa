# SPDX-License-Identifier: Apache-2.0
"""A JSON value that is decoded when somebody asks for it."""

from __future__ import annotations

from typing import Any

import msgspec

_LINE_ENDS = tuple(
    (character.encode(), b"\\u%04x" % ord(character)) for character in "\u2028\u2029\u0085"
)


def one_line(wire: bytes) -> bytes:
    """Escape the characters in JSON that many languages take for line ends."""
    for raw, escape in _LINE_ENDS:
        wire = wire.replace(raw, escape)
    return wire


def present(raw: Any) -> bool:
    """Tell whether an optional raw field was there."""
    return len(raw) > 0


class Lazy:  # noqa: PLW1641 - equal values may be written differently: no hash follows
    """A heavy value (message text, tool input, tool output) as it stands in its line.

    It is a view into the chunk it was read from; `kept()` gives one that stands on its own.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    @classmethod
    def of(cls, value: Any) -> Lazy:
        """Wrap a value that is at hand already."""
        return cls(msgspec.json.encode(value))

    def decode(self) -> Any:
        """Decode the value; bad bytes and lone surrogates come out as U+FFFD, never as an error."""
        try:
            return msgspec.json.decode(self.raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            from agentframes.salvage import salvage_value  # only damaged lines need it

            return salvage_value(bytes(self.raw))

    def text(self) -> str:
        """Decode a value that should be a string; another type comes as its JSON."""
        value = self.decode()
        return value if isinstance(value, str) else self.json()

    def json(self) -> str:
        """Return the value's JSON as the engine wrote it."""
        return bytes(self.raw).decode("utf-8", "replace")

    def kept(self) -> Lazy:
        """Copy the value out of its chunk, so that keeping it does not keep the chunk."""
        return Lazy(bytes(self.raw))

    def __deepcopy__(self, _: dict[int, Any]) -> Lazy:
        """It never changes."""
        return self

    def __len__(self) -> int:
        """Count the bytes of the JSON."""
        return len(self.raw)

    def __eq__(self, other: object) -> bool:
        """Compare what is meant, not how it is written."""
        return isinstance(other, Lazy) and self.decode() == other.decode()

    def __repr__(self) -> str:
        """Name the size only: a log must not carry what a model or a tool said."""
        return f"Lazy({len(self)} bytes)"
