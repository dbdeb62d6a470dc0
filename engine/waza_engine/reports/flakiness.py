"""Show which tasks and graders are flaky, as text and as data for JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from waza_engine.lib.plurals import counted
from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.reports.inert import inert, one_line
from waza_engine.reports.reasons import ENOUGH_RUNS
from waza_engine.runs.past.flakiness import GraderFlakiness, TaskFlakiness
from waza_engine.statistics.flips import FlipRate

_CAUSES = {
    "": "",
    "agent": "the agent varies",
    "grader": "a grader varies on the same work",
    "agent and grader": "the agent varies, and a grader on the same work",
    "agent or grader": "the agent or a grader varies. To tell them apart: waza-lsp run EVAL --replay-from last",
}
_LEGEND = "flips: how likely two verdicts under the same conditions differ; in parentheses, the 95 % interval"


def flakiness_lines(tasks: Sequence[TaskFlakiness]) -> Iterator[str]:
    """Yield the lines about the flaky tasks, the worst first, then a count of the others and a legend."""
    flaky = sorted((it for it in tasks if it.is_flaky), key=lambda it: -(it.flips.rate or 0.0))
    for task in flaky:
        yield f"{inert(one_line(task.task))}  {task_text(task)}"
        varying = (it for it in task.graders if it.is_flaky or it.over_trials.mixed)
        yield from (f"    {inert(one_line(grader_text(it)))}" for it in varying)
    for task in tasks:
        if task.quarantine and task.streak >= ENOUGH_RUNS:
            name, reason = (inert(one_line(it)) for it in (task.task, task.quarantine))
            yield f"{name}  is in quarantine ({reason}), but passed in its last {task.streak} runs: remove the comment"
    steady = len(tasks) - len(flaky)
    if steady:
        yield f"{counted(steady, 'task')} did not vary"
    if flaky:
        yield _LEGEND


def task_text(task: TaskFlakiness) -> str:
    """Return in one line how the verdicts on a task vary."""
    passed = f"passed {task.passed} of {counted(task.trials, 'trial')} ({_range(task.interval)})"
    parts = [f"{passed} in {counted(task.runs, 'run')}", f"flips {_flips(task.flips)}", _CAUSES[task.cause]]
    return " · ".join(it for it in parts if it)


def grader_text(grader: GraderFlakiness) -> str:
    """Return in one line how a grader varies: on the same work, else over the trials."""
    name, same = f"{grader.name} ({grader.type})" if grader.type else grader.name, grader.on_same_work
    if not grader.is_flaky:
        return f"{name} flips {_flips(grader.over_trials)} over the trials"
    recordings = f"{same.mixed} of {counted(same.things, 'recording')} got both verdicts"
    return f"{name} flips {_flips(same)} on the same work: {recordings}"


def short_text(task: TaskFlakiness) -> str:
    """Return in a few words how the verdicts on a task vary, for a lens; "" if they do not."""
    flaky = [it.name for it in task.graders if it.is_flaky]
    if flaky:
        return f"flaky grader: {', '.join(flaky)}"
    return f"flaky: flips {_rate(task.flips):.0%}" if task.cause else ""


def flakiness_data(tasks: Sequence[TaskFlakiness]) -> list[dict[str, Any]]:
    """Return all tasks as plain data."""
    return [
        {
            "task": it.task,
            "flaky": it.is_flaky,
            "cause": it.cause,
            "trials": it.trials,
            "passed": it.passed,
            "runs": it.runs,
            "pass_rate_interval": _pair(it.interval),
            "flip_rate": it.flips.rate,
            "flip_rate_interval": _pair(it.flips.interval),
            "passed_runs_in_a_row": it.streak,
            "quarantine": it.quarantine,
            "graders": [_grader_data(one) for one in it.graders],
        }
        for it in tasks
    ]


def _grader_data(it: GraderFlakiness) -> dict[str, Any]:
    same = it.on_same_work
    return {
        "name": it.name,
        "type": it.type,
        "flaky": it.is_flaky,
        "deterministic": it.deterministic,
        "flip_rate": it.over_trials.rate,
        "flip_rate_interval": _pair(it.over_trials.interval),
        "same_work": {
            "recordings": same.things,
            "mixed": same.mixed,
            "flip_rate": same.rate,
            "flip_rate_interval": _pair(same.interval),
        },
    }


def _pair(interval: ConfidenceInterval) -> list[float]:
    return [interval.lower, interval.upper]


def _flips(flips: FlipRate) -> str:
    return f"{_rate(flips):.0%} ({_range(flips.interval)})" if flips.rate is not None else "unknown"


def _rate(flips: FlipRate) -> float:
    # The estimate from a few verdicts may lie above every possible rate.
    return min(max(flips.rate or 0.0, flips.interval.lower), flips.interval.upper)


def _range(interval: ConfidenceInterval) -> str:
    return f"{interval.lower:.0%} to {interval.upper:.0%}"
