"""The run stores of a workspace: find them, and the runs in them. Runs in a thread."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from waza_engine.project.store_location import FILE_NAME, FOLDER, default_store_dir
from waza_engine.project.suite_files import eval_of

if TYPE_CHECKING:
    from waza_engine.runs.store.store import RunStore, StoredRun


def stores_of(places: Iterable[Path]) -> list[Path]:
    """Return the folders of the run stores of `places`: folders, and files of evals."""
    evals = [it / "x" if it.is_dir() else eval_of(it) or it for it in places]
    return [it for it in dict.fromkeys(map(default_store_dir, evals)) if (it / FILE_NAME).is_file()]


def stores_among(folders: Iterable[Path], files: Iterable[Path]) -> list[Path]:
    """Return the folders of the run stores of workspace `folders`, with those beside and above the `files` in them."""
    roots = [it.absolute() for it in folders]
    searched = dict.fromkeys(roots)
    for file in files:
        for folder in file.parents:
            if folder in searched or not any(folder.is_relative_to(it) for it in roots):
                break
            searched[folder] = None
    found = dict.fromkeys(it / FOLDER for it in searched if (it / FOLDER / FILE_NAME).is_file())
    return list(dict.fromkeys([*stores_of(roots), *found]))


def open_stores(
    stack: ExitStack, places: Iterable[Path], *, for_reading: bool = True
) -> Iterator["RunStore"]:
    """Open the stores of `places` one after the other. They stay open until the stack is closed.

    Raises:
        StoreError: a store cannot be opened.

    """
    # Imported late: it brings pydantic and SQLite.
    from waza_engine.runs.store.store import RunStore

    for directory in stores_of(places):
        yield stack.enter_context(RunStore(directory, for_reading=for_reading))


def find_run(stores: Iterable["RunStore"], run_id: str) -> tuple["RunStore", "StoredRun"] | None:
    """Return the run with exactly this id and its store, or None.

    Raises:
        StoreError: a store cannot be read.

    """
    for store in stores:
        for run in store.find_runs(run_id) if run_id else ():
            if run.run_id == run_id:
                return store, run
    return None


def newest_run(stores: Iterable["RunStore"], eval_path: Path | None) -> tuple["RunStore", "StoredRun"] | None:
    """Return the newest run of an eval, or of all, and its store.

    Raises:
        StoreError: a store cannot be read.

    """
    found = [(store, run) for store in stores for run in store.runs(eval_path, limit=1)]
    return max(found, key=lambda it: it[1].started_at, default=None)
