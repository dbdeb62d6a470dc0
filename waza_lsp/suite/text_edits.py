"""Our edits of a document as the client gets them."""

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edits import Edit


def text_edit(snapshot: Snapshot, edit: Edit) -> types.TextEdit:
    """The edit with the line ends of the document."""
    return types.TextEdit(snapshot.range(edit.span), edit.text.replace("\n", snapshot.text.line_end))
