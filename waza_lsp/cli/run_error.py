"""A file of the suite that cannot be used, as `path:line:column: error: message`."""

import contextlib
from pathlib import Path

from waza_engine.findings import Pointer
from waza_engine.suite import LoadError
from waza_lsp.syntax.text import Place, split_lines
from waza_lsp.syntax.tree import Tree


def load_error_text(error: LoadError) -> str:
    """One line; lines and columns count from one. Without a known place it is the path alone."""
    place = Place(error.line, error.column) if error.line is not None else _place(error.path, error.pointer)
    where = f"{_short(error.path)}:{place.line + 1}:{place.column + 1}" if place else str(_short(error.path))
    return f"{where}: error: {error.message}"


def _place(path: Path, pointer: Pointer) -> Place | None:
    """Where the entry that the pointer names starts, or else the nearest one above it."""
    try:
        tree = Tree.of(split_lines(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError):
        return None
    for length in range(len(pointer), 0, -1):
        if found := tree.find(pointer[:length]):
            return (found.key or found.value).start
    return Place(0, 0)


def _short(path: Path) -> Path:
    with contextlib.suppress(ValueError):
        return path.relative_to(Path.cwd())
    return path
