"""Which eval is to be run for a file on disk: see `waza_engine.project.suite_files.owner_of`.

Files that an eval names as its tasks: the exact rule by which waza itself takes a file for a task.

See docs/reference/waza-formats.md, section 2.
"""

from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.yaml.reader import YamlError
from waza_engine.model.placeholders import read_with_placeholders
from waza_engine.project.suite_files import naming_eval, owner_of
from waza_engine.recognition.recognise import Dialect, Kind, recognise


def eval_of(path: Path) -> Path | None:
    """The eval or experiment to run for a file: the file itself when it is one, else the eval that it belongs to."""
    files = Files()
    return owner_of(_kind(path, files), path, files)


def _kind(path: Path, files: Files) -> str:
    """The kind of a file; empty where its text does not tell."""
    try:
        data = read_with_placeholders(files.text(path) or "")
    except YamlError:
        return ""
    found = recognise(data, path) if isinstance(data, dict) else None
    return (found[1].runnable or found[1].name) if found is not None else ""


_DISK = Files()
"""What was read of evals is remembered until they change."""


def kind_named_by_eval(path: Path) -> tuple[Dialect, Kind, str] | None:
    """Dialect and kind of a file that the globs of an eval above it name, and why; None when there is no such eval.

    Only evals with usual names are looked at: this is asked of every YAML file that nothing else speaks for.
    """
    found = naming_eval(path, _DISK) if path.is_absolute() else None
    if found is None:
        return None
    path_of_eval, dialect, kind = found
    return dialect, kind, f"named by {path_of_eval.name}"
