"""The two matrices of an audit: what passes in each task, and what each grader notices.

Their columns are the same: agents that do no work, counter examples, and the mutations that broke a recorded trial.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from waza_engine.audit.intent import Intent
from waza_engine.audit.mutations.base import mutations
from waza_engine.audit.null_agents import NULL_AGENTS
from waza_engine.audit.score import Attempt, GraderPlace, TaskAudit

_COUNTER = "counter examples"
_CHECK = "check"
"""What stands for the type of a task's own checks, which are no graders."""
_GROUPS = {
    "null agent": "agents without work",
    "counter example": "",
    "mutant": "broken copies of recorded trials",
}


@dataclass(frozen=True, slots=True)
class Column:
    """An agent or a mutation. `about` says in words what it does."""

    kind: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A field of a matrix. `look` is its CSS class; `mark` and `title` say the same without colour."""

    look: str
    mark: str
    title: str


@dataclass(slots=True)
class _Power:
    """What a grader noticed of a column: `killed` of those that it could see, and what no other grader noticed."""

    seen: int = 0
    killed: int = 0
    only: int = 0


@dataclass(slots=True)
class GraderRow:
    """What a grader notices in all tasks. Without cells where it could see nothing."""

    grader: GraderPlace
    tasks: int = 0
    is_blind: bool = True
    powers: dict[Column, _Power] = field(default_factory=dict)

    @property
    def seen(self) -> int:
        """How much broken work it could see."""
        return sum(it.seen for it in self.powers.values())

    @property
    def killed(self) -> int:
        """How much of it the grader noticed."""
        return sum(it.killed for it in self.powers.values())

    @property
    def only(self) -> int:
        """How much only this grader noticed."""
        return sum(it.only for it in self.powers.values())

    def cells(self, columns: Iterable[Column]) -> Iterator[Cell | None]:
        """Yield a cell for each column."""
        for column in columns:
            it = self.powers.get(column)
            yield _power_cell(column, it) if it is not None and it.seen else None


def columns_of(audits: Iterable[TaskAudit]) -> list[Column]:
    """Return what was tried in these tasks, in the order of the matrices."""
    found = {(it.kind, it.name) for audit in audits for it in audit.attempts}
    columns = [Column("null agent", it.name, it.about) for it in NULL_AGENTS.values()]
    columns.append(Column("counter example", _COUNTER, "recorded trials that must fail"))
    columns += [Column("mutant", it.name, it.about) for it in mutations().values()]
    known = {(it.kind, it.name) for it in columns}
    # The mutation of a plug-in may be gone.
    columns += [Column(kind, name, "") for kind, name in sorted(found - known) if kind != "counter example"]
    kinds = {kind for kind, _ in found}
    return [it for it in columns if (it.kind, it.name) in found or (it.name == _COUNTER and it.kind in kinds)]


def column_groups(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the headings above the columns, with the number of columns of each."""
    counts = Counter(it.kind for it in columns)
    return [(title, counts[kind]) for kind, title in _GROUPS.items() if counts[kind]]


def task_cells(audit: TaskAudit, columns: Iterable[Column]) -> list[Cell | None]:
    """Return a cell for each column; None where it does not apply to the task."""
    by_column = _by_column(audit.attempts)
    return [_task_cell(it, by_column[_key(it)], audit) if _key(it) in by_column else None for it in columns]


def grader_rows(
    audits: Iterable[TaskAudit], columns: Iterable[Column], most: int
) -> tuple[list[GraderRow], int]:
    """Return what the first graders and checks notice, and how many more there are.

    They are in the order in which tasks name them. One of the eval has one row.
    """
    rows: dict[GraderPlace, GraderRow] = {}
    more = set[int]()
    by_key = {_key(it): it for it in columns}
    for audit in audits:
        for grader in checks_of(audit):
            if grader not in rows and len(rows) >= most:
                more.add(hash(grader))
                continue
            row = rows.setdefault(grader, GraderRow(grader))
            row.tasks += 1
            row.is_blind = row.is_blind and grader.name in audit.blind
            for attempt in audit.attempts:
                if attempt.status != "error" and _should_fail(audit, attempt):
                    _count(row.powers.setdefault(by_key[_attempt_key(attempt)], _Power()), grader, attempt)
    return list(rows.values()), len(more)


def checks_of(audit: TaskAudit) -> list[GraderPlace]:
    """Return the graders of a task, and its other checks: of the expected output, and constraints."""
    known = {it.name for it in audit.graders}
    named = (name for it in audit.attempts for name in (*it.failed_graders, *it.observers))
    return [*audit.graders, *(GraderPlace(it, _CHECK) for it in dict.fromkeys(named) if it not in known)]


def _count(power: _Power, grader: GraderPlace, attempt: Attempt) -> None:
    is_noticed = grader.name in attempt.failed_graders
    power.seen += is_noticed or attempt.kind != "mutant" or grader.name in attempt.observers
    power.killed += is_noticed
    power.only += is_noticed and len(attempt.failed_graders) == 1


def _should_fail(audit: TaskAudit, attempt: Attempt) -> bool:
    """Whether a good grader notices it: a negative test says nothing of good work."""
    return attempt.kind == "counter example" or audit.intent is Intent.WORK


def _by_column(attempts: Iterable[Attempt]) -> Mapping[tuple[str, str], list[Attempt]]:
    found: dict[tuple[str, str], list[Attempt]] = {}
    for it in attempts:
        found.setdefault(_attempt_key(it), []).append(it)
    return found


def _key(column: Column) -> tuple[str, str]:
    return column.kind, column.name


def _attempt_key(attempt: Attempt) -> tuple[str, str]:
    return attempt.kind, _COUNTER if attempt.kind == "counter example" else attempt.name


def _task_cell(column: Column, attempts: Sequence[Attempt], audit: TaskAudit) -> Cell:
    judged = [it for it in attempts if it.status != "error"]
    seen = [it for it in judged if it.kind != "mutant" or it.observers]
    passing = sum(it.passes for it in seen)
    if not judged:
        return Cell("error", "!", f"{column.name}: could not be graded")
    if not seen:
        return Cell("unseen", "○", f"{column.name}: no grader looks at what changed")
    if not passing:
        return Cell("noticed", "✓", f"{column.name}: noticed{_of(len(seen), len(seen))}")
    if not _should_fail(audit, seen[0]):
        return Cell("allowed", "≈", f"{column.name}: passes, which is right for this task")
    if column.kind == "null agent" and audit.left_out:
        return Cell("undecided", "?", f"{column.name}: passes, unless a grader notices that was not asked")
    mark = f"✗ {passing}/{len(seen)}" if len(seen) > 1 else "✗"
    return Cell("passes", mark, f"{column.name}: passes{_of(passing, len(seen))}")


def _of(count: int, total: int) -> str:
    return f", {count} of {total}" if total > 1 else ""


def _power_cell(column: Column, power: _Power) -> Cell:
    look = "noticed" if power.killed else ""
    whole = "✓" if power.killed else "·"
    mark = whole if power.seen == 1 else f"{power.killed}/{power.seen}"
    words = f"{column.name}: notices {power.killed} of {power.seen}"
    if power.only:
        return Cell(look, f"{mark}★", f"{words}; {power.only} that nothing else notices")
    return Cell(look, mark, words)
