"""Messages of the test view as JSON, without the converter of pygls: a thousand tasks take a megabyte."""

import json
from collections.abc import Iterable
from typing import Any

import attrs

from waza_lsp.features.tests import Item
from waza_lsp.server.testing.changes import Changes


def to_json(value: Any) -> str:
    """Return plain data with values of the protocol as JSON."""
    return json.dumps(value, default=attrs.asdict, separators=(",", ":"))


def items_json(items: Iterable[Item]) -> str:
    """Return a tree as JSON."""
    return f"[{','.join([it.json() for it in items])}]"


def changes_json(changes: Changes) -> str:
    """Return the changes of a tree as JSON."""
    items, changed = changes["items"], changes["changed"]
    rest = {name: it for name, it in changes.items() if name not in {"items", "changed"}}
    whole = "null" if items is None else items_json(items)
    return f'{{"items":{whole},"changed":[{",".join(changed)}],{to_json(rest)[1:]}'
