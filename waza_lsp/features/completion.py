"""`textDocument/completion`: keys that are missing, values, whole items, names and files that fit at the cursor.

Each item carries one edit on the cursor's line that replaces the whole token, with absolute indentation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from waza_engine.analysis.schema.navigate import branching_data
from waza_lsp.completion.candidates import Known, Offer, Surroundings, matching, offers
from waza_lsp.completion.embedded import code_offers
from waza_lsp.completion.insert import Insert, insert_of
from waza_lsp.completion.suggestions import Rank, What
from waza_lsp.completion.templates import template_offers
from waza_lsp.schema.markup import plain_text
from waza_lsp.schema.paths import Disk
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor.context import situations
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.edit.edits import layout_of
from waza_lsp.syntax.edit.snippets import SnippetWriter
from waza_lsp.syntax.text import Span

_KINDS = {
    What.KEY: types.CompletionItemKind.Property,
    What.VALUE: types.CompletionItemKind.Value,
    What.SKELETON: types.CompletionItemKind.Snippet,
    What.FILE: types.CompletionItemKind.File,
    What.FOLDER: types.CompletionItemKind.Folder,
    What.ANCHOR: types.CompletionItemKind.Reference,
    What.NAME: types.CompletionItemKind.Reference,
    What.WORD: types.CompletionItemKind.Variable,
}


@dataclass(frozen=True, slots=True)
class Client:
    """What the editor can take. One that `adjusts` indents the lines of an item itself, whatever we say."""

    snippets: bool = True
    markdown: bool = True
    tags: bool = True
    label_details: bool = True
    adjusts: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities, name: str = "") -> "Client":
        """What an editor says about itself; `name` is that of its `clientInfo`."""
        document = capabilities.text_document
        able = (document.completion if document is not None else None) or types.CompletionClientCapabilities()
        item = able.completion_item or types.ClientCompletionItemOptions()
        modes = item.insert_text_mode_support
        takes_as_is = modes is not None and types.InsertTextMode.AsIs in modes.value_set
        return cls(
            snippets=bool(item.snippet_support),
            markdown=types.MarkupKind.Markdown in (item.documentation_format or ()),
            tags=item.tag_support is not None,
            label_details=bool(item.label_details_support),
            adjusts=name in _ADJUSTING and not takes_as_is,
        )


_ADJUSTING = frozenset(["Neovim"])
"""Editors whose own snippets put the line's indentation before each further line (neovim/neovim#32972)."""

_ABLE = Client()


def completion(
    snapshot: Snapshot,
    position: types.Position,
    client: Client = _ABLE,
    files: Disk | None = None,
    known: Known = lambda _: (),
) -> types.CompletionList:
    """`known` gives the names that a kind of thing has in other files and in recorded runs."""
    items: list[types.CompletionItem] = []
    if snapshot.form is not None:
        around = Surroundings(snapshot.form, snapshot.tree, snapshot.path, files, known)
        place = snapshot.place(position)
        template = template_offers(snapshot.text, place, around)
        if template is not None:
            return _listed(list(_items(snapshot, template.here, template.offers, client)))
        for here in situations(snapshot.tree, snapshot.text, place):
            if here.is_guess and items:
                break
            items += _items(snapshot, here, matching(offers(here, around), here), client)
            inside = code_offers(here, snapshot.form.schema, snapshot.text.line(place.line))
            if inside is not None:
                items += _items(snapshot, inside.here, inside.offers, client)
    return _listed(items)


def _listed(items: list[types.CompletionItem]) -> types.CompletionList:
    for index, item in enumerate(items):
        item.sort_text = f"{index:03d}"
    return types.CompletionList(is_incomplete=False, items=items)


def _items(
    snapshot: Snapshot, here: Situation, found: list[Offer], client: Client
) -> Iterator[types.CompletionItem]:
    layout, line_end = layout_of(snapshot.tree), snapshot.text.line_end
    ranges: dict[Span, types.Range] = {}
    way = _way(snapshot, here)
    for offer in found:
        pen = SnippetWriter(layout, snippets=client.snippets, flow=here.flow, line_end=line_end)
        insert = insert_of(here, offer, pen, layout, snapshot.text.line(here.span.start.line))
        if insert.span not in ranges:
            ranges[insert.span] = snapshot.range(insert.span)
        yield _item(offer, insert, ranges[insert.span], client, way)


def _item(
    offer: Offer, insert: Insert, where: types.Range, client: Client, way: list[Any]
) -> types.CompletionItem:
    it = offer.suggestion
    is_old = it.rank is Rank.DEPRECATED
    text = insert.adjusted if client.adjusts else insert.text
    return types.CompletionItem(
        label=insert.label,
        kind=_KINDS[it.what],
        detail=it.detail or None,
        documentation=_documentation(it.text, client),
        label_details=types.CompletionItemLabelDetails(description=it.note)
        if it.note and client.label_details
        else None,
        tags=[types.CompletionItemTag.Deprecated] if is_old and client.tags else None,
        deprecated=True if is_old and not client.tags else None,
        preselect=it.is_likely or None,
        filter_text=insert.filter_text,
        insert_text_format=types.InsertTextFormat.Snippet
        if insert.is_snippet
        else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation
        if client.adjusts
        else types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(where, text),
        data=[
            *way,
            list(offer.pointer),
            it.label if offer.at is not At.KEY or it.what is What.SKELETON else None,
        ],
    )


def _documentation(text: str, client: Client) -> types.MarkupContent | str | None:
    if not text or not client.markdown:
        return plain_text(text) or None
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _way(snapshot: Snapshot, here: Situation) -> list[Any]:
    """What resolving an item needs: the schema, and of the data what chooses branches on the way."""
    form = snapshot.form
    if form is None:
        return []
    return [form.dialect, form.kind, form.schema_name, branching_data(form.schema, here.pointer, here.data)]
