"""`textDocument/onTypeFormatting`: indentation of the new line after Enter.

Below an empty key of a list type, or after an item of a list of strings, the new line starts with a dash.
"""

from lsprotocol import types

from waza_engine.analysis.schema.navigate import schema_at
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor.outline import Entry, Outline, Shape, outline
from waza_lsp.syntax.cursor.surroundings import region_of
from waza_lsp.syntax.edit.edits import layout_of
from waza_lsp.syntax.text import Place, Span


def on_type_formatting(snapshot: Snapshot, position: types.Position) -> list[types.TextEdit]:
    """Return the edit for a new line; `position` is on it."""
    form, place = snapshot.form, snapshot.place(position)
    source = snapshot.text.line(place.line)
    region = region_of(snapshot.tree, snapshot.text, place.line) if form is not None else None
    if region is None or source.strip() or place.line == 0 or not snapshot.text.line(place.line - 1).strip():
        return []
    above_cursor = outline(region.lines, place, first=region.first)
    start = _line_start(snapshot, above_cursor, place.line - 1)
    if start is None or start == source:
        return []
    return [types.TextEdit(snapshot.range(Span(Place(place.line, 0), Place(place.line, len(source)))), start)]


def _line_start(snapshot: Snapshot, above_cursor: Outline, above: int) -> str | None:
    """Return the start of the new line, or None if it is unknown."""
    last = above_cursor.last
    if last is None or last.row.line != above:
        return None
    row, column = last.row, last.container.column
    if snapshot.text.line(above)[row.value : row.value + 1] in {"|", ">"}:
        return " " * (column + layout_of(snapshot.tree).step)
    if above_cursor.inside is not None:
        return None
    if last.container.shape is Shape.SEQ:
        # An empty item ends the list.
        return " " * row.dashes[-1] + "- " if row.has_value and row.dashes else None
    if row.has_value or row.key is None:
        return " " * column
    layout = layout_of(snapshot.tree)
    if _is_list(snapshot, last):
        return " " * (column + layout.dash) + "- "
    return " " * (column + layout.step)


def _is_list(snapshot: Snapshot, entry: Entry) -> bool:
    pointer = _pointer(entry)
    root = snapshot.form.schema if snapshot.form is not None else {}
    schema = schema_at(root, pointer, snapshot.data)
    return schema is not None and schema.get("type") == "array"


def _pointer(entry: Entry) -> tuple[str | int, ...]:
    owner = entry.container.owner
    return (*(_pointer(owner) if owner is not None else ()), entry.part)
