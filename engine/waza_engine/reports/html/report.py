"""Write a run as one HTML file that needs nothing else: no script, no font, no network."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from waza_engine.model.results.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.reports.evidence import Sources
from waza_engine.reports.html.checks import FailedGrader, failed_graders, trial_anchor, trial_checks
from waza_engine.reports.html.diff import Patch, read_patch
from waza_engine.reports.html.history import History, PastRun
from waza_engine.reports.html.overview import Scores, overview
from waza_engine.reports.html.rendering import render
from waza_engine.reports.html.timeline import Timeline, timeline
from waza_engine.reports.html.verdict import FINE, needs_a_look, verdict, worst_first
from waza_engine.version import __version__

if TYPE_CHECKING:
    from waza_engine.audit.score import EvalAudit
    from waza_engine.reports.html.audit import AuditSection

_MOST_TRIALS = 500
"""A larger run shows only the trials that did not pass."""
_SHORT_TEXT = 1500
_WHOLE_PAGE, _LARGEST_PAGE = 2_000_000, 4_000_000
"""From so many characters on, trials are shown without their transcripts, then not at all."""


def html_report(
    record: RunRecord, history: Sequence[PastRun] = (), audits: Sequence["EvalAudit"] = ()
) -> str:
    """Return the text of the HTML file. `history` has earlier runs, and this one; `audits` are those of its eval."""
    return "".join(html_chunks(record, history, audits))


def html_chunks(
    record: RunRecord, history: Sequence[PastRun] = (), audits: Sequence["EvalAudit"] = ()
) -> Iterator[str]:
    """Yield the text piece by piece: never more than one trial is in memory."""
    scores, sources = Scores.of(record), Sources()
    is_large = sum(map(len, scores.trials.values())) > _MOST_TRIALS
    ordered = worst_first(record.tasks)
    first = verdict(record, ordered, sources)
    linked = {it.index: {check.trial for check in it.checks} for it in first.tasks}
    page = _Page(linked, sources, only_bad=is_large)
    for chunk in render(
        "report.html.j2",
        title=record.suite_name or "Run",
        record=record,
        first=first,
        overview=overview(record, scores, ordered),
        history=History.of(history),
        audit=_audit_section(audits) if audits else None,
        most_trials=_MOST_TRIALS if is_large else None,
        tasks=page.tasks(ordered),
        page=page,
        passed=[it for it in ordered if not needs_a_look(it[1])] if is_large else [],
        version=__version__,
    ):
        page.length += len(chunk)
        yield chunk


def _audit_section(audits: Sequence["EvalAudit"]) -> "AuditSection":
    # Imported late: it brings the audit, which most reports do without.
    from waza_engine.reports.html.audit import AuditSection

    return AuditSection.of(audits)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A trial to show. `is_alone` says that it is the only one of its task, `is_whole` that its transcript is shown."""

    record: TrialRecord
    anchor: str
    is_alone: bool
    is_open: bool
    is_short: bool
    is_whole: bool
    failed: list[FailedGrader]
    passed: list[tuple[str, list[GraderOutcome]]]
    timeline: Timeline | None
    patch: Patch | None

    def links_to(self, part: str) -> bool:
        """Whether a check links to a part of the trial, such as `step`: it is unfolded then."""
        checks = (check for grader in self.failed for check in grader.checks if check.see)
        return any(it.anchor.startswith(f"{self.anchor}-{part}") for it in checks)


@dataclass(frozen=True, slots=True)
class _Task:
    """A task to show. `index` is its place in the run, to which the first screen and the charts link."""

    record: TaskRecord
    index: int
    is_open: bool
    trials: Iterator[_Trial]


@dataclass(slots=True)
class _Page:
    """Decides what the page shows of the tasks, by its `length` so far. The first screen links to the trials `first`.

    `shortened` and `left_out` count the trials without transcripts and those that are not shown.
    """

    first: Mapping[int, Collection[int]]
    sources: Sources
    only_bad: bool
    length: int = 0
    shortened: int = 0
    left_out: int = 0

    def tasks(self, ordered: Iterable[tuple[int, TaskRecord]]) -> Iterator[_Task]:
        """Yield the tasks to show; of a large run, only those that need a look."""
        for index, task in ordered:
            if needs_a_look(task) or not self.only_bad:
                yield _Task(task, index, index in self.first, self._trials(index, task))

    def _trials(self, index: int, task: TaskRecord) -> Iterator[_Trial]:
        """The trials, read one by one; the first that needs a look is unfolded."""
        is_alone = len(task.trials) == 1
        any_open = False
        for record in task.trials:
            is_bad = record.status not in FINE
            if not is_bad and self.only_bad:
                continue
            is_first = record.trial in self.first.get(index, ())
            if self.length > _LARGEST_PAGE and not is_first:
                self.left_out += 1
                continue
            is_whole = self.length < _WHOLE_PAGE or is_first
            self.shortened += not is_whole
            is_open = is_first or (is_bad and not any_open)
            yield self._trial(record, index, is_alone=is_alone, is_open=is_open, is_whole=is_whole)
            any_open = any_open or is_bad

    def _trial(
        self, record: TrialRecord, index: int, *, is_alone: bool, is_open: bool, is_whole: bool
    ) -> _Trial:
        trajectory = record.trajectory
        checks = list(trial_checks(index, record, self.sources).values()) if record.status not in FINE else []
        if not is_whole:
            checks = [replace(it, see="") for it in checks]
        readers: dict[int, list[str]] = {}
        for check in checks:
            if check.step:
                readers.setdefault(check.step, []).append(check.title)
        return _Trial(
            record=record,
            anchor=trial_anchor(index, record.trial),
            is_alone=is_alone,
            is_open=is_open,
            is_short=len(trajectory.prompt) + len(trajectory.output) < _SHORT_TEXT,
            is_whole=is_whole,
            failed=failed_graders(record, checks, self.sources),
            passed=list(_passed(record)),
            timeline=timeline(trajectory, readers) if is_whole else None,
            patch=read_patch(trajectory.patch) if trajectory.patch and is_whole else None,
        )


def _passed(trial: TrialRecord) -> Iterator[tuple[str, list[GraderOutcome]]]:
    """The graders that passed, with when they graded."""
    groups = [
        ("", trial.graders),
        *((f"After turn {it.after_turn}: ", it.graders) for it in trial.checkpoints),
    ]
    for title, graders in groups:
        if found := [it for it in graders if it.passed]:
            yield title, found
