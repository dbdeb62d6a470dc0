"""Path suggestions: files, folders and globs."""

import os.path
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from waza_engine.lib.go.glob import has_wildcard
from waza_engine.lib.paths import normal_path
from waza_engine.recognition.recognise import dialects
from waza_lsp.completion.suggestions import Suggestion, SuggestionKind
from waza_lsp.schema.paths import Disk

_MAX_UP = 4
_YAML = (".yaml", ".yml")


def path_suggestions(
    kind: str, start: Path, typed: str, files: Disk, holds: str = "", suffixes: Collection[str] = ()
) -> list[Suggestion]:
    """Return the content of the typed folder: folders, then globs if allowed, then files.

    `kind` comes from `x-path`. For a file, folders end in a slash so that the user can continue typing. With `holds`,
    nearby folders that contain a file of that name come first. With `suffixes`, other files are left out.
    """
    found = [
        *(_folders_with_file(holds, start, files) if holds else ()),
        *_folder_content(kind, start, typed, files, suffixes),
    ]
    return list({it.label: it for it in reversed(found)}.values())[::-1]


def _folder_content(
    kind: str, start: Path, typed: str, files: Disk, suffixes: Collection[str]
) -> list[Suggestion]:
    prefix = typed[: typed.rfind("/") + 1]
    if has_wildcard(prefix) or not _is_below(start / prefix, start, files.process_dir):
        return []
    listed = sorted(it for it in files.glob(f"{prefix}*", start) if not it.name.startswith("."))
    folders = [it for it in listed if files.is_directory(it)]
    plain = [it for it in listed if it not in folders and (not suffixes or it.suffix in suffixes)]
    if kind == "glob":
        plain = [it for it in plain if it.name not in _names_beside_evals()]
    end = "" if kind == "directory" else "/"
    found = [Suggestion(SuggestionKind.FOLDER, f"{prefix}{it.name}{end}") for it in folders]
    if kind == "glob":
        found += _globs(prefix, start, folders, plain, files)
    if kind != "directory":
        found += [Suggestion(SuggestionKind.FILE, prefix + it.name) for it in plain]
    return found


@cache
def _names_beside_evals() -> frozenset[str]:
    """Return the names that runs load from beside an eval by themselves, so that no list names them."""
    return frozenset().union(*(kind.beside_evals for it in dialects() for kind in it.kinds))


def _folders_with_file(name: str, start: Path, files: Disk) -> Iterator[Suggestion]:
    """Return folders that contain a file of that name: below the start, and in common folders above it."""
    patterns = [f"*/{name}", f"*/*/{name}"]
    for up in range(1, _MAX_UP + 1):
        above = "../" * up
        if not _is_below(start / above, start, files.process_dir):
            break
        patterns += [f"{above}*/{name}", f"{above}skills/*/{name}", f"{above}.github/skills/*/{name}"]
    for pattern in patterns:
        for it in sorted(files.glob(pattern, start)):
            label = Path(os.path.relpath(it.parent, start)).as_posix()
            yield Suggestion(SuggestionKind.FOLDER, label, detail=f"contains {name}", is_likely=True)


def _is_below(folder: Path, *roots: Path | None) -> bool:
    """Whether a folder is below one of the roots. Nothing else of the disk is shown."""
    plain = normal_path(folder)
    return any(it is not None and plain.is_relative_to(it) for it in roots)


def _globs(
    prefix: str, start: Path, folders: list[Path], plain: list[Path], files: Disk
) -> Iterator[Suggestion]:
    """Return patterns for folders that contain YAML files: the typed folder and its subfolders, not the start."""
    inside = {prefix: plain} if prefix else {}
    inside |= {f"{prefix}{it.name}/": files.glob(f"{prefix}{it.name}/*", start) for it in folders}
    for folder, content in inside.items():
        for suffix in _YAML:
            if count := sum(1 for it in content if it.suffix == suffix):
                detail = "1 file" if count == 1 else f"{count} files"
                yield Suggestion(SuggestionKind.FILE, f"{folder}*{suffix}", detail=detail, is_likely=True)
