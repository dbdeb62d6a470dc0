"""Reading vally's `results.jsonl` back into a record: its own, or one that we wrote.

See docs/reference/vally.md, section 10.2.

Lines of other types are passed over; a trial without a type is one from before vally 0.6. The totals are computed anew.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from waza_engine.misfits import reason
from waza_engine.moments import seconds_of
from waza_engine.reports.read_results import ResultsError
from waza_engine.runs.frames import RunFrame, TaskFrame
from waza_engine.runs.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.runs.totals import Ending, run_record, seeded, task_record
from waza_engine.suite import Scoring
from waza_engine.vally.grader_names import names_apart
from waza_engine.vally.read_trajectory import trajectory_of
from waza_engine.vally.results import IN_VERDICTS


def read_jsonl(path: Path) -> RunRecord:
    """The record of a `results.jsonl`, or of the folder that one is in.

    Raises:
        ResultsError: it cannot be read, or holds no trials.

    """
    file = path / "results.jsonl" if path.is_dir() else path
    try:
        lines = list(_lines(file.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ResultsError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ResultsError(f"{file}: not a JSON object on each line: {error}") from error
    trials = [it for it in lines if it.get("type", "trial-result") == "trial-result" and "trajectory" in it]
    if not trials:
        raise ResultsError(f"{file}: no trials; write them with waza-lsp run EVAL --output results.jsonl")
    summary = next((it for it in lines if it.get("type") == "run-summary"), {})
    try:
        return _record(file, trials, summary)
    except (ValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise ResultsError(f"{file}: not of the form of vally's results: {reason(error)}") from error


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    # str.splitlines knows more line ends, which may stand in an output as they are.
    for line in text.split("\n"):
        if line.strip():
            data = json.loads(line)
            if not isinstance(data, dict):
                raise ValueError("a line holds something else")  # a wrong value, as for JSON
            yield data


def _record(path: Path, trials: list[Mapping[str, Any]], summary: Mapping[str, Any]) -> RunRecord:
    names = list(dict.fromkeys(_stimulus(it) for it in trials))
    first = trials[0]
    trajectory = _map(first.get("trajectory"))
    metadata = _map(trajectory.get("metadata"))
    told = next((it for it in summary.get("evals") or () if isinstance(it, Mapping)), {})
    frame = RunFrame(
        suite_name=str(first.get("evalName") or path.stem),
        executor=str(metadata.get("executor") or ""),
        model=str(metadata.get("model") or ""),
        trials=max(sum(_stimulus(it) == name for it in trials) for name in names),
        scoring=Scoring(_number(told.get("threshold"))),
        eval_path=str(first.get("evalFilePath") or ""),
    )
    return run_record(
        frame,
        run_id=path.stem,
        started_at=seconds_of(str(metadata.get("startedAt"))),
        duration_ms=0,
        tasks=[_task(name, index, trials) for index, name in enumerate(names)],
        triggers=(),
        ending=Ending(),
    )


def _task(name: str, index: int, trials: list[Mapping[str, Any]]) -> TaskRecord:
    own = [it for it in trials if _stimulus(it) == name]
    records = [_trial(it, name, index, number) for number, it in enumerate(own)]
    return task_record(TaskFrame(name, name), records, "", seeded("jsonl", index))


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
        started_at=seconds_of(str(_map(told.get("metadata")).get("startedAt"))),
        workspace=str(told.get("workDir") or ""),
    )


def _outcomes(grades: Mapping[str, Any]) -> Iterator[GraderOutcome]:
    """What the graders said, each by a name of its own; one that is another than in the file has that among its details."""
    told = [it for it in grades.get("details") or () if isinstance(it, Mapping)]
    names = [str(it.get("name") or "") for it in told]
    for data, written, name in zip(told, names, names_apart(names), strict=True):
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
        details={key: it for key, it in data.items() if key not in IN_VERDICTS} | told,
    )


def _stimulus(data: Mapping[str, Any]) -> str:
    """The name of the stimulus; older results have the stimulus itself."""
    stimulus = data.get("stimulus")
    return str(stimulus.get("name") if isinstance(stimulus, Mapping) else stimulus or "")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
