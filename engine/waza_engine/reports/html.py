"""A run as one HTML file that needs nothing else: no script, no font, no network.

Everything that comes from files, agents or graders goes through `escape`; the page's policy forbids scripts and
connections besides, so that even a hole in that could do nothing.
"""

from collections.abc import Iterator
from html import escape

from waza_engine.reports.history import Runs
from waza_engine.reports.html_history import history_section
from waza_engine.reports.html_overview import Scores, overview
from waza_engine.reports.html_parts import bar, number, page, status
from waza_engine.reports.html_trial import trial_html
from waza_engine.runs.records import RunRecord, TaskRecord, TrialRecord
from waza_engine.version import __version__

_MOST_OPEN = 5
_MOST_TRIALS = 500
"""In a larger run only trials that did not pass are shown in full."""


def html_report(record: RunRecord, history: Runs = ()) -> str:
    """The text of the HTML file. `history` are the verdicts of earlier runs and this one."""
    return "".join(html_chunks(record, history))


def html_chunks(record: RunRecord, history: Runs = ()) -> Iterator[str]:
    """The text piece by piece: never more than one trial is in memory."""
    return page(record.suite_name or "Run", _body(record, history))


def _body(record: RunRecord, history: Runs) -> Iterator[str]:
    scores = Scores.of(record)
    yield from overview(record, scores)
    yield from history_section(history)
    yield from _triggers(record)
    yield "<h2>Tasks</h2>"
    is_large = sum(len(it) for it in scores.trials.values()) > _MOST_TRIALS
    if is_large:
        yield f'<p class="quiet">With more than {_MOST_TRIALS} trials only those that did not pass are shown in full.</p>'
    # What needs a look comes first; the rest stays in the order of the run.
    ordered = sorted(enumerate(record.tasks), key=lambda it: it[1].status == "passed")
    for place, (index, task) in enumerate(ordered):
        yield from _task(
            index, task, only_bad=is_large, is_open=place < _MOST_OPEN and task.status == "failed"
        )
    yield f"<footer>waza-lsp {__version__}</footer>"


def _task(index: int, task: TaskRecord, *, only_bad: bool, is_open: bool) -> Iterator[str]:
    opened = " open" if is_open else ""
    name = escape(task.name or task.task)
    yield f'<details class="task" id="task-{index}"{opened}><summary>{status(task.status)} <b>{name}</b>{_facts(task)}</summary>'
    yield '<div class="inner">'
    if task.error:
        yield f'<p class="error">{escape(task.error)}</p>'
    shown = 0
    for trial in task.trials:
        needs_a_look = _needs_a_look(trial)
        if not only_bad or needs_a_look:
            yield from trial_html(trial, alone=len(task.trials) == 1, is_open=needs_a_look and not shown)
            shown += needs_a_look
    yield "</div></details>"


def _needs_a_look(trial: TrialRecord) -> bool:
    return trial.status not in {"passed", "skipped"}


def _facts(task: TaskRecord) -> str:
    stats = task.stats
    if stats is None:
        return '<span class="quiet">not run</span>'
    parts = [bar(stats.avg_score, stats.interval)]
    if stats.total_runs > 1:
        parts.append(f'<span class="quiet">{stats.passed_runs} of {stats.total_runs} trials</span>')
    if stats.flaky:
        parts.append('<span class="flaky">flaky</span>')
    return " ".join(parts)


def _triggers(record: RunRecord) -> Iterator[str]:
    if record.trigger_metrics is None:
        return
    measured = record.trigger_metrics
    yield (
        f"<h2>Trigger tests</h2><p>accuracy {bar(measured.accuracy)} precision {number(measured.precision)}, "
        f"recall {number(measured.recall)}, F1 {number(measured.f1)}</p>"
        "<table><tr><th>prompt<th>should trigger<th>did<th></tr>"
    )
    for it in record.triggers:
        right = not it.error and it.should_trigger == it.did_trigger
        yield (
            f"<tr><td>{escape(it.prompt)}<td>{'yes' if it.should_trigger else 'no'}"
            f"<td>{'yes' if it.did_trigger else 'no'} {status('passed' if right else 'failed')}<td>{escape(it.error)}</tr>"
        )
    yield "</table>"
