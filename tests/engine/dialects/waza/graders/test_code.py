"""The `code` grader: from outcomes to a verdict, and what its check finds."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.code import CodeGrader
from waza_engine.graders.base import GradeError, GradingContext, Scope


def graded(*assertions: str, output: str = "It is OK", language: str = "python") -> Any:
    grader = CodeGrader.model_validate({"assertions": list(assertions), "language": language})
    return grader.grade(GradingContext(output=output, process_dir=Path()))


def test_the_score_is_the_share_of_true_assertions() -> None:
    result = graded("len(output) > 3", "'zzz' in output", "1/0")
    assert (result.score, result.passed) == (pytest.approx(1 / 3), False)
    assert result.feedback == "failed: 'zzz' in output; failed: 1/0 (division by zero)"
    assert result.details == {
        "total_assertions": 3,
        "passed_assertions": 1,
        "failures": ["failed: 'zzz' in output", "failed: 1/0 (division by zero)"],
    }


def test_all_true_passes_without_failures() -> None:
    result = graded("True")
    assert (result.score, result.passed, result.feedback) == (1.0, True, "All assertions passed")
    assert result.details["failures"] is None


def test_an_exception_without_text_passes_and_one_of_the_text_fail_looks_like_a_false_value() -> None:
    assert graded("[].__iter__().__next__()").passed
    if shutil.which("node"):
        assert graded("throw 'fail'", language="javascript").feedback == "failed: throw 'fail'"


def test_an_interpreter_that_ends_is_an_error_of_the_grader() -> None:
    with pytest.raises(GradeError, match="no result"):
        graded("True", "re.enum.sys.exit(0)")


def test_assertions_are_evaluated_where_the_process_directory_is_gone(tmp_path: Path) -> None:
    """A workspace that is deleted while a run goes on costs no verdict that needs nothing of it."""
    context = GradingContext(process_dir=tmp_path / "gone")
    assert CodeGrader(assertions=["True"]).grade(context).passed
    assert not CodeGrader(assertions=["False"]).grade(context).passed


@pytest.mark.parametrize(
    "config", [{}, {"assertions": []}, {"assertions": ["1"], "language": "Python"}, {"assertions": "1"}]
)
def test_a_config_that_waza_refuses_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CodeGrader.model_validate(config)


def test_an_empty_language_is_python() -> None:
    assert CodeGrader.model_validate({"assertions": ["1"], "language": ""}).language == "python"


def test_findings_stand_at_the_assertion() -> None:
    grader = CodeGrader(assertions=["(n := 1)", "n", "any(k in output for k in ['a'])", "max(n)"])
    found = [(it.code, it.pointer) for it in grader.check(Scope())]
    assert found == [
        ("name-out-of-scope", ("assertions", 2)),
        ("unknown-assertion-name", ("assertions", 3)),
    ]
    script = CodeGrader(assertions=["let x = 1; x", "x + y", "(x"], language="javascript")
    assert [(it.code, it.pointer, it.part) for it in script.check(Scope())] == [
        ("unknown-assertion-name", ("assertions", 1), (4, 5)),
        ("invalid-assertion", ("assertions", 2), (0, 1)),
    ]


@pytest.mark.parametrize(
    ("assertion", "title"),
    [
        ("'a' in output && 'b' in output", "Change to 'a' in output and 'b' in output"),
        ("any(k in output for k in ['a', 'b'])", "Change to 'a' in output or 'b' in output"),
        ("len(ouput) > 3", "Change to 'output'"),
        ("output.split('x').length === 1", "Change the language to JavaScript"),
    ],
)
def test_what_the_author_may_have_meant_is_offered(assertion: str, title: str) -> None:
    [finding] = CodeGrader(assertions=[assertion]).check(Scope())
    assert title in [it.title for it in finding.fixes]
