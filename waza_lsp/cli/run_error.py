"""A file of the suite that cannot be used, as `path:line:column: error: message`."""

import contextlib
import sys
from pathlib import Path
from typing import NoReturn

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.findings import Pointer, Severity
from waza_engine.regular_files import regular_bytes
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.suite import LoadError
from waza_lsp.cli.outputs import CANNOT
from waza_lsp.cli.printing import tell
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place


def load_error_text(error: LoadError) -> str:
    """One line; lines and columns count from one. Without a known place it is the path alone.

    What the editor would say of the same place is said here too: its words are better than a parser's.
    """
    place = Place(error.line, error.column) if error.line is not None else _place(error.path, error.pointer)
    said = _said_by_the_editor(error, place) if place else None
    place, message = said or (place, error.message)
    where = (
        f"{short_path(error.path)}:{place.line + 1}:{place.column + 1}"
        if place
        else str(short_path(error.path))
    )
    return f"{where}: error: {message}"


def give_up_loading(error: LoadError) -> NoReturn:
    """End the program: a file of the suite cannot be used."""
    tell(load_error_text(error))
    sys.exit(CANNOT)


def _said_by_the_editor(error: LoadError, place: Place) -> tuple[Place, str] | None:
    """The editor's first error in a text that is no YAML, or on the line of the error."""
    text = _text(error.path)
    if text is None:
        return None
    marks = findings(Snapshot.of(error.path.absolute().as_uri(), text), CheckContext(error.path.absolute()))
    for it in marks:
        is_syntax = it.finding.rule in {SYNTAX_ERROR, DUPLICATE_KEY}
        if it.finding.severity is Severity.ERROR and (
            is_syntax if error.line is not None else it.span.start.line == place.line
        ):
            return it.span.start, it.finding.message
    return None


def _place(path: Path, pointer: Pointer) -> Place | None:
    """Where the entry that the pointer names starts, or else the nearest one above it."""
    text = _text(path)
    if text is None:
        return None
    tree = Snapshot.of(path.absolute().as_uri(), text).tree
    for length in range(len(pointer), 0, -1):
        if found := tree.find(pointer[:length]):
            return (found.key or found.value).start
    return Place(0, 0)


def _text(path: Path) -> str | None:
    try:
        return regular_bytes(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def short_path(path: Path) -> Path:
    """The path as people in this folder would write it."""
    with contextlib.suppress(ValueError):
        return path.relative_to(Path.cwd())
    return path
