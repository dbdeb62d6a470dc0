"""Reuse trials from the store: resume a run, or take unchanged tasks from earlier runs.

Resuming runs only the missing trials of a killed or cancelled run, and those that could not be judged for reasons of
infrastructure: a judge or an endpoint was down. Trials of a task that has changed since then no
longer apply: they are deleted and run again.

`--cache`, or `cache.enabled` in `.waza.yaml`, copies trials from earlier runs. waza uses files in a cache folder
(docs/reference/waza-formats.md, section 13.9); here every trial is in the store anyway. An unchanged task gets the
trials of the newest run of the same agent that finished all of them. Failed trials count too; trials with an error
have no verdict and run again. A baseline, or an eval-level grader that waza never caches (`behavior`, `prompt`),
turns the cache off.
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
    """The run cannot be resumed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ResumeState:
    """Trials that already exist. `changed` holds the ids of tasks that run again because they have changed.

    `agent` is the agent of the earlier part of the run (`RunFrame.agent`).
    """

    started_at: float = 0.0
    finished: FinishedTrials = frozenset()
    baseline: FinishedTrials = frozenset()
    changed: tuple[str, ...] = ()
    agent: str = ""


def check_resumable(run: StoredRun, *, undecided: bool = False) -> None:
    """Check that the run can be resumed. With `undecided`, it has trials that could not be judged.

    Raises:
        ResumeError: it has finished, or is still in progress.

    """
    if run.status in {"passed", "failed"} and not undecided:
        raise ResumeError(f"Run {run.run_id} has finished ({run.status}). Nothing is left to do")
    if run.status is None and is_running(run.frame):
        raise ResumeError(
            f"Run {run.run_id} is still running in process {run.frame.pid}. Wait until it ends, or kill that process"
        )


def resume_state(store: RunStore, run: StoredRun, plan: Plan, process_dir: Path) -> ResumeState:
    """Return what the stored run has finished of the plan. `process_dir` is the directory we were started in.

    Raises:
        ResumeError: the plan has other tasks than the run.

    """
    before = [it.id for it in run.frame.tasks]
    now = [it.id for it in plan.tasks]
    if before != now:
        raise ResumeError(
            f"Run {run.run_id} had other tasks: {', '.join(before) or 'none recorded'}. Now there are: {', '.join(now)}. "
            "Start a new run"
        )
    # Another process may try to resume the same run. From here on the run is ours.
    check_resumable(store.take_over(run.run_id), undecided=has_undecided(store, run))
    for it in filter(None, (run, store.baseline_of(run.run_id))):
        store.forget_undecided(it.run_id)
    finished, changed = _reusable_trials(store, run, plan, process_dir)
    second = store.baseline_of(run.run_id)
    without = frozenset[tuple[int, int]]()
    if second:
        without, _ = _reusable_trials(store, second, plan_without_skills(plan), process_dir)
    return ResumeState(run.started_at, finished, without, changed, run.frame.agent)


def has_undecided(store: RunStore, run: StoredRun) -> bool:
    """Return whether trials or trigger prompts of the run, or of its baseline, have errors of infrastructure."""
    if any(it.infrastructure for it in run.end.triggers):
        return True
    second = store.baseline_of(run.run_id)
    return bool(store.undecided(run.run_id) or (second and store.undecided(second.run_id)))


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
    finished = frozenset(it for it in store.finished(run.run_id) if it[0] < len(plan.tasks))
    return finished, tuple(plan.tasks[it].id for it in sorted(changed))


def is_cacheable(plan: Plan) -> bool:
    """Return whether this plan may reuse trials of earlier runs."""
    kinds = [find_grader(it.type, it.dialect) for it in plan.suite.graders]
    has_hooks = any(plan.suite.hooks.get(it) for it in ("before_task", "after_task"))
    return not (
        plan.settings.baseline
        or plan.skip_graders
        or plan.keep_workspace
        or plan.update_snapshots
        or has_hooks
    ) and all(it is None or it.cacheable for it in kinds)


def copy_cached_trials(store: RunStore, run_id: str, plan: Plan, frame: RunFrame) -> FinishedTrials:
    """Copy finished trials of the eval's earlier runs into this run and return which ones."""
    numbers = range(1, plan.settings.trials + 1)
    known: dict[str, tuple[str, int]] = {}
    for run in store.runs(plan.suite.source_file):
        if not frame.agent or run.frame.agent != frame.agent:
            continue
        finished = set(store.finished(run.run_id, judged=True))
        for index, it in enumerate(run.frame.tasks):
            if it.fingerprint and all((index, number) in finished for number in numbers):
                known.setdefault(it.fingerprint, (run.run_id, index))
    copied = set()
    for index, it in enumerate(frame.tasks):
        if it.fingerprint in known:
            store.copy_trials(*known[it.fingerprint], run_id, index, plan.settings.trials)
            copied |= {(index, number) for number in numbers}
    return frozenset(copied)
