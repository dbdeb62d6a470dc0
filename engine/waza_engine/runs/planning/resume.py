"""Going on with a run that was killed or cancelled: only what is missing is performed.

Every finished trial is in the store. Trials of a task that has changed since then say nothing about it any more: they
are forgotten and performed again.

Trials that need not be performed again, because the store has them: `--cache`, or `cache.enabled` of `.waza.yaml`.

waza keeps results in files of a cache folder (docs/reference/waza-formats.md, section 13.9). Here every trial
is in the store anyway: a task of which nothing has changed gets the trials of the newest run of the same
agent that finished them all. Failed ones count as well; one that is an error has no verdict, and is performed
again. A grader of the eval that waza never caches (`behavior`, `prompt`) switches this off, and so does a
baseline.
"""

from dataclasses import dataclass
from pathlib import Path

from waza_engine.graders.registry import find_grader
from waza_engine.runs.live import FinishedTrials
from waza_engine.runs.planning.plan import Plan, plan_without_skills
from waza_engine.runs.run_header import RunFrame, frame_of, is_running
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore


class ResumeError(Exception):
    """The run cannot be gone on with; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class ResumeState:
    """What is there already. `changed` are the ids of tasks that are performed again because they have changed.

    `agent` is the one that has performed it (`RunFrame.agent`).
    """

    started_at: float = 0.0
    finished: FinishedTrials = frozenset()
    baseline: FinishedTrials = frozenset()
    changed: tuple[str, ...] = ()
    agent: str = ""


def check_resumable(run: StoredRun) -> None:
    """See that the run can be gone on with.

    Raises:
        ResumeError: it is over, or still going on.

    """
    if run.status in {"passed", "failed"}:
        raise ResumeError(f"Run {run.run_id} is over ({run.status}); there is nothing left to do")
    if run.status is None and is_running(run.frame):
        raise ResumeError(
            f"Run {run.run_id} is still going on, in process {run.frame.pid}; wait for its end, or end that process"
        )


def resume_state(store: RunStore, run: StoredRun, plan: Plan, process_dir: Path) -> ResumeState:
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
    check_resumable(store.take_over(run.run_id))
    finished, changed = _reusable_trials(store, run, plan, process_dir)
    second = store.baseline_of(run.run_id)
    without = frozenset[tuple[int, int]]()
    if second:
        without, _ = _reusable_trials(store, second, plan_without_skills(plan), process_dir)
    return ResumeState(run.started_at, finished, without, changed, run.frame.agent)


def _reusable_trials(
    store: RunStore, run: StoredRun, plan: Plan, process_dir: Path
) -> tuple[FinishedTrials, tuple[str, ...]]:
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


def is_cacheable(plan: Plan) -> bool:
    """Whether trials of earlier runs may stand for those of this plan."""
    kinds = [find_grader(it.type, it.dialect) for it in plan.suite.graders]
    hooked = any(plan.suite.hooks.get(it) for it in ("before_task", "after_task"))
    return not (
        plan.settings.baseline or plan.skip_graders or plan.keep_workspace or plan.update_snapshots or hooked
    ) and all(it is None or it.cacheable for it in kinds)


def copy_cached_trials(store: RunStore, run_id: str, plan: Plan, frame: RunFrame) -> FinishedTrials:
    """Copy what earlier runs of the eval have finished into the run of that frame; which trials these are."""
    numbers = range(1, plan.settings.trials + 1)
    known: dict[str, tuple[str, int]] = {}
    for run in store.runs(plan.suite.source_file):
        if not frame.agent or run.frame.agent != frame.agent:
            continue
        finished = set(store.finished(run.run_id, judged=True))
        for index, it in enumerate(run.frame.tasks):
            if it.fingerprint and all((index, number) in finished for number in numbers):
                known.setdefault(it.fingerprint, (run.run_id, index))
    taken = set()
    for index, it in enumerate(frame.tasks):
        if it.fingerprint in known:
            store.copy_trials(*known[it.fingerprint], run_id, index, plan.settings.trials)
            taken |= {(index, number) for number in numbers}
    return frozenset(taken)
