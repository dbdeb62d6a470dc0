"""`waza-lsp trace`: write a page that shows trials step by step."""

import sys
import webbrowser
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show
from waza_lsp.cli.options import FILE, LAST, STORE

if TYPE_CHECKING:
    from waza_engine.model.results.records import RunRecord
    from waza_engine.reports.trace.page import Place

_PAGE = Path("trace.html")


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN|FILE]...", shell_complete=values.runs_or_files)
@click.option("--task", "tasks", multiple=True, metavar="GLOB", help="Only tasks whose name or id matches.")
@click.option("--trial", type=click.IntRange(min=1), metavar="N", help="Only trial N of each task.")
@click.option("--html", type=FILE, metavar="FILE", help="Write the page to FILE. Default: trace.html.")
@click.option("--json", "data", type=FILE, metavar="FILE", help="Write what the page shows as JSON.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@STORE
def trace(  # noqa: PLR0913  # click passes one argument per option
    runs: tuple[str, ...],
    tasks: tuple[str, ...],
    trial: int | None,
    html: Path | None,
    data: Path | None,
    store_dir: Path | None,
    *,
    opens: bool,
) -> None:
    """Write a page that shows trials step by step: messages, tool calls, files and failed checks.

    RUN is the id of a run or its beginning, or "last", which is the default. FILE has the results of a run, a
    recording, or a trajectory in ATIF. The page is one file that needs no network.

    \b
    Examples:
      waza-lsp trace --open
      waza-lsp trace last --task "writes-*" --trial 2 --html trace.html
      waza-lsp trace results.jsonl recordings/writes-the-notes.json
    """
    # Imported late: `--help` does without.
    from waza_engine.reports.trace.page import places_of, trace_json
    from waza_lsp.cli.run.reports import write_report

    names = runs or (LAST,)
    records = [(it if len(names) > 1 else "", _record(it, store_dir)) for it in names]
    every = [place for name, record in records for place in places_of(record, name)]
    places = [it for it in every if _is_chosen(it, tasks, trial)]
    if not places:
        give_up("No trial matches --task and --trial" if every else "The run has no trials")
    page = html or (None if data and not opens else _PAGE)
    problems: list[str] = []
    if data is not None:
        problems.append(write_report(data, trace_json(places)))
    if page is not None:
        problems.append(_write_page(page, places, opens=opens))
    for problem in filter(None, problems):
        print_err(f"error: {problem}")
    sys.exit(EXIT_ERROR if any(problems) else 0)


def _write_page(page: Path, places: "Sequence[Place]", *, opens: bool) -> str:
    from waza_engine.reports.trace.page import trace_page
    from waza_lsp.cli.run.reports import write_report

    if problem := write_report(page, trace_page(places)):
        return problem
    show(f"{page}: {len(places)} {'trial' if len(places) == 1 else 'trials'}")
    if opens and not webbrowser.open_new_tab(page.absolute().as_uri()):
        return f"No browser found. Open {page} yourself"
    return ""


def _record(name: str, store_dir: Path | None) -> "RunRecord":
    """Return the record of a run, or of a file of one trial."""
    from waza_engine.reports.results.read import ResultsError
    from waza_engine.reports.trace.read import read_trial_file
    from waza_lsp.cli.stored.find import load_record

    path = Path(name)
    try:
        if path.suffix.lower() == ".json" and (found := read_trial_file(path)) is not None:
            return found
    except ResultsError as error:
        give_up(str(error))
    return load_record(name, store_dir)


def _is_chosen(place: "Place", tasks: Sequence[str], trial: int | None) -> bool:
    """Whether the options choose a trial. A stored one is only read for its number."""
    task = place.run.tasks[place.task]
    is_named = not tasks or any(fnmatchcase(it, glob) for glob in tasks for it in (task.task, task.name))
    return is_named and (trial is None or place.read().trial == trial)
