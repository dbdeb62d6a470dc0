"""Going on with a run that was killed or cancelled: only what is missing is performed.

Every finished trial is in the store. Trials of a task that has changed since then say nothing about it any more: they
are forgotten and performed again.
"""

from dataclasses import dataclass
from pathlib import Path

from waza_engine.runs.frames import frame_of, is_performed_now
from waza_engine.runs.live import Finished
from waza_engine.runs.plan import Plan, plan_without_skills
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun


class ResumeError(Exception):
    """The run cannot be gone on with; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """What is there already. `changed` are the ids of tasks that are performed again because they have changed.

    `agent` is the one that has performed it (`RunFrame.agent`).
    """

    started_at: float = 0.0
    finished: Finished = frozenset()
    baseline: Finished = frozenset()
    changed: tuple[str, ...] = ()
    agent: str = ""


def refuse_to_resume(run: StoredRun) -> None:
    """See that the run can be gone on with.

    Raises:
        ResumeError: it is over, or still going on.

    """
    if run.status in {"passed", "failed"}:
        raise ResumeError(f"Run {run.run_id} is over ({run.status}); there is nothing left to do")
    if run.status is None and is_performed_now(run.frame):
        raise ResumeError(
            f"Run {run.run_id} is still going on, in process {run.frame.pid}; wait for its end, or end that process"
        )


def resumed(store: RunStore, run: StoredRun, plan: Plan, process_dir: Path) -> Resumed:
    """What of the plan the stored run has finished. `process_dir` is the directory that we are started in.

    Raises:
        ResumeError: the tasks are no longer those of the run.

    """
    before = [it.id for it in run.frame.tasks]
    now = [it.id for it in plan.tasks]
    if before != now:
        raise ResumeError(
            f"The tasks of run {run.run_id} were {', '.join(before) or 'not recorded'}; now they are {', '.join(now)}. "
            "Start a new run"
        )
    # Two may want to go on with it at once. From here on it is ours.
    refuse_to_resume(store.take_over(run.run_id))
    finished, changed = _finished(store, run, plan, process_dir)
    second = store.baseline_of(run.run_id)
    without = frozenset[tuple[int, int]]()
    if second:
        without, _ = _finished(store, second, plan_without_skills(plan), process_dir)
    return Resumed(run.started_at, finished, without, changed, run.frame.agent)


def _finished(
    store: RunStore, run: StoredRun, plan: Plan, process_dir: Path
) -> tuple[Finished, tuple[str, ...]]:
    changed = {
        index
        for index, (now, was) in enumerate(
            zip(frame_of(plan, process_dir).tasks, run.frame.tasks, strict=True)
        )
        if now.fingerprint != was.fingerprint
    }
    for index in changed:
        store.forget_task(run.run_id, index)
    found = frozenset(it for it in store.finished(run.run_id) if it[0] < len(plan.tasks))
    return found, tuple(plan.tasks[it].id for it in sorted(changed))
