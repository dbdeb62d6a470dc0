"""A stored run in place of the agent: `--replay-from RUN` performs its trials again, with what was recorded."""

from typing import ClassVar

from waza_engine.executors.base import (
    NO_AGENT,
    ExecutorError,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
)
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore, StoreError


class StoredReplay:
    """Trials of a run in the store. A trial that it has not is an error that says so."""

    name: ClassVar[str] = "replay"
    ignores: ClassVar = NO_AGENT

    def __init__(self, store: RunStore, run: StoredRun) -> None:
        self._store, self._run_id = store, run.run_id
        self._trials = _trial_keys(store, run)
        second = store.baseline_of(run.run_id)
        self._baseline = _trial_keys(store, second) if second else {}
        self._triggers = {it.prompt: it for it in run.end.triggers}
        self.unknown: frozenset[str] = frozenset(run.frame.unknown)

    def identity(self) -> str:
        """Which run stands in for the agent."""
        return self._run_id

    async def start(self) -> None:
        """Nothing to start."""

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        trials = self._baseline if request.baseline else self._trials
        found = self._trajectory(trials.get((request.task.id, request.trial)))
        if found is None:
            numbers = sorted(number for task, number in trials if task == request.task.id)
            there = f"it has {', '.join(map(str, numbers))}" if numbers else "it has none that was performed"
            raise ExecutorError(
                f"Run {self._run_id} has no trial {request.trial} of task '{request.task.id}'; {there}"
            )
        await request.after_turn(1 + len(request.task.follow_ups), found)
        return found

    def _trajectory(self, place: tuple[str, int, int] | None) -> Trajectory | None:
        """What was done in a trial; None when it never was performed, or is not there."""
        if place is None:
            return None
        try:
            found = self._store.trial(*place).trajectory
        except StoreError as error:
            raise ExecutorError(str(error)) from error
        return found if found.session is not None else None

    async def triggered(self, request: TriggerRequest) -> bool:
        found = self._triggers.get(request.prompt)
        if found is None:
            raise UnavailableError(f"run {self._run_id} did not ask the prompt '{request.prompt}'")
        if found.error:
            raise ExecutorError(found.error)
        return found.did_trigger

    async def close(self) -> None:
        """Nothing to close."""


def _trial_keys(store: RunStore, run: StoredRun) -> dict[tuple[str, int], tuple[str, int, int]]:
    """Where in the store the trials of a run are, by task and number; each is read when it is asked for."""
    verdicts, places = store.verdicts(run.run_id), store.finished(run.run_id)
    return {(it.task, it.trial): (run.run_id, *place) for it, place in zip(verdicts, places, strict=True)}
