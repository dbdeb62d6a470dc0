"""An experiment's run told as events: a run whose tasks are its arms, with what happens in each arm inside."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.model.scores import Status, mean
from waza_engine.runs.events import (
    ArmEvent,
    Event,
    Listener,
    Note,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
)
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.totals import worst_status


@dataclass(slots=True)
class ExperimentEvents:
    """Tells of the parts to `listener`. `parts` is how many evals each arm has to be run over, `trials` each arm's trials."""

    run_id: str
    path: Path
    name: str
    parts: Mapping[str, int]
    trials: int
    pointers: Mapping[str, Pointer]
    notes: Sequence[str] = ()
    listener: Listener | None = None
    _ended: dict[str, list[RunFinished]] = field(default_factory=dict)
    _told_ended: set[str] = field(default_factory=set)
    _open: str = ""

    def of_arm(self, arm: str) -> Callable[[Listener], Listener]:
        """Makes of who hears of the experiment who hears of a run of an arm."""

        def part_of(listener: Listener) -> Listener:
            self.listener = self.listener or listener
            return lambda event: self._told(arm, event)

        return part_of

    def end(self) -> RunFinished:
        """The experiment is over: what has been told of its arms adds up to this."""
        for arm in self._ended:
            self._arm_ended(arm)
        counts = Counter(map(self._status_of, self._ended))
        succeeded, failed = counts["passed"], counts["failed"] + counts["error"]
        ended = [it for its in self._ended.values() for it in its]
        status = worst_status(it.status for it in ended)
        finished = RunFinished(
            run_id=self.run_id,
            status=status,
            exit_status=EXIT_STATUS[status],
            score=mean([it.score for it in ended]),
            weighted_score=mean([it.weighted_score for it in ended]),
            total=len(self.parts),
            succeeded=succeeded,
            failed=failed,
            skipped=len(self.parts) - succeeded - failed,
            duration_ms=sum(it.duration_ms for it in ended),
            error="; ".join(it.error for it in ended if it.error),
        )
        self._tell(finished)
        return finished

    def _told(self, arm: str, event: Event) -> None:
        if not self._ended and not self._open:
            self._begin()
        if isinstance(event, RunStarted) and self._open != arm:
            self._open = arm
            self._tell(TaskStarted(self.run_id, arm, arm, self.path, self.pointers.get(arm, ())))
        # What the user should know is told as it is.
        self._tell(event if isinstance(event, Note) else ArmEvent(self.run_id, arm, event))
        if isinstance(event, RunFinished):
            self._ended.setdefault(arm, []).append(event)
            if len(self._ended[arm]) == self.parts[arm]:
                self._arm_ended(arm)
            if event.status == "cancelled":
                self.end()

    def _begin(self) -> None:
        names = tuple(self.parts)
        self._tell(RunStarted(self.run_id, self.path, self.name, "", "", names, self.trials, 1))
        for it in self.notes:
            self._tell(Note(self.run_id, "warning", it))

    def _arm_ended(self, arm: str) -> None:
        """Tell the end of an arm, once: also of one that has not been run over all its evals."""
        if arm in self._told_ended:
            return
        self._told_ended.add(arm)
        ends = self._ended[arm]
        error = "; ".join(it.error for it in ends if it.error)
        score, weighted = mean([it.score for it in ends]), mean([it.weighted_score for it in ends])
        self._tell(TaskFinished(self.run_id, arm, self._status_of(arm), score, weighted, error))

    def _status_of(self, arm: str) -> Status:
        """That of the worst of its runs; without a bad one the arm has passed only if it was run over all its evals."""
        ends = self._ended[arm]
        worst = worst_status(it.status for it in ends)
        is_unfinished = worst == "passed" and len(ends) < self.parts[arm]
        return "skipped" if worst == "cancelled" or is_unfinished else worst

    def _tell(self, event: Event) -> None:
        if self.listener is not None:
            self.listener(event)
