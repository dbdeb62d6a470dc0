"""Prepare the upper half of the HTML report: the results, and where to look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from waza_engine.model.consumption import consumption_text
from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.model.scores import mean
from waza_engine.reports.html.rendering import clamped
from waza_engine.reports.results.task import skill_impact
from waza_engine.runs.totals import composite_score

_COLOURS = {"passed": "--pass", "failed": "--fail", "error": "--warn", "skipped": "--skip"}
_MOST_ROWS = 300
_MOST_COLUMNS = 25
_BINS = 10


@dataclass(slots=True)
class Scores:
    """What the charts need of all trials, read in one pass: trials come from the store one by one."""

    trials: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    graders: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    failed: dict[tuple[str, str], int] = field(default_factory=dict)
    cells: dict[tuple[int, str], list[float]] = field(default_factory=dict)
    tokens: int = 0

    @classmethod
    def of(cls, record: RunRecord) -> "Scores":
        """Return the scores of a run."""
        found = cls()
        for index, task in enumerate(record.tasks):
            for trial in task.trials:
                found.trials.setdefault(index, []).append((trial.weighted_score, trial.status))
                session = trial.trajectory.session
                found.tokens += session.usage.tokens if session and session.usage else 0
                for grader in trial.graders:
                    key = (grader.name, grader.type)
                    found.graders.setdefault(key, []).append(grader.score)
                    found.failed[key] = found.failed.get(key, 0) + (not grader.passed)
                    found.cells.setdefault((index, grader.name), []).append(grader.score)
        return found


@dataclass(frozen=True, slots=True)
class Ring:
    """The share of each status around a number; `gradient` has the colours as CSS."""

    gradient: str
    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Impact:
    """A task's pass rates without and with skills."""

    task: TaskRecord
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Strip:
    """A task's scores, each with the status of its trial."""

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
    rows: list[tuple[TaskRecord, list[float | None]]]


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything above the tasks. `composite` is None unless there are several metrics to combine."""

    facts: list[str]
    ring: Ring
    trials: int
    flaky: int
    tokens: int
    composite: float | None
    impacts: list[Impact]
    strips: list[Strip]
    more_tasks: int
    graders: list[GraderRow]
    matrix: Matrix | None


def overview(record: RunRecord, scores: Scores) -> Overview:
    """Return the values of `overview.html.j2`."""
    tasks = record.tasks
    started = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    used = consumption_text(record.consumption)
    facts = [record.skill, record.executor, record.model, started, f"run {record.run_id}", used]
    strips = [Strip(task, scores.trials.get(index, [])) for index, task in enumerate(tasks[:_MOST_ROWS])]
    return Overview(
        facts=[it for it in facts if it],
        ring=_ring(tasks),
        trials=sum(map(len, scores.trials.values())),
        flaky=sum(1 for it in tasks if it.stats and it.stats.flaky),
        tokens=scores.tokens,
        composite=composite_score(record.measures) if len(record.measures) > 1 else None,
        impacts=list(_impacts(record)),
        strips=strips if scores.trials else [],
        more_tasks=len(tasks) - len(strips),
        graders=list(_graders(scores)),
        matrix=_matrix(tasks, scores),
    )


def histogram(scores: Sequence[float]) -> list[int]:
    """Count how often each tenth of the scores occurs; scores outside of 0 to 1 count for the ends."""
    counts = [0] * _BINS
    for score in scores:
        counts[min(int(clamped(score) * _BINS), _BINS - 1)] += 1
    return counts


def _ring(tasks: Sequence[TaskRecord]) -> Ring:
    counts = {name: sum(it.status == name for it in tasks) for name in _COLOURS}
    total = sum(counts.values())
    stops, at = [], 0.0
    for name, colour in _COLOURS.items():
        share = counts[name] / (total or 1) * 100
        stops.append(f"var({colour}) {at:.2f}% {at + share:.2f}%")
        at += share
    return Ring(f"conic-gradient({', '.join(stops)})", counts["passed"], total)


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


def _matrix(tasks: Sequence[TaskRecord], scores: Scores) -> Matrix | None:
    names = list(dict.fromkeys(name for _, name in scores.cells))
    rows = [index for index in range(len(tasks)) if any((index, it) in scores.cells for it in names)]
    if not (1 < len(names) <= _MOST_COLUMNS and 1 < len(rows) <= _MOST_ROWS):
        return None
    cells = {key: mean(found) for key, found in scores.cells.items()}
    return Matrix(names, [(tasks[index], [cells.get((index, it)) for it in names]) for index in rows])
