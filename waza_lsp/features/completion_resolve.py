"""`completionItem/resolve`: the whole documentation of an item, once somebody looks at it.

The item's `data` says where its schema is found; the document may have changed in the meantime.
"""

from lsprotocol import types

from waza_lsp.schema.details import details
from waza_lsp.schema.form import form


def completion_resolve(item: types.CompletionItem) -> types.CompletionItem:
    """The item with the documentation that was left out of the list."""
    match item.data:
        case [str(dialect), str(kind), str(schema_name), way, list(pointer), value]:
            text = details(form(dialect, kind, schema_name).schema, tuple(pointer), way, value)
        case _:
            text = ""
    is_plain = isinstance(item.documentation, str)
    if text and not is_plain:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item
