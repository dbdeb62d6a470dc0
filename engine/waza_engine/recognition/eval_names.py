"""Files that a project names as evals: `files.evalFile` of `.waza.yaml`, `paths.evalFilenames` of `.vally.yaml`.

In the project's folder of evals, files with the usual names are named as well. A runner loads such a file by its name,
so it is an eval whatever its keys are. See
docs/reference/waza-formats.md, section 2, and docs/reference/vally.md, section 8.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waza_engine.lib.files.vfs import Files

_LEVELS = 10
_SUFFIXES = (".yaml", ".yml")
_USUAL = "eval.yaml"
_USUAL_NAMES = ("eval.yaml", "eval.yml")
_USUAL_FOLDER = "evals/"


def usual_path(path: PurePath, project_files: Collection[str]) -> tuple[PurePath, PurePath] | None:
    """Return the path with the usual eval name, and the project file that names this file as an eval."""
    if not path.name.endswith(_SUFFIXES) or not path.is_absolute():
        return None
    for folder in list(path.parents)[:_LEVELS]:
        if there := [it for name in project_files if _disk().is_file(it := Path(folder, name))]:
            project = next((it for it in there if _names_as_eval(path, it)), None)
            return (path.with_name(_USUAL), project) if project is not None else None
    return None


def _names_as_eval(path: PurePath, project: Path) -> bool:
    data = _disk().mapping(project)
    files, paths = _mapping(data.get("files")), _mapping(data.get("paths"))
    if files.get("evalFile") == path.name:
        return True
    names = [*_texts(paths.get("evalFilenames"))] or ([] if "evalFile" in files else _USUAL_NAMES)
    return any(_fits(path.name, it) for it in names) and any(
        path.is_relative_to(os.path.normpath(project.parent / it))
        for it in _texts(paths.get("evals", _USUAL_FOLDER))
    )


@cache
def _disk() -> "Files":
    """Return the file system; project files are cached until they change."""
    # Imported late: it imports the YAML library, which is not needed if the text or name decides.
    from waza_engine.lib.files.vfs import Files

    return Files()


def _fits(name: str, pattern: str) -> bool:
    """Whether a file name matches a pattern; patterns that match every file do not count."""
    return PurePath(pattern).stem.strip("*") != "" and fnmatchcase(name, pattern)


def _texts(value: Any) -> Iterator[str]:
    yield from (it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
