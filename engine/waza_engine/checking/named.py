"""Files that an eval names as its tasks: the exact rule by which waza itself takes a file for a task.

See docs/reference/waza-formats.md, section 2.
"""

from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import eval_naming
from waza_engine.formats import Dialect, Kind

_DISK = Files()
"""What was read of evals is remembered until they change."""


def named_by_eval(path: Path) -> tuple[Dialect, Kind, str] | None:
    """Dialect and kind of a file that the globs of an eval above it name, and why; None when there is no such eval.

    Only evals with usual names are looked at: this is asked of every YAML file that nothing else speaks for.
    """
    found = eval_naming(path, _DISK) if path.is_absolute() else None
    if found is None:
        return None
    path_of_eval, dialect, kind = found
    return dialect, kind, f"named by {path_of_eval.name}"
