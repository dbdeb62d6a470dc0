"""`waza-lsp compare --pairwise`: what it needs, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.judge import JudgeCall, JudgeRequest, JudgeTurn
from waza_lsp.cli import main


def _results(path: Path, output: str, stimuli: int = 1, passed: int | None = None, trials: int = 1) -> Path:
    """Write results of stimuli of which the first `passed` pass; None: all."""
    lines = [
        {
            "type": "trial-result",
            "stimulus": f"a{number}",
            "trialIndex": trial,
            "trajectory": {"output": output, "events": []},
            "gradeResult": {
                "passed": passed is None or number < passed,
                "score": float(passed is None or number < passed),
                "details": [],
            },
        }
        for number in range(stimuli)
        for trial in range(trials)
    ]
    path.write_text("".join(json.dumps(it) + "\n" for it in lines), encoding="utf-8")
    return path


def _compare(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compare", *arguments, "--pairwise"])


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return str(_results(tmp_path / "a.jsonl", "good")), str(_results(tmp_path / "b.jsonl", "bad"))


def test_fail_without_a_judge(runs: tuple[str, str]) -> None:
    result = _compare(*runs)
    assert (result.exit_code, "No judge is configured" in result.stderr) == (2, True)


def test_fail_with_three_runs(runs: tuple[str, str]) -> None:
    result = _compare(*runs, runs[0])
    assert (result.exit_code, "exactly two runs" in result.stderr) == (2, True)


def test_fail_with_a_page(runs: tuple[str, str], tmp_path: Path) -> None:
    result = _compare(*runs, "--html", str(tmp_path / "page.html"))
    assert (result.exit_code, "Remove --html" in result.stderr) == (2, True)


@pytest.mark.parametrize("given", [["--eval", "e.yaml"], ["--judge-model", "m"]])
def test_fail_with_what_only_a_judge_makes_use_of(given: list[str], runs: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["compare", *runs, *given])
    assert (result.exit_code, f"{given[0]} requires --pairwise" in result.stderr) == (2, True)


def _good_is_better(_judge: OpenAIJudge, request: JudgeRequest) -> JudgeTurn:
    first = request.message.index("good") < request.message.index("bad")
    told: dict[str, Any] = {
        "criteria": [],
        "winner": "A" if first else "B",
        "magnitude": "much-better",
        "reasoning": "x",
    }
    return JudgeTurn([JudgeCall("submit_pairwise_grade", told)])


def test_pass_a_regression_ends_with_1_if_asked(
    runs: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(OpenAIJudge, "turn", _good_is_better)
    # One stimulus shows nothing, however clear its verdict is.
    lower = _compare(*runs, "--fail-on-regression", "--format", "json")
    summary = json.loads(lower.stdout)["summary"]
    assert (lower.exit_code, summary["meanScore"]) == (0, -1.0)
    assert summary["evidence"]["verdict"] == "cannot be shown with this many"
    assert _compare(*runs, "--fail-on-possible-regression").exit_code == 1
    assert _compare(*runs).exit_code == 0
    many = [str(_results(tmp_path / f"{it}.jsonl", it, stimuli=6)) for it in ("good", "bad")]
    worse = _compare(*many, "--fail-on-regression")
    assert worse.exit_code == 1
    shown = "by stimulus: -1.00, 95 % interval -1.00 to -0.22, 0 better, 6 worse, 0 equal of 6 tasks, p = 0.031: worse\n"
    assert shown in worse.stdout
    better = _compare(runs[1], runs[0], "--fail-on-regression")
    assert (better.exit_code, "1 better, 0 equal, 0 worse" in better.stdout) == (0, True)


def _compared(
    tmp_path: Path, stimuli: int, passed: tuple[int, ...], *options: str, trials: int = 1
) -> Result:
    files = [
        str(_results(tmp_path / f"{it}-{number}.jsonl", "x", stimuli, it, trials))
        for number, it in enumerate(passed)
    ]
    return CliRunner().invoke(main, ["compare", *files, *options])


def test_pass_a_difference_that_chance_can_make_is_no_regression(tmp_path: Path) -> None:
    result = _compared(tmp_path, 12, (8, 6), "--fail-on-regression")
    assert (
        result.exit_code,
        "2 worse, 10 equal of 12 tasks, p = 0.500: no difference shown" in result.stdout,
    ) == (
        0,
        True,
    )
    assert "corrected" not in result.stdout
    assert "\nscore and pass rate: -0.17, 95 % interval -" in result.stdout
    assert ("\npass rate:" in result.stdout, "exact test decides" in result.stdout) == (False, False)
    assert _compared(tmp_path, 12, (8, 6), "--fail-on-possible-regression").exit_code == 1
    assert _compared(tmp_path, 12, (6, 8), "--fail-on-possible-regression").exit_code == 0


def test_fail_a_regression_that_is_shown(tmp_path: Path) -> None:
    result = _compared(tmp_path, 12, (12, 4), "--fail-on-regression")
    assert result.exit_code == 1
    assert "0 better, 8 worse, 4 equal of 12 tasks" in result.stdout
    assert "p = 0.008: worse" in result.stdout
    assert "Whether a single task changed cannot be shown with so few trials." in result.stdout


def test_pass_say_how_many_tasks_it_takes(tmp_path: Path) -> None:
    result = _compared(tmp_path, 4, (4, 0), "--fail-on-regression")
    word = "p = 0.125: cannot be shown with this many (the exact test decides, not the interval)"
    assert (result.exit_code, word in result.stdout) == (0, True)
    assert "With 4 tasks no result can show a difference; it takes at least 6." in result.stdout


def test_pass_the_evidence_of_several_runs_in_json(tmp_path: Path) -> None:
    result = _compared(tmp_path, 8, (8, 0, 8), "--format", "json", trials=6)
    data = json.loads(result.stdout)
    words = [
        (it["score"]["verdict"], it["pass_rate"]["verdict"], it["corrected_for"]) for it in data["evidence"]
    ]
    assert words == [("worse", "worse", 2), ("no difference shown", "no difference shown", 2)]
    assert data["evidence"][0]["score"]["p_value"] * 2 == data["evidence"][0]["score"]["p_value_corrected"]
    assert data["task_deltas"][0]["evidence"]["verdict"] == "no difference shown"
    table = _compared(tmp_path, 8, (8, 0, 8), trials=5).stdout
    assert "2 against 1, score and pass rate: -1.00" in table
    assert "corrected for 2 comparisons at once (Holm)" in table


def test_pass_a_single_task_that_changed_is_named(tmp_path: Path) -> None:
    table = _compared(tmp_path, 3, (3, 2), trials=20).stdout
    assert "Single tasks whose pass rate changed by more than chance: a2 worse." in table


def test_fail_without_a_task_in_common(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    lines = _results(tmp_path / "a.jsonl", "x").read_text().replace("a0", "b0")
    empty.write_text(lines, encoding="utf-8")
    command = ["compare", str(tmp_path / "a.jsonl"), str(empty), "--fail-on-regression"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, "no judged task in common" in result.stderr) == (2, True)
