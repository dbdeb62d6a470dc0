"""`waza-lsp grade`: grade a recording, or many of them, without running an agent."""

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import click

from waza_engine.batch import answer_line, grade_list, graders_from_yaml, meaning_in
from waza_engine.formats import by_preference, meanings
from waza_engine.grading_input import InputError, grading_context
from waza_engine.json_text import JsonError, read_json
from waza_engine.reports.inert import harmless, inert
from waza_lsp.cli.printing import may_colour

_FILE = click.Path(path_type=Path, allow_dash=True)
_STDIN = Path("-")
_DIRECTORY = click.Path(path_type=Path, exists=True, file_okay=False)
_WORKERS = min(4, os.cpu_count() or 1)


@click.command(short_help="Grade recorded work without running an agent.")
@click.option(
    "--run",
    "run_name",
    metavar="RUN",
    help="A run of the store: its id, or 'last'. Its graders are read anew.",
)
@click.option(
    "--task", "tasks", multiple=True, metavar="GLOB", help="With --run: only tasks whose name or id matches."
)
@click.option(
    "--store",
    "store_dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --run: where runs are kept.",
)
@click.option("--graders", "graders_file", type=_FILE, help="YAML list of grader entries.")
@click.option("--context", "context_file", type=_FILE, help="JSON object with the grading context.")
@click.option("--workspace", type=_DIRECTORY, help="Directory the agent worked in; left out: none.")
@click.option(
    "--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option(
    "--gen", "generation", type=click.Choice(meanings()), default=meanings()[0], show_default=True,
    help="Whose meaning of the grader types counts.",
)  # fmt: skip
@click.option(
    "--dialect", type=click.Choice([it.name for it in by_preference()]),
    help="Whose grader types these are; a dialect of its own has one --gen only.",
)  # fmt: skip
@click.option(
    "--batch",
    "batch_file",
    type=_FILE,
    help="JSON lines to grade in bulk; one JSON line out for each. '-' is standard input.",
)
def grade(  # noqa: PLR0913, PLR0917  # click hands over one argument per option
    run_name: str | None,
    tasks: tuple[str, ...],
    store_dir: Path | None,
    graders_file: Path | None,
    context_file: Path | None,
    workspace: Path | None,
    output_format: str,
    generation: str,
    dialect: str | None,
    batch_file: Path | None,
) -> None:
    """Grade what an agent left behind, without running it again.

    The exit status is 0 when all passed, 1 when some failed, 3 when some could not be graded, 2 for bad usage.

    \b
    Examples:
      waza-lsp grade --run last
      waza-lsp grade --run last --task 'explain-*'
      waza-lsp grade --graders graders.yaml --context context.json --workspace work
      waza-lsp grade --dialect vally --graders graders.yaml --context context.json
      waza-lsp grade --batch lines.jsonl
    """
    if sum(it is not None for it in (batch_file, graders_file or context_file, run_name)) > 1:
        raise click.UsageError("--run, --batch and --graders exclude each other.")
    if run_name is None and (tasks or store_dir):
        raise click.UsageError(f"{'--task' if tasks else '--store'} is for --run: give that, too.")
    if run_name is not None:
        # Imported late: runs are much more than the batch door needs.
        from waza_lsp.cli.grade_run import grade_recorded

        grade_recorded(run_name, tasks, store_dir, output_format)
    if batch_file is not None:
        _batch(batch_file)
        return
    if graders_file is None or context_file is None:
        raise click.UsageError("Give --run, or --graders and --context, or --batch.")
    if graders_file == context_file == _STDIN:
        raise click.UsageError("Standard input can be one of --graders and --context.")
    generation = meaning_in(dialect or "") or generation
    try:
        context = grading_context(
            read_json(_text(context_file)),
            workspace_dir=workspace.absolute() if workspace else None,
            process_dir=Path.cwd(),
            meaning=generation,
        )
    except (JsonError, InputError) as error:
        raise click.UsageError(f"{context_file}: {error}") from error
    answer = grade_list(graders_from_yaml(_text(graders_file)), context, generation)
    for it in _shown(answer["results"], output_format):
        click.echo(it)
    sys.exit({"passed": 0, "failed": 1}.get(answer["status"], 3))


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8 (byte {error.start}).") from error


def _bytes(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == _STDIN else path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"Cannot read {path}: {error.strerror}") from error


def _shown(results: list[dict[str, Any]], output_format: str) -> Iterator[str]:
    if output_format == "json":
        yield inert(json.dumps(results, indent=2, default=str))
        return
    for it in results:
        label = it["name"] or it["type"] or "(no name)"
        if "error" in it:
            yield _coloured("ERROR", "red") + harmless(f"  {label}: {it['error']['message']}")
        else:
            word = _coloured("PASS ", "green") if it["passed"] else _coloured("FAIL ", "red")
            yield word + harmless(f"  {label}  {it['score']:.2f}  {it['feedback']}")


def _coloured(word: str, colour: str) -> str:
    return click.style(word, fg=colour) if may_colour(sys.stdout) else word


def _batch(path: Path) -> None:
    lines = _bytes(path).split(b"\n")
    if not lines[-1]:
        # What stands after the last line break is no line; a blank one before it has an answer, too.
        lines.pop()
    with ThreadPoolExecutor(_WORKERS) as pool:
        for answered in as_completed([pool.submit(answer_line, it) for it in lines]):
            sys.stdout.write(inert(json.dumps(answered.result(), default=str)) + "\n")
            sys.stdout.flush()
