"""The data of an open document as the engine's loader reads it, made of the pieces of its text.

After an edit, only the piece that it touched is parsed again, and all other parts of the data are the same objects. Where only a
reading of the whole text can tell (an error, an alias, a tag), there is no such data.
"""

from typing import Any

from waza_engine.lib.queries.items import Items, items_after
from waza_engine.lib.queries.store import kept
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.plain import is_plain


def loader_data(snapshot: Snapshot, before: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the data of a document, with parts of `before`, its data before an edit; None if it takes a whole reading."""
    tree = snapshot.tree
    if not is_plain(tree):
        return None
    found: dict[str, Any] = {}
    for entry in tree.entries:
        key = entry.key.source
        if key in found:
            return None
        if entry.is_list:
            old = before.get(key) if before is not None else None
            items = [_data(node) for _, node in entry.items]
            found[key] = items_after(items, old) if isinstance(old, Items) else Items(items)
        else:
            found[key] = _data(entry.value)
    return found


def _data(node: Node) -> Any:
    return kept(node.memory, _data, lambda: node.typed_data({}))
