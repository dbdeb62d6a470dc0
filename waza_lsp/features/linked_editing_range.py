"""`textDocument/linkedEditingRange`: occurrences of a name that change together while the user types.

These are an anchor with its aliases, and a name with its uses as long as no other file uses it.
"""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.references import mentions
from waza_lsp.workspace.rename import ANCHOR_NAME, Anchors, anchor_target
from waza_lsp.workspace.workspace import WorkspaceFiles

_PLAIN_NAME = r"[\w./-]+"


def linked_editing_range(
    snapshot: Snapshot, position: types.Position, workspace: WorkspaceFiles | None = None
) -> types.LinkedEditingRanges | None:
    """Return the linked ranges at a position, or None if there is only one."""
    if snapshot.form is None:
        return None
    place = snapshot.place(position)
    found = anchor_target(snapshot, place)
    if found is None:
        return _name_ranges(snapshot, place, workspace) if workspace is not None else None
    if not isinstance(found.thing, Anchors) or len(found.thing.spans) < 2:
        return None
    return types.LinkedEditingRanges([snapshot.range(it) for it in sorted(found.thing.spans)], ANCHOR_NAME)


def _name_ranges(
    snapshot: Snapshot, place: Place, workspace: WorkspaceFiles
) -> types.LinkedEditingRanges | None:
    found = mentions(snapshot, place, workspace)
    if found is None or len(found.places) < 2 or not found.definitions:
        return None
    if any(it.uri != snapshot.uri for it in found.places):
        return None  # Linked editing cannot change other files. Rename can.
    spans = sorted(it.inner for it in found.places)
    return types.LinkedEditingRanges([snapshot.range(it) for it in spans], _PLAIN_NAME)
