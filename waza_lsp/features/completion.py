"""`textDocument/completion`: missing keys, values, list items, names and files at the cursor.

Each item has one edit on the cursor's line. It replaces the whole token and has absolute indentation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from waza_engine.analysis.schema.navigate import branching_data
from waza_engine.recognition.recognise import releases
from waza_lsp.completion.candidates import (
    Candidate,
    CompletionContext,
    NamesElsewhere,
    candidates,
    matching_candidates,
)
from waza_lsp.completion.embedded import code_candidates
from waza_lsp.completion.insert import Insertion, insertion
from waza_lsp.completion.suggestions import Rank, SuggestionKind
from waza_lsp.completion.templates import template_candidates
from waza_lsp.schema.markup import plain_text
from waza_lsp.schema.paths import Disk
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor.context import situations
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.edit.edits import layout_of
from waza_lsp.syntax.edit.snippets import SnippetWriter
from waza_lsp.syntax.text import Span

_KINDS = {
    SuggestionKind.KEY: types.CompletionItemKind.Property,
    SuggestionKind.VALUE: types.CompletionItemKind.Value,
    SuggestionKind.SKELETON: types.CompletionItemKind.Snippet,
    SuggestionKind.FILE: types.CompletionItemKind.File,
    SuggestionKind.FOLDER: types.CompletionItemKind.Folder,
    SuggestionKind.ANCHOR: types.CompletionItemKind.Reference,
    SuggestionKind.NAME: types.CompletionItemKind.Reference,
    SuggestionKind.WORD: types.CompletionItemKind.Variable,
}


@dataclass(frozen=True, slots=True)
class CompletionClient:
    """The editor's support for completion items. An editor that `adjusts` always indents further lines itself."""

    snippets: bool = True
    markdown: bool = True
    tags: bool = True
    label_details: bool = True
    adjusts: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities, name: str = "") -> "CompletionClient":
        """Read the support from the editor's capabilities; `name` comes from its `clientInfo`."""
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
            adjusts=name in _INDENTING_EDITORS and not takes_as_is,
        )


_INDENTING_EDITORS = frozenset(["Neovim"])
"""Editors whose snippets add the line's indentation to each further line (neovim/neovim#32972)."""

_FULL_SUPPORT = CompletionClient()


def completion(
    snapshot: Snapshot,
    position: types.Position,
    client: CompletionClient = _FULL_SUPPORT,
    files: Disk | None = None,
    names_elsewhere: NamesElsewhere = lambda _: (),
    target: str = "",
) -> types.CompletionList:
    """Return the completion items at a position.

    `names_elsewhere` returns the names of one kind in other files and in recorded runs. Keys and values that the version
    `target` of the runner, by default the newest, does not have or refuses are left out.
    """
    items: list[types.CompletionItem] = []
    if snapshot.form is not None:
        context = CompletionContext(snapshot.form, snapshot.tree, snapshot.path, files, names_elsewhere)
        place, version = snapshot.place(position), releases(snapshot.form.dialect).target(target)
        template = template_candidates(snapshot.text, place, context)
        if template is not None:
            return _numbered(list(_items(snapshot, template.here, template.candidates, client)))
        for here in situations(snapshot.tree, snapshot.text, place):
            if here.is_guess and items:
                break
            found = matching_candidates(candidates(here, context), here)
            items += _items(snapshot, here, [it for it in found if it.suggestion.is_for(version)], client)
            inside = code_candidates(here, snapshot.form.schema, snapshot.text.line(place.line))
            if inside is not None:
                items += _items(snapshot, inside.here, inside.candidates, client)
    return _numbered(items)


def _numbered(items: list[types.CompletionItem]) -> types.CompletionList:
    for index, item in enumerate(items):
        item.sort_text = f"{index:03d}"
    return types.CompletionList(is_incomplete=False, items=items)


def _items(
    snapshot: Snapshot, here: Situation, found: list[Candidate], client: CompletionClient
) -> Iterator[types.CompletionItem]:
    layout, line_end = layout_of(snapshot.tree), snapshot.text.line_end
    ranges: dict[Span, types.Range] = {}
    resolve_data = _resolve_data(snapshot, here)
    for candidate in found:
        pen = SnippetWriter(layout, snippets=client.snippets, flow=here.flow, line_end=line_end)
        insert = insertion(here, candidate, pen, layout, snapshot.text.line(here.span.start.line))
        if insert.span not in ranges:
            ranges[insert.span] = snapshot.range(insert.span)
        yield _item(candidate, insert, ranges[insert.span], client, resolve_data)


def _item(
    candidate: Candidate,
    insert: Insertion,
    where: types.Range,
    client: CompletionClient,
    resolve_data: list[Any],
) -> types.CompletionItem:
    it = candidate.suggestion
    is_old = it.rank is Rank.DEPRECATED
    text = insert.adjusted if client.adjusts else insert.text
    return types.CompletionItem(
        label=insert.label,
        kind=_KINDS[it.kind],
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
            *resolve_data,
            [0 if isinstance(part, int) else part for part in candidate.pointer],
            it.label if candidate.at is not At.KEY or it.kind is SuggestionKind.SKELETON else None,
        ],
    )


def _documentation(text: str, client: CompletionClient) -> types.MarkupContent | str | None:
    if not text or not client.markdown:
        return plain_text(text) or None
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _resolve_data(snapshot: Snapshot, here: Situation) -> list[Any]:
    """Return the data for `completionItem/resolve`: the schema, and the values that select its branches."""
    form = snapshot.form
    if form is None:
        return []
    return [form.dialect, form.kind, form.schema_name, branching_data(form.schema, here.pointer, here.data)]
