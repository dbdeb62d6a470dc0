"""Which eval is to be run for a file: itself, or for a task the nearest eval above it that lists it."""

from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import eval_of_task
from waza_engine.formats import recognise
from waza_engine.formats.filled import read_filled
from waza_engine.yaml_reader import YamlError

_WHOLES = frozenset(["eval", "experiment"])


def eval_of(path: Path) -> Path | None:
    """The eval to run for a file: the file itself when it is one, else the nearest eval whose globs match it."""
    files = Files()
    return path if _is_run_as_a_whole(path, files) else eval_of_task(path, files)


def _is_run_as_a_whole(path: Path, files: Files) -> bool:
    text = files.text(path)
    if text is None:
        return False
    try:
        data = read_filled(text)
    except YamlError:
        return False
    found = recognise(data, path) if isinstance(data, dict) else None
    return found is not None and found[1].runnable in _WHOLES
