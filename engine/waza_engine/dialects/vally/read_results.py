"""A run from the lines of vally's `results.jsonl` (docs/reference/vally.md, section 10.2): its own, or one that we wrote.

Lines of other types are passed over; a trial without a type is one from before vally 0.6.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.dialects.vally.scoring.results import VERDICT_MEMBERS, unique_names
from waza_engine.dialects.vally.trajectory.read import trajectory_of
from waza_engine.lib.timestamps import unix_seconds
from waza_engine.model.records import GraderOutcome, ReadRun, TrialRecord
from waza_engine.model.suite import Scoring


def read_run(lines: Sequence[Mapping[str, Any]]) -> ReadRun:
    """The run; one without trials when the lines hold none."""
    trials = [it for it in lines if it.get("type", "trial-result") == "trial-result" and "trajectory" in it]
    if not trials:
        return ReadRun("", {})
    summary = next((it for it in lines if it.get("type") == "run-summary"), {})
    told = next((it for it in summary.get("evals") or () if isinstance(it, Mapping)), {})
    first = trials[0]
    metadata = _map(_map(first.get("trajectory")).get("metadata"))
    names = dict.fromkeys(_stimulus(it) for it in trials)
    return ReadRun(
        suite_name=str(first.get("evalName") or ""),
        trials={name: _trials(name, index, trials) for index, name in enumerate(names)},
        executor=str(metadata.get("executor") or ""),
        model=str(metadata.get("model") or ""),
        scoring=Scoring(_number(told.get("threshold"))),
        eval_path=str(first.get("evalFilePath") or ""),
        started_at=unix_seconds(str(metadata.get("startedAt"))),
    )


def _trials(name: str, index: int, trials: Sequence[Mapping[str, Any]]) -> tuple[TrialRecord, ...]:
    own = (it for it in trials if _stimulus(it) == name)
    return tuple(_trial(it, name, index, number) for number, it in enumerate(own))


def _trial(data: Mapping[str, Any], name: str, index: int, number: int) -> TrialRecord:
    grades = data.get("gradeResult")
    told = _map(data.get("trajectory"))
    trajectory = trajectory_of(told, name)
    # A trial without a grade is an infrastructure error, not a failure.
    graded = isinstance(grades, Mapping)
    passed = graded and bool(_map(grades).get("passed"))
    score = (_number(_map(grades).get("score")) or 0.0) if graded else 0.0
    return TrialRecord(
        task=name,
        task_index=index,
        trial=int(data.get("trialIndex", number)) + 1,
        status=("passed" if passed else "failed") if graded else "error",
        score=score,
        weighted_score=score,
        trajectory=trajectory,
        graders=tuple(_outcomes(_map(grades))),
        error=str(data.get("error") or trajectory.error),
        started_at=unix_seconds(str(_map(told.get("metadata")).get("startedAt"))),
        workspace=str(told.get("workDir") or ""),
    )


def _outcomes(grades: Mapping[str, Any]) -> Iterator[GraderOutcome]:
    """What the graders said, each by a name of its own; one that is another than in the file has that among its details."""
    told = [it for it in grades.get("details") or () if isinstance(it, Mapping)]
    names = [str(it.get("name") or "") for it in told]
    for data, written, name in zip(told, names, unique_names(names), strict=True):
        yield _outcome(data, name, {"name": written} if name != written else {})


def _outcome(data: Mapping[str, Any], name: str, told: dict[str, Any]) -> GraderOutcome:
    passed = bool(data.get("passed"))
    return GraderOutcome(
        name=name,
        type="",
        status="error" if data.get("status") == "error" else "passed" if passed else "failed",
        score=_number(data.get("score")) or 0.0,
        weight=1.0,
        feedback=str(data.get("evidence") or ""),
        details={key: it for key, it in data.items() if key not in VERDICT_MEMBERS} | told,
    )


def _stimulus(data: Mapping[str, Any]) -> str:
    """The name of the stimulus; older results have the stimulus itself."""
    stimulus = data.get("stimulus")
    return str(stimulus.get("name") if isinstance(stimulus, Mapping) else stimulus or "")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
