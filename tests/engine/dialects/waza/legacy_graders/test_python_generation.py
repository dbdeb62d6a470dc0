"""The graders of the Python generation: what the vectors leave open."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.waza.generations.python import PyGrader
from waza_engine.dialects.waza.legacy_graders.py_code import PyCodeGrader
from waza_engine.dialects.waza.legacy_graders.py_human import PyHumanGrader
from waza_engine.dialects.waza.legacy_graders.py_human_calibration import PyHumanCalibrationGrader
from waza_engine.dialects.waza.legacy_graders.py_llm import PyLlmGrader
from waza_engine.dialects.waza.legacy_graders.py_llm_comparison import PyLlmComparisonGrader
from waza_engine.dialects.waza.legacy_graders.py_regex import PyRegexGrader
from waza_engine.dialects.waza.legacy_graders.py_script import PyScriptGrader
from waza_engine.dialects.waza.legacy_graders.py_tool_calls import PyToolCallsGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.judges.scripted import ScriptedJudge
from waza_engine.model.judge import JudgeError, JudgeMissing


def graded(kind: type[PyGrader], config: Mapping[str, Any], **context: Any) -> GraderResult:
    return kind.model_validate(config).grade(GradingContext(**{"process_dir": Path(), **context}))


# Where the config comes from


def test_eval_entries_hand_over_their_top_level_keys_and_config() -> None:
    entry = {"type": "llm", "rubric": "Score", "config": {"threshold": 0.5, "model": "m"}}
    config = PyLlmGrader.config_from_entry(entry, "eval")
    assert config == {"script": None, "rubric": "Score", "model": "m", "threshold": 0.5}
    assert PyLlmGrader.config_from_entry({"type": "llm"}, "eval") == {
        "script": None,
        "rubric": None,
        "model": None,
    }


def test_task_entries_hand_over_assertions_and_rubric_only() -> None:
    entry = {"type": "code", "assertions": ["True"], "config": {"assertions": ["False"]}, "script": "s.py"}
    assert PyCodeGrader.config_from_entry(entry, "task") == {"assertions": ["True"]}


def test_a_config_that_is_no_mapping_stays_to_be_refused() -> None:
    assert PyCodeGrader.config_from_entry({"config": ["x"]}, "eval") == ["x"]


def test_unknown_options_are_ignored_when_grading_and_told_while_editing() -> None:
    assert graded(PyCodeGrader, {"assertions": ["True"], "other": 1}).passed
    assert PyCodeGrader.model_json_schema()["additionalProperties"] is False


# code


def test_any_exception_is_a_failure_and_none_stops_the_others() -> None:
    result = graded(
        PyCodeGrader, {"assertions": ["[].__iter__().__next__()", "output", 5, "True"]}, output="x"
    )
    assert (result.score, result.passed, result.type_name) == (0.5, False, "code")
    assert result.details is not None
    assert result.details["failed_assertions"][0] == "Error in '[].__iter__().__next__()': "


def test_errors_are_found_without_case_and_calls_by_role_or_type() -> None:
    transcript = [
        {"content": "An ERROR"},
        {"type": "error"},
        {"role": "tool"},
        {"type": "tool_call"},
        {"content": 5},
    ]
    assert graded(
        PyCodeGrader, {"assertions": ["len(errors) == 2", "len(tool_calls) == 2"]}, transcript=transcript
    ).passed


@pytest.mark.parametrize("assertions", [None, [], "", {}])
def test_nothing_to_check_passes(assertions: Any) -> None:
    result = graded(PyCodeGrader, {"assertions": assertions})
    assert (result.score, result.passed) == (1.0, True)


def test_a_number_of_assertions_cannot_be_walked() -> None:
    with pytest.raises(GradeError, match="'assertions' must be a list"):
        graded(PyCodeGrader, {"assertions": 5})


# regex, tool_calls


@pytest.mark.parametrize(
    "config", [{"must_match": None}, {"must_match": [None]}, {"must_match": [5]}, {"must_not_match": 5}]
)
def test_patterns_of_the_wrong_kind_are_errors(config: dict[str, Any]) -> None:
    with pytest.raises(GradeError):
        graded(PyRegexGrader, config, output="x")


def test_a_text_of_patterns_is_walked_by_character() -> None:
    result = graded(PyRegexGrader, {"must_match": "ab", "must_not_match": "b"}, output="A")
    assert result.score == pytest.approx(2 / 3)
    assert result.details == {"failures": ["No match: b"]}


CALLS = [
    {"type": "tool_call", "tool": "bash", "args": {"cmd": "azd up"}},
    {"type": "tool_call", "tool": "git"},
]


@pytest.mark.parametrize(
    "config",
    [
        {"required": [None]},
        {"required": [5]},
        {"required": [{"pattern": 5}]},
        {"forbidden": None},
        {"max_calls": "2"},
        {"required": ["nope"], "max_calls": 0},
    ],
)
def test_tool_calls_of_the_wrong_kind_are_errors(config: dict[str, Any]) -> None:
    with pytest.raises(GradeError):
        graded(PyToolCallsGrader, config, transcript=CALLS)


def test_a_null_tool_is_an_error() -> None:
    with pytest.raises(GradeError, match="no tool name"):
        graded(PyToolCallsGrader, {}, transcript=[{"type": "tool_call", "tool": None}])


def test_a_text_of_required_patterns_is_walked_and_a_null_limit_is_none() -> None:
    assert graded(PyToolCallsGrader, {"required": "bA", "max_calls": None}, transcript=CALLS).passed


# script


def scripted(tmp_path: Path, text: str, **config: Any) -> GraderResult:
    (tmp_path / "s.py").write_text(text)
    return graded(
        PyScriptGrader, {"script": "s.py", **config}, process_dir=tmp_path, output="out", duration_ms=7
    )


def test_a_script_gets_the_context_and_gives_the_verdict(tmp_path: Path) -> None:
    text = (
        "import json, sys\ncontext = json.load(sys.stdin)\n"
        "print(json.dumps({'score': 0.25, 'passed': context['output'] == 'out' and context['duration_ms'] == 7,"
        " 'message': 'm', 'details': {'a': 1}}))"
    )
    result = scripted(tmp_path, text)
    assert (result.score, result.passed, result.feedback, result.details) == (0.25, True, "m", {"a": 1})


@pytest.mark.parametrize(
    "reply",
    [
        '{"message": 5}',
        '{"details": []}',
        '{"score": null}',
        '{"score": NaN}',
        '{"score": -0.1}',
        "[]",
        "1",
        "null",
        "",
    ],
)
def test_a_reply_of_the_wrong_kind_fails(reply: str, tmp_path: Path) -> None:
    result = scripted(tmp_path, f"print({reply!r})")
    assert (result.score, result.passed, result.type_name) == (0.0, False, "code")
    assert "not a verdict" in result.feedback


def test_the_failure_of_a_script_says_what_it_wrote(tmp_path: Path) -> None:
    assert "exited with status 1: " in scripted(tmp_path, "raise SystemExit('broken')").feedback
    assert "broken" in scripted(tmp_path, "raise SystemExit('broken')").feedback


def test_what_is_wrong_with_a_reply_is_said_in_one_line(tmp_path: Path) -> None:
    feedback = scripted(tmp_path, 'print(\'{"score": 7, "passed": true}\')').feedback
    assert feedback.endswith("is not a verdict: score: must be 1.0 or less, not 7")


@pytest.mark.parametrize("script", [None, "", 5, "a\0b"])
def test_no_script_fails(script: Any, tmp_path: Path) -> None:
    assert graded(PyScriptGrader, {"script": script}, process_dir=tmp_path).score == 0.0


# llm, llm_comparison


def judged(kind: type[PyGrader], reply: Any, **config: Any) -> GraderResult:
    return graded(kind, {"reference": "r", **config}, judge=ScriptedJudge(reply=reply))


@pytest.mark.parametrize("kind", [PyLlmGrader, PyLlmComparisonGrader])
@pytest.mark.parametrize(
    "reply", [[], "4", None, {"score": None}, {"score": "4"}, {"score": 0}, {"score": 4, "reasoning": 5}]
)
def test_a_bad_reply_is_an_error(kind: type[PyGrader], reply: Any) -> None:
    with pytest.raises(GradeError):
        judged(kind, reply)


@pytest.mark.parametrize("threshold", [None, "0.5"])
def test_a_bad_threshold_is_an_error(threshold: Any) -> None:
    with pytest.raises(GradeError, match="threshold"):
        judged(PyLlmGrader, {"score": 4}, threshold=threshold)


def test_a_comparison_s_passed_must_be_a_boolean_when_given() -> None:
    assert judged(PyLlmComparisonGrader, {"score": 1, "passed": "yes"}).passed
    for passed in (None, "maybe"):
        with pytest.raises(GradeError, match="passed"):
            judged(PyLlmComparisonGrader, {"score": 5, "passed": passed})


class _Asked:
    """Keeps what it is asked; fails with `error` if there is one."""

    def __init__(self, error: JudgeError | None = None) -> None:
        self.error = error
        self.message = self.model = ""

    def turn(self, request: Any) -> Any:
        raise NotImplementedError

    def reply(self, message: str, model: str = "") -> Any:
        self.message, self.model = message, model
        if self.error:
            raise self.error
        return {"score": 4, "reasoning": "good"}


def test_the_judge_sees_task_output_and_rubric(tmp_path: Path) -> None:
    (tmp_path / "rubric.txt").write_text("Score 5 if it rhymes.")
    judge = _Asked()
    context = {
        "judge": judge,
        "task": {"name": "Poem", "description": "Write one."},
        "prompt": "Roses?",
        "output": "Violets!",
        "process_dir": tmp_path,
    }
    result = graded(PyLlmGrader, {"rubric": "rubric.txt", "model": "m"}, **context)
    for part in ("Poem", "Write one.", "Roses?", "Violets!", "Score 5 if it rhymes."):
        assert part in judge.message
    assert judge.model == "m"
    assert result.details == {"raw_score": 4, "model": "m", "rubric_used": "Score 5 if it rhymes."}
    assert (result.score, result.passed, result.feedback, result.type_name) == (0.75, True, "good", "llm")


@pytest.mark.parametrize("rubric", ["Score rubric.txt", "no such file", "x" * 5000, "a\0b"])
def test_a_rubric_that_names_no_file_is_the_rubric(rubric: str, tmp_path: Path) -> None:
    judge = _Asked()
    graded(PyLlmGrader, {"rubric": rubric}, judge=judge, process_dir=tmp_path)
    assert rubric in judge.message


def test_without_a_rubric_there_is_a_built_in_one() -> None:
    judge = _Asked()
    graded(PyLlmGrader, {"rubric": None, "model": None}, judge=judge, judge_model="run")
    assert "correctness" in judge.message
    assert judge.model == "run"


@pytest.mark.parametrize("kind", [PyLlmGrader, PyLlmComparisonGrader])
@pytest.mark.parametrize(("of_run", "told"), [("", None), ("run", "run")])
def test_a_model_that_is_not_given_is_null(kind: type[PyGrader], of_run: str, told: str | None) -> None:
    config = {"model": None, "reference": "r"}
    result = graded(kind, config, judge=_Asked(), judge_model=of_run)
    assert result.details is not None
    assert result.details["model"] == told


@pytest.mark.parametrize("script", ["a" * 300, "a\0.py", "a/" * 3000])
def test_a_script_whose_name_is_none_fails(script: str, tmp_path: Path) -> None:
    result = graded(PyScriptGrader, {"script": script}, process_dir=tmp_path)
    assert (result.score, result.passed) == (0.0, False)


def test_a_judge_that_fails_or_is_missing() -> None:
    failed, missing = _Asked(JudgeError("boom")), _Asked(JudgeMissing("none"))
    assert graded(PyLlmGrader, {}, judge=failed).score == 0.0
    assert graded(PyLlmGrader, {}, judge=missing).score == 0.75
    for judge in (failed, missing):
        result = graded(PyLlmComparisonGrader, {"reference": "r"}, judge=judge)
        assert (result.score, result.passed) == (0.5, False)


@pytest.mark.parametrize("kind", [PyLlmGrader, PyLlmComparisonGrader])
def test_without_a_configured_judge_there_is_no_verdict(kind: type[PyGrader]) -> None:
    with pytest.raises(GradeError, match="No judge"):
        graded(kind, {"reference": "r"})


def test_an_empty_reference_fails_without_asking() -> None:
    assert graded(PyLlmComparisonGrader, {"reference": None}).score == 0.0


# human


def test_a_person_s_verdict_is_open() -> None:
    config = {"criteria": ["clear"], "instructions": "Look."}
    result = graded(PyHumanGrader, config, output="o" * 600, task={"id": "t1"})
    assert (result.score, result.passed, result.type_name) == (0.0, False, "human")
    assert result.details == {
        "status": "pending",
        "instructions": "Look.",
        "criteria": ["clear"],
        "task_id": "t1",
        "output_preview": "o" * 500,
    }
    calibration = graded(PyHumanCalibrationGrader, {"calibrate_grader": "q"}, task={"id": "t1"})
    assert calibration.details is not None
    assert calibration.details["calibrate_grader"] == "q"
