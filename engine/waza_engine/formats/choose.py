"""Which dialect an eval file is of, by reading it."""

from pathlib import Path
from typing import Any

from waza_engine.formats import Dialect, recognise
from waza_engine.formats.filled import read_filled
from waza_engine.formats.reading import read_mapping, read_text
from waza_engine.suite import LoadError
from waza_engine.yaml_reader import YamlError


def dialect_of_file(path: Path) -> Dialect:
    """The dialect of the eval at `path`.

    Raises:
        LoadError: the file cannot be read, is no eval, or is another kind of file.

    """
    data = _data(path)
    found = recognise(data, path)
    if found is None:
        raise LoadError(
            path,
            "This is no eval file: it needs 'name', 'config' and 'tasks', or 'stimuli', at the top level",
        )
    dialect, kind, _reason = found
    if kind.name != "eval":
        raise LoadError(
            path, f"This is a {kind.name} file of {dialect.name}, not an eval; name its eval file instead"
        )
    return dialect


def _data(path: Path) -> dict[str, Any]:
    try:
        return read_mapping(path)
    except LoadError:
        try:
            data = read_filled(read_text(path))
        except YamlError:
            data = None
        if isinstance(data, dict):
            return data
        raise
