"""The parts of an experiment's run: each arm over each eval, and which of them earlier runs have done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.model.experiment import Arm, Experiment
from waza_engine.runs.plan import Overrides
from waza_engine.runs.run import new_run_id
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.store_rows import StoredRun
from waza_engine.suite import ExperimentArm, Suite
from waza_lsp.cli.run_asked import Asked, Part
from waza_lsp.cli.run_source import LAST, find_run, give_up

Stored = Mapping[tuple[str, str], StoredRun]
"""The runs of an experiment in the store, by arm and eval."""

_OVER = frozenset(["passed", "failed"])
_OPTIONS = ("trials", "timeout", "executor", "model", "judge_model")
"""Options of the command line that every arm gets."""


@dataclass(frozen=True, slots=True)
class ArmRun:
    """An arm over one eval. With `is_done` it is in the store already."""

    arm: Arm
    eval_path: Path
    asked: Asked
    run_id: str
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """The run of an experiment: its id, and its parts in the order in which they are performed."""

    run_id: str
    experiment: Experiment
    parts: tuple[ArmRun, ...]

    @property
    def arms(self) -> list[str]:
        """The arms that are run, the baseline first."""
        names = dict.fromkeys(it.arm.name for it in self.parts)
        return sorted(names, key=lambda it: it != self.experiment.baseline)


def experiment_run(
    experiment: Experiment, asked: Asked, variants: Sequence[str], directory: Path
) -> ExperimentRun:
    """What is to be run; ends the program when that is impossible."""
    _refuse_options(experiment, asked)
    if asked.resume is not None:
        return _resumed(experiment, asked, variants, directory)
    chosen = _chosen(experiment, variants)
    if asked.overrides.workers is None:
        asked = replace(asked, overrides=replace(asked.overrides, workers=experiment.workers))
    found = _stored(asked.replay_from, experiment, directory) if asked.replay_from else None
    return _run(experiment, asked, chosen, new_run_id(), replayed=found)


def _run(
    experiment: Experiment,
    asked: Asked,
    chosen: Sequence[str],
    run_id: str,
    *,
    replayed: Stored | None = None,
    there: Stored | None = None,
) -> ExperimentRun:
    parts = []
    every = [(arm, it) for arm in _baseline_first(experiment) for it in experiment.evals]
    for number, (arm, eval_path) in enumerate(every, 1):
        if arm.name not in chosen:
            continue
        key = (arm.name, str(eval_path))
        own = replace(asked, part=_part(experiment, arm, eval_path, f"{run_id}-{number}", run_id, chosen))
        known = there.get(key) if there else None
        if replayed is not None:
            own = replace(own, replay_from=_source(replayed, key))
        if known is not None:
            own = replace(own, resume=known.run_id, overrides=Overrides())
        is_done = known is not None and known.status in _OVER
        parts.append(ArmRun(arm, eval_path, own, f"{run_id}-{number}", is_done))
    return ExperimentRun(run_id, experiment, tuple(parts))


def _baseline_first(experiment: Experiment) -> list[Arm]:
    return sorted(experiment.arms, key=lambda it: it.name != experiment.baseline)


def _part(
    experiment: Experiment, arm: Arm, eval_path: Path, run_id: str, whole_id: str, chosen: Sequence[str]
) -> Part:
    def load(context_dir: Path | None) -> Suite:
        return experiment.suite(arm, eval_path, run_id=whole_id, chosen=chosen, context_dir=context_dir)

    keeps_executor = bool(experiment.varied_setting("executor"))
    return Part(run_id, experiment.folder_name(arm.name), load, keeps_executor)


def _chosen(experiment: Experiment, variants: Sequence[str]) -> list[str]:
    """The arms to run; those of a matrix are known by their labels in any order."""
    if not variants:
        return [it.name for it in experiment.arms]
    names = {frozenset(it.name.split(",")) if it.labels else it.name: it.name for it in experiment.arms}
    found = []
    for it in variants:
        name = names.get(it) or names.get(frozenset(it.split(",")))
        if name is None:
            known = ", ".join(arm.name for arm in experiment.arms)
            give_up(f"There is no variant '{it}'; there are: {known}", experiment.path)
        found.append(name)
    return found


def _refuse_options(experiment: Experiment, asked: Asked) -> None:
    overrides = asked.overrides
    if overrides.baseline or overrides.no_skills:
        give_up("An experiment says itself what its arms have; leave out --baseline and --no-skills")
    for name in _OPTIONS:
        if getattr(overrides, name) is not None and (setting := experiment.varied_setting(name)):
            give_up(f"--{name.replace('_', '-')} would make the arms alike: they differ in {setting}")


def _resumed(experiment: Experiment, asked: Asked, variants: Sequence[str], directory: Path) -> ExperimentRun:
    if asked.overrides != Overrides() or asked.replay_from or variants:
        give_up(
            "--resume goes on with the experiment as it was started; leave out the options that choose arms, tasks, "
            "trials or models"
        )
    there = _stored(asked.resume or LAST, experiment, directory)
    known = next(iter(there.values()))
    about = _about(known)
    gone = [it for it in about.arms if it not in {arm.name for arm in experiment.arms}]
    if gone:
        give_up(f"The experiment has no arm '{gone[0]}' any more; start a new run")
    # Arms that were not begun are run as those that were.
    anew = replace(asked, resume=None, overrides=known.frame.overrides)
    run = _run(experiment, anew, about.arms, about.run_id, there=there)
    if all(it.is_done for it in run.parts):
        give_up(f"Run {run.run_id} of the experiment is over; there is nothing left to do")
    return run


def _stored(name: str, experiment: Experiment, directory: Path) -> Stored:
    """The runs of the experiment's run that is called `name`, which may be the run of one of its arms."""
    try:
        with RunStore(directory, for_reading=True) as store:
            about = _about(_first(store, name, experiment))
            return {
                (it.frame.arm.variant, it.frame.arm.eval_path): it
                for it in store.find_runs(about.run_id)
                if it.frame.arm is not None and it.frame.arm.run_id == about.run_id
            }
    except StoreError as error:
        give_up(str(error))


def _first(store: RunStore, name: str, experiment: Experiment) -> StoredRun:
    if name == LAST:
        return find_run(store, name, experiment.path)
    found = [it for it in store.find_runs(name) if it.frame.arm is not None]
    return found[0] if found else find_run(store, name)


def _about(run: StoredRun) -> ExperimentArm:
    if run.frame.arm is None:
        give_up(f"Run {run.run_id} is no arm of an experiment, but a run of {run.eval_path}")
    return run.frame.arm


def _source(stored: Stored, key: tuple[str, str]) -> str:
    if key not in stored:
        give_up(f"The recorded run has no arm '{key[0]}' over {key[1]}")
    return stored[key].run_id
