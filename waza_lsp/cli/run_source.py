"""Which run is meant: one of the store by its id, the last one, or a results file."""

import sys
from pathlib import Path
from typing import NoReturn

import click

from waza_engine.paths import is_there
from waza_engine.reports.read_jsonl import read_jsonl
from waza_engine.reports.read_results import ResultsError, read_results
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import FILE_NAME, RunStore, StoredRun, StoreError, workspace_root
from waza_engine.runs.stored_record import stored_record
from waza_lsp.cli.outputs import CANNOT

FOLDER = click.Path(file_okay=False, path_type=Path)
STORE = click.option(
    "--store", "store_dir", type=FOLDER, metavar="DIR", help="Where runs are kept; default .waza-lsp."
)
"""Takes what `store_directory` and `open_store` want to be told."""
LAST = "last"


def give_up(message: str, about: Path | None = None) -> NoReturn:
    """End the program: what was asked for cannot be done. `about` is the file with which that is so."""
    click.echo(f"{about}: error: {message}" if about else f"error: {message}", err=True)
    sys.exit(CANNOT)


def store_directory(given: Path | None) -> Path:
    """The folder of the run store: the given one, or that of the workspace we are in."""
    return (given or workspace_root(Path.cwd() / FILE_NAME) / ".waza-lsp").absolute()


def open_store(given: Path | None) -> RunStore:
    """The run store, which must be there already."""
    directory = store_directory(given)
    if not (directory / FILE_NAME).is_file():
        give_up(f"There are no runs in {directory}. Run an eval first, or name the folder with --store DIR")
    try:
        return RunStore(directory, for_reading=True)
    except StoreError as error:
        give_up(str(error))


def find_run(store: RunStore, name: str, eval_path: Path | None = None) -> StoredRun:
    """The run called `name`: an id, the beginning of one, or `last`."""
    try:
        found = store.runs(eval_path, limit=1) if name == LAST else store.find_runs(name)
    except StoreError as error:
        give_up(str(error))
    if not found:
        about = f" of {eval_path}" if eval_path else ""
        give_up(f"There is no run{about} {name!r}; list them with: waza-lsp runs list")
    if len(found) > 1:
        give_up(f"{name!r} may be one of {len(found)} runs: {', '.join(it.run_id for it in found[:5])}")
    return found[0]


def record_named(name: str, store_dir: Path | None) -> RunRecord:
    """The record of a results file, or of a run in the store."""
    return record_and_store(name, store_dir)[0]


def record_and_store(name: str, store_dir: Path | None) -> tuple[RunRecord, RunStore | None]:
    """The record, and the store that it comes from, which stays open until the command ends; None for a results file."""
    path = Path(name)
    try:
        if path.suffix.lower() == ".jsonl" or is_there(str(path / "results.jsonl")):
            return read_jsonl(path), None
        if path.suffix.lower() == ".json" or (is_there(name) and path.is_file()):
            return read_results(path), None
        store = click.get_current_context().with_resource(open_store(store_dir))
        return stored_record(store, find_run(store, name)), store
    except (ResultsError, StoreError) as error:
        give_up(str(error))
