"""Diagnostics as the JSON that goes to the client: written here, many of them cost a tenth of what the library takes."""

import json
from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from waza_lsp.syntax.text import written as written_range


def written(item: types.Diagnostic) -> str:
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
    parts = [f'"range":{written_range(item.range)}', members(fields)]
    if item.related_information:
        places = ((it.location, json.dumps(it.message)) for it in item.related_information)
        listed = ",".join(
            f'{{"location":{{"uri":{json.dumps(it.uri)},"range":{written_range(it.range)}}},"message":{message}}}'
            for it, message in places
        )
        parts.append(f'"relatedInformation":[{listed}]')
    return f"{{{','.join(parts)}}}"


def members(fields: Mapping[str, Any]) -> str:
    """The members of a JSON object, without its brackets; those that are None are left out."""
    return json.dumps({key: it for key, it in fields.items() if it is not None}, separators=(",", ":"))[1:-1]
