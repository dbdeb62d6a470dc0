"""The state of a run in progress: the one mutable value of this package, made by `run_suite` and gone with it."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from waza_engine.executors.base import Progress
from waza_engine.runs.events import BaselineEvent, Event, Listener, Note
from waza_engine.runs.frames import RunFrame, frame_of
from waza_engine.runs.grade import Bench
from waza_engine.runs.plan import Plan, plan_without_skills
from waza_engine.runs.records import TaskRecord, TrialRecord, TriggerResult
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.trial import run_trial

Finished = frozenset[tuple[int, int]]
"""Trials that are in the store: the index of their task in the plan, and their number."""


Performer = Callable[[Bench, int, int, Progress], Awaitable[TrialRecord]]
"""What performs a trial (index of the task, number of the trial): here, or on another machine."""


@dataclass(slots=True)
class LiveRun:
    """What is known so far. `tasks` are the finished ones by their index in the plan.

    `finished` are trials that an earlier process has performed: they are not performed again.
    """

    run_id: str
    bench: Bench
    emit: Listener
    store: RunStore | None
    started_at: float = field(default_factory=time.time)
    finished: Finished = frozenset()
    tasks: dict[int, TaskRecord] = field(default_factory=dict)
    frame: RunFrame = field(init=False)
    baseline: "LiveRun | None" = None
    triggers: tuple[TriggerResult, ...] = ()
    is_unstored: bool = False
    perform: Performer = run_trial

    def __post_init__(self) -> None:
        self.frame = replace(frame_of(self.plan), unknown=tuple(sorted(self.bench.executor.unknown)))

    @property
    def plan(self) -> Plan:
        return self.bench.plan

    def without_skills(self, finished: Finished) -> "LiveRun":
        """The second pass of a run with a baseline: its events are told inside of ours, its trials stored apart."""
        bench = replace(self.bench, plan=plan_without_skills(self.plan))
        second = LiveRun(
            f"{self.run_id}-baseline",
            bench,
            self._tell_of_baseline,
            self.store,
            finished=finished,
            is_unstored=self.is_unstored,
            perform=self.perform,
        )
        self.baseline = second
        return second

    def _tell_of_baseline(self, event: Event) -> None:
        # A note is meant for the user, whatever it is about.
        self.emit(event if isinstance(event, Note) else BaselineEvent(self.run_id, event))

    def already_finished(self, trials: Finished) -> None:
        """These are in the store already, and are not performed again."""
        self.finished |= trials

    def warn(self, message: str) -> None:
        """Tell the user something that does not stop the run."""
        self.emit(Note(self.run_id, "warning", message))

    def save(self, write: Callable[[RunStore], None]) -> bool:
        """Write to the store. When that fails the user is told, and the run goes on without it."""
        if self.is_unstored or self.store is None:
            return False
        try:
            write(self.store)
        except StoreError as error:
            self.is_unstored = True
            self.warn(f"{error}. What comes from here on is not stored")
        return not self.is_unstored
