# SPDX-License-Identifier: Apache-2.0
"""Text as a terminal may be given it, and figures in a few characters.

Control characters are shown as their pictures (ESC as ␛) and never obeyed; line ends of every
sort are newlines; what reorders the text around it (bidi overrides) is left out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from agentframes.events.model import RawRange

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]"
)
_SHOWN = {
    **{chr(code): chr(0x2400 + code) for code in range(0x20)},
    "\x7f": "␡",
    **dict.fromkeys("\x85\u2028\u2029", "\n"),
    **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", ""),
}
_LOST = "\ufffd"

_SIMPLER = str.maketrans(
    "\u2010\u2011\u2012\u2013\u2014\u2018\u2019\u201c\u201d•·…→␛─━│┃▌┼╇╷╵╶╴╺╸",
    "-----''\"\"*-~>^--|||++  ----",
)
SIMPLER = "agentframes.simpler"
"""The name of an error handler for encodings that have few characters."""


def clean(text: str) -> str:
    """Make text harmless; its tabs and newlines stay."""
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(lambda found: _SHOWN.get(found[0], _LOST), text)


def one_line(text: str) -> str:
    """Make text harmless, and one line."""
    return " ".join(clean(text).split())


def _simpler(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].translate(_SIMPLER)
    return "".join(character if character.isascii() else "?" for character in lost), error.end


codecs.register_error(SIMPLER, _simpler)


def amount(count: float, what: str) -> str:
    """Say how many; `what` is a plural that ends with s."""
    return f"{count:,} {what.removesuffix('s') if count == 1 else what}"


def duration(milliseconds: float) -> str:
    """Say how long something took, as exactly as anybody wants to know."""
    seconds = milliseconds / 1000
    if seconds < 0.0995:  # noqa: PLR2004 - what would be 0.1 s
        return f"{milliseconds:.0f} ms"
    if seconds < 9.95:  # noqa: PLR2004 - likewise
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 120:  # noqa: PLR2004 - seconds are read easily up to two minutes
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {rest:02}s"


def size(count: int) -> str:
    """Say how many bytes."""
    if count < 1024:  # noqa: PLR2004 - a KiB
        return amount(count, "bytes")
    for unit, factor in (("KB", 1024), ("MB", 1024**2)):
        if count < 1000 * factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count / 1024**3:.1f} GB"


def dollars(money: float) -> str:
    """Say an amount of money, to a thousandth of a cent."""
    return f"${money:,.5f}".rstrip("0").removesuffix(".") if money else "$0"


def lines(ranges: Iterable[RawRange | None]) -> str:
    """Name raw lines, the way back to the file; nothing for what stands on no line."""
    told = [
        f"L{one.start}" + (f"-{one.end}" if one.end > one.start else "") for one in ranges if one
    ]
    return ", ".join(dict.fromkeys(told))
