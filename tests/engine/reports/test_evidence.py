"""Evidence: one piece per cause, over graders and trials, with the line of the check in its file."""

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from waza_engine.model.evidence import FailedCheck
from waza_engine.model.records import GraderOutcome, TaskRecord, TrialRecord
from waza_engine.model.scores import Status
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.evidence import Evidence, Sources, task_evidence

TASK = """\
    id: one
    graders:
      - type: text
        name: names-it
        config:
          contains:
            - alpha
            # a comment
            - beta
      - {type: file, name: has-it, config: {must_exist: [a.md]}}
    expected:
      output_contains: [gamma]
    """


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "task.yaml"
    file.write_text(dedent(TASK), encoding="utf-8")
    return file


def outcome(path: Path | None, name: str, *parts: FailedCheck, entry: int = 0, **more: Any) -> GraderOutcome:
    values = {"status": "failed", "score": 0.5, "feedback": "no", **more}
    return GraderOutcome(
        name=name, type="text", weight=1, path=path, pointer=("graders", entry), parts=parts, **values
    )


def trial(number: int, *graders: GraderOutcome, **more: Any) -> TrialRecord:
    status: Status = "error" if "error" in more else "failed"
    return TrialRecord("one", 0, number, status, 0.5, 0.5, Trajectory(), graders, **more)


def evidence(*trials: TrialRecord, error: str = "") -> list[Evidence]:
    return task_evidence(TaskRecord("one", "One", "", "failed", trials, error=error), Sources())


BETA = FailedCheck(("contains", 1), '"beta" not found', "line 1: 'x'", wanted="contains: beta")


def test_a_check_of_several_trials_is_one_piece_with_its_line(path: Path) -> None:
    grader = outcome(path, "names-it", BETA)
    [found] = evidence(
        trial(1, grader), trial(2), trial(3, replace(grader, parts=(replace(BETA, found="y"),)))
    )
    assert (found.message, found.wanted, found.found) == ('"beta" not found', "contains: beta", "line 1: 'x'")
    assert (found.graders, found.score, found.trials) == (("names-it",), 0.5, (1, 3))
    assert found.source is not None
    assert (found.source.path, found.source.line) == (path, 9)


def test_checks_and_graders_with_one_cause_are_one_piece(path: Path) -> None:
    lost = [FailedCheck(("must_exist", it), f"{it} not checked", cause="no a.md") for it in range(3)]
    alone = FailedCheck(("contains", 0), "none", cause="the output is empty")
    found = evidence(
        trial(
            1,
            outcome(path, "has-it", *lost, entry=1),
            outcome(path, "other", lost[0]),
            outcome(path, "x", alone),
        )
    )
    assert [(it.message, it.checks, it.graders) for it in found] == [
        ("no a.md", 4, ("has-it", "other")),
        ("none", 1, ("x",)),
    ]
    assert [it.source.line for it in found if it.source] == [10, 0]


def test_graders_that_say_the_same_are_one_piece_but_errors_are_not(path: Path) -> None:
    same = [outcome(path, name, feedback="The run has no session digest") for name in ("a", "b")]
    broken = [outcome(path, name, status="error", feedback="no judge") for name in ("c", "d")]
    found = evidence(trial(1, *same, *broken))
    assert [(it.status, it.message, it.graders) for it in found] == [
        ("failed", "The run has no session digest", ("a", "b")),
        ("error", "no judge", ("c",)),
        ("error", "no judge", ("d",)),
    ]


def test_an_error_explains_the_graders_that_could_not_run(path: Path) -> None:
    broken = outcome(path, "has-it", status="error", feedback="cannot start", entry=1)
    [found] = evidence(trial(1, broken, error="grader 'has-it': cannot start"))
    assert (found.message, found.graders) == ("grader 'has-it': cannot start", ("has-it",))
    assert found.source is not None
    assert found.source.line == 10
    agent = trial(1, outcome(path, "names-it", BETA), error="the agent timed out")
    assert [(it.status, it.graders) for it in evidence(agent)] == [("error", ()), ("failed", ("names-it",))]
    assert evidence(error="hook failed")[0].message == "hook failed"


def test_a_passing_grader_below_1_took_points(path: Path) -> None:
    almost = outcome(path, "names-it", status="passed", score=0.8, feedback="mostly right")
    full = outcome(path, "has-it", status="passed", score=1.0, entry=1)
    [found] = evidence(trial(1, almost, full))
    assert (found.status, found.message, found.score) == ("points", "mostly right", 0.8)


def test_the_line_is_left_out_when_the_file_has_changed(path: Path) -> None:
    expectation = replace(outcome(path, "_output_contains", BETA), pointer=("expected", "output_contains"))
    part = replace(BETA, pointer=(0,))
    for record, line in (
        (outcome(path, "another-name", BETA), 0),
        (outcome(path, "names-it", replace(BETA, pointer=("contains", 7))), 3),
        (outcome(path.with_name("gone.yaml"), "names-it", BETA), 0),
        (replace(expectation, parts=(part,)), 12),
    ):
        [found] = evidence(trial(1, record))
        assert found.source is not None
        assert found.source.line == line
    [found] = evidence(trial(1, outcome(None, "names-it", BETA)))
    assert found.source is None
