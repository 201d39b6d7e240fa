# SPDX-License-Identifier: Apache-2.0
"""Write the facts that each capture must yield (`expected.json`), or compare them.

An independent second opinion: nothing here comes from the package, so that an error in one
of the two shows. `source` is left out, because it depends on how a capture is named.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

# Run as a program, this folder alone would be searched.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import (
    oracle_claude,
    oracle_codex,
    oracle_copilot,
    oracle_gemini,
    oracle_opencode,
)
from scripts.oracle_common import Capture, Facts, read_capture

if TYPE_CHECKING:
    from collections.abc import Callable

# One function an engine: this table is all that a new one needs here.
ENGINES: dict[str, Callable[[Capture], Facts]] = {
    "claude": oracle_claude.facts,
    "codex": oracle_codex.facts,
    "copilot": oracle_copilot.facts,
    "gemini": oracle_gemini.facts,
    "opencode": oracle_opencode.facts,
}


def expected_text(folder: Path) -> str:
    """Give the text of a capture's expected.json."""
    capture = read_capture(folder)
    text = json.dumps(ENGINES[capture.engine](capture), ensure_ascii=False, indent=2) + "\n"
    # Tools that split lines there would show one line as two.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def captures(paths: list[Path]) -> list[Path]:
    """Find the capture folders of known engines below the paths."""
    metas = {meta for path in paths for meta in path.rglob("capture.toml")}
    return sorted(
        meta.parent for meta in metas if tomllib.loads(meta.read_text("utf-8"))["engine"] in ENGINES
    )


def check(folder: Path, text: str) -> bool:
    """Compare with the file on disk and print what differs."""
    path = folder / "expected.json"
    before = path.read_text("utf-8") if path.exists() else ""
    if before == text:
        return True
    sys.stdout.writelines(
        difflib.unified_diff(
            before.splitlines(keepends=True),
            text.splitlines(keepends=True),
            str(path),
            "oracle",
            n=2,
        )
    )
    return False


def main(argv: list[str] | None = None) -> int:
    """Write or check the expected facts below the given paths."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="default: corpus")
    parser.add_argument("--check", action="store_true", help="compare, exit 1 on a difference")
    options = parser.parse_args(argv)
    default = Path(__file__).resolve().parent.parent / "corpus"
    folders = captures([path.resolve() for path in options.paths] or [default])
    if not folders:
        print("no captures found", file=sys.stderr)
        return 2
    differing = 0
    for folder in folders:
        text = expected_text(folder)
        if options.check:
            differing += not check(folder, text)
        else:
            (folder / "expected.json").write_text(text, "utf-8", newline="\n")
    print(f"{len(folders)} captures, {differing} differ", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
