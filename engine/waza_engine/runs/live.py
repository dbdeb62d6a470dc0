"""State of a run in progress. `run_suite` creates it; nothing else in this package is mutable."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from waza_engine.executors.base import Progress, agent_of
from waza_engine.lib.redaction import Redactor
from waza_engine.model.results.decisions import Decisions
from waza_engine.model.results.records import TaskRecord, TrialRecord, TriggerResult
from waza_engine.runs.events import BaselineEvent, Event, Listener, Note
from waza_engine.runs.planning.plan import Plan, plan_without_skills
from waza_engine.runs.run_header import RunFrame, frame_of
from waza_engine.runs.store.store import PATIENCE_SECONDS, RunStore, StoreError, UnfitError
from waza_engine.runs.trial.grade import Bench
from waza_engine.runs.trial.perform import run_trial

_SHORT_PATIENCE_SECONDS = 0.1

FinishedTrials = frozenset[tuple[int, int]]
"""Trials in the store: pairs of the task's index in the plan and the trial's number."""

Performer = Callable[[Bench, int, int, Progress], Awaitable[TrialRecord]]
"""Runs one trial (index of the task, number of the trial), on this machine or another."""


@dataclass(frozen=True, slots=True)
class RunOutputs:
    """Where a run reports: its events, its trials if they are stored, and the log of an unexpected error."""

    emit: Listener
    log_dir: Path
    store: RunStore | None = None


@dataclass(slots=True)
class LiveRun:
    """A run's records so far. `tasks` maps a task's index in the plan to its finished record.

    `finished` holds trials of an earlier process, which do not run again.
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
    decisions: Decisions | None = None
    is_store_failing: bool = False
    perform: Performer = run_trial
    clock: Callable[[], float] = time.monotonic
    start_clock: float = field(init=False)
    pending_writes: list[Callable[[RunStore], None]] = field(default_factory=list)
    """Writes to the store that have not succeeded yet, in order."""
    redactor: Redactor = field(default_factory=Redactor)
    """What leaves the run (into the store, reports and events) has no secrets that this one finds."""
    lost_writes: int = 0
    """Writes that the store refused although it holds the run."""

    def __post_init__(self) -> None:
        self.start_clock = self.clock()
        executor = self.bench.executor
        frame = frame_of(self.plan, self.bench.process_dir)
        command = self.redactor.text(frame.overrides.agent_command)
        frame = replace(frame, overrides=replace(frame.overrides, agent_command=command))
        self.frame = replace(
            frame,
            unknown=tuple(sorted(executor.unknown)),
            agent=agent_of(executor),
            agent_versioned=getattr(executor, "identity", None) is not None,
        )

    @property
    def plan(self) -> Plan:
        return self.bench.plan

    def start_baseline(self, finished: FinishedTrials) -> "LiveRun":
        """Begin the baseline pass. Its events are wrapped in ours; its trials belong to a run of their own."""
        bench = replace(self.bench, plan=plan_without_skills(self.plan))
        second = LiveRun(
            f"{self.run_id}-baseline",
            bench,
            self._emit_baseline_event,
            self.store,
            finished=finished,
            is_store_failing=self.is_store_failing,
            perform=self.perform,
            clock=self.clock,
            redactor=self.redactor,
        )
        self.baseline = second
        return second

    def _emit_baseline_event(self, event: Event) -> None:
        # Notes are for the user, whichever pass they come from.
        self.emit(event if isinstance(event, Note) else BaselineEvent(self.run_id, event))

    def warn(self, message: str) -> None:
        """Warn the user about something that does not stop the run."""
        self.emit(Note(self.run_id, "warning", message))

    @property
    def duration_ms(self) -> int:
        """How long this process has worked on the run, on a clock that nobody can change."""
        return round((self.clock() - self.start_clock) * 1000)

    def save(self, write: Callable[[RunStore], None]) -> bool:
        """Write to the store, earlier failed writes first. Return whether everything is stored now.

        A failure is a warning and the run continues: the disk may get room again, another program may release the store.
        """
        if self.store is None:
            return False
        self.pending_writes.append(write)
        while self.pending_writes:
            try:
                self.pending_writes[0](self.store)
            except UnfitError as error:
                self.warn(str(error))
                del self.pending_writes[0]
                self.lost_writes += 1
                return False
            except StoreError as error:
                self._note_write_failure(error)
                return False
            del self.pending_writes[0]
        self._note_write_success()
        return True

    def _note_write_failure(self, error: StoreError) -> None:
        if not self.is_store_failing:
            self.warn(f"{error}. Finished trials stay in memory until the store can be written again")
        self.is_store_failing = True
        if self.store is not None:
            # The run stands still while it waits for another program, so it waits the full time only once.
            self.store.file.patience = _SHORT_PATIENCE_SECONDS

    def _note_write_success(self) -> None:
        if self.store is None:
            return
        if self.store.file.is_new:
            self.warn(
                f"The run store {self.store.path} was deleted or replaced during the run. The new store holds only"
                " this run"
            )
            self.store.file.is_new = False
        if self.is_store_failing:
            self.emit(
                Note(
                    self.run_id,
                    "info",
                    "The run store can be written again, and all finished trials are in it",
                )
            )
            self.store.file.patience = PATIENCE_SECONDS
        self.is_store_failing = False
