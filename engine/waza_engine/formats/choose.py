"""Which dialect an eval file is of, by reading it."""

from pathlib import Path
from typing import TYPE_CHECKING

from waza_engine.formats import Dialect, recognise, resolved
from waza_engine.formats.reading import read_filled_mapping
from waza_engine.suite import LoadError

if TYPE_CHECKING:
    from waza_engine.formats.vally.experiment_load import Experiment


def experiment_at(path: Path) -> "Experiment | None":
    """The experiment in a file; None when the file is of another kind, or cannot be read.

    Raises:
        LoadError: it is an experiment that cannot be run.

    """
    try:
        found = recognise(read_filled_mapping(path), path)
    except LoadError:
        return None
    planner = found[1].planner if found is not None else ""
    experiment: Experiment | None = resolved(planner)(path) if planner else None
    return experiment


def dialect_of_file(path: Path) -> Dialect:
    """The dialect of the eval at `path`.

    Raises:
        LoadError: the file cannot be read, is no eval, or is another kind of file.

    """
    data = read_filled_mapping(path)
    found = recognise(data, path)
    if found is None:
        raise LoadError(
            path,
            "This is no eval file: it needs 'name', 'config' and 'tasks', or 'stimuli', at the top level",
        )
    dialect, kind, _reason = found
    if kind.name != "eval":
        raise LoadError(
            path,
            f"This is {'an' if kind.name[0] in 'aeiou' else 'a'} {kind.name} file of {dialect.name}, not an eval; name its eval file instead",
        )
    return dialect
