"""Which dialect an eval file is of, by reading it."""

from pathlib import Path
from typing import Any

from waza_engine.formats import Dialect, recognise
from waza_engine.formats.reading import read_mapping, read_text
from waza_engine.placeholders import PLACEHOLDER
from waza_engine.suite import LoadError
from waza_engine.yaml_reader import YamlError, read_yaml


def dialect_of_file(path: Path) -> Dialect:
    """The dialect of the eval at `path`.

    Raises:
        LoadError: the file cannot be read, is no eval, or is another kind of file.

    """
    data = _data(path)
    found = recognise(data, path)
    if found is None:
        raise LoadError(path, "This is no eval file: it needs 'name', 'config' and 'tasks', or 'stimuli', at the top level")
    dialect, kind, _reason = found
    if kind.name != "eval":
        raise LoadError(
            path, f"This is a {kind.name} file of {dialect.name}, not an eval; name its eval file instead"
        )
    return dialect


def _data(path: Path) -> dict[str, Any]:
    """The data of the file. Where placeholders keep it from being YAML, any values will do in their place."""
    try:
        return read_mapping(path)
    except LoadError:
        text, count = PLACEHOLDER.subn("0", read_text(path))
        try:
            data = read_yaml(text) if count else None
        except YamlError:
            data = None
        if isinstance(data, dict):
            return data
        raise
