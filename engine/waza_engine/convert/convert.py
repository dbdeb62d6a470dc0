"""The suite of an eval in the dialect that is asked for."""

from pathlib import Path

from waza_engine.convert.conversion import Conversion
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import dialect_of_file

_WAYS = {"vally": to_vally, "waza": to_waza}
TARGETS = tuple(_WAYS)
"""The dialects that suites are converted to."""


def converted(path: Path, target: str, folder: Path, process_dir: Path) -> Conversion:
    """The suite of the eval at `path` as files of the dialect `target`, which will stand in `folder`.

    Raises:
        LoadError: there is no such dialect, the suite is of that dialect already, or a file of it cannot be used.

    """
    if target not in _WAYS:
        raise LoadError(path, f"Suites are converted to {' or '.join(_WAYS)}, not to '{target}'")
    if dialect_of_file(path).name == target:
        raise LoadError(
            path,
            f"This is a suite of {target} already; `waza-lsp convert --to latest` brings it to its newest form",
        )
    return _WAYS[target](path, folder.absolute(), process_dir=process_dir)
