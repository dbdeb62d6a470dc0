"""`completionItem/resolve`: the full documentation of the selected item.

The item's `data` identifies its schema, because the document may have changed since.
"""

from lsprotocol import types

from waza_lsp.schema.describe import details
from waza_lsp.schema.document_kind import form_of
from waza_lsp.schema.markup import plain_text


def completion_resolve(item: types.CompletionItem, *, markdown: bool = True) -> types.CompletionItem:
    """Return the item with its full documentation, as Markdown or as plain text."""
    match item.data:
        case [str(dialect), str(kind), str(schema_name), way, list(pointer), value]:
            text = details(form_of(dialect, kind, schema_name).schema, tuple(pointer), way, value)
        case _:
            text = ""
    if text:
        item.documentation = (
            types.MarkupContent(types.MarkupKind.Markdown, text) if markdown else plain_text(text)
        )
    return item
