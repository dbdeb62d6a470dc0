"""Prepare the evidence of a trial for the HTML reports: the graders that did not pass, with links to what they found."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.model.results.evidence import Place
from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.reports.evidence import Evidence, Sources, trial_evidence
from waza_engine.reports.html.diff import read_patch
from waza_engine.reports.html.timeline import numbered_events

_CALL = "tool.execution_start"
_MESSAGE = "assistant.message"
_MOST_LINES = 25
"""Of longer grader entries, only the first lines are shown, and those that checks point to."""
EntryLine = tuple[int, str, bool]
"""A line of a grader's entry: its number, its text, and whether a check points to it."""


@dataclass(frozen=True, slots=True)
class Check:
    """A piece of evidence. `anchor` is the id of the place that shows what was found, and `see` its name.

    `step` is the number of the event that it points to, or 0; `trial` is that of the trial.
    """

    evidence: Evidence
    anchor: str
    see: str
    step: int
    trial: int

    @property
    def title(self) -> str:
        """The names of the graders, with the checkpoint; "error" for an error of the agent."""
        return _title(self.evidence)


@dataclass(frozen=True, slots=True)
class FailedGrader:
    """Evidence with the same graders. Without an `outcome`, it is about the agent.

    `place` is the file and line of the first check, `entry` the lines of the grader.
    """

    title: str
    outcome: GraderOutcome | None
    place: str
    entry: Sequence[EntryLine]
    checks: Sequence[Check]


def trial_anchor(index: int, trial: int) -> str:
    """Return the id of a trial; `index` is the place of its task in the run."""
    return f"task-{index}-trial-{trial}"


def trial_checks(index: int, trial: TrialRecord, sources: Sources) -> dict[object, Check]:
    """Return why a trial failed, by what identifies the cause in all trials of its task."""
    places = _Places(index, trial)
    titles: dict[str, str] = {}
    found: dict[object, Check] = {}
    for key, it in trial_evidence(trial, sources).items():
        if it.status != "points":
            own = titles.setdefault(_title(it), f"{trial_anchor(index, trial.trial)}-grader-{len(titles)}")
            found[key] = places.find(it, own)
    return found


def _title(evidence: Evidence) -> str:
    names = ", ".join(evidence.graders) or "error"
    return f"after turn {evidence.after_turn}: {names}" if evidence.after_turn else names


def failed_graders(trial: TrialRecord, checks: Sequence[Check], sources: Sources) -> list[FailedGrader]:
    """Return the checks of a trial by their graders."""
    by_title: dict[str, list[Check]] = {}
    for it in checks:
        by_title.setdefault(it.title, []).append(it)
    return [_failed_grader(trial, its, sources) for its in by_title.values()]


def _failed_grader(trial: TrialRecord, checks: list[Check], sources: Sources) -> FailedGrader:
    first = checks[0].evidence
    outcome = _outcome(trial, first)
    hits = {it.evidence.source.line for it in checks if it.evidence.source}
    lines = sources.entry(outcome) if outcome else []
    entry = [(number, line, number in hits) for number, line in lines]
    place = str(first.source or "")
    if first.source and trial.started_at and sources.is_newer(first.source.path, trial.started_at):
        place += " (the file is newer than this run)"
    return FailedGrader(checks[0].title, outcome, place, _shortened(entry), checks)


def _shortened(entry: Sequence[EntryLine]) -> list[EntryLine]:
    """The first lines of an entry, and those around the lines that checks point to."""
    hits = [index for index, it in enumerate(entry) if it[2]]
    shown = {near for hit in hits for near in range(hit - 3, hit + 4)} | set(range(_MOST_LINES))
    found = [it for index, it in enumerate(entry) if index in shown]
    left = len(entry) - len(found)
    return [*found, (0, f"... ({left} more lines)", False)] if left else found


def _outcome(trial: TrialRecord, evidence: Evidence) -> GraderOutcome | None:
    points = [it.graders for it in trial.checkpoints if it.after_turn == evidence.after_turn]
    graders = points[0] if evidence.after_turn and points else trial.graders
    return next((it for it in graders if (it.name or it.type) in evidence.graders), None)


class _Places:
    """Finds the places of a trial in the page."""

    def __init__(self, index: int, trial: TrialRecord) -> None:
        trajectory = trial.trajectory
        self._anchor, self._trial = trial_anchor(index, trial.trial), trial.trial
        self._events = numbered_events(trajectory)
        self._changed = [it.path for it in read_patch(trajectory.patch).diffs] if trajectory.patch else []

    def find(self, evidence: Evidence, own: str) -> Check:
        """Return the evidence with a link, to `own` if nothing shows the place."""
        place = evidence.place
        step = self._step(place) if place else 0
        anchor, see = own, f"trial {self._trial}"
        if place and place.text == "output":
            anchor, see = f"{self._anchor}-output", "output"
        elif place and place.path in self._changed:
            anchor, see = (
                f"{self._anchor}-file-{self._changed.index(place.path)}",
                place.path.rpartition("/")[2],
            )
        elif step:
            anchor, see = f"{self._anchor}-step-{step}", f"step {step}"
        return Check(evidence, anchor, see, step, self._trial)

    def _step(self, place: Place) -> int:
        if place.text == "output":
            return max(self._numbers(_MESSAGE), default=0)
        calls = list(self._numbers(_CALL))
        if place.text == "calls":
            return calls[place.line - 1] if 0 < place.line <= len(calls) else 0
        if place.path:
            events = dict(self._events)
            return max((it for it in calls if _mentions(events[it], place.path)), default=0)
        return 0

    def _numbers(self, kind: str) -> Iterator[int]:
        return (number for number, it in self._events if it.get("type") == kind)


def _mentions(call: Mapping[str, Any], path: str) -> bool:
    """Whether an argument of a tool call is this path, or ends with it."""
    arguments = call.get("arguments")
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    return any(isinstance(it, str) and (it == path or it.endswith(f"/{path}")) for it in values)
