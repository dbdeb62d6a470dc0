"""Where the runs and recordings of an eval are stored.

Apart from the store, because checking whether there are runs must not import it.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from waza_engine.lib.files.safe_read import marked_folder
from waza_engine.lib.paths import real_path
from waza_engine.lib.queries.disk import Stamp
from waza_engine.model.file_names import WAZA_PROJECT

FILE_NAME = "runs.sqlite3"
FOLDER = ".waza-lsp"
RECORDINGS_FOLDER = "recordings"
"""Beside an eval."""
REVIEWS = "reviews.jsonl"
"""In the store's folder: what people decided."""
JUDGEMENTS = "judgements.jsonl"
"""In the store's folder: what judges said when they were asked again."""
REGRADED = "regraded.jsonl"
"""In the store's folder: what graders said when recorded trials were graded again."""
_COUNTER_FOLDER = "counter"
"""In the folder of recordings: those that must fail."""
_ROOT_MARKS = (".git", WAZA_PROJECT)


def default_store_dir(eval_path: Path) -> Path:
    """Return the default folder for the runs of an eval."""
    return workspace_root(eval_path) / FOLDER


def counter_folder(eval_path: Path) -> Path:
    """Return the folder with the counter examples of an eval: recordings that must fail."""
    return eval_path.parent / RECORDINGS_FOLDER / _COUNTER_FOLDER


def recording_stems(task: str) -> Iterator[str]:
    """Yield the names without ".json" that the recordings of a task can have: `TASK`, `TASK.2`, ..., without end."""
    yield task
    yield from (f"{task}.{number}" for number in count(2))


def recording_sources(eval_path: Path, store_dir: Path) -> tuple[Path, ...]:
    """Return the files to watch: if none has changed, neither have the recordings."""
    store, counter = store_dir / FILE_NAME, counter_folder(eval_path)
    return (store, store.with_name(f"{store.name}-wal"), counter.parent, counter)


def file_state(path: Path) -> Stamp:
    """Return a value that changes with the content of a file, but not because SQLite reads it.

    When root opens a store, SQLite sets the owner of its log, which changes the time of the status. A reader may also
    leave an empty log. So the file's number stands in for that time, and an empty file for a missing one.
    """
    try:
        about = path.stat()
    except (OSError, ValueError):
        return None
    is_empty = stat.S_ISREG(about.st_mode) and not about.st_size
    return None if is_empty else (about.st_mtime_ns, about.st_ino, about.st_size)


def in_repository(paths: Iterable[Path], folder: Path) -> list[Path]:
    """Return the paths that are in the repository of an eval's `folder`; without one, in the folder's parent.

    A glob such as `../../../etc/*` must not list what is on the machine.
    """
    root = real_path(repository(folder))
    known: dict[Path, bool] = {}
    found: list[Path] = []
    for path in paths:
        if path.parent not in known:
            known[path.parent] = real_path(path.parent).is_relative_to(root)
        if known[path.parent]:
            found.append(path)
    return found


def repository(folder: Path) -> Path:
    """Return the repository of an eval's folder, else the folder with the settings above it, else its parent."""
    given = os.path.abspath(folder / "eval")  # noqa: PTH100  # links stay
    found = marked_folder(given, _ROOT_MARKS[:1]) or marked_folder(given, _ROOT_MARKS[1:])
    return Path(found) if found else Path(given).parent.parent


def workspace_root(eval_path: Path) -> Path:
    """Return the nearest folder above the eval with `.git` or `.waza.yaml`, else the eval's own folder."""
    # As strings: asked for each of thousands of evals.
    own = candidate = os.path.dirname(os.path.realpath(eval_path))  # noqa: PTH120  # see above
    while not any(os.path.exists(os.path.join(candidate, it)) for it in _ROOT_MARKS):  # noqa: PTH110, PTH118  # see above
        above = os.path.dirname(candidate)  # noqa: PTH120  # see above
        if above == candidate:
            return Path(own)
        candidate = above
    return Path(candidate)
