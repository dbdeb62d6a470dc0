"""Which files of a folder may be eval files: YAML files that git would not ignore."""

from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

_SUFFIXES = frozenset([".yaml", ".yml"])
_NEVER = frozenset([".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".waza-lsp"])


def eval_files(start: Path) -> Iterator[Path]:
    """The file itself, or all YAML files below a folder in a stable order, respecting `.gitignore` files.

    Links to folders are not followed.
    """
    if not start.is_dir():
        yield start
        return
    yield from _below(start, [*_ignored_above(start)])


def _below(folder: Path, ignored: list[tuple[Path, GitIgnoreSpec]]) -> Iterator[Path]:
    ignored = [*ignored, *_spec(folder)]
    for entry in sorted(folder.iterdir(), key=lambda it: it.name):
        if entry.is_symlink() and entry.is_dir():
            continue
        if entry.is_dir():
            if entry.name not in _NEVER and not _is_ignored(entry, ignored, "/"):
                yield from _below(entry, ignored)
        elif entry.suffix in _SUFFIXES and not _is_ignored(entry, ignored, ""):
            yield entry


def _ignored_above(start: Path) -> Iterator[tuple[Path, GitIgnoreSpec]]:
    """The ignore files between the repository's root and the folder."""
    folder = start.resolve()
    parents = []
    while not (folder / ".git").exists() and folder != folder.parent:
        folder = folder.parent
        parents.append(folder)
    if (folder / ".git").exists():
        for it in reversed(parents):
            yield from _spec(it)


def _spec(folder: Path) -> list[tuple[Path, GitIgnoreSpec]]:
    try:
        lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [(folder, GitIgnoreSpec.from_lines(lines))]


def _is_ignored(path: Path, ignored: list[tuple[Path, GitIgnoreSpec]], end: str) -> bool:
    verdict = False
    for folder, spec in ignored:
        base = folder if path.is_relative_to(folder) else None
        relative = path.relative_to(base) if base else path.resolve().relative_to(folder)
        result = spec.check_file(relative.as_posix() + end)
        if result.include is not None:
            verdict = result.include
    return verdict
