"""Find the run that a command names: a run id, `last`, or a results file."""

import shlex
from pathlib import Path

import click

from waza_engine.lib.paths import exists
from waza_engine.model.results.records import RunRecord
from waza_engine.project.store_location import FOLDER
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoredRun, StoreError, default_store_dir
from waza_lsp.cli.console import give_up
from waza_lsp.cli.options import LAST


def store_option(directory: Path) -> list[str]:
    """Return the `--store` arguments that another command needs to find the runs in `directory`."""
    return [] if directory.absolute() == _default_dir() else ["--store", str(directory)]


def open_store(store_dir: Path | None, eval_path: Path | None = None) -> RunStore:
    """Open an existing run store: `store_dir`, else the store of the eval, else that of the current workspace."""
    directory = (store_dir or (default_store_dir(eval_path) if eval_path else _default_dir())).absolute()
    if not (directory / FILE_NAME).is_file():
        directory = _store_below(directory, search=not (store_dir or eval_path))
    try:
        return RunStore(directory, for_reading=True)
    except StoreError as error:
        give_up(str(error))


def _default_dir() -> Path:
    return default_store_dir(Path.cwd() / "any eval here").absolute()


def _store_below(directory: Path, *, search: bool) -> Path:
    """Return the only store in a subfolder: outside a repository, an eval keeps its runs next to itself."""
    found = _stores_below() if search else []
    if len(found) != 1:
        advice = (
            f"; found stores in {', '.join(map(str, found[:5]))}. Choose one"
            if found
            else ". Run an eval first, or name the folder"
        )
        give_up(f"No runs in {directory}{advice} with --store DIR")
    return found[0].absolute()


def _stores_below() -> list[Path]:
    return sorted(it.parent for level in ("*", "*/*") for it in Path().glob(f"{level}/{FOLDER}/{FILE_NAME}"))


def find_run(
    store: RunStore, name: str, eval_path: Path | None = None, *, with_recordings: bool = False
) -> StoredRun:
    """Return the run called `name`: an id, the beginning of an id, or `last`.

    With `with_recordings`, `last` skips newer runs that recorded nothing, if an older one did.
    """
    try:
        if name == LAST:
            found = _last_run(store, eval_path, with_recordings=with_recordings)
        else:
            found = store.find_runs(name)
    except StoreError as error:
        give_up(str(error))
    if not found:
        about = f" of {eval_path}" if eval_path else ""
        named = "" if name == LAST else f" named {name!r}"
        others = [str(it) for it in _stores_below() if it.absolute() != store.directory]
        hint = f". Other stores are {', '.join(others[:5])}: add --store DIR" if others else ""
        give_up(f"No run{about}{named}. List all runs with: waza-lsp runs list{hint}")
    if len(found) > 1:
        give_up(f"{name!r} matches {len(found)} runs: {', '.join(it.run_id for it in found[:5])}")
    return found[0]


def _last_run(store: RunStore, eval_path: Path | None, *, with_recordings: bool) -> list[StoredRun]:
    newest = store.runs(eval_path, limit=1)
    if not with_recordings or not newest or _has_recordings(store, newest[0]):
        return newest
    earlier = (it for it in store.runs(eval_path)[1:] if _has_recordings(store, it))
    return [next(earlier, newest[0])]


def _has_recordings(store: RunStore, run: StoredRun) -> bool:
    """Whether an agent performed any trial. A trial in error counts if it has a recorded session."""
    if any(it.status != "error" or it.infrastructure for it in store.verdicts(run.run_id)):
        return True
    return any(it.record.trajectory.session is not None for it in store.trials(run.run_id))


def load_record(name: str, store_dir: Path | None) -> RunRecord:
    """Return the record of a results file or of a stored run."""
    return load_record_and_store(name, store_dir)[0]


def load_record_and_store(name: str, store_dir: Path | None) -> tuple[RunRecord, RunStore | None]:
    """Return a record with its store, which stays open until the command ends; results files have no store."""
    path = Path(name)
    if path.suffix in {".yaml", ".yml"}:
        give_up(
            f"This is an eval, not a run. List its runs with: waza-lsp runs list {shlex.quote(name)}", path
        )
    if _is_results_file(path):
        return _read_results(path), None
    try:
        store = click.get_current_context().with_resource(open_store(store_dir))
        return stored_record(store, find_run(store, name)), store
    except StoreError as error:
        give_up(str(error))


def _is_results_file(path: Path) -> bool:
    """Whether a name is that of a results file, or of a folder with one, and not of a stored run."""
    return (
        path.suffix.lower() in {".json", ".jsonl"}
        or exists(str(path / "results.jsonl"))
        or (exists(str(path)) and path.is_file())
    )


def _read_results(path: Path) -> RunRecord:
    # Imported late: stored runs do without.
    from waza_engine.reports.results.read import ResultsError, read_results
    from waza_engine.reports.results.read_jsonl import read_jsonl

    is_lines = path.suffix.lower() == ".jsonl" or exists(str(path / "results.jsonl"))
    try:
        return read_jsonl(path) if is_lines else read_results(path)
    except ResultsError as error:
        give_up(str(error))
