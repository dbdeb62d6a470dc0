"""Compare several runs, as `waza compare` does (docs/reference/waza-formats.md, section 15.4)."""

from collections.abc import Iterator, Sequence
from typing import Any

from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.reports.inert import inert
from waza_engine.reports.text import one_line

_ABSENT = "n/a"


def comparison_data(names: Sequence[str], records: Sequence[RunRecord]) -> dict[str, Any]:
    """Return the comparison as plain data.

    Deltas are last minus first. A task that a run does not have is `n/a` there, with zeros.
    """
    scores = [it.totals.aggregate_score for it in records]
    rates = [it.totals.success_rate for it in records]
    durations = [it.duration_ms for it in records]
    return {
        "files": list(names),
        "models": [it.model for it in records],
        "aggregate_scores": scores,
        "success_rates": rates,
        "aggregate_score_delta": scores[-1] - scores[0],
        "success_rate_delta": rates[-1] - rates[0],
        "task_deltas": [_task_delta(task_id, records) for task_id in _task_ids(records)],
        "total_tests": [it.totals.total for it in records],
        "durations_ms": durations,
        "duration_delta_ms": durations[-1] - durations[0],
    }


def comparison_text(names: Sequence[str], records: Sequence[RunRecord]) -> str:
    """Return the comparison as a table; the tasks that got worse come first."""
    data = comparison_data(names, records)
    return "\n".join(_lines(data))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    rows = sorted(data["task_deltas"], key=lambda it: it["score_delta"])
    ids = [inert(one_line(it["task_id"])) for it in rows]
    width = max(map(len, ["all tasks", *ids]))
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
        yield f"{shown:{width}}  {scores}  {row['score_delta']:+6.2f}{change}"
    scores = "  ".join(f"{it:6.2f}" for it in data["aggregate_scores"])
    yield f"{'all tasks':{width}}  {scores}  {data['aggregate_score_delta']:+6.2f}"
    rates = "  ".join(f"{it:6.0%}" for it in data["success_rates"])
    yield f"{'passed':{width}}  {rates}  {data['success_rate_delta']:+6.0%}"


def _task_ids(records: Sequence[RunRecord]) -> list[str]:
    return list(dict.fromkeys(task.task for record in records for task in record.tasks))


def _task_delta(task_id: str, records: Sequence[RunRecord]) -> dict[str, Any]:
    tasks: list[TaskRecord | None] = [
        next((it for it in record.tasks if it.task == task_id), None) for record in records
    ]
    scores = [it.stats.avg_score if it and it.stats else 0.0 for it in tasks]
    rates = [it.stats.pass_rate if it and it.stats else 0.0 for it in tasks]
    return {
        "task_id": task_id,
        "display_name": next((it.name for it in tasks if it), ""),
        "scores": scores,
        "pass_rates": rates,
        "statuses": [it.status if it else _ABSENT for it in tasks],
        "score_delta": scores[-1] - scores[0],
        "pass_rate_delta": rates[-1] - rates[0],
    }
