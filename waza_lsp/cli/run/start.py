"""Begin what `waza-lsp run` asks for: one eval, once per model, several evals, or an experiment; or print the plans."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from waza_engine.lib.process.environment import PASS_VARIABLE
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import experiment_at
from waza_engine.project.reading import reading_once
from waza_engine.runs.run import EXIT_STATUS, worse_exit
from waza_engine.runs.store.store import default_store_dir
from waza_lsp.cli.console import EXIT_ERROR, show
from waza_lsp.cli.load_errors import give_up_loading
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Display, ReportPrinter
from waza_lsp.cli.run.request import RunRequest, plan_run, report_files_of

if TYPE_CHECKING:
    from waza_engine.model.experiment import Experiment


def start(
    eval_file: Path | None, suite: str | None, passed: tuple[str, ...], options: Mapping[str, Any]
) -> None:
    """Run what the command line names, and end the program with its exit status. A dry run returns."""
    _pass_variables(passed)
    if eval_file is None and suite is None:
        raise click.UsageError("Missing argument 'EVAL'. Name an eval file, or a folder with evals.")
    if options["changed_since"] is not None and eval_file is not None and _load_experiment(eval_file):
        raise click.UsageError("--changed-since selects evals. Name an eval or a folder, not an experiment.")
    of_several = suite is not None or options["changed_since"] is not None
    if of_several or eval_file is None or eval_file.is_dir():
        # Imported late: most runs are of one eval.
        from waza_lsp.cli.run.evals import run_evals

        try:
            sys.exit(run_evals(eval_file or Path(), suite, options))
        except KeyboardInterrupt:
            _exit_cancelled()
    _refuse_contradictions(options)
    directory = (options["store_dir"] or default_store_dir(eval_file.absolute())).absolute()
    # The file is recognised, asked for its dialect and loaded: all from the same text.
    with reading_once(eval_file.absolute()):
        try:
            if (experiment := _load_experiment(eval_file)) is not None:
                # Imported late: most runs are of evals.
                from waza_lsp.cli.run.experiment import run_experiment

                sys.exit(run_experiment(experiment, eval_file, options, directory))
        except KeyboardInterrupt:
            _exit_cancelled()
        _refuse_experiment_options(options)
        if options["dry_run"]:
            _print_plans(eval_file, options)
        else:
            sys.exit(_run_models(eval_file, options, directory))


def _run_models(eval_file: Path, options: Mapping[str, Any], directory: Path) -> int:
    """Run the eval once per model and return the exit status."""
    models: tuple[str | None, ...] = options["models"] or (None,)
    files = report_files_of(eval_file, options, directory)
    display = Display.of(options)
    printer = ReportPrinter.of_one(display) if len(models) == 1 else ReportPrinter.of_several(display)
    last_failure, records = 0, []
    try:
        for model in models:
            request = RunRequest.of(eval_file, options, model)
            own_files = files if len(models) == 1 else files.of(str(model))
            record, status = perform(request, own_files, display, printer, directory)
            records.append(record)
            # The worst status decides. A run that could not be done ends all of them.
            last_failure = worse_exit(last_failure, status)
            if status == EXIT_ERROR:
                break
    except KeyboardInterrupt:
        _exit_cancelled()
    finally:
        printer.end()
    is_quiet = options["quiet"] and not last_failure
    if len(records) > 1 and options["printed"] == "text" and not options["events"] and not is_quiet:
        # Imported late: most runs have one model.
        from waza_lsp.cli.stored.compare import show_comparison
        from waza_lsp.cli.text_report import show_conclusion

        show("")
        show_comparison([it.run_id for it in records], records)
        not_passed = [it.model for it in records if it.status != "passed"]
        show_conclusion("models", len(records), not_passed, last_failure)
    return last_failure


def _load_experiment(path: Path) -> "Experiment | None":
    """Return the experiment in a file; None for an eval."""
    try:
        return experiment_at(path.absolute())
    except LoadError as error:
        give_up_loading(error)


def _print_plans(eval_file: Path, options: Mapping[str, Any]) -> None:
    # Imported late: few runs are dry runs.
    from waza_lsp.cli.run.dry_run import plans_json, plans_text

    plans = [plan_run(RunRequest.of(eval_file, options, model)) for model in options["models"] or (None,)]
    show((plans_json if options["printed"] == "json" else plans_text)(plans, None))


def _pass_variables(names: tuple[str, ...]) -> None:
    """Add to the variables that programs get, also those which our own child processes start."""
    before = os.environ.get(PASS_VARIABLE, "")
    os.environ[PASS_VARIABLE] = ",".join(filter(None, (before, *names)))


def _refuse_contradictions(options: Mapping[str, Any]) -> None:
    if options["results"] is not None and options["output_dir"] is not None:
        raise click.UsageError(
            "--output names a file and --output-dir a folder for the results: use only one."
        )
    if options["dry_run"] and options["resume"] is not None:
        raise click.UsageError("--dry-run shows a new run. Remove it, or --resume.")
    repeated = [it for it, count in Counter(options["models"]).items() if count > 1]
    if repeated:
        raise click.UsageError(f"--model {repeated[0]} is given twice. Both runs would write the same files.")


def _refuse_experiment_options(options: Mapping[str, Any]) -> None:
    if options["variants"]:
        raise click.UsageError("--variant selects arms of an experiment, but this is an eval.")
    if options["results"] is not None and options["results"].is_dir():
        raise click.UsageError(
            f"--output: {options['results']} is a folder. Name a file for the results of an eval."
        )


def _exit_cancelled() -> NoReturn:
    click.echo("Cancelled before the run began.", err=True)
    sys.exit(EXIT_STATUS["cancelled"])
