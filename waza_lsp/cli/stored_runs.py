"""Which run is meant: one of the store by its id, the last one, or a results file."""

import sys
from pathlib import Path
from typing import NoReturn

import click

from waza_engine.paths import is_there
from waza_engine.reports.read_jsonl import read_jsonl
from waza_engine.reports.read_results import ResultsError, read_results
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import FILE_NAME, RunStore, StoredRun, StoreError, default_store_dir
from waza_engine.runs.store_place import FOLDER as STORE_FOLDER
from waza_engine.runs.stored_record import stored_record
from waza_lsp.cli.console import CANNOT, tell

FOLDER = click.Path(file_okay=False, path_type=Path)
STORE = click.option(
    "--store", "store_dir", type=FOLDER, metavar="DIR", help="Where runs are kept; default .waza-lsp."
)
"""Takes what `open_store` wants to be told."""
LAST = "last"


def give_up(message: str, about: Path | None = None) -> NoReturn:
    """End the program: what was asked for cannot be done. `about` is the file with which that is so."""
    tell(f"{about}: error: {message}" if about else f"error: {message}")
    sys.exit(CANNOT)


def store_option(directory: Path) -> list[str]:
    """What a command that names no store has to be told beside, so that it finds the runs in `directory`."""
    return [] if directory.absolute() == _usual() else ["--store", str(directory)]


def open_store(given: Path | None, eval_path: Path | None = None) -> RunStore:
    """The run store, which must be there already: the given one, that of an eval, or that of the workspace we are in."""
    directory = (given or (default_store_dir(eval_path) if eval_path else _usual())).absolute()
    if not (directory / FILE_NAME).is_file():
        directory = _below(directory, look=not (given or eval_path))
    try:
        return RunStore(directory, for_reading=True)
    except StoreError as error:
        give_up(str(error))


def _usual() -> Path:
    return default_store_dir(Path.cwd() / "any eval here").absolute()


def _below(directory: Path, *, look: bool) -> Path:
    """The one store in a folder below: an eval in no repository keeps its runs beside itself."""
    levels = ("*", "*/*") if look else ()
    found = sorted(it.parent for level in levels for it in Path().glob(f"{level}/{STORE_FOLDER}/{FILE_NAME}"))
    if len(found) == 1:
        return found[0].absolute()
    there = (
        f"; there are some in {', '.join(map(str, found[:5]))}. Name"
        if found
        else ". Run an eval first, or name"
    )
    give_up(f"There are no runs in {directory}{there} the folder with --store DIR")


def find_run(
    store: RunStore, name: str, eval_path: Path | None = None, *, is_performed: bool = False
) -> StoredRun:
    """The run called `name`: an id, the beginning of one, or `last`.

    With `is_performed` the last one is the last of which something was recorded, if there is one.
    """
    try:
        found = _last(store, eval_path, is_performed=is_performed) if name == LAST else store.find_runs(name)
    except StoreError as error:
        give_up(str(error))
    if not found:
        about = f" of {eval_path}" if eval_path else ""
        give_up(f"There is no run{about} {name!r}; list them with: waza-lsp runs list")
    if len(found) > 1:
        give_up(f"{name!r} may be one of {len(found)} runs: {', '.join(it.run_id for it in found[:5])}")
    return found[0]


def _last(store: RunStore, eval_path: Path | None, *, is_performed: bool) -> list[StoredRun]:
    newest = store.runs(eval_path, limit=1)
    if not is_performed or not newest or _has_recordings(store, newest[0]):
        return newest
    earlier = (it for it in store.runs(eval_path)[1:] if _has_recordings(store, it))
    return [next(earlier, newest[0])]


def _has_recordings(store: RunStore, run: StoredRun) -> bool:
    """Whether a trial was performed: of one that is an error only its recording tells."""
    return any(it.status != "error" for it in store.verdicts(run.run_id)) or any(
        it.record.trajectory.session is not None for it in store.trials(run.run_id)
    )


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
