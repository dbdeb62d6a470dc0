"""`waza-lsp compare --pairwise`: what it needs, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.judge import JudgeCall, JudgeRequest, JudgeTurn
from waza_lsp.cli import main


def _results(path: Path, output: str) -> Path:
    trial = {
        "type": "trial-result",
        "stimulus": "a",
        "trialIndex": 0,
        "trajectory": {"output": output, "events": []},
        "gradeResult": {"passed": True, "score": 1.0, "details": []},
    }
    path.write_text(json.dumps(trial) + "\n", encoding="utf-8")
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


@pytest.mark.parametrize("given", [["--fail-on-regression"], ["--eval", "e.yaml"], ["--judge-model", "m"]])
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
    runs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(OpenAIJudge, "turn", _good_is_better)
    worse = _compare(*runs, "--fail-on-regression", "--format", "json")
    assert worse.exit_code == 1
    assert json.loads(worse.stdout)["summary"]["meanScore"] == -1.0
    assert _compare(*runs).exit_code == 0
    better = _compare(runs[1], runs[0], "--fail-on-regression")
    assert (better.exit_code, "1 better, 0 equal, 0 worse" in better.stdout) == (0, True)
