"""Diagnostics as the JSON that goes to the client: written here, many of them cost a tenth of what the library takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lsprotocol import types

from waza_lsp.syntax.text import written as written_range


def written(item: "types.Diagnostic") -> str:
    """A diagnostic as JSON."""
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
    return f'{{"range":{written_range(item.range)},{members(fields)}{related(places)}}}'


def published(uri: str, items: Sequence[str], version: int | None) -> str:
    """The parameters of a notification with all diagnostics of a document, each of them JSON already."""
    about = f',"version":{version}' if version is not None else ""
    return f'{{"uri":{json.dumps(uri)},"diagnostics":[{",".join(items)}]{about}}}'


def related(places: Sequence[tuple[str, str, str]]) -> str:
    """The last member of a diagnostic: addresses, ranges as JSON, and what is said of them. Empty without any."""
    if not places:
        return ""
    listed = ",".join(
        f'{{"location":{{"uri":{json.dumps(uri)},"range":{span}}},"message":{json.dumps(said)}}}'
        for uri, span, said in places
    )
    return f',"relatedInformation":[{listed}]'


def members(fields: Mapping[str, Any]) -> str:
    """The members of a JSON object, without its brackets; those that are None are left out."""
    return json.dumps({key: it for key, it in fields.items() if it is not None}, separators=(",", ":"))[1:-1]
