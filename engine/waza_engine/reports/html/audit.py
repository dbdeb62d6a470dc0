"""Write audits as one HTML file: what passes on broken work, in matrices and as differences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from waza_engine.audit.intent import Intent
from waza_engine.audit.score import (
    Attempt,
    EvalAudit,
    GraderPlace,
    TaskAudit,
    eval_score,
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
        audits = [audit for it in evals for audit in it.audits]
        columns = columns_of(audits)
        places = {id(it): index for index, it in enumerate(audits)}
        worst = sorted(audits, key=_badness)
        first = next((it for it in audits if task and it.task == task), None)
        weak = [it for it in worst if _has_details(it) and it is not first]
        shown = weak[:_MOST_SHOWN]
        linked = {id(it) for it in [*shown, *([first] if first else [])]}
        rows = {id(it) for it in worst[:_MOST_ROWS]}

        def made(audit: TaskAudit, *, is_open: bool = False) -> AuditedTask:
            anchor = f"audit-{places[id(audit)]}" if id(audit) in linked else ""
            return AuditedTask(audit, anchor, task_cells(audit, columns), is_open)

        graders_left = _MOST_GRADERS
        pages = []
        for it in evals:
            own = [made(audit) for audit in sorted(it.audits, key=_badness) if id(audit) in rows]
            graders = grader_rows(it.audits, columns)
            pages.append(
                AuditedEval(
                    str(it.path),
                    _score_of(it.audits),
                    own,
                    graders[:graders_left],
                    len(it.audits) - len(own),
                    max(0, len(graders) - graders_left),
                )
            )
            graders_left -= len(pages[-1].graders)
        return cls(
            list(_facts(audits)),
            columns,
            column_groups(columns),
            pages,
            made(first, is_open=True) if first else None,
            [made(it, is_open=index < _MOST_OPEN and not first) for index, it in enumerate(shown)],
            len(weak) - len(shown),
            list(Counter(it.name or it.type for audit in audits for it in audit.left_out).most_common()),
        )


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


def _facts(audits: Sequence[TaskAudit]) -> Iterator[str]:
    accused = sum(it.passes_without_work for it in audits)
    yield f"{_counted(len(audits), 'task')} audited"
    yield f"{accused or 'none'} pass{'es' * (accused == 1)} for an agent that does no work"
    mutants = [mutant for it in audits for mutant in it.mutants]
    if mutants:
        killed = sum(not it.passes for it in mutants)
        yield f"mutation score {_score_of(audits)} ({killed:,} of {len(mutants):,} broken trials noticed)"
    else:
        yield "no recorded trial passes, so none was broken"


def _score_of(audits: Sequence[TaskAudit]) -> str:
    score = eval_score(audits)
    return "" if score is None else score_text(score)


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
