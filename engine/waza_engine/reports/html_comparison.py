"""Several runs side by side as one HTML file: what became better, what worse, and how the outputs differ."""

from collections.abc import Iterator, Sequence
from html import escape

from waza_engine.reports.comparison import comparison_data
from waza_engine.reports.html_charts import dumbbell
from waza_engine.reports.html_diff import text_diff
from waza_engine.reports.html_parts import cards, number, page, seconds, status
from waza_engine.runs.records import RunRecord, TaskRecord, TrialRecord
from waza_engine.scoring import mean

_MOST_TASKS = 300


def html_comparison(names: Sequence[str], records: Sequence[RunRecord]) -> Iterator[str]:
    """The text of the HTML file, piece by piece. Differences are the last one's to the first."""
    return page("Comparison", _body(names, records))


def _body(names: Sequence[str], records: Sequence[RunRecord]) -> Iterator[str]:
    data = comparison_data(names, records)
    rows = sorted(data["task_deltas"], key=lambda it: it["score_delta"])
    worse = sum(it["score_delta"] < 0 for it in rows)
    better = sum(it["score_delta"] > 0 for it in rows)
    yield f"<header><h1>{escape(records[0].suite_name or 'Runs')}: {len(records)} runs compared</h1></header>"
    items = [
        ("score", f"{number(data['aggregate_scores'][0])} \u2192 {number(data['aggregate_scores'][-1])}"),
        ("tasks passed", f"{data['success_rates'][0]:.0%} \u2192 {data['success_rates'][-1]:.0%}"),
        ("became better", str(better)),
        ("became worse", str(worse)),
        ("duration", f"{seconds(data['durations_ms'][0])} \u2192 {seconds(data['durations_ms'][-1])}"),
    ]
    yield f'<section class="hero"><div class="cards">{cards(items)}</div></section>'
    yield from _runs(names, records)
    yield '<h2>Tasks</h2><p class="quiet">The open circle is the first run, the full one the last.</p><div class="strips">'
    yield '<span></span><span class="axis"><span>0</span><span>0.5</span><span>1</span></span><span></span>'
    for it in rows[:_MOST_TASKS]:
        delta = it["score_delta"]
        kind = "passed" if delta > 0 else "failed" if delta < 0 else "quiet"
        words = " \u2192 ".join(
            status(word) for word in dict.fromkeys([it["statuses"][0], it["statuses"][-1]])
        )
        picture = dumbbell(it["scores"][0], it["scores"][-1])
        name = escape(it["display_name"] or it["task_id"])
        yield f'<span class="name">{name}</span>{picture}<span class="number {kind}">{delta:+.2f} {words}</span>'
    yield "</div>"
    yield from _details(rows, records)


def _runs(names: Sequence[str], records: Sequence[RunRecord]) -> Iterator[str]:
    yield '<table><tr><th>run<th>status<th>model<th class="n">score<th class="n">passed<th class="n">duration</tr>'
    for name, it in zip(names, records, strict=True):
        yield (
            f"<tr><td>{escape(name)} <small>{escape(it.run_id)}</small><td>{status(it.status)}"
            f'<td>{escape(it.model)}<td class="n">{number(it.totals.aggregate_score)}'
            f'<td class="n">{it.totals.success_rate:.0%}<td class="n">{seconds(it.duration_ms)}</tr>'
        )
    yield "</table>"


def _details(rows: Sequence[dict[str, object]], records: Sequence[RunRecord]) -> Iterator[str]:
    yield "<h2>What is different</h2>"
    first, last = ({it.task: it for it in record.tasks} for record in (records[0], records[-1]))
    shown = 0
    for row in rows[:_MOST_TASKS]:
        before, after = first.get(str(row["task_id"])), last.get(str(row["task_id"]))
        if before is None or after is None:
            continue
        inner = "".join(_task(before, after))
        if inner:
            shown += 1
            name = escape(after.name or after.task)
            is_open = " open" if after.status != before.status else ""
            words = " \u2192 ".join(map(status, dict.fromkeys([before.status, after.status])))
            yield f'<details class="task"{is_open}><summary><b>{name}</b>{words}</summary><div class="inner">{inner}</div></details>'
    if not shown:
        yield '<p class="quiet">Nothing: verdicts and outputs are the same.</p>'


def _task(before: TaskRecord, after: TaskRecord) -> Iterator[str]:
    was, now = _graders(before), _graders(after)
    changed = [it for it in {**was, **now} if was.get(it) != now.get(it)]
    if changed:
        yield '<table><tr><th>grader<th class="n">first run<th class="n">last run</tr>'
        for it in changed:
            yield f'<tr><td>{escape(it)}<td class="n">{_score(was.get(it))}<td class="n">{_score(now.get(it))}</tr>'
        yield "</table>"
    outputs = [_first(it) for it in (before, after)]
    if outputs[0] is not None and outputs[1] is not None:
        texts = [it.trajectory.output for it in outputs if it]
        yield text_diff(texts[0], texts[1], ("output of the first run", "output of the last run"))


def _graders(task: TaskRecord) -> dict[str, float]:
    """The mean score of each grader over the trials."""
    found: dict[str, list[float]] = {}
    for trial in task.trials:
        for it in trial.graders:
            found.setdefault(it.name, []).append(it.score)
    return {name: mean(scores) for name, scores in found.items()}


def _first(task: TaskRecord) -> TrialRecord | None:
    return next(iter(task.trials), None)


def _score(value: float | None) -> str:
    return "\u2013" if value is None else number(value)
