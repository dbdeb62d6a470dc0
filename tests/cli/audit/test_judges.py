"""`waza-lsp audit --with-judges`: judges are asked until the tokens are spent, and what they cost is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.engine.audit.evals import write_eval
from waza_engine.model.judge import Judge, JudgeCall, JudgeError, JudgeRequest, JudgeTurn
from waza_lsp.cli import main
from waza_lsp.cli.audit import perform


class Strict(Judge):
    """Fails all work, for 110 tokens a question."""

    def __init__(self) -> None:
        self.asked = 0

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.asked += 1
        failed = JudgeCall("set_waza_grade_fail", {"description": "d", "reason": request.message[:5]})
        return JudgeTurn((failed,), usage={"input_tokens": 100, "output_tokens": 10})

    def reply(self, message: str, model: str = "") -> Any:
        raise AssertionError(message, model)


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Strict:
    """A judge, and two evals that only it keeps from passing: `e` with the tasks `a` and `b`, and `f`."""
    graders = [{"type": "prompt", "name": "good", "config": {"prompt": "Is it good?"}}]
    write_eval(tmp_path / "e", [{"id": it, "graders": graders} for it in "ab"])
    write_eval(tmp_path / "f", [{"id": "c", "graders": graders}])
    monkeypatch.chdir(tmp_path)
    found = Strict()
    monkeypatch.setattr(perform, "judge_for", lambda *_: found)
    return found


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", "e", "f", *arguments])


def test_what_they_notice_and_cost_is_said(judge: Strict) -> None:
    left_out = audit()
    assert "not asked, because they run programs or ask a model: good" in left_out.stdout
    assert judge.asked == 0
    result = audit("--with-judges", "--max-tokens", "100000")
    assert result.exit_code == 0
    assert judge.asked == 18
    assert "none pass for an agent that does no work; judges used 1,980 tokens" in result.stdout
    assert "not asked" not in result.stdout


def test_no_question_is_asked_beyond_the_limit_of_all_evals(judge: Strict) -> None:
    result = audit("--with-judges", "--max-tokens", "1000", "--format", "json")
    found = json.loads(result.stdout)["summary"]
    # The last question began within the limit.
    assert judge.asked == 9
    assert found["judge_tokens"] == 990
    assert (found["tasks"], found["stopped"]) == (2, "out of tokens")
    assert found["not_reached"] == ["f/eval.yaml"]
    judge.asked = 0
    none = audit("--with-judges", "--max-tokens", "1")
    assert judge.asked == 0
    assert none.exit_code == 2
    assert "The limit of 1 tokens for judges is reached" in none.stdout


def test_a_missing_judge_is_said(judge: Strict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perform, "judge_for", lambda *_: None)
    result = audit("--with-judges", "--max-tokens", "100")
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "warning: e/eval.yaml: no judge is configured, so the graders that ask one are"
    )
    assert "not asked, because they run programs or ask a model: good" in result.stdout
    assert judge.asked == 0


def test_the_options_go_together(judge: Strict) -> None:
    for arguments in (["--with-judges"], ["--max-tokens", "5"]):
        assert audit(*arguments).exit_code == 2
    assert judge.asked == 0


@pytest.mark.usefixtures("judge")
def test_a_judge_that_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Strict.turn

    def often_down(self: Strict, request: JudgeRequest) -> JudgeTurn:
        if self.asked % 2:
            self.asked += 1
            raise JudgeError("the judge is down")
        return turn(self, request)

    monkeypatch.setattr(Strict, "turn", often_down)
    asking = ("f", "--with-judges", "--max-tokens", "100000")
    result = CliRunner().invoke(main, ["audit", *asking])
    assert result.exit_code == 2, "what is half audited must not look green"
    assert "pieces of broken work got no verdict: grader 'good': The judge gave no verdict" in result.stdout
    for form in ("json", "junit"):
        assert "got no verdict" in CliRunner().invoke(main, ["audit", *asking, "--format", form]).stdout
    for form in ("github", "sarif"):
        said = CliRunner().invoke(main, ["audit", *asking, "--format", form])
        assert "error: Task 'c' was not audited: " in said.stderr
        assert "the judge is down" in said.stderr
