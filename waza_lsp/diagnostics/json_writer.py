"""Write diagnostics and completion items as the JSON that goes to the client.

For many diagnostics, lsprotocol's own serialisation takes ten times as long; for completion items, it takes longer than
finding them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lsprotocol import types

from waza_lsp.syntax.text import range_json as written_range


def diagnostic_json(item: "types.Diagnostic") -> str:
    """Return a diagnostic as JSON."""
    fields: dict[str, Any] = {
        "severity": item.severity,
        "code": item.code,
        "codeDescription": {"href": item.code_description.href} if item.code_description else None,
        "source": item.source,
        "message": item.message,
        "tags": item.tags,
        "data": item.data,
    }
    found = item.related_information or ()
    places = [(it.location.uri, written_range(it.location.range), it.message) for it in found]
    return f'{{"range":{written_range(item.range)},{members_json(fields)}{related_json(places)}}}'


def publish_json(uri: str, items: Sequence[str], version: int | None) -> str:
    """Return the parameters of a `publishDiagnostics` notification; `items` are JSON already."""
    about = f',"version":{version}' if version is not None else ""
    return f'{{"uri":{json.dumps(uri)},"diagnostics":[{",".join(items)}]{about}}}'


def related_json(places: Sequence[tuple[str, str, str]]) -> str:
    """Return the last member of a diagnostic from URIs, ranges as JSON and messages; empty without any."""
    if not places:
        return ""
    listed = ",".join(
        f'{{"location":{{"uri":{json.dumps(uri)},"range":{span}}},"message":{json.dumps(message)}}}'
        for uri, span, message in places
    )
    return f',"relatedInformation":[{listed}]'


def members_json(fields: Mapping[str, Any]) -> str:
    """Return the members of a JSON object without its brackets and without those that are None."""
    return json.dumps({key: it for key, it in fields.items() if it is not None}, separators=(",", ":"))[1:-1]


def completion_json(found: "types.CompletionList | None") -> str:
    """Return a list of completion items as JSON."""
    if found is None:
        return "null"
    items = ",".join(map(_item_json, found.items))
    return f'{{"isIncomplete":{"true" if found.is_incomplete else "false"},"items":[{items}]}}'


def _item_json(it: "types.CompletionItem") -> str:
    label, text = it.label_details, it.documentation
    fields: dict[str, Any] = {
        "label": it.label,
        "labelDetails": {"description": label.description} if label is not None else None,
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
    written = json.dumps({name: value for name, value in fields.items() if value is not None})
    edit = it.text_edit
    if not isinstance(edit, types.TextEdit):  # We create no other edits.
        return written
    change = f'{{"range":{written_range(edit.range)},"newText":{json.dumps(edit.new_text)}}}'
    return f'{written[:-1]},"textEdit":{change}}}'
