"""Changes of data (`waza_engine.findings`) as edits of text."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.findings import (
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
from waza_lsp.schema.placeholder import key_order, placeholder
from waza_lsp.syntax.edits import Draft, Edit, difference
from waza_lsp.syntax.entry_edits import with_item, with_key, without
from waza_lsp.syntax.moving import moved
from waza_lsp.syntax.value_edits import as_list, as_text, has_no_value, renamed, with_blanks, with_value

_InText = (
    RenameKey | SetValue | QuoteValue | InsertKey | RemoveKey | MoveKey | AppendItem | MakeList | AddBlanks
)


class Made(NamedTuple):
    """What a fix comes down to: edits of the document, and files to create with their text."""

    edits: tuple[Edit, ...]
    files: tuple[tuple[Path, str], ...] = ()


def made(fix: Fix, draft: Draft, root: Schema) -> Made | None:
    """The edits of a fix; None where it cannot be made, or would break the text."""
    files = tuple((it.path, it.text) for it in fix.changes if isinstance(it, CreateFile))
    changes = sorted((it for it in fix.changes if not isinstance(it, CreateFile)), key=_turn)
    edits = _edits(changes[0], draft, root) if len(changes) == 1 else _all_edits(changes, draft, root)
    return Made(tuple(edits), files) if edits is not None and not draft.is_harmed_by(edits) else None


def _all_edits(changes: Sequence[_InText], draft: Draft, root: Schema) -> list[Edit] | None:
    """Each change is made in the text that the one before it leaves."""
    now = draft.begun()
    for change in changes:
        edits = _edits(change, now, root)
        if edits is None:
            return None
        now = now.edited(edits)
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


def _turn(change: _InText) -> tuple[int, Sequence[int]]:
    """Changes that move nothing come first, so that the pointers of the later ones still hold."""
    # Of several items of a list the last goes first.
    indexes = [-it for it in change.pointer if isinstance(it, int)]
    return _ORDER.index(type(change)), indexes


def _edits(change: _InText, draft: Draft, root: Schema) -> list[Edit] | None:
    match change:
        case RenameKey(pointer, name):
            return renamed(draft, pointer, name)
        case SetValue(pointer, value):
            return with_value(draft, pointer, value)
        case QuoteValue(pointer):
            return as_text(draft, pointer)
        case MakeList(pointer):
            return as_list(draft, pointer)
        case AddBlanks(pointer):
            return with_blanks(draft, pointer)
        case RemoveKey(pointer):
            return without(draft, pointer)
        case MoveKey(pointer, to):
            return moved(draft, pointer, to)
        case AppendItem(pointer, value):
            return with_item(draft, pointer, value)
        case InsertKey():
            return _inserted(change, draft, root)


def _inserted(change: InsertKey, draft: Draft, root: Schema) -> list[Edit] | None:
    pointer, key, value = change.pointer, change.key, change.value
    data = draft.tree.data()
    if value is None:
        value = placeholder(root, pointer, key, data)
    if has_no_value(draft, (*pointer, key)):
        return with_value(draft, (*pointer, key), value)
    return with_key(draft, pointer, key, value, key_order(root, pointer, data))
