"""Grading an experiment again: what was recorded of its arms the last time, with the graders as they are now.

It is told as the run of the experiment is: a run whose tasks are the arms. Nothing is stored.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waza_engine.project.load_suite import suite_of_arm
from waza_engine.runs.events import Listener, RunStarted
from waza_engine.runs.experiment_events import ExperimentTeller
from waza_engine.runs.records import RunRecord
from waza_engine.runs.regrade import regrade
from waza_engine.runs.run import new_run_id, run_finished
from waza_engine.runs.store import FILE_NAME, RunStore, default_store_dir
from waza_engine.runs.store_rows import StoredRun
from waza_engine.suite import ExperimentArm

if TYPE_CHECKING:
    from waza_engine.model.experiment import Experiment

_LATEST_RUNS = 200


def grade_experiment(
    experiment: "Experiment", arms: Collection[str], process_dir: Path, listener: Listener
) -> str:
    """Grade the arms, all without a choice, and tell of it; how it ended, "" when nothing was recorded.

    Raises:
        LoadError: an arm cannot be used any more.
        PlanError: an arm has none of its recorded tasks any more.
        StoreError: the store cannot be read.

    """
    directory = default_store_dir(experiment.path)
    if not (directory / FILE_NAME).is_file():
        return ""
    with RunStore(directory, for_reading=True) as store:
        recorded = _last_runs(store, experiment, arms)
        if not recorded:
            return ""
        teller = _teller(experiment, recorded)
        for arm, runs in recorded.items():
            emit = teller.of_arm(arm)(listener)
            for it in runs:
                emit(_started(it.run))
                emit(run_finished(_regraded(store, it, process_dir)))
    return teller.end().status


@dataclass(frozen=True, slots=True)
class _ArmRun:
    about: ExperimentArm
    run: StoredRun


def _last_runs(store: RunStore, experiment: "Experiment", arms: Collection[str]) -> dict[str, list[_ArmRun]]:
    """The runs of each arm over its evals, from when it was run last; those that recorded something."""
    found: dict[str, list[_ArmRun]] = {}
    for run in store.runs(experiment.path, _LATEST_RUNS):
        about = run.frame.arm
        if about is None or run.status is None or not store.finished(run.run_id):
            continue
        known = found.setdefault(about.variant, [])
        if not known or known[0].about.run_id == about.run_id:
            known.insert(0, _ArmRun(about, run))
    ordered = sorted(experiment.arms, key=lambda it: it.name != experiment.baseline)
    return {it.name: found[it.name] for it in ordered if it.name in found and it.name in (arms or found)}


def _teller(experiment: "Experiment", recorded: dict[str, list[_ArmRun]]) -> ExperimentTeller:
    trials = (sum(len(it.run.frame.tasks) * it.run.frame.trials for it in runs) for runs in recorded.values())
    return ExperimentTeller(
        f"grade-{new_run_id()}",
        experiment.path,
        experiment.name,
        {arm: len(runs) for arm, runs in recorded.items()},
        max(trials),
        {it.name: it.pointer for it in experiment.arms},
    )


def _regraded(store: RunStore, it: _ArmRun, process_dir: Path) -> RunRecord:
    suite = suite_of_arm(it.about)
    return regrade(store, it.run, suite, process_dir=process_dir, environment=os.environ)


def _started(run: StoredRun) -> RunStarted:
    tasks = tuple(it.id for it in run.frame.tasks)
    return RunStarted(
        run.run_id, run.eval_path, run.suite_name, "recorded", run.model, tasks, run.frame.trials, 1
    )
