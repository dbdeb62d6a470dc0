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
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.trajectory import Trajectory


class StoredReplay:
    """Trials of a run in the store. A trial that it has not is an error that says so."""

    name: ClassVar[str] = "replay"
    ignores: ClassVar = NO_AGENT

    def __init__(self, store: RunStore, run: StoredRun) -> None:
        self._run_id = run.run_id
        self._trials = _trajectories(store, run)
        second = store.baseline_of(run.run_id)
        self._baseline = _trajectories(store, second) if second else {}
        self._triggers = {it.prompt: it for it in run.end.triggers}
        self.unknown: frozenset[str] = frozenset(run.frame.unknown)

    async def start(self) -> None:
        """Nothing to start."""

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        trials = self._baseline if request.baseline else self._trials
        found = trials.get((request.task.id, request.trial))
        if found is None:
            numbers = sorted(number for task, number in trials if task == request.task.id)
            there = f"it has {', '.join(map(str, numbers))}" if numbers else "it has none"
            raise ExecutorError(
                f"Run {self._run_id} has no trial {request.trial} of task '{request.task.id}'; {there}"
            )
        await request.after_turn(1 + len(request.task.follow_ups), found)
        return found

    async def triggered(self, request: TriggerRequest) -> bool:
        found = self._triggers.get(request.prompt)
        if found is None:
            raise UnavailableError(f"run {self._run_id} did not ask the prompt '{request.prompt}'")
        if found.error:
            raise ExecutorError(found.error)
        return found.did_trigger

    async def close(self) -> None:
        """Nothing to close."""


def _trajectories(store: RunStore, run: StoredRun) -> dict[tuple[str, int], Trajectory]:
    return {
        (it.record.task, it.record.trial): it.record.trajectory
        for it in store.trials(run.run_id)
        if it.record.trajectory.session is not None
    }
