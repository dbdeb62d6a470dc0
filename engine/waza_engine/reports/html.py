"""A run as one HTML file that needs nothing else: no script, no font, no network.

Everything that comes from files, agents or graders goes through `escape`; the page's policy forbids scripts and
connections besides, so that even a hole in that could do nothing.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape

from waza_engine.reports.html_parts import bar, number, status
from waza_engine.reports.html_style import STYLE
from waza_engine.reports.html_trial import trial_html
from waza_engine.reports.results_task import skill_impact
from waza_engine.runs.measures import composite_score
from waza_engine.runs.records import RunRecord, TaskRecord

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_report(record: RunRecord) -> str:
    """The text of the HTML file."""
    return "".join(html_chunks(record))


def html_chunks(record: RunRecord) -> Iterator[str]:
    """The text piece by piece."""
    title = escape(record.suite_name or "Run")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{title}</title>'
    )
    yield f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
    for it in _body(record):
        yield f"{it}\n"
    yield "</body></html>\n"


def _body(record: RunRecord) -> Iterator[str]:
    yield from _summary(record)
    yield from _graders(record)
    yield "<h2>Tasks</h2>"
    # What needs a look comes first; the rest stays in the order of the run.
    for task in sorted(record.tasks, key=lambda it: it.status == "passed"):
        yield from _task(task)
    yield from _triggers(record)


def _summary(record: RunRecord) -> Iterator[str]:
    totals = record.totals
    started = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    facts = [
        record.skill,
        record.executor,
        record.model,
        f"run {record.run_id}",
        started,
        f"{record.duration_ms / 1000:.1f} s",
    ]
    yield f"<header><h1>{escape(record.suite_name)} {status(record.status)}</h1>"
    about = " \u00b7 ".join(it for it in facts if it)
    yield f'<p class="quiet">{escape(about)}</p></header>'
    if record.error:
        yield f'<p class="error">{escape(record.error)}</p>'
    flaky = sum(1 for it in record.tasks if it.stats and it.stats.flaky)
    cards = [
        ("tasks passed", f"{totals.succeeded} of {totals.total}"),
        ("score", number(totals.aggregate_score)),
        ("weighted", number(totals.weighted_score)),
        *([("flaky tasks", str(flaky))] if flaky else []),
        *([("skipped", str(totals.skipped))] if totals.skipped else []),
        *([("tokens", f"{_tokens(record):,}")] if _tokens(record) else []),
    ]
    inner = "".join(f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for name, value in cards)
    yield f'<section class="cards">{inner}</section>'
    if totals.interval:
        yield (
            f'<p class="quiet">95 % interval of the weighted score over the tasks: '
            f"{number(totals.interval.lower)} to {number(totals.interval.upper)}</p>"
        )
    yield from _metrics(record)
    yield from _baseline(record)


def _metrics(record: RunRecord) -> Iterator[str]:
    for it in record.metrics:
        verdict = "reaches" if it.passed else "is below"
        yield f"<p>{escape(it.name)} {bar(it.value)} {verdict} its threshold {number(it.threshold)}</p>"
    for it in record.measures:
        told = f"threshold {number(it.threshold)}, for information only"
        yield f'<p>{escape(it.name)} {bar(it.value)} <span class="quiet">{told}</span></p>'
    if len(record.measures) > 1:
        yield f"<p>composite score {bar(composite_score(record.measures))}</p>"


def _baseline(record: RunRecord) -> Iterator[str]:
    if record.baseline is None:
        return
    before = {it.task: it for it in record.baseline.tasks}
    yield "<h2>With and without skills</h2><table><tr><th>task<th>without<th>with<th>change</tr>"
    for task in record.tasks:
        if impact := skill_impact(task, before.get(task.task)):
            delta = impact["delta"]
            kind = "passed" if delta > 0 else "failed" if delta < 0 else "quiet"
            yield (
                f"<tr><td>{escape(task.name or task.task)}<td>{bar(impact['pass_rate_baseline'])}"
                f'<td>{bar(impact["pass_rate_with_skills"])}<td class="{kind}">{delta:+.2f}</tr>'
            )
    rates = record.totals.success_rate, record.baseline.totals.success_rate
    yield f"<tr><th>all<th>{bar(rates[1])}<th>{bar(rates[0])}<th>{rates[0] - rates[1]:+.2f}</tr></table>"


def _graders(record: RunRecord) -> Iterator[str]:
    """Each grader over all trials: shows which one it is that fails."""
    found: dict[tuple[str, str], list[float]] = {}
    failed: dict[tuple[str, str], int] = {}
    for task in record.tasks:
        for trial in task.trials:
            for it in trial.graders:
                found.setdefault((it.name, it.type), []).append(it.score)
                failed[it.name, it.type] = failed.get((it.name, it.type), 0) + (not it.passed)
    if not found:
        return
    yield "<h2>Graders</h2><table><tr><th>grader<th>type<th>mean score<th>passed</tr>"
    for (name, kind), scores in sorted(found.items(), key=lambda it: -failed[it[0]]):
        passed = len(scores) - failed[name, kind]
        yield (
            f"<tr><td>{escape(name)}<td>{escape(kind)}<td>{bar(sum(scores) / len(scores))}"
            f"<td>{passed} of {len(scores)}</tr>"
        )
    yield "</table>"


def _task(task: TaskRecord) -> Iterator[str]:
    is_open = " open" if task.status == "failed" else ""
    name = escape(task.name or task.task)
    yield f'<details class="task"{is_open}><summary>{status(task.status)} <b>{name}</b>{_task_facts(task)}</summary>'
    if task.error:
        yield f'<p class="error">{escape(task.error)}</p>'
    for trial in task.trials:
        yield from trial_html(trial, alone=len(task.trials) == 1)
    yield "</details>"


def _task_facts(task: TaskRecord) -> str:
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
            f'<tr class="{"passed" if right else "failed"}"><td>{escape(it.prompt)}'
            f"<td>{'yes' if it.should_trigger else 'no'}<td>{'yes' if it.did_trigger else 'no'}"
            f"<td>{escape(it.error)}</tr>"
        )
    yield "</table>"


def _tokens(record: RunRecord) -> int:
    sessions = (trial.trajectory.session for task in record.tasks for trial in task.trials)
    return sum(it.usage.tokens for it in sessions if it and it.usage)
