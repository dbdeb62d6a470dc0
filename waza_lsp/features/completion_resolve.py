"""`completionItem/resolve`: the whole documentation of an item, once somebody looks at it.

The item's `data` says where its schema is found; the document may have changed in the meantime.
"""

from lsprotocol import types

from waza_lsp.schema.describe import details
from waza_lsp.schema.document_kind import form_of
from waza_lsp.schema.markup import plain_text


def completion_resolve(item: types.CompletionItem, *, markdown: bool = True) -> types.CompletionItem:
    """The item with the documentation that was left out of the list; without `markdown` it has no marks."""
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
