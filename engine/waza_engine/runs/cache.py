"""Trials that need not be performed again, because the store has them: `--cache`, or `cache.enabled` of `.waza.yaml`.

waza keeps results in files of a cache folder (docs/reference/waza-formats.md, section 13.9). Here every trial
is in the store anyway: a task of which nothing has changed gets the trials of the newest run of the same
agent that finished them all. Failed ones count as well; one that is an error has no verdict, and is performed
again. A grader of the eval that waza never caches (`behavior`, `prompt`) switches this off, and so does a
baseline.
"""

from waza_engine.graders.registry import find_grader
from waza_engine.runs.frames import RunFrame
from waza_engine.runs.live import Finished
from waza_engine.runs.plan import Plan
from waza_engine.runs.store import RunStore


def is_cacheable(plan: Plan) -> bool:
    """Whether trials of earlier runs may stand for those of this plan."""
    kinds = [find_grader(it.type, it.dialect) for it in plan.suite.graders]
    hooked = any(plan.suite.hooks.get(it) for it in ("before_task", "after_task"))
    return not (
        plan.settings.baseline or plan.skip_graders or plan.keep_workspace or plan.update_snapshots or hooked
    ) and all(it is None or it.cacheable for it in kinds)


def take_from_earlier_runs(store: RunStore, run_id: str, plan: Plan, frame: RunFrame) -> Finished:
    """Copy what earlier runs of the eval have finished into the run of that frame; which trials these are."""
    numbers = range(1, plan.settings.trials + 1)
    known: dict[str, tuple[str, int]] = {}
    for run in store.runs(plan.suite.listed_as):
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
