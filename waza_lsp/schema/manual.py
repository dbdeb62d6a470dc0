"""Find the page that describes a key of a document, and the key's place on it.

The schemas have the pages (`waza_engine.generate.schemas.manual`). Cheap: only the type of a grader is read from the text.
"""

from typing import Any

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, branches, resolve
from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.tree.tree import Tree

MANUAL_KEY = "x-manual-key"
"""In the schema of a key: the page that describes it, with the anchor."""


def manual_of(schema: Schema) -> str:
    """Return the page of a grader type; usually the name of the schema that holds its text."""
    return str(schema.get("x-manual") or schema.get("x-docs", ""))


def place_of(root: Schema, tree: Tree, pointer: Pointer) -> str:
    """Return the page and anchor of a key; for an unknown key those of the keys that its mapping may have."""
    schema, place = root, ""
    for at, part in enumerate(pointer):
        schema = resolve(root, schema)
        if isinstance(part, int):
            schema = schema.get("items", {})
            continue
        if part == "config" and DISCRIMINATOR in schema:
            return _type_page(root, schema, tree, pointer[:at])
        known: dict[str, Any] = schema.get("properties", {})
        found = known.get(part, schema.get("additionalProperties"))
        if not isinstance(found, dict):
            return next((str(it[MANUAL_KEY]) for it in known.values() if MANUAL_KEY in it), place)
        schema = found
        place = str(schema.get(MANUAL_KEY, place))
    return place


def _type_page(root: Schema, entry: Schema, tree: Tree, pointer: Pointer) -> str:
    found = tree.find((*pointer, entry[DISCRIMINATOR]))
    branch = branches(entry).get(found.node.source) if found is not None else None
    config = resolve(root, branch).get("properties", {}).get("config", {}) if branch is not None else {}
    return manual_of(resolve(root, config))
