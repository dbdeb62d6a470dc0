"""Prepare the charts of the HTML report: scores, graders, and tasks against graders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from waza_engine.model.results.consumption import consumption_text
from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.scores import mean
from waza_engine.reports.comparison import baseline_evidence
from waza_engine.reports.html.rendering import clamped, date
from waza_engine.reports.results.task import skill_impact
from waza_engine.runs.totals import composite_score

_MOST_ROWS = 60
"""Of more tasks, the charts show the worst."""
_MOST_COLUMNS = 25
_BINS = 10


@dataclass(slots=True)
class Scores:
    """What the charts need of all trials, read in one pass: trials come from the store one by one."""

    trials: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    graders: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    failed: dict[tuple[str, str], int] = field(default_factory=dict)
    cells: dict[tuple[int, str], list[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, record: RunRecord) -> "Scores":
        """Return the scores of a run."""
        found = cls()
        for index, task in enumerate(record.tasks):
            for trial in task.trials:
                found.trials.setdefault(index, []).append((trial.weighted_score, trial.status))
                for grader in trial.graders:
                    key = (grader.name, grader.type)
                    found.graders.setdefault(key, []).append(grader.score)
                    found.failed[key] = found.failed.get(key, 0) + (not grader.passed)
                    found.cells.setdefault((index, grader.name), []).append(grader.score)
        return found


@dataclass(frozen=True, slots=True)
class Impact:
    """A task's pass rates without and with skills."""

    task: TaskRecord
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Strip:
    """A task's scores, each with the status of its trial. `index` is the task's place in the run."""

    index: int
    task: TaskRecord
    scores: list[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class GraderRow:
    """A grader over all trials; `histogram` counts how often each tenth of the scores occurs."""

    name: str
    type: str
    histogram: list[int]
    mean: float
    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Tasks against graders: a red column is a grader's problem, a red row a task's."""

    graders: list[str]
    rows: list[tuple[int, TaskRecord, list[float | None]]]


@dataclass(frozen=True, slots=True)
class Overview:
    """Facts about the run, and its charts. `composite` is None unless there are several metrics to combine.

    `of_baseline` is what the comparison with the baseline shows, in lines.
    """

    facts: list[str]
    composite: float | None
    impacts: list[Impact]
    of_baseline: list[str]
    strips: list[Strip]
    more_tasks: int
    graders: list[GraderRow]
    matrix: Matrix | None


def overview(record: RunRecord, scores: Scores, ordered: Sequence[tuple[int, TaskRecord]]) -> Overview:
    """Return the values of `overview.html.j2`. `ordered` are the tasks with their index, the worst first."""
    shown = ordered[:_MOST_ROWS] if len(ordered) > _MOST_ROWS else list(enumerate(record.tasks))
    strips = [Strip(index, task, scores.trials.get(index, [])) for index, task in shown]
    return Overview(
        facts=list(_facts(record, scores)),
        composite=composite_score(record.measures) if len(record.measures) > 1 else None,
        impacts=list(_impacts(record)),
        of_baseline=baseline_evidence(record),
        strips=strips if scores.trials else [],
        more_tasks=len(ordered) - len(strips),
        graders=list(_graders(scores)),
        matrix=_matrix(shown, scores),
    )


def _facts(record: RunRecord, scores: Scores) -> Iterator[str]:
    """What the sentence about the verdict does not say."""
    trials = sum(map(len, scores.trials.values()))
    yield f"{trials:,} trial{'' if trials == 1 else 's'}"
    if flaky := sum(1 for it in record.tasks if it.stats and it.stats.flaky):
        yield f"{flaky} flaky task{'' if flaky == 1 else 's'}"
    facts = [record.skill, record.executor, record.model, date(record.started_at), f"run {record.run_id}"]
    yield from (it for it in [*facts, consumption_text(record.consumption)] if it)


def histogram(scores: Sequence[float]) -> list[int]:
    """Count how often each tenth of the scores occurs; scores outside of 0 to 1 count for the ends."""
    counts = [0] * _BINS
    for score in scores:
        counts[min(int(clamped(score) * _BINS), _BINS - 1)] += 1
    return counts


def _impacts(record: RunRecord) -> Iterator[Impact]:
    if record.baseline is None:
        return
    before = {it.task: it for it in record.baseline.tasks}
    for task in record.tasks:
        if impact := skill_impact(task, before.get(task.task)):
            yield Impact(task, impact["pass_rate_baseline"], impact["pass_rate_with_skills"])


def _graders(scores: Scores) -> Iterator[GraderRow]:
    """Each grader over all trials, those that fail most often first."""
    for key, found in sorted(scores.graders.items(), key=lambda it: -scores.failed[it[0]]):
        passed = len(found) - scores.failed[key]
        yield GraderRow(*key, histogram(found), mean(found), passed, len(found))


def _matrix(tasks: Sequence[tuple[int, TaskRecord]], scores: Scores) -> Matrix | None:
    names = list(dict.fromkeys(name for _, name in scores.cells))
    rows = [(index, it) for index, it in tasks if any((index, name) in scores.cells for name in names)]
    if not (1 < len(names) <= _MOST_COLUMNS and len(rows) > 1):
        return None
    cells = {key: mean(found) for key, found in scores.cells.items()}
    return Matrix(names, [(index, task, [cells.get((index, it)) for it in names]) for index, task in rows])
