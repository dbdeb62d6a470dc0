"""`waza-lsp runs`: list and show the runs in the store.

The store and the reports are imported late: `--help` does without.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waza_engine.reports.inert import one_line
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import give_up, is_terminal, print_err, show, show_chunks, show_table
from waza_lsp.cli.options import FILE, LAST, STORE

if TYPE_CHECKING:
    from waza_engine.runs.store.rows import StoredRun
    from waza_engine.runs.store.store import RunStore

_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
_EVAL = click.argument("eval_file", metavar="[EVAL]", required=False, type=click.Path(path_type=Path))
_LIMIT = click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of runs."
)

_WIDE = 100
"""How many columns a terminal needs to show all columns of the table."""


@click.group()
def runs() -> None:
    """List and show the runs in the store.

    \b
    Examples:
      waza-lsp runs list
      waza-lsp runs show last
      waza-lsp runs history evals/eval.yaml
      waza-lsp runs flaky evals/eval.yaml
    """


@runs.command("list")
@_EVAL
@_LIMIT
@_FORMAT
@STORE
def list_(eval_file: Path | None, limit: int, form: str, store_dir: Path | None) -> None:
    """List the runs of EVAL, or of all evals, newest first."""
    from waza_engine.runs.store.record import reviewed_runs
    from waza_engine.runs.store.store import StoreError
    from waza_lsp.cli.stored.find import open_store

    with open_store(store_dir, eval_file) as store:
        try:
            found = reviewed_runs(store, store.runs(eval_file, limit))
        except StoreError as error:
            give_up(str(error))
    if form == "json":
        show(json.dumps([_data(it) for it in found], indent=2))
        return
    if not found:
        _show_none(eval_file)
    elif is_terminal():
        _show_table(found)
    else:
        _show_lines(found)


@runs.command("show")
@click.argument("run", default=LAST, shell_complete=values.runs)
@_FORMAT
@STORE
def show_(run: str, form: str, store_dir: Path | None) -> None:
    """Show the summary of RUN: an id, the beginning of one, or "last"."""
    from waza_engine.runs.store.record import reviewed_runs, stored_record
    from waza_engine.runs.store.store import StoreError
    from waza_lsp.cli.run.reports import printed_chunks
    from waza_lsp.cli.stored.find import find_run, open_store
    from waza_lsp.cli.text_report import show_text_report

    with open_store(store_dir) as store:
        found = find_run(store, run)
        try:
            record = stored_record(store, found)
            [found] = reviewed_runs(store, [found])
            if form == "text":
                _show_lines([found])
                show_text_report(record, store.directory)
            else:
                show_chunks(printed_chunks(form, record))
        except StoreError as error:
            give_up(str(error))


@runs.command(short_help="Show the results of each task over the last runs.")
@_EVAL
@_LIMIT
@STORE
@click.option("--html", type=FILE, metavar="FILE", help="Write the history as an HTML page.")
def history(eval_file: Path | None, limit: int, store_dir: Path | None, html: Path | None) -> None:
    """Show the results of each task over the last runs, and which tasks are flaky. The newest run is on the right."""
    from waza_engine.reports.history import history_lines, newest_change, task_fingerprints
    from waza_engine.runs.store.record import reviewed_verdicts
    from waza_engine.runs.store.store import StoreError
    from waza_lsp.cli.stored.find import open_store

    with open_store(store_dir, eval_file) as store:
        try:
            found = store.runs(eval_file, limit)
            trials = [reviewed_verdicts(store, it.run_id) for it in reversed(found)]
            if html is not None:
                _write_history(html, store, found)
        except StoreError as error:
            give_up(str(error))
    if not found:
        _show_none(eval_file)
        return
    prints = [task_fingerprints(it.frame.tasks) for it in reversed(found)]
    show("\n".join(history_lines(trials, prints)))
    # Only runs of the same eval have the same tasks.
    if len({it.eval_path for it in found[:2]}) == 1 and (change := newest_change(trials)):
        show(change)


@runs.command(short_help="Show which tasks and graders are flaky.")
@_EVAL
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Maximum number of runs."
)
@_FORMAT
@STORE
def flaky(eval_file: Path | None, limit: int, form: str, store_dir: Path | None) -> None:
    """Show the flaky tasks and graders of EVAL, or of all evals, from the runs in which nothing has changed.

    A flaky task gets different verdicts because the agent varies. A flaky grader gives different verdicts on the same work.
    Replay a run a few times to tell the two apart: waza-lsp run EVAL --replay-from last.
    """
    from waza_engine.reports.flakiness import flakiness_data, flakiness_lines
    from waza_engine.runs.past.read import read_flakiness
    from waza_engine.runs.store.store import StoreError
    from waza_lsp.cli.stored.find import open_store

    with open_store(store_dir, eval_file) as store:
        try:
            paths = [eval_file] if eval_file else [it.eval_path for it, _ in store.evals()]
            found = {it: read_flakiness(store.directory, it, limit) for it in paths}
        except StoreError as error:
            give_up(str(error))
    found = {path: tasks for path, tasks in found.items() if tasks}
    if form == "json":
        evals = [{"eval": str(path), "tasks": flakiness_data(tasks)} for path, tasks in found.items()]
        show(json.dumps({"evals": evals}, indent=2))
        return
    if not found:
        _show_none(eval_file)
    for path, tasks in found.items():
        if len(found) > 1:
            show(one_line(f"{path}:"))
        show("\n".join(flakiness_lines(tasks)))


def _show_none(eval_file: Path | None) -> None:
    """Say that there are no runs. A missing eval without runs is a misspelt one."""
    if eval_file is not None and not eval_file.exists():
        # Imported late: few names are misspelt.
        from waza_engine.lib.spelling import did_you_mean_file

        give_up(f"No such file, and the store has no runs of it{did_you_mean_file(eval_file)}", eval_file)
    print_err(f"No runs of {eval_file}" if eval_file else "No runs")


def _write_history(path: Path, store: "RunStore", newest_first: "Sequence[StoredRun]") -> None:
    from waza_engine.reports.html.history import history_page, past_runs
    from waza_lsp.cli.run.reports import write_report

    if problem := write_report(path, history_page(past_runs(store, newest_first[::-1], path))):
        give_up(problem)


def _show_lines(found: "Sequence[StoredRun]") -> None:
    for run in found:
        show("  ".join(_cells(run)))


def _cells(run: "StoredRun") -> Iterator[str]:
    yield run.run_id
    yield _start_time(run)
    yield f"{_shown_status(run):9}"
    yield f"{run.score:.2f}" if run.score is not None else "  - "
    yield one_line(f"{_name(run)}  {run.executor} {run.model}".rstrip())


def _show_table(found: "Sequence[StoredRun]") -> None:
    """Print the runs as a table. Ids are never cut; a narrow terminal has no dates, because ids begin with them."""
    titles = ["run!", "started (UTC)!", "status", "score#", "eval", "agent"]
    rows = [_row(it) for it in found]
    if shutil.get_terminal_size().columns < _WIDE:
        titles, rows = [titles[0], *titles[2:]], [[it[0], *it[2:]] for it in rows]
    show_table(titles, rows)


def _row(run: "StoredRun") -> list[str]:
    score = f"{run.score:.2f}" if run.score is not None else "-"
    agent = f"{run.executor} {run.model}".rstrip()
    return [run.run_id, _start_time(run), _shown_status(run), score, one_line(_name(run)), one_line(agent)]


def _start_time(run: "StoredRun") -> str:
    return f"{datetime.fromtimestamp(run.started_at, UTC):%Y-%m-%d %H:%M}"


def _name(run: "StoredRun") -> str:
    arm = f" [{run.frame.arm.variant}]" if run.frame.arm is not None else ""
    return f"{run.suite_name}{arm}"


def _status(run: "StoredRun") -> str:
    if run.status is not None:
        return run.status
    from waza_engine.runs.run_header import is_running

    return "running" if is_running(run.frame) else "broken"


def _shown_status(run: "StoredRun") -> str:
    """Return the status for people: a run with `--until-decided` that reached its limits has no error."""
    decisions = run.end.decisions
    is_open = run.status == "error" and not run.end.error and decisions is not None and decisions.is_open
    return "open" if is_open else _status(run)


def _data(run: "StoredRun") -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "eval": str(run.eval_path),
        "name": run.suite_name,
        "executor": run.executor,
        "model": run.model,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "status": _status(run),
        "score": run.score,
        **({"variant": run.frame.arm.variant} if run.frame.arm is not None else {}),
    }
