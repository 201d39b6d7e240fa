# SPDX-License-Identifier: Apache-2.0
"""What `read` imports: msgspec and the standard library's light part, and one engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "src/agentframes/_demo"

HEAVY = {
    "asyncio", "click", "importlib.metadata", "inspect", "jsonschema", "pathlib", "rich", "shutil",
    "subprocess", "tomllib", "typer", "urllib",
}  # fmt: skip


def imported(code: str) -> set[str]:
    """Run code in a bare interpreter and return the modules it leaves behind."""
    closing = "\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-X", "frozen_modules=on", "-c", code + closing]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split("\n"))


def outside(modules: set[str]) -> set[str]:
    """Keep the top-level packages that are neither the standard library's nor ours."""
    tops = {module.partition(".")[0] for module in modules}
    known = {*sys.stdlib_module_names, "agentframes", "", "__editable___agentframes"}
    return {top for top in tops - known if not top.startswith(("_", "sitecustomize"))}


READ = "from agentframes.commands import main\nmain(['read', {json!r}, {path!r}])"


@pytest.mark.parametrize(
    ("engine", "other"),
    [
        ("claude", "codex"),
        ("codex", "claude"),
        ("copilot", "claude"),
        ("gemini", "codex"),
        ("opencode", "codex"),
    ],
)
def test_read_imports_one_engine_and_msgspec(engine: str, other: str) -> None:
    """Reading a stream loads msgspec alone, and only the engine that printed it."""
    path = str(DEMO / f"{engine}.jsonl")
    modules = imported(READ.format(json="--json", path=path))
    assert {"msgspec"} == outside(modules)
    assert f"agentframes.engines.{engine}.signals" in modules
    assert f"agentframes.engines.{other}.signals" not in modules
    assert set() == HEAVY & modules


def test_what_msgspec_did_without_is_there_for_others() -> None:
    """A command hides `typing_extensions` from msgspec alone, and only while it is imported."""
    path = str(DEMO / "claude.jsonl")
    code = READ.format(json="--json", path=path) + "\nimport typing_extensions"
    assert "typing_extensions" in imported(code)


def test_read_loads_no_manifest_of_fields() -> None:
    """What the captured versions' fields are is loaded only where somebody asks for drift."""
    path = str(DEMO / "claude.jsonl")
    fields = {"agentframes.drift", "agentframes.manifests", "agentframes.walk"}
    assert set() == fields & imported(READ.format(json="--json", path=path))
    assert fields <= imported(READ.format(json="--strict", path=path))


def test_import_agentframes_costs_nothing() -> None:
    """The package's names are there before any of their modules is."""
    modules = imported("import agentframes")
    assert {"agentframes"} == {module for module in modules if module.startswith("agentframes")}
    assert set() == HEAVY & modules


def test_public_names_are_sorted_and_importable() -> None:
    """Every public name resolves, and no other name is promised."""
    import agentframes

    assert agentframes.__all__ == sorted(agentframes.__all__)
    assert dict.fromkeys(agentframes.__all__, True) == {
        name: hasattr(agentframes, name) for name in agentframes.__all__
    }
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = agentframes.nothing
