"""Completion items as the JSON that goes to the client: the library takes longer to write them than we to find them."""

import json
from typing import Any

from lsprotocol import types

from waza_lsp.syntax.text import written as written_range


def written(found: "types.CompletionList | None") -> str:
    """A list of items as JSON."""
    if found is None:
        return "null"
    items = ",".join(map(_written, found.items))
    return f'{{"isIncomplete":{"true" if found.is_incomplete else "false"},"items":[{items}]}}'


def _written(it: "types.CompletionItem") -> str:
    about, text = it.label_details, it.documentation
    members: dict[str, Any] = {
        "label": it.label,
        "labelDetails": {"description": about.description} if about is not None else None,
        "kind": it.kind,
        "tags": it.tags,
        "detail": it.detail,
        "documentation": {"kind": text.kind, "value": text.value}
        if isinstance(text, types.MarkupContent)
        else text,
        "deprecated": it.deprecated,
        "preselect": it.preselect,
        "sortText": it.sort_text,
        "filterText": it.filter_text,
        "insertTextFormat": it.insert_text_format,
        "insertTextMode": it.insert_text_mode,
        "data": it.data,
    }
    said = json.dumps({name: value for name, value in members.items() if value is not None})
    edit = it.text_edit
    if not isinstance(edit, types.TextEdit):  # We make no others.
        return said
    change = f'{{"range":{written_range(edit.range)},"newText":{json.dumps(edit.new_text)}}}'
    return f'{said[:-1]},"textEdit":{change}}}'
