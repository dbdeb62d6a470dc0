"""Save the results of a run that its store could not take, in a file that `waza-lsp merge` reads."""

import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from waza_engine.lib.files.safe_write import replace_inside
from waza_engine.model.results.records import RunRecord
from waza_engine.reports.results.write import results_chunks
from waza_engine.runs.store.store import StoreError


def rescue(record: RunRecord, store_dir: Path) -> str:
    """Write the whole run beside its store, or elsewhere if there is no room. Return an error that names the file."""
    what = f"{record.unsaved} write(s) of this run did not get into the run store"
    reasons: list[str] = []
    for folder in _folders(store_dir):
        path = folder / f"unsaved-{record.run_id}.json"
        try:
            replace_inside(path, folder, results_chunks(record))
        except OSError as error:
            reasons.append(f"{path}: {error.strerror or error}")
        except StoreError as error:
            return f"{what}, and the stored results cannot be read: {error}"
        else:
            return f"{what}. All results are in {path}. Report them with: {_merge_command(path)}"
    return f"{what}, and they cannot be saved elsewhere: {'; '.join(reasons)}"


def _merge_command(path: Path) -> str:
    return shlex.join(["waza-lsp", "merge", str(path)])


def _folders(store_dir: Path) -> Iterator[Path]:
    """Yield the existing folders to try, the best first; a deleted workspace is not created again."""
    for it in (store_dir, store_dir.parent):
        if it.is_dir():
            yield it
    try:
        # The names in the shared folder of temporary files are not to be guessed.
        yield Path(tempfile.mkdtemp(prefix="waza-lsp-unsaved-"))
    except OSError:
        return
