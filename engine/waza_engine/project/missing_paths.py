"""Fixes for paths that do not exist: another spelling of the path, another base, a similar name, or a new file.

For globs that match nothing: a similar folder, the other case or suffix.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import normal_path
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import likely_names, nearest
from waza_engine.model.findings import CreateFile, Fix, SetValue
from waza_engine.project.document import Document

_MOST_FIXES = 3
_MOST_LEVELS = 8
_IN_GLOBS = frozenset("*?[]{}")
_YAML = (".yaml", ".yml")


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


def near_globs(files: Files, folder: Path, pattern: str, matches: Callable[[str], bool]) -> Iterator[str]:
    """Yield what a path or glob of YAML files probably should be, as far as `matches` accepts it, best first.

    A glob differs from the pattern in the spelling of its folders and in its suffix: `task/*.yml` is `tasks/*.yaml`.
    """
    head, slash, name = pattern.rpartition("/")
    stem, is_yaml = PurePosixPath(name).stem, PurePosixPath(name).suffix.lower() in _YAML
    seen = {pattern}
    for it in _near_folders(files, folder, head.split("/")) if slash else [""]:
        start = f"{it}{slash}"
        names = [it for it in files.names(folder / start) if it.lower().endswith(_YAML)]
        stems = {PurePosixPath(it).stem: it for it in names}
        suffixes = [*_YAML, *sorted({PurePosixPath(it).suffix for it in names})] if is_yaml else []
        spelled = [] if _IN_GLOBS & set(stem) else [stems[it] for it in likely_names(stem, stems)]
        for near in (name, *(f"{stem}{it}" for it in suffixes), *spelled):
            if (glob := f"{start}{near}") not in seen and matches(glob):
                seen.add(glob)
                yield glob
                break


def _near_folders(files: Files, folder: Path, parts: Sequence[str]) -> Iterator[str]:
    """Yield the folders that a path may mean; from its first wildcard on, it stays as it is."""
    part, *rest = parts
    is_glob = bool(_IN_GLOBS & set(part))
    others = [] if is_glob or part in {"", ".", ".."} else likely_names(part, files.names(folder))
    for it in dict.fromkeys([part, *others]):
        if not rest:
            yield it
        elif is_glob:
            yield "/".join(parts)
        else:
            yield from (f"{it}/{inner}" for inner in _near_folders(files, folder / it, rest))


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
    bases = document.once(("folders above", folder), lambda: tuple(_folders_above(document, folder)))
    for base in dict.fromkeys([*bases, document.process_dir]):
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
    path = normal_path(folder / slashes)
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
