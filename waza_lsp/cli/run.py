"""`waza-lsp run`: run an eval and say what came out. Flags and printing only; the run is `waza_engine.runs`."""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from waza_engine.project.load_suite import experiment_at
from waza_engine.reports.comparison import comparison_text
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.store import default_store_dir
from waza_engine.suite import LoadError
from waza_lsp.cli.outputs import CANNOT
from waza_lsp.cli.printing import show
from waza_lsp.cli.run_asked import asked, reports, shown
from waza_lsp.cli.run_error import give_up_loading
from waza_lsp.cli.run_options import AGENT, CHOICE, MANNER, OUTPUT
from waza_lsp.cli.run_output_dir import configured_directory
from waza_lsp.cli.run_perform import perform
from waza_lsp.cli.run_prepare import planned
from waza_lsp.cli.run_printed import Printed

if TYPE_CHECKING:
    from waza_engine.model.experiment import Experiment


@click.command(short_help="Run an eval and grade what the agent did.")
@click.argument("eval_file", metavar="EVAL", type=click.Path(path_type=Path))
@CHOICE
@AGENT
@MANNER
@OUTPUT
def run(eval_file: Path, **options: Any) -> None:
    """Run EVAL and grade what the agent did. Of an experiment every arm is run, and compared with the baseline.

    Every finished trial is kept in the run store at once. Ctrl-C ends the run and keeps what was finished; a second
    one breaks off. The exit status is 0 when all passed, 1 when a task (or the trigger accuracy) failed, 2 when
    the run could not be done, 130 when it was cancelled.

    \b
    Examples:
      waza-lsp run evals/eval.yaml
      waza-lsp run evals/eval.yaml --executor mock --task 'explain-*'
      waza-lsp run evals/eval.yaml --executor replay --junit report.xml
      waza-lsp run evals/eval.yaml --trials 5 --workers 4 --output results.json
      waza-lsp run evals/eval.yaml --model model-a --model model-b --html report.html
      waza-lsp run evals/eval.yaml --agent-command 'my-agent --print {prompt}'
      waza-lsp run evals/eval.yaml --resume
      waza-lsp run skill.experiment.yaml --dry-run
      waza-lsp run skill.experiment.yaml --variant with-skill --output results/
    """
    _refuse_contradictions(options)
    directory = (options["store_dir"] or default_store_dir(eval_file.absolute())).absolute()
    try:
        if (experiment := _experiment(eval_file)) is not None:
            # Imported here: runs of evals do without.
            from waza_lsp.cli.run_experiment import run_experiment

            sys.exit(run_experiment(experiment, eval_file, options, directory))
    except KeyboardInterrupt:
        _cancelled()
    _refuse_options_of_experiments(options)
    if options["dry_run"]:
        _print_plans(eval_file, options)
        return
    models: tuple[str | None, ...] = options["models"] or (None,)
    wanted = reports(_with_directory(eval_file, options))
    how = shown(options)
    printed = Printed.of_one(how) if len(models) == 1 else Printed.of_several(how)
    last_failure, records = 0, []
    try:
        for model in models:
            files = wanted if len(models) == 1 else wanted.of(str(model))
            record, status = perform(asked(eval_file, options, model), files, how, printed, directory)
            records.append(record)
            # Of several models the last failure decides; what could not be done ends all of it (waza-formats.md, 14.6).
            last_failure = status or last_failure
            if status == CANNOT:
                break
    except KeyboardInterrupt:
        _cancelled()
    finally:
        printed.end()
    if len(records) > 1 and options["printed"] == "text" and not options["events"]:
        show("\n" + _compared(records))
    sys.exit(last_failure)


def _experiment(path: Path) -> "Experiment | None":
    """The experiment in a file; None for an eval."""
    try:
        return experiment_at(path.absolute())
    except LoadError as error:
        give_up_loading(error)


def _with_directory(eval_file: Path, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the project's folder for results, where nothing else is said. Other programs that run evals keep results themselves."""
    if options["output_dir"] is None and options["results"] is None and not options["events"]:
        return {**options, "output_dir": configured_directory(eval_file)}
    return options


def _print_plans(eval_file: Path, options: Mapping[str, Any]) -> None:
    from waza_lsp.cli.run_plans import plans_json, plans_text

    plans = [planned(asked(eval_file, options, it)) for it in options["models"] or (None,)]
    show((plans_json if options["printed"] == "json" else plans_text)(plans, None))


def _refuse_contradictions(options: Mapping[str, Any]) -> None:
    if options["results"] is not None and options["output_dir"] is not None:
        raise click.UsageError(
            "--output names the file of the results, --output-dir their folder: leave one of them out."
        )
    twice = [it for it, count in Counter(options["models"]).items() if count > 1]
    if twice:
        raise click.UsageError(f"--model {twice[0]} is given twice: the same files would be written.")


def _refuse_options_of_experiments(options: Mapping[str, Any]) -> None:
    if options["variants"]:
        raise click.UsageError("--variant chooses arms of an experiment; this is an eval.")
    if options["results"] is not None and options["results"].is_dir():
        raise click.UsageError(
            f"--output: {options['results']} is a folder; name a file for the results of an eval."
        )


def _cancelled() -> NoReturn:
    click.echo("Cancelled before the run began.", err=True)
    sys.exit(EXIT_STATUS["cancelled"])


def _compared(records: list[RunRecord]) -> str:
    return comparison_text([it.run_id for it in records], records)
