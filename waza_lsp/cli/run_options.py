"""The options of `waza-lsp run`, in groups. What is made of them is in `run_asked`."""

from collections.abc import Callable
from typing import Any

import click

from waza_lsp.cli.run_printed import PRINTED
from waza_lsp.cli.run_reports import FILE_OR_FOLDER, GITHUB, HTML, JUNIT
from waza_lsp.cli.run_source import FOLDER, LAST, STORE

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
