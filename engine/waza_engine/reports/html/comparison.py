"""Write several runs side by side as one HTML file, which begins with the tasks that changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.scores import mean
from waza_engine.reports.comparison import comparison_data, evidence_lines
from waza_engine.reports.experiment import ExperimentResults, combine_runs
from waza_engine.reports.html.diff import Diff, text_diff
from waza_engine.reports.html.rendering import render

_MOST_TASKS = 300
_MOST_CHANGED = 20


def html_comparison(
    names: Sequence[str], records: Sequence[RunRecord], experiment: str | None = None
) -> Iterator[str]:
    """Yield the text of the HTML file piece by piece. Differences are the last run's to the first.

    `experiment` is the name of the experiment that the runs are the arms of.
    """
    data = comparison_data(names, records)
    rows = sorted(data["task_deltas"], key=lambda it: it["score_delta"])
    subject = experiment or records[0].suite_name or "Runs"
    sides = f"{names[0]} \u2192 {names[1]}" if len(names) == 2 else f"{len(names)} runs"
    yield from render(
        "comparison.html.j2",
        title=f"{subject}: {sides}" if experiment is None else f"Experiment {subject}: {sides}",
        data=data,
        runs=list(zip(names, records, strict=True)),
        improved=sum(it["score_delta"] > 0 for it in rows),
        regressed=sum(it["score_delta"] < 0 for it in rows),
        changed=list(_changed(rows, records)),
        shown=[it for it in evidence_lines(data) if it],
        rows=rows[:_MOST_TASKS],
        more_rows=max(0, len(rows) - _MOST_TASKS),
        differences=_differences(rows[:_MOST_TASKS], records),
    )


def experiment_page(results: ExperimentResults) -> list[str]:
    """Return the page of an experiment, in pieces: all arms side by side, the last one against the baseline."""
    return list(html_comparison(list(results.arms), list(results.arms.values()), results.name))


def arms_report(records: Sequence[RunRecord]) -> list[str]:
    """Return the page of the experiment that these runs belong to, one run for each arm and eval."""
    arms: dict[str, list[RunRecord]] = {}
    for record in records:
        if record.arm is not None:
            arms.setdefault(record.arm.variant, []).append(record)
    baseline, name = next(((it.arm.baseline, it.arm.name) for it in records if it.arm is not None), ("", ""))
    order = sorted(arms, key=lambda it: it != baseline)
    # The ids of runs begin with the time at which they started.
    merged = {name: combine_runs(sorted(arms[name], key=lambda run: run.run_id)) for name in order}
    return experiment_page(ExperimentResults(name, baseline, merged))


@dataclass(frozen=True, slots=True)
class _Change:
    """A task whose verdict or score changed, and its graders that changed: name, mean score before and after."""

    index: int
    row: Mapping[str, Any]
    graders: list[tuple[str, float | None, float | None]]


def _changed(rows: Sequence[Mapping[str, Any]], records: Sequence[RunRecord]) -> Iterator[_Change]:
    """Yield the tasks that changed: those that got worse first."""
    first, last = _by_task(records)
    found = [
        (index, it)
        for index, it in enumerate(rows)
        if it["score_delta"] or it["statuses"][0] != it["statuses"][-1]
    ]
    # What got worse comes first, and a changed verdict before a changed score.
    found.sort(key=lambda it: (it[1]["score_delta"] > 0, it[1]["statuses"][0] == it[1]["statuses"][-1]))
    for index, row in found[:_MOST_CHANGED]:
        before, after = first.get(row["task_id"]), last.get(row["task_id"])
        yield _Change(index, row, list(_changed_graders(before, after)) if before and after else [])


def _by_task(records: Sequence[RunRecord]) -> tuple[dict[str, TaskRecord], dict[str, TaskRecord]]:
    first, last = ({it.task: it for it in record.tasks} for record in (records[0], records[-1]))
    return first, last


@dataclass(frozen=True, slots=True)
class _Difference:
    """A task that changed: the mean scores of its graders where they differ, and the outputs of its first trials."""

    index: int
    before: TaskRecord
    after: TaskRecord
    graders: list[tuple[str, float | None, float | None]]
    output: Diff | None


def _differences(rows: Sequence[Mapping[str, Any]], records: Sequence[RunRecord]) -> Iterator[_Difference]:
    first, last = _by_task(records)
    for index, row in enumerate(rows):
        before, after = first.get(row["task_id"]), last.get(row["task_id"])
        if before is None or after is None:
            continue
        graders, output = list(_changed_graders(before, after)), _output_diff(before, after)
        if graders or output is not None:
            yield _Difference(index, before, after, graders, output)


def _changed_graders(
    before: TaskRecord, after: TaskRecord
) -> Iterator[tuple[str, float | None, float | None]]:
    was, now = _grader_scores(before), _grader_scores(after)
    for name in {**was, **now}:
        if was.get(name) != now.get(name):
            yield name, was.get(name), now.get(name)


def _grader_scores(task: TaskRecord) -> dict[str, float]:
    """The mean score of each grader over the trials."""
    found: dict[str, list[float]] = {}
    for trial in task.trials:
        for grader in trial.graders:
            found.setdefault(grader.name, []).append(grader.score)
    return {name: mean(scores) for name, scores in found.items()}


def _output_diff(before: TaskRecord, after: TaskRecord) -> Diff | None:
    """The difference between the outputs of the first trials."""
    outputs = [trial.trajectory.output for task in (before, after) for trial in task.trials[:1]]
    if len(outputs) < 2:
        return None
    return text_diff(outputs[0], outputs[1], ("output of the first run", "output of the last run"))
