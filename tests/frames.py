# SPDX-License-Identifier: Apache-2.0
"""Real frames to build small inputs from: a capture's, with single fields set."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"

Frame = dict[str, Any]


def capture(name: str) -> list[Frame]:
    """Return the frames of a capture, named ``engine/version/scenario``."""
    folder = CORPUS / name
    path = next(path for path in folder.iterdir() if path.name.startswith("stdout."))
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if raw.startswith(b"{\n"):  # gemini prints its document over many lines
        return [json.loads(raw)]
    frames = [json.loads(line) for line in raw.split(b"\n") if line.startswith((b"{", b"["))]
    return frames[0] if isinstance(frames[0], list) else frames


def printed(*frames: Frame | list[Frame]) -> bytes:
    """Print frames as the CLIs do, a line each."""
    flat: list[Frame] = []
    for frame in frames:
        flat += frame if isinstance(frame, list) else [frame]
    return b"".join(json.dumps(frame, ensure_ascii=False).encode() + b"\n" for frame in flat)


def having(frame: Frame, **fields: Any) -> Frame:
    """Return a copy of a frame with fields set; ``a__b`` names field b of a, None is null."""
    changed = copy.deepcopy(frame)
    for path, value in fields.items():
        *way, last = path.split("__")
        place: Any = changed
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[last] = value
    return changed


def without(frame: Frame, *names: str) -> Frame:
    """Return a copy of a frame without some of its fields."""
    return {key: value for key, value in copy.deepcopy(frame).items() if key not in names}
