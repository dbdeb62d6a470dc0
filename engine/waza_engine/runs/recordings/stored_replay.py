"""Replay a stored run as the executor: `--replay-from RUN` answers each trial with its recording."""

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
    """An executor that replays a stored run. A trial that the run lacks is an `ExecutorError`."""

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
        """Return the id of the run that replaces the agent."""
        return self._run_id

    async def start(self) -> None:
        """Nothing to start."""

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        trials = self._baseline if request.baseline else self._trials
        trajectory = self._trajectory(trials.get((request.task.id, request.trial)))
        if trajectory is None:
            numbers = sorted(number for task, number in trials if task == request.task.id)
            known = f"it has {', '.join(map(str, numbers))}" if numbers else "it performed none of them"
            raise ExecutorError(
                f"Run {self._run_id} has no trial {request.trial} of task '{request.task.id}'; {known}"
            )
        await request.after_turn(1 + len(request.task.follow_ups), trajectory)
        return trajectory

    def _trajectory(self, key: tuple[str, int, int] | None) -> Trajectory | None:
        """Return a trial's trajectory, or None if the trial is missing or was never performed."""
        if key is None:
            return None
        try:
            trajectory = self._store.trial(*key).trajectory
        except StoreError as error:
            raise ExecutorError(str(error)) from error
        return trajectory if trajectory.session is not None else None

    async def triggered(self, request: TriggerRequest) -> bool:
        result = self._triggers.get(request.prompt)
        if result is None:
            raise UnavailableError(f"run {self._run_id} has no result for the prompt '{request.prompt}'")
        if result.error:
            raise ExecutorError(result.error, infrastructure=result.infrastructure)
        return result.did_trigger

    async def close(self) -> None:
        """Nothing to close."""


def _trial_keys(store: RunStore, run: StoredRun) -> dict[tuple[str, int], tuple[str, int, int]]:
    """Return the store keys of a run's trials by task id and number. Trials are read only when needed."""
    verdicts, keys = store.verdicts(run.run_id), store.finished(run.run_id)
    return {(it.task, it.trial): (run.run_id, *key) for it, key in zip(verdicts, keys, strict=True)}
