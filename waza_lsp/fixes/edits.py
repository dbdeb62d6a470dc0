"""Changes of data (`waza_engine.model.findings`) as edits of text.

A value to start from where a key is missing: the schema's default or example, else the least that fits its type.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.analysis.schema.navigate import Schema, child, narrow, properties, schema_at, value_at
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import (
    AddBlanks,
    AppendItem,
    CreateFile,
    Fix,
    InsertKey,
    MakeList,
    MoveKey,
    QuoteValue,
    RemoveKey,
    RenameKey,
    SetValue,
)
from waza_lsp.schema.skeletons import body_of
from waza_lsp.syntax.cursor.rows import scalar_value
from waza_lsp.syntax.edit.edits import Draft, Edit, difference
from waza_lsp.syntax.edit.entries import add_item, add_key, remove
from waza_lsp.syntax.edit.move import move_entry
from waza_lsp.syntax.edit.snippets import Body, TabStop
from waza_lsp.syntax.edit.values import (
    add_missing_spaces,
    has_empty_value,
    quote_value,
    rename_key,
    replace_value,
    wrap_in_list,
)

_NOTHING_KNOWN = "TODO"


def placeholder(root: Schema, pointer: Pointer, key: str, data: Any) -> Any:
    """What to write for `key` in the mapping at `pointer`."""
    around = schema_at(root, pointer, data)
    value = value_at(data, pointer)
    found = child(root, around, key, value) if around is not None else None
    if found is None:
        return _NOTHING_KNOWN
    found = narrow(root, found, None)
    # A default that stands for "nothing" would change nothing.
    if found.get("default"):
        return found["default"]
    return _filled(body_of(root, found))


def key_order(root: Schema, pointer: Pointer, data: Any) -> list[str]:
    """The keys of the mapping at a pointer, in the order in which they are best written."""
    around = schema_at(root, pointer, data)
    return list(properties(root, around, value_at(data, pointer))) if around is not None else []


def _filled(body: Body) -> Any:
    match body:
        case TabStop(text="", choices=()):
            return _NOTHING_KNOWN
        case TabStop():
            return scalar_value(body.text or body.choices[0])
        case str():
            return scalar_value(body)
        case Mapping():
            return {key: _filled(it) for key, it in body.items()}
        case _:
            return [_filled(it) for it in body]


_InText = (
    RenameKey | SetValue | QuoteValue | InsertKey | RemoveKey | MoveKey | AppendItem | MakeList | AddBlanks
)


class FixEdits(NamedTuple):
    """What a fix comes down to: edits of the document, and files to create with their text."""

    edits: tuple[Edit, ...]
    files: tuple[tuple[Path, str], ...] = ()


def fix_edits(fix: Fix, draft: Draft, root: Schema) -> FixEdits | None:
    """The edits of a fix; None where it cannot be made, or would break the text."""
    files = tuple((it.path, it.text) for it in fix.changes if isinstance(it, CreateFile))
    changes = sorted((it for it in fix.changes if not isinstance(it, CreateFile)), key=_sort_key)
    edits = _edits(changes[0], draft, root) if len(changes) == 1 else _all_edits(changes, draft, root)
    return FixEdits(tuple(edits), files) if edits is not None and not draft.is_harmed_by(edits) else None


def _all_edits(changes: Sequence[_InText], draft: Draft, root: Schema) -> list[Edit] | None:
    """Each change is made in the text that the one before it leaves."""
    now = draft.as_first()
    for change in changes:
        edits = _edits(change, now, root)
        if edits is None:
            return None
        now = now.apply(edits)
    return difference(draft.text, now)


_ORDER: Sequence[type[_InText]] = (
    SetValue,
    QuoteValue,
    MakeList,
    AddBlanks,
    AppendItem,
    InsertKey,
    MoveKey,
    RenameKey,
    RemoveKey,
)


def _sort_key(change: _InText) -> tuple[int, Sequence[int]]:
    """Changes that move nothing come first, so that the pointers of the later ones still hold."""
    # Of several items of a list the last goes first.
    indexes = [-it for it in change.pointer if isinstance(it, int)]
    return _ORDER.index(type(change)), indexes


def _edits(change: _InText, draft: Draft, root: Schema) -> list[Edit] | None:
    match change:
        case RenameKey(pointer, name):
            return rename_key(draft, pointer, name)
        case SetValue(pointer, value):
            return replace_value(draft, pointer, value)
        case QuoteValue(pointer):
            return quote_value(draft, pointer)
        case MakeList(pointer):
            return wrap_in_list(draft, pointer)
        case AddBlanks(pointer):
            return add_missing_spaces(draft, pointer)
        case RemoveKey(pointer):
            return remove(draft, pointer)
        case MoveKey(pointer, to):
            return move_entry(draft, pointer, to)
        case AppendItem(pointer, value):
            return add_item(draft, pointer, value)
        case InsertKey():
            return _insert_key(change, draft, root)


def _insert_key(change: InsertKey, draft: Draft, root: Schema) -> list[Edit] | None:
    pointer, key, value = change.pointer, change.key, change.value
    data = draft.tree.data()
    if value is None:
        value = placeholder(root, pointer, key, data)
    if has_empty_value(draft, (*pointer, key)):
        return replace_value(draft, (*pointer, key), value)
    return add_key(draft, pointer, key, value, key_order(root, pointer, data))
