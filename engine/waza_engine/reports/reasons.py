"""Explain run-level failures: cancelled or aborted, threshold missed, metric missed, skills did not help."""

from collections.abc import Iterator
from dataclasses import dataclass

from waza_engine.lib.plurals import counted
from waza_engine.model.results.records import MetricResult, RunRecord, TaskRecord
from waza_engine.model.results.scores import ConfidenceInterval, skills_helped
from waza_engine.model.results.threshold import EvalVerdict, deciding_tasks, eval_verdict, success_rate


@dataclass(frozen=True, slots=True)
class Reason:
    """One run-level failure: its subject in one or two words, and the message.

    With `is_error`, the run did not come to a verdict.
    """

    subject: str
    message: str
    is_error: bool = False


def reasons(record: RunRecord) -> Iterator[Reason]:
    """Yield the run-level failures in the order of the reports."""
    if record.status in {"error", "cancelled"}:
        message = (
            record.error
            if record.infrastructure or record.is_left_open
            else f"{record.status}: {record.error}"
        )
        yield Reason("run", message, is_error=True)
    if (verdict := threshold_verdict(record)) is not None and verdict.stimuli_run and not verdict.passed:
        yield Reason("threshold", threshold_line(verdict))
    for metric in record.metrics:
        if not metric.passed:
            yield Reason(f"metric {metric.name}", metric_line(metric))
    is_open = record.infrastructure and record.baseline is not None
    if (
        record.baseline is not None
        and not is_open
        and not skills_helped(*_success_rates(record, record.baseline))
    ):
        yield Reason("baseline", baseline_line(record))


ENOUGH_RUNS = 5
"""A quarantined task that passed so many runs in a row is said to be steady again."""
_WORDS = {"passed": "PASSED", "failed": "FAILED", "error": "ERROR", "cancelled": "CANCELLED"}


def verdict(record: RunRecord) -> tuple[str, str]:
    """Return the verdict in one word, and the reasons for it in one sentence."""
    parts = []
    if record.status == "cancelled" and record.planned:
        done = sum(it.stats.total_runs for it in record.tasks if it.stats)
        parts.append(f"{done} of {counted(record.planned * record.trials, 'trial')}")
    elif record.status == "cancelled" or (record.status == "error" and record.error):
        parts.append(record.error)
    parts += _conditions(record)
    passed, left = tasks_passed(record)
    if record.tasks:
        totals = record.totals
        skipped = f", {totals.skipped} skipped" if totals.skipped else ""
        # The trials of a cancelled run say how much is left.
        left = f", {left}" if left and record.status != "cancelled" else ""
        weighted = f" (weighted {totals.weighted_score:.2f}{interval_text(totals.range)})"
        open_trials = sum(it.stats.infrastructure_runs for it in record.tasks if it.stats)
        if quarantined := [it for it in record.tasks if it.quarantine]:
            failing = sum(it.status in {"failed", "error"} for it in quarantined)
            left += f", {len(quarantined)} in quarantine ({failing} of them not passed)"
        # The error of a run that could not be judged says so itself.
        if not record.infrastructure and (undecided := undecided_text(open_trials)):
            left += f", {undecided}"
        score = f"score {totals.aggregate_score:.2f}{weighted}"
        parts.append(f"{passed} tasks passed{skipped}{left}, {score}, {record.duration_ms / 1000:.1f} s")
    elif left:
        parts.append(left)
    return "OPEN" if record.is_left_open else _WORDS[record.status], "; ".join(filter(None, parts))


def _conditions(record: RunRecord) -> Iterator[str]:
    """Yield what decided about a run beside its tasks."""
    if record.status not in {"passed", "failed"}:
        return
    if record.decisions is not None:
        yield record.decisions.text
    by_score = threshold_verdict(record)
    if by_score is not None and by_score.stimuli_run:
        yield threshold_line(by_score)
    yield from (metric_line(it) for it in record.metrics if not it.passed)
    if record.baseline is not None:
        yield baseline_line(record)


def undecided_text(count: int) -> str:
    """Return how many trials met an error of infrastructure, "" for none."""
    return f"{counted(count, 'trial')} not judged (infrastructure)" if count else ""


def quarantine_text(task: TaskRecord) -> str:
    """Return why a task is in quarantine, and whether it still must be; "" if it is not."""
    if not task.quarantine:
        return ""
    text = f"in quarantine: {task.quarantine}"
    if task.passed_in_a_row < ENOUGH_RUNS:
        return text
    return f"{text}. It passed in the last {task.passed_in_a_row} runs: remove the comment"


def _success_rates(record: RunRecord, baseline: RunRecord) -> tuple[float, float]:
    return success_rate(deciding_tasks(record.tasks)), success_rate(deciding_tasks(baseline.tasks))


def interval_text(interval: ConfidenceInterval | None) -> str:
    """Return the 95 % interval, unless it is a single point."""
    if interval is None or interval.lower == interval.upper:
        return ""
    return f" [{interval.lower:.2f}, {interval.upper:.2f}]"


def tasks_passed(record: RunRecord) -> tuple[str, str]:
    """Return how many tasks passed, and what the run left out ("" if nothing).

    A cancelled run counts the tasks that it started: the others say nothing about the agent.
    """
    totals = record.totals
    if record.status != "cancelled":
        left = f"{counted(len(record.unperformed), 'task')} not run" if record.unperformed else ""
        return f"{totals.succeeded} of {record.task_count}", left
    runs = [it.stats.total_runs for it in record.tasks if it.stats and not it.error]
    trials = sum(max(0, record.trials - it) for it in runs)
    cancelled = [
        *([counted(len(record.unperformed), "task")] if record.unperformed else []),
        *([f"{counted(trials, 'trial')} of started tasks"] if trials else []),
    ]
    return (
        f"{totals.succeeded} of {totals.total} started",
        f"{' and '.join(cancelled)} cancelled" if cancelled else "",
    )


def why_unperformed(record: RunRecord) -> str:
    """Return why the run did not start some of its tasks."""
    if record.status in {"error", "cancelled"}:
        return f"not run: {record.error}"
    # Nothing else makes a finished run leave out a task.
    return "not run: an earlier task did not pass (fail_fast)"


def threshold_verdict(record: RunRecord) -> EvalVerdict | None:
    """Return the verdict by the eval's own threshold; None without a threshold or without tasks."""
    if record.scoring is None or record.scoring.threshold is None or not record.tasks:
        return None
    return eval_verdict(record.scoring, deciding_tasks(record.tasks))


def threshold_line(verdict: EvalVerdict) -> str:
    """Return a sentence about the threshold of an eval."""
    reached = "reaches" if verdict.passed else "is below"
    return f"the eval's score {verdict.overall_score:.2f} {reached} its threshold {verdict.threshold:.2f}"


def metric_line(metric: MetricResult) -> str:
    """Return a sentence about a metric that decides the run's verdict."""
    verdict = "reaches" if metric.passed else "is below"
    return f"metric {metric.name} {metric.value:.2f} {verdict} its threshold {metric.threshold:.2f}"


def baseline_line(record: RunRecord) -> str:
    """Return a sentence that compares a run with its baseline without skills; "" without a baseline."""
    if record.baseline is None:
        return ""
    rate, without = _success_rates(record, record.baseline)
    helped = skills_helped(rate, without)
    verdict = "the skills helped" if helped else "the skills did not help: this run failed"
    return f"with skills {rate:.0%} of the tasks passed, without {without:.0%}: {verdict}"
