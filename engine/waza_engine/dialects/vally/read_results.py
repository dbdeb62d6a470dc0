"""Read a run from vally's `results.jsonl`, written by vally or by us (docs/reference/vally.md, section 10.2).

Lines of other types are skipped. A trial without a type is from before vally 0.6.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.dialects.vally.scoring.results import VERDICT_MEMBERS, unique_names
from waza_engine.dialects.vally.trajectory.read import trajectory_of
from waza_engine.lib.timestamps import unix_seconds
from waza_engine.model.results.records import GraderOutcome, ReadRun, TrialRecord
from waza_engine.model.suite import Scoring


def read_run(lines: Sequence[Mapping[str, Any]]) -> ReadRun:
    """Return the run; it is empty if the lines contain no trials."""
    trials = [it for it in lines if it.get("type", "trial-result") == "trial-result" and "trajectory" in it]
    if not trials:
        return ReadRun("", {})
    summary = next((it for it in lines if it.get("type") == "run-summary"), {})
    eval_summary = next((it for it in summary.get("evals") or () if isinstance(it, Mapping)), {})
    first = trials[0]
    metadata = _map(_map(first.get("trajectory")).get("metadata"))
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for it in trials:
        by_name.setdefault(_stimulus(it), []).append(it)
    return ReadRun(
        suite_name=str(first.get("evalName") or ""),
        trials={
            name: tuple(_trial(it, name, index, number) for number, it in enumerate(own))
            for index, (name, own) in enumerate(by_name.items())
        },
        executor=str(metadata.get("executor") or ""),
        model=str(metadata.get("model") or ""),
        scoring=Scoring(_number(eval_summary.get("threshold"))),
        eval_path=str(first.get("evalFilePath") or ""),
        started_at=unix_seconds(str(metadata.get("startedAt"))),
    )


def _trial(data: Mapping[str, Any], name: str, index: int, number: int) -> TrialRecord:
    grades = data.get("gradeResult")
    recorded = _map(data.get("trajectory"))
    trajectory = trajectory_of(recorded, name)
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
        started_at=unix_seconds(str(_map(recorded.get("metadata")).get("startedAt"))),
        workspace=str(recorded.get("workDir") or ""),
        infrastructure=not graded and bool(data.get("infrastructure")),
    )


def _outcomes(grades: Mapping[str, Any]) -> Iterator[GraderOutcome]:
    """Yield the grader outcomes with unique names; a changed name keeps the original in its details."""
    results = [it for it in grades.get("details") or () if isinstance(it, Mapping)]
    names = [str(it.get("name") or "") for it in results]
    for data, original, name in zip(results, names, unique_names(names), strict=True):
        yield _outcome(data, name, {"name": original} if name != original else {})


def _outcome(data: Mapping[str, Any], name: str, more_details: dict[str, Any]) -> GraderOutcome:
    passed = bool(data.get("passed"))
    return GraderOutcome(
        name=name,
        type=str(data.get("graderType") or ""),
        status="error" if data.get("status") == "error" else "passed" if passed else "failed",
        score=_number(data.get("score")) or 0.0,
        weight=1.0,
        feedback=str(data.get("evidence") or ""),
        details={key: it for key, it in data.items() if key not in VERDICT_MEMBERS | {"graderType"}}
        | more_details,
    )


def _stimulus(data: Mapping[str, Any]) -> str:
    """Return the name of the stimulus; older results contain the whole stimulus."""
    stimulus = data.get("stimulus")
    return str(stimulus.get("name") if isinstance(stimulus, Mapping) else stimulus or "")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
