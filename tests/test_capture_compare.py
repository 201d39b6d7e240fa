# SPDX-License-Identifier: Apache-2.0
"""Two captures of one scenario held against each other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from agentframes.capturing.compare import differences

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
SHELL = CORPUS / "codex/0.171.0/s03-shell"
PARALLEL = CORPUS / "codex/0.171.0/s04-parallel"


def copy(folder: Path, into: Path) -> Path:
    """Copy a capture to where it may be changed."""
    return Path(shutil.copytree(folder, into / folder.name))


class TestTheSame:
    """What may differ between two runs of one scenario."""

    def test_nothing_differs_from_itself(self) -> None:
        """A capture has all in common with itself."""
        assert list(differences(str(SHELL), str(SHELL))) == []

    def test_ids_and_the_order_of_parallel_calls_may_differ(self, tmp_path: Path) -> None:
        """Another thread id, and calls that end in another order, are the same run again."""
        made = copy(PARALLEL, tmp_path)
        output = made / "stdout.jsonl"
        lines = output.read_text("utf-8").splitlines()
        calls = [line for line in lines if "command_execution" in line]
        first = json.loads(lines[0])
        first["thread_id"] = "00000000-1111-7222-8333-444444444444"
        ids = {json.loads(line)["item"]["id"] for line in calls}
        # Each call's own two lines in a row, the calls in the order of their ids backwards.
        turned = [line for one in sorted(ids, reverse=True) for line in calls if f'"{one}"' in line]
        rest = [line for line in lines[1:] if line not in calls]
        changed = [json.dumps(first), rest[0], *turned, *rest[1:]]
        output.write_text("".join(f"{line}\n" for line in changed), "utf-8")
        assert changed[2:-2] != lines[2:-2]
        assert list(differences(str(made), str(PARALLEL))) == []


class TestDifferences:
    """What is told of two runs that are not the same."""

    def test_another_output_of_a_call(self, tmp_path: Path) -> None:
        """A call that fails, tokens that differ and an answer in other words are told each."""
        made = copy(SHELL, tmp_path)
        output = made / "stdout.jsonl"
        text = output.read_text("utf-8")
        text = text.replace('"exit_code":0,"status":"completed"', '"exit_code":7,"status":"failed"')
        text = text.replace('"output_tokens":39', '"output_tokens":40')
        text = text.replace("The command printed hello.", "It printed hello.")
        output.write_text(text, "utf-8")
        told = list(differences(str(made), str(SHELL)))
        assert [line.split(" is ")[0] for line in told[:3]] == [
            "facts: final_text",
            "facts: resources",
            "facts: usage",
        ]
        ran = '{"command": "/bin/bash -lc \'echo hello\'"}'
        assert told[3:] == [
            "message that was not there: message.taskAgent It printed hello.",
            "message that is missing: message.taskAgent The command printed hello.",
            f"call that was not there: command_execution execute failed exit 7 {ran}",
            f"call that is missing: command_execution execute ok exit 0 {ran}",
        ]

    def test_a_new_kind_of_frame(self, tmp_path: Path) -> None:
        """Kinds are compared as sets, so that one more frame of a known kind is no difference."""
        made = copy(SHELL, tmp_path)
        with (made / "stdout.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"type":"turn.new"}\n')
        told = list(differences(str(made), str(SHELL)))
        assert "kind that was not there: turn.new" in told
        assert any(line.startswith("facts: frames is ") for line in told)
