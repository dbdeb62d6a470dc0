"""Turn a fix, which changes data (`waza_engine.model.findings`), into edits of the text.

A missing key gets the default or the example of its schema, else the smallest value of its type.
"""

from collections.abc import Callable, Mapping, Sequence
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
    SplitText,
)
from waza_lsp.schema.skeletons import body_of
from waza_lsp.syntax.cursor.rows import scalar_value
from waza_lsp.syntax.edit.comments import keep_comments
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
    split_text,
    wrap_in_list,
)

_TODO = "TODO"


def placeholder(root: Schema, pointer: Pointer, key: str, data: Any) -> Any:
    """Return the first value of a new `key` in the mapping at `pointer`."""
    parent = schema_at(root, pointer, data)
    value = value_at(data, pointer)
    found = child(root, parent, key, value) if parent is not None else None
    if found is None:
        return _TODO
    found = narrow(root, found, None)
    # An empty default, once written down, would have no effect.
    if found.get("default"):
        return found["default"]
    return _placeholder_data(body_of(root, found))


def key_order(root: Schema, pointer: Pointer, data: Any) -> list[str]:
    """Return the keys of the mapping at a pointer, in the order to write them in."""
    parent = schema_at(root, pointer, data)
    return list(properties(root, parent, value_at(data, pointer))) if parent is not None else []


def _placeholder_data(body: Body) -> Any:
    match body:
        case TabStop(text="", choices=()):
            return _TODO
        case TabStop():
            return scalar_value(body.text or body.choices[0])
        case str():
            return scalar_value(body)
        case Mapping():
            return {key: _placeholder_data(it) for key, it in body.items()}
        case _:
            return [_placeholder_data(it) for it in body]


_TextChange = (
    RenameKey
    | SetValue
    | QuoteValue
    | InsertKey
    | RemoveKey
    | MoveKey
    | AppendItem
    | MakeList
    | AddBlanks
    | SplitText
)


class FixEdits(NamedTuple):
    """The edits of the document, and the files to create with their text."""

    edits: tuple[Edit, ...]
    files: tuple[tuple[Path, str], ...] = ()


def fix_edits(fix: Fix, draft: Draft, root: Schema) -> FixEdits | None:
    """Return the edits of a fix; None if it is not possible, or would break the text."""
    files = tuple((it.path, it.text) for it in fix.changes if isinstance(it, CreateFile))
    changes = sorted((it for it in fix.changes if not isinstance(it, CreateFile)), key=_sort_key)
    is_simple = len(changes) == 1 and not _place_of_comments(changes[0])
    edits = _edits(changes[0], draft, root) if is_simple else _all_edits(changes, draft, root)
    return FixEdits(tuple(edits), files) if edits is not None and not draft.is_harmed_by(edits) else None


def _all_edits(changes: Sequence[_TextChange], draft: Draft, root: Schema) -> list[Edit] | None:
    """Apply one change after the other, and return the difference to the first text."""
    now = draft.as_first()
    for change in changes:
        edits = _edits(change, now, root)
        if edits is None:
            return None
        now = now.apply(edits)
    for change in changes:
        if place := _place_of_comments(change):
            now = keep_comments(draft, now, place)
    return difference(draft.text, now)


def _place_of_comments(change: _TextChange) -> Pointer:
    """Return where comments belong that the change would lose, because their line goes; () for nowhere."""
    match change:
        case RemoveKey(comments_to=to):
            return to
        case MoveKey(to=to):
            return to[:-1]
        case _:
            return ()


_ORDER: Sequence[type[_TextChange]] = (
    SetValue,
    QuoteValue,
    MakeList,
    AddBlanks,
    AppendItem,
    SplitText,
    InsertKey,
    MoveKey,
    RenameKey,
    RemoveKey,
)


def _sort_key(change: _TextChange) -> tuple[int, Sequence[int]]:
    """Changes that move nothing come first, so that the pointers of later changes stay valid."""
    # The last item of a list goes first.
    indexes = [-it for it in change.pointer if isinstance(it, int)]
    return _ORDER.index(type(change)), indexes


_BY_PLACE: Mapping[type[_TextChange], Callable[[Draft, Pointer], list[Edit] | None]] = {
    QuoteValue: quote_value,
    MakeList: wrap_in_list,
    AddBlanks: add_missing_spaces,
    RemoveKey: remove,
}


def _edits(change: _TextChange, draft: Draft, root: Schema) -> list[Edit] | None:
    match change:
        case RenameKey(pointer, name):
            return rename_key(draft, pointer, name)
        case SetValue(pointer, value):
            return replace_value(draft, pointer, value)
        case MoveKey(pointer, to):
            return move_entry(draft, pointer, to)
        case AppendItem(pointer, value, first):
            return add_item(draft, pointer, value, first=first)
        case SplitText(pointer, line, key):
            return split_text(draft, pointer, line, key)
        case InsertKey():
            return _insert_key(change, draft, root)
        case _:
            return _BY_PLACE[type(change)](draft, change.pointer)


def _insert_key(change: InsertKey, draft: Draft, root: Schema) -> list[Edit] | None:
    pointer, key, value = change.pointer, change.key, change.value
    data = draft.tree.data()
    if value is None:
        value = placeholder(root, pointer, key, data)
    if has_empty_value(draft, (*pointer, key)):
        return replace_value(draft, (*pointer, key), value)
    return add_key(draft, pointer, key, value, key_order(root, pointer, data))
