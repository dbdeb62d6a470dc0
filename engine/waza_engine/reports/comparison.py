"""Several runs side by side, as `waza compare` shows them (docs/reference/waza-formats.md, section 15.4)."""

from collections.abc import Iterator, Sequence
from typing import Any

from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.reports.inert import inert
from waza_engine.reports.text import one_line

_ABSENT = "n/a"


def comparison_data(names: Sequence[str], records: Sequence[RunRecord]) -> dict[str, Any]:
    """The comparison as plain data. Deltas are last minus first; a task that a run has not is `n/a` with zeros."""
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
        "task_deltas": [_task(task_id, records) for task_id in _ids(records)],
        "total_tests": [it.totals.total for it in records],
        "durations_ms": durations,
        "duration_delta_ms": durations[-1] - durations[0],
    }


def comparison_text(names: Sequence[str], records: Sequence[RunRecord]) -> str:
    """The comparison as a table: tasks that became worse first."""
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
    for shown, it in zip(ids, rows, strict=True):
        scores = "  ".join(
            f"{'-':>6}" if status == _ABSENT else f"{score:6.2f}"
            for score, status in zip(it["scores"], it["statuses"], strict=True)
        )
        changed = (
            ""
            if it["statuses"][0] == it["statuses"][-1]
            else f"  {it['statuses'][0]} -> {it['statuses'][-1]}"
        )
        yield f"{shown:{width}}  {scores}  {it['score_delta']:+6.2f}{changed}"
    scores = "  ".join(f"{it:6.2f}" for it in data["aggregate_scores"])
    yield f"{'all tasks':{width}}  {scores}  {data['aggregate_score_delta']:+6.2f}"
    rates = "  ".join(f"{it:6.0%}" for it in data["success_rates"])
    yield f"{'passed':{width}}  {rates}  {data['success_rate_delta']:+6.0%}"


def _ids(records: Sequence[RunRecord]) -> list[str]:
    return list(dict.fromkeys(task.task for record in records for task in record.tasks))


def _task(task_id: str, records: Sequence[RunRecord]) -> dict[str, Any]:
    found: list[TaskRecord | None] = [
        next((it for it in record.tasks if it.task == task_id), None) for record in records
    ]
    scores = [it.stats.avg_score if it and it.stats else 0.0 for it in found]
    rates = [it.stats.pass_rate if it and it.stats else 0.0 for it in found]
    return {
        "task_id": task_id,
        "display_name": next((it.name for it in found if it), ""),
        "scores": scores,
        "pass_rates": rates,
        "statuses": [it.status if it else _ABSENT for it in found],
        "score_delta": scores[-1] - scores[0],
        "pass_rate_delta": rates[-1] - rates[0],
    }
