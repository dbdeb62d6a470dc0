"""`waza-lsp run EXPERIMENT`: every arm over every eval, each a run as any other, and in the end what the arms differ in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from waza_engine.executors.registry import starts_agent
from waza_engine.formats.vally.experiment_load import Experiment
from waza_engine.reports.inert import harmless
from waza_engine.runs.experiment_events import ExperimentTeller
from waza_engine.runs.plan import Overrides, Plan
from waza_engine.runs.run import new_run_id
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.store_rows import StoredRun
from waza_engine.suite import ExperimentArm, Suite
from waza_engine.vally.experiment_arms import Arm, may_differ, pointer_text
from waza_lsp.cli.console import CANNOT, show, tell
from waza_lsp.cli.run.dry_run import Experimented, plans_json, plans_text
from waza_lsp.cli.run.experiment_reports import Done, concluded
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Printed, Reports, Shown
from waza_lsp.cli.run.request import Asked, Part, asked, planned, reports, shown
from waza_lsp.cli.stored_runs import LAST, find_run, give_up

Stored = Mapping[tuple[str, str], StoredRun]
"""The runs of an experiment in the store, by arm and eval."""

_OVER = frozenset(["passed", "failed"])
_SETTINGS = {
    "trials": ("defaults", "runs"),
    "timeout": ("defaults", "timeout"),
    "executor": ("defaults", "executor"),
    "model": ("defaults", "model"),
    "judge_model": ("defaults", "judge_model"),
}
"""Options of the command line that every arm gets, and the settings that they stand for."""


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


def run_experiment(
    experiment: Experiment, eval_file: Path, options: Mapping[str, Any], directory: Path
) -> int:
    """Run it, or say what would be run; the exit status."""
    models = options["models"]
    if options["output_dir"] is not None:
        raise click.UsageError("The folder for the results of an experiment is named with --output.")
    if len(models) > 1:
        raise click.UsageError("An experiment is run with one --model; several are a matter of its variants.")
    wanted = asked(eval_file, options, models[0] if models else None)
    run = experiment_run(experiment, wanted, options["variants"], directory)
    plans = [planned(it.asked) for it in run.parts]
    if wanted.agent.command and not any(starts_agent(it.settings.executor) for it in plans):
        give_up("No arm of the experiment has an executor that starts an agent; leave out --agent-command")
    if options["dry_run"]:
        of = Experimented(experiment.name, experiment.baseline)
        show((plans_json if options["printed"] == "json" else plans_text)(plans, of))
        return 0
    return _performed(run, plans, reports(options), shown(options), directory)


def _performed(run: ExperimentRun, plans: list[Plan], files: Reports, how: Shown, directory: Path) -> int:
    notes = [*run.experiment.notes, *_missing_skills(plans)]
    teller = _teller(run, plans, notes)
    if not how.events:
        for it in notes:
            tell(f"warning: {it}")
    done = [Done(it.arm.name, it.run_id) for it in run.parts if it.is_done]
    printed = Printed.of_several(how)
    last_failure = 0
    try:
        for part in run.parts:
            if part.is_done:
                continue
            if not how.events and how.printed != "json":
                show(f"\n{_title(part, run)}\n")
            part_of = teller.of_arm(part.arm.name) if how.events else None
            record, status = perform(part.asked, _files(part, files, run), how, printed, directory, part_of)
            done.append(Done(part.arm.name, part.run_id, record))
            last_failure = status or last_failure
            if status == CANNOT:
                break
    finally:
        printed.end(may_be_none=all(it.is_done for it in run.parts))
    if how.events:
        teller.end()
    problems = concluded(run.experiment, run.arms, done, files, how, directory)
    for it in problems:
        tell(f"error: {it}")
    return CANNOT if problems else last_failure


def _title(part: ArmRun, run: ExperimentRun) -> str:
    of = run.experiment
    baseline = " (baseline)" if part.arm.name == of.baseline else ""
    return harmless(f"{part.arm.name}{baseline}" + (f", {part.eval_path}" if len(of.evals) > 1 else ""))


def _files(part: ArmRun, files: Reports, run: ExperimentRun) -> Reports:
    """The report files of one run. Results that go into a folder are written when all is over."""
    of, name = run.experiment, run.experiment.folder_name(part.arm.name)
    if len(of.evals) > 1:
        name += f"_{of.evals.index(part.eval_path) + 1}"
    own = files.of(name)
    results = None if files.is_folder else own.results
    folder = run.experiment.folder_name(part.arm.name)
    recordings = files.recordings / folder if files.recordings else None
    transcripts = files.transcripts / folder if files.transcripts else None
    return replace(own, results=results, recordings=recordings, transcripts=transcripts)


def _missing_skills(plans: list[Plan]) -> Iterator[str]:
    """Skills that are not there: an arm that lacks its skill is no other than the baseline, and nobody would see it."""
    told = set()
    for plan in plans:
        for it in sorted({it for task in plan.tasks for it in task.skill_directories or ()}):
            arm = plan.suite.arm.variant if plan.suite.arm else ""
            if (arm, it) not in told and not _holds_skills(Path(it)):
                told.add((arm, it))
                yield f"{arm}: there is no skill in {it}"


def _holds_skills(folder: Path) -> bool:
    """Whether a folder is a skill, or one of skills."""
    return (folder / "SKILL.md").is_file() or any(folder.glob("*/SKILL.md"))


def _teller(run: ExperimentRun, plans: list[Plan], notes: list[str]) -> ExperimentTeller:
    left = [(it, plan) for it, plan in zip(run.parts, plans, strict=True) if not it.is_done]
    counts: dict[str, int] = {}
    trials: dict[str, int] = {}
    for part, plan in left:
        name = part.arm.name
        counts[name] = counts.get(name, 0) + 1
        trials[name] = trials.get(name, 0) + len(plan.tasks) * plan.settings.trials
    pointers = {it.arm.name: it.arm.pointer for it in run.parts}
    most = max(trials.values(), default=1)
    of = run.experiment
    return ExperimentTeller(run.run_id, of.path, of.name, counts, most, pointers, notes)


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

    keeps_executor = may_differ(_SETTINGS["executor"], list(experiment.varied))
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
    for name, path in _SETTINGS.items():
        if getattr(overrides, name) is not None and may_differ(path, list(experiment.varied)):
            option = name.replace("_", "-")
            give_up(f"--{option} would make the arms alike: they differ in {pointer_text(path)}")


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
