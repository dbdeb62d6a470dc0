"""Why a run did not pass, where its tasks do not say it: it was cancelled or broke down, or what else it is held to."""

from collections.abc import Iterator
from dataclasses import dataclass

from waza_engine.model.records import MetricResult, RunRecord
from waza_engine.model.scores import skills_helped
from waza_engine.model.threshold import EvalVerdict, eval_verdict


@dataclass(frozen=True, slots=True)
class Reason:
    """What the run is held to, in one or two words, and what came of that. With `is_error` the run is no verdict."""

    about: str
    told: str
    is_error: bool = False


def reasons(record: RunRecord) -> Iterator[Reason]:
    """Each in the order in which reports tell them."""
    if record.status in {"error", "cancelled"}:
        yield Reason("run", f"{record.status}: {record.error}", is_error=True)
    if (verdict := threshold_verdict(record)) is not None and verdict.stimuli_run and not verdict.passed:
        yield Reason("threshold", threshold_line(verdict))
    for it in record.metrics:
        if not it.passed:
            yield Reason(f"metric {it.name}", metric_line(it))
    if record.baseline is not None and not skills_helped(record.totals, record.baseline.totals):
        yield Reason("baseline", baseline_line(record))


def why_unperformed(record: RunRecord) -> str:
    """Why the run never came to some of its tasks."""
    if record.status in {"error", "cancelled"}:
        return f"not performed: {record.error}"
    # Nothing else keeps a run that comes to its end from a task.
    return "not performed: fail_fast, and an earlier task did not pass"


def threshold_verdict(record: RunRecord) -> EvalVerdict | None:
    """What the eval's own threshold makes of the run; None without one, or where nothing ran."""
    if record.scoring is None or record.scoring.threshold is None or not record.tasks:
        return None
    return eval_verdict(record.scoring, record.tasks)


def threshold_line(verdict: EvalVerdict) -> str:
    """A sentence about the threshold of an eval."""
    reached = "reaches" if verdict.passed else "is below"
    return f"the eval's score {verdict.overall_score:.2f} {reached} its threshold {verdict.threshold:.2f}"


def metric_line(it: MetricResult) -> str:
    """A sentence about a metric that decides the run's verdict."""
    verdict = "reaches" if it.passed else "is below"
    return f"metric {it.name} {it.value:.2f} {verdict} its threshold {it.threshold:.2f}"


def baseline_line(record: RunRecord) -> str:
    """A sentence about a run and its pass without skills, "" when it has none."""
    if record.baseline is None:
        return ""
    helped = skills_helped(record.totals, record.baseline.totals)
    verdict = "the skills helped" if helped else "the skills did not help: this run failed"
    rate, without = record.totals.success_rate, record.baseline.totals.success_rate
    return f"with skills {rate:.0%} of the tasks passed, without {without:.0%}: {verdict}"
