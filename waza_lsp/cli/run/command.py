"""`waza-lsp run`: parse the options, run the eval, and compare the models."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from waza_engine.lib.process.environment import PASS_VARIABLE
from waza_engine.lib.process.sandbox_choice import KINDS
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import experiment_at
from waza_engine.project.reading import reading_once
from waza_engine.runs.run import EXIT_STATUS, worse_exit
from waza_engine.runs.store.store import default_store_dir
from waza_lsp.cli.console import EXIT_ERROR, show
from waza_lsp.cli.load_errors import give_up_loading
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import (
    FILE_OR_FOLDER,
    GITHUB,
    HTML,
    JUNIT,
    PRINTED_FORMATS,
    Display,
    ReportPrinter,
)
from waza_lsp.cli.run.request import RunRequest, plan_run, report_files_of
from waza_lsp.cli.stored.find import FOLDER, LAST, STORE

if TYPE_CHECKING:
    from waza_engine.model.experiment import Experiment

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _options(*decorators: Decorator) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


_COUNT = click.IntRange(min=1)

_SELECTION_OPTIONS = _options(
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="GLOB",
        help="Only tasks whose name or id matches. Repeatable.",
    ),
    click.option(
        "--tag", "tags", multiple=True, metavar="GLOB", help="Only tasks with a matching tag. Repeatable."
    ),
    click.option(
        "--variant",
        "variants",
        multiple=True,
        metavar="NAME",
        help="Only this arm of an experiment. Repeatable. Arms of a matrix are named axis=value,axis=value.",
    ),
    click.option(
        "--suite", metavar="NAME", help="Run the evals of this suite in the project file (.vally.yaml)."
    ),
    click.option("--trials", type=_COUNT, metavar="N", help="Trials per task, instead of the eval's."),
    click.option(
        "--workers", type=_COUNT, metavar="N", help="Run N tasks in parallel. 1 runs them in sequence."
    ),
    click.option(
        "--timeout", type=_COUNT, metavar="SECONDS", help="Time limit per turn, instead of the eval's."
    ),
    click.option(
        "--shard", metavar="I/N", help="Run only shard I of N. Combine shards with `waza-lsp merge`."
    ),
    click.option(
        "--dask", metavar="ADDRESS", default="", help="Run the trials on the workers of a Dask scheduler."
    ),
)
_AGENT_OPTIONS = _options(
    click.option(
        "--executor",
        metavar="NAME",
        help="Executor to use instead of the one in the eval: mock, replay, command, copilot-sdk, acp, or a plug-in.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="MODEL",
        help="The agent's model, instead of the eval's. Repeatable: the eval runs once per model, then models are compared.",
    ),
    click.option("--judge-model", metavar="MODEL", help="Model for prompt graders that name none."),
    click.option(
        "--agent-command",
        metavar="COMMAND",
        default="",
        help=(
            "Command that starts the agent, for the executors command and acp. If the eval's executor starts no "
            "program, it also selects command, which replaces {prompt}, {workspace}, {model}, {session}, {turn}, "
            "{system} and {mcp_config}."
        ),
    ),
    click.option(
        "--agent-format",
        type=click.Choice(["text", "copilot-jsonl"]),
        help="Output format of the agent, for the executor command.",
    ),
    click.option("--recordings", type=FOLDER, metavar="DIR", help="Folder of the recordings for replay."),
    click.option(
        "--pass-env",
        "passed",
        multiple=True,
        metavar="NAME",
        help="Variable, or glob such as AZURE_*, that agents and programs get besides the usual ones. Repeatable.",
    ),
    click.option(
        "--sandbox",
        type=click.Choice(KINDS),
        help="Confine agents, hooks and graders' programs. Default: `sandbox` of .waza-lsp.toml, else none.",
    ),
    click.option(
        "--sandbox-network/--no-sandbox-network",
        default=None,
        help="Whether programs in the sandbox reach the network. Default: yes, most agents need it.",
    ),
    click.option("--sandbox-image", metavar="IMAGE", help="Image for --sandbox docker."),
    click.option(
        "--sandbox-write",
        multiple=True,
        type=FOLDER,
        metavar="DIR",
        help="Folder that programs in the sandbox may change besides the workspace. Repeatable.",
    ),
    click.option(
        "--context-dir", type=FOLDER, metavar="DIR", help="Folder of inputs.files, instead of fixtures."
    ),
)
_MODE_OPTIONS = _options(
    click.option(
        "--baseline/--no-baseline", default=None, help="Run a second time without skills, and compare."
    ),
    click.option("--dry-run", is_flag=True, help="Only print what would run."),
    click.option("--no-skills", is_flag=True, help="Run without any skill."),
    click.option(
        "--skip-graders", is_flag=True, help="Only run and record. Grade later with `waza-lsp grade --run`."
    ),
    click.option("--update-snapshots", is_flag=True, help="Let diff graders rewrite their snapshots."),
    click.option("--keep-workspace", is_flag=True, help="Keep the folders that agents worked in."),
    click.option(
        "--resume",
        metavar="[RUN]",
        is_flag=False,
        flag_value=LAST,
        default=None,
        help="Resume a killed or cancelled run. Default for RUN: the last run of EVAL.",
    ),
    click.option(
        "--replay-from",
        metavar="RUN",
        help="Replay the recordings of a stored run instead of starting an agent; 'last' is the last run.",
    ),
    click.option(
        "--cache/--no-cache", default=None, help="Reuse results of unchanged tasks from earlier runs."
    ),
    STORE,
)
_OUTPUT_OPTIONS = _options(
    click.option(
        "--output",
        "results",
        type=FILE_OR_FOLDER,
        metavar="FILE",
        help="Write the results as waza's JSON or vally's lines (.jsonl). For an experiment: a folder.",
    ),
    click.option(
        "--output-dir",
        type=FOLDER,
        metavar="DIR",
        help=(
            "Write the results as waza's JSON to DIR/<time in UTC>/<model>.json. Default: paths.results of "
            ".waza.yaml, if set."
        ),
    ),
    click.option(
        "--transcript-dir",
        "transcripts",
        type=FOLDER,
        metavar="DIR",
        help="Write a JSON file per task with the agent's messages and tool calls.",
    ),
    JUNIT,
    HTML,
    GITHUB,
    click.option(
        "--record",
        type=FOLDER,
        metavar="DIR",
        help="Write recordings for replay. Deletes older recordings of the same tasks in DIR.",
    ),
    click.option(
        "--format",
        "printed",
        type=click.Choice(list(PRINTED_FORMATS)),
        default="text",
        help="Format of the report that is printed at the end.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Print warnings and the report, but no progress."),
    click.option(
        "--events",
        type=click.Choice(["jsonl"]),
        help="Print only events, one JSON object per line.",
    ),
    click.option(
        "--otel",
        is_flag=True,
        help="Send OpenTelemetry traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT.",
    ),
)


@click.command()
@click.argument("eval_file", metavar="EVAL", required=False, type=click.Path(path_type=Path))
@_SELECTION_OPTIONS
@_AGENT_OPTIONS
@_MODE_OPTIONS
@_OUTPUT_OPTIONS
def run(eval_file: Path | None, suite: str | None, passed: tuple[str, ...], **options: Any) -> None:
    """Run EVAL and grade the agent. For an experiment, runs every arm and compares it with the baseline.

    EVAL may be a folder: all evals in it run, one after the other. With --suite, EVAL is the folder of the project.

    Each finished trial is stored at once. Ctrl-C cancels the run and keeps finished trials; a second Ctrl-C stops
    immediately. The exit status is 0 if everything passed, 1 if a task or the trigger accuracy failed, and 2 if the run
    could not be done. It is 3 if nothing failed but trials could not be judged (a judge or an endpoint was down), and
    130 if the run was cancelled.

    \b
    Examples:
      waza-lsp run evals/eval.yaml
      waza-lsp run evals/eval.yaml --executor mock --task 'explain-*'
      waza-lsp run evals/eval.yaml --executor replay --junit report.xml
      waza-lsp run evals/eval.yaml --trials 5 --workers 4 --output results.json
      waza-lsp run evals/eval.yaml --model model-a --model model-b --html report.html
      waza-lsp run evals/eval.yaml --agent-command 'my-agent --print {prompt}'
      waza-lsp run evals/eval.yaml --resume
      waza-lsp run evals --executor mock
      waza-lsp run --suite nightly
      waza-lsp run skill.experiment.yaml --dry-run
      waza-lsp run skill.experiment.yaml --variant with-skill --output results/
    """
    _pass_variables(passed)
    if eval_file is None and suite is None:
        raise click.UsageError("Missing argument 'EVAL'. Name an eval file, or a folder with evals.")
    if suite is not None or eval_file is None or eval_file.is_dir():
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
    files = report_files_of(eval_file, options)
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
    if len(records) > 1 and options["printed"] == "text" and not options["events"]:
        # Imported late: most runs have one model.
        from waza_lsp.cli.stored.compare import show_comparison

        show("")
        show_comparison([it.run_id for it in records], records)
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
