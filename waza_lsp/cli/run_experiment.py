"""`waza-lsp run EXPERIMENT`: every arm over every eval, each a run as any other, and in the end what the arms differ in."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from waza_engine.executors.registry import starts_agent
from waza_engine.model.experiment import Experiment
from waza_engine.reports.inert import harmless
from waza_engine.runs.experiment_events import ExperimentTeller
from waza_engine.runs.plan import Plan
from waza_lsp.cli.experiment_parts import ArmRun, ExperimentRun, experiment_run
from waza_lsp.cli.experiment_reports import Done, concluded
from waza_lsp.cli.outputs import CANNOT
from waza_lsp.cli.printing import show, tell
from waza_lsp.cli.run_asked import Shown, asked, reports, shown
from waza_lsp.cli.run_perform import perform
from waza_lsp.cli.run_plans import Experimented, plans_json, plans_text
from waza_lsp.cli.run_prepare import planned
from waza_lsp.cli.run_printed import Printed
from waza_lsp.cli.run_reports import Reports
from waza_lsp.cli.run_source import give_up


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
    problems = concluded(run, done, files, how, directory)
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
