"""The upper half of the HTML report: what came out, and where to look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape

from waza_engine.reports.html_charts import cell, histogram, ring, strip
from waza_engine.reports.html_parts import bar, cards, number, seconds, status
from waza_engine.reports.results_task import skill_impact
from waza_engine.runs.measures import composite_score
from waza_engine.runs.records import RunRecord, TaskRecord
from waza_engine.scoring import mean

_MOST_ROWS = 300
_MOST_COLUMNS = 25


@dataclass(slots=True)
class Scores:
    """What the pictures need of all trials, gathered in one go: trials are read from the store one by one."""

    trials: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    graders: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    failed: dict[tuple[str, str], int] = field(default_factory=dict)
    cells: dict[tuple[int, str], list[float]] = field(default_factory=dict)
    tokens: int = 0

    @classmethod
    def of(cls, record: RunRecord) -> "Scores":
        """The scores of a run."""
        found = cls()
        for index, task in enumerate(record.tasks):
            for trial in task.trials:
                found.trials.setdefault(index, []).append((trial.weighted_score, trial.status))
                session = trial.trajectory.session
                found.tokens += session.usage.tokens if session and session.usage else 0
                for it in trial.graders:
                    key = (it.name, it.type)
                    found.graders.setdefault(key, []).append(it.score)
                    found.failed[key] = found.failed.get(key, 0) + (not it.passed)
                    found.cells.setdefault((index, it.name), []).append(it.score)
        return found


def overview(record: RunRecord, scores: Scores) -> Iterator[str]:
    """Everything above the tasks."""
    yield from _head(record, scores)
    yield from _metrics(record)
    yield from _baseline(record)
    yield from _strips(record.tasks, scores)
    yield from _graders(scores)
    yield from _matrix(record.tasks, scores)


def _head(record: RunRecord, scores: Scores) -> Iterator[str]:
    totals = record.totals
    started = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = [record.skill, record.executor, record.model, started, f"run {record.run_id}"]
    about = " \u00b7 ".join(it for it in facts if it)
    yield f"<header><h1>{escape(record.suite_name or 'Run')} {status(record.status)}</h1>"
    yield f'<p class="quiet">{escape(about)}</p></header>'
    if record.error:
        yield f'<p class="error">{escape(record.error)}</p>'
    trials = sum(len(it) for it in scores.trials.values())
    flaky = sum(1 for it in record.tasks if it.stats and it.stats.flaky)
    items = [
        ("score", number(totals.aggregate_score)),
        ("weighted score", number(totals.weighted_score)),
        *(
            [("95 % interval", f"{number(totals.interval.lower)} \u2013 {number(totals.interval.upper)}")]
            if totals.interval
            else []
        ),
        ("trials", f"{trials:,}"),
        ("duration", seconds(record.duration_ms)),
        *([("flaky tasks", str(flaky))] if flaky else []),
        *([("tokens", f"{scores.tokens:,}")] if scores.tokens else []),
    ]
    counts = {
        name: sum(it.status == name for it in record.tasks)
        for name in ("passed", "failed", "error", "skipped")
    }
    yield f'<section class="hero">{ring(counts, "tasks passed")}<div class="cards">{cards(items)}</div></section>'


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


def _strips(tasks: Sequence[TaskRecord], scores: Scores) -> Iterator[str]:
    if not any(scores.trials.values()):
        return
    yield '<h2>Scores</h2><p class="quiet">Weighted: a dot is a trial, the stroke the mean, the field behind it the 95 % interval.</p>'
    yield '<div class="strips"><span></span><span class="axis"><span>0</span><span>0.5</span><span>1</span></span><span></span>'
    for index, task in list(enumerate(tasks))[:_MOST_ROWS]:
        stats = task.stats
        name = f'<a class="name" href="#task-{index}">{escape(task.name or task.task)}</a>'
        picture = (
            strip(scores.trials.get(index, []), stats.avg_weighted_score, stats.interval)
            if stats
            else "<span></span>"
        )
        told = (
            f"{stats.avg_weighted_score:.2f} \u00b7 {stats.passed_runs}/{stats.total_runs}"
            if stats
            else "not run"
        )
        flaky = ' <span class="flaky">flaky</span>' if stats and stats.flaky else ""
        yield f'{name}{picture}<span class="number">{told}{flaky}</span>'
    yield "</div>"
    if len(tasks) > _MOST_ROWS:
        yield f'<p class="quiet">and {len(tasks) - _MOST_ROWS} more tasks</p>'


def _graders(scores: Scores) -> Iterator[str]:
    """Each grader over all trials: shows which one it is that fails."""
    if not scores.graders:
        return
    yield '<h2>Graders</h2><table><tr><th>grader<th>type<th>scores<th>mean<th class="n">passed</tr>'
    for key, found in sorted(scores.graders.items(), key=lambda it: -scores.failed[it[0]]):
        passed = len(found) - scores.failed[key]
        kind = "n" if passed == len(found) else "n failed"
        yield (
            f"<tr><td>{escape(key[0])}<td>{escape(key[1])}<td>{histogram(found)}<td>{bar(mean(found))}"
            f'<td class="{kind}">{passed} of {len(found)}</tr>'
        )
    yield "</table>"


def _matrix(tasks: Sequence[TaskRecord], scores: Scores) -> Iterator[str]:
    """Tasks against graders: a column that is red is a grader's problem, a row a task's."""
    names = list(dict.fromkeys(name for _, name in scores.cells))
    rows = [index for index in range(len(tasks)) if any((index, it) in scores.cells for it in names)]
    if not (1 < len(names) <= _MOST_COLUMNS and 1 < len(rows) <= _MOST_ROWS):
        return
    heads = "".join(f'<th class="top"><div title="{escape(it)}">{escape(it)}</div>' for it in names)
    yield f'<h2>Tasks and graders</h2><div class="scroll"><table class="matrix"><tr><th>{heads}</tr>'
    for index in rows:
        name = escape(tasks[index].name or tasks[index].task)
        fields = []
        for it in names:
            found = scores.cells.get((index, it))
            fields.append(f"<td>{cell(mean(found) if found else None, it)}")
        yield f'<tr><th class="side">{name}{"".join(fields)}</tr>'
    yield "</table></div>"
