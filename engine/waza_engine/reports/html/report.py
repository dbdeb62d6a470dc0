"""Write a run as one HTML file that needs nothing else: no script, no font, no network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waza_engine.model.records import RunRecord, TaskRecord, TrialRecord
from waza_engine.reports.history import Runs
from waza_engine.reports.html.diff import Patch, read_patch
from waza_engine.reports.html.history import history_rows
from waza_engine.reports.html.overview import Scores, overview
from waza_engine.reports.html.rendering import render
from waza_engine.reports.html.timeline import Timeline, timeline
from waza_engine.version import __version__

_MOST_OPEN = 5
_MOST_TRIALS = 500
"""A larger run shows only the trials that did not pass."""
_SHORT_TEXT = 1500


def html_report(record: RunRecord, history: Runs = ()) -> str:
    """Return the text of the HTML file. `history` has the verdicts of earlier runs and of this one."""
    return "".join(html_chunks(record, history))


def html_chunks(record: RunRecord, history: Runs = ()) -> Iterator[str]:
    """Yield the text piece by piece: never more than one trial is in memory."""
    scores = Scores.of(record)
    is_large = sum(map(len, scores.trials.values())) > _MOST_TRIALS
    yield from render(
        "report.html.j2",
        title=record.suite_name or "Run",
        record=record,
        overview=overview(record, scores),
        history=history_rows(history),
        history_length=len(history),
        most_trials=_MOST_TRIALS if is_large else None,
        tasks=_tasks(record.tasks, only_bad=is_large),
        version=__version__,
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """A trial to show. `is_alone` says that it is the only one of its task."""

    record: TrialRecord
    is_alone: bool
    is_open: bool
    is_short: bool
    timeline: Timeline | None
    patch: Patch | None


@dataclass(frozen=True, slots=True)
class _Task:
    """A task to show. `index` is its place in the run, to which the overview links."""

    record: TaskRecord
    index: int
    is_open: bool
    trials: Iterator[_Trial]


def _tasks(tasks: Sequence[TaskRecord], *, only_bad: bool) -> Iterator[_Task]:
    # What needs a look comes first; the rest keeps the order of the run.
    ordered = sorted(enumerate(tasks), key=lambda it: it[1].status == "passed")
    for place, (index, task) in enumerate(ordered):
        is_open = place < _MOST_OPEN and task.status == "failed"
        yield _Task(task, index, is_open, _trials(task, only_bad=only_bad))


def _trials(task: TaskRecord, *, only_bad: bool) -> Iterator[_Trial]:
    """The trials, read one by one; the first that needs a look is unfolded."""
    is_alone = len(task.trials) == 1
    any_open = False
    for record in task.trials:
        needs_a_look = record.status not in {"passed", "skipped"}
        if needs_a_look or not only_bad:
            yield _trial(record, is_alone=is_alone, is_open=needs_a_look and not any_open)
            any_open = any_open or needs_a_look


def _trial(record: TrialRecord, *, is_alone: bool, is_open: bool) -> _Trial:
    trajectory = record.trajectory
    return _Trial(
        record=record,
        is_alone=is_alone,
        is_open=is_open,
        is_short=len(trajectory.prompt) + len(trajectory.output) < _SHORT_TEXT,
        timeline=timeline(trajectory),
        patch=read_patch(trajectory.patch) if trajectory.patch else None,
    )
