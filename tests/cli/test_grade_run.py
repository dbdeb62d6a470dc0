"""`waza-lsp grade --run`: a recorded run judged again after its graders changed."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "code-explainer"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of an example that has been run once, with its store in the working directory."""
    folder = tmp_path / "suite"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.chdir(tmp_path)
    result = _invoke(
        "run", "suite/eval.yaml", "--executor", "replay", "--task", "explain-*", "--store", "store"
    )
    assert result.exit_code == 0, result.output
    return folder


def _invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_the_graders_of_now_judge_the_recording(suite: Path) -> None:
    assert _invoke("grade", "--run", "last", "--store", "store").exit_code == 0
    task = suite / "tasks" / "explain-retry.yaml"
    text = task.read_text(encoding="utf-8")
    task.write_text(
        text.replace("contains: [jitter]", "contains: [jitter, a kind of magic]"), encoding="utf-8"
    )
    result = _invoke("grade", "--run", "last", "--store", "store")
    assert result.exit_code == 1
    assert "a kind of magic" in result.stdout
    only = _invoke(
        "grade", "--run", "last", "--store", "store", "--task", "explain-debounce*", "--format", "json"
    )
    assert only.exit_code == 0
    assert [it["test_id"] for it in json.loads(only.stdout)["tasks"]] == ["explain-debounce-short"]


def test_what_cannot_be_graded_is_said(suite: Path) -> None:
    assert "No run named" in _invoke("grade", "--run", "nope", "--store", "store").stderr
    assert "No runs in" in _invoke("grade", "--run", "last", "--store", "elsewhere").stderr
    both = _invoke("grade", "--run", "last", "--batch", "x.jsonl")
    assert (both.exit_code, "Give only one of" in both.stderr) == (2, True)
    (suite / "eval.yaml").write_text("name: [", encoding="utf-8")
    broken = _invoke("grade", "--run", "last", "--store", "store")
    assert (broken.exit_code, "never closed" in broken.stderr) == (2, True)
