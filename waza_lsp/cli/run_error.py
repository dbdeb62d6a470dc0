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
    """Where the pointer stands in the file, or what is nearest above it."""
    try:
        tree = Tree.of(split_lines(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError):
        return None
    for length in range(len(pointer), 0, -1):
        if found := tree.find(pointer[:length]):
            is_exact = length == len(pointer)
            return found.value.start if is_exact or found.key is None else found.key.start
    return Place(0, 0)


def _short(path: Path) -> Path:
    with contextlib.suppress(ValueError):
        return path.relative_to(Path.cwd())
    return path
