"""`waza-lsp run`: its options. `start.py` begins the run; it is imported late, because `--help` does without."""

from pathlib import Path
from typing import Any

import click

from waza_engine.lib.process.sandbox_choice import KINDS
from waza_engine.plugins import has_plugins
from waza_lsp.cli.completion import values
from waza_lsp.cli.options import (
    FILE_OR_FOLDER,
    FOLDER,
    GITHUB,
    HTML,
    JUNIT,
    LAST,
    PRINTED_FORMATS,
    QUIET,
    STORE,
    TRACE,
    all_of,
)
from waza_lsp.lazy_import import skip_pydantic_plugins

_COUNT = click.IntRange(min=1)

_SELECTION_OPTIONS = all_of(
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="GLOB",
        help="Only tasks whose name or id matches. Repeatable.",
        shell_complete=values.tasks,
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
    click.option(
        "--changed-since",
        metavar="REF",
        help="Only evals and tasks that have changed since the merge base with REF, such as origin/main.",
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
_DECIDING_OPTIONS = all_of(
    click.option(
        "--until-decided",
        is_flag=True,
        help="Run trials only where a verdict is open, and stop when everything is decided.",
    ),
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1),
        metavar="RATE",
        help="With --until-decided: least pass rate of each task. Default: the eval's own threshold, for mean scores.",
    ),
    click.option(
        "--against",
        metavar="RUN",
        default="",
        shell_complete=values.runs,
        help="With --until-decided: decide whether this run is better or worse than a stored one.",
    ),
    click.option(
        "--max-trials",
        type=_COUNT,
        metavar="N",
        help="With --until-decided: most trials per task. Default: 50.",
    ),
    click.option(
        "--max-tokens",
        type=_COUNT,
        metavar="N",
        help="With --until-decided: start no trial that may exceed N tokens of agents and judges.",
    ),
    click.option(
        "--max-minutes",
        type=click.FloatRange(0, min_open=True),
        metavar="N",
        help="With --until-decided: stop after N minutes. Trials that are not finished then are not kept.",
    ),
)
_AGENT_OPTIONS = all_of(
    click.option(
        "--executor",
        metavar="NAME",
        shell_complete=values.executors,
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
_MODE_OPTIONS = all_of(
    click.option(
        "--baseline/--no-baseline", default=None, help="Run a second time without skills, and compare."
    ),
    click.option("--dry-run", is_flag=True, help="Only print what would run."),
    click.option("--no-skills", is_flag=True, help="Run without any skill."),
    click.option(
        "--skip-graders", is_flag=True, help="Only run and record. Grade later with `waza-lsp grade --run`."
    ),
    click.option(
        "--retry-infrastructure",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Repeat a trial up to N times if a judge, an endpoint or the executor failed, not the agent.",
    ),
    click.option("--update-snapshots", is_flag=True, help="Let diff graders rewrite their snapshots."),
    click.option("--keep-workspace", is_flag=True, help="Keep the folders that agents worked in."),
    click.option(
        "--resume",
        metavar="[RUN]",
        shell_complete=values.runs,
        is_flag=False,
        flag_value=LAST,
        default=None,
        help="Resume a killed or cancelled run. Default for RUN: the last run of EVAL.",
    ),
    click.option(
        "--replay-from",
        metavar="RUN",
        shell_complete=values.runs,
        help="Replay the recordings of a stored run instead of starting an agent; 'last' is the last run.",
    ),
    click.option(
        "--cache/--no-cache", default=None, help="Reuse results of unchanged tasks from earlier runs."
    ),
    STORE,
)
_OUTPUT_OPTIONS = all_of(
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
    TRACE,
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
    QUIET,
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
@_DECIDING_OPTIONS
@_AGENT_OPTIONS
@_MODE_OPTIONS
@_OUTPUT_OPTIONS
def run(eval_file: Path | None, suite: str | None, passed: tuple[str, ...], **options: Any) -> None:
    """Run EVAL and grade the agent. For an experiment, runs every arm and compares it with the baseline.

    EVAL may be a folder: all evals in it run, one after the other. With --suite, EVAL is the folder of the project.

    Each finished trial is stored at once. Ctrl-C cancels the run and keeps finished trials; a second Ctrl-C stops
    immediately. The exit status is 0 if everything passed, 1 if a task or the trigger accuracy failed, and 2 if the run
    could not be done. It is 3 if nothing failed but trials could not be judged (a judge or an endpoint was down), and
    130 if the run was cancelled. With --until-decided, it is 0 if every task is above the threshold, or the run is
    better. It is 1 if a task is below, or the run is worse, and 3 if a question is still open at a limit.

    \b
    Examples:
      waza-lsp run evals/eval.yaml
      waza-lsp run evals/eval.yaml --executor mock --task 'explain-*'
      waza-lsp run evals/eval.yaml --executor replay --junit report.xml
      waza-lsp run evals/eval.yaml --trials 5 --workers 4 --output results.json
      waza-lsp run evals/eval.yaml --model model-a --model model-b --html report.html
      waza-lsp run evals/eval.yaml --agent-command 'my-agent --print {prompt}'
      waza-lsp run evals/eval.yaml --retry-infrastructure 3
      waza-lsp run evals/eval.yaml --until-decided --threshold 0.8 --max-trials 40
      waza-lsp run evals/eval.yaml --until-decided --against last --max-minutes 30
      waza-lsp run evals/eval.yaml --resume
      waza-lsp run evals --executor mock
      waza-lsp run --suite nightly
      waza-lsp run evals --changed-since origin/main --dry-run
      waza-lsp run skill.experiment.yaml --dry-run
      waza-lsp run skill.experiment.yaml --variant with-skill --output results/
    """
    # Only plug-ins of ours bring code to this process that may need pydantic's.
    if not has_plugins():
        skip_pydantic_plugins()
    from waza_lsp.cli.run.start import start

    start(eval_file, suite, passed, options)
