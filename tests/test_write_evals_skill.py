"""The skill `write-evals`: its text names real tools, and its own eval passes with recordings and fails without work."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

from waza_engine.graders.registry import graders
from waza_lsp.cli.mcp.tools import tool_descriptions

ROOT = Path(__file__).parents[1]
SKILL = ROOT / "skills" / "write-evals"
EVAL = SKILL / "evals" / "eval.yaml"
TASKS = {"make-it-able-to-fail", "repair-misspelt-options", "write-from-scratch"}


def waza_lsp(*arguments: str) -> subprocess.CompletedProcess[str]:
    # Its graders start `python3` and `waza-lsp`.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, "-m", "waza_lsp", *arguments],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_eval_has_no_findings() -> None:
    assert waza_lsp("check", "skills").stdout == "5 eval files checked: nothing to report\n"


def test_the_skill_names_tools_and_graders_that_exist() -> None:
    words = set(re.findall(r"`([a-z_]+)`", (SKILL / "SKILL.md").read_text(encoding="utf-8")))
    tools = {it.name for it in tool_descriptions()}
    options = {"content", "fixtures"}
    assert {"check", "explain", "complete", "fix", "draft_graders", "grade_last", "audit"} <= words
    assert words <= tools | set(graders("waza")) | options


@pytest.mark.slow
def test_the_recordings_pass(tmp_path: Path) -> None:
    done = waza_lsp("run", str(EVAL), "--executor", "replay", "--store", str(tmp_path))
    assert done.returncode == 0, done.stdout
    assert "3 of 3 tasks passed, score 1.00" in done.stdout
    assert "metric trigger_accuracy 1.00 reaches its threshold 0.90" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "output", ["", "Done. I repaired the eval: contains fails and catches wrong answers."]
)
def test_an_agent_that_does_nothing_fails_every_task(output: str, tmp_path: Path) -> None:
    for recording in (SKILL / "evals" / "recordings").glob("*-*.json"):
        data = json.loads(recording.read_text(encoding="utf-8"))
        idle = {"version": 1, "task": data["task"], "prompt": data["prompt"], "output": output}
        (tmp_path / recording.name).write_text(json.dumps(idle), encoding="utf-8")
    run = ["run", str(EVAL), "--executor", "replay", "--recordings", str(tmp_path)]
    done = waza_lsp(*run, "--store", str(tmp_path / "store"))
    assert done.returncode == 1, done.stdout
    assert set(re.findall(r"^FAIL  (\S+)", done.stdout, re.MULTILINE)) == TASKS
