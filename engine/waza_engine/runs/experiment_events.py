"""Events of an experiment: a run whose tasks are its arms, with the events of each arm wrapped inside."""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.scores import Status, mean
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
from waza_engine.runs.run import worse_exit
from waza_engine.runs.totals import worst_status


@dataclass(slots=True)
class ExperimentEvents:
    """Sends an experiment's events to `listener`. `parts` is the number of evals of each arm, `trials` that of trials."""

    run_id: str
    path: Path
    name: str
    parts: Mapping[str, int]
    trials: int
    pointers: Mapping[str, Pointer]
    notes: Sequence[str] = ()
    listener: Listener | None = None
    _ended: dict[str, list[RunFinished]] = field(default_factory=dict)
    _reported_arms: set[str] = field(default_factory=set)
    _open: str = ""

    def arm_listener(self, arm: str) -> Callable[[Listener], Listener]:
        """Return a function that turns a listener of the experiment into one for a run of this arm."""

        def listen_to_arm(listener: Listener) -> Listener:
            self.listener = self.listener or listener
            return lambda event: self._handle(arm, event)

        return listen_to_arm

    def end(self) -> RunFinished:
        """End the experiment and return its last event, which sums up the arms."""
        for arm in self._ended:
            self._end_arm(arm)
        counts = Counter(map(self._arm_status, self._ended))
        succeeded, failed = counts["passed"], counts["failed"] + counts["error"]
        runs = [it for ends in self._ended.values() for it in ends]
        exit_status = functools.reduce(worse_exit, (it.exit_status for it in runs)) if runs else 2
        status = worst_status(it.status for it in runs if it.exit_status == exit_status)
        finished = RunFinished(
            run_id=self.run_id,
            status=status,
            exit_status=exit_status,
            score=mean([it.score for it in runs]),
            weighted_score=mean([it.weighted_score for it in runs]),
            total=len(self.parts),
            succeeded=succeeded,
            failed=failed,
            skipped=len(self.parts) - succeeded - failed,
            duration_ms=sum(it.duration_ms for it in runs),
            error="; ".join(it.error for it in runs if it.error),
        )
        self._emit(finished)
        return finished

    def _handle(self, arm: str, event: Event) -> None:
        if not self._ended and not self._open:
            self._begin()
        if isinstance(event, RunStarted) and self._open != arm:
            self._open = arm
            self._emit(TaskStarted(self.run_id, arm, arm, self.path, self.pointers.get(arm, ())))
        # Notes are for the user, whichever arm they come from.
        self._emit(event if isinstance(event, Note) else ArmEvent(self.run_id, arm, event))
        if isinstance(event, RunFinished):
            self._ended.setdefault(arm, []).append(event)
            if len(self._ended[arm]) == self.parts[arm]:
                self._end_arm(arm)
            if event.status == "cancelled":
                self.end()

    def _begin(self) -> None:
        names = tuple(self.parts)
        self._emit(RunStarted(self.run_id, self.path, self.name, "", "", names, self.trials, 1))
        for it in self.notes:
            self._emit(Note(self.run_id, "warning", it))

    def _end_arm(self, arm: str) -> None:
        """Report the end of an arm once, even if it was not run over all its evals."""
        if arm in self._reported_arms:
            return
        self._reported_arms.add(arm)
        ends = self._ended[arm]
        error = "; ".join(it.error for it in ends if it.error)
        score, weighted = mean([it.score for it in ends]), mean([it.weighted_score for it in ends])
        self._emit(TaskFinished(self.run_id, arm, self._arm_status(arm), score, weighted, error))

    def _arm_status(self, arm: str) -> Status:
        """Return the status of the arm's worst run. An arm passes only if it was run over all its evals."""
        ends = self._ended[arm]
        worst = worst_status(it.status for it in ends)
        is_unfinished = worst == "passed" and len(ends) < self.parts[arm]
        return "skipped" if worst == "cancelled" or is_unfinished else worst

    def _emit(self, event: Event) -> None:
        if self.listener is not None:
            self.listener(event)
