"""`textDocument/completion`: keys that are missing, values, whole items, names and files that fit at the cursor.

Each item carries one edit on the cursor's line that replaces the whole token, with absolute indentation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lsprotocol import types

from waza_lsp.schema.offers import Offer, Surroundings, offers
from waza_lsp.schema.paths import Files
from waza_lsp.schema.suggest import Rank, Suggestion, What
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor import At, Situation, situations
from waza_lsp.syntax.layout import Layout, layout_of
from waza_lsp.syntax.template import Pen
from waza_lsp.syntax.text import Place, Span

_KINDS = {
    What.KEY: types.CompletionItemKind.Property,
    What.VALUE: types.CompletionItemKind.Value,
    What.SKELETON: types.CompletionItemKind.Snippet,
    What.FILE: types.CompletionItemKind.File,
    What.FOLDER: types.CompletionItemKind.Folder,
}


@dataclass(frozen=True, slots=True)
class Client:
    """What the editor can take. An editor that `adjusts` indents the lines of an item itself, whatever we say."""

    snippets: bool = True
    markdown: bool = True
    tags: bool = True
    label_details: bool = True
    adjusts: bool = False


def completion(
    snapshot: Snapshot, position: types.Position, client: Client = Client(), files: Files | None = None
) -> types.CompletionList:
    items: list[types.CompletionItem] = []
    if snapshot.form is not None:
        place = snapshot.place(position)
        around = Surroundings(snapshot.form, snapshot.tree, snapshot.path, files)
        layout = layout_of(snapshot.tree)
        for here in situations(snapshot.tree, snapshot.text, place):
            items += _Writer(snapshot, place, client, layout, here).items(_matching(_all(here, around, snapshot), here))
    for index, item in enumerate(items):
        item.sort_text = f"{index:03d}"
    return types.CompletionList(is_incomplete=False, items=items)
