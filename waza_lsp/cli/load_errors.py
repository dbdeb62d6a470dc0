"""Print an unusable file of a suite as `path:line:column: error: message`.

What finds and words the error is imported late: most suites can be loaded.
"""

import contextlib
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from waza_lsp.cli.console import EXIT_ERROR, print_err

if TYPE_CHECKING:
    from waza_engine.lib.pointer import Pointer
    from waza_engine.model.suite import LoadError
    from waza_lsp.syntax.text import Place
    from waza_lsp.syntax.tree.tree import Tree


def give_up_loading(error: "LoadError") -> NoReturn:
    """Print why a file of the suite cannot be loaded, and end the program."""
    print_err(load_error_text(error))
    sys.exit(EXIT_ERROR)


def load_error_text(error: "LoadError") -> str:
    """Return the error as one line. Lines and columns count from 1; an unknown position is left out.

    If the editor reports an error at the same position, its message is used: it is clearer than the parser's.
    """
    from waza_lsp.syntax.text import Place

    place = (
        Place(error.line, error.column) if error.line is not None else find_place(error.path, error.pointer)
    )
    diagnostic = _editor_error(error, place) if place else None
    place, message = diagnostic or (place, error.message)
    path = short_path(error.path)
    where = f"{path}:{place.line + 1}:{place.column + 1}" if place else str(path)
    return f"{where}: error: {message}"


def short_path(path: Path) -> Path:
    """Return the path relative to the current directory, if it is below it."""
    with contextlib.suppress(ValueError):
        return path.relative_to(Path.cwd())
    return path


def _editor_error(error: "LoadError", place: "Place") -> "tuple[Place, str] | None":
    """Return the editor's first syntax error for invalid YAML, else its first error on the same line."""
    from waza_engine.analysis.pipeline import CheckContext
    from waza_engine.model.findings import Severity
    from waza_engine.rules.duplicate_key import DUPLICATE_KEY
    from waza_engine.rules.syntax_error import SYNTAX_ERROR
    from waza_lsp.features.diagnostics import findings
    from waza_lsp.snapshot import Snapshot

    text = _read(error.path)
    if text is None:
        return None
    marks = findings(Snapshot.of(error.path.absolute().as_uri(), text), CheckContext(error.path.absolute()))
    for mark in marks:
        is_syntax = mark.finding.rule in {SYNTAX_ERROR, DUPLICATE_KEY}
        if mark.finding.severity is Severity.ERROR and (
            is_syntax if error.line is not None else mark.span.start.line == place.line
        ):
            return mark.span.start, mark.finding.message
    return None


def find_place(path: Path, pointer: "Pointer") -> "Place | None":
    """Return the start of the entry at `pointer`, or of its nearest existing parent."""
    from waza_engine.lib.queries.disk import stamp
    from waza_lsp.syntax.text import Place

    tree = _tree(path, stamp(path))
    if tree is None:
        return None
    for length in range(len(pointer), 0, -1):
        if found := tree.find(pointer[:length]):
            return (found.key or found.value).start
    return Place(0, 0)


@lru_cache(maxsize=4)
def _tree(path: Path, _stamp: object) -> "Tree | None":
    """Return the tree of a file. One file often has many of the entries that a report names."""
    from waza_lsp.snapshot import Snapshot

    text = _read(path)
    return Snapshot.of(path.absolute().as_uri(), text).tree if text is not None else None


def _read(path: Path) -> str | None:
    from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes

    try:
        return regular_bytes(path, MAX_SOURCE_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
