"""Sum up the run of an eval for a pull request, compared with the run of the base branch."""

from collections.abc import Sequence

from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.reports.evidence import Sources, task_evidence
from waza_engine.reports.evidence_lines import Layout, evidence_lines
from waza_engine.reports.pull_request.summary import (
    MOST_TASKS,
    NO_EARLIER_SCORE,
    Compared,
    EvalSummary,
    TaskSummary,
    cut,
)
from waza_engine.reports.reasons import verdict
from waza_engine.statistics.compare_runs import RunComparison, compare_runs

_MOST_LINES = 60


def eval_summary(
    record: RunRecord,
    path: str,
    base: RunRecord | None = None,
    *,
    reasons: Sequence[str] = (),
    is_replayed: bool = False,
) -> EvalSummary:
    """Return the summary of a run, compared with `base` if there is one."""
    found = compare_runs([base, record])[0] if base is not None else None
    before = {it.task: it for it in base.tasks} if base is not None else {}
    sources = Sources()
    return EvalSummary(
        path=cut(path),
        name=cut(record.suite_name),
        status=record.status,
        verdict=cut(verdict(record)[1]),
        is_replayed=is_replayed,
        is_undecided=record.infrastructure,
        reasons=[cut(it) for it in reasons[:20]],
        compared=_compared_run(record, before, found),
        tasks=[_task(it, before.get(it.task), found, sources) for it in record.tasks[:MOST_TASKS]],
    )


def _compared_run(record: RunRecord, before: dict[str, TaskRecord], found: RunComparison | None) -> Compared:
    """Return the mean scores of the tasks that both runs could judge; without a base, of all judged tasks."""
    if found is None or not found.tasks:
        scores = [score for it in record.tasks if (score := _score(it)) is not None]
        return Compared(now=_mean(scores), n=len(scores), word=NO_EARLIER_SCORE if found is not None else "")
    now = {it.task: it for it in record.tasks}
    return Compared(
        before=_mean([_score(before[it]) or 0.0 for it in found.tasks]),
        now=_mean([_score(now[it]) or 0.0 for it in found.tasks]),
        n=len(found.tasks),
        n_before=len(found.tasks),
        word=found.score.word,
    )


def _task(
    task: TaskRecord, before: TaskRecord | None, found: RunComparison | None, sources: Sources
) -> TaskSummary:
    measured = found.tasks.get(task.task) if found is not None else None
    earlier = _score(before) if before is not None else None
    word = NO_EARLIER_SCORE if before is not None and earlier is None else ""
    compared = Compared(
        before=earlier,
        now=_score(task),
        n=task.stats.decided_runs if task.stats else 0,
        n_before=before.stats.decided_runs if before is not None and before.stats else 0,
        word=measured.verdict.word if measured is not None else word,
    )
    failures = _failures(task, sources) if task.status in {"failed", "error"} else []
    return TaskSummary(
        name=cut(task.name or task.task), status=task.status, compared=compared, failures=failures
    )


def _failures(task: TaskRecord, sources: Sources) -> list[str]:
    causes = [it for it in task_evidence(task, sources) if it.status != "points"]
    lines = [cut(it) for it in evidence_lines(causes, len(task.trials), Layout(indent=0))]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"and {len(lines) - _MOST_LINES + 1} more lines"]
    return lines


def _score(task: TaskRecord) -> float | None:
    """Return a task's mean score; None if no trial could be judged. Results of others may hold any number."""
    if task.stats is None or not task.stats.decided_runs:
        return None
    return min(1.0, max(0.0, task.stats.avg_score))


def _mean(scores: Sequence[float]) -> float | None:
    return sum(scores) / len(scores) if scores else None
