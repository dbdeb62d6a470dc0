"""The state of a run in progress: the one mutable value of this package, made by `run_suite` and gone with it."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from waza_engine.executors.base import Progress, agent_of
from waza_engine.model.records import TaskRecord, TrialRecord, TriggerResult
from waza_engine.runs.events import BaselineEvent, Event, Listener, Note
from waza_engine.runs.planning.plan import Plan, plan_without_skills
from waza_engine.runs.run_header import RunFrame, frame_of
from waza_engine.runs.store.store import PATIENCE_SECONDS, RunStore, StoreError, UnfitError
from waza_engine.runs.trial.grade import Bench
from waza_engine.runs.trial.perform import run_trial

_SHORT_PATIENCE_SECONDS = 0.1

FinishedTrials = frozenset[tuple[int, int]]
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
    finished: FinishedTrials = frozenset()
    tasks: dict[int, TaskRecord] = field(default_factory=dict)
    frame: RunFrame = field(init=False)
    baseline: "LiveRun | None" = None
    triggers: tuple[TriggerResult, ...] = ()
    is_unstored: bool = False
    perform: Performer = run_trial
    clock: Callable[[], float] = time.monotonic
    began: float = field(init=False)
    unsaved: list[Callable[[RunStore], None]] = field(default_factory=list)
    """What could not be written so far, in order."""

    def __post_init__(self) -> None:
        self.began = self.clock()
        executor = self.bench.executor
        frame = frame_of(self.plan, self.bench.process_dir)
        self.frame = replace(frame, unknown=tuple(sorted(executor.unknown)), agent=agent_of(executor))

    @property
    def plan(self) -> Plan:
        return self.bench.plan

    def without_skills(self, finished: FinishedTrials) -> "LiveRun":
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
            clock=self.clock,
        )
        self.baseline = second
        return second

    def _tell_of_baseline(self, event: Event) -> None:
        # A note is meant for the user, whatever it is about.
        self.emit(event if isinstance(event, Note) else BaselineEvent(self.run_id, event))

    def already_finished(self, trials: FinishedTrials) -> None:
        """These are in the store already, and are not performed again."""
        self.finished |= trials

    def warn(self, message: str) -> None:
        """Tell the user something that does not stop the run."""
        self.emit(Note(self.run_id, "warning", message))

    @property
    def duration_ms(self) -> int:
        """How long this process has been at it, whatever became of the clock on the wall."""
        return round((self.clock() - self.began) * 1000)

    def save(self, write: Callable[[RunStore], None]) -> bool:
        """Write to the store, and first what could not be written before; whether all of it is there now.

        When that fails the user is told, and the run goes on: a full disk may get room again, another program may be done.
        """
        if self.store is None:
            return False
        self.unsaved.append(write)
        while self.unsaved:
            try:
                self.unsaved[0](self.store)
            except UnfitError as error:
                self.warn(str(error))
                del self.unsaved[0]
                return False
            except StoreError as error:
                self._cannot_write(error)
                return False
            del self.unsaved[0]
        self._can_write()
        return True

    def _cannot_write(self, error: StoreError) -> None:
        if not self.is_unstored:
            self.warn(f"{error}. Until it can be written, what is finished is kept in memory and not stored")
        self.is_unstored = True
        if self.store is not None:
            # Nothing goes on while we wait for another program, so that is done once.
            self.store.file.patience = _SHORT_PATIENCE_SECONDS

    def _can_write(self) -> None:
        if self.store is None:
            return
        if self.store.file.is_new:
            self.warn(
                f"The run store {self.store.path} was deleted or replaced while the run went on. What is there now has"
                " this run alone"
            )
            self.store.file.is_new = False
        if self.is_unstored:
            self.emit(
                Note(self.run_id, "info", "The run store can be written again; nothing is missing in it")
            )
            self.store.file.patience = PATIENCE_SECONDS
        self.is_unstored = False
