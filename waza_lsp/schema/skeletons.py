"""Build the smallest value that fits a schema, as text with holes to fill in: all required keys, at every level."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.navigate import (
    DISCRIMINATOR,
    Schema,
    branch_of,
    child,
    has_key_group,
    key_groups,
    narrow,
    properties,
    recommended_keys,
    required_keys,
    resolve,
)
from waza_lsp.syntax.edit.emit import flow
from waza_lsp.syntax.edit.snippets import Body, TabStop

_DEEPEST = 6
_LONGEST_EXAMPLE = 50


def body_of(root: Schema, schema: Schema, value: Any = None, depth: int = 0) -> Body:
    """Return the body of a new value of this schema; `value` is the part that is known already."""
    schema = narrow(root, schema, value)
    kinds = json_types(schema)
    if "enum" in schema or kinds[:1] == ["boolean"]:
        return TabStop(choices=tuple(flow(it) for it in current_values(schema)))
    if kinds[:1] == ["object"] or (not kinds and "properties" in schema):
        return mapping_of(root, schema, value, depth)
    if kinds[:1] == ["array"]:
        return [_item(root, schema, depth)]
    return _scalar(schema, kinds)


def mapping_of(root: Schema, schema: Schema, value: Any = None, depth: int = 0) -> Mapping[str, Body]:
    """Return the keys that a mapping needs, with the known part (`value`) as fixed text."""
    known = dict(value) if isinstance(value, Mapping) else {}
    selected = _selected(root, schema, known)
    usual = schema.get("x-skeleton", ())
    keys = list(dict.fromkeys([*known, *needed_keys(root, schema, known), *usual, *selected]))
    bodies = {
        key: str(known[key]) if key in known else _below(root, schema, key, known, depth)
        for key in sorted(keys, key=_order(root, schema, known))
    }
    return {key: selected[key] if key in selected and it == {} else it for key, it in bodies.items()}


def needed_keys(root: Schema, schema: Schema, value: Mapping[str, Any]) -> list[str]:
    """Return the required and recommended keys, and the first alternative of "at least one of"."""
    first_choice = [] if has_key_group(schema, value) else key_groups(schema.get("anyOf", ()))[0]
    return list(
        dict.fromkeys([*required_keys(root, schema, value), *first_choice, *recommended_keys(schema)])
    )


def variants(root: Schema, schema: Schema) -> Iterator[Mapping[str, str]]:
    """Yield each current value of a discriminator as a mapping; one empty mapping without a discriminator."""
    key = schema.get(DISCRIMINATOR)
    if key is None:
        yield {}
        return
    for it in current_values(resolve(root, schema["properties"][key])):
        yield {key: it}


def current_values(schema: Schema) -> list[Any]:
    """Return the current values of an enumeration or boolean, the likely one for a new key first."""
    if "enum" in schema:
        return [it for it in schema["enum"] if it not in schema.get("x-enum-deprecated", ())]
    # People add a key mostly to change its default.
    return [not schema.get("default", False), bool(schema.get("default", False))]


def json_types(schema: Schema) -> list[str]:
    """Return the JSON types of a schema, without null."""
    types = schema.get("type", [])
    return [it for it in ([types] if isinstance(types, str) else types) if it != "null"]


def _item(root: Schema, schema: Schema, depth: int) -> Body:
    """Return the first item of a new list, modelled on the example of the list."""
    items = schema.get("items")
    if not isinstance(items, Mapping) or depth >= _DEEPEST:
        return TabStop()
    item = narrow(root, items, None)
    shown = [it[0] for it in schema.get("examples", ()) if isinstance(it, list) and it]
    return body_of(root, {"examples": shown, **item} if json_types(item) else item, None, depth + 1)


def _selected(root: Schema, schema: Schema, known: Mapping[str, Any]) -> Mapping[str, Body]:
    """Return the mappings that a discriminator's value selects, each with its first key so that it is not empty."""
    branch = branch_of(schema, known)
    found: dict[str, Body] = {}
    for key, it in resolve(root, branch).get("properties", {}).items() if branch is not None else ():
        options = resolve(root, it).get("properties", {})
        current = (name for name, option in options.items() if not resolve(root, option).get("deprecated"))
        if first := next(current, None):
            found[key] = {first: body_of(root, options[first], None, 1)}
    return found


def _below(root: Schema, schema: Schema, key: str, known: Mapping[str, Any], depth: int) -> Body:
    found = child(root, schema, key, known)
    return body_of(root, found, None, depth + 1) if found is not None and depth < _DEEPEST else TabStop()


def _order(root: Schema, schema: Schema, known: Mapping[str, Any]) -> Any:
    listed = list(properties(root, schema, known))
    return lambda it: (it != schema.get(DISCRIMINATOR), listed.index(it) if it in listed else len(listed))


def _scalar(schema: Schema, kinds: list[str]) -> TabStop:
    examples = [it for it in schema.get("examples", ()) if not isinstance(it, list | dict)]
    if kinds[:1] in (["integer"], ["number"]):
        return TabStop(
            flow(examples[0] if examples else schema.get("default", schema.get("minimum", 1))), good=True
        )
    text = examples[0] if examples and isinstance(examples[0], str) else ""
    return TabStop(flow(text) if text and "\n" not in text and len(text) <= _LONGEST_EXAMPLE else "")
