"""Which eval is to be run for a file on disk: see `waza_engine.checking.suite_files.owner_of`."""

from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import owner_of
from waza_engine.formats import recognise
from waza_engine.formats.filled import read_filled
from waza_engine.yaml_reader import YamlError


def eval_of(path: Path) -> Path | None:
    """The eval or experiment to run for a file: the file itself when it is one, else the eval that it belongs to."""
    files = Files()
    return owner_of(_kind(path, files), path, files)


def _kind(path: Path, files: Files) -> str:
    """The kind of a file; empty where its text does not tell."""
    try:
        data = read_filled(files.text(path) or "")
    except YamlError:
        return ""
    found = recognise(data, path) if isinstance(data, dict) else None
    return (found[1].runnable or found[1].name) if found is not None else ""
