"""Report a run as text for a terminal: a line per task with its failures below, totals at the end."""

from collections.abc import Iterator

from waza_engine.model.consumption import consumption_text
from waza_engine.model.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.model.scores import Interval
from waza_engine.reports.inert import inert, one_line
from waza_engine.reports.reasons import (
    baseline_line,
    metric_line,
    tasks_passed,
    threshold_line,
    threshold_verdict,
)
from waza_engine.reports.results.task import skill_impact
from waza_engine.runs.totals import composite_score

STATUS_WORDS = {"passed": "PASS", "failed": "FAIL", "error": "ERROR", "skipped": "SKIP"}
_LONGEST_FEEDBACK = 300


def text_report(record: RunRecord) -> str:
    """Return the report, without colours and without a final newline."""
    return "\n".join(_lines(record))


def failed_lines(trial: TrialRecord) -> Iterator[str]:
    """Yield what went wrong in a trial: its error, then the graders that did not pass."""
    if trial.error:
        yield f"error: {one_line(trial.error)}"
    # In a trial with an error, that error already explains why graders failed to run.
    shown = {"failed"} if trial.status == "error" else {"failed", "error"}
    yield from (_grader(it) for it in trial.graders if it.status in shown)
    for point in trial.checkpoints:
        for grader in point.graders:
            if grader.status == "failed":
                yield f"after turn {point.after_turn}: {_grader(grader)}"


def _lines(record: RunRecord) -> Iterator[str]:
    starts = [inert(f"{STATUS_WORDS[it.status]:5} {one_line(it.task)}") for it in record.tasks]
    width = max(map(len, starts), default=0)
    for start, task in zip(starts, record.tasks, strict=True):
        yield f"{start:{width}}  {_task(task)}"
        yield from _failures(task)
    for trigger in record.triggers:
        if trigger.error or trigger.did_trigger != trigger.should_trigger:
            expected = "should trigger" if trigger.should_trigger else "should not trigger"
            expected = "could not be judged" if trigger.infrastructure else expected
            yield f"  trigger: {expected}: {one_line(trigger.prompt)}{f' ({one_line(trigger.error)})' if trigger.error else ''}"
    yield from _totals(record)


def _task(task: TaskRecord) -> str:
    if task.stats is None:
        return "not run"
    stats = task.stats
    trials = f"  {stats.passed_runs}/{stats.total_runs} trials" if stats.total_runs > 1 else ""
    flaky = f"  flaky {stats.flakiness_percent:.0f} %" if stats.flaky else ""
    return f"score {stats.avg_score:.2f}{_interval(stats.interval)}{trials}{flaky}"


def _interval(interval: Interval | None) -> str:
    """The 95 % interval, unless it is a single point."""
    if interval is None or interval.lower == interval.upper:
        return ""
    return f" [{interval.lower:.2f}, {interval.upper:.2f}]"


def _failures(task: TaskRecord) -> Iterator[str]:
    if task.error:
        yield f"      {one_line(task.error)}"
    trials_by_line: dict[str, list[int]] = {}
    for trial in task.trials:
        for line in failed_lines(trial):
            trials_by_line.setdefault(line, []).append(trial.trial)
    for line, trials in trials_by_line.items():
        # A line that all trials share is printed once, without numbers.
        is_shared = len(trials) == len(task.trials)
        yield f"      {'' if is_shared else f'trial {_numbers(trials)}: '}{line}"


def _numbers(trials: list[int]) -> str:
    return ", ".join(str(it) for it in trials)


def _grader(outcome: GraderOutcome) -> str:
    return f"{one_line(outcome.name or outcome.type)} {outcome.score:.2f}: {_short(outcome.feedback)}"


def _consumption(record: RunRecord) -> Iterator[str]:
    for name, it in (("", record), ("baseline: ", record.baseline)):
        if it is not None and (used := consumption_text(it.consumption)):
            yield f"{name}{used}"


def _totals(record: RunRecord) -> Iterator[str]:
    totals = record.totals
    if record.error:
        yield one_line(record.error if record.infrastructure else f"{record.status}: {record.error}")
    passed, left = tasks_passed(record)
    if record.tasks:
        skipped = f", {totals.skipped} skipped" if totals.skipped else ""
        skipped += f", {left}" if left else ""
        weighted = f" (weighted {totals.weighted_score:.2f}{_interval(totals.interval)})"
        yield (
            f"{passed} tasks passed{skipped}, "
            f"score {totals.aggregate_score:.2f}{weighted}, {record.duration_ms / 1000:.1f} s"
        )
    elif left:
        yield left
    if verdict := threshold_verdict(record):
        yield threshold_line(verdict)
    if record.trigger_metrics:
        count = sum(not it.infrastructure for it in record.triggers)
        yield f"trigger accuracy {record.trigger_metrics.accuracy:.2f} over {count} prompts"
    for metric in record.metrics:
        yield one_line(metric_line(metric))
    for measure in record.measures:
        reached = "reaches" if measure.passed else "is below"
        yield f"metric {one_line(measure.name)} {measure.value:.2f} {reached} {measure.threshold:.2f}, for information only"
    if len(record.measures) > 1:
        yield f"composite score {composite_score(record.measures):.2f}, for information only"
    yield from _baseline(record)
    yield from _consumption(record)
    for task in record.tasks:
        yield from (f"workspace kept: {one_line(it.workspace)}" for it in task.trials if it.workspace)


def _baseline(record: RunRecord) -> Iterator[str]:
    if record.baseline is None:
        return
    yield baseline_line(record)
    before = {it.task: it for it in record.baseline.tasks}
    for task in record.tasks:
        if (impact := skill_impact(task, before.get(task.task))) and impact["delta"]:
            yield f"  {one_line(task.task)}: pass rate {impact['pass_rate_baseline']:.2f} -> {impact['pass_rate_with_skills']:.2f}"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST_FEEDBACK else line[: _LONGEST_FEEDBACK - 1] + "\u2026"
