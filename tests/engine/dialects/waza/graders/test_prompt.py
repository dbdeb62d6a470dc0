"""The `prompt` grader: messages, votes, pairwise comparison, errors and time limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.prompt import PromptGrader
from waza_engine.graders.base import ConfigError, GradeError, GraderResult, GradingContext, Scope
from waza_engine.judges.rubrics.rubric import built_in_rubrics
from waza_engine.model.judge import JudgeCall, JudgeError, JudgeRequest, JudgeTurn

PASS = JudgeCall("set_waza_grade_pass", {"description": "d", "reason": "r"})
FAIL = JudgeCall("set_waza_grade_fail", {"description": "d2", "reason": "bad"})
BODY = built_in_rubrics()["helpfulness"].body


@dataclass
class Judge:
    """Plays the given turns and keeps the requests."""

    turns: Sequence[JudgeTurn | JudgeError] = ()
    requests: list[JudgeRequest] = field(default_factory=list)

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.requests.append(request)
        turn = self.turns[len(self.requests) - 1]
        if isinstance(turn, JudgeError):
            raise turn
        return turn

    def reply(self, message: str, model: str = "") -> Any:
        raise NotImplementedError


def winner(choice: Any, magnitude: str = "slightly-better") -> JudgeTurn:
    arguments = {"winner": choice, "magnitude": magnitude, "reasoning": f"because {choice}"}
    return JudgeTurn([JudgeCall("set_pairwise_winner", arguments)])


def graded(
    *turns: JudgeTurn | JudgeError, config: dict[str, Any] | None = None, **context: Any
) -> GraderResult:
    grader = PromptGrader.model_validate({"prompt": "judge this", **(config or {})})
    return grader.grade(GradingContext(judge=Judge(turns), process_dir=Path(), **context))


def request_for(config: dict[str, Any], **context: Any) -> JudgeRequest:
    judge = Judge([JudgeTurn([PASS])])
    PromptGrader.model_validate(config).grade(GradingContext(judge=judge, process_dir=Path(), **context))
    return judge.requests[0]


# Votes


def test_the_score_is_the_share_of_passes_and_any_fail_fails() -> None:
    result = graded(JudgeTurn([PASS, PASS, PASS, FAIL], "thoughts"))
    assert (result.score, result.passed, result.feedback) == (0.75, False, "fail: d2: bad")
    assert result.details == {
        "response": "thoughts",
        "prompt": "judge this",
        "passes": "pass: d: r;pass: d: r;pass: d: r",
        "failures": "fail: d2: bad",
    }


def test_two_fails_are_joined_by_a_semicolon() -> None:
    assert graded(JudgeTurn([FAIL, FAIL])).feedback == "fail: d2: bad;fail: d2: bad"


def test_without_votes_there_is_no_verdict() -> None:
    result = graded(JudgeTurn([JudgeCall("bash")], "no idea"))
    assert (result.score, result.passed, result.infrastructure) == (0.0, False, True)
    assert result.feedback.startswith("The judge gave no verdict")


@pytest.mark.parametrize(
    ("arguments", "entry"),
    [
        ({}, "pass: : "),
        ({"description": "d"}, "pass: d: "),
        ({"reason": None, "description": "d"}, "pass: d: "),
        ({"description": 5, "reason": "r"}, "pass"),
        ({"description": ["d"]}, "pass"),
        (None, "pass: : "),
        ([], "pass"),
        ("d", "pass"),
    ],
)
def test_a_vote_with_odd_arguments_counts(arguments: Any, entry: str) -> None:
    result = graded(JudgeTurn([JudgeCall.of("set_waza_grade_pass", arguments)]))
    assert result.passed
    assert result.details is not None
    assert result.details["passes"] == entry


@pytest.mark.parametrize("end", ["soft", "raised"])
def test_a_bad_end_after_a_vote_is_forgiven_and_before_one_an_error(end: str) -> None:
    def turn(*calls: JudgeCall) -> JudgeTurn | JudgeError:
        return JudgeTurn(calls, error="boom") if end == "soft" else JudgeError("boom", calls)

    assert graded(turn(PASS)).passed
    assert not graded(turn(FAIL)).passed
    for calls in ((), (JudgeCall("bash"),)):
        with pytest.raises(GradeError, match="boom"):
            graded(turn(*calls))


def test_votes_before_an_outage_count_only_if_they_settle_the_verdict() -> None:
    def cut(*calls: JudgeCall) -> JudgeError:
        return JudgeError("503", calls, transient=True)

    with pytest.raises(GradeError, match="503"):
        graded(cut(PASS, PASS))
    assert graded(cut(PASS, FAIL)).score == 0.5


def test_usage_is_reported() -> None:
    result = graded(JudgeTurn([PASS], usage={"input_tokens": 9}))
    assert result.details is not None
    assert result.details["usage"] == {"input_tokens": 9}


def test_without_a_judge_there_is_no_verdict() -> None:
    with pytest.raises(GradeError, match="No judge"):
        PromptGrader(prompt="x").grade(GradingContext())


# Messages


def test_the_plain_prompt_is_sent_alone() -> None:
    request = request_for({"prompt": " judge \n"}, output="out", prompt="task")
    assert request.message == " judge \n"
    assert [it.name for it in request.tools] == ["set_waza_grade_pass", "set_waza_grade_fail"]
    assert not request.only_these_tools


def test_a_rubric_is_sent_with_trimmed_task_and_output() -> None:
    request = request_for({"rubric": "helpfulness", "prompt": "unused"}, output=" out\n", prompt=" task ")
    assert request.message == f"{BODY}\n\n---\n\n## Task input\n\ntask\n\n## Candidate output\n\nout"
    without_task = request_for({"rubric": "helpfulness"}, output="out", prompt=" ")
    assert without_task.message == f"{BODY}\n\n---\n\n## Candidate output\n\nout"


def test_a_rubric_goes_alone_without_output_or_in_a_continued_session() -> None:
    assert request_for({"rubric": "helpfulness"}, output=" \n", prompt="task").message == BODY
    continued = request_for(
        {"rubric": "helpfulness", "continue_session": True}, output="out", session_id="s1"
    )
    assert continued.message == BODY


@pytest.mark.parametrize("mode", ["", "independent"])
def test_the_exact_form_keeps_every_character(mode: str) -> None:
    config = {"prompt": "judge", "rubric": "helpfulness", "mode": mode}
    request = request_for(config, output=" out\n", prompt=" task ", output_present=True)
    assert request.message == "judge\n\n---\n\n## Task input\n task \n\n## Candidate output\n out\n\n"
    assert request.only_these_tools
    empty = request_for({"rubric": "helpfulness"}, output="", prompt="", output_present=True)
    assert empty.message == f"{BODY}\n\n---\n\n## Candidate output\n\n"


@pytest.mark.parametrize("config", [{"mode": "pairwise"}, {"mode": "other"}, {"continue_session": True}])
def test_the_exact_form_is_only_for_plain_independent_judging(config: dict[str, Any]) -> None:
    request = request_for({"prompt": "judge", **config}, output="out", output_present=True, session_id="s")
    assert request.message == "judge"


def test_the_rubric_s_facts_are_reported_and_its_scale_does_not_matter(tmp_path: Path) -> None:
    text = "---\nname: tone\nversion: 1.2.3\nscale: 1-5\ndescription: Friendly.\n---\nBe nice.\n"
    (tmp_path / "tone.md").write_text(text)
    grader = PromptGrader(rubric="tone.md")
    context = GradingContext(judge=Judge([JudgeTurn([PASS, FAIL])]), process_dir=tmp_path)
    result = grader.grade(context)
    assert result.score == 0.5
    assert result.details is not None
    source = str(tmp_path / "tone.md")
    assert result.details["rubric"] == {"name": "tone", "version": "1.2.3", "scale": "1-5", "source": source}


# The request


def test_model_and_effort_come_from_the_grader_then_from_the_run() -> None:
    run = {"judge_model": "run-model", "judge_reasoning_effort": "low"}
    own = request_for({"prompt": "x", "model": "own", "reasoning_effort": "high"}, **run)
    assert (own.model, own.reasoning_effort) == ("own", "high")
    inherited = request_for({"prompt": "x"}, **run)
    assert (inherited.model, inherited.reasoning_effort) == ("run-model", "low")


def test_a_continued_session_needs_its_id() -> None:
    config = {"prompt": "x", "continue_session": True}
    assert request_for(config, session_id="s1").session_id == "s1"
    assert request_for({"prompt": "x"}, session_id="s1").session_id == ""
    with pytest.raises(GradeError, match="Cannot continue the agent's session"):
        request_for(config)


@pytest.mark.parametrize(
    ("setting", "seconds"),
    [
        ("", 120),
        ("5m", 300),
        ("1h1.5s", 3601.5),
        ("90", 90),
        ("250ms", 0.25),
        ("0", 120),
        ("-5s", 120),
        ("soon", 120),
    ],
)
def test_the_time_limit_can_be_set_in_the_environment(
    setting: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAZA_PROMPT_GRADER_TIMEOUT", setting)
    assert request_for({"prompt": "x"}).timeout_seconds == seconds


# Pairwise


def pairwise(*turns: JudgeTurn | JudgeError, output: str = "skill", baseline: str = "base") -> GraderResult:
    return graded(*turns, config={"mode": "pairwise"}, output=output, baseline_output=baseline)


@pytest.mark.parametrize(
    ("first", "second", "name", "score", "consistent"),
    [
        ("B", "A", "skill", 1.0, True),
        ("A", "B", "baseline", 0.0, True),
        ("A", "A", "tie", 0.5, False),
        ("tie", "tie", "tie", 0.5, True),
        ("b", "A", "tie", 0.5, False),
        ("C", 5, "tie", 0.5, True),
    ],
)
def test_both_orders_must_agree(first: Any, second: Any, name: str, score: float, consistent: bool) -> None:
    result = pairwise(winner(first, "much-better"), winner(second))
    assert (result.score, result.passed) == (score, score > 0)
    assert result.details is not None
    assert result.details["mode"] == "pairwise"
    assert result.details["pairwise"] == {
        "winner": name,
        "magnitude": "much-better" if consistent else "equal",
        "reasoning": f"because {first}",
        "position_consistent": consistent,
    }


def test_the_outputs_change_places() -> None:
    judge = Judge([winner("B"), winner("A")])
    context = GradingContext(
        judge=judge, output="```\nskill out\n```", baseline_output="base out", session_id="s"
    )
    PromptGrader(prompt="my rubric", mode="pairwise", continue_session=True).grade(context)
    first, second = (it.message for it in judge.requests)
    assert "my rubric" in first
    assert first.index("base out") < first.index("skill out")
    assert second.index("skill out") < second.index("base out")
    assert "````\n```\nskill out\n```\n````" in first
    assert [[tool.name for tool in it.tools] for it in judge.requests] == [["set_pairwise_winner"]] * 2
    assert {it.session_id for it in judge.requests} == {""}


def test_no_call_is_a_tie_and_the_last_call_counts() -> None:
    assert pairwise(JudgeTurn(), JudgeTurn()).score == 0.5
    two_calls = JudgeTurn([*winner("A").calls, *winner("B").calls])
    assert pairwise(two_calls, winner("A")).score == 1.0


def test_a_turn_that_fails_before_its_choice_is_an_error() -> None:
    assert pairwise(JudgeTurn(winner("B").calls, error="boom"), JudgeError("boom", winner("A").calls)).passed
    with pytest.raises(GradeError, match="boom"):
        pairwise(JudgeError("boom"), winner("A"))
    with pytest.raises(GradeError, match="boom"):
        pairwise(winner("B"), JudgeTurn(error="boom"))


def test_without_a_baseline_it_judges_independently() -> None:
    assert pairwise(JudgeTurn([PASS]), baseline="").passed


# The config


@pytest.mark.parametrize(
    "config",
    [{}, {"prompt": ""}, {"prompt": "x", "threshold": 0.5}, {"prompt": "x", "continue_session": "true"}],
)
def test_a_config_that_waza_refuses_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PromptGrader.model_validate(config)


def test_white_space_is_a_prompt() -> None:
    assert PromptGrader.model_validate({"prompt": " "}).prompt == " "


def test_a_rubric_that_cannot_be_used_is_found_before_the_run(tmp_path: Path) -> None:
    for reference in ("grounded", "./missing.md"):
        grader = PromptGrader(rubric=reference)
        [finding] = grader.refusals(Scope(process_dir=tmp_path))
        assert (finding.code, finding.pointer, finding.refused) == ("unusable-rubric", ("rubric",), True)
        with pytest.raises(ConfigError):
            grader.grade(GradingContext(judge=Judge([]), process_dir=tmp_path))
    assert not list(PromptGrader(rubric="./missing.md").refusals(Scope()))
    assert not list(PromptGrader(rubric="groundedness").refusals(Scope()))


def test_a_blank_rubric_is_none_and_not_enough_by_itself(tmp_path: Path) -> None:
    assert request_for({"prompt": "judge", "rubric": " "}, output="out").message == "judge"
    [finding] = PromptGrader(rubric=" ").refusals(Scope(process_dir=tmp_path))
    assert finding.refused
