"""Fixes for paths that do not exist: another spelling of the path, another base, a similar name, or a new file."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import CreateFile, Fix, SetValue
from waza_engine.project.document import Document

_MOST_FIXES = 3
_MOST_LEVELS = 8
_IN_GLOBS = frozenset("*?[]{}")


def path_fixes(
    document: Document,
    folder: Path,
    place: Pointer,
    text: str,
    *,
    only: Callable[[Path], bool] | None = None,
    new: str | None = None,
) -> Iterator[Fix]:
    """Yield fixes for a path at `place` that does not exist in `folder`, best first.

    `only` filters the paths to change to. `new` is the text of a file to create; with None, none is offered.
    """
    exists = only or document.files.exists
    found = dict.fromkeys(
        [*_as_slashes(folder, text, exists), *_from_other_base(document, folder, text, exists)]
    )
    for index, it in enumerate(found):
        is_same = it == text.replace("\\", "/")
        yield Fix(f"Change to '{it}'", (SetValue(place, it),), preferred=index == 0, safe=is_same)
    if not found:
        create = _creation(document, folder, text, new)
        for it in [*_similar(document, folder, text, only)][: _MOST_FIXES - len(create)]:
            yield Fix(f"Change to '{it}'", (SetValue(place, it),))
        yield from create


def path_advice(text: str) -> str:
    """Return what to do about the separators of a path, as the end of a message; empty if they are right."""
    return ". Write '/' instead of '\\'" if "\\" in text else ""


def _as_slashes(folder: Path, text: str, exists: Callable[[Path], bool]) -> Iterator[str]:
    slashes = text.replace("\\", "/")
    if slashes != text and not _is_absolute(text) and exists(folder / slashes):
        yield slashes


def _from_other_base(
    document: Document, folder: Path, text: str, exists: Callable[[Path], bool]
) -> Iterator[str]:
    """Yield the path from `folder` to what exists at the written path below the repository or the run directory."""
    slashes = text.replace("\\", "/")
    if _is_absolute(text) or slashes.startswith("../"):
        return
    for base in dict.fromkeys([*_folders_above(document, folder), document.process_dir]):
        if base is not None and base != folder and exists(base / slashes):
            yield Path(os.path.relpath(base / slashes, folder)).as_posix()
            return


def _folders_above(document: Document, folder: Path) -> Iterator[Path]:
    """Yield the folders above one, up to the root of the repository."""
    for base in (folder, *list(folder.parents)[:_MOST_LEVELS]):
        if base != folder:
            yield base
        if document.files.exists(base / ".git") or base == document.process_dir:
            return


def _creation(document: Document, folder: Path, text: str, new: str | None) -> list[Fix]:
    """Return the fix that creates the file; only inside the workspace, and only for a name with a suffix."""
    slashes = text.replace("\\", "/")
    if new is None or _is_absolute(text) or _IN_GLOBS & set(text) or not PurePosixPath(slashes).suffix:
        return []
    path = Path(os.path.normpath(folder / slashes))
    inside = [it for it in (document.process_dir, folder) if it is not None]
    if not any(path.is_relative_to(it) for it in inside) or document.files.exists(path):
        return []
    return [Fix(f"Create {slashes}", (CreateFile(path, new),))]


def _is_absolute(text: str) -> bool:
    return text.startswith(("/", "\\", "~")) or text[1:2] == ":"


def _similar(
    document: Document, folder: Path, text: str, only: Callable[[Path], bool] | None
) -> Iterator[str]:
    head, slash, name = text.rpartition("/")
    base = folder / head
    there = [it for it in document.files.names(base) if base / it != document.path]
    for it in nearest(name, there if only is None else [it for it in there if only(base / it)]):
        yield f"{head}{slash}{it}"
