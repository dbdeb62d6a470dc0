"""A run as one HTML file that needs nothing else: no script, no font, no network."""

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape

from waza_engine.runs.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord

_STYLE = """
:root { color-scheme: light dark; --pass: #1a7f37; --fail: #cf222e; --quiet: #6e7781; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; } .quiet { color: var(--quiet); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary b { margin-right: .6rem; } table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .2rem .6rem .2rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
.passed { color: var(--pass); } .failed, .error, .cancelled { color: var(--fail); } .skipped { color: var(--quiet); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; border-radius: 6px; }
.bar { display: inline-block; width: 6rem; height: .6rem; background: #8883; border-radius: 3px; vertical-align: middle; }
.bar i { display: block; height: 100%; background: var(--pass); border-radius: 3px; }
"""


def html_report(record: RunRecord) -> str:
    """The text of the HTML file."""
    title = escape(record.suite_name or "Run")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = "\n".join(_body(record))
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n'


def _body(record: RunRecord) -> Iterator[str]:
    totals = record.totals
    started = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    facts = [
        record.executor,
        record.model,
        f"run {record.run_id}",
        started,
        f"{record.duration_ms / 1000:.1f} s",
    ]
    yield f"<h1>{escape(record.suite_name)} {_status(record.status)}</h1>"
    about = " \u00b7 ".join(it for it in facts if it)
    yield f'<p class="quiet">{escape(about)}</p>'
    yield (
        f"<p>{totals.succeeded} of {totals.total} tasks passed. Score {_bar(totals.aggregate_score)}, "
        f"weighted {totals.weighted_score:.2f}.</p>"
    )
    if record.error:
        yield f'<p class="error">{escape(record.error)}</p>'
    for task in record.tasks:
        yield from _task(task)
    yield from _triggers(record)


def _task(task: TaskRecord) -> Iterator[str]:
    is_open = " open" if task.status == "failed" else ""
    score = _bar(task.stats.avg_score) if task.stats else "not run"
    flaky = " flaky" if task.stats and task.stats.flaky else ""
    yield f"<details{is_open}><summary>{_status(task.status)} <b>{escape(task.name or task.task)}</b>{score}{flaky}</summary>"
    if task.error:
        yield f'<p class="error">{escape(task.error)}</p>'
    for trial in task.trials:
        yield from _trial(trial, alone=len(task.trials) == 1)
    yield "</details>"


def _trial(trial: TrialRecord, *, alone: bool) -> Iterator[str]:
    if not alone:
        yield f"<p><b>Trial {trial.trial}</b> {_status(trial.status)} {_bar(trial.score)}</p>"
    if trial.error:
        yield f'<p class="error">{escape(trial.error)}</p>'
    if trial.graders:
        rows = "".join(_grader(it) for it in trial.graders)
        yield f"<table><tr><th>grader<th>type<th>verdict<th>score<th>weight<th>feedback</tr>{rows}</table>"
    yield f"<details><summary>prompt and output</summary><pre>{escape(trial.trajectory.prompt)}</pre>"
    yield f"<pre>{escape(trial.trajectory.output)}</pre></details>"


def _grader(it: GraderOutcome) -> str:
    cells = [
        escape(it.name),
        escape(it.type),
        _status(it.status),
        f"{it.score:.2f}",
        f"{it.weight:g}",
        escape(it.feedback),
    ]
    return f"<tr>{''.join(f'<td>{cell}' for cell in cells)}</tr>"


def _triggers(record: RunRecord) -> Iterator[str]:
    if record.trigger_metrics is None:
        return
    rows = "".join(
        f"<tr><td>{escape(it.prompt)}<td>{'yes' if it.should_trigger else 'no'}<td>{'yes' if it.did_trigger else 'no'}"
        f"<td>{escape(it.error)}</tr>"
        for it in record.triggers
    )
    yield f"<h2>Trigger tests</h2><p>Accuracy {_bar(record.trigger_metrics.accuracy)}</p>"
    yield f"<table><tr><th>prompt<th>should trigger<th>did<th></tr>{rows}</table>"


def _status(status: str) -> str:
    return f'<span class="{status}">{status}</span>'


def _bar(share: float) -> str:
    percent = max(0.0, min(1.0, share)) * 100
    return f'<span class="bar"><i style="width:{percent:.0f}%"></i></span> {share:.2f}'
