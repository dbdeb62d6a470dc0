"""`waza-lsp grade --run`: a recorded run judged again after its graders changed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner, Result

from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_lsp.cli import main
from waza_lsp.cli.grade.changes import Changes

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


def test_what_changed_since_the_run_and_the_reports(suite: Path) -> None:
    same = _invoke("grade", "--run", "last", "--store", "store")
    assert same.stdout.startswith("No verdict has changed since run 20")
    task = suite / "tasks" / "explain-retry.yaml"
    text = task.read_text(encoding="utf-8")
    text = text.replace("contains: [jitter]", "contains: [jitter, a kind of magic]")
    task.write_text(text.replace("name: names-the-ideas", "name: renamed", 1), encoding="utf-8")
    files = ("--html", "r.html", "--junit", "j.xml", "--output", "o.json")
    result = _invoke("grade", "--run", "last", "--store", "store", *files)
    assert result.exit_code == 1
    assert result.stdout.partition("\n")[2].startswith(
        "  explain-retry: passed -> failed, score 1.00 -> 0.96\n"
        "    renamed: new, failed\n"
        "    names-the-ideas: removed, was passed\n\n"
    )
    assert "magic" in Path("r.html").read_text(encoding="utf-8")
    assert 'failures="1"' in Path("j.xml").read_text(encoding="utf-8")
    assert len(json.loads(Path("o.json").read_text(encoding="utf-8"))["tasks"]) == 2
    plain = _invoke(
        "grade", "--run", "last", "--store", "store", "--format", "json", "--html", "j.xml/x.html"
    )
    assert plain.exit_code == 2
    assert "x.html: cannot be written" in plain.stderr
    alone = _invoke("grade", "--junit", "j.xml", "--batch", "x.jsonl")
    assert (alone.exit_code, "--junit requires --run." in alone.stderr) == (2, True)


def test_scores_and_trials_that_changed() -> None:
    def outcome(status: Literal["passed", "failed"], score: float) -> GraderOutcome:
        return GraderOutcome("g", "text", status, score, 1.0)

    def trial(number: int, status: Literal["passed", "failed"], score: float) -> TrialRecord:
        record = TrialRecord("t", 0, number, status, score, score, Trajectory())
        return replace(record, graders=(outcome(status, score),))

    changes = Changes()
    changes.add(trial(1, "failed", 0.5), trial(1, "failed", 0.25))
    changes.add(trial(2, "passed", 1.0), trial(2, "passed", 1.0))
    changes.add(trial(3, "failed", 0.5), trial(3, "passed", 1.0))
    assert changes.text("r").splitlines() == [
        "Changed since run r:",
        "  t, trial 1: still failed, score 0.50 -> 0.25",
        "    g: still failed, score 0.50 -> 0.25",
        "  t, trial 3: failed -> passed, score 0.50 -> 1.00",
        "    g: failed -> passed, score 0.50 -> 1.00",
    ]


def test_what_cannot_be_graded_is_said(suite: Path) -> None:
    assert "No run named" in _invoke("grade", "--run", "nope", "--store", "store").stderr
    assert "No runs in" in _invoke("grade", "--run", "last", "--store", "elsewhere").stderr
    both = _invoke("grade", "--run", "last", "--batch", "x.jsonl")
    assert (both.exit_code, "Give only one of" in both.stderr) == (2, True)
    (suite / "eval.yaml").write_text("name: [", encoding="utf-8")
    broken = _invoke("grade", "--run", "last", "--store", "store")
    assert (broken.exit_code, "never closed" in broken.stderr) == (2, True)


def test_counter_examples_must_fail(suite: Path) -> None:
    """They are graded with the graders of now, and not accused where a grader that is left out could notice them."""
    counter = suite / "recordings" / "counter"
    counter.mkdir()
    for task in ("explain-retry", "explain-debounce-short"):
        shutil.copy(suite / "recordings" / f"{task}.json", counter)
    arguments = ("grade", "--run", "last", "--store", "store", "--format", "json")
    result = _invoke(*arguments, "--task", "explain-retry")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["tasks"]
    message = "FAILED: recordings/counter/explain-retry.json must fail, but passes (task 'explain-retry')"
    assert result.stderr.splitlines() == [message]
    free = _invoke(*arguments, "--only-free")
    assert (free.exit_code, free.stderr.count("FAILED")) == (0, 0), free.stderr
    (counter / "explain-retry.json").write_text("{")
    assert "recordings/counter/explain-retry.json" in _invoke(*arguments, "--task", "explain-retry").stderr
    shutil.rmtree(counter)
    assert _invoke(*arguments).exit_code == 0
