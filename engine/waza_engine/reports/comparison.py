"""Compare several runs, as `waza compare` does (docs/reference/waza-formats.md, section 15.4)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.lib.text_width import columns, padded
from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.scores import SuiteTotals
from waza_engine.reports.inert import inert, one_line
from waza_engine.runs.totals import seeded_random, task_totals
from waza_engine.statistics.compare_runs import (
    MeasuredTask,
    RunComparison,
    compare_runs,
    comparison_json,
    task_json,
)
from waza_engine.statistics.paired import ALPHA
from waza_engine.statistics.power import fewest_tasks
from waza_engine.statistics.totals import suite_totals

_ABSENT = "n/a"


def comparison_data(
    names: Sequence[str], records: Sequence[RunRecord], evidence: Sequence[RunComparison] = ()
) -> dict[str, Any]:
    """Return the comparison as plain data.

    Deltas are last minus first; those over all tasks are without tasks that one of the two could not judge or had in
    quarantine. A task that a run does not have is `n/a` there, with zeros. `evidence` (of each run but the first) is what
    comparisons show that were corrected together with others; otherwise with those of these runs.
    """
    evidence = evidence or compare_runs(records)
    tasks = evidence[-1].tasks if evidence else {}
    scores = [it.totals.aggregate_score for it in records]
    rates = [it.totals.success_rate for it in records]
    first, last = _compared_totals(records)
    durations = [it.duration_ms for it in records]
    return {
        "files": list(names),
        "models": [it.model for it in records],
        "aggregate_scores": scores,
        "success_rates": rates,
        "aggregate_score_delta": last.aggregate_score - first.aggregate_score,
        "success_rate_delta": last.success_rate - first.success_rate,
        "task_deltas": [_task_delta(task_id, records, tasks.get(task_id)) for task_id in _task_ids(records)],
        "total_tests": [it.totals.total for it in records],
        "durations_ms": durations,
        "duration_delta_ms": durations[-1] - durations[0],
        "evidence": [
            {"run": names[number], "against": names[0], **comparison_json(it)}
            for number, it in enumerate(evidence, 1)
        ],
    }


def comparison_text(
    names: Sequence[str], records: Sequence[RunRecord], evidence: Sequence[RunComparison] = ()
) -> str:
    """Return the comparison as a table; the tasks that got worse come first. Below is what it shows."""
    data = comparison_data(names, records, evidence)
    return "\n".join([*_lines(data), *evidence_lines(data)])


def evidence_lines(data: dict[str, Any]) -> Iterator[str]:
    """Yield what a comparison shows: for each run and measure effect, interval, wins, test and verdict."""
    if not any(it["score"]["tasks"] for it in data["evidence"]):
        return
    yield ""
    several = len(data["evidence"]) > 1
    for number, found in enumerate(data["evidence"], 2):
        run = f"{number} against 1, " if several else ""
        # Where each task scores what it passes, they are one comparison.
        is_one = found["score"] == found["pass_rate"]
        yield f"{run}score{' and pass rate' if is_one else ''}: {measured_text(found['score'])}"
        if not is_one:
            yield f"{run}pass rate: {measured_text(found['pass_rate'], '+.0%')}"
    yield f"All trials of a task count as one pair (paired permutation test).{_correction(data)}"
    yield from _fewest_tasks(data)
    yield _tasks_line(data)
    quarantined = [inert(one_line(it["task_id"])) for it in data["task_deltas"] if "quarantine" in it]
    if quarantined:
        yield f"Not compared, because in quarantine: {', '.join(quarantined)}."


def baseline_evidence(record: RunRecord) -> list[str]:
    """Return what a run shows against its baseline without skills, in lines; none without a baseline."""
    if record.baseline is None:
        return []
    data = comparison_data(("without skills", "with skills"), (record.baseline, record))
    return [it for it in evidence_lines(data) if it]


def measured_text(measure: Mapping[str, Any], form: str = "+.2f") -> str:
    """Return effect, interval, wins, p-value and verdict of a measure; `form` formats the effect."""
    lower, upper = measure["interval"]
    is_apart = (lower > 0 or upper < 0) and measure["verdict"] not in ("better", "worse")
    return (
        f"{format(measure['effect'], form)}, 95 % interval {format(lower, form)} to {format(upper, form)}, "
        f"{measure['wins']} better, {measure['losses']} worse, {measure['ties']} equal of {measure['tasks']} tasks, "
        f"{p_value_text(measure['p_value_corrected'])}: {measure['verdict']}"
        f"{' (the exact test decides, not the interval)' if is_apart else ''}"
    )


def p_value_text(p_value: float) -> str:
    """Return `p = 0.031`, or `p < 0.001`."""
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"


def _correction(data: dict[str, Any]) -> str:
    count = data["evidence"][0]["corrected_for"]
    return f" The p-values are corrected for {count} comparisons at once (Holm)." if count > 1 else ""


def _fewest_tasks(data: dict[str, Any]) -> Iterator[str]:
    """Say how many tasks could show a difference where these cannot."""
    impossible = [
        it["score"]["tasks"]
        for it in data["evidence"]
        if it["score"]["verdict"] == "cannot be shown with this many"
    ]
    if impossible:
        needed = fewest_tasks(alpha=ALPHA / data["evidence"][0]["corrected_for"])
        yield f"With {min(impossible)} tasks no result can show a difference; it takes at least {needed}."


def _tasks_line(data: dict[str, Any]) -> str:
    """Say which tasks changed by more than chance."""
    tasks = [it for it in data["task_deltas"] if "evidence" in it]
    words = [it["evidence"]["verdict"] for it in tasks]
    shown = [
        f"{inert(one_line(it['task_id']))} {word}"
        for it, word in zip(tasks, words, strict=True)
        if word in ("better", "worse")
    ]
    if shown:
        return f"Single tasks whose pass rate changed by more than chance: {', '.join(shown)}."
    if all(it == "cannot be shown with this many" for it in words):
        return "Whether a single task changed cannot be shown with so few trials."
    return "No single task's pass rate changed by more than chance."


def _lines(data: dict[str, Any]) -> Iterator[str]:
    rows = sorted(data["task_deltas"], key=lambda it: it["score_delta"])
    ids = [inert(one_line(it["task_id"])) for it in rows]
    width = max(map(columns, ["all tasks", *ids]))
    count = len(data["files"])
    for number, name in enumerate(data["files"], 1):
        model = data["models"][number - 1]
        yield one_line(f"{number}: {name}{f' ({model})' if model else ''}")
    yield f"{'':{width}}  {'  '.join(f'{it:>6}' for it in range(1, count + 1))}   delta"
    for shown, row in zip(ids, rows, strict=True):
        scores = "  ".join(
            f"{'-':>6}" if status == _ABSENT else f"{score:6.2f}"
            for score, status in zip(row["scores"], row["statuses"], strict=True)
        )
        change = (
            ""
            if row["statuses"][0] == row["statuses"][-1]
            else f"  {row['statuses'][0]} -> {row['statuses'][-1]}"
        )
        yield f"{padded(shown, width)}  {scores}  {row['score_delta']:+6.2f}{change}"
    scores = "  ".join(f"{it:6.2f}" for it in data["aggregate_scores"])
    yield f"{'all tasks':{width}}  {scores}  {data['aggregate_score_delta']:+6.2f}"
    rates = "  ".join(f"{it:6.0%}" for it in data["success_rates"])
    yield f"{'passed':{width}}  {rates}  {data['success_rate_delta']:+6.0%}"


def _compared_totals(records: Sequence[RunRecord]) -> tuple[SuiteTotals, SuiteTotals]:
    """Return the totals of the first and the last run, without tasks that one could not judge or had in quarantine."""
    ends = records[0], records[-1]
    out = {task.task for record in ends for task in record.tasks if task.status == "error" or task.quarantine}
    if not out:
        return ends[0].totals, ends[1].totals
    first, last = (
        suite_totals(
            [task_totals(it) for it in record.tasks if it.task not in out],
            1,
            seeded_random(record.run_id),
        )
        for record in ends
    )
    return first, last


def _task_ids(records: Sequence[RunRecord]) -> list[str]:
    return list(dict.fromkeys(task.task for record in records for task in record.tasks))


def _task_delta(task_id: str, records: Sequence[RunRecord], measured: MeasuredTask | None) -> dict[str, Any]:
    tasks: list[TaskRecord | None] = [
        next((it for it in record.tasks if it.task == task_id), None) for record in records
    ]
    scores = [it.stats.avg_score if it and it.stats else 0.0 for it in tasks]
    rates = [it.stats.pass_rate if it and it.stats else 0.0 for it in tasks]
    # A task that could not be judged got neither better nor worse.
    is_open = any(it is not None and it.status == "error" for it in (tasks[0], tasks[-1]))
    return {
        "task_id": task_id,
        "display_name": next((it.name for it in tasks if it), ""),
        "scores": scores,
        "pass_rates": rates,
        "statuses": [it.status if it else _ABSENT for it in tasks],
        "score_delta": 0.0 if is_open else scores[-1] - scores[0],
        "pass_rate_delta": 0.0 if is_open else rates[-1] - rates[0],
        **({"evidence": task_json(measured)} if measured is not None else {}),
        **(
            {"quarantine": reason}
            if (reason := next((it.quarantine for it in tasks if it and it.quarantine), ""))
            else {}
        ),
    }
