"""Test a changed rubric or judge against a frozen set of recordings that people judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.calibration.agreement import Table, table_of
from waza_engine.calibration.ask import judge_subject
from waza_engine.calibration.frozen import FrozenSet
from waza_engine.calibration.judgement import Judgement, latest_of_people
from waza_engine.calibration.remembering import kept_turns
from waza_engine.calibration.subjects import Subject
from waza_engine.model.judge import Judge
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.workspace import WorkspaceError


@dataclass(frozen=True, slots=True)
class CheckedSubject:
    """One recording of the frozen set: the verdict now, the person's, and the judge's before (None if it had none).

    `now` is None if there is no verdict; `error` says why. `is_new` means that a judge was asked for it just now.
    """

    subject: Subject
    person: Judgement
    before: Judgement | None
    now: Judgement | None
    error: str = ""
    is_new: bool = False

    @property
    def became_wrong(self) -> bool:
        """Whether the judge agreed with the person before, and does not now."""
        return (
            self.now is not None
            and self.before is not None
            and self.before.passed == self.person.passed != self.now.passed
        )

    @property
    def became_right(self) -> bool:
        """Whether the judge disagreed with the person before, and agrees now."""
        return (
            self.now is not None
            and self.before is not None
            and self.before.passed != self.person.passed == self.now.passed
        )


@dataclass(frozen=True, slots=True)
class CheckedGrader:
    """All recordings of the frozen set at one grader."""

    grader: str
    checked: tuple[CheckedSubject, ...]

    @property
    def table(self) -> Table:
        """The verdicts now (first) against those of people (second)."""
        return table_of((it.now.passed, it.person.passed) for it in self.checked if it.now is not None)

    @property
    def undecided(self) -> list[CheckedSubject]:
        """The recordings without a verdict."""
        return [it for it in self.checked if it.now is None]


def check_judges(
    plan: Plan,
    frozen: FrozenSet,
    process_dir: Path,
    judge: Judge | None,
    *,
    model: str = "",
    asked: Sequence[Judgement] = (),
) -> Iterator[CheckedSubject]:
    """Yield the verdict on each recording, from answers in the set and in `asked`; `judge` is asked for others."""
    people = latest_of_people(frozen.judgements)
    before = {(it.recording, it.grader): it for it in frozen.judgements if not it.person}
    kept = kept_turns((*frozen.judgements, *asked))
    for subject in frozen.subjects:
        key = subject.name, subject.grader.entry.name
        try:
            answer = judge_subject(plan, subject, process_dir, judge=judge, kept=kept, model=model)
        except WorkspaceError as error:
            yield CheckedSubject(subject, people[key], before.get(key), None, str(error))
            continue
        yield CheckedSubject(
            subject, people[key], before.get(key), answer.judgement, answer.error, bool(answer.asked)
        )


def by_grader(checked: Sequence[CheckedSubject]) -> list[CheckedGrader]:
    """Return the recordings of each grader, in the order of the eval."""
    found: dict[str, list[CheckedSubject]] = {}
    for it in checked:
        found.setdefault(it.subject.grader.entry.name, []).append(it)
    return [CheckedGrader(name, tuple(its)) for name, its in found.items()]
