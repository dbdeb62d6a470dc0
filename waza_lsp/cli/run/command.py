"""`waza-lsp run`: run an eval and say what came out. Flags and printing only; the run is `waza_engine.runs`."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from waza_engine.formats.choose import dialect_of_file, experiment_at
from waza_engine.formats.waza.project import Paths
from waza_engine.formats.waza.project_file import find_project
from waza_engine.reports.comparison import comparison_text
from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.store import default_store_dir
from waza_engine.suite import LoadError
from waza_lsp.cli.console import CANNOT, show
from waza_lsp.cli.load_errors import give_up_loading
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Printed
from waza_lsp.cli.run.request import asked, planned, reports, shown

if TYPE_CHECKING:
    from waza_engine.formats.vally.experiment_load import Experiment
from collections.abc import Callable

from waza_lsp.cli.run.reports import FILE_OR_FOLDER, GITHUB, HTML, JUNIT, PRINTED
from waza_lsp.cli.stored_runs import FOLDER, LAST, STORE

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _together(*decorators: Decorator) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for it in reversed(decorators):
            command = it(command)
        return command

    return decorate


_COUNT = click.IntRange(min=1)

CHOICE = _together(
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="GLOB",
        help="Only tasks whose name or id matches; repeatable.",
    ),
    click.option(
        "--tag", "tags", multiple=True, metavar="GLOB", help="Only tasks with a tag that matches; repeatable."
    ),
    click.option(
        "--variant",
        "variants",
        multiple=True,
        metavar="NAME",
        help="Only this arm of an experiment; repeatable. Arms of a matrix are called axis=value,axis=value.",
    ),
    click.option("--trials", type=_COUNT, metavar="N", help="Trials per task, instead of the eval's."),
    click.option(
        "--workers", type=_COUNT, metavar="N", help="Run N tasks at once; 1 is one after the other."
    ),
    click.option("--timeout", type=_COUNT, metavar="SECONDS", help="Limit per turn, instead of the eval's."),
    click.option(
        "--shard", metavar="I/N", help="Perform only part I of N; put the parts together with waza-lsp merge."
    ),
    click.option(
        "--dask", metavar="ADDRESS", default="", help="Perform the trials on the workers of a Dask scheduler."
    ),
)
AGENT = _together(
    click.option(
        "--executor",
        metavar="NAME",
        help="Who performs the tasks, instead of the eval's: mock, replay, command, copilot-sdk, acp, or a plug-in.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="MODEL",
        help="The agent's model, instead of the eval's; several are run one after the other, and compared.",
    ),
    click.option("--judge-model", metavar="MODEL", help="The model of prompt graders that name none."),
    click.option(
        "--agent-command",
        metavar="COMMAND",
        default="",
        help=(
            "The agent of the executors command and acp; chooses command where the eval's executor starts no agent. "
            "For command {prompt}, {workspace}, {model}, {session}, {turn}, {system} and {mcp_config} are replaced."
        ),
    ),
    click.option(
        "--agent-format",
        type=click.Choice(["text", "copilot-jsonl"]),
        help="What the agent of the executor command prints.",
    ),
    click.option("--recordings", type=FOLDER, metavar="DIR", help="Where replay finds its recordings."),
    click.option(
        "--context-dir", type=FOLDER, metavar="DIR", help="Where inputs.files are, instead of fixtures."
    ),
)
MANNER = _together(
    click.option(
        "--baseline/--no-baseline", default=None, help="Run a second time without skills, and compare."
    ),
    click.option("--dry-run", is_flag=True, help="Only print what would be run."),
    click.option("--no-skills", is_flag=True, help="Run without any skill."),
    click.option(
        "--skip-graders", is_flag=True, help="Only perform and record; grade later with waza-lsp grade --run."
    ),
    click.option("--update-snapshots", is_flag=True, help="Let diff graders write their snapshots anew."),
    click.option("--keep-workspace", is_flag=True, help="Do not delete the folders that agents worked in."),
    click.option(
        "--resume",
        metavar="[RUN]",
        is_flag=False,
        flag_value=LAST,
        default=None,
        help="Go on with a run that was killed or cancelled; without RUN the last one of EVAL.",
    ),
    click.option(
        "--replay-from", metavar="RUN", help="What agents did is taken from a stored run; 'last' is one."
    ),
    click.option(
        "--cache/--no-cache",
        default=None,
        help="Take unchanged tasks from earlier runs, instead of performing them.",
    ),
    STORE,
)
OUTPUT = _together(
    click.option(
        "--output",
        "results",
        type=FILE_OR_FOLDER,
        metavar="FILE",
        help="Write the results as waza's JSON, or vally's lines (.jsonl); of an experiment into a folder.",
    ),
    click.option(
        "--output-dir",
        type=FOLDER,
        metavar="DIR",
        help=(
            "Write the results as waza's JSON into DIR/<time in UTC>/<model>.json; the default is paths.results of "
            ".waza.yaml, if that is set."
        ),
    ),
    click.option(
        "--transcript-dir",
        "transcripts",
        type=FOLDER,
        metavar="DIR",
        help="Write a JSON file for each task with what the agent said and did.",
    ),
    JUNIT,
    HTML,
    GITHUB,
    click.option(
        "--record",
        type=FOLDER,
        metavar="DIR",
        help="Keep what the agent did as recordings for replay, in place of older ones of these tasks.",
    ),
    click.option(
        "--format",
        "printed",
        type=click.Choice(list(PRINTED)),
        default="text",
        help="What is printed at the end.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="No progress: only what is wrong, and the result."),
    click.option(
        "--events",
        type=click.Choice(["jsonl"]),
        help="Print events, one JSON object a line, and nothing else.",
    ),
    click.option(
        "--otel",
        is_flag=True,
        help="Send traces with OpenTelemetry, to where OTEL_EXPORTER_OTLP_ENDPOINT says.",
    ),
)


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
            from waza_lsp.cli.run.experiment import run_experiment

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
        return {**options, "output_dir": _configured_directory(eval_file)}
    return options


def _configured_directory(eval_file: Path) -> Path | None:
    """Where the project wants the results of an eval: None without a wish, or with one that waza passes over (section 7)."""
    wanted = os.path.normpath(find_project(Path.cwd()).settings.paths.results)
    if wanted == os.path.normpath(Paths().results) or Path(wanted).is_absolute() or wanted.startswith(".."):
        return None
    try:
        is_of_waza = dialect_of_file(eval_file.absolute()).name == "waza"
    except LoadError:
        return None
    return Path(wanted) if is_of_waza else None


def _print_plans(eval_file: Path, options: Mapping[str, Any]) -> None:
    from waza_lsp.cli.run.dry_run import plans_json, plans_text

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
