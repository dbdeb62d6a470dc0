"""Describe the type and the limits of a value in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.navigate import Schema, resolve
from waza_engine.lib.type_words import MANY, ONE
from waza_lsp.syntax.edit.emit import flow

_MOST_LISTED = 6


def type_words(root: Schema, schema: Schema) -> str:
    """Return the type of a value: `list of strings`, `whole number`, "one of `a`, `b`"."""
    schema = resolve(root, schema)
    values = schema.get("enum")
    if values:
        listed = ", ".join(code(it) for it in values)
        return f"one of {listed}" if len(values) <= _MOST_LISTED else f"one of {len(values)} values"
    alternatives = _alternatives(root, schema)
    if alternatives:
        return " or ".join(dict.fromkeys(type_words(root, it) for it in alternatives))
    kinds = _kinds(schema)
    if not kinds:
        return "any value"
    words = [ONE.get(it, it) for it in kinds]
    content = _content(schema)
    if content is not None and len(kinds) == 1:
        plural = _plural(root, content)
        return f"{words[0]} of {plural}" if plural else words[0]
    return " or ".join(words)


def limits(schema: Schema) -> Iterator[str]:
    """Yield the limits of a value, each as a short phrase with a capital."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield f"From {flow(low)} to {flow(high)}"
    elif low is not None:
        yield f"At least {flow(low)}"
    elif high is not None:
        yield f"At most {flow(high)}"
    if "exclusiveMinimum" in schema:
        yield f"More than {flow(schema['exclusiveMinimum'])}"
    if "exclusiveMaximum" in schema:
        yield f"Less than {flow(schema['exclusiveMaximum'])}"
    yield from _sizes(schema)
    if "pattern" in schema:
        words = str(schema.get("x-pattern-text", ""))
        yield f"{words[0].upper()}{words[1:]}" if words else f"Must match `{schema['pattern']}`"


def code(value: Any) -> str:
    """Return a value as inline code."""
    text = value if isinstance(value, str) else flow(value)
    if "`" not in text:
        return f"`{text}`"
    ticks = "``"
    while ticks in text:
        ticks += "`"
    return f"{ticks} {text} {ticks}"


def _sizes(schema: Schema) -> Iterator[str]:
    low, high = schema.get("minItems"), schema.get("maxItems")
    if low is not None and low == high:
        yield f"Exactly {low} items"
    elif low == 1 or schema.get("minLength") == 1 or schema.get("minProperties") == 1:
        yield "Not empty"
    elif low:
        yield f"At least {low} items"
    if high is not None and low != high:
        yield f"At most {high} items"


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type")
    if kinds is None:
        return ["object"] if "properties" in schema else []
    return [it for it in (kinds if isinstance(kinds, list) else [kinds]) if it != "null"]


def _alternatives(root: Schema, schema: Schema) -> list[Schema]:
    found = [resolve(root, it) for it in schema.get("anyOf", ()) or schema.get("oneOf", ())]
    return [it for it in found if it.get("type") != "null" and set(it) != {"required"}]


def _content(schema: Schema) -> Schema | None:
    """Return the schema of the items of a list, or of the values of a mapping with free keys."""
    if "items" in schema:
        return schema["items"] if isinstance(schema["items"], Mapping) else None
    more = schema.get("additionalProperties")
    return more if isinstance(more, Mapping) and not schema.get("properties") else None


def _plural(root: Schema, schema: Schema) -> str:
    schema = resolve(root, schema)
    if schema.get("enum") and len(schema["enum"]) <= _MOST_LISTED:
        return " / ".join(code(it) for it in schema["enum"])
    return " or ".join(MANY.get(it, it) for it in _kinds(schema))
