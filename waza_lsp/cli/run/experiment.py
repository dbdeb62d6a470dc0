"""`waza-lsp run EXPERIMENT`: run every arm over every eval, then compare the arms.

Imported late: most runs are of evals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from waza_engine.executors.registry import starts_agent
from waza_engine.model.experiment import Arm, Experiment
from waza_engine.model.suite import ExperimentArm, Suite
from waza_engine.reports.inert import harmless
from waza_engine.runs.experiment_events import ExperimentEvents
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError
from waza_engine.runs.run import new_run_id, worse_exit
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore, StoreError
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show
from waza_lsp.cli.options import LAST
from waza_lsp.cli.run.dry_run import ExperimentHeader, plans_json, plans_text
from waza_lsp.cli.run.experiment_reports import FinishedRun, report_experiment
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Display, ReportPrinter, Reports
from waza_lsp.cli.run.request import ArmPart, RunRequest, plan_run, report_files
from waza_lsp.cli.run.until_decided import resumed_overrides
from waza_lsp.cli.stored.find import find_run

StoredArms = Mapping[tuple[str, str], StoredRun]
"""The stored runs of an experiment, by arm and eval."""

_FINISHED = frozenset(["passed", "failed"])
_OPTIONS = ("trials", "timeout", "executor", "model", "judge_model")
"""Options of the command line that override all arms."""


@dataclass(frozen=True, slots=True)
class ArmRun:
    """An arm over one eval. With `is_done` it is in the store already."""

    arm: Arm
    eval_path: Path
    request: RunRequest
    run_id: str
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """The run of an experiment, with its arm runs in the order of execution."""

    run_id: str
    experiment: Experiment
    parts: tuple[ArmRun, ...]

    @property
    def arms(self) -> list[str]:
        """The names of the arms, the baseline first."""
        names = dict.fromkeys(it.arm.name for it in self.parts)
        return sorted(names, key=lambda it: it != self.experiment.baseline)


def run_experiment(
    experiment: Experiment, eval_file: Path, options: Mapping[str, Any], directory: Path
) -> int:
    """Run the experiment, or print its plan, and return the exit status."""
    models = options["models"]
    if options["output_dir"] is not None:
        raise click.UsageError(
            "--output-dir is for evals. Name the results folder of an experiment with --output."
        )
    if len(models) > 1:
        raise click.UsageError("An experiment takes one --model. Use its variants to compare several models.")
    request = RunRequest.of(eval_file, options, models[0] if models else None)
    run = _plan_experiment(experiment, request, options["variants"], directory)
    plans = [plan_run(it.request) for it in run.parts]
    if request.agent.command and not any(starts_agent(it.settings.executor) for it in plans):
        give_up("No arm of the experiment has an executor that starts an agent. Remove --agent-command")
    if options["dry_run"]:
        header = ExperimentHeader(experiment.name, experiment.baseline)
        show((plans_json if options["printed"] == "json" else plans_text)(plans, header))
        return 0
    return _perform_arms(run, plans, report_files(options, directory), Display.of(options), directory)


def _perform_arms(
    run: ExperimentRun, plans: list[Plan], files: Reports, display: Display, directory: Path
) -> int:
    notes = [*run.experiment.notes, *_missing_skills(plans)]
    teller = _experiment_teller(run, plans, notes)
    if not display.events:
        for note in notes:
            print_err(f"warning: {note}")
    finished = [FinishedRun(it.arm.name, it.run_id) for it in run.parts if it.is_done]
    printer = ReportPrinter.of_several(display)
    last_failure = 0
    try:
        for part in run.parts:
            if part.is_done:
                continue
            printer.begin(_title(part, run))
            wrap = teller.arm_listener(part.arm.name) if display.events else None
            own_files = _files_of_part(part, files, run)
            record, status = perform(part.request, own_files, display, printer, directory, wrap)
            finished.append(FinishedRun(part.arm.name, part.run_id, record))
            last_failure = worse_exit(last_failure, status)
            if status == EXIT_ERROR:
                break
    finally:
        printer.end(may_be_empty=all(it.is_done for it in run.parts))
    if display.events:
        teller.end()
    problems = report_experiment(run.experiment, run.arms, finished, files, display, directory)
    for problem in problems:
        print_err(f"error: {problem}")
    return EXIT_ERROR if problems else last_failure


def _title(part: ArmRun, run: ExperimentRun) -> str:
    experiment = run.experiment
    baseline = " (baseline)" if part.arm.name == experiment.baseline else ""
    eval_path = f", {part.eval_path}" if len(experiment.evals) > 1 else ""
    return harmless(f"{part.arm.name}{baseline}{eval_path}")


def _files_of_part(part: ArmRun, files: Reports, run: ExperimentRun) -> Reports:
    """Return the report files of one run. Results in a folder are written when the whole experiment has ended."""
    experiment = run.experiment
    folder = experiment.folder_name(part.arm.name)
    number = f"_{experiment.evals.index(part.eval_path) + 1}" if len(experiment.evals) > 1 else ""
    own = files.of(folder + number)
    results = None if files.is_folder else own.results
    recordings = files.recordings / folder if files.recordings else None
    transcripts = files.transcripts / folder if files.transcripts else None
    return replace(own, results=results, recordings=recordings, transcripts=transcripts)


def _missing_skills(plans: list[Plan]) -> Iterator[str]:
    """Warn about missing skills: without its skill an arm equals the baseline, and nobody would notice."""
    reported = set()
    for plan in plans:
        arm = plan.suite.arm.variant if plan.suite.arm else ""
        for folder in sorted({it for task in plan.tasks for it in task.skill_directories or ()}):
            if (arm, folder) not in reported and not _holds_skills(Path(folder)):
                reported.add((arm, folder))
                yield f"{arm}: no skill found in {folder}"


def _holds_skills(folder: Path) -> bool:
    """Whether a folder is a skill or contains skills."""
    return (folder / "SKILL.md").is_file() or any(folder.glob("*/SKILL.md"))


def _experiment_teller(run: ExperimentRun, plans: list[Plan], notes: list[str]) -> ExperimentEvents:
    runs: dict[str, int] = {}
    trials: dict[str, int] = {}
    for part, plan in zip(run.parts, plans, strict=True):
        if part.is_done:
            continue
        name = part.arm.name
        runs[name] = runs.get(name, 0) + 1
        trials[name] = trials.get(name, 0) + len(plan.tasks) * plan.settings.trials
    pointers = {it.arm.name: it.arm.pointer for it in run.parts}
    most = max(trials.values(), default=1)
    experiment = run.experiment
    return ExperimentEvents(run.run_id, experiment.path, experiment.name, runs, most, pointers, notes)


def _plan_experiment(
    experiment: Experiment, request: RunRequest, variants: Sequence[str], directory: Path
) -> ExperimentRun:
    """Plan a new run or one to resume; end the program if that is impossible."""
    _refuse_options(experiment, request)
    if request.resume is not None:
        return _plan_resumed(experiment, request, variants, directory)
    arms = _select_arms(experiment, variants)
    if request.overrides.workers is None:
        overrides = replace(request.overrides, workers=experiment.workers)
        request = replace(request, overrides=overrides)
    replayed = _stored_arms(request.replay_from, experiment, directory) if request.replay_from else None
    return _plan_arms(experiment, request, arms, new_run_id(), replayed=replayed)


def _plan_arms(
    experiment: Experiment,
    request: RunRequest,
    arms: Sequence[str],
    run_id: str,
    *,
    replayed: StoredArms | None = None,
    earlier: StoredArms | None = None,
) -> ExperimentRun:
    parts = []
    ordered = sorted(experiment.arms, key=lambda it: it.name != experiment.baseline)
    every = [(arm, eval_path) for arm in ordered for eval_path in experiment.evals]
    for number, (arm, eval_path) in enumerate(every, 1):
        if arm.name not in arms:
            continue
        key, part_id = (arm.name, str(eval_path)), f"{run_id}-{number}"
        own = replace(request, arm=_arm_part(experiment, arm, eval_path, part_id, run_id, arms))
        stored = earlier.get(key) if earlier else None
        if replayed is not None:
            own = replace(own, replay_from=_replay_source(replayed, key))
        if stored is not None:
            # The run knows its options. Only limits may be new.
            until = request.overrides.until_decided
            limits = until and replace(until, threshold=None, against="")
            own = replace(own, resume=stored.run_id, overrides=Overrides(until_decided=limits))
        is_done = stored is not None and stored.status in _FINISHED
        parts.append(ArmRun(arm, eval_path, own, part_id, is_done))
    return ExperimentRun(run_id, experiment, tuple(parts))


def _arm_part(
    experiment: Experiment, arm: Arm, eval_path: Path, run_id: str, whole_id: str, arms: Sequence[str]
) -> ArmPart:
    def load(context_dir: Path | None) -> Suite:
        return experiment.suite(arm, eval_path, run_id=whole_id, chosen=arms, context_dir=context_dir)

    keeps_executor = bool(experiment.varied_setting("executor"))
    return ArmPart(run_id, experiment.folder_name(arm.name), load, keeps_executor)


def _select_arms(experiment: Experiment, variants: Sequence[str]) -> list[str]:
    """Return the names of the arms to run. The labels of a matrix arm may be in any order."""
    if not variants:
        return [it.name for it in experiment.arms]
    names = {frozenset(it.name.split(",")) if it.labels else it.name: it.name for it in experiment.arms}
    selected = []
    for variant in variants:
        name = names.get(variant) or names.get(frozenset(variant.split(",")))
        if name is None:
            known = ", ".join(arm.name for arm in experiment.arms)
            give_up(f"No variant is named '{variant}'. Known variants: {known}", experiment.path)
        selected.append(name)
    return selected


def _refuse_options(experiment: Experiment, request: RunRequest) -> None:
    overrides = request.overrides
    if overrides.baseline or overrides.no_skills:
        give_up("An experiment defines what its arms have. Remove --baseline and --no-skills")
    if request.against:
        give_up("An experiment compares its arms itself. Remove --against")
    for name in _OPTIONS:
        if getattr(overrides, name) is not None and (setting := experiment.varied_setting(name)):
            option = name.replace("_", "-")
            give_up(f"--{option} would make the arms equal: they differ in {setting}")


def _plan_resumed(
    experiment: Experiment, request: RunRequest, variants: Sequence[str], directory: Path
) -> ExperimentRun:
    given = request.overrides.until_decided
    if replace(request.overrides, until_decided=None) != Overrides() or request.replay_from or variants:
        give_up(
            "--resume continues the experiment as it was started. Remove the options that select arms, tasks, trials "
            "or models"
        )
    earlier = _stored_arms(request.resume or LAST, experiment, directory)
    first = next(iter(earlier.values()))
    about = _arm_of(first)
    gone = [it for it in about.arms if it not in {arm.name for arm in experiment.arms}]
    if gone:
        give_up(f"The experiment no longer has the arm '{gone[0]}'. Start a new run")
    # Arms that had not started get the options of those that had; all get new limits.
    try:
        again = replace(request, resume=None, overrides=resumed_overrides(first.frame.overrides, given))
    except PlanError as error:
        give_up(str(error))
    run = _plan_arms(experiment, again, about.arms, about.run_id, earlier=earlier)
    if all(it.is_done for it in run.parts):
        give_up(f"Run {run.run_id} of the experiment has finished; nothing is left to do")
    return run


def _stored_arms(name: str, experiment: Experiment, directory: Path) -> StoredArms:
    """Return the stored runs of the experiment's run `name`, which may also be the run of one arm."""
    try:
        with RunStore(directory, for_reading=True) as store:
            about = _arm_of(_find_arm_run(store, name, experiment))
            return {
                (arm.variant, arm.eval_path): run
                for run in store.find_runs(about.run_id)
                if (arm := run.frame.arm) is not None and arm.run_id == about.run_id
            }
    except StoreError as error:
        give_up(str(error))


def _find_arm_run(store: RunStore, name: str, experiment: Experiment) -> StoredRun:
    if name == LAST:
        return find_run(store, name, experiment.path)
    found = [it for it in store.find_runs(name) if it.frame.arm is not None]
    return found[0] if found else find_run(store, name)


def _arm_of(run: StoredRun) -> ExperimentArm:
    if run.frame.arm is None:
        give_up(f"Run {run.run_id} is a run of {run.eval_path}, not of an arm of an experiment")
    return run.frame.arm


def _replay_source(stored: StoredArms, key: tuple[str, str]) -> str:
    if key not in stored:
        give_up(f"The recorded run has no arm '{key[0]}' over {key[1]}")
    return stored[key].run_id
