"""Pure sums over an audited task: what passes, which mutants survive, and what each grader notices."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

from waza_engine.audit.intent import Intent
from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.scores import Status
from waza_engine.runs.recordings.find import UnreadableRecording

AttemptKind = Literal["null agent", "mutant", "counter example"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One piece of broken work with its verdict: of the null agent or mutation `name`, or a counter example in that file.

    `number` counts the attempts of that name in the task. `trial` is the number of the recorded trial that was broken, 0 for null agents. `failed_graders` are the names of the
    graders that noticed. `observers` are the checks that read what a mutation changed. `before` and `after` are the texts that a mutation changed.
    `is_lost` is True if there is no verdict because a judge or a program was not available.
    """

    kind: AttemptKind
    name: str
    change: str
    status: Status
    failed_graders: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    trial: int = 0
    before: str = ""
    after: str = ""
    error: str = ""
    number: int = 1
    is_lost: bool = False

    @property
    def key(self) -> str:
        """Its name in the task: `halve-output`, `delete-file.2`. The same input gives the same keys."""
        return self.name if self.number == 1 else f"{self.name}.{self.number}"

    @property
    def does(self) -> str:
        """What a null agent does, in words: `says nothing`."""
        return self.change.removeprefix("an agent that ")

    @property
    def passes(self) -> bool:
        """Whether the task does not notice that the work is broken."""
        return self.status == "passed"


@dataclass(frozen=True, slots=True)
class GraderPlace:
    """A grader that was asked: its name, its type, and the place of its entry.

    `counts` is False if it weighs nothing. `has_options` is False if nothing can be set. `demands` is True if it wants
    something to be there, and does not only forbid or limit; `limits` is True if it only limits figures.
    """

    name: str
    type: str
    path: Path | None = None
    pointer: Pointer = ()
    counts: bool = True
    has_options: bool = True
    demands: bool = False
    limits: bool = False


@dataclass(frozen=True, slots=True)
class GraderPower:
    """What a grader notices of a task's mutants and null agents, by the words for each."""

    grader: GraderPlace
    kills: tuple[str, ...]
    only_kills: tuple[str, ...]
    """What no other grader notices."""


@dataclass(frozen=True, slots=True)
class TaskAudit:
    """The audit of one task. Of `recorded` trials, `trials` pass and were broken.

    `left_out` are graders that were not asked, because they run programs or ask a model. `blind` are
    the names of graders that read nothing of the agent's work, `loose` those of limits that no trial will reach. `unreadable` are recordings that were
    skipped. `problem` says why there is no result.
    """

    task: str
    name: str
    path: Path | None
    pointer: Pointer
    intent: Intent
    attempts: tuple[Attempt, ...] = ()
    graders: tuple[GraderPlace, ...] = ()
    left_out: tuple[GraderPlace, ...] = ()
    blind: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    trials: int = 0
    recorded: int = 0
    unreadable: tuple[UnreadableRecording, ...] = ()
    problem: str = ""
    is_unchecked: bool = False
    """Whether nothing checks the task, so that every agent passes."""

    @property
    def passes_without_work(self) -> bool:
        """Whether the task passes for an agent that does no work it wants."""
        return self.is_unchecked or bool(self.accused)

    @property
    def lost(self) -> str:
        """How much broken work got no verdict because a judge or a program was not available, in words; or ""."""
        lost = [it for it in self.attempts if it.is_lost]
        if not lost:
            return ""
        return f"{len(lost)} of {len(self.attempts)} pieces of broken work got no verdict: {lost[0].error.strip()}"

    @property
    def passing_agents(self) -> list[Attempt]:
        """The null agents that pass."""
        return [it for it in self.attempts if it.kind == "null agent" and it.passes]

    @property
    def accused(self) -> list[Attempt]:
        """The null agents that pass although the task wants work."""
        return self.passing_agents if self.intent is Intent.WORK and not self.left_out else []

    @property
    def undecided(self) -> list[Attempt]:
        """The null agents that would pass unless a grader notices that was not asked."""
        return self.passing_agents if self.intent is Intent.WORK and self.left_out else []

    @property
    def passing_counter_examples(self) -> list[Attempt]:
        """The counter examples that pass, if no grader could notice them that was not asked."""
        if self.left_out:
            return []
        return [it for it in self.attempts if it.kind == "counter example" and it.passes]

    @property
    def mutants(self) -> list[Attempt]:
        """The mutants with a change that some grader could see, and could judge.

        A negative test has none: it says what must not happen, and nothing of good work.
        """
        if self.intent is not Intent.WORK:
            return []
        return [it for it in self.attempts if it.kind == "mutant" and it.status != "error" and it.observers]

    @property
    def unseen(self) -> list[Attempt]:
        """The mutants whose change no grader looks at."""
        return [it for it in self.attempts if it.kind == "mutant" and not it.observers]

    @property
    def survivors(self) -> list[Attempt]:
        """The mutants that pass."""
        return [it for it in self.mutants if it.passes]

    @property
    def mutation_score(self) -> float | None:
        """The share of mutants that some grader notices; None without mutants."""
        mutants = self.mutants
        return sum(not it.passes for it in mutants) / len(mutants) if mutants else None

    @property
    def has_only_left_out(self) -> bool:
        """Whether only graders that were not asked stand between no work and a pass."""
        return bool(self.left_out) and not self.graders


@dataclass(frozen=True, slots=True)
class EvalAudit:
    """The audits of an eval's tasks; of `task_count` tasks, those that were reached."""

    path: Path
    name: str
    audits: Sequence[TaskAudit]
    task_count: int


@dataclass(slots=True)
class AuditSums:
    """Sums over audited tasks. They stay small, however many tasks there are."""

    tasks: int = 0
    accused: int = 0
    """Tasks that pass without work."""
    mutants: int = 0
    killed: int = 0
    counter_examples: int = 0
    """Counter examples that pass."""
    unscored: int = 0
    """Tasks that want work and are checked: recorded trials that pass would give them a score."""
    unrecorded: int = 0
    """Tasks of which a recorded trial would tell more."""
    broken: int = 0
    """Tasks that could not be audited, or of which a recording cannot be read."""
    lost: int = 0
    """Tasks of which some broken work got no verdict."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The graders that were not asked, by name, with the number of their tasks."""
    by_name: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each null agent and mutation, how many attempts pass, and how many there are."""

    @classmethod
    def of(cls, audits: Iterable[TaskAudit]) -> Self:
        """Return the sums over these tasks."""
        made = cls()
        for it in audits:
            made.add(it)
        return made

    def add(self, audit: TaskAudit) -> None:
        """Add a task."""
        mutants = audit.mutants
        self.tasks += 1
        self.accused += audit.passes_without_work
        self.mutants += len(mutants)
        self.killed += sum(not it.passes for it in mutants)
        self.counter_examples += len(audit.passing_counter_examples)
        wants_work = audit.intent is Intent.WORK and not audit.is_unchecked
        self.unscored += wants_work and not mutants
        self.unrecorded += wants_work and not (audit.recorded or audit.problem)
        self.broken += bool(audit.problem or audit.unreadable)
        self.lost += bool(audit.lost)
        self.left_out.update(it.name or it.type for it in audit.left_out)
        for it in audit.attempts:
            if it.status != "error":
                passed, total = self.by_name.get(it.name, (0, 0))
                self.by_name[it.name] = passed + it.passes, total + 1

    def take(self, others: "AuditSums") -> None:
        """Add the sums over other tasks."""
        self.tasks += others.tasks
        self.accused += others.accused
        self.mutants += others.mutants
        self.killed += others.killed
        self.counter_examples += others.counter_examples
        self.unscored += others.unscored
        self.unrecorded += others.unrecorded
        self.broken += others.broken
        self.lost += others.lost
        self.left_out.update(others.left_out)
        for name, (passed, total) in others.by_name.items():
            before = self.by_name.get(name, (0, 0))
            self.by_name[name] = before[0] + passed, before[1] + total

    @property
    def score(self) -> float | None:
        """The mutation score of all tasks together, from 0 to 1: every mutant counts once. None without mutants."""
        return self.killed / self.mutants if self.mutants else None


def score_text(score: float) -> str:
    """Return a score in percent. One below 1 is never shown as 100 %."""
    return f"{int(score * 100)} %"


def grader_powers(audit: TaskAudit) -> list[GraderPower]:
    """Return what each grader of the task notices."""
    judged = [it for it in audit.attempts if it.status != "error"]
    powers = []
    for grader in audit.graders:
        kills = [it for it in judged if grader.name in it.failed_graders]
        powers.append(
            GraderPower(
                grader,
                tuple(it.change for it in kills),
                tuple(it.change for it in kills if len(it.failed_graders) == 1),
            )
        )
    return powers
