"""Write audits as one HTML file: what passes on broken work, in matrices and as differences."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any, Self

from waza_engine.audit.intent import Intent
from waza_engine.audit.score import (
    Attempt,
    AuditSums,
    EvalAudit,
    GraderPlace,
    TaskAudit,
    score_text,
)
from waza_engine.reports.html.audit_matrix import (
    Cell,
    Column,
    GraderRow,
    checks_of,
    column_groups,
    columns_of,
    grader_rows,
    task_cells,
)
from waza_engine.reports.html.diff import Diff, text_diff
from waza_engine.reports.html.rendering import render
from waza_engine.version import __version__

_MOST_ROWS = 200
_MOST_GRADERS = 100
_MOST_SHOWN = 60
"""So many tasks are shown with their differences."""
_MOST_OPEN = 3
_MOST_SURVIVORS = 8
_MOST_LINES = 30
_MOST_WORDS = 6
_INTENTS = {Intent.NOTHING: "negative test", Intent.REFUSAL: "refusal test"}


def html_audit(
    evals: Sequence[EvalAudit], problems: Sequence[str] = (), stopped: str = "", task: str = ""
) -> Iterator[str]:
    """Yield the text of the HTML file piece by piece. The page begins with `task`, if it is given.

    `problems` say which evals could not be audited, `stopped` why the audit is not whole.
    """
    names = [it.name for it in evals]
    yield from render(
        "audit.html.j2",
        title=f"Audit of {names[0] if len(names) == 1 else f'{len(names)} evals'}",
        audit=AuditSection.of(evals, task),
        problems=problems,
        stopped=stopped,
        version=__version__,
    )


@dataclass(frozen=True, slots=True)
class Survivor:
    """Broken work that passes: in words, who read it, and the difference to the recorded trial."""

    change: str
    readers: str
    diff: Diff | None


@dataclass(frozen=True, slots=True)
class Power:
    """What a grader notices of a task, in words: all, what no other grader notices, and what it reads and lets pass."""

    grader: GraderPlace
    is_blind: bool
    kills: int
    only: Sequence[str]
    passes: Sequence[str]


@dataclass(frozen=True, slots=True)
class AuditedTask:
    """A task of the page. `anchor` is its id in the page; without details, "". `is_open` unfolds it."""

    audit: TaskAudit
    anchor: str
    cells: Sequence[Cell | None]
    is_open: bool = False

    @property
    def title(self) -> str:
        """The name of the task."""
        return self.audit.name or self.audit.task

    @property
    def intent(self) -> str:
        """What else than work the task wants, in words."""
        return _INTENTS.get(self.audit.intent, "")

    @property
    def score(self) -> str:
        """The mutation score, or why there is none."""
        audit = self.audit
        if audit.problem:
            return "not audited"
        if self.intent:
            return self.intent
        if audit.mutation_score is not None:
            return score_text(audit.mutation_score)
        if not audit.attempts:
            return "not asked" if audit.left_out else "nothing checks it"
        return "no mutants" if audit.trials else "none passes" if audit.recorded else "no recording"

    @property
    def agents(self) -> list[str]:
        """What the agents without work do that pass, in words; also if a grader that was not asked may notice."""
        passing = [*self.audit.accused, *self.audit.undecided]
        return [it.does for it in passing]

    @property
    def skipped(self) -> list[str]:
        """The recordings that cannot be read, each with the reason."""
        return [it.shown for it in self.audit.unreadable]

    @property
    def survivors(self) -> list[Survivor]:
        """What passes, the first ones."""
        return [_survivor(self.audit, it) for it in self._broken[:_MOST_SURVIVORS]]

    @property
    def more(self) -> list[str]:
        """What passes besides, in words."""
        return [it.change for it in self._broken[_MOST_SURVIVORS:]]

    @property
    def unseen(self) -> list[str]:
        """The changes that no grader looks at, in words."""
        is_work = self.audit.intent is Intent.WORK
        return list(dict.fromkeys(it.change for it in self.audit.unseen if is_work))

    @property
    def powers(self) -> list[Power]:
        """What each grader notices."""
        return [_power(self.audit, it) for it in checks_of(self.audit)]

    @property
    def _broken(self) -> list[Attempt]:
        return [*self.audit.passing_counter_examples, *self.audit.survivors]


@dataclass(frozen=True, slots=True)
class AuditedEval:
    """An eval of the page: its rows of both matrices, the worst first. `more` counts the tasks that are not shown."""

    path: str
    score: str
    rows: Sequence[AuditedTask]
    graders: Sequence[GraderRow]
    more: int
    more_graders: int


@dataclass(frozen=True, slots=True)
class AuditSection:
    """The values of `audit_section.html.j2`."""

    facts: Sequence[str]
    columns: Sequence[Column]
    groups: Sequence[tuple[str, int]]
    evals: Sequence[AuditedEval]
    first: AuditedTask | None
    """The task that the reader comes from."""
    tasks: Sequence[AuditedTask]
    more_tasks: int
    """Tasks with something to say that are not shown."""
    left_out: Sequence[tuple[str, int]]
    """Graders that were not asked, with the number of their tasks."""

    @classmethod
    def of(cls, evals: Sequence[EvalAudit], task: str = "") -> Self:
        """Return the values for these audits."""
        audits = _Joined([it.audits for it in evals])
        columns = columns_of(audits)
        sums, ranked, weak, first = AuditSums(), [], set[int](), None
        for number, it in enumerate(audits):
            sums.add(it)
            ranked.append((_badness(it), number))
            if first is None and task and it.task == task:
                first = number
            elif _has_details(it):
                weak.add(number)
        ranked.sort()
        shown = [number for _, number in ranked if number in weak][:_MOST_SHOWN]
        linked = {first, *shown}

        def made(number: int, *, is_open: bool = False) -> AuditedTask:
            anchor = f"audit-{number}" if number in linked else ""
            audit = audits[number]
            return AuditedTask(audit, anchor, task_cells(audit, columns), is_open)

        rows = [number for _, number in ranked[:_MOST_ROWS]]
        graders_left = _MOST_GRADERS
        pages, start = [], 0
        for each in evals:
            own = [made(number) for number in rows if start <= number < start + len(each.audits)]
            graders, more_graders = grader_rows(each.audits, columns, graders_left)
            pages.append(
                AuditedEval(
                    str(each.path),
                    _score_of(AuditSums.of(each.audits)),
                    own,
                    graders,
                    len(each.audits) - len(own),
                    more_graders,
                )
            )
            graders_left -= len(graders)
            start += len(each.audits)
        return cls(
            list(_facts(sums)),
            columns,
            column_groups(columns),
            pages,
            made(first, is_open=True) if first is not None else None,
            [made(it, is_open=number < _MOST_OPEN and first is None) for number, it in enumerate(shown)],
            len(weak) - len(shown),
            sums.left_out.most_common(),
        )


class _Joined(Sequence[TaskAudit]):
    """The audits of several evals as one sequence."""

    def __init__(self, parts: Sequence[Sequence[TaskAudit]]) -> None:
        self._parts = parts
        self._ends = list(accumulate(map(len, parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[TaskAudit]:
        return chain.from_iterable(self._parts)

    def __getitem__(self, index: Any) -> Any:
        part = bisect_right(self._ends, index)
        return self._parts[part][index - self._ends[part]]


def _badness(audit: TaskAudit) -> tuple[bool, bool, bool, bool, float]:
    score = audit.mutation_score
    is_accused = audit.passes_without_work or bool(audit.passing_counter_examples)
    return (
        not is_accused,
        not audit.problem,
        audit.intent is not Intent.WORK,
        not audit.has_only_left_out,
        1.0 if score is None else score,
    )


def _has_details(audit: TaskAudit) -> bool:
    return bool(
        audit.accused
        or audit.passing_counter_examples
        or audit.survivors
        or audit.undecided
        or (audit.unseen and audit.intent is Intent.WORK)
        or audit.problem
        or audit.unreadable
        or audit.blind
    )


def _facts(sums: AuditSums) -> Iterator[str]:
    accused = sums.accused
    yield f"{_counted(sums.tasks, 'task')} audited"
    yield f"{accused or 'none'} pass{'es' * (accused == 1)} for an agent that does no work"
    if sums.mutants:
        noticed = f"{sums.killed:,} of {sums.mutants:,} broken trials noticed"
        yield f"mutation score {_score_of(sums)} ({noticed})"
    else:
        yield "no recorded trial passes, so none was broken"


def _score_of(sums: AuditSums) -> str:
    return "" if sums.score is None else score_text(sums.score)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _survivor(audit: TaskAudit, attempt: Attempt) -> Survivor:
    of_trial = f" (trial {attempt.trial})" if audit.trials > 1 and attempt.trial else ""
    change = f"{attempt.change}{of_trial}"
    readers = ", ".join(attempt.observers)
    # The words say already what is missing.
    is_said = not attempt.after and attempt.before in attempt.change
    diff = None if is_said else text_diff(attempt.before, attempt.after, ("recorded", "broken"))
    if diff is None:
        return Survivor(change, readers, None)
    lines = diff.lines if sum(look == "at" for look, _ in diff.lines) > 1 else diff.lines[1:]
    title = f"{change} · read by {readers}" if readers else change
    return Survivor(
        change,
        readers,
        replace(diff, title=title, lines=lines[:_MOST_LINES], is_cut=len(lines) > _MOST_LINES),
    )


def _power(audit: TaskAudit, grader: GraderPlace) -> Power:
    killed = [it for it in audit.attempts if it.status != "error" and grader.name in it.failed_graders]
    only = dict.fromkeys(it.change for it in killed if len(it.failed_graders) == 1)
    passes = dict.fromkeys(it.change for it in audit.survivors if grader.name in it.observers)
    return Power(grader, grader.name in audit.blind, len(killed), _cut(only), _cut(passes))


def _cut(words: dict[str, None]) -> list[str]:
    shown = list(words)[:_MOST_WORDS]
    return [*shown, f"and {len(words) - len(shown)} more"] if len(words) > len(shown) else shown
