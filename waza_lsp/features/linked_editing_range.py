"""`textDocument/linkedEditingRange`: the name of an anchor and its aliases are typed together."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.renaming import ANCHOR_NAME, Anchors, renamable_anchor


def linked_editing_range(snapshot: Snapshot, position: types.Position) -> types.LinkedEditingRanges | None:
    if snapshot.form is None:
        return None
    found = renamable_anchor(snapshot, snapshot.place(position))
    if found is None or not isinstance(found.thing, Anchors) or len(found.thing.spans) < 2:
        return None
    return types.LinkedEditingRanges([snapshot.range(it) for it in sorted(found.thing.spans)], ANCHOR_NAME)
